"""The journey of docs/tables.md, from an installed wheel: the commands are those of the page, and say what it shows."""

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
    """An environment with nothing but the wheel, and the packages that it needs from here; its folder of commands."""
    folder = tmp_path_factory.mktemp("environment")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    wheel = [*pip, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, ROOT]
    subprocess.run(wheel, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    (package,) = folder.glob("*.whl")
    install = [*pip, "--python", python, "install", "--quiet", "--no-deps", "--no-index", package]
    subprocess.run(install, check=True, capture_output=True)
    # Packages from here by a path alone: our own, which is here as links to its source, is not among them.
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    (site / "packages.pth").write_text(sysconfig.get_path("purelib"))
    return python.parent


def environment(commands):
    """Without any way to the source."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return kept | {"PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}


def test_what_runs_is_what_was_installed(installed):
    """Not the source."""
    where = [installed / "python", "-c", "import cogmap; print(cogmap.__file__)"]
    found = subprocess.run(where, capture_output=True, text=True, check=True, env=environment(installed)).stdout
    assert Path(found).is_relative_to(installed.parent)


def without_numbers(text):
    """Return the words of a text: numbers may differ in their last digits with the packages beneath."""
    return re.sub(r"[+-]?\d[\d.,]*(e-?\d+)?", "0", text).split()


@pytest.mark.skipif(os.name != "posix", reason="the page is for a shell of POSIX")
def test_the_guide_runs_and_says_what_it_shows(installed, tmp_path):
    """Every command, one after the other, as a reader would type them."""
    blocks = re.findall(BLOCK, (ROOT / "docs" / "tables.md").read_text(encoding="utf-8"), flags=re.DOTALL)
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
