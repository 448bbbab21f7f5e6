"""Learning from tables in chunks: the same model as from one table, and bad chunks said so."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from cogmap import FCMClassifier, FCMRegressor
from cogmap._utils.segments import SEGMENT, PairwiseSum
from cogmap.estimators._chunks import Chunks
from cogmap.exceptions import CogmapError, DataError, ParameterError
from cogmap.integrations.chunks import array_chunks, csv_chunks, parquet_chunks
from cogmap.maps.structured import StructuredMap

N = 2 * SEGMENT + 20_000  # three segments, and more than a million values
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(N, 7)).astype(np.float32)
X[::11, 3] = np.nan
WAY = X[:, :3] @ np.array([2.0, -1.0, 0.5], dtype=np.float32) + X[:, 0] * X[:, 1]
TARGETS = {
    "classes": np.where(WAY > 1, "high", np.where(WAY < -1, "low", "middle")),
    "values": np.sin(WAY).astype(float),
}
WEIGHT = RANDOM.integers(0, 3, N).astype(float)
SHORT = {"solver": "lbfgs", "n_teachers": 0, "max_iter": 3, "tol": 0, "n_hidden": 3, "random_state": 0}


def cut(size, y, weight=None, X=X):
    """Return the rows in chunks of some size."""
    return [
        (X[i : i + size], y[i : i + size], *([] if weight is None else [weight[i : i + size]]))
        for i in range(0, len(X), size)
    ]


def same(one, other):
    """Whether two estimators have learned the same map, bit by bit."""
    return (
        np.array_equal(one.map_.weights, other.map_.weights)
        and np.array_equal(one.map_.bias, other.map_.bias)
        and one.loss_curve_ == other.loss_curve_
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("estimator", "kind"), [(FCMClassifier, "classes"), (FCMRegressor, "values")])
def test_chunks_give_the_map_of_the_whole_table(estimator, kind, weighted):
    """Bit by bit, wherever chunks begin and end."""
    weight = WEIGHT if weighted else None
    whole = estimator(**SHORT).fit(X, TARGETS[kind], weight)
    for size in (N, 33_333):
        assert same(estimator(**SHORT).fit_chunks(cut(size, TARGETS[kind], weight)), whole)


def test_segments_of_a_long_chunk_are_not_copied():
    """One chunk of many rows costs no more than many short ones: each segment is a part of the chunk itself."""
    y = np.zeros(N)
    y[0] = 1.0
    source = Chunks([(X[:5000], y[:5000]), (X[5000:], y[5000:])], FCMClassifier(**SHORT))
    segments = list(source.segments())
    assert [len(segment[0]) for segment in segments] == [SEGMENT, SEGMENT, N - 2 * SEGMENT]
    assert [np.shares_memory(segment[0], X) for segment in segments] == [False, True, False]
    np.testing.assert_array_equal(np.concatenate([segment[0] for segment in segments]), X)


def test_class_weights_are_those_of_all_chunks():
    """The shares of the classes are counted over all rows."""
    parameters = SHORT | {"class_weight": "balanced"}
    whole = FCMClassifier(**parameters).fit(X, TARGETS["classes"])
    assert same(FCMClassifier(**parameters).fit_chunks(cut(50_000, TARGETS["classes"])), whole)


@pytest.mark.parametrize("parameters", [{"n_teachers": 2}, {"terms": 3}, {"n_teachers": 2, "terms": {"x1": 2}}])
def test_teachers_and_words_do_not_depend_on_the_chunks(parameters):
    """They come from a sample, which is the same whoever draws it."""
    parameters = SHORT | {"n_hidden": 0} | parameters
    first = FCMClassifier(**parameters).fit_chunks(cut(N, TARGETS["classes"]))
    assert same(FCMClassifier(**parameters).fit_chunks(cut(10_007, TARGETS["classes"])), first)
    assert first.score(X[:2000], TARGETS["classes"][:2000]) > 0.6


@pytest.mark.parametrize("n_teachers", [0, 2])
def test_many_columns_make_a_structured_map_as_in_fit(n_teachers):
    """Of those that matter, with nearly the predictions of `fit`, however the rows are divided."""
    wide = np.random.default_rng(1).normal(size=(11_000, 110)).astype(np.float32)
    y = (wide[:, 3] - wide[:, 50] + 0.5 * wide[:, 9] > 0).astype(int)
    parameters = SHORT | {"n_teachers": n_teachers, "max_iter": 20}
    whole = FCMClassifier(**parameters).fit(wide, y)
    first, other = (FCMClassifier(**parameters).fit_chunks(cut(size, y, X=wide)) for size in (11_000, 777))
    assert isinstance(whole.map_, StructuredMap)
    assert isinstance(first.map_, StructuredMap)
    assert np.array_equal(first.map_.rows, other.map_.rows)
    assert set(np.flatnonzero(first.feature_importances_)) >= {3, 9, 50}
    assert (first.predict(wide) == whole.predict(wide)).mean() > 0.95


@pytest.mark.parametrize(("estimator", "kind"), [(FCMClassifier, "classes"), (FCMRegressor, "values")])
def test_few_rows_are_learned_as_fit_does(estimator, kind):
    """With teachers, and equal rows merged; chunks may be empty."""
    some, y = X[:300], TARGETS[kind][:300]
    chunks = [(some[:0], y[:0]), *cut(70, y, X=some), (some[:0], y[:0])]
    assert same(estimator(random_state=0).fit_chunks(chunks), estimator(random_state=0).fit(some, y))


def test_files_and_mapped_arrays_are_chunks(tmp_path):
    """Parquet, CSV and memory-mapped arrays, with the names of their columns."""
    frame = pd.DataFrame(X[:3000].astype(float), columns=list("abcdefg")).assign(y=TARGETS["values"][:3000], w=1.0)
    frame = (64 * frame).round() / 64  # a few digits, which text holds
    frame[:1000].to_parquet(tmp_path / "1.parquet")
    frame[1000:].to_parquet(tmp_path / "2.parquet", row_group_size=700)
    frame.to_csv(tmp_path / "all.csv", index=False)
    frame.to_csv(tmp_path / "semicolons.txt", index=False, sep=";", encoding="utf-16")
    np.save(tmp_path / "X.npy", frame[list("abcdefg")].to_numpy())
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    whole = FCMRegressor(**SHORT).fit(frame[list("abcdefg")], frame["y"], frame["w"])
    for chunks in (
        parquet_chunks(tmp_path, "y", "w"),
        parquet_chunks([tmp_path / "1.parquet", str(tmp_path / "2.parquet")], "y", "w"),
        csv_chunks(tmp_path / "all.csv", "y", "w"),
        csv_chunks(tmp_path / "semicolons.txt", "y", "w"),
    ):
        fcm = FCMRegressor(**SHORT).fit_chunks(chunks)
        assert same(fcm, whole)
        assert fcm.map_.concepts == whole.map_.concepts
    assert same(FCMRegressor(**SHORT).fit_chunks(array_chunks(mapped, frame["y"].to_numpy(), rows=999)), whole)
    two = FCMRegressor(**SHORT).fit_chunks(parquet_chunks(tmp_path, ["y", "a"], "w"))
    assert two.map_.concepts[-2:] == ("y", "a")


def test_pairs_are_added_the_same_way_at_any_level():
    """Who adds runs of 2**level segments first gets the sum of all, bit by bit."""
    values = RANDOM.normal(size=21) * 10.0 ** RANDOM.integers(-8, 8, 21)

    def summed(numbers):
        total = PairwiseSum(lambda before, after: before + after)
        for number in numbers:
            total.add(number)
        return total.result()

    for level in range(5):
        total = PairwiseSum(lambda before, after: before + after)
        for start in range(0, 21, 2**level):
            total.add(summed(values[start : start + 2**level]), level)
        assert total.result() == summed(values)
    assert abs(summed(values) - np.sum(values)) < 1e-6


def named(columns):
    """Return a chunk with names."""
    return pd.DataFrame(X[:50].astype(float), columns=list(columns)), TARGETS["classes"][:50]


few, one = (X[:50], TARGETS["classes"][:50]), np.zeros(50)
BAD = {
    "a generator": (lambda: (chunk for chunk in [few]), "read again"),
    "a number": (lambda: 3, "read again"),
    "no chunks": (list, "got no rows"),
    "chunks without rows": (lambda: [(X[:0], one[:0])], "got no rows"),
    "chunks without targets": (lambda: [few, X[:50]], r"\(X, y\)"),
    "other columns": (lambda: [few, (X[:50, :5], few[1])], "chunk 1: X has 5 features"),
    "other names": (lambda: [named("abcdefg"), named("abcdxfg")], "chunk 1: The feature names"),
    "text": (lambda: [few, (np.full((50, 7), "a"), few[1])], "chunk 1:.*text"),
    "infinite": (lambda: [few, (np.full((50, 7), np.inf), few[1])], "chunk 1:.*infinity"),
    "labels of two types": (lambda: [few, (X[:50], np.arange(50) % 3)], "chunk 1: y holds numbers, but text"),
    "two columns of targets": (lambda: [few, (X[:50], np.ones((50, 2)))], "chunk 1:"),
    "weights of some": (lambda: [few, (*few, np.ones(50))], "some chunks have sample weights"),
    "rows without targets": (lambda: [few, (X[:50], few[1][:40])], "chunk 1:.*inconsistent"),
    "sparse and large": (lambda: [(csr_array((70_000, 20_000)), np.arange(70_000) % 2)], "chunk 0: X is sparse"),
    "one class": (lambda: [(X[:50], one)], "at least 2 classes"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_chunks_are_said(case):
    """One error, which names the chunk; an earlier model stays."""
    chunks, message = BAD[case]
    fcm = FCMClassifier(random_state=0, max_iter=2, tol=0, n_teachers=0).fit(*few)
    before = fcm.model_
    with pytest.raises(CogmapError, match=message):
        fcm.fit_chunks(chunks())
    assert fcm.model_ is before


def test_chunks_that_change_are_noticed():
    """A second look finds other rows."""
    looks = []

    def shrinking():
        looks.append(None)
        yield from cut(60_000, TARGETS["classes"])[: 3 if len(looks) == 1 else 2]

    with pytest.raises(DataError, match="must not change"):
        FCMClassifier(**SHORT).fit_chunks(shrinking)


@pytest.mark.parametrize(
    "parameters", [{"solver": "adam"}, {"early_stopping": True}, {"warm_start": True}, {"terms": "auto"}]
)
def test_what_needs_all_rows_is_refused(parameters):
    """Before anything is read."""
    with pytest.raises(ParameterError, match="for rows in chunks"):
        FCMClassifier(**parameters).fit_chunks(lambda: pytest.fail("read"))


def damaged(path, how):
    """Return a file that cannot be read."""
    frame = pd.DataFrame(X[:500].astype(float), columns=list("abcdefg")).assign(y=TARGETS["classes"][:500])
    frame.to_parquet(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2] if how == "cut" else b"PAR1" + bytes(len(content) - 8) + b"PAR1")


@pytest.mark.parametrize("how", ["cut", "overwritten"])
def test_a_damaged_file_is_named(tmp_path, how):
    """One error, with its name."""
    damaged(tmp_path / "bad.parquet", how)
    with pytest.raises(DataError, match=r"bad\.parquet cannot be read: it is damaged"):
        FCMClassifier(**SHORT).fit_chunks(parquet_chunks(tmp_path, "y"))


def test_what_is_not_in_a_file_is_said(tmp_path):
    """Files and columns that are not there, with the nearest name."""
    pd.DataFrame({"size": [1.0, 2.0], "label": [0, 1]}).to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(DataError, match=r"no column 'labels'.*Did you mean 'label'"):
        FCMClassifier().fit_chunks(csv_chunks(tmp_path, "labels"))
    (tmp_path / "c.csv").write_text("size,label\n1,0\n2,1,3\n")
    with pytest.raises(DataError, match=r"Row 2 of .*c\.csv cannot be used: it has more values than the header"):
        FCMClassifier().fit_chunks(csv_chunks(tmp_path / "c.csv", "label"))
    with pytest.raises(ParameterError, match="does not exist"):
        csv_chunks(tmp_path / "b.csv", "label")
    with pytest.raises(ParameterError, match="got none"):
        parquet_chunks(tmp_path, "label")


MEASURED = """
import re, sys
from pathlib import Path
import numpy as np
from cogmap import FCMClassifier
random = np.random.default_rng(0)

def chunks(n_chunks):
    for _ in range(n_chunks):
        X = np.random.default_rng(0).random((40_000, 8))
        yield X, (X[:, 0] > X[:, 1]).astype(int)

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

import warnings; warnings.simplefilter("ignore")
fcm = FCMClassifier(n_teachers=0, max_iter=1, tol=0, n_hidden=2)
fcm.fit_chunks(lambda: chunks(4))
before = peak()
fcm.fit_chunks(lambda: chunks(60))
print((peak() - before) / 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux tells the peak of memory")
def test_memory_does_not_grow_with_the_rows():
    """15 times as many rows, 143 MB of features more, and hardly more memory."""
    result = subprocess.run([sys.executable, "-c", MEASURED], capture_output=True, text=True, check=True)
    assert float(result.stdout) < 40.0
