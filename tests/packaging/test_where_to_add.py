"""ARCHITECTURE.md, "Where do I add": its rows are followed in a copy of the project."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

LOSS = '''
@dataclass(frozen=True)
class LogCoshLoss(Loss):
    """Logarithm of the hyperbolic cosine of the error."""

    n_outputs: int

    def __call__(self, net: NDArray[np.floating], targets: NDArray[Any], weight: Weight) -> float:
        """Return the weighted sum over the rows and turn `net` into its gradient."""
        net -= targets.T
        losses = (np.logaddexp(net, -net) - np.log(2.0)).sum(axis=0)
        np.tanh(net, out=net)
        if weight is not None:
            losses *= weight
            net *= weight
        return float(losses.sum(dtype=np.float64))
'''
ACTIVATION = """        Activation("steep", center=0.5, middle=0.5, reach=0.5, steepness=5.0, shape=_TANH),
"""
FORMAT = '''
"""One arrow per line: source > target weight."""

from cogmap.maps.formats.drawing import Drawing, edges_of
from cogmap.maps.formats.tables import Drawings
from cogmap._utils.text import decoded
from cogmap.maps.formats.words import Scale
from cogmap.maps.map import FuzzyCognitiveMap


def read(content: bytes, scale: Scale | None) -> Drawings:
    """Return the map in a file."""
    drawing = Drawing()
    for number, line in enumerate(decoded(content).splitlines(), 1):
        source, _, rest = line.partition(" > ")
        target, _, weight = rest.rpartition(" ")
        for name in (source, target):
            if name not in drawing.concepts:
                drawing.add(name, f"line {number}", {})
        drawing.connect(source, target, float(weight), f"line {number}", {})
    return {"": lambda: drawing}


def write(fcm: FuzzyCognitiveMap) -> bytes:
    """Return the content of a file."""
    return "".join(f"{source} > {target} {weight!r}\\n" for source, target, weight, _ in edges_of(fcm)).encode()
'''
COLUMN = '''
"""Columns of times of day."""

from dataclasses import dataclass
from typing import Any, ClassVar

from cogmap.table.columns.base import Array, Column, Fault, Value


@dataclass(frozen=True)
class ClockColumn(Column):
    """Times of day such as 08:15, in hours."""

    kind: ClassVar[str] = "clock"

    def value(self, text: str) -> Value:
        """Return the hours of a time."""
        hours, _, minutes = text.partition(":")
        return (int(hours) + int(minutes) / 60,) if (hours + minutes).isdigit() else Fault(f"{text!r} is not a time")

    def schema(self, ranges: Array | None) -> dict[str, Any]:
        """Return the JSON schema of a value."""
        return {"type": ["string", "null"], "format": "time"}

    def example(self, ranges: Array | None) -> Any:
        """Return noon."""
        return "12:00"
'''
COMMAND = '''
"""`cogmap hello`."""

import click


@click.command()
def hello() -> None:
    """Say hello."""
    click.echo("hello")
'''


def added(path, text):
    """A new file."""
    assert not path.exists()
    path.write_text(text.lstrip())


def changed(path, *replacements):
    """A file with some lines more."""
    text = path.read_text()
    for old, new in replacements:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text)


def add_loss(package):
    losses, targets = package / "_learning/losses.py", package / "_learning/targets.py"
    losses.write_text(losses.read_text() + "\n" + LOSS)
    changed(
        targets,
        ("    LogLoss,\n", "    LogCoshLoss,\n    LogLoss,\n"),
        ("else SquaredLoss(n_outputs)", "else LogCoshLoss(n_outputs)"),
    )


def add_activation(package):
    changed(package / "maps/activations.py", ("        # -1, 0 or 1.\n", ACTIVATION + "        # -1, 0 or 1.\n"))


def add_format(package):
    added(package / "maps/formats/arrows.py", FORMAT)
    changed(
        package / "maps/formats/files.py",
        ("from cogmap.maps.formats import delimited,", "from cogmap.maps.formats import arrows, delimited,"),
        ("KINDS = {\n", 'KINDS = {\n    ".arrows": Kind("arrows", arrows.read, lambda fcm, *_: arrows.write(fcm)),\n'),
    )


def add_column_kind(package):
    added(package / "table/columns/clock.py", COLUMN)
    detect = """    if all(re.fullmatch(r"[0-9]{2}:[0-9]{2}", text) for text in texts):
        return ClockColumn(name, (name,))
"""
    changed(
        package / "table/preparation/kinds.py",
        ("\nimport numpy as np\n", "\nimport numpy as np\n\nfrom cogmap.table.columns.clock import ClockColumn\n"),
        ("    if column.numbers:\n", detect + "    if column.numbers:\n"),
    )


def add_command(package):
    added(package / "cli/hello.py", COMMAND)
    changed(
        package / "cli/group.py", ("COMMANDS = {\n", 'COMMANDS = {\n    "hello": ("cogmap.cli.hello", "Say hello."),\n')
    )


# Each addition, and a program that uses it.
ADDITIONS = {
    "a loss": (
        add_loss,
        "from sklearn.datasets import load_diabetes; from cogmap import FCMRegressor\n"
        "assert FCMRegressor(random_state=0).fit(*load_diabetes(return_X_y=True)).outcome_.converged",
    ),
    "an activation": (
        add_activation,
        "from cogmap import FuzzyCognitiveMap\n"
        "assert FuzzyCognitiveMap([[1.0]], activation='steep').run([0.6], 9)[-1] > 0.6",
    ),
    "a map format": (
        add_format,
        "from cogmap import FuzzyCognitiveMap, read_map, write_map\n"
        "fcm = FuzzyCognitiveMap.from_edges([('rain', 'umbrellas', 0.8)])\n"
        "write_map(fcm, 'rain.arrows'); assert read_map('rain.arrows') == fcm",
    ),
    "a column kind": (
        add_column_kind,
        "import pandas; from cogmap import TablePreparer\n"
        "table = pandas.DataFrame({'at': ['08:15', '17:30', '12:00']})\n"
        "assert TablePreparer().fit_transform(table)['at'].tolist() == [8.25, 17.5, 12.0]",
    ),
    "a command": (
        add_command,
        "import subprocess, sys\n"
        "assert subprocess.check_output([sys.executable, '-m', 'cogmap', 'hello']).strip() == b'hello'",
    ),
}


def run(folder, *command):
    env = os.environ | {"PYTHONPATH": os.fspath(folder / "src")}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def copy_with_all(tmp_path_factory):
    """A copy of the project to which everything was added, and the files that each addition touched."""
    folder = tmp_path_factory.mktemp("copy")
    skip = shutil.ignore_patterns("__pycache__", "*.pyc")
    shutil.copytree(ROOT / "src", folder / "src", ignore=skip)
    shutil.copytree(ROOT / "tests/properties/conformance", folder / "tests", ignore=skip)
    shutil.copy(ROOT / "pyproject.toml", folder)
    package, touched = folder / "src/cogmap", {}
    for what, (add, _) in ADDITIONS.items():
        before = contents(package)
        add(package)
        touched[what] = [name for name, content in contents(package).items() if before.get(name) != content]
    return folder, touched


@pytest.mark.parametrize("what", ADDITIONS)
def test_an_addition_touches_only_the_files_that_its_row_names(copy_with_all, what):
    """A folder names the files in it."""
    row = re.search(rf"^\| {what} \| (.*) \|$", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE)[1]
    named = re.findall(r"`([\w./]+)`", row)
    for name in copy_with_all[1][what]:
        assert name in named or name.rpartition("/")[0] + "/" in named, name


@pytest.mark.parametrize("what", ADDITIONS)
def test_an_addition_works(copy_with_all, what):
    """In a new process, by the public names."""
    run(copy_with_all[0], sys.executable, "-c", ADDITIONS[what][1])


def test_the_copy_keeps_the_import_contract(copy_with_all):
    """With every layer as it is listed."""
    run(copy_with_all[0], Path(sys.executable).with_name("lint-imports"), "--no-cache")


def test_the_copy_conforms_to_scikit_learn(copy_with_all):
    """The checks of `fit` of the regressor, which has the new loss."""
    options = ["-q", "-p", "no:cacheprovider", "-k", "FCMRegressor and check_fit"]
    said = run(copy_with_all[0], sys.executable, "-m", "pytest", *options, "tests")
    assert re.search(r"\d{2} passed", said), said
