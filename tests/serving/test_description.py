"""The OpenAPI document, the documentation page, and the interactive page."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from cogmap import FCMClassifier
from cogmap.serving import Limits, application
from cogmap.table import fit_table

from .conftest import people, running

HOSTILE = "<script>alert('x')</script> & \"quotes\""


def document_of(client):
    return json.loads(client.send("GET", "/openapi.json")[2])


def test_columns_are_described(client):
    """The schema of a row has every used column with its type, and no column left out in training."""
    row = document_of(client)["components"]["schemas"]["Row"]
    assert row["required"] == list(row["properties"]) == ["age", "member", "colour", "joined"]
    assert row["properties"]["age"]["type"] == ["number", "null"]
    assert row["properties"]["colour"]["examples"] == ["blue", "green", "red"]
    assert row["properties"]["joined"]["format"] == "date"
    assert "'yes'" in row["properties"]["member"]["description"]


@pytest.mark.parametrize("name", ["table", "names", "no names", "value", "values"])
def test_examples_are_real(models, name):
    """The example requests, as JSON and CSV, return the example responses."""
    with running(application(models[name][0])) as client:
        for path, methods in document_of(client)["paths"].items():
            if "post" not in methods:
                continue
            expected = methods["post"]["responses"]["200"]["content"]["application/json"]["example"]
            for kind, media in methods["post"]["requestBody"]["content"].items():
                assert client.post(path, media["example"], kind) == (200, expected)


def test_limits_are_documented(table_model):
    """The document contains the limits of a request."""
    with running(application(table_model[0], limits=Limits(n_bytes=12_345, n_rows=7, n_explained=3))) as client:
        document = document_of(client)
    schemas = document["components"]["schemas"]
    assert schemas["PredictRequest"]["properties"]["rows"]["maxItems"] == 7
    assert schemas["ExplainRequest"]["properties"]["rows"]["maxItems"] == 3
    assert "12,345 bytes" in document["info"]["description"]


class Tags(HTMLParser):
    """Collector of the tags and links of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name in ("href", "src")]


def test_documentation_page_runs_only_its_script_and_loads_nothing():
    """Names of columns and classes are escaped; the security policy allows only style and script, by their hashes."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 2)), columns=[HOSTILE, "b"])
    model = FCMClassifier(n_teachers=0, random_state=0).fit(X, np.where(X["b"] > 0, HOSTILE, "no"))
    with running(application(model, title=HOSTILE)) as client:
        _, headers, text = client.send("GET", "/docs")
        _, _, page = client.send("GET", "/")
    assert headers["content-type"].startswith("text/html")
    parsed = Tags(text)
    assert parsed.tags.count("script") == 1
    assert all(re.fullmatch(r"\.?/?[a-z.]*", link) for link in parsed.links)
    for tag in ("style", "script"):
        content = re.search(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in headers["content-security-policy"]
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "alert('x')</script>" not in page


def test_interactive_page_has_the_card():
    """It names the target and says how good the map is on new rows."""
    X, y = people()
    model = fit_table(X.drop(columns="id").assign(action=y), "action")
    with running(application(model)) as client:
        _, _, page = client.send("GET", "/")
    assert f"<title>action, from {model.card['table']['name']}</title>" in page
    with running(application(model.pipeline)) as client:
        _, _, page = client.send("GET", "/")
    assert "<title>A map of" in page


def test_security_headers(client):
    """Responses forbid content sniffing, caching and framing."""
    for path in ("/", "/docs", "/openapi.json", "/health", "/metrics"):
        status, headers, _ = client.send("GET", path)
        assert status == 200
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers
    for path in ("/", "/docs"):
        assert "frame-ancestors 'none'" in client.send("GET", path)[1]["content-security-policy"]


@pytest.fixture(scope="module")
def kinds():
    """Client of a server for a model with all kinds of columns and training statistics."""
    X, y = people(120)
    X = X.drop(columns="id").assign(size=pd.Categorical(["small", "large"] * 60, ["small", "large"], ordered=True))
    X["colour"] = X["colour"].where(X.index % 3 > 0, "red")
    model = fit_table(X.assign(target=y, **{HOSTILE: X["age"].fillna(0) ** 2}), "target")
    with running(application(model)) as client:
        yield client, X


def test_examples_are_frequent_values(kinds):
    """The most frequent category and the median, not the first category and the mean."""
    client, X = kinds
    content = document_of(client)["paths"]["/predict"]["post"]["requestBody"]["content"]
    (example,) = content["application/json"]["example"]["rows"]
    assert example["colour"] == X["colour"].mode()[0] == "red"
    assert example["member"] == X["member"].mode()[0]
    assert example["age"] == pytest.approx(X["age"].median(), rel=0.01)
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", example["joined"])


def test_form_predicts_a_row(kinds, browser):
    """The form begins with the example, and shows the prediction, notes and errors of the server."""
    client, _ = kinds
    page = browser.new_page()
    failures = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.on("console", lambda message: failures.append(message.text) if message.type == "error" else None)
    try:
        page.goto(f"http://127.0.0.1:{client.port}/models/model/docs")
        content = document_of(client)["paths"]["/predict"]["post"]
        expected = content["responses"]["200"]["content"]["application/json"]["example"]["predictions"][0]
        page.click("#try button")
        page.wait_for_selector("#answer meter")
        assert page.inner_text("#answer strong") == expected["prediction"]
        bars = page.eval_on_selector_all("#answer meter", "bars => bars.map(bar => bar.value)")
        assert bars == pytest.approx(list(expected["probabilities"].values()), abs=1e-9)
        page.fill("[name=age]", "")
        page.select_option("[name=colour]", "")
        page.fill("[name=joined]", "2021-02-30")
        page.click("#try button")
        page.wait_for_selector("#answer.error")
        assert "'2021-02-30' is not a date" in page.inner_text("#answer")
        assert failures == ["Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)"]
        page.fill("[name=joined]", "")
        page.click("#try button")
        page.wait_for_selector("#answer:not(.error)")
        assert page.locator("#answer strong").count() == 1
    finally:
        page.close()
