"""Invalid requests get a status and one line that locates the problem, and no internal details."""

import asyncio
import json
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from cogmap.serving import Limits, application
from cogmap.serving.bodies import CSV, JSON
from cogmap.table import TableModel
from cogmap.table.scanning import Scan

from .conftest import running

GOOD = {"age": 40, "member": "yes", "colour": "red", "joined": "2020-05-05"}
HEADER = "age,member,colour,joined\n"
LINE = "1,yes,red,2020-05-05\n"
WIDE = ",".join(f"c{i}" for i in range(10_000))


def row(**changes):
    return json.dumps({"rows": [GOOD, {**GOOD, **changes}]})


BODIES = {
    "nothing": (JSON, "", 400, "cannot be parsed as JSON"),
    "half of it": (JSON, '{"rows": [', 400, "line 1, column 11"),
    "not JSON": (JSON, HEADER, 400, "cannot be parsed as JSON"),
    "NaN": (JSON, row(age=float("nan")), 400, "NaN is not allowed in JSON"),
    "Infinity": (JSON, row(age=float("inf")), 400, "Infinity is not allowed in JSON"),
    "nested": (JSON, "[" * 9_000, 400, "nested too deeply"),
    "thousands of digits": (JSON, '{"rows": [' + "9" * 5000 + "]}", 400, "too many digits"),
    "Latin-1": (JSON, row(colour="grün").replace("\\u00fc", "ü").encode("latin-1"), 400, "not valid UTF-8: byte"),
    "a list": (JSON, "[]", 422, 'must be an object {"rows": [...]}, got a list'),
    "a number": (JSON, "7", 422, "got 7"),
    "no rows": (JSON, "{}", 422, "got an object without rows"),
    "rows that are no list": (JSON, '{"rows": {}}', 422, "rows must be a list of objects, got an object"),
    "an empty list": (JSON, '{"rows": []}', 422, "at least one row"),
    "a row that is a list": (JSON, '{"rows": [[1, 2]]}', 422, "rows[0] must be an object"),
    "a row that is null": (JSON, json.dumps({"rows": [GOOD, None]}), 422, "rows[1] must be an object"),
    "a column missing": (JSON, json.dumps({"rows": [GOOD, {"age": 1, "Colour": "red"}]}), 422, "rows[1] is missing"),
    "a text for a number": (JSON, row(age="old"), 422, "rows[1], column 'age', must be a number or null, got \"old\""),
    "a number as text": (JSON, row(age="40"), 422, "rows[1], column 'age', must be a number"),
    "a boolean for a number": (JSON, row(age=True), 422, "got true"),
    "a list for a category": (JSON, row(colour=["red"]), 422, "rows[1], column 'colour', must be a string"),
    "a number for a date": (JSON, row(joined=2020), 422, "rows[1], column 'joined', must be a date"),
    "a date that is none": (JSON, row(joined="2020-02-30"), 422, "'2020-02-30' is not a date"),
    "too large for a float": (JSON, row(age=1).replace('"age": 1', '"age": 1e999'), 422, "not a finite number"),
    "an integer too large": (JSON, row(age=10**400), 422, "not a finite number"),
    "too many rows": (JSON, json.dumps({"rows": [GOOD] * 21}), 422, "at most 20 rows, got 21"),
    "millions of lists": (JSON, '{"rows": [' + "[]," * 1_000_000 + "[]]}", 413, "too many objects and lists"),
    "empty CSV": (CSV, "", 422, "column names in the first line"),
    "header only": (CSV, HEADER, 422, "at least one row"),
    "columns missing in CSV": (CSV, "age\tmember\n1\tyes", 422, "lacks 2 columns that the model needs"),
    "UTF-16 without rows": (CSV, HEADER.encode("utf-16"), 422, "at least one row"),
    "NUL in CSV": (CSV, HEADER + "1,yes,r\0d,2020-05-05", 422, "it has NUL bytes"),
    "duplicate columns": (CSV, "age,age\n1,2", 422, "more than one column called 'age'"),
    "a quote that is open": (CSV, HEADER + '1,yes,"red,2020-05-05', 422, "quotation mark in line 2 is never closed"),
    "a long line": (CSV, HEADER + LINE + LINE[:-1] + ",7", 422, "Row 2 cannot be predicted: it has more values"),
    "text in CSV": (CSV, HEADER + LINE + "old,no,red,2020-05-05", 422, "Row 2 cannot be predicted: age: 'old'"),
    "too many lines": (CSV, HEADER + LINE * 21, 422, "at most 20 rows, got 21"),
    "10,000 columns": (CSV, WIDE + "\n" + "1," * 9_999 + "1", 413, "at most 2,000 columns"),
    "10,000 columns after a line end": (CSV, '"a\n",' + WIDE + "\n1", 413, "at most 2,000 columns"),
}  # fmt: skip


@pytest.fixture(scope="module")
def client(table_model):
    """A server with low limits on rows."""
    with running(application(table_model[0], limits=Limits(n_rows=20, n_explained=20))) as client:
        yield client


@pytest.mark.parametrize("path", ["/predict", "/explain"])
@pytest.mark.parametrize("name", BODIES)
def test_invalid_bodies_are_rejected_with_one_line(client, name, path):
    """The line gives the problem and its location; the next request succeeds."""
    kind, body, expected, words = BODIES[name]
    status, answer = client.post(path, body, kind)
    assert (status, list(answer)) == (expected, ["error"])
    assert words in answer["error"]
    assert "\n" not in answer["error"]
    assert "Traceback" not in answer["error"]
    assert client.post("/predict", {"rows": [GOOD]})[0] == 200


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (HEADER + LINE, None),
        ((HEADER + LINE).replace(",", ";"), None),
        ((HEADER + LINE).replace(",", "\t"), None),
        ((HEADER + LINE).encode("utf-16"), None),
        (HEADER + LINE.replace("red", "x" * 200_000), "not seen in training"),
        ((HEADER + LINE.replace("red", "grün")).encode("latin-1"), "Windows-1252"),
        (HEADER + "1,yes\n", None),
    ],
    ids=["commas", "semicolons", "tabs", "UTF-16", "a huge cell", "Windows-1252", "a short line"],
)
def test_csv_is_read_as_the_command_reads_it(client, table_model, tmp_path, body, note):
    """Delimiter and encoding are detected; the predictions are those of `cogmap predict`."""
    body = body.encode() if isinstance(body, str) else body
    (tmp_path / "rows.csv").write_bytes(body)
    scan = Scan(TableModel.of(table_model[0]), str(tmp_path / "rows.csv"))
    (part,) = scan.parts()
    status, answer = client.post("/predict", body, CSV)
    assert status == 200, answer
    (row,) = answer["predictions"]
    assert list(row["probabilities"].values()) == part.predictions.outputs[0].tolist()
    assert not note or any(note in text for text in answer["notes"]), answer["notes"]


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({}, "got none"),
        ({"content_type": "text/plain"}, "got 'text/plain'"),
        ({"content_type": "application/x-www-form-urlencoded"}, "must be application/json or text/csv"),
        ({"content_type": "application/json; charset=latin-1"}, "must be UTF-8 text, got the charset 'latin-1'"),
        ({"content_type": "application/json", "content_encoding": "gzip"}, "must not be compressed"),
    ],
)
def test_other_media_types_are_rejected(client, headers, words):
    """The Content-Type header must be JSON or CSV in UTF-8."""
    status, _, text = client.send("POST", "/predict", json.dumps({"rows": [GOOD]}).encode(), **headers)
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
def test_unknown_paths_and_methods_are_rejected(client, method, path, status):
    """These responses are JSON with one line, too."""
    got, headers, text = client.send(method, path)
    assert got == status
    assert headers["content-type"] == JSON
    assert list(json.loads(text)) == ["error"]
    assert status != 405 or headers["allow"]


HEALTH = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
POST = b"POST /predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
CHUNK = b"5\r\n12345\r\n0\r\n\r\n"


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"\x00" * 100, 400),
        (HEALTH + b"Content-Length: x\r\n\r\n", 400),
        (HEALTH + b"Content-Length: -1\r\n\r\n", 400),
        (POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNK, 400),
        (POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + CHUNK, 400),
        (POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n123456", 400),
        (POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (HEALTH + b"X-Filler: " + b"x" * 70_000 + b"\r\n\r\n", 431),
        (HEALTH + b"X-Filler: 12345678\r\n" * 4_000 + b"\r\n", 431),
        (b"GET /health?" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 431),
        (HEALTH + b"X-Filler: " + b"x" * 60_000 + b"\r\nConnection: close\r\n\r\n", 200),
    ],
)
def test_heads_that_are_invalid_ambiguous_or_too_large_are_rejected(client, request_bytes, status):
    """The response is JSON, and the connection is closed."""
    with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
        connection.sendall(request_bytes)
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"connection: close" in head.lower()
    assert json.loads(body)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([(b"content-length", b"x")], 400),
        ([(b"content-length", b"9" * 30)], 400),
        ([(b"content-length", b"1"), (b"transfer-encoding", b"chunked")], 400),
        ([(b"filler", b"x" * 70_000)], 431),
    ],
)
def test_heads_are_also_checked_behind_another_server(table_model, headers, status):
    """The application does not rely on the checks of its server."""
    sent = []

    async def receive():
        return {"type": "http.request"}

    async def send(message):
        sent.append(message)

    head = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json"), *headers]
    scope = {"type": "http", "method": "POST", "path": "/predict", "headers": head}
    with ThreadPoolExecutor(1) as pool:  # the browser of other tests may have an event loop in this thread
        pool.submit(lambda: asyncio.run(application(table_model[0])(scope, receive, send))).result()
    assert sent[0]["status"] == status


def test_endless_headers_are_rejected(client):
    """Megabytes of headers are not buffered: the connection is closed."""

    def send_endless_headers():
        with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
            connection.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            for _ in range(2000):
                connection.sendall(b"X-Filler: " + b"x" * 5000 + b"\r\n")

    with pytest.raises((ConnectionResetError, BrokenPipeError)):
        send_endless_headers()


WHAT_IF = {"rows": [GOOD], "to": None, "fixed": []}


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"to": "purple"}, "to must be one of the classes"),
        ({"to": ["yes"]}, "to must be one of the classes"),
        ({"fixed": "age"}, "fixed must be a list of column names"),
        ({"fixed": ["age", "weight"]}, "fixed must be a list of column names, got"),
        ({"fixed": [1]}, "fixed must be a list of column names, got 1 in it"),
        ({"rows": [GOOD] * 21}, "at most 20 rows"),
    ],
)
def test_invalid_what_if_requests_are_rejected(client, part, message):
    """The line names the field of the body."""
    status, answer = client.post("/what-if", WHAT_IF | part)
    assert status == 422
    assert message in answer["error"]


def test_what_if_takes_json_only(client):
    """CSV has no place for the goal."""
    status, answer = client.post("/what-if", (HEADER + LINE).encode(), "text/csv")
    assert status == 415
    assert "application/json" in answer["error"]


def test_internal_errors_are_not_shown_to_clients(table_model, monkeypatch, capfd):
    """The response is a 500 with one line; the log names the place of the bug, but no values of rows."""
    from cogmap.serving.answers import ServedModel

    def broken(self, table):
        raise RuntimeError("secret")

    app = application(table_model[0])
    monkeypatch.setattr(ServedModel, "_predictions", broken)
    with running(app) as client:
        status, answer = client.post("/predict", {"rows": [GOOD]})
    assert status == 500
    assert list(answer) == ["error"]
    app.log.flush()
    line = capfd.readouterr().err
    assert "secret" not in answer["error"] + line
    assert "A bug in cogmap: RuntimeError at " in line
    assert "test_bad_requests.py" in line
