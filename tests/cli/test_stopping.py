"""Ends: a signal is one line and its own exit code, and no process is left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cogmap.research.experiments.store import read_results

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")

# Minutes of work in two processes.
LONG = ["reproduce", "--datasets", "digits", "--methods", "fcm", "--protocol", "author", "--jobs", "2"]


def start(*arguments):
    """The command in a session of its own, as in a terminal."""
    return subprocess.Popen(
        [sys.executable, "-m", "cogmap", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def processes(session):
    """Living processes of a session, with the words of their commands."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            _, _, fields = (folder / "stat").read_text().rpartition(")")
            state, *numbers = fields.split()
            if int(numbers[2]) == session and state not in "ZX":
                found[int(folder.name)] = (folder / "cmdline").read_bytes().split(b"\0")
        except (OSError, ValueError):
            continue  # it has just ended
    return found


def workers(session):
    return [number for number, words in processes(session).items() if any(b"LokyProcess" in word for word in words)]


def wait_until(holds, seconds=60, pause=0.05):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(pause)  # looking at all processes takes time from those that are waited for


def end(process, message, code):
    """Read what the command has said: one line; nothing of it is left."""
    _, errors = process.communicate(timeout=30)
    assert process.returncode == code, errors
    assert message in errors
    assert errors.count("\n") == 1, errors
    wait_until(lambda: not workers(process.pid), 15)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_stops_the_work_with_its_own_code(name, tmp_path):
    """The interrupt comes to all processes, as from a terminal; the others to the first."""
    process = start(*LONG, "--out", tmp_path)
    wait_until(lambda: len(workers(process.pid)) == 2)
    time.sleep(1)
    number = getattr(signal, name)
    (os.killpg if name == "SIGINT" else os.kill)(process.pid, number)
    end(process, "Stopped.", 128 + number)


def test_cleaning_up_that_never_ends_is_not_waited_for():
    """As when an exception comes at a moment at which a library holds a lock: some seconds later the process ends."""
    code = (
        "import os, signal, time; from cogmap.cli import stopping; stopping._PATIENCE = 0.5; stopping.leave_at_once()\n"
        "with stopping.stoppable():\n"
        "    try: os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)\n"
        "    finally: time.sleep(60)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert (ended.returncode, ended.stderr) == (143, "Stopped.\n")


def is_ours(process):
    """Whether Python has come so far as to run our first lines, which say what SIGTERM does."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
    return int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1


@pytest.mark.parametrize("seconds", [0.0, 0.2, 0.5, 1.0])
def test_an_interrupt_of_the_imports_is_one_line(seconds, tmp_path):
    """From our first lines on, before anything large is imported."""
    process = start(*LONG, "--out", tmp_path)
    wait_until(lambda: is_ours(process), pause=0.005)
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    end(process, "Stopped", 130)


def test_an_interrupt_while_processes_start_is_one_line(tmp_path):
    """They do not notice it; the first process ends them."""
    process = start(*LONG, "--out", tmp_path)
    wait_until(lambda: workers(process.pid))
    os.killpg(process.pid, signal.SIGINT)
    end(process, "Stopped", 130)


@pytest.mark.parametrize("seconds", [0.3, 4.0], ids=["while they import", "at work"])
def test_processes_end_soon_after_the_one_that_was_killed(seconds, tmp_path):
    """Within seconds, not when their task is done, which takes minutes."""
    process = start(*LONG, "--out", tmp_path)
    wait_until(lambda: len(workers(process.pid)) == 2)
    time.sleep(seconds)
    process.kill()
    process.wait()
    wait_until(lambda: not workers(process.pid), 15)
    process.communicate()


def test_a_process_that_was_ended_from_outside_is_told(tmp_path):
    """As by a system that has no memory left; the same command goes on."""
    process = start(*LONG[:1], "--datasets", "wine,digits", "--methods", "gnb,fcm", *LONG[5:], "--out", tmp_path)
    wait_until(lambda: len(workers(process.pid)) == 2)
    wait_until(lambda: len(read_results(tmp_path)) >= 1)
    os.kill(workers(process.pid)[0], signal.SIGKILL)
    end(process, "was terminated from outside, probably because memory ran out", 2)
