"""The files and recipes of docs/guide/deployment.md work: each block is taken from the guide and executed."""

import contextlib
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cogmap.table import TableModel, fit_table

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "deployment.md"
TOKEN = "a-token-that-is-long-enough"
ROW = {"age": 41, "colour": "red", "member": "yes"}


def block(language, word=""):
    """Return the only block of the guide in a language, of those with a word."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    (found,) = (text for text in blocks if word in text)
    return found


def program(name):
    """Return the path of a program, which an environment variable may give; skip if there is none."""
    found = os.environ.get(name.upper()) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextlib.contextmanager
def running(command, url, context=None, **options):
    """Run a server until it answers at an address."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
    try:
        for _ in range(200):
            assert process.poll() is None, process.stderr.read()
            with contextlib.suppress(OSError):
                urllib.request.urlopen(url, timeout=5, context=context).close()
                break
            time.sleep(0.1)
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Folder with the model and the rows of the guide, and a file of tokens."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(45, 15, 200).round(), "colour": rng.choice(["red", "green", "blue"], 200)})
    table["member"] = rng.choice(["yes", "no"], 200)
    path = tmp_path_factory.mktemp("deployed")
    high = table["age"] + 20 * (table["colour"] == "red") > 55
    fit_table(table.assign(buys=np.where(high, "yes", "no")), "buys").save(path / "people.cogmap")
    table[:5].to_csv(path / "recent.csv", index=False)
    (path / "tokens").write_text(f"{TOKEN}\n")
    return path


@pytest.fixture(scope="module")
def url(folder):
    """Address of a server that runs as the Dockerfile says."""
    file = block("dockerfile")
    arguments = [
        argument.replace("/models/people.cogmap", str(folder / "people.cogmap")).replace("/run/secrets", str(folder))
        for kind in ("ENTRYPOINT", "CMD")
        for argument in json.loads(re.search(rf"^{kind} (.*)$", file, re.MULTILINE)[1])
    ]
    port = free_port()
    arguments[arguments.index("8000")] = str(port)
    url = f"http://127.0.0.1:{port}"
    with running([sys.executable, "-m", *arguments], f"{url}/ready"):
        yield url


def environment(url):
    return {**os.environ, "URL": url, "COGMAP_TOKEN": TOKEN}


def expected(folder):
    return str(TableModel.load(folder / "people.cogmap").predict([ROW])[0])


def test_probes_of_kubernetes(url):
    """Paths of the probes answer without a token, and annotations name the port."""
    (document,) = pytest.importorskip("yaml").safe_load_all(block("yaml", "kind: Deployment"))
    template = document["spec"]["template"]
    (container,) = template["spec"]["containers"]
    assert template["metadata"]["labels"] == document["spec"]["selector"]["matchLabels"]
    assert template["metadata"]["annotations"]["prometheus.io/port"] == str(container["ports"][0]["containerPort"])
    for probe in ("livenessProbe", "readinessProbe"):
        target = container[probe]["httpGet"]
        assert target["port"] == container["ports"][0]["containerPort"]
        assert json.load(urllib.request.urlopen(url + target["path"]))["status"] == "ok"


def test_scrape_of_prometheus(url):
    """Metrics need the token, which the configuration sends, and are at the path that Prometheus asks by default."""
    (job,) = pytest.importorskip("yaml").safe_load(block("yaml", "scrape_configs"))["scrape_configs"]
    assert set(job["authorization"]) == {"credentials_file"}  # its type is Bearer by default
    assert "metrics_path" not in job
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(f"{url}/metrics")
    assert error.value.code == 401
    error.value.close()
    request = urllib.request.Request(f"{url}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request) as response:
        assert b"cogmap_model_info" in response.read()


def test_curl(folder, url):
    """With a table and with JSON; a wrong token fails."""
    program("curl")
    run = subprocess.run(["bash", "-e", "-c", block("bash")], cwd=folder, env=environment(url), capture_output=True)
    assert run.returncode == 0, run.stderr
    table, row = (json.loads(text) for text in run.stdout.decode().replace("}{", "}\n{").splitlines())
    assert len(table["predictions"]) == 5
    assert row["predictions"][0]["prediction"] == expected(folder)
    wrong = environment(url) | {"COGMAP_TOKEN": "wrong"}
    run = subprocess.run(["bash", "-e", "-c", block("bash")], cwd=folder, env=wrong, capture_output=True)
    assert run.returncode == 22
    assert b"The Authorization header must be" in run.stdout


def test_javascript(folder, url):
    """In Node.js, also the error."""
    rows = json.dumps([ROW])
    code = block("javascript") + (
        f"predict('{url}', '{TOKEN}', {rows}).then((rows) => console.log(rows[0].prediction))"
        f".then(() => predict('{url}', '{TOKEN}', [{{}}])).catch((error) => console.log(error.message));"
    )
    run = subprocess.run([program("node"), "--input-type=module", "-e", code], capture_output=True, text=True)
    label, error = run.stdout.splitlines()
    assert label == expected(folder), run.stderr
    assert error.startswith("rows[0] is missing the columns 'age', 'colour', 'member'")


@pytest.mark.filterwarnings("ignore")  # of MLflow about its own parts
def test_mlflow(folder, tmp_path, monkeypatch):
    """The logged model predicts what the file predicts."""
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri(f"file://{tmp_path}/runs")
    names = {}
    exec(block("python mlflow"), names)
    assert names["loaded"].predict(pd.DataFrame([ROW])).tolist() == [expected(folder)]


def test_unit_of_systemd(tmp_path):
    """`systemd-analyze verify` accepts the unit without a word."""
    command = shutil.which("cogmap", path=os.path.dirname(sys.executable)) or sys.executable
    path = tmp_path / "cogmap.service"
    path.write_text(block("ini").replace("/opt/cogmap/bin/cogmap", command))
    run = subprocess.run([program("systemd-analyze"), "verify", "--man=no", path], capture_output=True, text=True)
    messages = [line for line in run.stderr.splitlines() if "cogmap" in line]
    assert (run.returncode, messages) == (0, [])


def asked(url, context=None):
    """Send a row through a proxy with TLS; return the prediction and the headers."""
    body, kind = json.dumps({"rows": [ROW]}).encode(), {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, body, kind), timeout=10, context=context) as response:
        return json.load(response)["predictions"][0]["prediction"], response.headers


@pytest.fixture
def behind(folder):
    """Port of a server without a token, under the path /people."""
    port = free_port()
    command = [sys.executable, "-m", "cogmap", "serve", folder / "people.cogmap", "--root-path", "/people"]
    with running([*command, "--port", port], f"http://127.0.0.1:{port}/ready"):
        yield port


@pytest.mark.slow
def test_nginx_in_front(folder, behind, tmp_path):
    """With TLS, keep-alive connections, the request id of nginx, the page, and a body that is too large."""
    certificate, key, port = tmp_path / "models.pem", tmp_path / "models.key", free_port()
    names = ["-subj", "/CN=models.example.com", "-keyout", key, "-out", certificate]
    subprocess.run(
        [program("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *names],
        check=True, capture_output=True,
    )  # fmt: skip
    site = block("nginx").replace("127.0.0.1:8000", f"127.0.0.1:{behind}")
    site = site.replace("listen 443", f"listen 127.0.0.1:{port}")
    site = site.replace("/etc/ssl/models.pem", str(certificate)).replace("/etc/ssl/models.key", str(key))
    folders = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{name}_temp_path {tmp_path}/{name};\n" for name in folders)
    head = f"daemon off;\nuser root;\npid {tmp_path}/pid;\nerror_log {tmp_path}/errors;\nevents {{}}\n"
    (tmp_path / "nginx.conf").write_text(f"{head}http {{\naccess_log off;\n{paths}{site}}}\n")
    command = [program("nginx"), "-p", tmp_path, "-c", tmp_path / "nginx.conf"]
    subprocess.run([*command, "-t"], check=True, capture_output=True)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    url = f"https://127.0.0.1:{port}/people"
    with running(command, f"{url}/ready", context):
        for _ in range(50):
            prediction, headers = asked(f"{url}/predict", context)
            assert prediction == expected(folder)
            assert re.fullmatch("[0-9a-f]{32}", headers["x-request-id"])
        assert asked(f"{url}/models/people/predict", context)[0] == prediction
        assert b"<h2>Try a row</h2>" in urllib.request.urlopen(f"{url}/docs", context=context).read()
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(f"{url}/predict", b" " * 11_000_000, context=context)
        assert error.value.code == 413
        error.value.close()
    errors = [line for line in (tmp_path / "errors").read_text().splitlines() if "[error]" in line]
    assert all("too large body" in line for line in errors), errors


@pytest.mark.slow
def test_caddy_in_front(folder, behind, tmp_path):
    """The snippet, without the certificate that Caddy would obtain."""
    port = free_port()
    site = block("caddy").replace("127.0.0.1:8000", f"127.0.0.1:{behind}")
    site = site.replace("models.example.com", f"http://127.0.0.1:{port}")
    (tmp_path / "Caddyfile").write_text("{\nadmin off\n}\n" + site)
    environ = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    command = [program("caddy"), "run", "--config", tmp_path / "Caddyfile", "--adapter", "caddyfile"]
    url = f"http://127.0.0.1:{port}/people"
    with running(command, f"{url}/ready", env=environ):
        assert asked(f"{url}/predict")[0] == expected(folder)
