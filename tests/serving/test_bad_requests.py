"""Requests that cannot be answered: a status and one clear line that says where; and nothing else leaves the server."""

import json
import socket

import pytest

from cogmap.serving import Limits, application
from cogmap.serving.bodies import CSV, JSON

from .conftest import running

GOOD = {"age": 40, "member": "yes", "colour": "red", "joined": "2020-05-05"}
HEADER = "age,member,colour,joined\n"
LINE = "1,yes,red,2020-05-05\n"
WIDE = ",".join(f"c{i}" for i in range(10_000))


def row(**changes):
    return json.dumps({"rows": [GOOD, {**GOOD, **changes}]})


BODIES = {
    "nothing": (JSON, "", 400, "not JSON"),
    "half of it": (JSON, '{"rows": [', 400, "line 1, column 11"),
    "not JSON": (JSON, HEADER, 400, "not JSON"),
    "NaN": (JSON, row(age=float("nan")), 400, "NaN is no number in JSON"),
    "Infinity": (JSON, row(age=float("inf")), 400, "Infinity is no number in JSON"),
    "nested": (JSON, "[" * 9_000, 400, "nested too deep"),
    "thousands of digits": (JSON, '{"rows": [' + "9" * 5000 + "]}", 400, "too many digits"),
    "Latin-1": (JSON, row(colour="grün").replace("\\u00fc", "ü").encode("latin-1"), 400, "not text in UTF-8: byte"),
    "a list": (JSON, "[]", 422, 'must be an object {"rows": [...]}, got a list'),
    "a number": (JSON, "7", 422, "got 7"),
    "no rows": (JSON, "{}", 422, "got an object without it"),
    "rows that are no list": (JSON, '{"rows": {}}', 422, "rows must be a list of rows, got an object"),
    "an empty list": (JSON, '{"rows": []}', 422, "at least one row"),
    "a row that is a list": (JSON, '{"rows": [[1, 2]]}', 422, "rows[0] must be an object"),
    "a row that is null": (JSON, json.dumps({"rows": [GOOD, None]}), 422, "rows[1] must be an object"),
    "a column missing": (JSON, json.dumps({"rows": [GOOD, {"age": 1, "Colour": "red"}]}), 422, "rows[1] lacks the"),
    "a text for a number": (JSON, row(age="old"), 422, "rows[1], column 'age', must be a number or null, got \"old\""),
    "a number as text": (JSON, row(age="40"), 422, "rows[1], column 'age', must be a number"),
    "a boolean for a number": (JSON, row(age=True), 422, "got true"),
    "a list for a category": (JSON, row(colour=["red"]), 422, "rows[1], column 'colour', must be a text"),
    "a number for a date": (JSON, row(joined=2020), 422, "rows[1], column 'joined', must be a date"),
    "a date that is none": (JSON, row(joined="2020-02-30"), 422, "'2020-02-30' is not a date"),
    "too large for a float": (JSON, row(age=1).replace('"age": 1', '"age": 1e999'), 422, "not a finite number"),
    "an integer too large": (JSON, row(age=10**400), 422, "not a finite number"),
    "too many rows": (JSON, json.dumps({"rows": [GOOD] * 21}), 422, "at most 20 rows, got 21"),
    "millions of lists": (JSON, '{"rows": [' + "[]," * 1_000_000 + "[]]}", 413, "too many objects and lists"),
    "empty CSV": (CSV, "", 422, "names of the columns in its first line"),
    "header only": (CSV, HEADER, 422, "at least one row"),
    "wrong delimiter": (CSV, "age;member;colour;joined\n1;yes;red;2020-05-05", 422, "must be separated by commas"),
    "tabs": (CSV, "age\tmember\n1\tyes", 422, "must be separated by commas"),
    "CSV in Latin-1": (CSV, (HEADER + "1,yes,grün,2020-05-05").encode("latin-1"), 400, "not text in UTF-8"),
    "UTF-16": (CSV, HEADER.encode("utf-16"), 400, "not text in UTF-8"),
    "duplicate columns": (CSV, "age,age\n1,2", 422, "the column 'age' more than once"),
    "a quote that is open": (CSV, HEADER + '1,yes,"red,2020-05-05', 400, "not CSV"),
    "a short line": (CSV, HEADER + "1,yes\n", 422, "Line 2 has 2 cells, but the header has 4"),
    "text in CSV": (CSV, HEADER + LINE + "old,no,red,2020-05-05", 422, "Row 2 cannot be predicted: age: 'old'"),
    "too many lines": (CSV, HEADER + LINE * 21, 422, "at most 20 rows"),
    "10,000 columns": (CSV, WIDE + "\n" + "1," * 9_999 + "1", 422, "Row 1 lacks the columns 'age', "),
    "a huge cell": (CSV, HEADER + "1,yes," + "x" * 200_000 + ",2020-05-05", 400, "field larger than field limit"),
}  # fmt: skip


@pytest.fixture(scope="module")
def client(table_model):
    """A server with low limits on rows."""
    with running(application(table_model[0], limits=Limits(n_rows=20, n_explained=20))) as client:
        yield client


@pytest.mark.parametrize("path", ["/predict", "/explain"])
@pytest.mark.parametrize("name", BODIES)
def test_bad_bodies_are_refused_in_one_line(client, name, path):
    """The line says what is wrong and where; the next request is answered."""
    kind, body, expected, words = BODIES[name]
    status, answer = client.post(path, body, kind)
    assert (status, list(answer)) == (expected, ["error"])
    assert words in answer["error"]
    assert "\n" not in answer["error"]
    assert "Traceback" not in answer["error"]
    assert client.post("/predict", {"rows": [GOOD]})[0] == 200


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({}, "got none"),
        ({"content_type": "text/plain"}, "got 'text/plain'"),
        ({"content_type": "application/x-www-form-urlencoded"}, "must be application/json or text/csv"),
        ({"content_type": "application/json; charset=latin-1"}, "must be text in UTF-8, got the charset 'latin-1'"),
        ({"content_type": "application/json", "content_encoding": "gzip"}, "must not be compressed"),
    ],
)
def test_bodies_of_other_kinds_are_refused(client, headers, words):
    """Only JSON and CSV in UTF-8 are read, which the header has to say."""
    status, _, text = client.ask("POST", "/predict", json.dumps({"rows": [GOOD]}).encode(), **headers)
    assert status == 415
    assert words in json.loads(text)["error"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/predict", 405),
        ("DELETE", "/explain", 405),
        ("POST", "/health", 405),
        ("PUT", "/", 405),
        ("GET", "/nothing", 404),
        ("POST", "/predict/", 404),
        ("GET", "/../etc/passwd", 404),
        ("GET", "/%00%ff", 404),
    ],
)
def test_other_paths_and_methods_are_refused(client, method, path, status):
    """Also these answers are JSON with one line."""
    got, headers, text = client.ask(method, path)
    assert got == status
    assert headers["content-type"] == JSON
    assert list(json.loads(text)) == ["error"]
    assert status != 405 or headers["allow"]


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        b"\x00" * 100,
    ],
)
def test_what_is_no_http_is_refused(client, request_bytes):
    """It gets a 400 and the connection is closed."""
    with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
        connection.sendall(request_bytes)
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 400") or not answer


def test_heads_without_end_are_refused(client):
    """A head of megabytes is not kept in memory: the connection is closed."""

    def send_without_end():
        with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            for _ in range(2000):
                connection.sendall(b"X-Filler: " + b"x" * 5000 + b"\r\n")

    with pytest.raises((ConnectionResetError, BrokenPipeError)):
        send_without_end()


CHANGE = {"rows": [GOOD], "to": None, "fixed": []}


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"to": "purple"}, "to must be one of the classes"),
        ({"to": ["yes"]}, "to must be one of the classes"),
        ({"fixed": "age"}, "fixed must be a list of names of columns"),
        ({"fixed": ["age", "weight"]}, "fixed must be a list of names of columns, and has"),
        ({"fixed": [1]}, "fixed must be a list of names of columns, and has 1"),
        ({"rows": [GOOD] * 21}, "at most 20 rows"),
    ],
)
def test_bad_questions_about_changes_are_refused(client, part, message):
    """With one line that names the part of the body."""
    status, answer = client.post("/what-if", CHANGE | part)
    assert status == 422
    assert message in answer["error"]


def test_changes_are_asked_for_in_json_only(client):
    """A table in CSV has no place for the goal."""
    status, answer = client.post("/what-if", (HEADER + LINE).encode(), "text/csv")
    assert status == 415
    assert "application/json" in answer["error"]


def test_a_mistake_inside_says_nothing_to_clients(table_model, monkeypatch, caplog):
    """The answer is a 500 with one line; the traceback is in the log of the server."""
    from cogmap.serving.answers import Served

    def broken(self, table):
        raise RuntimeError("secret")

    app = application(table_model[0])
    monkeypatch.setattr(Served, "_predictions", broken)
    with running(app) as client:
        status, answer = client.post("/predict", {"rows": [GOOD]})
    assert status == 500
    assert list(answer) == ["error"]
    assert "secret" not in answer["error"]
    assert "secret" in caplog.text
