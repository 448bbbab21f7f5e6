"""Missing values, sparse tables, models stored by others, refitting while predicting."""

import threading

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor


class TestMissingValues:
    """NaN is a state that is undecided."""

    @pytest.mark.parametrize("estimator", [FCMClassifier, FCMClassifierCV, FCMRegressor])
    @pytest.mark.parametrize("scale", ["logistic", True, False])
    def test_missing_values_start_undecided(self, iris, estimator, scale):
        """In fit and in prediction; the statistics of a feature are those of the values that are there."""
        X, y = iris[0] / 8, iris[1]
        holes = np.random.default_rng(0).random(X.shape) < 0.1
        missing = np.where(holes, np.nan, X)
        fcm = estimator(scale=scale, terms=None, random_state=0).fit(missing, y)
        first = fcm.trajectory(missing)[0][:, :4]
        assert (first[holes] == 0.5).all()
        if scale == "logistic":
            np.testing.assert_allclose(fcm.scaling_.mean, np.nanmean(missing, axis=0))
            np.testing.assert_allclose(fcm.scaling_.deviation, np.nanstd(missing, axis=0))
        elif scale:
            np.testing.assert_allclose(fcm.scaling_.low, np.nanmin(missing, axis=0))
        assert fcm.score(missing, y) > 0.85

    def test_a_feature_that_is_always_missing_does_no_harm(self, iris):
        """It is undecided for ever."""
        X = np.column_stack([iris[0], np.full(150, np.nan)])
        fcm = FCMClassifier(random_state=0).fit(X, iris[1])
        assert fcm.score(X, iris[1]) > 0.95
        assert (fcm.trajectory(X)[0][:, 4] == 0.5).all()

    def test_missing_values_of_data_frames(self, iris):
        """Of pandas' own kind too."""
        frame = pd.DataFrame(iris[0]).convert_dtypes()
        frame.iloc[::7, 1] = pd.NA
        frame.columns = list("abcd")
        plain = frame.astype(float)
        models = [FCMClassifier(random_state=0).fit(table, iris[1]) for table in (frame, plain)]
        assert models[0].map_ == models[1].map_

    def test_missing_values_in_parts(self, iris):
        """The first part may lack a feature altogether."""
        X, y = iris
        first = X.copy()
        first[:, 2] = np.nan
        fcm = FCMClassifier(random_state=0).partial_fit(first, y, classes=[0, 1, 2])
        fcm.partial_fit(X, y)
        np.testing.assert_allclose(fcm.scaling_.mean[2], X[:, 2].mean())
        np.testing.assert_allclose(fcm.scaling_.deviation[2], X[:, 2].std())


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
@pytest.mark.parametrize("estimator", [FCMClassifier, FCMRegressor])
def test_sparse_tables_are_ordinary_tables(iris, kind, estimator):
    """What is small enough is made dense, in fit and in prediction."""
    X, y = iris
    X = np.where(X > 2.0, X, 0.0)
    from_sparse, from_dense = (estimator(random_state=0).fit(table, y) for table in (kind(X), X))
    assert from_sparse.map_ == from_dense.map_
    np.testing.assert_array_equal(from_sparse.predict(kind(X)), from_dense.predict(X))


@pytest.mark.parametrize("estimator", [FCMClassifier, FCMClassifierCV, FCMRegressor])
def test_models_stored_by_skops_come_back(iris, estimator):
    """Without running code from the file; the outcome comes along."""
    skops = pytest.importorskip("skops.io")
    X, y = iris
    fcm = estimator(random_state=0).fit(X, y)
    data = skops.dumps(fcm)
    back = skops.loads(data, trusted=skops.get_untrusted_types(data=data))
    np.testing.assert_array_equal(back.predict(X), fcm.predict(X))
    assert back.outcome_ is fcm.outcome_


def test_predicting_while_refitting_uses_one_model_or_the_other(iris):
    """Never a mixture: two fits with other features and other classes, and predictions meanwhile."""
    X, y = iris
    tables = [(X, y), (X[:, :3], np.array(["a", "b"])[y // 2])]
    fcm = FCMClassifier(random_state=0, max_iter=5, tol=0).fit(*tables[0])
    expected = [FCMClassifier(random_state=0, max_iter=5, tol=0).fit(*table).predict(table[0]) for table in tables]
    stop, wrong = threading.Event(), []

    def predict():
        while not stop.is_set():
            for (table, _), right in zip(tables, expected, strict=True):
                try:
                    if not np.array_equal(fcm.predict(table), right):
                        wrong.append("other predictions")
                except ValueError as problem:
                    if "features" not in str(problem):
                        wrong.append(str(problem))

    reader = threading.Thread(target=predict)
    reader.start()
    for number in range(40):
        fcm.fit(*tables[number % 2])
    stop.set()
    reader.join(60)
    assert wrong == []


def test_edges_that_forget_the_features_say_which_edges_are_missing(iris):
    """Two steps, and no feature keeps its value: the cure is an edge from a feature to itself, and it helps."""
    X = pd.DataFrame(iris[0], columns=list("abcd"))
    edges = np.zeros((7, 7), dtype=bool)
    edges[4:, :4] = True
    with pytest.warns(ConvergenceWarning, match=r"No influence of a feature reaches an output.*influence themselves"):
        FCMClassifier(edges=edges, random_state=0).fit(X, iris[1])
    edges[range(4), range(4)] = True
    assert FCMClassifier(edges=edges, random_state=0).fit(X, iris[1]).score(X, iris[1]) > 0.9


def test_named_edges_never_forget_the_features(iris):
    """Each concept may influence itself, whatever is named."""
    X = pd.DataFrame(iris[0], columns=list("abcd"))
    edges = [(feature, f"class={code}") for feature in "abcd" for code in range(3)]
    assert FCMClassifier(edges=edges, random_state=0).fit(X, iris[1]).score(X, iris[1]) > 0.9


@pytest.mark.parametrize(("size", "passes", "least"), [(10, 3, 0.85), (10, 10, 0.95), (30, 30, 0.95)])
def test_parts_teach_nearly_as_much_as_the_whole(iris, size, passes, least):
    """At the defaults, in small parts, after few passes."""
    X, y = iris
    random = np.random.default_rng(0)
    fcm = FCMClassifier(random_state=0)
    for _ in range(passes):
        for part in np.array_split(random.permutation(150), 150 // size):
            fcm.partial_fit(X[part], y[part], classes=[0, 1, 2])
    assert fcm.score(X, y) > least
