"""The same bits: for processes, threads, threads of BLAS, orders of rows, and containers."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csc_array, csr_matrix
from threadpoolctl import threadpool_limits

from cogmap import FCMClassifier, FCMRegressor

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(-8, 9, (120, 4)) / 8.0
WAY = X @ [3.0, -1.0, 2.0, 0.0]
TARGETS = {FCMClassifier: np.abs(WAY).astype(int) % 3, FCMRegressor: np.sin(WAY)}
both = pytest.mark.parametrize("estimator", TARGETS)


def bits(estimator, X=X, y=None, **parameters):
    """Return a fingerprint of the learned map and of what it says."""
    fcm = estimator(random_state=0, **parameters).fit(X, TARGETS[estimator] if y is None else y)
    said = fcm.predict_proba(X) if estimator is FCMClassifier else fcm.predict(X)
    # Sorted, because the rows may come in another order.
    arrays = [fcm.map_.weights, fcm.map_.bias, np.sort(said, axis=0), np.sort(fcm.transform(X), axis=0)]
    return hashlib.sha256(b"".join(np.ascontiguousarray(array, dtype=float).tobytes() for array in arrays)).hexdigest()


@both
@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
def test_threads_change_not_a_bit(estimator, n_jobs):
    """However many take the blocks of rows."""
    assert bits(estimator, n_jobs=n_jobs) == bits(estimator)


@both
@pytest.mark.parametrize("limit", [1, 2, 4])
def test_threads_of_blas_change_not_a_bit(estimator, limit):
    """They are held to one."""
    with threadpool_limits(limit):
        within = bits(estimator)
    assert within == bits(estimator)


@both
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_rows_changes_not_a_bit(estimator, seed):
    """Rows are brought into an order of their own."""
    order = np.random.default_rng(seed).permutation(len(X))
    assert bits(estimator, X[order], TARGETS[estimator][order]) == bits(estimator)


CONTAINERS = {
    "list": lambda: X.tolist(),
    "columns together": lambda: np.asfortranarray(X),
    "a view": lambda: np.repeat(X, 2, axis=1)[:, ::2],
    "read-only": lambda: np.frombuffer(X.tobytes()).reshape(X.shape),
    "pandas": lambda: pd.DataFrame(X, columns=list("abcd")),
    "polars": lambda: pl.DataFrame(X, schema=list("abcd")),
    "sparse rows": lambda: csr_matrix(X),
    "sparse columns": lambda: csc_array(X),
}


@both
@pytest.mark.parametrize("container", CONTAINERS)
def test_the_container_changes_not_a_bit(estimator, container):
    """The numbers in it do, nothing else."""
    assert bits(estimator, CONTAINERS[container]()) == bits(estimator)


@both
@pytest.mark.parametrize("n_threads", ["1", "2"])
def test_another_process_learns_the_same_bits(estimator, n_threads):
    """With another seed of hashes, and BLAS told before it starts how many threads it has."""
    code = f"import sys; sys.path.insert(0, {str(__file__.rpartition('/')[0])!r}); import test_bits as t; "
    code += f"print(t.bits(t.{estimator.__name__}))"
    changed = {"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": n_threads, "OPENBLAS_NUM_THREADS": n_threads}
    environment = os.environ | changed  # which may name the kernels of BLAS
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == bits(estimator)
