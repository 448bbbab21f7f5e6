"""Memory told from sizes, as a table, without any fit; and what is too large, refused at once."""

import time
from itertools import pairwise

import numpy as np
import pytest

from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor
from cogmap._learning import size
from cogmap._learning.settings import DataShape, resolve
from cogmap._learning.size import estimate, free_memory
from cogmap.exceptions import DataError, ParameterError

USUAL = FCMClassifier().get_params(deep=False)

# Parameters, (rows, features, outputs), and by how many megabytes the largest memory of a process grew in the fit.
MEASURED = [
    ({}, (30, 1000, 1), 228),
    ({}, (30, 2000, 1), 905),
    ({"l1_ratio": 0.5}, (30, 1000, 1), 731),
    ({"solver": "adam"}, (30, 1000, 1), 94),
    ({"weight_bounds": (-9, 9)}, (30, 1000, 1), 388),
    ({"monotonic_cst": [1] + [0] * 999}, (30, 1000, 1), 414),
    ({"n_teachers": 2}, (30, 900, 1), 358),
    ({"n_teachers": 2, "prior": None}, (30, 900, 1), 258),
    ({}, (3000, 1000, 1), 270),
    ({"depth": 6}, (3000, 1000, 1), 289),
    ({}, (3000, 5, 1000), 229),
    ({"n_threads": 2}, (20_000, 300, 1), 63),
    ({"depth": 200, "n_threads": 2, "max_iter": 2}, (30_000, 50, 1), 630),
    ({"depth": 20_000, "n_hidden": 0, "max_iter": 3}, (30, 2, 1), 24),
]


@pytest.mark.parametrize(("parameters", "sizes", "megabytes"), MEASURED)
def test_memory_is_told_within_a_factor_of_one_and_a_half(parameters, sizes, megabytes):
    """Against what fits of these sizes were measured to take."""
    shape = DataShape(*sizes, n_values=sizes[0] * sizes[1])
    told = estimate(shape, resolve(USUAL | parameters, shape)) / 1e6
    assert megabytes / 1.5 < told < 1.5 * megabytes


GROWING = ["n_rows", "n_features", "n_outputs", "n_hidden", "depth"]


@pytest.mark.parametrize("what", GROWING)
def test_more_of_anything_takes_no_less(what):
    """Memory never falls with rows, features, outputs, hidden concepts or depth."""
    sizes = {"n_rows": 5000, "n_features": 300, "n_outputs": 10, "n_hidden": 30, "depth": 3}
    told = []
    for factor in (1, 2, 10, 100):
        changed = sizes | {what: sizes[what] * factor}
        shape = DataShape(changed["n_rows"], changed["n_features"], changed["n_outputs"])
        settings = resolve(USUAL | {"n_hidden": changed["n_hidden"], "depth": changed["depth"]}, shape)
        told.append(estimate(shape, settings))
    assert all(a <= b for a, b in pairwise(told))


@pytest.mark.parametrize("estimator", [FCMClassifier, FCMClassifierCV, FCMRegressor])
@pytest.mark.parametrize(
    ("sizes", "parameters", "cure"),
    [
        ((30, 100_000), {"prior": None}, "feature_selection.*PCA"),
        ((30, 3), {"n_hidden": 10**9}, "Lower n_hidden"),
    ],
)
def test_what_is_too_large_is_refused_at_once(estimator, sizes, parameters, cure):
    """With what it would need, what there is, and what to make smaller."""
    X, y = np.ones(sizes), np.arange(sizes[0]) % 2
    began = time.monotonic()
    with pytest.raises(DataError, match=rf"would need about .* GB of memory to train on.*GB are free.*{cure}"):
        estimator(**parameters).fit(X, y)
    assert time.monotonic() - began < 10.0


def test_too_many_classes_are_refused_at_once():
    """Every class is a concept."""
    y = np.repeat(np.arange(50_000), 2)
    with pytest.raises(DataError, match=r"50000 outputs.*fewer classes"):
        FCMClassifier().fit(np.ones((len(y), 2)), y)


def test_what_is_too_large_is_refused_by_partial_fit_too():
    """It makes the same map."""
    with pytest.raises(DataError, match="Lower n_hidden"):
        FCMClassifier(n_hidden=10**9).partial_fit(np.ones((4, 2)), [0, 1, 0, 1], classes=[0, 1])


def test_what_would_fit_is_never_refused(monkeypatch, iris):
    """A machine with as much free memory as the estimate says learns."""
    shape = DataShape(*np.unique(iris[0], axis=0).shape, 3)
    needed = estimate(shape, resolve(USUAL, shape))
    monkeypatch.setattr(size, "free_memory", lambda: needed)
    FCMClassifier(structure="full", random_state=0).fit(*iris)
    monkeypatch.setattr(size, "free_memory", lambda: 0.5 * needed)
    with pytest.raises(DataError, match="would need"):
        FCMClassifier(structure="full", random_state=0).fit(*iris)


def test_this_machine_says_how_much_memory_is_free():
    """Some, and less than a petabyte."""
    assert 1e6 < free_memory() < 1e15


@pytest.mark.parametrize(
    ("estimator", "name", "value"),
    [
        (FCMClassifier, "n_jobs", 10**9),
        (FCMClassifier, "n_teachers", 10**9),
        (FCMClassifier, "depth", 10**9),
        (FCMClassifierCV, "n_folds", 10**9),
        (FCMClassifierCV, "depths", [2, 10**9]),
    ],
)
def test_numbers_of_parts_threads_and_steps_have_a_limit(estimator, name, value, iris):
    """Which the message says."""
    with pytest.raises(ParameterError, match=f"{name}.*<= 1000+, got 1000000000"):
        estimator(**{name: value}).fit(*iris)


def test_a_deep_map_of_many_rows_is_refused_at_once(monkeypatch):
    """Depth takes memory, too."""
    monkeypatch.setattr(size, "free_memory", lambda: 1e9)
    with pytest.raises(DataError, match="Lower depth"):
        FCMClassifier(depth=10_000).fit(np.random.default_rng(0).random((10_000, 3)), np.arange(10_000) % 2)
