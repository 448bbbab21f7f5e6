"""What an operator needs: identity of models, reload, several models, workers, logs, tokens in files, limits."""

import contextlib
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import cogmap
from cogmap.serving import Limits, application
from cogmap.serving.access import Access
from cogmap.serving.asgi import Application
from cogmap.serving.log import Log
from cogmap.serving.models import Models, Options
from cogmap.table import fit_table

from .conftest import Client, people, running

GOOD = {"rows": [{"age": 40, "member": "yes", "colour": "red", "joined": "2020-05-05"}]}
TOKEN, OTHER = "a-token-that-is-long-enough", "another-token-of-16-or-more"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files of two models that give different predictions, with their predictions for the row in `GOOD`."""
    folder = tmp_path_factory.mktemp("models")
    result = {}
    for name, seed in (("one", 0), ("two", 1)):
        X, y = people(60, seed)
        model = fit_table(X.drop(columns="id").assign(target=y), "target")
        model.save(folder / f"{name}.cogmap")
        result[name] = folder / f"{name}.cogmap", model.predict_proba(GOOD["rows"])[0].tolist()
    assert result["one"][1] != result["two"][1]
    return result


def copied(files, folder, name="one"):
    """Copy a model file to a folder, so that a test can replace it."""
    path = folder / "served.cogmap"
    shutil.copy(files[name][0], path)
    return path


def replace(path, source):
    """Replace a file atomically."""
    part = path.with_suffix(".part")
    shutil.copy(source, part)
    os.replace(part, path)


@contextlib.contextmanager
def serving(*arguments, code=0):
    """Run ``cogmap serve`` on a free port; yield the process, a client and a function that returns its log."""
    process = subprocess.Popen(
        [sys.executable, "-m", "cogmap", "serve", *map(str, arguments), "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(iter(process.stderr.readline, "")))
    try:
        line = process.stdout.readline()
        reader.start()
        port = int(re.search(r"http://[\d.]+:(\d+)", line)[1])
        yield process, Client(port), lambda: list(lines)
        process.terminate()
        assert process.wait(20) == code
    finally:
        process.kill()
        process.wait()
        reader.join()
        process.stdout.close()
        process.stderr.close()


def until(condition, seconds=20.0):
    """Wait until a condition is true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "this did not happen in time"
        time.sleep(0.05)


def probabilities(client, path="/predict"):
    """Ask for a prediction; return its probabilities and the hash in the header of the response."""
    status, headers, text = client.send("POST", path, json.dumps(GOOD), content_type="application/json")
    assert status == 200, text
    values = list(json.loads(text)["predictions"][0]["probabilities"].values())
    return values, re.search(r"hash=(\w+)", headers["x-cogmap-model"])[1]


def test_every_response_names_the_model(files):
    """File, hash, time, rows, score and version; without the token only hash and version."""
    path = files["one"][0]
    digest = subprocess.run(["sha256sum", path], capture_output=True, text=True, check=True).stdout.split()[0]
    access = Access(TOKEN)
    models = Models.from_files([str(path)], Options(needs_token=True))
    authorized = {"authorization": f"Bearer {TOKEN}"}
    with running(Application(models, access=access)) as client:
        for request in (("GET", "/health"), ("GET", "/metrics"), ("GET", "/nothing"), ("POST", "/predict")):
            _, headers, _ = client.send(*request, **authorized)
            full = headers["x-cogmap-model"]
            assert full.startswith(f"file=one.cogmap; hash={digest}; saved=20")
            assert f"rows=60; score=accuracy 0.{re.search(r'accuracy 0.([0-9]+)', full)[1]}" in full
            assert full.endswith(f"version={cogmap.__version__}")
            _, headers, _ = client.send(*request)
            assert headers["x-cogmap-model"] == f"hash={digest}; version={cogmap.__version__}"
        anonymous = json.loads(client.send("GET", "/health")[2])
        assert anonymous["models"] == {"one": {"hash": digest, "version": cogmap.__version__}}
        known = json.loads(client.send("GET", "/health", **authorized)[2])["models"]["one"]
        assert (known["file"], known["rows"]) == ("one.cogmap", 60)
        metrics = client.send("GET", "/metrics", **authorized)[2]
        assert f'cogmap_model_info{{model="one",kind="classifier",file="one.cogmap",hash="{digest}"' in metrics


def test_names_of_files_cannot_break_headers_or_metrics(files, tmp_path):
    """Any file name is escaped."""
    path = tmp_path / 'a"b\\ü; x=1.cogmap'
    shutil.copy(files["one"][0], path)
    with running(Application(Models.from_files([str(path)], Options()))) as client:
        _, headers, text = client.send("GET", "/metrics")
    assert headers["x-cogmap-model"].startswith("file=a%22b%5C%C3%BC%3B x%3D1.cogmap; hash=")
    assert r'model="a\"b\\ü; x=1"' in text


def test_ready_is_separate_from_health(table_model):
    """A server that is about to stop is alive but not ready."""
    app = application(table_model[0])
    with running(app) as client:
        assert client.send("GET", "/ready")[0] == 200
        app.is_stopping = True
        assert client.send("GET", "/health")[0] == 200
        status, _, text = client.send("GET", "/ready")
    assert (status, json.loads(text)["status"]) == (503, "stopping")


def test_several_models(files):
    """Each has its paths; the first one is the default."""
    models = Models.from_files([str(path) for path, _ in files.values()], Options())
    with running(Application(models)) as client:
        for name, (_, expected) in files.items():
            values, digest = probabilities(client, f"/models/{name}/predict")
            assert values == pytest.approx(expected, abs=1e-12)
            for path in ("docs", "", "openapi.json", "health"):
                status, headers, _ = client.send("GET", f"/models/{name}/{path}")
                assert (status, digest in headers["x-cogmap-model"]) == (200, True)
        assert probabilities(client)[0] == pytest.approx(files["one"][1], abs=1e-12)
        listing = json.loads(client.send("GET", "/models")[2])
        assert (listing["default"], list(listing["models"])) == ("one", ["one", "two"])
        for path in ("/models/three/predict", "/models/one", "/models/"):
            assert client.send("POST", path)[0] == 404


def test_metrics_of_drift(files, models):
    """Classes, gaps, unseen categories and values outside the range are counted; a reload continues the counters."""
    path = str(files["one"][0])
    served = Models.from_files([path], Options())
    rows = [
        {"age": None, "member": "yes", "colour": "pink", "joined": "2020-05-05"},
        {"age": 200, "member": None, "colour": "red", "joined": "1999-05-05"},
        {"age": 40, "member": "no", "colour": None, "joined": "2020-05-05"},
    ]
    with running(Application(served)) as client:
        for _ in range(2):
            _, answer = client.post("/predict", {"rows": rows})
            client.post("/explain", {"rows": rows[:1]})
            text = client.send("GET", "/metrics")[2]
            served.entries["one"] = type(served.default)(
                "one", served.default.served.model, served.default.identity, Options(), served.default
            )
    labels = [row["prediction"] for row in answer["predictions"]] * 2
    labels += labels[:1] * 2
    counted = dict(re.findall(r'^cogmap_predictions_total{model="one",class="(\w+)"} (\d+)$', text, re.MULTILINE))
    assert {name: int(number) for name, number in counted.items()} == {name: labels.count(name) for name in set(labels)}
    for line in (
        'cogmap_observed_rows_total{model="one"} 8',
        'cogmap_missing_values_total{model="one",column="age"} 4',
        'cogmap_missing_values_total{model="one",column="member"} 2',
        'cogmap_missing_values_total{model="one",column="colour"} 2',
        'cogmap_unseen_values_total{model="one",column="colour"} 4',
        'cogmap_outside_values_total{model="one",column="age"} 2',
        'cogmap_outside_values_total{model="one",column="joined"} 2',
        'cogmap_prediction_count{model="one",output="highest probability"} 8',
        'cogmap_prediction_bucket{model="one",output="highest probability",le="+Inf"} 8',
    ):
        assert line in text.splitlines()
    assert "pink" not in text


def test_metrics_of_predicted_values(models):
    """Histograms around the mean of the training targets."""
    model, X = models["values"]
    with running(application(model)) as client:
        client.post("/predict", {"rows": X.to_dict("records")})
        text = client.send("GET", "/metrics")[2]
    for target in ("now", "later"):
        values = [int(n) for n in re.findall(rf'cogmap_prediction_bucket{{.*output="{target}",le.*}} (\d+)', text)]
        assert values == sorted(values)
        assert values[-1] == len(X)
        assert 0.2 * len(X) < values[5] < 0.8 * len(X)


def test_two_models_of_one_name_are_rejected(files):
    """The message names both files."""
    path = str(files["one"][0])
    with pytest.raises(cogmap.exceptions.DataError, match=r"Two models have the name 'one': .*Rename a file"):
        Models.from_files([path, path], Options())


def test_root_path(files):
    """Requests may contain the path of the proxy or not; the API description contains it."""
    models = Models.from_files([str(files["one"][0])], Options(root_path="/maps"))
    with running(Application(models, root_path="/maps")) as client:
        assert probabilities(client, "/maps/predict") == probabilities(client, "/predict")
        assert probabilities(client, "/maps/models/one/predict") == probabilities(client)
        document = json.loads(client.send("GET", "/maps/openapi.json")[2])
        assert client.send("GET", "/maps")[0] == 404
    assert document["servers"] == [{"url": "/maps"}]


def test_requests_finish_on_the_model_with_which_they_began(files, tmp_path):
    """A request whose body arrives slowly gets the old model; the next request gets the new one."""
    path = copied(files, tmp_path)
    models = Models.from_files([str(path)], Options())
    body = json.dumps(GOOD).encode()
    with running(Application(models)) as client:
        with socket.create_connection(("127.0.0.1", client.port), timeout=10) as connection:
            head = "POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
            connection.sendall(f"{head}{len(body)}\r\n\r\n".encode() + body[:10])
            time.sleep(0.2)
            replace(path, files["two"][0])
            (result,) = models.reload()
            assert result.result == "loaded"
            connection.sendall(body[10:])
            response = http.client.HTTPResponse(connection)
            response.begin()
            old = json.loads(response.read())["predictions"][0]["probabilities"]
        assert list(old.values()) == pytest.approx(files["one"][1], abs=1e-12)
        assert probabilities(client)[0] == pytest.approx(files["two"][1], abs=1e-12)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no zip", None, "half"])
def test_broken_file_leaves_the_old_model(files, tmp_path, content):
    """The result says why, and a good file is loaded afterwards."""
    path = copied(files, tmp_path)
    models = Models.from_files([str(path)], Options())
    old = models.default
    if content is None:
        path.unlink()
    else:
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2] if content == "half" else content)
    assert models.changed() == ["served"]
    (result,) = models.reload()
    assert (result.result, models.default) == ("failed", old)
    assert result.reason.endswith("The old model is still served.")
    assert "served.cogmap" in result.reason
    assert models.changed() == []
    replace(path, files["two"][0])
    assert models.changed() == ["served"]
    assert models.reload()[0].result == "loaded"
    assert models.reload()[0].result == "unchanged"


def test_command_with_workers_reloads_all_and_adds_up_metrics(files, tmp_path):
    """SIGHUP and a replaced file reach all workers; a worker that is killed is replaced."""
    path = copied(files, tmp_path)
    with serving(path, files["two"][0], "--workers", 2, "--watch", "--log", "json") as (process, client, log):

        def metric(name):
            text = client.send("GET", "/metrics")[2]
            return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name))

        n_asked = 30
        for _ in range(n_asked):
            assert probabilities(client)[0] == pytest.approx(files["one"][1], abs=1e-12)
        assert metric("cogmap_workers") == 2
        assert metric('cogmap_rows_total{model="served"') == n_asked
        replace(path, files["two"][0])
        until(lambda: metric('cogmap_reloads_total{model="served",result="loaded"}') == 2)
        for _ in range(n_asked):
            assert probabilities(client)[0] == pytest.approx(files["two"][1], abs=1e-12)
        path.write_bytes(b"broken")
        until(lambda: metric('cogmap_reloads_total{model="served",result="failed"}') == 2)
        process.send_signal(signal.SIGHUP)
        until(lambda: metric('cogmap_reloads_total{model="two",result="unchanged"}') == 2)
        assert probabilities(client)[0] == pytest.approx(files["two"][1], abs=1e-12)
        replace(path, files["one"][0])
        until(lambda: metric('cogmap_reloads_total{model="served",result="loaded"}') == 4)
        children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
        worker = next(child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes())
        os.kill(int(worker), signal.SIGKILL)
        until(lambda: any('"event":"worker"' in line for line in log()))
        until(lambda: metric("cogmap_workers") == 2)
        assert probabilities(client)[0] == pytest.approx(files["one"][1], abs=1e-12)
    events = [json.loads(line) for line in log() if '"event":"reload"' in line]
    assert any("is still served" in event.get("error", "") for event in events)


def test_hangup_right_after_the_start_is_not_lost(files, tmp_path):
    """The server would otherwise end, or serve the old model."""
    path = copied(files, tmp_path)
    with serving(path, "--log", "json") as (process, client, log):
        replace(path, files["two"][0])
        process.send_signal(signal.SIGHUP)
        until(lambda: any('"result":"loaded"' in line for line in log()))
        assert probabilities(client)[0] == pytest.approx(files["two"][1], abs=1e-12)


def test_workers_stop_if_their_parent_is_killed(files):
    """No process is left behind."""
    with serving(files["one"][0], "--workers", 2, code=-signal.SIGKILL) as (process, client, _):
        assert client.send("GET", "/health")[0] == 200
        process.kill()
        process.wait()

        def is_gone():
            try:
                client.send("GET", "/health")
            except OSError:
                return True
            return False

        until(is_gone)


@pytest.fixture(scope="module")
def logged(table_model):
    """Client of a server that logs JSON to a pipe, and a function that returns the lines."""
    receiver, sender = os.pipe()
    log = Log("json", sender)
    models = Models.from_object(table_model[0], "people", Options(Limits(n_rows=20)))
    app = Application(models, limits=Limits(n_rows=20), log=log)

    def lines(n_lines):  # a line is written after its response
        with os.fdopen(os.dup(receiver), "rb", buffering=0) as file:
            return [json.loads(file.readline()) for _ in range(n_lines)]

    with running(app) as client:
        yield client, lines
    os.close(receiver)
    os.close(sender)


def test_one_line_per_request(logged):
    """With id, path, status, rows, milliseconds and bytes; the id of the client is kept and returned."""
    client, lines = logged
    body = json.dumps({"rows": GOOD["rows"] * 3})
    _, headers, text = client.send("POST", "/predict", body, content_type="application/json", x_request_id="abc-1.2/3")
    client.send("GET", "/health?secret=1", x_request_id="no spaces\x7f allowed")
    first, second = lines(2)
    assert headers["x-request-id"] == first["id"] == "abc-1.2/3"
    assert (first["method"], first["path"], first["status"], first["rows"]) == ("POST", "/predict", 200, 3)
    assert (first["bytes_in"], first["bytes_out"]) == (len(body), len(text))
    assert 0 <= first["waiting_ms"] + first["computing_ms"] <= first["ms"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first["time"])
    assert second["path"] == "/health"
    assert re.fullmatch(r"[0-9a-f]{8}-\d+", second["id"])


SECRET = "zanzibar"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", {"rows": [GOOD["rows"][0] | {"age": SECRET}]}),
        ("application/json", {"rows": [GOOD["rows"][0] | {"colour": [SECRET]}]}),
        ("application/json", {"rows": [GOOD["rows"][0] | {"joined": SECRET}]}),
        ("application/json", {"rows": [{SECRET: 1}]}),
        ("application/json", {"rows": [SECRET]}),
        ("application/json", {"rows": SECRET}),
        ("application/json", SECRET),
        ("application/json", f'{{"rows": [{{"age": {SECRET}'),
        ("application/json", {"rows": [GOOD["rows"][0] | {"colour": SECRET}], SECRET: SECRET}),
        ("text/csv", f"age,member,colour,joined\n{SECRET},yes,red,2020-05-05\n"),
        ("text/csv", f"age,member,colour,joined\n1,yes,red,2020-05-05,{SECRET}\n"),
        ("text/csv", f"{SECRET},1,2\n1,2,3\n"),
        ("text/csv", f'age,member,colour,joined\n1,yes,"{SECRET},2020-05-05\n'),
        ("text/csv", f"{SECRET},{SECRET}\n1,2\n"),
        ("text/csv", f"{SECRET}\0\n1\n"),
    ],
)
@pytest.mark.parametrize("path", ["/predict", "/explain", "/what-if"])
def test_log_has_reasons_but_no_values(logged, path, kind, body):
    """The client sees the value that is wrong; the log has the place only."""
    client, lines = logged
    status, answer = client.post(path, body, kind)
    (line,) = lines(1)
    assert line["status"] == status
    assert SECRET not in json.dumps(line)
    assert ("error" in line) == ("error" in answer)


def test_text_log_is_one_line_of_pairs(table_model, capfd):
    """Texts with spaces and control characters are quoted."""
    log = Log("text")
    with running(Application(Models.from_object(table_model[0], "people", Options()), log=log)) as client:
        client.send("GET", "/a%0Ab%20c")
        time.sleep(0.1)
    log.flush()
    (line,) = capfd.readouterr().err.splitlines()
    assert re.fullmatch(
        r'\S+Z id=\S+ method=GET path="/a\\nb c" status=404 ms=\S+ bytes_in=0 bytes_out=\d+ '
        r'error="There is no such path; /docs lists all paths\."',
        line,
    )


def test_log_that_nobody_reads_does_not_block(monkeypatch):
    """Lines beyond the limit are dropped, and their number is logged later."""
    monkeypatch.setattr("cogmap.serving.log._MAX_LINES", 100)
    receiver, sender = os.pipe()
    log = Log("json", sender)
    for number in range(5_000):
        log.write(event="test", number=number, text="x" * 200)
    os.set_blocking(receiver, False)
    received = b""
    end = time.monotonic() + 10
    while b"lines were dropped" not in received and time.monotonic() < end:
        received += _read(receiver)
        log.write(event="test")
    log.flush()
    assert b"lines were dropped" in received
    os.close(receiver)


def _read(file):
    time.sleep(0.01)
    try:
        return os.read(file, 2**16)
    except BlockingIOError:
        return b""


def test_tokens_of_a_file_can_be_rotated(table_model, tmp_path, monkeypatch):
    """All lines are accepted; a changed file is read again; an invalid one is not used."""
    monkeypatch.setattr("cogmap.serving.access._SECONDS_BETWEEN_CHECKS", 0.0)
    file = tmp_path / "tokens"
    file.write_text(f"{TOKEN}\n")
    models = Models.from_object(table_model[0], "people", Options(needs_token=True))

    def accepted(client):
        send = [client.send("GET", "/models", authorization=f"Bearer {token}")[0] for token in (TOKEN, OTHER)]
        return [status == 200 for status in send]

    with running(Application(models, access=Access(file=file))) as client:
        assert accepted(client) == [True, False]
        assert client.send("GET", "/models", authorization="Bearer ")[0] == 401
        file.write_text(f"{TOKEN}\n\n{OTHER}\n")
        assert accepted(client) == [True, True]
        file.write_text(f"{OTHER}\n")
        assert accepted(client) == [False, True]
        for content in ("", "short\n", "ü" * 20):
            file.write_text(content)
            assert accepted(client) == [False, True]
        file.unlink()
        assert accepted(client) == [False, True]


@pytest.mark.parametrize("content", ["", "\n \n", "short\n", f"{TOKEN}\nwith a space in it\n"])
def test_invalid_token_files_are_rejected(tmp_path, content):
    """The message names the file."""
    file = tmp_path / "tokens"
    file.write_text(content)
    with pytest.raises(cogmap.exceptions.ParameterError, match=r"oken file .*tokens must"):
        Access(file=file)


def test_idle_connections_do_not_silence_the_server(files):
    """1,100 idle connections at `ulimit -n 1024`: a client is answered, and the log stays short."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    command = [sys.executable, "-m", "cogmap", "serve", str(files["one"][0]), "--port", "0"]
    process = subprocess.Popen(
        ["bash", "-c", 'ulimit -n 1024; exec "$@"', "bash", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    idle = []
    try:
        client = Client(int(re.search(rb":(\d+)", process.stdout.readline())[1]))
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, 2_000), hard), hard))
        for number in range(1_100):
            idle.append(socket.create_connection(("127.0.0.1", client.port), timeout=10))
            if number % 2:
                idle[-1].sendall(b"GET /health HTTP/1.1\r\nHos")  # half a head is as idle as nothing
        for _ in range(5):
            assert client.post("/predict", GOOD)[0] == 200
        metrics = client.send("GET", "/metrics")[2]
        assert int(re.search(r'closed_total{kind="idle"} (\d+)', metrics)[1]) >= 1_100 - 1_000
        assert int(re.search(r"cogmap_connections (\d+)", metrics)[1]) < 1_000
        process.terminate()
        _, log = process.communicate(timeout=20)
        assert len(log) < 10_000
        assert b"Traceback" not in log
    finally:
        process.kill()
        process.communicate()
        for connection in idle:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
