"""Every "auto" settled, as a table, without any fit."""

import numpy as np
import pytest

from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor, FuzzyCognitiveMap
from cogmap._learning.settings import REGRESSION, DataShape, resolve

USUAL = FCMClassifier().get_params(deep=False)

# Features x0 and x1, a hidden concept, and the output.
NAMED = FuzzyCognitiveMap(np.eye(4), concepts=["x0", "x1", "hidden 1", "class=1"])

# Parameters, (rows, features, outputs), and what is settled.
SETTLED = [
    # Where features remember themselves, 16 hidden concepts compute, and up to 32 beside many features if rows allow.
    ({}, (100, 4, 3), {"n_hidden": 16, "depth": 2}),
    ({}, (100, 60, 3), {"n_hidden": 16, "depth": 2}),
    ({}, (2000, 60, 3), {"n_hidden": 30}),
    ({}, (500, 60, 3), {"n_hidden": 25}),
    ({}, (2999, 97, 3), {"n_hidden": 32}),
    ({}, (10**6, 98, 3), {"n_hidden": 0, "depth": 2}),
    # More only where a map of few features has one for 160 rows, up to 30 in all; a step more goes with few concepts.
    ({}, (100, 2, 1), {"n_hidden": 16, "depth": 3}),
    ({}, (2999, 2, 1), {"n_hidden": 16, "depth": 3, "solver": "lbfgs", "dtype": np.float64}),
    # Many rows: mini-batches, many hidden concepts, a step more; the number of steps grows with the root of the rows.
    (
        {},
        (3000, 2, 1),
        {
            "n_hidden": 28,
            "depth": 3,
            "solver": "adam",
            "dtype": np.float32,
            "n_teachers": 2,
            "max_iter": 80,
            "teacher_iter": 40,
            "batch_size": 500,
            "learning_rate": 0.012,
            "max_iter_is_auto": True,
        },
    ),
    ({}, (3000, 20, 1), {"n_hidden": 30}),
    ({}, (8500, 20, 1), {"n_hidden": 85}),
    ({}, (40_000, 20, 1), {"batch_size": 800, "learning_rate": 0.012 * 1.6}),
    ({}, (10**5, 20, 1), {"batch_size": 2000, "learning_rate": 0.048, "max_iter": 24}),
    ({"batch_size": 1000}, (3000, 2, 1), {"batch_size": 1000, "learning_rate": 0.024}),
    ({"learning_rate": 0.01}, (10**5, 20, 1), {"batch_size": 2000, "learning_rate": 0.01}),
    ({}, (10**6, 97, 3), {"n_hidden": 100, "solver": "adam", "max_iter": 8, "teacher_iter": 4}),
    ({}, (10**8, 97, 3), {"max_iter": 5}),
    ({}, (10**6, 98, 3), {"solver": "lbfgs", "n_teachers": 0}),
    ({"solver": "lbfgs"}, (10**6, 20, 1), {"n_hidden": 16, "n_teachers": 5, "max_iter": 300}),
    ({"n_hidden": 0}, (10**6, 2, 1), {"n_hidden": 0, "depth": 2, "solver": "adam"}),
    ({"n_hidden": 0}, (100, 2, 1), {"n_hidden": 0, "depth": 2}),
    ({"n_hidden": 2}, (100, 4, 3), {"n_hidden": 2, "depth": 2}),
    ({"depth": 2}, (100, 2, 1), {"n_hidden": 16, "depth": 2}),
    # Where nothing remembers: as many as make seven concepts, or one for 160 rows, up to 30.
    ({"prior": None}, (100, 4, 3), {"n_hidden": 0, "depth": 2, "start_width": 4.0}),
    ({"prior": None}, (100, 2, 1), {"n_hidden": 4, "depth": 3, "start_width": 8.0}),
    ({"prior": None}, (2999, 2, 1), {"n_hidden": 15}),
    ({"prior": None}, (2999, 17, 1), {"n_hidden": 0}),
    ({"prior": None}, (10**6, 20, 1), {"n_hidden": 100}),
    ({"prior": None, "n_hidden": 2}, (100, 4, 3), {"n_hidden": 2, "depth": 3}),
    # None where they have no place.
    ({"depth": 1}, (100, 2, 1), {"n_hidden": 0, "depth": 1}),
    ({"init": "correlation"}, (100, 2, 1), {"n_hidden": 0}),
    ({"init": "uniform"}, (100, 2, 1), {"n_hidden": 0}),
    ({"edges": [("a", "b")]}, (100, 2, 1), {"n_hidden": 0}),
    ({"weight_bounds": (np.zeros((3, 3)), 1.0)}, (100, 2, 1), {"n_hidden": 0}),
    ({"learn": "slopes", "init": "correlation"}, (100, 2, 1), {"n_hidden": 0}),
    ({"learn": "slopes", "prior": FuzzyCognitiveMap(np.eye(3))}, (100, 2, 1), {"n_hidden": 0}),
    # Bounds for all weights, for some of them by name, or on effects say nothing about which concepts there are.
    ({"weight_bounds": (-1, 1)}, (100, 2, 1), {"n_hidden": 16}),
    ({"weight_bounds": {("a", "b"): "+"}}, (100, 2, 1), {"n_hidden": 16}),
    ({"monotonic_cst": [1, 0]}, (100, 2, 1), {"n_hidden": 16}),
    # At least as many as an expert's map has beyond features and outputs; exactly so if learning starts from it.
    ({"prior": NAMED}, (100, 2, 1), {"n_hidden": 16}),
    ({"prior": FuzzyCognitiveMap(np.eye(30))}, (100, 2, 1), {"n_hidden": 27}),
    ({"init": FuzzyCognitiveMap(np.eye(5))}, (100, 2, 1), {"n_hidden": 2}),
    ({"init": FuzzyCognitiveMap(np.eye(2))}, (100, 2, 1), {"n_hidden": 0}),
    # The slope of weights that stay as they are is that of their map.
    ({"learn": "slopes", "prior": FuzzyCognitiveMap(np.eye(3), slope=5.0)}, (100, 2, 1), {"slope": 5.0}),
    ({"learn": "slopes", "init": FuzzyCognitiveMap(np.eye(3), slope=5.0)}, (100, 2, 1), {"slope": 5.0}),
    ({"learn": "slopes", "init": FuzzyCognitiveMap(np.eye(3), slope=[1, 2, 3])}, (100, 2, 1), {"slope": 2.0}),
    ({"prior": FuzzyCognitiveMap(np.eye(3), slope=5.0)}, (100, 2, 1), {"slope": 2.0}),
    # Teachers: one for 50 rows, as many as have 300 concepts together, from two to five.
    ({}, (300, 4, 3), {"n_teachers": 5}),
    ({}, (200, 4, 3), {"n_teachers": 4}),
    ({}, (20, 4, 3), {"n_teachers": 2}),
    ({}, (19, 4, 3), {"n_teachers": 0}),
    ({}, (300, 57, 2), {"n_teachers": 4}),
    ({}, (300, 97, 3), {"n_teachers": 2}),
    ({}, (300, 98, 3), {"n_teachers": 0}),
    ({"n_teachers": 7}, (200, 4, 3), {"n_teachers": 7}),
    ({"max_iter": 10}, (200, 4, 3), {"n_teachers": 0, "max_iter": 10, "max_iter_is_auto": False}),
    ({"early_stopping": True}, (200, 4, 3), {"n_teachers": 0}),
    ({"solver": "adam"}, (200, 4, 3), {"n_teachers": 4, "max_iter": 500, "batch_size": 200, "learning_rate": 0.012}),
    ({"solver": "adam", "max_iter": 10}, (200, 4, 3), {"n_teachers": 0, "max_iter": 10, "max_iter_is_auto": False}),
    ({"solver": "rmsprop", "n_hidden": 3}, (200, 4, 3), {"learning_rate": 0.005, "max_iter": 500, "n_teachers": 0}),
    ({"solver": "rmsprop"}, (200, 93, 3), {"learning_rate": 0.05 / 112}),
    ({"solver": "adam", "learning_rate": 0.3}, (200, 4, 3), {"learning_rate": 0.3}),
    # Iterations: one for 10 rows, from 150 to 300; without a prior a third less; for wide maps one for 200 rows, from
    # 20 to 50.
    ({}, (100, 4, 3), {"max_iter": 150, "teacher_iter": 200, "max_iter_is_auto": True}),
    ({}, (2250, 4, 3), {"max_iter": 225}),
    ({"prior": None}, (100, 4, 3), {"max_iter": 100, "teacher_iter": 200, "max_iter_is_auto": True}),
    ({"prior": None}, (2250, 4, 3), {"max_iter": 150}),
    ({}, (100, 198, 3), {"max_iter": 20, "teacher_iter": 20, "start_width": 2.0, "dtype": np.float32}),
    ({}, (8000, 784, 10), {"max_iter": 40}),
    ({}, (10**5, 784, 10), {"max_iter": 50}),
    ({"batch_size": 7}, (100, 4, 3), {"batch_size": 7}),
]


# The same for values: maps of 15 concepts, five teachers for every map that is not wide, more iterations.
SETTLED_FOR_VALUES = [
    ({}, (100, 4, 1), {"n_hidden": 16, "depth": 3, "output_start": 0.5, "n_teachers": 5, "max_iter": 225}),
    ({}, (100, 14, 1), {"n_hidden": 16, "depth": 2}),
    ({}, (3200, 2, 1), {"n_hidden": 17, "depth": 3, "max_iter": 300}),
    ({"prior": None}, (100, 4, 1), {"n_hidden": 10, "depth": 3, "max_iter": 150}),
    ({"prior": None}, (100, 14, 1), {"n_hidden": 0, "depth": 2}),
    ({"prior": None}, (3200, 4, 1), {"n_hidden": 15, "max_iter": 200}),
    ({}, (19, 4, 1), {"n_teachers": 0}),
    ({}, (19_999, 4, 1), {"solver": "lbfgs", "n_hidden": 25}),
    ({}, (20_000, 4, 1), {"solver": "adam", "n_hidden": 36, "n_teachers": 2}),
    ({}, (300, 120, 1), {"n_hidden": 0, "n_teachers": 5, "teacher_iter": 200}),
    ({}, (300, 300, 1), {"n_teachers": 3, "teacher_iter": 40, "max_iter": 40}),
    ({}, (300, 1000, 1), {"n_teachers": 0}),
    ({"depth": 1}, (100, 4, 1), {"n_hidden": 0}),
]


@pytest.mark.parametrize(("parameters", "shape", "expected"), SETTLED_FOR_VALUES, ids=str)
def test_settings_for_values(parameters, shape, expected):
    """A rule per row of the table."""
    settings = resolve(USUAL | parameters, DataShape(*shape), REGRESSION)
    assert {name: getattr(settings, name) for name in expected} == expected


@pytest.mark.parametrize(("parameters", "shape", "expected"), SETTLED, ids=str)
def test_settings_follow_parameters_and_shape(parameters, shape, expected):
    """A rule per row of the table."""
    settings = resolve(USUAL | parameters, DataShape(*shape))
    assert {name: getattr(settings, name) for name in expected} == expected


def test_nothing_is_left_to_settle():
    """No setting is "auto"."""
    assert "auto" not in vars(resolve(USUAL, DataShape(100, 4, 3))).values()


@pytest.mark.parametrize(
    ("n_values", "dtype", "expected"),
    [(400, np.float64, np.float64), (400, np.float32, np.float32), (2**20 + 1, np.float64, np.float32)],
)
def test_large_tables_are_computed_in_float32(n_values, dtype, expected):
    """Others in what they come in."""
    assert resolve(USUAL, DataShape(100, 4, 3, n_values, dtype)).dtype == expected


@pytest.mark.parametrize("estimator", [FCMClassifier, FCMClassifierCV, FCMRegressor])
def test_every_estimator_has_all_parameters_of_training(estimator):
    """What FCMClassifierCV does not have is as FCMClassifier has it; it chooses depth and penalty of full maps."""
    parameters = estimator()._parameters()
    assert USUAL.keys() - {"output", "gain", "class_weight", "ordered"} <= parameters.keys()
    own = {"depths", "alphas", "n_folds", "terms", "structure"} if estimator is FCMClassifierCV else {"alpha"}
    own = own if estimator is not FCMClassifier else set()
    given = {name: value for name, value in parameters.items() if name in USUAL and name not in own}
    assert given == {name: USUAL[name] for name in given}
    resolve(parameters, DataShape(100, 4, 3))
