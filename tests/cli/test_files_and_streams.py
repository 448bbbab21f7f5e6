"""Files and streams of commands: links, pipes, closed descriptors, formulas, long values, and what help imports."""

import contextlib
import csv
import io
import os
import pty
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from cogmap._learning.structure_choice import STRUCTURES
from cogmap._learning.targets import VALUE_LOSSES
from cogmap.cli import fit, reproduce
from cogmap.cli.group import COMMANDS, cli
from cogmap.research.datasets import EMBEDDED
from cogmap.research.experiments.protocols import PROTOCOLS
from cogmap.table.targets import TASKS

HEAVY = ("numpy", "pandas", "scipy", "sklearn", "joblib", "rich", "cogmap.table", "cogmap.maps", "cogmap.persistence")


def run(*arguments, code=0):
    """Run a command in this process."""
    result = CliRunner().invoke(cli, list(map(str, arguments)), prog_name="cogmap")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def shell(command, **options):
    """Run a line of the shell, in which `cogmap` is this one."""
    line = command.replace("cogmap ", f"{sys.executable} -m cogmap ", 1)
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a table, and models of classes and of values with decimal commas."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60).round(3), "b": rng.choice(["x", "=1+1"], 60)})
    frame["y"] = np.where(frame["a"] > 0, "=HYPERLINK(1)", "-no")
    frame.to_csv(folder / "table.csv", index=False)
    price = [f"{20_000 + 1000 * value:,.2f}".translate(str.maketrans(",.", ".,")) for value in frame["a"]]
    frame.assign(y=price).to_csv(folder / "prices.csv", index=False, sep=";")
    for name in ("table", "prices"):
        run("fit", folder / f"{name}.csv", "--target", "y", "--out", folder / f"{name}.cogmap", "--time-limit", "1")
    return folder


def test_help_imports_no_large_package():
    """Of any command, so that it takes little longer than importing click."""
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom cogmap.cli.group import COMMANDS, cli\n"
        "for name in COMMANDS:\n    assert CliRunner().invoke(cli, [name, '--help']).exit_code == 0, name\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len(COMMANDS) == 16
    assert [name for name in done.stdout.split() if name.startswith(HEAVY)] == []


def test_choices_of_options_are_those_of_the_library():
    """They are written out in the commands, which must not import the library for them."""
    task = next(option for option in fit.fit.params if option.name == "task")
    assert tuple(task.type.choices) == TASKS
    assert fit.STRUCTURES == STRUCTURES
    assert fit.LOSSES == VALUE_LOSSES
    assert (tuple(EMBEDDED), tuple(PROTOCOLS)) == (reproduce.EMBEDDED, reproduce.PROTOCOLS)


def test_the_header_is_not_written_before_a_table_that_does_not_fit(folder, tmp_path):
    """Nothing is on standard output when the command fails."""
    for name, content in {"other.csv": "c\n1\n", "header.csv": "a,b\n"}.items():
        (tmp_path / name).write_text(content)
        assert run("predict", folder / "table.cogmap", tmp_path / name, code=2).stdout == ""
        assert run("transform", folder / "table.cogmap", tmp_path / name, code=2).stdout == ""


def test_formulas_are_made_harmless_unless_they_are_wanted(folder):
    """In predictions, notes and reasons; numbers keep their signs."""
    for options, expected in (([], {"'=HYPERLINK(1)", "'-no"}), (["--keep-formulas"], {"=HYPERLINK(1)", "-no"})):
        out = run("predict", folder / "table.cogmap", folder / "table.csv", *options).stdout
        assert {row["prediction"] for row in csv.DictReader(io.StringIO(out))} == expected


def test_long_values_are_cut_in_notes_and_errors(folder, tmp_path):
    """At 80 characters, also in the column `note`."""
    long = "q" * 500_000
    pd.DataFrame({"a": ["1", long], "b": ["x", long]}).to_csv(tmp_path / "long.csv", index=False)
    result = run("predict", folder / "table.cogmap", tmp_path / "long.csv")
    assert len(result.stdout) + len(result.stderr) < 1000
    result = run("what-if", folder / "table.cogmap", folder / "table.csv", "--to", long, code=2)
    assert len(result.stderr) < 400


def test_values_are_read_as_the_target_is_written(folder):
    """20.000 is twenty thousand where decimals have a comma."""
    answers = [
        run("what-if", folder / "prices.cogmap", folder / "prices.csv", "--json", "--to", to).stdout
        for to in ("20.000", "20000", "20.000,00")
    ]
    assert '"to": 20000.0' in answers[0]
    assert answers[0] == answers[1] == answers[2]


WRONG = {
    "no goal": (["what-if", "prices.cogmap", "prices.csv"], "--to is required, because the model predicts numbers"),
    "no column": (["what-if", "table.cogmap", "table.csv", "--fixed", "c"], "must be a column of the model, got 'c'"),
    "sign": (["fit", "table.csv", "--target", "y", "--sign", "b:+"], "--sign needs a column of numbers"),
    "keep": (
        ["fit", "table.csv", "--target", "y", "--keep", "y"],
        "--keep must be among the columns ['a', 'b'], got 'y'",
    ),
    "task": (["fit", "table.csv", "--target", "y", "--task", "regression"], "--task must be 'classification'"),
    "sheet": (["map", "show", "two.csv", "--sheet", "C"], "--sheet must be one of 'A', 'B', got 'C'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_name_options_and_not_parameters(case, folder, monkeypatch):
    """The library names Python parameters, the command line its options."""
    monkeypatch.chdir(folder)
    with open("two.csv", "w") as file:
        file.write("who;a -> b\nA;H\nB;L\n")
    arguments, message = WRONG[case]
    stderr = (
        run(*arguments, "--out", "new.cogmap", code=2).stderr
        if arguments[0] == "fit"
        else run(*arguments, code=2).stderr
    )
    assert message in stderr
    assert "`" not in stderr.replace("`cogmap", "")


def test_onnx_is_not_written_to_a_terminal(folder):
    """It is binary; a pipe gets it."""
    leader, terminal = pty.openpty()
    command = [sys.executable, "-m", "cogmap", "export", folder / "table.cogmap", "--to", "onnx"]
    refused = subprocess.run(command, stdout=terminal, stderr=subprocess.PIPE, text=True, timeout=120)
    os.close(terminal)
    os.close(leader)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "Name a file with --out" in refused.stderr


@pytest.mark.parametrize("closed", ["2>&-", ">&-", "<&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("what", ["show table.cogmap", "predict table.cogmap nowhere.csv", "predict table.cogmap -"])
def test_closed_descriptors_give_no_traceback(what, closed, folder):
    """Exit code 0, or 2 with at most one line."""
    done = shell(f"cogmap {what} {closed} {'</dev/null' if '<' not in closed else ''}", cwd=folder)
    assert done.returncode in (0, 2)
    assert done.stderr.count("\n") <= 1
    assert "Traceback" not in done.stderr
    if ">&-" in closed.replace("2>&-", ""):
        assert done.returncode == 2


def test_output_follows_links_and_refuses_devices(folder, tmp_path):
    """Standard output is called -."""
    (tmp_path / "file.csv").write_text("before")
    (tmp_path / "link.csv").symlink_to("file.csv")
    run("predict", folder / "table.cogmap", folder / "table.csv", "--out", tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "file.csv").read_text() == run("predict", folder / "table.cogmap", folder / "table.csv").stdout
    for device in ("/dev/null", "/dev/stdout"):
        refused = run("predict", folder / "table.cogmap", folder / "table.csv", "--out", device, code=2)
        assert "it is a device or a pipe, not a regular file. - is standard output." in refused.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are POSIX")
def test_a_pipe_is_a_table(folder, tmp_path):
    """As often as it is tried."""
    os.mkfifo(tmp_path / "pipe")
    content = (folder / "table.csv").read_bytes()
    for _ in range(5):
        writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(content,))
        writer.start()
        with contextlib.ExitStack() as stack:
            stack.callback(writer.join)
            assert run("predict", folder / "table.cogmap", tmp_path / "pipe").stdout.count("\n") == 61


def test_serving_without_its_extra_names_the_extra():
    """Also when it is imported in Python."""
    code = "import sys; sys.modules['msgspec'] = None\nimport cogmap.serving"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "MissingPackageError: cogmap.serving needs the package 'msgspec'" in done.stderr
    assert "pip install 'cogmap[serve]'" in done.stderr
