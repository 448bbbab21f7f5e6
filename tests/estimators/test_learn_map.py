"""Maps found again from their runs, with missing values, drivers, priors, bounds and units; wrong input as a table."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import ConvergenceWarning

from cogmap import FuzzyCognitiveMap, learn_map
from cogmap._learning.sequence.observed import ObservedSteps
from cogmap.exceptions import CogmapError
from cogmap.maps.scenarios import scenario


def planted(n, seed, n_runs=40, noise=0.02):
    """Return the weights of a random map, and noisy runs of it."""
    rng = np.random.default_rng(seed)
    arrows = rng.random((n, n)) < 0.3
    np.fill_diagonal(arrows, False)
    weights = np.where(arrows, rng.uniform(0.2, 1.0, (n, n)) * rng.choice([-1, 1], (n, n)), 0.0)
    fcm = FuzzyCognitiveMap(weights, activation="logistic")
    runs = []
    for _ in range(n_runs):
        states = [rng.random(n)]
        for _ in range(5):
            states.append(np.clip(fcm.step(states[-1]) + noise * rng.normal(size=n), 0, 1))
        runs.append(np.array(states))
    return weights, runs


def test_planted_arrows_are_found_with_their_signs():
    """The figures asked of the method, on one map; `benchmarks.forecasting` has more of them."""
    weights, runs = planted(20, seed=0)
    learned = learn_map(runs).map.weights
    arrows, found = weights != 0, learned != 0
    assert 2 * (arrows & found).sum() / (arrows.sum() + found.sum()) >= 0.9
    assert (np.sign(learned) == np.sign(weights))[arrows].mean() >= 0.97


@pytest.mark.parametrize("steps", [1, 3])
def test_the_gradient_is_that_of_finite_differences(steps):
    """Through several steps, with drivers and missing values."""
    rng = np.random.default_rng(0)
    runs = [rng.random((6, 4)) for _ in range(3)]
    runs[0][2, 1] = np.nan
    observed = ObservedSteps.of(runs, steps, 2.0, np.array([3]))
    W, b = rng.normal(size=(4, 4)), rng.normal(size=4)
    _, dW, db = observed.loss_and_gradient(W, b)
    for array, gradient in ((W, dW), (b, db)):
        for place in np.ndindex(array.shape):
            difference = 0.0
            for sign in (1, -1):
                array[place] += sign * 1e-6
                difference += sign * observed.loss_and_gradient(W, b)[0]
                array[place] -= sign * 1e-6
            np.testing.assert_allclose(gradient[place], difference / 2e-6, atol=1e-8)


def test_more_steps_help_if_observations_are_noisy():
    """The noise of a start is then seen by several steps."""
    weights, runs = planted(6, seed=2, n_runs=60, noise=0.0)
    rng = np.random.default_rng(0)
    noisy = [run + 0.03 * rng.normal(size=run.shape) for run in runs]
    errors = {}
    for steps in (1, 4):
        learned = learn_map([np.clip(run, 0, 1) for run in noisy], steps=steps, sparse=0, memory=False, bias=False)
        errors[steps] = np.abs(learned.map.weights - weights).mean()
    assert errors[4] < errors[1]


def test_units_are_kept():
    """Values in other units are scaled to states; the map predicts in these units."""
    rng = np.random.default_rng(0)
    x = np.zeros((200, 2))
    x[0] = 100, -5
    for t in range(1, 200):
        x[t, 0] = 100 + 0.5 * (x[t - 1, 0] - 100) + 4 * (x[t - 1, 1] + 5) + rng.normal()
        x[t, 1] = -5 + 0.6 * (x[t - 1, 1] + 5) + rng.normal()
    learned = learn_map(pd.DataFrame(x, columns=["price", "mood"]))
    assert learned.map.concepts == ("price", "mood")
    np.testing.assert_allclose(learned.values(learned.states(x)), x)
    predicted = learned.values(learned.map.step(learned.states(x[:-1])))
    assert np.corrcoef(predicted[:, 0], x[1:, 0])[0, 1] > 0.95
    assert learned.map.weights[0, 1] > 0


def test_a_driver_is_held_and_its_effect_has_the_right_sign():
    """A scenario of the learned map takes it."""
    rng = np.random.default_rng(0)
    u, x = rng.random(300), np.zeros(300)
    for t in range(1, 300):
        x[t] = 1 / (1 + np.exp(-(x[t - 1] - 2 * u[t - 1])))
    learned = learn_map(np.column_stack([x, u]), drivers=["u"], concepts=["x", "u"])
    assert learned.map.held == ("u",)
    assert scenario(learned.map, {"u": 1.0}).change[0] < 0


def test_bounds_prior_memory_and_bias_are_kept():
    """Weights stay within bounds; an expert's arrow is not removed."""
    weights, runs = planted(6, seed=1)
    i, j = np.argwhere(weights > 0)[0]
    names = [f"C{k + 1}" for k in range(6)]
    bounded = learn_map(runs, bounds={(names[j], names[i]): "-"}, memory=False, bias=False).map
    assert bounded.weights[i, j] <= 0
    assert not np.diag(bounded.weights).any()
    assert not bounded.bias.any()
    a, b = np.argwhere((weights == 0) & ~np.eye(6, dtype=bool))[0]
    expert = np.zeros((6, 6))
    expert[a, b] = 0.5
    pulled = learn_map(runs[:2], prior=FuzzyCognitiveMap(expert, concepts=names), alpha=1000.0).map
    np.testing.assert_allclose(pulled.weights[a, b], 0.5, atol=0.1)


def test_missing_values_of_pandas_are_missing():
    """As NaN is."""
    _, runs = planted(3, seed=0)
    frame = pd.DataFrame(runs[0]).astype("Float64")
    frame.iloc[2, 1] = pd.NA
    expected = learn_map(frame.to_numpy(dtype=float, na_value=np.nan), sparse=0).map.weights
    np.testing.assert_array_equal(learn_map(frame, sparse=0).map.weights, expected)


def test_more_iterations_are_the_cure_of_too_few():
    """There is no solver to choose."""
    with pytest.warns(ConvergenceWarning, match=r"still falls. Increase max_iter.$"):
        learn_map(RUN, max_iter=1)


def test_missing_values_are_undecided():
    """A tenth of them leaves the signs right."""
    weights, runs = planted(6, seed=3)
    rng = np.random.default_rng(0)
    gaps = [np.where(rng.random(run.shape) < 0.05, np.nan, run) for run in runs]
    learned = learn_map(gaps, sparse=0).map.weights
    strong = np.abs(weights) > 0.4
    assert (np.sign(learned) == np.sign(weights))[strong].mean() > 0.9


def test_steps_from_missing_values_can_be_left_out():
    """Learning is then that from the complete steps alone, and drivers must be known in all steps between."""
    _, runs = planted(4, seed=5)
    gaps = [run.copy() for run in runs]
    for run in gaps:
        run[2, 0] = np.nan
    skipped = learn_map(gaps, missing="skip").map
    # Each run in two parts: up to the gap, without what is missing in it, and after the gap.
    parts = [part for run in gaps for part in (run[:3], run[3:])]
    # Sums over other rows are rounded otherwise, and by kernels of BLAS without AVX-512 more so.
    np.testing.assert_allclose(skipped.weights, learn_map(parts).map.weights, atol=1e-5)
    assert np.abs(skipped.weights - learn_map(gaps).map.weights).max() > 0.01
    driven = learn_map(gaps, missing="skip", drivers=["C1"], steps=2)
    assert np.isfinite(driven.map.weights).all()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_are_found_by_name(frame):
    """Those of the first run give the order."""
    _, runs = planted(3, seed=5)
    names = ["a", "b", "c"]
    frames = [frame({name: run[:, k] for k, name in enumerate(names)}) for run in runs]
    turned = [frames[0], *(run[["c", "a", "b"]] for run in frames[1:])]
    learned = learn_map(turned).map
    assert learned.concepts == ("a", "b", "c")
    np.testing.assert_array_equal(learned.weights, learn_map(runs).map.weights)


RUN = np.random.default_rng(0).random((6, 3))
FRAME = pd.DataFrame(RUN, columns=["a", "b", "c"])
WRONG = [
    ({"runs": [[0.5, 0.5]]}, "at least 2 of each"),
    ({"runs": "states"}, "got 'states'"),
    ({"runs": []}, "runs=..."),
    (
        {"runs": [FRAME, FRAME.rename(columns={"c": "d"})]},
        r"run 1: the columns are \['a', 'b', 'd'\], those of the first",
    ),
    ({"runs": FRAME.assign(day=pd.date_range("2020", periods=6))}, "run 0: the column 'day' has dates. Leave it out"),
    ({"runs": [RUN, RUN[:, :2]]}, r"one of shape \(6, 2\)"),
    ({"runs": np.where(np.eye(6, 3) > 0, np.inf, RUN)}, "got inf"),
    ({"runs": np.where(np.arange(3) == 1, np.nan, RUN)}, "all values of 'C2' are missing"),
    ({"steps": 0}, "an integer >= 1"),
    ({"steps": 6}, "and <= 5, got 6. The longest run has no more steps"),
    ({"drivers": ["C9"]}, "got 'C9'"),
    ({"drivers": "C1"}, "a collection of names"),
    ({"drivers": ["C1", "C2", "C3"]}, "some but not all concepts"),
    ({"prior": FuzzyCognitiveMap([[0, 1], [1, 0]])}, "with the concepts"),
    ({"bounds": {("C1", "C9"): "+"}}, r"learn_map\(bounds=...\).*C9"),
    ({"bounds": (1, -1)}, r"learn_map\(bounds=...\)` must be \(low, high\)"),
    ({"runs": [[["a", "b"], ["c", "d"]]]}, "numbers of shape .*, got other values: could not convert string .*'a'"),
    ({"runs": np.where(np.arange(6)[:, None] % 2, np.nan, RUN)}, "no two successive observations are known"),
    ({"sparse": "much"}, "or a number"),
    ({"slope": 0}, "a number > 0"),
    ({"bias": "yes"}, "True or False"),
    ({"missing": "mean"}, "missing=...\\)` must be one of 'undecided', 'skip', got 'mean'"),
    (
        {"runs": np.where(np.arange(6)[:, None] % 3 == np.arange(3), np.nan, RUN), "missing": "skip"},
        "no two successive",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=[message[:30] for _, message in WRONG])
def test_wrong_arguments_get_a_sentence(arguments, message):
    """The message has what was expected and what was found."""
    with pytest.raises(CogmapError, match=message):
        learn_map(**{"runs": RUN, **arguments})
