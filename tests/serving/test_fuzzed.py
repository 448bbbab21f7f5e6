"""The server against its own description: requests by the dozen that keep to it, and that do not."""

import csv
import io
import json

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, settings
from schemathesis import GenerationMode

from cogmap.serving import application
from cogmap.table.preparation.texts import spelled

from .conftest import running

TOKEN = "a-token-that-is-long-enough"
SHOWN = {"Authorization": f"Bearer {TOKEN}"}
PATHS = ["/predict", "/explain", "/what-if", "/health", "/metrics", "/openapi.json", "/docs", "/"]

N_EXAMPLES = 20  # of each; 500 found nothing more

# Failures are told by schemathesis; to look for smaller ones takes longer than it helps.
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
    """A server that asks for a token."""
    with running(application(table_model[0], token=TOKEN)) as client:
        yield client


def cases(client, path, kinds, mode):
    """Return a strategy for requests to a path, with bodies of these kinds, that fit the description or do not."""
    document = json.loads(client.ask("GET", "/openapi.json", **SHOWN)[2])
    method = "POST" if path in ("/predict", "/explain", "/what-if") else "GET"
    if method == "POST":
        content = document["paths"][path]["post"]["requestBody"]["content"]
        for kind in content.keys() - set(kinds):
            del content[kind]
    if mode == GenerationMode.NEGATIVE:  # a format is advice: dates are read in other ways too
        del document["components"]["schemas"]["Row"]["properties"]["joined"]["format"]
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=f"http://127.0.0.1:{client.port}")
    return schema[path][method].as_strategy(generation_mode=mode)


@pytest.mark.parametrize("path", PATHS)
def test_requests_as_described_are_answered_as_described(guarded, path):
    """Whatever fits the description is accepted, and the answer is of the kind and shape that it promises."""
    asked = cases(guarded, path, ["application/json"], GenerationMode.POSITIVE)

    @fuzzed
    @given(case=asked)
    def check(case):
        case.call_and_validate(headers=SHOWN)

    check()


@pytest.mark.parametrize("kind", ["application/json", "text/csv"])
@pytest.mark.parametrize("path", ["/predict", "/explain"])
def test_other_requests_are_refused_as_described(client, path, kind):
    """Whatever does not fit gets a 4xx that the description names, with one line."""
    asked = cases(client, path, [kind], GenerationMode.NEGATIVE)

    @fuzzed
    @given(case=asked)
    def check(case):
        answer = case.call_and_validate()
        assert 400 <= answer.status_code < 500
        assert list(answer.json()) == ["error"]

    check()


def test_rows_as_csv_are_answered_like_rows_as_json(client):
    """Any rows that fit the description say the same in both."""
    asked = cases(client, "/predict", ["application/json"], GenerationMode.POSITIVE)
    names = ["age", "member", "colour", "joined"]

    @fuzzed
    @given(case=asked)
    def check(case):
        rows = [{name: row[name] for name in names} for row in case.body["rows"]]
        assume("\x00" not in str(rows))  # which older versions of Python do not read in CSV
        text = io.StringIO()
        writer = csv.writer(text, quoting=csv.QUOTE_ALL)
        writer.writerow(names)
        writer.writerows(["" if value is None else spelled(value) for value in row.values()] for row in rows)
        status, from_csv = client.post("/predict", text.getvalue().encode(), "text/csv")
        assert status == 200
        assert from_csv["predictions"] == client.post("/predict", {"rows": rows})[1]["predictions"]

    check()
