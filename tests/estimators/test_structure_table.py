"""The table of docs/guide/small-maps.md: which parameters and uses need a full map."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning

from cogmap import FCMClassifier, FCMClassifierCV, FuzzyCognitiveMap
from cogmap.exceptions import ParameterError

X, y = (rows[::2] for rows in load_iris(return_X_y=True))
EXPERT = FuzzyCognitiveMap.from_edges([("x3", "class=2", 1.0), ("x0", "class=0", -1.0)])
EDGES = [("x3", "class=2")]
FULL, SMALL = "full", ("additive", "named")


def fitted(structure, rows=slice(None), weight=None, **settings):
    return FCMClassifier(structure=structure, random_state=0, **settings).fit(X[rows], y[rows], sample_weight=weight)


def fitted_twice(structure):
    return fitted(structure, warm_start=True).fit(X, y)


def fitted_to_wide_rows(structure):
    wide = np.random.default_rng(0).normal(size=(80, 301))
    return FCMClassifier(structure=structure, random_state=0).fit(wide, wide[:, 0] > 0)


def fitted_to_many_rows(structure, n_rows=1000):
    rows = np.random.default_rng(0).normal(size=(n_rows, 2))
    return FCMClassifier(structure=structure, random_state=0).fit(rows, rows[:, 0] > 0)


def fitted_to_many_classes(structure):
    rows = np.repeat(np.arange(101.0), 2)[:, None]
    return FCMClassifier(structure=structure, random_state=0, max_iter=1).fit(rows, rows.ravel())


def fitted_to_sparse_rows(structure):
    rows = random_array((400, 40_000), density=1e-3, rng=np.random.default_rng(0), format="csr")
    return FCMClassifier(structure=structure, random_state=0).fit(rows, np.arange(400) % 2)


# What "auto" learns, and what "additive" and "named" do.
TABLE = {
    "edges": (FULL, ParameterError, lambda s: fitted(s, edges=EDGES)),
    "weight_bounds": (FULL, ParameterError, lambda s: fitted(s, weight_bounds=(-1, 1))),
    "n_hidden": (FULL, ParameterError, lambda s: fitted(s, n_hidden=2)),
    "depth": (FULL, ParameterError, lambda s: fitted(s, depth=2)),
    "l1_ratio": (FULL, ParameterError, lambda s: fitted(s, l1_ratio=0.5)),
    "max_iter": (FULL, SMALL, lambda s: fitted(s, max_iter=10)),
    "early_stopping": (FULL, ParameterError, lambda s: fitted(s, early_stopping=True)),
    "prior=None": (FULL, ParameterError, lambda s: fitted(s, prior=None)),
    "an expert's prior": (FULL, SMALL, lambda s: fitted(s, prior=EXPERT)),
    "bounds of arrows": (FULL, SMALL, lambda s: fitted(s, weight_bounds={("x3", "class=2"): "+"})),
    "init": (FULL, ParameterError, lambda s: fitted(s, init="uniform")),
    "learn": (FULL, ParameterError, lambda s: fitted(s, learn="slopes", init="correlation", n_hidden=0)),
    "solver": (FULL, ParameterError, lambda s: fitted(s, solver="adam", max_iter=10)),
    "n_teachers": (FULL, SMALL, lambda s: fitted(s, n_teachers=2)),
    "terms='auto'": (FULL, SMALL, lambda s: fitted(s, terms="auto")),
    "terms=3": (SMALL, SMALL, lambda s: fitted(s, terms=3)),
    "monotonic_cst": (SMALL, SMALL, lambda s: fitted(s, slice(25, None), monotonic_cst=[0, 0, 0, 1])),
    "class_weight": (SMALL, SMALL, lambda s: fitted(s, class_weight="balanced")),
    "sample_weight": (SMALL, SMALL, lambda s: fitted(s, weight=1.0 + y)),
    "alpha": (SMALL, SMALL, lambda s: fitted(s, alpha=0.5)),
    "slope": (SMALL, SMALL, lambda s: fitted(s, slope=2.0)),
    "missing values": (
        SMALL,
        SMALL,
        lambda s: FCMClassifier(structure=s, random_state=0).fit(np.where(X > 6.5, np.nan, X), y),
    ),
    "warm_start": (FULL, ParameterError, fitted_twice),
    "fewer than 20 rows": (FULL, SMALL, lambda s: fitted(s, slice(20, 35))),
    "more than 300 columns": (FULL, SMALL, fitted_to_wide_rows),
    "at least 1,000 rows": (SMALL, SMALL, fitted_to_many_rows),
    "more than 10,000 rows": (FULL, SMALL, lambda s: fitted_to_many_rows(s, 10_001)),
    "more than 100 classes": (FULL, SMALL, lambda s: fitted_to_many_classes(s)),
    "a small sparse table": (SMALL, SMALL, lambda s: FCMClassifier(structure=s, random_state=0).fit(csr_array(X), y)),
    "a large sparse table": (FULL, ParameterError, fitted_to_sparse_rows),
}


@pytest.mark.parametrize("structure", ["auto", "additive", "named"])
@pytest.mark.parametrize("case", TABLE)
def test_parameters_and_uses_that_need_a_full_map(case, structure):
    of_auto, of_small, fit = TABLE[case]
    expected = of_auto if structure == "auto" else of_small
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of few iterations
        if expected is ParameterError:
            with pytest.raises(ParameterError, match=f"structure|{case.split('=')[0]}"):
                fit(structure)
        else:
            assert fit(structure).structure_ in expected


def test_from_1000_rows_on_a_full_map_is_compared():
    """The small map stays unless the full one has a clearly smaller held-out loss."""
    selection = fitted_to_many_rows("auto").selection_
    assert selection["structure"][0] == "full"
    assert selection["selected"] > 0
    small = selection["loss"][selection["selected"]]
    assert small - selection["loss"][0] < max(0.1 * small, 0.003)  # smaller differences are negligible


def test_a_full_map_is_selected_if_it_is_clearly_better():
    """Eight informative columns, none of which tells anything alone, hidden among 150."""
    rows, classes = make_classification(300, 150, n_informative=8, n_redundant=8, random_state=0)
    fcm = FCMClassifier(random_state=0).fit(rows, classes)
    selection = fcm.selection_
    assert (fcm.structure_, selection["structure"][0], selection["selected"]) == ("full", "full", 0)
    assert selection["loss"][0] < 0.9 * min(selection["loss"][1:])
    assert fcm.teacher_losses_ == selection["teacher_losses"]


def test_a_map_that_may_be_resumed_is_full():
    assert fitted("auto", warm_start=True).structure_ == "full"


@pytest.mark.parametrize("terms", [None, 3])
@pytest.mark.parametrize("structure", ["additive", "named"])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_a_small_map_is_resumed_as_a_full_one(load, structure, terms):
    """Features have memory instead of being held, which changes few predictions; logarithms stay."""
    X, y = load(return_X_y=True, as_frame=True)
    fcm = FCMClassifier(structure=structure, terms=terms, random_state=0).fit(X, y)
    before = fcm.model_
    fcm.set_params(learning_rate=1e-9).partial_fit(X, y)
    assert fcm.structure_ == "full"
    assert fcm.map_.held == ()
    assert fcm.model_.encoding.used is None
    assert fcm.model_.encoding.scaling.logarithms is before.encoding.scaling.logarithms
    same = fcm.predict(X) == before.link.classes[before.outputs(X.to_numpy()).argmax(axis=1)]
    assert same.mean() > 0.9


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_a_small_map_is_resumed_with_columns_in_another_order(load):
    """Features keep their weights by name."""
    X, y = load(return_X_y=True, as_frame=True)
    X = X[X.columns[::-1]]
    fcm = FCMClassifier(random_state=0).fit(X[X.columns[::-1]], y)
    fcm.set_params(warm_start=True, solver="adam", learning_rate=1e-9, max_iter=1, tol=0).fit(X, y)
    assert fcm.map_.concepts[0] == X.columns[0]
    assert fcm.score(X, y) > 0.9


@pytest.mark.parametrize("structure", ["auto", "additive", "named"])
def test_partial_fit_learns_a_full_map(structure):
    fcm = FCMClassifier(structure=structure, random_state=0).partial_fit(X, y, classes=[0, 1, 2])
    assert fcm.map_.held == ()
    assert fcm.n_hidden_ > 0


def test_a_search_learns_a_full_map():
    assert "structure" not in FCMClassifierCV().get_params()
    assert FCMClassifierCV(n_folds=2, alphas=[1.0], terms=None, random_state=0).fit(X, y).map_.held == ()
