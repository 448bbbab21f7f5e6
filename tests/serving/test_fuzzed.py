"""Fuzzing the server with requests that match its OpenAPI document, and with requests that do not."""

import csv
import io
import json

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, settings
from schemathesis import GenerationMode

from cogmap.serving import application
from cogmap.table.columns.texts import spelled

from .conftest import running

TOKEN = "a-token-that-is-long-enough"
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}
PATHS = ["/predict", "/explain", "/what-if", "/health", "/ready", "/models", "/metrics", "/openapi.json", "/docs", "/"]

N_EXAMPLES = 20  # per test; 500 found no more failures

# No shrinking: it takes long, and schemathesis reports failures well enough.
fuzzed = settings(
    max_examples=N_EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def guarded(table_model):
    """Client of a server that needs a token."""
    with running(application(table_model[0], token=TOKEN)) as client:
        yield client


def cases(client, path, kinds, mode):
    """Return a strategy for requests to a path with bodies of these media types, valid or invalid by `mode`."""
    document = json.loads(client.send("GET", "/openapi.json", **AUTHORIZED)[2])
    method = "POST" if path in ("/predict", "/explain", "/what-if") else "GET"
    if method == "POST":
        content = document["paths"][path]["post"]["requestBody"]["content"]
        for kind in content.keys() - set(kinds):
            del content[kind]
    if mode == GenerationMode.NEGATIVE:
        columns = document["components"]["schemas"]["Row"]["properties"]
        del columns["joined"]["format"]  # other date formats are accepted too
        del columns["age"]["minimum"], columns["age"]["maximum"]  # numbers just outside round to the largest float
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=f"http://127.0.0.1:{client.port}")
    schema.config.checks.negative_data_rejection.expected_statuses = ["4xx"]  # 413 too: the body is too large
    return schema[path][method].as_strategy(generation_mode=mode)


@pytest.mark.parametrize("path", PATHS)
def test_valid_requests_get_documented_responses(guarded, path):
    """Valid requests succeed, and the response matches the documented media type and schema."""
    requests = cases(guarded, path, ["application/json"], GenerationMode.POSITIVE)

    @fuzzed
    @given(case=requests)
    def check(case):
        case.call_and_validate(headers=AUTHORIZED)

    check()


@pytest.mark.parametrize("kind", ["application/json", "text/csv"])
@pytest.mark.parametrize("path", ["/predict", "/explain"])
def test_invalid_requests_get_documented_errors(client, path, kind):
    """Invalid requests get a documented 4xx status and one line."""
    requests = cases(client, path, [kind], GenerationMode.NEGATIVE)

    @fuzzed
    @given(case=requests)
    def check(case):
        response = case.call_and_validate()
        assert 400 <= response.status_code < 500
        assert list(response.json()) == ["error"]

    check()


def test_csv_and_json_give_the_same_predictions(client):
    """For any rows that match the schema."""
    requests = cases(client, "/predict", ["application/json"], GenerationMode.POSITIVE)
    names = ["age", "member", "colour", "joined"]

    @fuzzed
    @given(case=requests)
    def check(case):
        rows = [{name: row[name] for name in names} for row in case.body["rows"]]
        assume(not any("\x00" in str(value) for row in rows for value in row.values()))  # CSV has no NUL
        text = io.StringIO()
        writer = csv.writer(text, quoting=csv.QUOTE_ALL)
        writer.writerow(names)
        writer.writerows(["" if value is None else spelled(value) for value in row.values()] for row in rows)
        status, from_csv = client.post("/predict", text.getvalue().encode(), "text/csv")
        assert status == 200, from_csv
        assert from_csv["predictions"] == client.post("/predict", {"rows": rows})[1]["predictions"]

    check()
