"""What the server says about itself: the OpenAPI document, its page, and the interactive page."""

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

from .conftest import running

HOSTILE = "<script>alert('x')</script> & \"quotes\""


def document_of(client):
    return json.loads(client.ask("GET", "/openapi.json")[2])


def test_columns_are_described_as_they_are(client):
    """Every column that is used is there with its kind; those left out are not."""
    row = document_of(client)["components"]["schemas"]["Row"]
    assert row["required"] == list(row["properties"]) == ["age", "member", "colour", "joined"]
    assert row["properties"]["age"]["type"] == ["number", "null"]
    assert row["properties"]["colour"]["examples"] == ["blue", "green", "red"]
    assert row["properties"]["joined"]["format"] == "date"
    assert "'yes'" in row["properties"]["member"]["description"]


@pytest.mark.parametrize("name", ["table", "names", "no names", "value", "values"])
def test_examples_are_real(models, name):
    """The examples of requests are answered, as JSON and CSV, by those of answers."""
    with running(application(models[name][0])) as client:
        for path, what in document_of(client)["paths"].items():
            if "post" not in what:
                continue
            expected = what["post"]["responses"]["200"]["content"]["application/json"]["example"]
            for kind, how in what["post"]["requestBody"]["content"].items():
                assert client.post(path, how["example"], kind) == (200, expected)


def test_limits_are_told(table_model):
    """The document says how much a request may ask for."""
    with running(application(table_model[0], limits=Limits(n_bytes=12_345, n_rows=7, n_explained=3))) as client:
        document = document_of(client)
    schemas = document["components"]["schemas"]
    assert schemas["PredictRequest"]["properties"]["rows"]["maxItems"] == 7
    assert schemas["ExplainRequest"]["properties"]["rows"]["maxItems"] == 3
    assert "12,345 bytes" in document["info"]["description"]


class Tags(HTMLParser):
    """Collects what is in a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name in ("href", "src")]


def test_the_page_of_the_document_runs_and_loads_nothing():
    """Names of columns and classes are text whatever is in them; the policy knows the style by its hash."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 2)), columns=[HOSTILE, "b"])
    model = FCMClassifier(n_teachers=0, random_state=0).fit(X, np.where(X["b"] > 0, HOSTILE, "no"))
    with running(application(model, title=HOSTILE)) as client:
        _, headers, text = client.ask("GET", "/docs")
        _, _, page = client.ask("GET", "/")
    assert headers["content-type"].startswith("text/html")
    found = Tags(text)
    assert "script" not in found.tags
    assert all(re.fullmatch(r"\.?/?[a-z.]*", link) for link in found.links)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in headers["content-security-policy"]
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "alert('x')</script>" not in page


def test_headers_that_keep_browsers_from_harm(client):
    """What is said is what it says it is, is kept nowhere and shown in no frame."""
    for path in ("/", "/docs", "/openapi.json", "/health", "/metrics"):
        status, headers, _ = client.ask("GET", path)
        assert status == 200
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers
    for path in ("/", "/docs"):
        assert "frame-ancestors 'none'" in client.ask("GET", path)[1]["content-security-policy"]
