"""The command line, run as a user would."""

import os
import subprocess
import sys

import pytest


def cogmap(*arguments, **environment):
    env = {name: value for name, value in os.environ.items() if name != "COGMAP_DATA"} | environment
    command = [sys.executable, "-m", "cogmap", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)


def test_datasets_are_listed_and_described():
    """All 21, and what is known about one."""
    listed = cogmap("datasets", "list")
    assert listed.returncode == 0
    assert all(name in listed.stdout for name in ("iris", "tic_tac_toe", "olivetti_faces_28", "fashion10000"))
    described = cogmap("datasets", "describe", "ecoli")
    assert "never used: sequence_name" in described.stdout
    assert "left out by the author's loader: mcg" in described.stdout


def test_reproduce_writes_results_tables_figures_and_report(tmp_path):
    """A small run, without folder and network."""
    done = cogmap(
        "reproduce", "--datasets", "iris,wine", "--methods", "fcm,knn3,svclin", "--out", tmp_path, "--jobs", 2
    )
    assert done.returncode == 0, done.stderr
    assert f"The report is {tmp_path}" in done.stdout.replace("\n", "")
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert {"results.jsonl", "run.json", "summary.json", "report.html"} <= written
    assert {f"tables/accuracy.{ending}" for ending in ("csv", "md", "tex")} <= written
    assert {f"figures/{name}" for name in ("moons_regions.svg", "attractors.png", "loss_curves.svg")} <= written


WRONG = {
    "unknown dataset": (["--datasets", "irs"], "There is no dataset 'irs'. Did you mean 'iris'?"),
    "unknown method": (["--methods", "svclinn"], "There is no method 'svclinn'. Did you mean 'svclin'?"),
    "unknown protocol": (["--protocol", "stricter"], "'stricter' is not one of"),
    "missing folder": (["--datasets", "seeds", "--data-dir", "nowhere"], "There is no data folder nowhere"),
    "nothing to do": (["--datasets", ","], "There is nothing to do"),
    "no processes": (["--jobs", "0"], "0 is not in the range"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_one_line_and_exit_code_2(name, tmp_path):
    """No traceback, and nothing half-written."""
    arguments, message = WRONG[name]
    failed = cogmap("reproduce", "--out", tmp_path / "out", *arguments)
    assert failed.returncode == 2
    assert message in failed.stderr
    assert "Traceback" not in failed.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    """A file stands where the folder should be made."""
    (tmp_path / "file").write_text("")
    failed = cogmap("reproduce", "--methods", "gnb", "--datasets", "iris", "--out", tmp_path / "file" / "out")
    assert failed.returncode == 2
    assert "cannot be written" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_a_damaged_file_is_told(tmp_path):
    """By its checksum."""
    (tmp_path / "seeds.csv").write_text("a,target\n1,2\n")
    failed = cogmap("reproduce", "--datasets", "seeds", "--out", tmp_path / "out", COGMAP_DATA=os.fspath(tmp_path))
    assert failed.returncode == 2
    assert "is not as it should be" in failed.stderr
    assert not (tmp_path / "out").exists()


def test_missing_packages_are_named(tmp_path):
    """Without the extra, the command says how to get it."""
    (tmp_path / "click.py").write_text("raise ModuleNotFoundError(\"No module named 'click'\", name='click')")
    failed = cogmap("datasets", "list", PYTHONPATH=os.fspath(tmp_path))
    assert failed.returncode == 1
    assert "pip install 'cogmap[cli]'" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_version_and_help_are_quick_to_say():
    """The basics."""
    assert cogmap("--version").stdout.startswith("cogmap 0.")
    assert "reproduce" in cogmap("--help").stdout
