"""Node.js, which runs the engine of the page, if it is installed."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from cogmap.page.assemble import packed
from cogmap.page.payload import make_payload
from cogmap.page.subject import page_subject

HERE = Path(__file__).parent
SCRIPTS = HERE.parents[2] / "src" / "cogmap" / "page" / "script"


@pytest.fixture(scope="session")
def node():
    """The path of Node.js, of a version that supports the engine."""
    path = shutil.which("node")
    if path is None:
        pytest.skip("Node.js is not installed")
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.strip().lstrip("v").split(".")[0]) < 20:
        pytest.skip(f"the engine needs Node.js 20 or later, and this is {version.strip()}")
    return path


@pytest.fixture
def differences(node, tmp_path):
    """A function that returns the largest differences between the engine and Python."""

    def compare(payload, **cases):
        file = tmp_path / "cases.json"
        text = packed(json.dumps(payload))
        file.write_text(json.dumps({"payload": text, **cases}), encoding="utf-8")
        command = [node, HERE / "compare.mjs", (SCRIPTS / "engine.js").as_uri(), file]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    return compare


@pytest.fixture
def payload_of():
    """A function that returns the payload of a model."""

    def make(model, X=None, y=None):
        return make_payload(page_subject("page.write", model, X, y))

    return make
