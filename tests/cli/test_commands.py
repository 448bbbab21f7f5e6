"""The command line: in this process, and as a process of its own where that makes a difference."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from cogmap.cli.group import COMMANDS, cli
from cogmap.research.experiments.store import ResultStore, read_results
from cogmap.research.experiments.tasks import make_tasks

IRIS = ["reproduce", "--datasets", "iris", "--methods", "gnb", "--jobs", 1]


def run(*arguments):
    """Run a command in this process."""
    result = CliRunner().invoke(cli, list(map(str, arguments)), prog_name="cogmap", env={"COGMAP_DATA": None})
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return subprocess.CompletedProcess(arguments, result.exit_code, result.stdout, result.stderr)


def shell(*arguments, options=(), **environment):
    """Run a command as a user would."""
    env = {name: value for name, value in os.environ.items() if name != "COGMAP_DATA"} | environment
    command = [sys.executable, *options, "-m", "cogmap", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=300, stdin=subprocess.DEVNULL)


def assert_one_line(failed, message, code=2):
    """The command has said one thing, clearly, and not how it came to it."""
    assert failed.returncode == code, failed.stderr
    assert message in failed.stderr
    assert "Traceback" not in failed.stderr
    lines = [line for line in failed.stderr.splitlines() if line and not line.startswith(("Usage:", "Try '"))]
    assert len(lines) == 1, failed.stderr


def test_datasets_are_listed_and_described():
    """All 21, and what is known about one."""
    listed = run("datasets", "list")
    assert listed.returncode == 0
    assert all(name in listed.stdout for name in ("iris", "tic_tac_toe", "olivetti_faces_28", "fashion10000"))
    described = run("datasets", "describe", "ecoli")
    assert "excluded identifiers: sequence_name" in described.stdout
    assert "dropped by the author's loader: mcg" in described.stdout


def test_reproduce_writes_results_tables_figures_and_report(tmp_path):
    """A small run, without folder and network."""
    done = shell("reproduce", "--datasets", "iris,wine", "--methods", "fcm,knn3,svclin", "--out", tmp_path, "--jobs", 2)
    assert done.returncode == 0, done.stderr
    assert f"The report is {tmp_path}" in done.stdout.replace("\n", "")
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert {"results.jsonl", "run.json", "summary.json", "report.html"} <= written
    assert {f"tables/accuracy.{ending}" for ending in ("csv", "md", "tex")} <= written
    assert {
        f"figures/{name}" for name in ("moons_regions_FCMB_as_printed.svg", "attractors_a_cycle.png", "loss_curves.svg")
    } <= written


def test_a_class_with_one_row_is_told(tmp_path, data_dir):
    """What the method did about it, for each fold in which there is one, in the output and in the report."""
    done = run(
        "reproduce", "--datasets", "ecoli", "--methods", "gmc_1f", "--protocol", "author", "--data-dir", data_dir,
        "--out", tmp_path, "--jobs", 1,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "ecoli, fold 0, gmc_1f: class 2 has 1 training row: the row counts twice" in done.stdout
    assert "class 3 has 1 training row: the row counts twice" in (tmp_path / "tables" / "notes.md").read_text()


WRONG = {
    "unknown dataset": (["--datasets", "irs"], "Unknown dataset 'irs'. Did you mean 'iris'?"),
    "unknown method": (["--methods", "svclinn"], "Unknown method 'svclinn'. Did you mean 'svclin'?"),
    "unknown protocol": (["--protocol", "stricter"], "'stricter' is not one of"),
    "missing folder": (["--datasets", "seeds", "--data-dir", "nowhere"], "The data folder nowhere does not exist"),
    "dataset in capitals": (["--datasets", "IRIS"], "Unknown dataset 'IRIS'. Did you mean 'iris'?"),
    "method in capitals": (["--methods", "SvcRbf"], "Unknown method 'SvcRbf'. Did you mean 'svcrbf'?"),
    "nothing to do": (["--datasets", ","], "There is nothing to do"),
    "no methods": (["--methods", " , "], "There is nothing to do"),
    "seed below 0": (["--seed", "-1"], "-1 is not in the range"),
    "no processes": (["--jobs", "0"], "0 is not in the range"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_is_one_line_and_exit_code_2(name, tmp_path):
    """No traceback, and nothing half-written."""
    arguments, message = WRONG[name]
    assert_one_line(run("reproduce", "--out", tmp_path / "out", *arguments), message)
    assert not (tmp_path / "out").exists()


def test_all_missing_files_are_named_at_once(tmp_path):
    """Not one after the other, each after another try."""
    failed = run("reproduce", "--datasets", "all", "--data-dir", tmp_path, "--out", tmp_path / "out")
    assert_one_line(failed, f"The data folder {tmp_path} is missing 15 files")
    assert "seeds.csv" in failed.stderr
    assert "fashion_mnist.npz" in failed.stderr
    assert failed.stderr.count("olivetti_faces.npz") == 1


def test_spaces_and_repetitions_in_lists_do_not_matter(tmp_path):
    """Two methods on one dataset, each done once; the bar counts tasks, and names no time left when none is left."""
    done = run("reproduce", "--datasets", "iris, iris", "--methods", "gnb, knn3,gnb", "--out", tmp_path, "--jobs", 1)
    assert done.returncode == 0, done.stderr
    assert "10/10 tasks" in done.stdout
    assert "left" not in done.stdout
    assert len(read_results(tmp_path)) == 10


def test_what_was_set_aside_and_what_is_tried_again_is_told(tmp_path):
    """A line that is no result, and a result that is a failure; the folder's name is text, whatever is in it."""
    folder = tmp_path / "a[" / "b] :smile:"
    failure = {"dataset": "iris", "fold": 0, "method": "gnb", "protocol": "strict", "seed": 123, "error": "E: broken"}
    with ResultStore(folder, "strict", 123) as store:
        store.append([failure])
    with (folder / "results.jsonl").open("ab") as file:
        file.write(b"\xff\n{}\n")
    done = run(*IRIS, "--out", folder)
    assert done.returncode == 0, done.stderr
    assert (
        "2 lines of results.jsonl are damaged or belong to another run; they were moved to results.rejected."
        in done.stdout
    )
    assert "Retrying 1 of 5 results, which failed before." in done.stdout
    assert f"The report is {folder}/report.html" in done.stdout
    assert not any(row["error"] for row in read_results(folder))


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"null"])
def test_a_damaged_run_file_is_told(content, tmp_path):
    """Empty, cut, or nothing that was ever JSON."""
    (tmp_path / "run.json").write_bytes(content)
    assert_one_line(run(*IRIS, "--out", tmp_path), "run.json is damaged")


def test_a_giant_file_is_told(tmp_path):
    """4 GB where a small file belongs: it is not read."""
    (tmp_path / "run.json").touch()
    os.truncate(tmp_path / "run.json", 4 * 2**30)
    assert_one_line(run(*IRIS, "--out", tmp_path), "4,294,967,296 bytes")
    (tmp_path / "seeds.csv").touch()
    os.truncate(tmp_path / "seeds.csv", 4 * 2**30)
    failed = run("reproduce", "--datasets", "seeds", "--data-dir", tmp_path, "--out", tmp_path / "out")
    assert_one_line(failed, "4,294,967,296 bytes")


def test_an_unreadable_data_file_is_told(tmp_path):
    """A file that opens, and whose reading is an error of the device."""
    if not Path("/proc/self/mem").exists():
        pytest.skip("there is no file here that cannot be read by anybody")
    (tmp_path / "seeds.csv").symlink_to("/proc/self/mem")
    failed = run("reproduce", "--datasets", "seeds", "--data-dir", tmp_path, "--out", tmp_path / "out")
    assert_one_line(failed, "seeds.csv cannot be read: Input/output error")


def test_garbage_in_the_authors_results_is_told(tmp_path):
    """By its checksum, before anything is run."""
    (tmp_path / "paper_results.json").write_text('{"datasets": {"iris": 3}}')
    failed = run(*IRIS, "--protocol", "author", "--data-dir", tmp_path, "--out", tmp_path / "out")
    assert_one_line(failed, "paper_results.json has an unexpected checksum")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    """A file stands where the folder should be made."""
    (tmp_path / "file").write_text("")
    failed = run("reproduce", "--methods", "gnb", "--datasets", "iris", "--out", tmp_path / "file" / "out")
    assert failed.returncode == 2
    assert "cannot be written" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_a_damaged_file_is_told(tmp_path):
    """By its checksum."""
    (tmp_path / "seeds.csv").write_text("a,target\n1,2\n")
    failed = shell("reproduce", "--datasets", "seeds", "--out", tmp_path / "out", COGMAP_DATA=os.fspath(tmp_path))
    assert failed.returncode == 2
    assert "has an unexpected checksum" in failed.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("package", "extra", "code"), [("click", "cli", 1), ("rich", "paper", 2)])
def test_missing_packages_are_named(tmp_path, package, extra, code):
    """Without the extra, the command says how to install it."""
    (tmp_path / f"{package}.py").write_text(f"raise ModuleNotFoundError('no {package}', name={package!r})")
    failed = shell("datasets", "list", PYTHONPATH=os.fspath(tmp_path))
    assert failed.returncode == code
    assert f"pip install 'cogmap[{extra}]'" in failed.stderr
    assert "Traceback" not in failed.stderr


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_wait_for_nothing(option):
    """Neither scikit-learn nor NumPy is imported to say them."""
    said = shell(option, options=["-X", "importtime"])
    assert ("reproduce" if option == "--help" else "cogmap 0.") in said.stdout
    imported = {line.split("|")[2].strip() for line in said.stderr.splitlines() if line.count("|") == 2}
    assert "click" in imported
    assert not imported & {"sklearn", "numpy", "scipy", "joblib", "matplotlib"}


def test_the_help_has_the_first_line_of_every_command():
    """The lines are written twice, so that help needs no import; they are the same."""
    for name, (_, line) in COMMANDS.items():
        assert cli.get_command(None, name).get_short_help_str(limit=100) == line


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full on this system")
@pytest.mark.parametrize("arguments", [["--version"], ["datasets", "list"], ["datasets", "describe", "iris"]])
def test_an_output_without_room_is_told(arguments):
    """/dev/full is a disk without room."""
    command = [sys.executable, "-m", "cogmap", *arguments]
    with open("/dev/full", "w") as full:
        failed = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert_one_line(failed, "The output cannot be read or written: No space left on device")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits to sizes of files on this system")
def test_a_disk_that_is_full_is_told(tmp_path):
    """Results get no further than a limit; those before it are there when the command goes on."""
    limited = "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)); "
    limited += "sys.argv[0] = 'cogmap'; runpy.run_module('cogmap', run_name='__main__')"
    arguments = ["reproduce", "--datasets", "iris", "--methods", "gnb,knn3,mnb,knn5,dtree", "--jobs", "1"]
    failed = subprocess.run(
        [sys.executable, "-c", limited, *arguments, "--out", tmp_path], capture_output=True, text=True, timeout=120
    )
    assert_one_line(failed, "File too large. Everything written before is safe.")
    n_before = len(read_results(tmp_path))
    assert 5 < n_before < 25
    assert (tmp_path / "results.jsonl").read_bytes().endswith(b"\n")
    tasks = make_tasks(["iris"], arguments[4].split(","), "strict")
    with ResultStore(tmp_path, "strict", 123) as store:
        assert len(store.missing(tasks)) == 25 - n_before


def test_the_journey_needs_no_locale(tmp_path):
    """In a system without UTF-8, with every file that is opened without an encoding told: of ours there is none."""
    folder = tmp_path / "caf\u00e9"
    done = shell(
        *IRIS, "--out", folder, options=["-X", "warn_default_encoding"],
        LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ours = os.path.join("src", "cogmap")
    assert not [line for line in done.stderr.splitlines() if "EncodingWarning" in line and ours in line]
    assert f"--out {folder}" in (folder / "report.html").read_text(encoding="utf-8")
