"""The runner and the store: nothing is lost, nothing is done twice, two do not write at once."""

import json
import os
import signal
import subprocess
import sys
import time

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_iris

from cogmap.exceptions import DataError
from cogmap.research.experiments.rivals import RIVALS
from cogmap.research.experiments.runner import run_tasks
from cogmap.research.experiments.store import ResultStore, StoreError, read_results
from cogmap.research.experiments.tasks import make_tasks

QUICK = ["knn3", "gnb", "mnb"]


def results(folder):
    """All results but for the times, which differ."""
    return {
        (row["dataset"], row["fold"], row["method"]): (row["accuracy"], row["f1_macro"], row["error"])
        for row in read_results(folder)
    }


def row(method, **changes):
    """A result as the store wants it."""
    known = {"dataset": "iris", "fold": 0, "method": method, "protocol": "strict", "seed": 123, "accuracy": 0.5}
    return {**known, "error": None, **changes}


def run(folder, datasets=("iris",), methods=QUICK, **options):
    with ResultStore(folder, "strict", 123) as store:
        return run_tasks(store, make_tasks(list(datasets), list(methods), "strict"), **options)


def test_every_result_is_a_line_with_all_that_is_needed(tmp_path):
    """At least dataset, protocol, method, fold, scores, seconds and error."""
    assert run(tmp_path) == 15
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    assert len(lines) == 15
    needed = {"dataset", "protocol", "method", "fold", "accuracy", "f1_macro", "fit_seconds", "error"}
    assert all(needed <= set(line) for line in lines)
    session = json.loads((tmp_path / "run.json").read_text())["sessions"][0]
    assert {"python", "numpy", "scikit-learn", "cogmap"} <= set(session["versions"])
    assert session["machine"]["cores"] >= 1


def test_what_is_there_is_not_done_again(tmp_path):
    """Running again does nothing; more tasks run only what is missing."""
    run(tmp_path)
    assert run(tmp_path) == 0
    assert run(tmp_path, methods=[*QUICK, "knn5"]) == 5
    assert len(read_results(tmp_path)) == 20


def test_two_processes_give_what_one_gives(tmp_path):
    """Parallel or not, the same scores."""
    run(tmp_path / "one", n_jobs=1)
    run(tmp_path / "two", n_jobs=2)
    assert results(tmp_path / "one") == results(tmp_path / "two")


def test_the_map_gives_transformation_and_pipelines_too(tmp_path):
    """One task: the map, its clusters, and each of 12 rivals after it."""
    rows = make_tasks(["iris"], ["fcm"], "strict")[0].run()
    assert [row["method"] for row in rows[:2]] == ["fcm", "fcm_mnb"]
    assert len(rows) == 13
    assert not any(row["error"] for row in rows)
    clusters = rows[0]["clustering"]
    assert clusters["silhouette"]["test_transformed"] > clusters["silhouette"]["test_original"]
    assert clusters["davies_bouldin"]["train_transformed"] < clusters["davies_bouldin"]["train_original"]


def test_the_map_of_the_first_fold_is_kept_as_a_picture():
    """Its view has plain numbers and the column names; other folds have none."""
    tasks = {task.fold: task for task in make_tasks(["iris"], ["fcm"], "strict")}
    view = tasks[0].run()[0]["map"]
    assert json.loads(json.dumps(view, allow_nan=False)) == view
    hidden = {f"hidden {i + 1}" for i in range(16)}
    assert set(view["names"]) <= {*load_iris().feature_names, "class=0", "class=1", "class=2"} | hidden
    assert view["edges"]
    assert "map" not in tasks[1].run()[0]


class Broken:
    """A rival that fails, or whose probabilities are no numbers."""

    def __init__(self, probability=None):
        self.probability = probability

    def fit(self, X, y):
        if self.probability is None:
            raise RuntimeError("does not work")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[0], len(X))

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), self.probability)


def test_a_failing_method_is_a_row_with_its_error(tmp_path, monkeypatch):
    """The run goes on."""
    monkeypatch.setitem(RIVALS, "gnb", lambda options, X: Broken())
    run(tmp_path)
    failed = [row for row in read_results(tmp_path) if row["error"]]
    assert len(failed) == 5
    assert {(row["method"], row["error"], row["accuracy"]) for row in failed} == {
        ("gnb", "RuntimeError: does not work", None)
    }


def test_a_failed_result_is_tried_again_and_replaced(tmp_path, monkeypatch):
    """It does not count as there, however often it fails; once it goes well, no trace of the failure is left."""
    with monkeypatch.context() as broken:
        broken.setitem(RIVALS, "gnb", lambda options, X: Broken())
        run(tmp_path)
        assert run(tmp_path) == 5
    with ResultStore(tmp_path, "strict", 123) as store:
        tasks = make_tasks(["iris"], QUICK, "strict")
        assert {task.method for task in store.failed(tasks)} == {"gnb"}
        assert len(store.failed(tasks)) == len(store.missing(tasks)) == 5
    assert run(tmp_path) == 5
    assert run(tmp_path) == 0
    assert not any(row["error"] for row in read_results(tmp_path))
    assert (tmp_path / "results.jsonl").read_text().count("\n") == 15


def test_a_score_that_is_no_number_is_a_failure(tmp_path, monkeypatch):
    """Not NaN in a file that is to be JSON, and in a mean."""
    monkeypatch.setitem(RIVALS, "gnb", lambda options, X: Broken(np.nan))
    run(tmp_path, methods=["gnb"])
    errors = [row["error"] for row in read_results(tmp_path)]
    assert len(errors) == 5
    assert all("must be numbers from 0 to 1, got nan" in error for error in errors)
    assert "NaN" not in (tmp_path / "results.jsonl").read_text()


def test_a_torn_line_is_cut_off_and_done_again(tmp_path):
    """As a kill in the middle of a write leaves it."""
    run(tmp_path)
    path = tmp_path / "results.jsonl"
    whole = path.read_text()
    path.write_text(whole[:-40])
    assert run(tmp_path) == 1
    assert path.read_text().count("\n") == 15
    assert all(json.loads(line) for line in path.read_text().splitlines())
    assert results(tmp_path).keys() == {("iris", fold, method) for fold in range(5) for method in QUICK}


def test_two_runs_in_one_folder_exclude_each_other(tmp_path):
    """The second raises an error immediately, and the first continues."""
    with ResultStore(tmp_path, "strict", 123), pytest.raises(StoreError, match="Another run is writing"):
        ResultStore(tmp_path, "strict", 123).__enter__()
    with ResultStore(tmp_path, "strict", 123):
        pass


def test_two_experiments_do_not_mix_in_one_folder(tmp_path):
    """Another protocol or seed needs another folder."""
    run(tmp_path)
    for protocol, seed in (("author", 123), ("strict", 7)):
        with pytest.raises(StoreError, match=r"holds results of .* Give another folder"):
            ResultStore(tmp_path, protocol, seed).__enter__()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full on this system")
def test_a_full_disk_is_told_and_keeps_what_is_there(tmp_path):
    """/dev/full acts as a full disk."""
    with ResultStore(tmp_path, "strict", 123) as store:
        store.append([row("a")])
        with open("/dev/full", "wb", buffering=0) as full:
            store._file = full
            with pytest.raises(StoreError, match=r"No space left.*is safe"):
                store.append([row("b")])
    assert [row["method"] for row in read_results(tmp_path)] == ["a"]


def test_unknown_names_are_told_with_the_nearest():
    """Datasets and methods."""
    with pytest.raises(DataError, match=r"Unknown method 'knn4'. Did you mean 'knn"):
        make_tasks(["iris"], ["knn4"], "strict")
    with pytest.raises(DataError, match="Unknown dataset 'wein'"):
        make_tasks(["wein"], ["fcm"], "strict")


def test_killed_at_any_moment_it_goes_on_where_it_was(tmp_path):
    """A real process, killed with SIGKILL twice, then run to the end: all results are there, once each."""
    command = [sys.executable, "-m", "cogmap", "reproduce", "--datasets", "wine", "--methods", "gnb,fcm,knn3,dtree"]
    command += ["--out", os.fspath(tmp_path), "--jobs", "2"]
    for least in (1, 12):
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        deadline = time.monotonic() + 120
        while len(read_results(tmp_path)) < least and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    before = len(read_results(tmp_path))
    assert before >= 12
    end = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "results already exist" in end.stdout or before == 80
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    keys = [(line["dataset"], line["fold"], line["method"]) for line in lines]
    assert len(set(keys)) == 5 * (13 + 3)
    assert (tmp_path / "report.html").is_file()


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_does_the_work(tmp_path):
    """A real local cluster with two workers gives the same results."""
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        run(tmp_path / "dask")
        assert len(client.scheduler_info()["workers"]) == 2
    run(tmp_path / "here", n_jobs=1)
    assert results(tmp_path / "dask") == results(tmp_path / "here")
