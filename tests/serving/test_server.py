"""The server as such: limits, slow clients, tokens, metrics, and how it stops."""

import base64
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from click.testing import CliRunner

import cogmap
from cogmap.cli.group import cli
from cogmap.serving import Limits, application
from cogmap.serving.metrics import Metrics
from cogmap.serving.server import TimeoutProtocol

from .conftest import Client, running

GOOD = {"rows": [{"age": 40, "member": "yes", "colour": "red", "joined": "2020-05-05"}]}
TOKEN = "a-token-that-is-long-enough"


def head(path, **headers):
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"]
    return "\r\n".join(
        [*lines, *(f"{name.replace('_', '-')}: {text}" for name, text in headers.items()), "", ""]
    ).encode()


def answer_on(connection):
    """Return status and body of the answer that comes on a socket, and whether the connection was closed after it."""
    response = http.client.HTTPResponse(connection)
    response.begin()
    return response.status, json.loads(response.read()), response.will_close


def is_closed_at(connection, part):
    """Whether the other end closes the connection while a part is sent again and again, for some seconds."""
    try:
        for _ in range(100):
            time.sleep(0.05)
            connection.sendall(part)
    except (ConnectionResetError, BrokenPipeError):
        return True
    return False


def memory(client):
    """Return the bytes that the process of the server has, as it says."""
    text = client.ask("GET", "/metrics")[2]
    return int(re.search(r"^process_resident_memory_bytes (\d+)$", text, re.MULTILINE)[1])


def test_a_body_of_100_megabytes_is_refused_before_it_is_sent(client):
    """Its length is enough to know."""
    with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
        connection.sendall(head("/predict", Content_Length=100_000_000))
        status, answer, _ = answer_on(connection)
    assert status == 413
    assert "at most 10,000,000 bytes" in answer["error"]


def test_a_body_of_100_megabytes_that_comes_anyway_is_not_kept(client):
    """The client can send all of it and then read why it was in vain; then it may ask again."""
    before = memory(client)
    megabyte = b" " * 1_000_000
    with socket.create_connection(("127.0.0.1", client.port), timeout=30) as connection:
        connection.sendall(head("/predict", Transfer_Encoding="chunked"))
        for _ in range(100):
            connection.sendall(b"f4240\r\n" + megabyte + b"\r\n")
        connection.sendall(b"0\r\n\r\n")
        assert answer_on(connection)[0] == 413
        body = json.dumps(GOOD).encode()
        connection.sendall(head("/predict", Content_Length=len(body)) + body)
        assert answer_on(connection)[0] == 200
    assert memory(client) - before < 40_000_000


@pytest.mark.parametrize("path", ["/predict", "/health", "/nothing"])
def test_who_closes_the_connection_after_one_request_reads_why_it_was_refused(client, path):
    """The server takes what still comes before it closes, since the answer would be lost otherwise."""
    for kind in ("application/json", "text/plain"):
        status, _, text = client.ask("POST", path, b" " * 20_000_000, content_type=kind, connection="close")
        assert status in (404, 405, 413, 415)
        assert list(json.loads(text)) == ["error"]


@pytest.mark.parametrize(("path", "length", "status"), [("/predict", 100_000_000, 413), ("/nothing", 10, 404)])
def test_who_waits_for_leave_to_send_is_told_and_closed(client, path, length, status):
    """A client that expects 100 Continue gets the refusal instead, and sends nothing."""
    with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
        connection.sendall(head(path, Content_Length=length, Expect="100-continue"))
        told, _, closed = answer_on(connection)
    assert (told, closed) == (status, True)


def test_who_waits_for_leave_to_send_gets_it(client):
    """What is not too large is asked for, and answered."""
    body = json.dumps(GOOD).encode()
    with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
        connection.sendall(head("/predict", Content_Length=len(body), Expect="100-continue"))
        assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
        connection.sendall(body)
        assert answer_on(connection)[0] == 200


def test_bodies_together_have_a_limit(table_model, monkeypatch):
    """When many large bodies arrive at once, the last ones are asked to come again."""
    monkeypatch.setattr("cogmap.serving.bodies._HELD_AT_MOST", 1_500_000)
    with running(application(table_model[0])) as client, contextlib.ExitStack() as stack:
        connections = [stack.enter_context(socket.create_connection(("127.0.0.1", client.port), 10)) for _ in range(2)]
        for connection in connections:
            connection.sendall(head("/predict", Content_Length=2_000_000) + b" " * 1_000_000)
        statuses = set()
        for connection in connections:
            connection.settimeout(1)
            with contextlib.suppress(TimeoutError):
                statuses.add(answer_on(connection)[0])
        assert statuses == {503}
        connections[0].close()
        connections[1].close()
        time.sleep(0.1)
        assert client.post("/predict", GOOD)[0] == 200  # what was held is forgotten


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", None),
        (b"POST /predict HT", None),
        (head("/predict")[:-2], None),
        (head("/predict", Content_Length=100) + b'{"rows": [', 408),
        (head("/predict", Transfer_Encoding="chunked") + b"5\r\n{", 408),
    ],
    ids=["nothing", "half a line", "half a head", "half a body", "half a chunk"],
)
def test_slow_clients_are_not_waited_for_without_end(table_model, monkeypatch, sent, status):
    """Who has not sent a whole request in time is told so, if it has begun with the body; others are answered."""
    monkeypatch.setattr(TimeoutProtocol, "patience", 0.5)
    with running(application(table_model[0])) as client:
        with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
            connection.sendall(sent)
            assert client.post("/predict", GOOD)[0] == 200
            if status is None:
                with contextlib.suppress(ConnectionResetError):
                    assert connection.recv(100) == b""
            else:
                assert answer_on(connection)[0] == status
        assert client.post("/predict", GOOD)[0] == 200


def test_a_client_that_drips_is_not_waited_for(table_model, monkeypatch):
    """A byte now and then does not prolong the time in which a request has to arrive."""
    monkeypatch.setattr(TimeoutProtocol, "patience", 0.5)
    with running(application(table_model[0])) as client:
        connection = socket.create_connection(("127.0.0.1", client.port), timeout=10)
        with connection:
            connection.sendall(head("/predict", Content_Length=1000))
            assert is_closed_at(connection, b" ")


def test_a_client_that_does_not_read_is_not_waited_for(table_model, monkeypatch):
    """Answers that nobody takes do not stay in memory."""
    monkeypatch.setattr(TimeoutProtocol, "patience", 0.5)
    request = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with running(application(table_model[0])) as client:
        with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(request * 200)  # for more than the system keeps
            assert is_closed_at(connection, request)
        assert client.post("/predict", GOOD)[0] == 200


def test_large_requests_do_not_hold_up_small_ones(table_model):
    """While thousands of rows are explained, a single one is predicted."""
    limits = Limits(n_explained=10_000)
    with running(application(table_model[0], limits=limits)) as client:
        done = threading.Event()

        def explain_many():
            client.post("/explain", {"rows": GOOD["rows"] * 3000})
            done.set()

        thread = threading.Thread(target=explain_many)
        thread.start()
        n_answered = 0
        while not done.is_set():
            assert client.post("/predict", GOOD)[0] == 200
            n_answered += not done.is_set()
        thread.join()
    assert n_answered > 3


def test_what_is_counted(table_model):
    """Requests by path and status, rows, and seconds, as Prometheus reads them."""
    with running(application(table_model[0])) as client:
        client.post("/predict", {"rows": GOOD["rows"] * 3})
        client.post("/predict", GOOD)
        client.post("/explain", GOOD)
        client.post("/predict", "nonsense")
        client.ask("GET", "/nothing/at/all")
        _, headers, text = client.ask("GET", "/metrics")
    assert headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = text.splitlines()
    assert 'cogmap_requests_total{path="/predict",status="200"} 2' in lines
    assert 'cogmap_requests_total{path="/predict",status="400"} 1' in lines
    assert 'cogmap_requests_total{path="other",status="404"} 1' in lines
    assert 'cogmap_rows_total{path="/predict"} 4' in lines
    assert 'cogmap_rows_total{path="/explain"} 1' in lines
    assert 'cogmap_request_seconds_count{path="/predict"} 3' in lines
    names = {re.sub(r"_(bucket|sum|count)$", "", re.split(r"[{ ]", line)[0]) for line in lines if line[0] != "#"}
    assert names == {line.split()[2] for line in lines if line.startswith("# TYPE")}


def test_a_histogram_counts_what_is_at_most_its_ends():
    """Buckets are cumulative, and a time at the end of one belongs to it."""
    metrics = Metrics("1.0", "classifier")
    for seconds in (0.001, 0.0011, 100.0):
        metrics.answered("/predict", "200", seconds)
    counts = [int(line.rpartition(" ")[2]) for line in metrics.text().splitlines() if "_bucket" in line]
    assert counts == [1] + [2] * 12 + [3]


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        (f"Bearer {TOKEN}", 200),
        (f"bearer {TOKEN}", 200),
        ("Basic " + base64.b64encode(f"anyone:{TOKEN}".encode()).decode(), 200),
        (None, 401),
        ("", 401),
        ("Bearer", 401),
        (f"Bearer {TOKEN[:-1]}", 401),
        (f"Bearer {TOKEN}x", 401),
        (TOKEN, 401),
        ("Basic nonsense!", 401),
        ("Basic " + base64.b64encode(TOKEN.encode()).decode(), 401),
        ("Digest " + TOKEN, 401),
        ("Bearer \xff\xfe", 401),
    ],
)
def test_who_may_ask(guarded, authorization, status):
    """The token opens, as bearer token or as a password; all else is refused with a challenge."""
    headers = {} if authorization is None else {"authorization": authorization}
    for path in ("/openapi.json", "/docs", "/metrics", "/"):
        got, answered, _ = guarded.ask("GET", path, **headers)
        assert got == status
        assert status == 200 or "Bearer" in answered["www-authenticate"]
    assert guarded.post("/predict", GOOD, **headers)[0] == status
    assert guarded.ask("GET", "/health", **headers)[0] == 200


@pytest.fixture(scope="module")
def guarded(table_model):
    """A server that asks for a token."""
    with running(application(table_model[0], token=TOKEN)) as client:
        yield client


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("localhost:8000", 200),
        ("[::1]:8000", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example:80", 403),
        ("", 403),
    ],
)
def test_without_a_token_no_web_page_can_ask_through_a_browser(client, host, status):
    """A name that leads to 127.0.0.1 is not enough: only names of this machine for itself are."""
    assert client.ask("GET", "/health", host=host)[0] == status


@contextlib.contextmanager
def command(*arguments, **settings):
    """Run ``cogmap serve`` as a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "cogmap", "serve", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **settings},
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def model_file(table_model, tmp_path_factory):
    """The pipeline in a file."""
    path = tmp_path_factory.mktemp("served") / "people.cogmap"
    cogmap.save(table_model[0], path)
    return path


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_it_is_told_to_stop(model_file, number):
    """It says where it listens; at a signal it answers what it has begun to, and ends well."""
    # The token from the environment: what a process is called with can be seen by others.
    with command(model_file, "--port", 0, "--host", "0.0.0.0", COGMAP_TOKEN=TOKEN) as process:
        line = process.stdout.readline()
        port = int(re.search(r"people\.cogmap is served at http://0\.0\.0\.0:(\d+)", line)[1])
        client, token = Client(port), {"authorization": f"Bearer {TOKEN}"}
        assert client.post("/predict", GOOD)[0] == 401
        assert client.post("/predict", GOOD, **token)[0] == 200
        assert client.ask("GET", "/", **token)[2].lstrip().lower().startswith("<!doctype html>")
        body = json.dumps(GOOD).encode()
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(head("/predict", Content_Length=len(body), **token) + body[:-5])
            time.sleep(0.2)
            process.send_signal(number)
            time.sleep(0.3)
            connection.sendall(body[-5:])
            assert answer_on(connection)[0] == 200
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, "", "Stopped.\n")


def refused(*arguments):
    """Return what the command says when it ends with exit code 2."""
    result = CliRunner().invoke(cli, ["serve", *map(str, arguments)])
    assert (result.exit_code, result.stdout) == (2, "")
    return result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--host", "0.0.0.0"], "--token is needed"),
        (["--host", "::"], "--token is needed"),
        (["--host", "example.invalid"], "--token is needed"),
        (["--token", "short"], "16 or more letters"),
        (["--token", "long enough but with spaces"], "without spaces"),
        (["--host", "no.such.host.invalid", "--token", TOKEN], "cannot listen on no.such.host.invalid"),
        (["--port", "70000"], "70000"),
        (["--max-rows", "0"], "--max-rows"),
    ],
)
def test_what_the_command_refuses(model_file, arguments, words):
    """What it is called with is checked before it listens."""
    assert words in refused(model_file, *arguments)


def test_a_port_that_is_taken_is_told(model_file):
    """One line says which, and what to do."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        told = refused(model_file, "--port", taken.getsockname()[1])
    assert re.fullmatch(
        r"Error: The server cannot listen on 127\.0\.0\.1, port \d+: .*\. Give another --port.*\n", told
    )


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 no zip"])
def test_files_that_are_no_models_are_told(tmp_path, content):
    """A file that is missing or damaged ends the command in one line."""
    path = tmp_path / "model.cogmap"
    if content is not None:
        path.write_bytes(content)
    told = refused(path)
    assert "model.cogmap" in told
    assert len(told.splitlines()) == 1
