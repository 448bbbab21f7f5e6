"""The commands of docs/guide/tables.md, run from an installed wheel, print the output that the guide shows."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCK = r"```(python|sh)\n(.*?)```\n(?:\n```text\n(.*?)```\n)?"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return the scripts folder of an environment with the wheel, and the dependencies of this environment."""
    folder = tmp_path_factory.mktemp("environment")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    wheel = [*pip, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, ROOT]
    subprocess.run(wheel, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    (package,) = folder.glob("*.whl")
    install = [*pip, "--python", python, "install", "--quiet", "--no-deps", "--no-index", package]
    subprocess.run(install, check=True, capture_output=True)
    # A path file makes dependencies importable, but not the editable install of cogmap itself.
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    (site / "packages.pth").write_text(sysconfig.get_path("purelib"))
    return python.parent


def environment(scripts):
    """Return environment variables with the scripts on the path, and without PYTHONPATH."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return kept | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}


def test_cogmap_is_imported_from_the_wheel(installed):
    """The import does not resolve to the source tree."""
    command = [installed / "python", "-c", "import cogmap; print(cogmap.__file__)"]
    location = subprocess.run(command, capture_output=True, text=True, check=True, env=environment(installed)).stdout
    assert Path(location).is_relative_to(installed.parent)


def without_numbers(text):
    """Return the words of a text; last digits of numbers may differ with the versions of dependencies."""
    return re.sub(r"[+-]?\d[\d.,]*(e-?\d+)?", "0", text).split()


@pytest.mark.skipif(os.name != "posix", reason="the guide is for a POSIX shell")
def test_the_guide_shows_the_output_of_its_commands(installed, tmp_path):
    """All commands run in order."""
    blocks = re.findall(BLOCK, (ROOT / "docs" / "guide" / "tables.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len([code for language, code, _ in blocks if language == "sh"]) >= 8
    for language, code, shown in blocks:
        command = [installed / "python", "-c"] if language == "python" else ["sh", "-e", "-c"]
        run = subprocess.run(
            [*command, code],
            cwd=tmp_path,
            env=environment(installed),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert run.returncode == 0, run.stdout
        assert without_numbers(run.stdout) == without_numbers(shown), code
    assert {"flowers.cogmap", "predictions.csv", "flowers.html"} <= {path.name for path in tmp_path.iterdir()}
