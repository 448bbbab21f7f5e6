"""Effects that must be monotone are, whatever was learned and however: 10^5 pairs of rows, no violation."""

import numpy as np
import pytest

from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor, FuzzyCognitiveMap

N_PAIRS = 100_000
TOLERANCE = 1e-12
SIGNS = {"x0": 1, "x1": -1}  # of four features


@pytest.fixture(scope="module")
def rows():
    """Rows in which x0 and x1 act against what will be asked for, in turns, and together with others."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(160, 4))
    value = np.sin(3 * X[:, 0]) - X[:, 0] + X[:, 1] * (1 + X[:, 2]) + X[:, 3] ** 2 + 0.3 * rng.normal(size=160)
    return X, value


@pytest.fixture(scope="module")
def pairs():
    """Rows, and the same rows with x0 raised and x1 lowered, by little, much, or so far that concepts saturate."""
    rng = np.random.default_rng(1)
    before = rng.normal(scale=2.0, size=(N_PAIRS, 4))
    change = np.abs(rng.normal(size=(N_PAIRS, 2))) * rng.choice([1e-6, 0.01, 1.0, 20.0], size=(N_PAIRS, 2))
    after = before.copy()
    after[:, :2] += [1, -1] * change * rng.integers(0, 2, size=(N_PAIRS, 2))  # one of them, both, or none
    return before, after


def classes(value, n_classes):
    return np.searchsorted(np.quantile(value, np.linspace(0, 1, n_classes + 1)[1:-1]), value)


# The estimator without constraints, its targets, the constraints, and what must not fall.
KINDS = {
    "single": (
        FCMClassifier(output="single"),
        lambda value: classes(value, 2),
        SIGNS,
        lambda fcm, X: fcm.predict_proba(X)[:, 1],
    ),
    "one_hot": (
        FCMClassifier(output="one_hot"),
        lambda value: np.array(["no", "yes"])[classes(value, 2)],
        [1, -1, 0, 0],
        lambda fcm, X: fcm.predict_proba(X)[:, 1],
    ),
    "three classes": (
        FCMClassifier(),
        lambda value: classes(value, 3),
        {("x0", "class=1"): 1, ("x1", "class=1"): -1},
        lambda fcm, X: fcm.predict_proba(X)[:, 1],
    ),
    "one target": (FCMRegressor(), lambda value: value, SIGNS, lambda fcm, X: fcm.predict(X)),
    "two targets": (
        FCMRegressor(),
        lambda value: np.column_stack([value, np.cos(value)]),
        [1, -1, 0, 0],
        lambda fcm, X: fcm.predict(X),
    ),
}
SOLVERS = {
    "lbfgs": {"n_teachers": 2},
    "adam": {"solver": "adam", "max_iter": 100, "tol": 0, "batch_size": 40},
    "rmsprop": {"solver": "rmsprop", "max_iter": 100, "tol": 0},
}


def fitted(kind, rows, **parameters):
    estimator, targets, asked, _ = KINDS[kind]
    settings = estimator.get_params() | {"random_state": 0, "monotonic_cst": asked} | parameters
    return type(estimator)(**settings).fit(rows[0], targets(rows[1]))


def lowest_change(kind, fcm, pairs):
    """Return the change of what must not fall, where it changed least."""
    told = KINDS[kind][3]
    return (told(fcm, pairs[1]) - told(fcm, pairs[0])).min()


@pytest.mark.parametrize("kind", KINDS)
def test_without_it_the_data_would_have_their_way(kind, rows, pairs):
    """So that the tests below test something."""
    assert lowest_change(kind, fitted(kind, rows, monotonic_cst=None), pairs) < -0.1


@pytest.mark.parametrize("n_hidden", [0, 5])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_no_pair_of_rows_violates_it_at_any_depth(kind, depth, n_hidden, rows, pairs):
    """With teachers and L-BFGS; and something is learned."""
    fcm = fitted(kind, rows, depth=depth, n_hidden=n_hidden, n_teachers=2)
    assert lowest_change(kind, fcm, pairs) >= -TOLERANCE
    assert np.ptp(KINDS[kind][3](fcm, rows[0]), axis=0).min() > 0.1


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", KINDS)
def test_no_pair_of_rows_violates_it_with_any_solver(kind, solver, rows, pairs):
    """At the default depth, with the default hidden concepts."""
    assert lowest_change(kind, fitted(kind, rows, **SOLVERS[solver]), pairs) >= -TOLERANCE


BESIDE = {
    "bounds": {"weight_bounds": (-4, 4)},
    "bounds by name": {"weight_bounds": {("x2", "x3"): (-1, 1), ("x0", "x0"): (0.5, 2)}},
    "edges by name": {"edges": [("x0", "x1"), ("x2", "x0"), *((f"x{i}", "OUTPUT") for i in range(4))]},
    "no prior": {"prior": None},
    "an expert": {"prior": FuzzyCognitiveMap.from_edges([("x0", "OUTPUT", 1.0), ("x2", "x3", -1.0)])},
    "a wild start": {"init": "uniform"},
    "correlations": {"init": "correlation"},
    "l1_ratio": {"l1_ratio": 0.5},
    "scaled by range": {"scale": True},
    "not scaled": {"scale": False},
    "early stopping": {"early_stopping": True},
    "steep": {"slope": 5.0},
}


# These data are against it, and some of these maps can then learn nothing, which is told.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize(("kind", "output"), [("single", "class=1"), ("one target", "target")])
def test_it_holds_beside_all_else_that_can_be_asked_for(kind, output, beside, solver, rows, pairs):
    """What an expert fixes besides, other priors, starts, penalties and scalings."""
    parameters = dict(BESIDE[beside])
    if "edges" in parameters:
        parameters["edges"] = [(source, target.replace("OUTPUT", output)) for source, target in parameters["edges"]]
    if isinstance(parameters.get("prior"), FuzzyCognitiveMap):
        parameters["prior"] = FuzzyCognitiveMap.from_edges([("x0", output, 1.0), ("x2", "x3", -1.0)])
    assert lowest_change(kind, fitted(kind, rows, **SOLVERS[solver] | parameters), pairs) >= -TOLERANCE


def test_it_holds_when_learning_goes_on(rows, pairs):
    """By warm start from a map that was learned without, and in parts."""
    X, y = rows[0], classes(rows[1], 2)
    fcm = FCMClassifier(warm_start=True, random_state=0).fit(X, y)
    fcm.set_params(monotonic_cst=SIGNS, max_iter=5, tol=0).fit(X, y)
    assert lowest_change("single", fcm, pairs) >= -TOLERANCE
    fcm = FCMClassifier(random_state=0).fit(X, y).set_params(monotonic_cst=SIGNS)
    for part in np.array_split(np.arange(160), 8):
        fcm.partial_fit(X[part], y[part])
        assert lowest_change("single", fcm, pairs) >= -TOLERANCE


def test_it_holds_whatever_is_chosen(rows, pairs):
    """By cross-validation, among depths and penalties."""
    X, y = rows[0], classes(rows[1], 2)
    fcm = FCMClassifierCV(monotonic_cst=SIGNS, depths=(2, 1, 3), alphas=(0.2, 0.02), n_folds=2, random_state=0)
    assert lowest_change("single", fcm.fit(X, y), pairs) >= -TOLERANCE


def test_a_missing_value_is_in_the_middle(rows, pairs):
    """Nothing is known of a missing value, but it neither breaks the rule for other features nor the prediction."""
    fcm = fitted("single", rows)
    before, after = pairs[0][:1000].copy(), pairs[1][:1000].copy()
    before[:, [1, 2]] = after[:, [1, 2]] = np.nan
    assert lowest_change("single", fcm, (before, after)) >= -TOLERANCE


def test_it_costs_nothing_where_the_data_agree(breast_cancer):
    """Cells that are larger are never less malignant: as accurate as without, and it holds."""
    X, y = breast_cancer
    asked = dict.fromkeys((f"x{j}" for j in (0, 2, 3, 20, 22, 23)), -1)  # class 1 is benign
    plain, monotone = (
        FCMClassifier(monotonic_cst=cst, random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
        for cst in (None, asked)
    )
    assert monotone > plain - 0.015


@pytest.mark.parametrize("signs", [{"x0": 0}, [0, 0, 0, 0], {}])
def test_asking_for_nothing_changes_nothing(signs, rows):
    """The same map, bit by bit."""
    X, y = rows[0], classes(rows[1], 2)
    plain, asked = (FCMClassifier(monotonic_cst=cst, random_state=0).fit(X, y) for cst in (None, signs))
    assert plain.map_ == asked.map_
