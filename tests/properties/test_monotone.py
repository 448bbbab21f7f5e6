"""Monotone effects: the limits of the weights that ensure them, and no violation in 10^5 pairs of rows."""

import numpy as np
import pytest

from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor, FuzzyCognitiveMap
from cogmap._learning.concepts import Concepts
from cogmap._learning.monotone import monotone_limits
from cogmap.exceptions import ParameterError
from cogmap.models.encoding import Encoding
from cogmap.models.links import LogOddsLink, SoftmaxLink, ValueLink
from cogmap.models.model import MapModel

FEATURES = ["mass", "age", "color"]
LINKS = {
    "two classes, one output": LogOddsLink(np.array(["a", "b"])),
    "two classes, two outputs": SoftmaxLink(np.array(["a", "b"]), 10.0),
    "three classes": SoftmaxLink(np.array(["a", "b", "c"]), 10.0),
    "one target": ValueLink(("target",), np.zeros(1), np.ones(1), True),
    "two targets": ValueLink(("u", "v"), np.zeros(2), np.array([1.0, 3.0]), False),
}
ASKED = {"mass": 1, "age": -1}
ASKED_OF_C = {("mass", "class=c"): 1, ("age", "class=c"): -1}


def limits(asked, link, n_hidden=0):
    return monotone_limits(asked, Concepts.of(FEATURES, n_hidden, link.names), link, "FCMClassifier")


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_nothing_asked_is_no_limit(link):
    """None, or 0 for every feature."""
    assert limits(None, link) is None
    assert limits({}, link) is None
    if link.n_outputs < 3:
        assert limits([0, 0, 0], link) is None


def test_what_the_limits_are():
    """A feature that must raise the output, one that must lower it, one that is free, a hidden concept, the output."""
    low, high = limits(ASKED, LINKS["two classes, one output"], 1)
    signs = np.where(low == 0.0, np.where(high == 0.0, "0", "+"), np.where(high == 0.0, "-", "?"))
    assert ["".join(row) for row in signs] == [
        "+-?++",
        "-+?--",
        "00?00",
        "+-?++",
        "+-?++",
    ]


@pytest.mark.parametrize("asked", [[1, -1, 0], (1.0, -1.0, 0.0), np.array([1, -1, 0]), {"mass": 1, "age": -1}])
def test_a_list_and_a_dict_say_the_same(asked):
    """One number per feature, or only those that are not free."""
    expected = limits({"age": np.int64(-1), "color": 0, "mass": 1.0}, LINKS["one target"], 2)
    assert all(map(np.array_equal, limits(asked, LINKS["one target"], 2), expected))


@pytest.mark.parametrize("depth", [1, 2, 3, 7])
@pytest.mark.parametrize("name", LINKS)
def test_any_map_within_the_limits_is_monotone(name, depth):
    """Of 40 maps drawn at random within them, with large and small weights, none has an effect of the wrong sign."""
    link, rng = LINKS[name], np.random.default_rng(depth)
    n_hidden = 4
    low, high = limits(ASKED_OF_C if name == "three classes" else ASKED, link, n_hidden)
    column = 2 if name == "three classes" else -1
    of_free = []
    for scale in np.repeat([0.3, 1.0, 3.0, 10.0], 10):
        W = np.clip(rng.normal(scale=scale, size=low.shape), low, high)
        fcm = FuzzyCognitiveMap(W, rng.normal(scale=scale, size=len(W)), 2.0)
        effects = MapModel(fcm, depth, Encoding(3, n_hidden), link).derivative(rng.random((100, 3)))
        if link.output != "values":
            effects = effects[:, [column]]
        assert (effects[:, :, 0] >= -1e-12).all()
        assert (effects[:, :, 1] <= 1e-12).all()
        of_free.append(effects[:, :, 2])
    assert np.min(of_free) < -1e-3
    assert np.max(of_free) > 1e-3


def test_half_the_limits_would_not_be_enough():
    """Signs of the arrows to the output alone leave effects of the wrong sign."""
    link, rng = LINKS["two classes, one output"], np.random.default_rng(0)
    low, high = limits(ASKED, link, 4)
    low[:-1], high[:-1] = -np.inf, np.inf
    effects = []
    for _ in range(10):
        W = np.clip(rng.normal(scale=3.0, size=low.shape), low, high)
        model = MapModel(FuzzyCognitiveMap(W, 0.5 - 0.5 * W.sum(axis=1), 2.0), 3, Encoding(3, 4), link)
        effects.append(model.derivative(rng.random((100, 3)))[:, 1, 0].min())
    assert min(effects) < -1e-2


@pytest.mark.parametrize(
    ("asked", "name", "message"),
    [
        ([1, 0], "one target", r"3 numbers, one per feature, each -1, 0 or 1.*got \[1, 0\]"),
        (1, "one target", "3 numbers, one per feature"),
        ("mass", "one target", "3 numbers, one per feature.*got 'mass'"),
        ([1, 2, 0], "one target", "-1, 0 or 1 for 'age', got 2"),
        ([1, np.nan, 0], "one target", "-1, 0 or 1 for 'age', got nan"),
        ([1, True, 0], "one target", "-1, 0 or 1 for 'age', got True"),
        ([1, "+", 0], "one target", r"-1, 0 or 1 for 'age', got '\+'"),
        ([1, None, 0], "one target", "-1, 0 or 1 for 'age', got None"),
        (np.array([True, False, False]), "one target", "-1, 0 or 1 for 'mass', got .*True"),
        ({"mass": 0.5}, "one target", "-1, 0 or 1 for 'mass', got 0.5"),
        ({"mass": [1]}, "one target", r"-1, 0 or 1 for 'mass', got \[1\]"),
        ({"mass": np.array([1, 1])}, "one target", "-1, 0 or 1 for 'mass'"),
        ({"mas": 1}, "one target", "names of features, got 'mas'. Did you mean 'mass'"),
        ({"target": 1}, "one target", "names of features, got 'target'"),
        ({0: 1}, "one target", "names of features, got 0"),
        ({("mass", "target"): 1}, "one target", r"names of features as keys, got \('mass', 'target'\)"),
        ({("mass", "class=b"): 1}, "two classes, one output", "names of features as keys"),
        ([1, 0, 0], "three classes", r"a dict \{\(feature, class\): .*more than two classes, got \[1, 0, 0\]"),
        ({"mass": 1}, "three classes", r"\(feature, class\).*got 'mass' alone"),
        ({("mass", "class=d"): 1}, "three classes", "names of concepts, got 'class=d'"),
        ({("mass", "c"): 1}, "three classes", "got 'c'. Did you mean 'class=c'"),
        ({("mass", "age"): 1}, "three classes", r"\(feature, class\)"),
        ({("mas", "class=c"): 1}, "three classes", "got 'mas'. Did you mean 'mass'"),
        ({("mass", "class=c", 1): 1}, "three classes", r"\(feature, class\).*got \('mass', 'class=c', 1\)"),
        ({("mass", "class=c"): 1, ("age", "class=b"): 1}, "three classes", "the same class throughout"),
    ],
)
def test_what_cannot_be_meant_is_told(asked, name, message):
    """What was expected, what was got, and the nearest name."""
    with pytest.raises(ParameterError, match=rf"`FCMClassifier\(monotonic_cst=...\)` must be .*{message}"):
        limits(asked, LINKS[name])


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
    fcm = FCMClassifier(structure="full", random_state=0).fit(X, y).set_params(monotonic_cst=SIGNS)
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
