"""What the regressor promises."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes, load_linnerud, make_friedman1
from sklearn.ensemble import BaggingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline

from cogmap import FCMRegressor, FuzzyCognitiveMap

FOLDS = KFold(5, shuffle=True, random_state=0)


@pytest.fixture(scope="module")
def diabetes():
    """Diabetes of scikit-learn, as arrays."""
    return load_diabetes(return_X_y=True)


@pytest.fixture(scope="module")
def curved():
    """Friedman's first function, with noise."""
    return make_friedman1(300, noise=1.0, random_state=0)


@pytest.fixture(scope="module")
def score_on_diabetes(diabetes):
    """Mean R² of the default in cross-validation on diabetes."""
    return cross_val_score(FCMRegressor(random_state=0), *diabetes, cv=FOLDS).mean()


class TestPredictions:
    """Values, their range, their names."""

    def test_the_default_is_as_accurate_as_the_best_of_others(self, diabetes, curved, score_on_diabetes):
        """On a table where a linear model is best, and on one where it is not."""
        score_on_curved = cross_val_score(FCMRegressor(random_state=0), *curved, cv=FOLDS).mean()
        for (X, y), score in ((diabetes, score_on_diabetes), (curved, score_on_curved)):
            rivals = [Ridge(), RandomForestRegressor(random_state=0)]
            best = max(cross_val_score(rival, X, y, cv=FOLDS).mean() for rival in rivals)
            assert score > best - 0.01

    def test_values_a_little_outside_can_be_predicted_and_none_far_outside(self):
        """A line goes on beyond the training range, from 10 to 110, until the features saturate."""
        X = np.linspace(0.0, 1.0, 200)[:, None]
        fcm = FCMRegressor(random_state=0).fit(X, 10.0 + 100.0 * X[:, 0])
        inside, outside, far, farther = fcm.predict([[0.5], [1.05], [50.0], [1e6]])
        assert inside == pytest.approx(60.0, abs=1.0)
        assert outside == pytest.approx(115.0, abs=1.5)
        assert 115.0 < far < 300.0
        assert farther == pytest.approx(far)

    def test_the_state_of_the_output_tells_where_the_value_lies(self, diabetes):
        """Half is the mean; one deviation more is (1 + tanh 1) / 2."""
        X, y = diabetes
        fcm = FCMRegressor(random_state=0).fit(X, y)
        states = fcm.trajectory(X)[-1][:, -1]
        np.testing.assert_allclose(fcm.predict(X), y.mean() + y.std() * np.arctanh(2 * states - 1))

    @pytest.mark.parametrize("unit", [2.0**-30, 2.0**40])
    def test_units_of_the_target_do_not_matter(self, curved, unit):
        """Another unit of y gives the same map, bit by bit, where it is a power of two and nothing is rounded."""
        X, y = curved
        plain, other = (FCMRegressor(random_state=0).fit(X, target) for target in (y, unit * y))
        assert plain.map_ == other.map_
        np.testing.assert_array_equal(unit * plain.predict(X), other.predict(X))

    @pytest.mark.parametrize(("origin", "unit"), [(1e9, 1.0), (-5.0, 1e12)])
    def test_a_target_from_another_origin_is_predicted_from_there(self, curved, origin, unit):
        """One step has one minimum, which rounding cannot change to another."""
        X, y = curved
        settings = {"depth": 1, "max_iter": 1000, "tol": 1e-9, "random_state": 0}
        plain, other = (FCMRegressor(**settings).fit(X, target) for target in (y, origin + unit * y))
        np.testing.assert_allclose((other.predict(X) - origin) / unit, plain.predict(X), atol=1e-4)

    def test_integers_are_values(self):
        """Counts are predicted as numbers between them."""
        X = np.random.default_rng(0).random((100, 2))
        fcm = FCMRegressor(random_state=0).fit(X, np.round(10 * X[:, 0]).astype(int))
        assert fcm.predict(X).dtype == np.float64
        assert fcm.score(X, 10 * X[:, 0]) > 0.9

    def test_float32_stays_float32(self, diabetes):
        """In the learned features."""
        X = diabetes[0].astype(np.float32)
        fcm = FCMRegressor(random_state=0).fit(X, diabetes[1])
        assert fcm.transform(X).dtype == np.float32

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
    def test_names_of_columns_are_names_of_concepts(self, frame):
        """Of features and of targets."""
        X, Y = load_linnerud(return_X_y=True, as_frame=True)
        X, Y = frame(X.to_dict(orient="list")), frame(Y.to_dict(orient="list"))
        fcm = FCMRegressor(n_hidden=0, max_iter=2, tol=0, random_state=0)
        assert fcm.fit(X, Y).map_.concepts == ("Chins", "Situps", "Jumps", "Weight", "Waist", "Pulse")
        assert fcm.fit(X, Y["Waist"]).map_.concepts[-1] == "Waist"
        assert fcm.fit(X, np.asarray(Y)[:, 0]).map_.concepts[-1] == "target"
        assert fcm.fit(X, np.asarray(Y)).map_.concepts[-1] == "target 3"

    def test_a_column_of_values_stays_a_column(self, diabetes):
        """One dimension in, one out; two in, two out."""
        X, y = diabetes
        assert FCMRegressor(random_state=0, max_iter=2, tol=0).fit(X, y).predict(X).shape == (442,)
        assert FCMRegressor(random_state=0, max_iter=2, tol=0).fit(X, y[:, None]).predict(X).shape == (442, 1)


class TestSeveralTargets:
    """One map for all."""

    def test_every_target_is_learned(self, curved):
        """Also if their units differ by a factor of a million."""
        X, y = curved
        Y = np.column_stack([y, 1e6 * X[:, 0] * X[:, 1], -X[:, 2]])
        scores = [
            np.corrcoef(predicted, target)[0, 1]
            for predicted, target in zip(FCMRegressor(random_state=0).fit(X, Y).predict(X).T, Y.T, strict=True)
        ]
        assert min(scores) > 0.95

    def test_order_of_targets_does_not_matter_much(self, curved):
        """Columns in another order are predicted as well."""
        X, y = curved
        Y = np.column_stack([y, X[:, 0]])
        one, other = (FCMRegressor(random_state=0).fit(X, targets) for targets in (Y, Y[:, ::-1]))
        assert one.score(X, Y) == pytest.approx(other.score(X, Y[:, ::-1]), abs=0.05)


@pytest.mark.parametrize(("prior", "n_hidden"), [("memory", 16), (None, 4)])
def test_the_rules_for_values_hold(diabetes, prior, n_hidden):
    """Not those for classes: without memory small maps are made 15 concepts, and few concepts make a step more."""
    fcm = FCMRegressor(structure="full", prior=prior, random_state=0).fit(*diabetes)
    assert (fcm.map_.n_concepts, fcm.n_hidden_, fcm.depth_) == (11 + n_hidden, n_hidden, 3)
    assert len(fcm.teacher_losses_) == 5


class TestLearning:
    """What an expert fixes holds, weights count, and the rest is as for classes."""

    @pytest.mark.parametrize(("solver", "least"), [("lbfgs", 0.5), ("adam", 0.5), ("rmsprop", 0.3)])
    def test_every_solver_learns(self, diabetes, solver, least):
        """Near what ridge regression reaches on its training rows; the paper's RMSprop is slower."""
        assert FCMRegressor(solver=solver, random_state=0).fit(*diabetes).score(*diabetes) > least

    @pytest.mark.parametrize("early_stopping", [False, True])
    def test_curves_have_one_entry_per_iteration(self, diabetes, early_stopping):
        """With and without a validation part."""
        fcm = FCMRegressor(early_stopping=early_stopping, random_state=0).fit(*diabetes)
        assert len(fcm.loss_curve_) == fcm.n_iter_
        assert hasattr(fcm, "validation_loss_curve_") == early_stopping

    def test_teacher_losses_tell_what_to_expect(self, diabetes, score_on_diabetes):
        """R² on rows not learned from is 1 - exp(2 loss)."""
        fcm = FCMRegressor(random_state=0).fit(*diabetes)
        assert len(fcm.teacher_losses_) == 5
        assert 1.0 - np.exp(2 * np.mean(fcm.teacher_losses_)) == pytest.approx(score_on_diabetes, abs=0.1)

    def test_edges_and_bounds_hold(self, diabetes):
        """For the teachers and the map."""
        X, y = diabetes
        edges = np.random.default_rng(0).random((11, 11)) < 0.6
        fcm = FCMRegressor(edges=edges, weight_bounds=(-1, 1), random_state=0).fit(X, y)
        assert not fcm.map_.weights[~edges].any()
        assert np.abs(fcm.map_.weights).max() <= 1.0
        assert fcm.score(X, y) > 0.4

    def test_integer_weights_equal_repeated_rows_bit_by_bit(self, diabetes):
        """Order, repetition and weights of rows are one thing."""
        X, y = diabetes
        rng = np.random.default_rng(0)
        times = rng.integers(0, 4, len(y))
        rows = rng.permutation(np.repeat(np.arange(len(y)), times))
        weighted = FCMRegressor(random_state=0).fit(X, y, times)
        assert weighted.map_ == FCMRegressor(random_state=0).fit(X[rows], y[rows]).map_

    def test_an_experts_map_is_where_learning_starts(self, diabetes):
        """Its concepts are found by name."""
        X, y = load_diabetes(return_X_y=True, as_frame=True)
        names = [*X.columns, "target"]
        W = np.zeros((11, 11))
        W[10, 2] = 1.0
        expert = FuzzyCognitiveMap(W[::-1, ::-1], slope=2.0, concepts=names[::-1])
        fcm = FCMRegressor(init=expert, depth=1, solver="adam", learning_rate=1e-9, max_iter=1, tol=0).fit(X, y)
        np.testing.assert_allclose(fcm.map_.weights, W, atol=1e-6)

    def test_warm_start_goes_on(self, diabetes):
        """The second fit starts where the first ended, with the same meaning of the output."""
        X, y = diabetes
        fcm = FCMRegressor(max_iter=20, tol=0, warm_start=True, random_state=0).fit(X, y)
        end = fcm.loss_curve_[-1]
        link = fcm.model_.link
        fcm.fit(X, y)
        assert fcm.loss_curve_[0] < end
        assert fcm.model_.link is link
        with pytest.raises(ValueError, match="can resume an earlier fit"):
            fcm.fit(X, np.column_stack([y, y]))

    @pytest.mark.parametrize("scale", ["logistic", True, False])
    def test_missing_values_are_undecided(self, curved, scale):
        """They can be learned from and predicted, and cost little where there are few."""
        X, y = curved
        missing = np.where(np.random.default_rng(0).random(X.shape) < 0.02, np.nan, X)
        fcm = FCMRegressor(scale=scale, random_state=0).fit(missing, y)
        assert np.isfinite(fcm.predict(missing)).all()
        assert fcm.score(missing, y) > 0.75
        assert np.isfinite(fcm.predict(np.full((1, 10), np.nan))).all()


def test_the_regressor_inside_scikit_learns_tools(diabetes):
    """Pipelines, searches, bagging, targets that are transformed."""
    X, y = diabetes
    fcm = FCMRegressor(n_teachers=0, random_state=0)
    for model in (
        make_pipeline(fcm, Ridge()),
        GridSearchCV(fcm, {"alpha": [0.2, 2.0]}, cv=3),
        BaggingRegressor(fcm, n_estimators=3, random_state=0),
        TransformedTargetRegressor(fcm, func=np.log1p, inverse_func=np.expm1),
    ):
        assert model.fit(X, y).score(X, y) > 0.4


def test_pickled_and_cloned_models(diabetes):
    """A pickle predicts the same; a clone is unfitted and fits the same."""
    X, y = diabetes
    fcm = FCMRegressor(random_state=0).fit(X, y)
    assert np.array_equal(pickle.loads(pickle.dumps(fcm)).predict(X), fcm.predict(X))
    assert not hasattr(clone(fcm), "model_")
    assert clone(fcm).fit(X, y).map_ == fcm.map_
