"""Learning on a real cluster of processes: the bits of a local fit, lost workers, and partitions that are wrong."""

import os
import signal
import subprocess
import sys
import threading
import time

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client, LocalCluster
from sklearn.base import clone

from cogmap import FCMClassifier, FCMRegressor, save
from cogmap.exceptions import ClusterError, CogmapError, ParameterError
from cogmap.integrations.dask import DaskFCMClassifier, DaskFCMRegressor

# Dask leaves sockets and processes to be cleaned up later.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")

N = 150_001  # three segments, and more than a million values
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(N, 7)).astype(np.float32)
X[::11, 3] = np.nan
WAY = X[:, :3] @ np.array([2.0, -1.0, 0.5], dtype=np.float32) + X[:, 0] * X[:, 1]
CLASSES = np.where(WAY > 1, "high", np.where(WAY < -1, "low", "middle"))
VALUES = np.sin(WAY).astype(float)
WEIGHT = RANDOM.integers(0, 3, N).astype(float)
SHORT = {"solver": "lbfgs", "n_teachers": 0, "max_iter": 3, "tol": 0, "n_hidden": 3, "random_state": 0}


def new_cluster(**options):
    """Return a cluster of two processes of one thread each."""
    return LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", **options)


@pytest.fixture(scope="module")
def client():
    """A client of a cluster for all tests that leave it as it is."""
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        new_cluster() as cluster,
        Client(cluster) as it,
    ):
        yield it


def same(one, other):
    """Whether two estimators have learned the same map, bit by bit."""
    return np.array_equal(one.map_.weights, other.map_.weights) and one.loss_curve_ == other.loss_curve_


def arrays(y, size, *more):
    """Return features and targets as Dask arrays in chunks of some size."""
    return [da.from_array(X, chunks=(size, 4)), *(da.from_array(each, chunks=(size,)) for each in (y, *more))]


def frames(y, n_partitions):
    """Return features and targets as Dask data frames."""
    table = dd.from_pandas(pd.DataFrame(X, columns=list("abcdefg")).assign(y=y), npartitions=n_partitions)
    return table.drop(columns="y"), table["y"]


def test_the_map_is_that_of_a_local_fit(client):
    """Bit by bit, for arrays and data frames, divided in any way, with weights and with unknown sizes."""
    whole = FCMClassifier(**SHORT).fit(X, CLASSES)
    assert same(DaskFCMClassifier(**SHORT).fit(*arrays(CLASSES, 40_000)), whole)
    rows, y = arrays(CLASSES, 65_536)
    fcm = DaskFCMClassifier(**SHORT).fit(rows[rows[:, 0] < 100], y[rows[:, 0] < 100])  # sizes that are not known
    assert same(fcm, whole)
    fcm = DaskFCMClassifier(**SHORT).fit(*frames(CLASSES, 5))
    assert same(fcm, whole)
    assert fcm.map_.concepts[:7] == tuple("abcdefg")


def test_values_and_weights_are_those_of_a_local_fit(client):
    """Bit by bit."""
    whole = FCMRegressor(**SHORT).fit(X, VALUES, WEIGHT)
    assert same(DaskFCMRegressor(**SHORT).fit(*arrays(VALUES, 50_000, WEIGHT)), whole)


def test_teachers_are_those_of_chunks(client):
    """Where teachers learn from a sample, the cluster draws the same."""
    parameters = SHORT | {"n_teachers": 2, "n_hidden": 0, "class_weight": "balanced"}
    local = FCMClassifier(**parameters).fit_chunks([(X, CLASSES)])
    assert same(DaskFCMClassifier(**parameters).fit(*arrays(CLASSES, 30_000)), local)


@pytest.mark.parametrize("kind", ["counts", "quantiles", "ordered", "labels"])
def test_other_targets_are_those_of_chunks(client, kind):
    """Statistics of all rows, such as the mean of counts, and thresholds from the sample are the same."""
    classifier = (FCMClassifier, DaskFCMClassifier)
    (local, on_cluster), y, parameters = {
        "counts": ((FCMRegressor, DaskFCMRegressor), np.rint(np.exp(VALUES)), {"loss": "poisson"}),
        "quantiles": ((FCMRegressor, DaskFCMRegressor), VALUES, {"loss": "quantile", "quantile": [0.2, 0.8]}),
        "ordered": (classifier, CLASSES, {"ordered": ["low", "middle", "high"]}),
        "labels": (classifier, np.column_stack([WAY > 0, WAY > 1]), {}),
    }[kind]
    expected = local(**SHORT, **parameters).fit_chunks([(X[:70_000], y[:70_000]), (X[70_000:], y[70_000:])])
    found = on_cluster(**SHORT, **parameters).fit(da.from_array(X, chunks=(40_000, 7)), da.from_array(y, chunks=40_000))
    assert same(found, expected)
    np.testing.assert_array_equal(found.to_local().predict(X[:100]), expected.predict(X[:100]))


def test_few_rows_are_learned_as_fit_does(client):
    """With teachers and words, and with labels that only one worker has."""
    y = np.where(np.arange(300) < 40, "rare", CLASSES[:300])
    table = dd.from_pandas(pd.DataFrame(X[:300], columns=list("abcdefg")).assign(y=y), npartitions=4)
    with_gaps = table.map_partitions(lambda part: part[(part.index < 75) | (part.index >= 150)])  # the second is empty
    for given in (table, with_gaps):
        here = given.compute()
        local = FCMClassifier(random_state=0).fit(here.drop(columns="y"), here["y"])
        fcm = DaskFCMClassifier(random_state=0).fit(given.drop(columns="y"), given["y"])
        assert same(fcm, local)
        assert list(fcm.classes_) == sorted(set(y))
        np.testing.assert_array_equal(fcm.feature_names_in_, local.feature_names_in_)


def test_predictions_are_lazy_and_those_of_the_local_model(client):
    """Of arrays and data frames, and of what is in memory."""
    fcm = DaskFCMClassifier(**SHORT).fit(*arrays(CLASSES, 75_000))
    local = fcm.to_local()
    assert type(local) is FCMClassifier
    assert local.get_params() == fcm.get_params()
    rows = da.from_array(X[:2000], chunks=(600, 3))
    for method in ("predict", "predict_proba", "decision_function", "transform"):
        lazy = getattr(fcm, method)(rows)
        assert isinstance(lazy, da.Array)
        expected = getattr(local, method)(X[:2000])
        assert lazy.shape == expected.shape
        np.testing.assert_array_equal(lazy.compute(), expected)
        np.testing.assert_array_equal(getattr(fcm, method)(X[:2000]), expected)
    assert fcm.score(rows, CLASSES[:2000]) == local.score(X[:2000], CLASSES[:2000])
    with pytest.raises(ValueError, match="6 features"):
        fcm.predict(rows[:, :6])
    with pytest.raises(ParameterError, match=r"one of type DaskFCMClassifier. Save its `to_local\(\)`"):
        save(fcm, "never.cogmap")
    clone(fcm)


@pytest.mark.parametrize("method", ["predict_interval", "predict_set"])
def test_intervals_and_sets_are_lazy_and_those_of_a_local_fit(client, method):
    """Of arrays and data frames, at any level, and with the novelty of rows."""
    classes, values = method == "predict_set", VALUES[:300]
    y = CLASSES[:300] if classes else values
    kinds = (FCMClassifier, DaskFCMClassifier) if classes else (FCMRegressor, DaskFCMRegressor)
    local, fcm = (kind(structure="additive", random_state=0) for kind in kinds)
    local.fit(X[:300], y)
    rows = da.from_array(X[:300], chunks=(120, 3))
    fcm.fit(rows, da.from_array(y, chunks=120))
    for name, options in ((method, ()), (method, (0.6,)), ("novelty_p_values", ())):
        lazy, expected = getattr(fcm, name)(rows, *options), getattr(local, name)(X[:300], *options)
        assert isinstance(lazy, da.Array)
        assert lazy.shape == expected.shape
        np.testing.assert_array_equal(lazy.compute(), expected)
        np.testing.assert_array_equal(getattr(fcm, name)(X[:300], *options), expected)
    with pytest.raises(ParameterError, match=r"For 90 %, use 0\.9"):
        getattr(fcm, method)(rows, 90)


def lost_when(wanted, client, what):
    """Do something to a cluster as soon as a number of sums have been asked for."""

    def watch():
        while not any("sums" in key for key in client.futures if isinstance(key, str)):
            time.sleep(0.01)
        time.sleep(wanted)
        what()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_a_lost_worker_costs_time_and_not_a_bit():
    """A process that is killed in the middle of a fit: others compute its partitions again."""
    parameters = SHORT | {"max_iter": 25}
    whole = FCMClassifier(**parameters).fit(X, CLASSES)
    with new_cluster() as cluster, Client(cluster) as client:
        victim = next(iter(client.run(os.getpid).values()))
        thread = lost_when(0.3, client, lambda: os.kill(victim, signal.SIGKILL))
        fcm = DaskFCMClassifier(**parameters).fit(*arrays(CLASSES, 40_000))
        thread.join()
        assert same(fcm, whole)
        assert victim not in client.run(os.getpid).values()


@pytest.mark.slow
@pytest.mark.parametrize("how", ["closed", "without workers"])
def test_a_cluster_that_goes_away_is_one_error(how):
    """Within about the timeout; the earlier model is unchanged."""
    cluster = new_cluster()
    client = Client(cluster)
    try:
        fcm = DaskFCMClassifier(**SHORT).fit(da.from_array(X[:90]), da.from_array(CLASSES[:90]))
        fcm.max_iter = 3000
        before = fcm.model_
        lost_when(0.2, client, cluster.close if how == "closed" else lambda: cluster.scale(0))
        start = time.monotonic()
        with client.as_current(), pytest.raises(ClusterError, match=r"disconnected|no worker left"):
            fcm.fit(*arrays(CLASSES, 40_000), timeout=2.0)
        assert time.monotonic() - start < 120.0  # not for ever; on a slow machine
        assert fcm.model_ is before
    finally:
        client.close()
        if how != "closed":
            cluster.close()


def kills(block):
    """End the process that computes a partition."""
    os._exit(1)


def has_no_memory(block):
    """Be a partition for which there is no memory."""
    raise MemoryError("too large")


def fails(block):
    """Be a partition that cannot be read."""
    raise OSError("no such disk")


def other(change):
    """Return a collection in which some partitions differ from the others."""
    frame = pd.DataFrame(X[:40].astype(float), columns=list("abcdefg"))
    parts = [dask.delayed(frame), dask.delayed(change)(frame)]
    return dd.from_delayed(parts, meta=frame, verify_meta=False), dd.from_pandas(
        pd.Series(CLASSES[:80]), npartitions=2, sort=False
    )


few = da.from_array(X[:80], chunks=(40, 7)), da.from_array(CLASSES[:80], chunks=40)
BAD = {
    "no collection": (lambda: (X[:80], few[1]), ParameterError, "a Dask array or data frame"),
    "no collection of targets": (lambda: (few[0], CLASSES[:80]), ParameterError, "a Dask array or data frame"),
    "a vector": (lambda: (few[1], few[1]), ParameterError, "two-dimensional"),
    "fewer targets": (lambda: (few[0], few[1][:70]), ParameterError, "of length 80"),
    "other partitions": (
        lambda: (few[0], dd.from_pandas(pd.Series(CLASSES[:80]), npartitions=1)),
        CogmapError,
        "2 part",
    ),
    "rows of X": (  # of the first partition only: which of two would be told of first is chance
        lambda: (
            few[0][few[0][:, 0] > 0],
            few[1][da.concatenate([few[0][:40, 1] > 0, few[0][40:, 0] > 0])],
        ),
        CogmapError,
        "20 rows of X, 17 of y",
    ),
    "no rows": (
        lambda: (few[0][few[0][:, 0] > 99], few[1][few[0][:, 0] > 99]),
        CogmapError,
        "all partitions are empty",
    ),
    "other names": (
        lambda: other(lambda f: f.rename(columns={"b": "z"})),
        CogmapError,
        "partition 1: the columns.*'z'",
    ),
    "other order": (lambda: other(lambda f: f[list("gfedcba")]), CogmapError, "partition 1: the columns"),
    "fewer columns": (lambda: other(lambda f: f[["a", "b"]]), CogmapError, "partition 1: the columns"),
    "text": (lambda: other(lambda f: f.assign(a="red")), CogmapError, "partition 1:.*text.*'a'"),
    "infinite": (lambda: other(lambda f: f.assign(a=np.inf)), CogmapError, "partition 1:.*infinity"),
    "one class": (lambda: (few[0], da.zeros(80, chunks=40)), CogmapError, "at least 2 classes"),
    "cannot be read": (lambda: (few[0].map_blocks(fails, meta=X[:0]), few[1]), CogmapError, "no such disk"),
    "no memory": (lambda: (few[0].map_blocks(has_no_memory, meta=X[:0]), few[1]), ClusterError, "memory"),
    "ends processes": (
        lambda: (few[0].map_blocks(kills, meta=X[:0]), few[1]),
        ClusterError,
        "repeatedly lost a worker",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_partitions_are_said(client, case):
    """One error that names the partition, and no waiting."""
    given, kind, message = BAD[case]
    with pytest.raises(kind, match=message):
        DaskFCMClassifier(**SHORT).fit(*given())


def test_a_cut_file_is_said(client, tmp_path):
    """One of the files of a folder."""
    table = pd.DataFrame(X[:100].astype(float), columns=list("abcdefg")).assign(y=CLASSES[:100])
    for i in range(3):
        table.to_parquet(tmp_path / f"{i}.parquet")
    given = dd.read_parquet(tmp_path)
    (tmp_path / "2.parquet").write_bytes((tmp_path / "2.parquet").read_bytes()[:900])
    with pytest.raises(CogmapError, match=r"cannot compute a partition.*[Pp]arquet"):
        DaskFCMClassifier(**SHORT).fit(given.drop(columns="y"), given["y"])


def test_without_a_client_it_is_said():
    """And how to make one: in a process of its own, since here is one."""
    code = (
        "import dask.array as da; from cogmap.integrations.dask import DaskFCMClassifier\n"
        "DaskFCMClassifier().fit(da.ones((9, 2)), da.ones(9))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ClusterError" in result.stderr
    assert "Client()" in result.stderr


@pytest.mark.parametrize("parameters", [{"solver": "adam"}, {"early_stopping": True}, {"terms": "auto"}])
def test_what_needs_all_rows_is_refused(parameters):
    """Before a cluster is asked."""
    with pytest.raises(ParameterError, match="for rows in chunks"):
        DaskFCMClassifier(**parameters).fit(*few)
    with pytest.raises(ParameterError, match="timeout"):
        DaskFCMClassifier().fit(*few, timeout=0)
