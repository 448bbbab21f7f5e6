"""Kills and flipped bytes by the hundred: nothing is lost, doubled or changed. `make test-faults` runs them."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest

from cogmap.research.experiments.store import ResultStore, StoreError, read_results, without_checksum
from cogmap.research.experiments.tasks import make_tasks
from cogmap.research.report.summary import make_summary

pytestmark = [
    pytest.mark.faults,
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked and killed here"),
]

N_STORE_KILLS, N_COMMAND_KILLS, N_FLIPS = 1000, 200, 2000
METHODS = ["gnb", "knn3", "mnb"]


def row(number):
    return {"dataset": "iris", "fold": number // 7, "method": f"method {number % 7}", "protocol": "strict", "seed": 123,
            "accuracy": number / 10**6, "error": None, "words": "x" * (number % 900)}  # fmt: skip


def append_for_ever(folder, told):
    """Append rows from the first that is missing on; say of each that it is there after the store has said so."""
    with ResultStore(folder, "strict", 123) as store:
        number = len(read_results(folder))
        while True:
            store.append([row(number)])
            os.write(told, b"%d\n" % number)
            number += 1


def test_a_store_that_is_killed_loses_and_doubles_nothing(tmp_path):
    """1,000 times, at any moment: what it has said to be on disk is there, once, as it was."""
    chance = random.Random(0)
    told_to, told = os.pipe()
    os.set_blocking(told_to, False)
    n_told = 0
    with ResultStore(tmp_path, "strict", 123):
        pass  # what is looked up once per process is known, so that the children write for most of their lives
    for _ in range(N_STORE_KILLS):
        child = os.fork()
        if child == 0:
            try:
                append_for_ever(tmp_path, told)
            finally:
                os._exit(1)
        time.sleep(chance.uniform(0.0, 0.06))
        os.kill(child, signal.SIGKILL)
        assert os.waitpid(child, 0)[1] == signal.SIGKILL
        try:
            n_told = max(n_told, *(1 + int(line) for line in os.read(told_to, 2**20).split()))
        except BlockingIOError:
            continue
    with ResultStore(tmp_path, "strict", 123):
        pass  # what the last kill has torn is set aside
    results = read_results(tmp_path)
    assert n_told > N_STORE_KILLS / 4
    assert len(results) >= n_told  # the last ones may be there without its having been said
    assert results == [row(number) for number in range(len(results))]
    lines = (tmp_path / "results.jsonl").read_bytes().splitlines()
    assert len(lines) == len(results)
    assert all(without_checksum(line) for line in lines)
    print(f"{N_STORE_KILLS} kills, {len(results)} results, 0 lost, doubled or changed")


def scores(folder):
    """All that a report shows of results, by key; twice the same key is not the same as once."""
    found = [without_checksum(line) for line in (folder / "results.jsonl").read_bytes().splitlines()]
    return sorted((row["dataset"], row["fold"], row["method"], row["accuracy"], row["f1_macro"]) for row in found)


def test_the_command_that_is_killed_goes_on_to_the_same_results(tmp_path):
    """200 times, at any moment; begun anew whenever it was done. The results are those of a run without a kill."""
    chance = random.Random(1)
    arguments = ["--datasets", "iris,wine", "--methods", ",".join(METHODS), "--jobs", "1"]
    command = [sys.executable, "-m", "cogmap", "reproduce", *arguments, "--out"]
    undisturbed = tmp_path / "undisturbed"
    began = time.monotonic()
    subprocess.run([*command, undisturbed], check=True, capture_output=True)
    longest = time.monotonic() - began
    expected = scores(undisturbed)
    assert len(expected) == 2 * 5 * len(METHODS)
    folder, n_runs, before = tmp_path / "killed", 0, 0
    for _ in range(N_COMMAND_KILLS):
        process = subprocess.Popen(
            [*command, folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        time.sleep(chance.uniform(0.1, 0.6) * longest)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        after = len(read_results(folder))
        assert after >= before
        before = after
        if after == len(expected) and chance.random() < 0.5:  # the other half is killed while the report is written
            with ResultStore(folder, "strict", 123) as store:
                assert store.missing(make_tasks(["iris", "wine"], METHODS, "strict")) == []
            assert scores(folder) == expected
            shutil.rmtree(folder)
            n_runs, before = n_runs + 1, 0
    subprocess.run([*command, folder], check=True, capture_output=True)
    assert scores(folder) == expected
    assert json.loads((folder / "summary.json").read_bytes())["missing"] == []
    print(f"{N_COMMAND_KILLS} kills, {n_runs + 1} whole runs, 0 results lost, doubled or changed")


def test_flipped_bytes_are_never_shown(tmp_path):
    """2,000 times up to three bytes of the results and of the file of the run: they are told, or set aside."""
    chance = random.Random(2)
    good = tmp_path / "good"
    tasks = make_tasks(["iris"], METHODS, "strict")
    with ResultStore(good, "strict", 123) as store:
        for task in tasks:
            store.append(task.run())
    rows = {(row["dataset"], row["fold"], row["method"]): row for row in read_results(good)}
    tables = make_summary(good)["tables"]
    contents = {name: (good / name).read_bytes() for name in ("results.jsonl", "run.json")}
    n_refused = n_aside = 0
    for number in range(N_FLIPS):
        folder = tmp_path / "flipped"
        folder.mkdir()
        for name, content in contents.items():
            changed = bytearray(content)
            if chance.random() < 0.6:
                for _ in range(chance.randint(1, 3)):
                    changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
            (folder / name).write_bytes(changed)
        try:
            assert all(
                rows[found["dataset"], found["fold"], found["method"]] == found for found in read_results(folder)
            )
            if number % 50 == 0:
                for table in make_summary(folder)["tables"]:
                    if table["id"] == "datasets":
                        assert table in tables
            with ResultStore(folder, "strict", 123) as store:
                n_aside += store.n_rejected
                n_missing = len(store.missing(tasks))
                assert n_missing <= 2 * store.n_rejected
                assert len(read_results(folder)) == len(tasks) - n_missing
        except StoreError as told:
            assert "run.json is damaged" in str(told)  # noqa: PT017 - one of two good ends
            n_refused += 1
        shutil.rmtree(folder)
    assert n_refused > N_FLIPS / 4
    assert n_aside > N_FLIPS / 4
    print(f"{N_FLIPS} flips, {n_refused} runs refused, {n_aside} lines set aside, 0 changed figures accepted")
