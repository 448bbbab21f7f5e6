"""The table of docs/small-maps.md: which parameters and uses need a full map."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from cogmap import FCMClassifier, FCMClassifierCV, FuzzyCognitiveMap
from cogmap.exceptions import DataError, ParameterError

X, y = (rows[::2] for rows in load_iris(return_X_y=True))
EXPERT = FuzzyCognitiveMap.from_edges([("x3", "class=2", 1.0), ("x0", "class=0", -1.0)])
EDGES = [("x3", "class=2")]
FULL, SMALL = "full", ("additive", "named")


def fitted(structure, rows=slice(None), weight=None, **settings):
    return FCMClassifier(structure=structure, random_state=0, **settings).fit(X[rows], y[rows], sample_weight=weight)


def fitted_twice(structure):
    return fitted(structure, warm_start=True).fit(X, y)


def fitted_to_wide_rows(structure):
    wide = np.random.default_rng(0).normal(size=(80, 110))
    return FCMClassifier(structure=structure, random_state=0).fit(wide, wide[:, 0] > 0)


def fitted_to_many_rows(structure):
    rows = np.random.default_rng(0).normal(size=(3000, 2))
    return FCMClassifier(structure=structure, random_state=0).fit(rows, rows[:, 0] > 0)


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
    "an expert's prior": (FULL, ParameterError, lambda s: fitted(s, prior=EXPERT)),
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
    "more than 100 columns": (FULL, SMALL, fitted_to_wide_rows),
    "at least 3,000 rows": (FULL, SMALL, fitted_to_many_rows),
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


def test_a_map_that_may_be_resumed_is_full():
    assert fitted("auto", warm_start=True).structure_ == "full"


def test_a_small_map_cannot_be_resumed():
    """The earlier model stays as it is."""
    fcm = fitted("auto")
    before = fcm.map_
    with pytest.raises(DataError, match="can resume a full map only .* Fit it with structure='full' first"):
        fcm.partial_fit(X, y)
    with pytest.raises(DataError, match="can resume a full map only"):
        fcm.set_params(warm_start=True).fit(X, y)
    assert fcm.map_ is before


@pytest.mark.parametrize("structure", ["auto", "additive", "named"])
def test_partial_fit_learns_a_full_map(structure):
    fcm = FCMClassifier(structure=structure, random_state=0).partial_fit(X, y, classes=[0, 1, 2])
    assert fcm.map_.held == ()
    assert fcm.n_hidden_ > 0


def test_a_search_learns_a_full_map():
    assert "structure" not in FCMClassifierCV().get_params()
    assert FCMClassifierCV(n_folds=2, alphas=[1.0], terms=None, random_state=0).fit(X, y).map_.held == ()
