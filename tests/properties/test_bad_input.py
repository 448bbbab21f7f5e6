"""Bad input as a table: each gets an error that names it, or a documented result; nothing fitted is lost."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline

import cogmap
from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor, FuzzyCognitiveMap
from cogmap.comparators import FCMperClassifier, FRCNClassifier, HebbianFCMClassifier, LTCNClassifier
from cogmap.exceptions import CogmapError, DataError, NonFiniteLossError, ParameterError

X = np.random.default_rng(0).random((30, 3))
Y = np.arange(30) % 3
VALUES = X @ [3.0, -1.0, 2.0]
DATES = pd.date_range("2026-01-01", periods=30)
COMPARATORS = (LTCNClassifier, FRCNClassifier, FCMperClassifier, HebbianFCMClassifier)
ESTIMATORS = {FCMClassifier: Y, FCMClassifierCV: Y, FCMRegressor: VALUES, **dict.fromkeys(COMPARATORS, Y)}


def seeded(estimator, **parameters):
    """An estimator whose result is the same each time, also if it draws no random numbers."""
    model = estimator(**parameters)
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


def changed(place, value):
    bad = X.copy()
    bad[place] = value
    return bad


# Wrong values of every parameter: the value, and what the message says besides class and parameter.
WRONG_PARAMETERS = [
    ("depth", 0, "an integer >= 1, got 0"),
    ("depth", -1, "an integer >= 1"),
    ("depth", 1.5, "an integer >= 1"),
    ("depth", True, "an integer >= 1, got True"),
    ("depth", "2", "an integer >= 1, got '2'"),
    ("depth", None, "an integer >= 1"),
    ("slope", 0, "a number > 0"),
    ("slope", -2.0, "a number > 0"),
    ("slope", np.nan, "a number > 0"),
    ("slope", np.inf, "a number > 0"),
    ("slope", "steep", "a number > 0"),
    ("output", "both", "one of 'auto', 'single', 'one_hot', got 'both'"),
    ("output", "onehot", "Did you mean 'one_hot'"),
    ("output", "single", "'one_hot' for 3 classes"),
    ("output", None, "one of"),
    ("gain", 0.0, "a number > 0"),
    ("gain", [1.0], "a number > 0"),
    ("n_hidden", -1, "an integer >= 0, got -1"),
    ("n_hidden", "many", "an integer >= 0"),
    ("n_hidden", 1.5, "an integer >= 0"),
    ("alpha", -1, "a number >= 0, got -1"),
    ("alpha", np.nan, "a number >= 0"),
    ("alpha", "small", "a number >= 0"),
    ("alpha", 10**400, "a number >= 0"),
    ("l1_ratio", 1.5, "a number >= 0 and <= 1, got 1.5"),
    ("l1_ratio", -0.1, "a number >= 0 and <= 1"),
    ("solver", "sgd", "one of 'auto', 'lbfgs', 'adam', 'rmsprop', got 'sgd'"),
    ("solver", "lbgfs", "Did you mean 'lbfgs'"),
    ("max_iter", 0, "an integer >= 1"),
    ("max_iter", 10.0, "an integer >= 1, got 10.0. Or 'auto'"),
    ("n_teachers", -1, "an integer >= 0, got -1. Or 'auto'"),
    ("n_teachers", "many", "an integer >= 0, got 'many'. Or 'auto'"),
    ("tol", -1e-3, "a number >= 0"),
    ("tol", None, "a number >= 0"),
    ("learning_rate", 0, "a number > 0"),
    ("learning_rate", "adaptive", "a number > 0, got 'adaptive'. Or 'auto'"),
    ("batch_size", 0, "an integer >= 1, got 0. Or 'auto'"),
    ("batch_size", "all", "an integer >= 1, got 'all'. Or 'auto'"),
    ("early_stopping", "yes", "True or False, got 'yes'"),
    ("early_stopping", 1, "True or False"),
    ("validation_fraction", 0.0, "a number > 0 and < 1"),
    ("validation_fraction", 1.0, "a number > 0 and < 1"),
    ("n_iter_no_change", 0, "an integer >= 1"),
    ("terms", 0, "an integer >= 2, got 0. Or None, 'auto', or a dict"),
    ("terms", "many", "an integer >= 2, got 'many'"),
    ("prior", "memmory", "Did you mean 'memory'"),
    ("prior", np.eye(3), "or None or a FuzzyCognitiveMap"),
    ("prior", FuzzyCognitiveMap(np.eye(2)), "a map of 2 concepts, with ['C1', 'C2']"),
    ("prior", FuzzyCognitiveMap.from_edges([("x00", "x1", 1)]), "with ['x00']. Did you mean 'x0'?"),
    ("prior", FuzzyCognitiveMap.from_edges([("x0", "x1", 1)], activation="tanh"), "states in [0, 1]"),
    ("init", "balance", "Did you mean 'balanced'"),
    ("init", np.eye(3), "or a FuzzyCognitiveMap"),
    ("init", FuzzyCognitiveMap(np.eye(2)), "a map of the 6 concepts"),
    ("init", FuzzyCognitiveMap(np.eye(6), activation="tanh"), "states in [0, 1]"),
    ("edges", [("x0", "clas=0")], "Did you mean 'class=0'"),
    ("edges", np.eye(3, dtype=bool), "shape (6, 6)"),
    ("edges", [], "nothing to learn"),
    ("edges", {}, "nothing to learn"),
    ("edges", {("x0", "x1"): "up"}, "'+', '-' or (low, high) with low <= high for 'x0' -> 'x1', got 'up'"),
    ("edges", {("x0", "x1"): "+", ("x0", "x1x"): "+"}, "Did you mean 'x1'?"),
    ("weight_bounds", (1, -1), "low <= high"),
    ("weight_bounds", 5, "(low, high)"),
    ("weight_bounds", {("x0", "x1x"): "+"}, "made of names of concepts, got 'x1x'. Did you mean 'x1'?"),
    ("weight_bounds", {("x0", "elsewhere"): "+"}, "The features are ['x0', 'x1', 'x2'], the outputs ["),
    ("weight_bounds", {("x0", "x1"): (2, 1)}, "low <= high for 'x0' -> 'x1', got (2, 1)"),
    ("weight_bounds", {("x0", "x1"): "positive"}, "'+', '-' or (low, high)"),
    ("weight_bounds", {"x0": "+"}, "a dict whose keys are edges, (from, to) names, got 'x0'"),
    ("weight_bounds", (np.zeros((2, 2)), 1), "two arrays of shape ("),
    ("monotonic_cst", 5, "got 5"),
    ("monotonic_cst", [1, 0], "got [1, 0]"),
    ("monotonic_cst", [1, 0, 0, 0], "got [1, 0, 0, 0]"),
    ("monotonic_cst", {("x0", "nothing"): 1}, "must be"),
    ("learn", "slope", "Did you mean 'slopes'"),
    ("learn", None, "one of 'weights', 'slopes', got None"),
    ("learn", "slopes", "for fixed weights"),
    ("structure", "small", "one of 'auto', 'additive', 'named', 'full'"),
    ("structure", None, "got None"),
    ("max_arrows", 0, "an integer >= 1, got 0"),
    ("max_arrows", 2.5, "an integer"),
    ("ordered", "yes", "True, False, or a list of at least two labels"),
    ("scale", None, "or True or False"),
    ("scale", "minmax", "'logistic' or True or False"),
    ("class_weight", "balance", "Did you mean 'balanced'"),
    ("class_weight", {7: 1.0}, "labels in y, [0, 1, 2], got a dict with [7]"),
    ("class_weight", {0: -1.0}, "finite weights > 0"),
    ("class_weight", {0: "much"}, "a dict of numbers"),
    ("warm_start", 1, "True or False"),
    ("n_jobs", 0, "other than 0"),
    ("n_jobs", 1.5, "an integer"),
    ("verbose", -1, "an integer >= 0"),
    ("verbose", "loud", "an integer >= 0"),
]


@pytest.mark.parametrize(("name", "value", "message"), WRONG_PARAMETERS, ids=lambda value: str(value)[:30])
def test_wrong_parameters(name, value, message):
    """Class, parameter, expectation, what was got, the cure; and both ValueError and TypeError catch it."""
    with pytest.raises(ParameterError) as caught:
        FCMClassifier(**{name: value}).fit(X, Y)
    text = str(caught.value)
    assert text.startswith(f"`FCMClassifier({name}=...)` must be ")
    assert message in text
    assert len(text) < 400
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [row for row in WRONG_PARAMETERS if row[0] in FCMRegressor().get_params()],
    ids=lambda value: str(value)[:30],
)
def test_wrong_parameters_of_the_regressor(name, value, message):
    """Those that it has are told in the same words, but for what depends on the number of concepts."""
    with pytest.raises(ParameterError) as caught:
        FCMRegressor(**{name: value}).fit(X, VALUES)
    assert str(caught.value).startswith(f"`FCMRegressor({name}=...)` must be ")
    assert message.replace("6", "4").replace("Did you mean 'class=0'", "made of names of concepts") in str(caught.value)


KNOWN = FuzzyCognitiveMap.from_edges([("x0", "x1", 1.0)])
TARGET = FuzzyCognitiveMap.from_edges([("x0", "target", -1.0)])

# Parameters that contradict each other, for values: which is named, and what it says.
CONTRADICTIONS = [
    ({"edges": [("x0", "target")], "weight_bounds": (1, 2)}, "weight_bounds", "`edges`, which allows no influence"),
    ({"edges": {("x0", "x1"): "-"}, "weight_bounds": {("x0", "x1"): (0.5, 1)}}, "weight_bounds", "got [0.5, 1] for"),
    ({"monotonic_cst": {"x0": 1}, "weight_bounds": {("x0", "target"): (-2, -1)}}, "edges or weight_bounds",
     "`monotonic_cst`, which allows [0, inf] there, got [-2, -1] for 'x0' -> 'target'"),
    ({"monotonic_cst": {"x0": 1, "x1": -1}, "edges": {("x0", "x1"): (1, None)}}, "edges or weight_bounds",
     "allows [-inf, 0] there, got [1, inf] for 'x0' -> 'x1'. Change one of the two parameters."),
    ({"prior": KNOWN, "edges": [("x0", "target")]}, "prior", "'x0' -> 'x1' allow no influence, got 0.5 (at slope 2)"),
    ({"prior": KNOWN, "weight_bounds": {("x0", "x1"): "-"}}, "prior", "'x0' -> 'x1' allow [-inf, 0], got 0.5"),
    ({"prior": KNOWN, "weight_bounds": (-0.1, 0.1)}, "prior", "'x0' -> 'x1' allow [-0.1, 0.1], got 0.5"),
    ({"prior": TARGET, "monotonic_cst": [1, 0, 0]}, "prior", "'x0' -> 'target' allow [0, inf], got -0.5"),
    ({"prior": KNOWN, "monotonic_cst": [1, 0, 0]}, "prior", "'x0' -> 'x1' allow no influence, got 0.5"),
    ({"prior": KNOWN, "learn": "slopes", "edges": [("x0", "x1")]}, "edges", "None with learn='slopes'"),
    ({"prior": KNOWN, "learn": "slopes", "weight_bounds": (-1, 1)}, "weight_bounds", "The weights are fixed"),
    ({"prior": KNOWN, "learn": "slopes", "monotonic_cst": [1, 0, 0]}, "monotonic_cst", "None with learn='slopes'"),
    ({"prior": KNOWN, "learn": "slopes", "l1_ratio": 0.5}, "l1_ratio", "0 with learn='slopes'"),
    ({"prior": FuzzyCognitiveMap(np.eye(9)), "n_hidden": 0}, "prior", "all of 4 concepts of this problem"),
    ({"prior": FuzzyCognitiveMap(np.eye(9)), "n_hidden": 2}, "prior", "a map of 9 concepts, with ['C1', "),
    ({"prior": None, "learn": "slopes"}, "learn", "unless prior or init is a FuzzyCognitiveMap"),
    ({"prior": "memory", "init": "uniform", "learn": "slopes"}, "learn", "fixed weights"),
    ({"init": "correlation", "n_hidden": 2}, "n_hidden", "0 with init='correlation'"),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "name", "message"), CONTRADICTIONS, ids=lambda value: str(value)[:40])
def test_what_contradicts_itself_is_told(parameters, name, message):
    """Which parameter, about which influence, what the others allow; and nothing is fitted."""
    fcm = FCMRegressor(**parameters)
    with pytest.raises(ParameterError) as caught:
        fcm.fit(X, VALUES)
    assert str(caught.value).startswith(f"`FCMRegressor({name}=...)` must be ")
    assert message in str(caught.value)
    assert not hasattr(fcm, "model_")


# What monotone effects may be asked for depends on the kind of outputs.
WRONG_MONOTONE = [
    (FCMRegressor, VALUES, [1, 0], "3 numbers, one per feature, each -1, 0 or 1"),
    (FCMRegressor, VALUES, [1, 2, 0], "-1, 0 or 1 for 'x1', got 2"),
    (FCMRegressor, VALUES, {"x00": 1}, "names of features, got 'x00'. Did you mean 'x0'"),
    (FCMRegressor, VALUES, {"target": 1}, "names of features, got 'target'"),
    (FCMRegressor, VALUES, {("x0", "target"): 1}, "names of features as keys"),
    (FCMClassifier, Y == 1, {("x0", "class=True"): 1}, "names of features as keys"),
    (FCMClassifier, Y, [1, 0, 0], "{(feature, class): +1 or -1} with the same class throughout"),
    (FCMClassifier, Y, {"x0": 1}, "for more than two classes, got 'x0' alone"),
    (FCMClassifier, Y, {("x0", 1): 1}, "made of names of concepts, got 1. Did you mean 'class=1'?"),
    (FCMClassifier, Y, {("x0", "class=1"): 1, ("x1", "class=2"): 1}, "with the same class throughout"),
    (FCMClassifier, Y, {("x0", "class=1"): "up"}, "-1, 0 or 1 for 'x0', got 'up'"),
]


@pytest.mark.parametrize(("estimator", "y", "asked", "message"), WRONG_MONOTONE, ids=lambda value: str(value)[:40])
def test_monotone_effects_that_cannot_be_meant_are_told(estimator, y, asked, message):
    """By name, with the nearest; more than two classes need to know which."""
    with pytest.raises(ParameterError) as caught:
        estimator(monotonic_cst=asked).fit(X, y)
    assert str(caught.value).startswith(f"`{estimator.__name__}(monotonic_cst=...)` must be ")
    assert message in str(caught.value)


def test_bounds_beyond_all_measure_leave_outputs_that_say_nothing():
    """The prior is within them, so no loss is infinite, and what came of it is told."""
    with pytest.warns(ConvergenceWarning, match="do not depend on the features"):
        FCMClassifier(weight_bounds=(1e300, 1e301), random_state=0).fit(X, Y)


def test_every_parameter_is_in_the_table():
    """No parameter escapes; random_state is checked by scikit-learn."""
    assert {row[0] for row in WRONG_PARAMETERS} == set(FCMClassifier().get_params()) - {"random_state"}
    of_values = {"loss", "power", "quantile"}  # tests/estimators/test_targets.py has a table of wrong ones
    assert set(FCMRegressor().get_params()) - of_values < set(FCMClassifier().get_params())
    with pytest.raises(ValueError, match="'chance' cannot be used to seed"):
        FCMClassifier(random_state="chance").fit(X, Y)


# What is wrong with the features or the weights of any estimator.
WRONG_FEATURES = {
    "an integer beyond floats": (np.array([[10**400] * 3] * 30, object), None, DataError, "a larger integer"),
    "infinity": (changed((3, 1), np.inf), None, ValueError, "X contains infinity"),
    "strings": ([*X[:-1].tolist(), ["a", "b", "c"]], None, ValueError, "could not convert string"),
    "a date beside numbers": (
        pd.DataFrame(X).assign(when=DATES), None, DataError, r"dates or times \(columns \['when'\]\)"
    ),
    "only dates": (pd.DataFrame({"when": DATES}), None, DataError, r"\['when'\].*days since a date"),
    "dates of polars": (
        pl.DataFrame({"x": X[:, 0], "when": DATES.to_numpy()}), None, DataError, r"dates or times \(columns \['when'\]"
    ),
    "an array of dates": (DATES.to_numpy()[:, None], None, DataError, "X has dates or times"),
    "a LazyFrame": (pl.DataFrame(X).lazy(), None, DataError, r"LazyFrame. Call X.collect\(\)"),
    "three dimensions": (X[None], None, ValueError, "dim 3"),
    "one dimension": (X[:, 0], None, ValueError, "1D array"),
    "complex": (X + 1j, None, ValueError, "Complex data not supported"),
    "no features": (X[:, :0], None, ValueError, r"0 feature\(s\)"),
    "a range beyond floats": (changed((slice(2), 0), [-1.7e308, 1.7e308]), None, ValueError, "Feature number 0"),
    "negative weight": (X, np.where(Y == 1, -1.0, 1.0), ValueError, r"sample_weight=.* finite numbers >= 0, got -1"),
    "NaN weight": (X, np.where(Y == 1, np.nan, 1.0), ValueError, "sample_weight=.* finite numbers >= 0, got nan"),
    "only weights of 0": (X, np.zeros(30), ValueError, "sample_weight=.* greater than 0 for some rows"),
    "weights beyond floats": (X, np.full(30, 1e308), ValueError, "sample_weight=.* finite sum"),
    "too few weights": (X, np.ones(29), ValueError, r"sample_weight=.* shape \(30,\)"),
    "weights in two columns": (X, np.ones((30, 2)), ValueError, r"sample_weight=.* shape \(30,\)"),
    "weights of text": (X, np.array(["a"] * 30), ValueError, "sample_weight=.* array of numbers"),
}  # fmt: skip

# What is wrong with classes.
WRONG_CLASSES = {
    "no rows": (X[:0], Y[:0], None, ValueError, "0 sample"),
    "fewer labels than rows": (X, Y[:-1], None, ValueError, "inconsistent numbers of samples"),
    "no labels": (X, None, None, ValueError, "requires y to be passed"),
    "NaN label": (X, np.where(Y == 2, np.nan, Y), None, ValueError, "y contains NaN"),
    "continuous labels": (X, X[:, 0], None, ValueError, "continuous"),
    "labels of two types": (X, np.array([1, "a", 2] * 10, dtype=object), None, ValueError, "types int, str.*Convert"),
    "one class": (X, np.full(30, "cat"), None, ValueError, r"at least 2 classes.*one class only: \['cat'\]"),
    "a single sample": (X[:1], Y[:1], None, ValueError, "one class only"),
    "one class after weights of 0": (X, Y, (Y == 1).astype(float), ValueError, "sample_weight 0 do not count"),
}  # fmt: skip

SPARSE = (csr_matrix((30, 10**5)), Y, None, DataError, "30 rows and 100000 columns is too large")

# What is wrong with values.
WRONG_VALUES = {
    "no rows": (X[:0], VALUES[:0], None, ValueError, "0 sample"),
    "fewer values than rows": (X, VALUES[:-1], None, ValueError, "inconsistent numbers of samples"),
    "several targets of another length": (X, np.ones((29, 2)), None, ValueError, "inconsistent numbers of samples"),
    "no values": (X, None, None, ValueError, "requires y to be passed"),
    "NaN": (X, np.where(Y == 2, np.nan, VALUES), None, ValueError, "contains NaN"),
    "infinity": (X, np.where(Y == 2, np.inf, VALUES), None, ValueError, "contains infinity"),
    "text": (X, np.array(["a"] * 30), None, ValueError, "could not convert string"),
    "an integer beyond floats": (X, np.array([10**400, *range(29)], object), None, DataError, "a larger integer"),
    "one value only": (X, np.ones(30), None, DataError, "'target' has only the value 1"),
    "one value after weights of 0": (X, VALUES, np.eye(30)[0], DataError, "sample_weight 0 do not count"),
    "a constant target among others": (
        X, pd.DataFrame({"a": VALUES, "b": 7.0}), None, DataError, "'b' has only the value 7"
    ),
    "a range beyond floats": (X, 1.7e308 * np.sign(X[:, 0] - 0.5), None, DataError, "has a range that overflows"),
    "three dimensions": (X, np.ones((30, 2, 2)), None, ValueError, "dim 3"),
}  # fmt: skip

WRONG_DATA = {
    **{(estimator, name): case for estimator in (FCMClassifier, *COMPARATORS) for name, case in WRONG_CLASSES.items()},
    **{(estimator, "a sparse table too large"): SPARSE for estimator in COMPARATORS},
    **{(FCMRegressor, f"{name} in y"): case for name, case in WRONG_VALUES.items()},
    **{
        (estimator, name): (bad_X, y, weight, exception, message)
        for estimator, y in ESTIMATORS.items()
        for name, (bad_X, weight, exception, message) in WRONG_FEATURES.items()
    },
}


FITTED = {
    FCMClassifier: {"max_iter": 5, "tol": 0},
    FCMClassifierCV: {"depths": (1,), "alphas": (0.2,), "n_folds": 2},
    FCMRegressor: {"max_iter": 5, "tol": 0},
    **{estimator: {} for estimator in COMPARATORS},
}


def make_fitted(estimator):
    """A model fitted on good data, and its attributes."""
    fcm = seeded(estimator, **FITTED[estimator])
    fcm.fit(pd.DataFrame(X, columns=["a", "b", "c"]), ESTIMATORS[estimator])
    return fcm, dict(vars(fcm))


@pytest.fixture
def fitted():
    """A classifier fitted on good data, and its attributes."""
    return make_fitted(FCMClassifier)


def assert_as_it_was(fcm, before):
    assert vars(fcm).keys() == before.keys()
    for name, value in vars(fcm).items():
        assert value is before[name], name


@pytest.mark.parametrize(("estimator", "name"), WRONG_DATA)
def test_wrong_data_are_told_and_leave_the_model_as_it_was(estimator, name):
    """The message says what is wrong; the model fitted before still predicts."""
    fcm, before = make_fitted(estimator)
    bad_X, bad_y, weight, exception, message = WRONG_DATA[estimator, name]
    with pytest.raises(exception, match=message):
        fcm.fit(bad_X, bad_y, weight)
    assert_as_it_was(fcm, before)
    with pytest.raises(exception, match=message):
        seeded(estimator).fit(bad_X, bad_y, weight)


@pytest.mark.parametrize("estimator", [FCMClassifier, *COMPARATORS])
def test_columns_of_text_are_named(estimator):
    """In a data frame, to fit or to predict: which columns, and what to do."""
    fcm, before = make_fitted(estimator)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(b=["red", "blue", "red"] * 10)
    example = f"make_pipeline(cogmap.TablePreparer(), {estimator.__name__}()).fit(X, y)"
    for call in (lambda: fcm.fit(frame, Y), lambda: fcm.predict(frame)):
        with pytest.raises(DataError, match=rf"X has text \(columns \['b'\]\).*'red'.*{re.escape(example)}"):
            call()
    assert_as_it_was(fcm, before)


def test_the_cure_for_columns_of_text_works():
    """The line that the message shows fits such a table."""
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(b=["red", "blue", "red"] * 10)
    pipeline = make_pipeline(cogmap.TablePreparer(), FCMClassifier(random_state=0)).fit(frame, Y)
    assert pipeline.score(frame, Y) > 0.5


def test_a_wrong_parameter_leaves_the_model_as_it_was(fitted):
    """Also if it is found only after looking at the data."""
    fcm, before = fitted
    for changes in ({"depth": 0}, {"edges": [("a", "nowhere")]}, {"init": FuzzyCognitiveMap(np.eye(2))}):
        broken = {**before, **changes}
        fcm.set_params(**changes)
        with pytest.raises(CogmapError):
            fcm.fit(X, Y)
        assert_as_it_was(fcm, broken)
        fcm.set_params(depth="auto", edges=None, init="balanced")


def test_a_loss_that_is_not_finite_leaves_the_model_as_it_was(fitted):
    """Learning that fails half-way leaves no trace."""
    fcm, before = fitted
    fcm.set_params(solver="adam", learning_rate=1e200)
    with pytest.raises(NonFiniteLossError, match="Lower learning_rate"):
        fcm.fit(X, Y)
    for name in ("model_", "n_features_in_", "feature_names_in_", "loss_curve_"):
        assert vars(fcm)[name] is before[name]
    with pytest.raises(NonFiniteLossError):
        fcm.set_params(solver="lbfgs", init=FuzzyCognitiveMap(np.full((6, 6), 1e200))).fit(X, Y)
    assert fcm.model_ is before["model_"]


@pytest.mark.parametrize(("rate", "dtype"), [(1e39, np.float32), (1e308, np.float64)])
def test_a_last_step_into_infinity_is_told(rate, dtype):
    """The parameters that learning ends with are looked at too."""
    fcm = FCMClassifier(solver="adam", learning_rate=rate, max_iter=1, tol=0, random_state=0)
    with pytest.raises(NonFiniteLossError):
        fcm.fit(X.astype(dtype), Y)
    with pytest.raises(NonFiniteLossError):
        fcm.partial_fit(X.astype(dtype), Y, classes=[0, 1, 2])


def test_an_interrupted_fit_leaves_the_model_as_it_was(fitted, monkeypatch):
    """Ctrl-C in the middle."""
    fcm, before = fitted

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("cogmap._learning.solvers.lbfgs._solve", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fcm.fit(X[:, :2], Y)
    assert_as_it_was(fcm, before)


PREDICTIONS = ("predict", "predict_proba", "decision_function")


@pytest.mark.parametrize(
    ("estimator", "method"),
    [(FCMClassifier, method) for method in (*PREDICTIONS, "transform", "trajectory")]
    + [(estimator, method) for estimator in COMPARATORS for method in PREDICTIONS],
)
def test_wrong_rows_at_prediction_are_told(estimator, method):
    """Before fitting, with another number or other names of features, with infinity, with no rows."""
    fcm, _ = make_fitted(estimator)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    with pytest.raises(NotFittedError):
        getattr(estimator(), method)(X)
    with pytest.raises(ValueError, match="expecting 3 features"):
        getattr(estimator(**FITTED[estimator]).fit(X, Y), method)(X[:, :2])
    for other in (frame[["b", "a", "c"]], frame[["a", "b"]]):
        with pytest.raises(ValueError, match="feature names should match"):
            getattr(fcm, method)(other)
    with pytest.raises(ValueError, match="X contains infinity"):
        getattr(fcm, method)(frame * np.inf)
    with pytest.raises(ValueError, match="0 sample"):
        getattr(fcm, method)(frame[:0])


def test_wrong_names_out_are_told(fitted):
    """Names asked for must be those seen in fit."""
    fcm, _ = fitted
    with pytest.raises(ValueError, match="not equal to feature_names_in_"):
        fcm.get_feature_names_out(["x", "y", "z"])
    with pytest.raises(ValueError, match="length equal to number of features"):
        fcm.get_feature_names_out(["a"])


@pytest.mark.parametrize(
    ("class_weight", "sample_weight"),
    [
        ({0: 1e300}, 1e200),
        ({0: 1e308}, 1.0),
        ({0: 1e-300, 1: 1e-300, 2: 1e-300}, 1e-300),
        ({0: 1e-300}, 1e-300),
        ({0: 1e-320, 1: 1e-320, 2: 1e-320}, 1.0),
        ("balanced", np.where(Y == 0, 1e-300, 1e300)),
    ],
)
@pytest.mark.parametrize("estimator", [FCMClassifier, FCMClassifierCV])
def test_weights_whose_product_is_no_number_are_told(estimator, class_weight, sample_weight):
    """Too large or too small, by the name of what to change."""
    weight = np.broadcast_to(sample_weight, len(Y))
    with pytest.raises(ParameterError, match=r"class_weight=.*times `sample_weight`.*by a constant"):
        estimator(class_weight=class_weight).fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_weights_that_vanish_are_told(estimator):
    """A weight below all normal numbers is not what it seems."""
    with pytest.raises(ParameterError, match=r"sample_weight=.*0 or >= 2.2e-308, got 1e-320. Multiply"):
        estimator().fit(X, ESTIMATORS[estimator], sample_weight=np.full(30, 1e-320))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_weights_of_very_different_size_are_no_problem(estimator):
    """The smaller ones do not count, without a warning."""
    weight = np.where(Y == 0, 1e-300, 1e300)
    fitted = seeded(estimator).fit(X, ESTIMATORS[estimator], sample_weight=weight)
    assert np.isfinite(fitted.predict(X)).all()


@pytest.mark.parametrize(
    ("estimator", "parameters", "message"),
    [
        (FCMClassifier, {"gain": 1e300}, r"The largest gain is 1e\+300. Lower gain."),
        (FCMClassifier, {"alpha": 1e300}, r"penalty.*Lower alpha."),
        (FCMRegressor, {"slope": 1e300}, r"The largest slope is 1e\+300. Lower slope."),
        (FCMClassifier, {"solver": "adam", "learning_rate": 1e300}, r"weight.*Lower learning_rate"),
        (FCMClassifier, {"prior": None, "weight_bounds": (1e300, 1e301)}, r"weight.*set weight_bounds"),
        (FCMRegressor, {"init": FuzzyCognitiveMap(np.eye(4) * 1e300)}, "weight.*another `init`"),
    ],
)
def test_a_loss_that_is_not_finite_names_its_cause(estimator, parameters, message):
    """What is very large among what could have made it so."""
    with pytest.raises(NonFiniteLossError, match=message):
        estimator(random_state=0, **parameters).fit(X, ESTIMATORS[estimator])


def test_depths_that_can_be_read_only_once_are_told():
    """A generator would be empty the second time."""
    with pytest.raises(ParameterError, match=r"depths.*a list of at least one number, got <generator"):
        FCMClassifierCV(depths=(depth for depth in [1, 2])).fit(X, Y)


class TestPartialFit:
    """What can go wrong when learning in parts."""

    @pytest.mark.parametrize("classes", [[0.0, 1.0, np.nan], [0, np.inf], [0, 1, 2, None], [[0, 1], [2, 3]], 5])
    def test_classes_that_are_no_labels_are_told(self, classes):
        """NaN above all, which equals nothing."""
        with pytest.raises(ParameterError, match=r"partial_fit\(classes=.*numbers, strings or booleans, got"):
            FCMClassifier().partial_fit(X, Y, classes=classes)

    def test_first_call_needs_classes(self):
        """All labels have to be known before."""
        with pytest.raises(ParameterError, match=r"classes=.* given in the first call.*List all labels"):
            FCMClassifier().partial_fit(X, Y)

    def test_unseen_classes_are_told(self):
        """At the first call or later, with the cure; the model stays as it was."""
        fcm = FCMClassifier(random_state=0)
        with pytest.raises(ValueError, match=r"got the labels \[2\], .*\[0, 1\].*in the first call"):
            fcm.partial_fit(X, Y, classes=[0, 1])
        assert not hasattr(fcm, "model_")
        fcm.partial_fit(X, Y, classes=[0, 1, 2])
        before = dict(vars(fcm))
        with pytest.raises(ValueError, match=r"got the labels \[3, 4, 5\]"):
            fcm.partial_fit(X, Y + 3)
        assert_as_it_was(fcm, before)

    def test_other_classes_are_told(self):
        """The list cannot change."""
        fcm = FCMClassifier(random_state=0).partial_fit(X, Y, classes=[0, 1, 2])
        with pytest.raises(ParameterError, match=r"the same as in the first call, \[0, 1, 2\]"):
            fcm.partial_fit(X, Y, classes=[0, 1, 2, 3])

    def test_one_class_is_told(self):
        """One class is none to choose from."""
        with pytest.raises(ValueError, match="at least 2 classes"):
            FCMClassifier().partial_fit(X, np.zeros(30), classes=[0])

    def test_balanced_weights_are_told(self):
        """They need all the data."""
        with pytest.raises(ParameterError, match="not known before all rows"):
            FCMClassifier(class_weight="balanced").partial_fit(X, Y, classes=[0, 1, 2])

    def test_another_number_of_features_is_told(self):
        """The second part must look like the first."""
        fcm = FCMClassifier(random_state=0).partial_fit(X, Y, classes=[0, 1, 2])
        with pytest.raises(ValueError, match="expecting 3 features"):
            fcm.partial_fit(X[:, :2], Y)

    def test_a_failed_pass_leaves_no_trace(self):
        """Neither in the map nor in what the solver remembers."""
        fcm = FCMClassifier(random_state=0, batch_size=5).partial_fit(X, Y, classes=[0, 1, 2])
        kept = FCMClassifier(random_state=0, batch_size=5).partial_fit(X, Y, classes=[0, 1, 2])
        with pytest.raises(NonFiniteLossError):
            fcm.set_params(learning_rate=1e200).partial_fit(X, Y)
        fcm.set_params(learning_rate=kept.learning_rate).partial_fit(X, Y)
        assert fcm.map_ == kept.partial_fit(X, Y).map_


def test_warm_start_on_other_data_is_told(fitted):
    """Other classes or another number of features cannot go on from here."""
    fcm, _ = fitted
    fcm.set_params(warm_start=True)
    for other_X, other_y in ((X[:, :2], Y), (X, Y + 1), (X[Y < 2], Y[Y < 2])):
        with pytest.raises(ValueError, match=r"can resume an earlier fit.*or set warm_start=False"):
            fcm.fit(other_X, other_y)


def test_early_stopping_with_too_few_rows_is_told():
    """No row can be kept aside of four."""
    with pytest.raises(ValueError, match="leaves no row for validation"):
        FCMClassifier(early_stopping=True).fit(X[:4], [0, 0, 1, 1])


def test_two_rows_are_enough():
    """One row per class is little, but it can be learned."""
    fcm = FCMClassifier(random_state=0, alpha=0.01).fit([[0.0], [1.0]], ["a", "b"])
    assert fcm.predict([[0.0], [1.0]]).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("y", "weight"),
    [(np.arange(30) * 5e-324, None), (np.arange(30) % 2, np.where(np.arange(30) % 2, 1e-300, 1e300))],
)
def test_targets_that_hardly_vary_are_told(y, weight):
    """By nature or by the weights of their rows."""
    with pytest.raises(DataError, match=r"targets that vary.*standard deviation of 'target'"):
        FCMRegressor().fit(X, y, weight)


def test_huge_features_can_be_correlated():
    """Their squares are no numbers, their correlations are; it is told that nothing was learned."""
    with pytest.warns(ConvergenceWarning, match="do not depend on the features"):
        FCMClassifier(init="correlation", scale=False, max_iter=1, tol=0).fit(X * 1e200, Y)


def test_huge_labels_are_looked_at_without_a_warning():
    """They are no classes."""
    with pytest.raises(ValueError, match="Unknown label type"):
        FCMClassifier().fit(X, np.linspace(1e199, 1e200, 30) * 1.1)
