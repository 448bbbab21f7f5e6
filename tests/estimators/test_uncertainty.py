"""Intervals, sets of classes, calibration and novelty of fitted estimators."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1

import cogmap
from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor, FuzzyCognitiveMap
from cogmap._learning.held_out import HeldOut
from cogmap.exceptions import DataError, ParameterError

STRUCTURES = ["auto", "full"]
OLD_FILE = Path(__file__).parents[1] / "data" / "model-1.cogmap"


@pytest.fixture(scope="module")
def friedman():
    return make_friedman1(900, noise=1.5, random_state=0)


@pytest.fixture(scope="module", params=STRUCTURES)
def regressor(request, friedman):
    X, y = friedman
    return FCMRegressor(structure=request.param, random_state=0).fit(X[:300], y[:300])


@pytest.fixture(scope="module", params=STRUCTURES)
def classifier(request):
    X, y = make_classification(900, 8, n_informative=4, n_classes=3, flip_y=0.2, class_sep=0.7, random_state=0)
    return FCMClassifier(structure=request.param, random_state=0).fit(X[:300], y[:300]), X[300:], y[300:]


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95])
def test_intervals_contain_the_truth_as_often_as_asked(regressor, friedman, level):
    """On 600 new rows. More often rather than less: the map is more accurate than a teacher, which saw fewer rows."""
    X, y = friedman[0][300:], friedman[1][300:]
    low, high = regressor.predict_interval(X, level).T
    assert level - 0.05 < np.mean((low <= y) & (y <= high)) < level + 0.12
    np.testing.assert_allclose((low + high) / 2, regressor.predict(X))


@pytest.mark.parametrize("level", [0.6, 0.9])
def test_sets_contain_the_truth_as_often_as_asked(classifier, level):
    """On 600 new rows; at least as often, because no set is empty."""
    fcm, X, y = classifier
    sets = fcm.predict_set(X, level)
    assert np.mean(sets[np.arange(600), y]) > level - 0.05
    assert sets.sum(axis=1).mean() < 2.5
    assert sets[np.arange(600), fcm.predict_proba(X).argmax(axis=1)].all()


def test_a_higher_level_never_makes_an_interval_or_a_set_smaller(regressor, classifier, friedman):
    """Nested."""
    widths = [np.ptp(regressor.predict_interval(friedman[0], level), axis=1) for level in (0.3, 0.6, 0.9, 0.99)]
    assert (np.diff(widths, axis=0) >= 0).all()
    fcm, X, _ = classifier
    assert (fcm.predict_set(X, 0.95) >= fcm.predict_set(X, 0.7)).all()


def test_several_targets_have_an_interval_each(friedman):
    """Of another width for a target with more noise."""
    X, y = friedman
    Y = np.column_stack([y, y + np.random.default_rng(0).normal(scale=8.0, size=len(y))])
    fcm = FCMRegressor(structure="auto", random_state=0).fit(X[:300], Y[:300])
    intervals = fcm.predict_interval(X[300:])
    assert intervals.shape == (600, 2, 2)
    inside = (intervals[:, :, 0] <= Y[300:]) & (Y[300:] <= intervals[:, :, 1])
    assert inside.mean() == pytest.approx(0.9, abs=0.06)
    first, second = np.ptp(intervals, axis=2).mean(axis=0)
    assert second > 2 * first


def test_files_keep_them_to_the_bit(regressor, classifier, friedman, tmp_path):
    """And the novelty of rows."""
    fcm, X, _ = classifier
    for estimator, rows in ((regressor, friedman[0]), (fcm, X)):
        cogmap.save(estimator, tmp_path / "model.cogmap")
        loaded = cogmap.load(tmp_path / "model.cogmap")
        np.testing.assert_array_equal(loaded.novelty_p_values(rows), estimator.novelty_p_values(rows))
        method = "predict_interval" if estimator is regressor else "predict_set"
        np.testing.assert_array_equal(getattr(loaded, method)(rows), getattr(estimator, method)(rows))


def test_chunks_and_repeated_rows_give_the_same(friedman):
    """Intervals depend on the rows, not on how they arrive."""
    X, y = friedman[0][:200], friedman[1][:200]
    counts = np.random.default_rng(0).integers(1, 4, 200)
    one = FCMRegressor(structure="auto", random_state=0).fit(X, y, sample_weight=counts)
    two = FCMRegressor(structure="auto", random_state=0).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    three = FCMRegressor(structure="auto", random_state=0).fit_chunks(
        [(X[:50], y[:50], counts[:50]), (X[50:], y[50:], counts[50:])]
    )
    for other in (two, three):
        np.testing.assert_array_equal(other.predict_interval(X), one.predict_interval(X))
        np.testing.assert_array_equal(other.novelty_p_values(X), one.novelty_p_values(X))


def test_the_selected_plan_of_a_search_has_sets(classifier):
    """`FCMClassifierCV` has teachers, too."""
    _, X, y = classifier
    fcm = FCMClassifierCV(depths=(1,), alphas=(0.2, 2.0), terms=None, n_folds=3, random_state=0).fit(X[:200], y[:200])
    sets = fcm.predict_set(X[200:])
    assert np.mean(sets[np.arange(400), y[200:]]) > 0.85


class TestCalibration:
    def held_out(self, fcm, X, y, factor):
        """Held-out predictions that are overconfident by a factor."""
        net = fcm.model_.net(X)
        rng = np.random.default_rng(0)
        if fcm.output_ == "single":
            p = 1 / (1 + np.exp(-2 * net[0] * factor))
            return HeldOut(net, (rng.random(len(p)) < p).astype(int), np.ones(len(p)), len(p) / 5)
        scores = 0.5 * fcm.gain_ * factor * np.tanh(net)
        return HeldOut(net, (scores + rng.gumbel(size=scores.shape)).argmax(axis=0), np.ones(len(X)), len(X) / 5)

    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_only_confidence_changes(self, n_classes):
        """The factor is found, and log-odds are multiplied by it exactly: in the map, so that it stays the model."""
        X, y = make_classification(4000, 6, n_informative=4, n_classes=n_classes, flip_y=0.3, random_state=0)
        fcm = FCMClassifier(structure="auto", random_state=0).fit(X[:400], y[:400])
        model, held_out = self.held_out(fcm, X, y, 0.5).calibrate(fcm.model_)
        before, after = fcm.model_.decision(X), model.decision(X)
        assert np.median(after / before) == pytest.approx(0.5, abs=0.08)
        np.testing.assert_allclose(after, before * np.median(after / before), rtol=1e-9)
        np.testing.assert_array_equal(model.outputs(X).argmax(axis=1), fcm.model_.outputs(X).argmax(axis=1))
        again = held_out.calibrate(model)[0] if n_classes == 2 else model
        np.testing.assert_allclose(again.outputs(X), model.outputs(X), atol=0.03)

    def test_weights_that_were_given_are_kept(self):
        """A bound is not broken, and the learned weights of an expert's map are those of the map."""
        X, y = make_classification(200, 4, flip_y=0.3, random_state=0)
        bounded = FCMClassifier(weight_bounds=(-0.3, 0.3), n_hidden=0, random_state=0).fit(X, y)
        assert np.abs(bounded.map_.weights).max() <= 0.3
        expert = FuzzyCognitiveMap.from_edges([("x0", "class=1", 1.0)])
        fcm = FCMClassifier(prior=expert, random_state=0).fit(X, y)
        assert fcm.prior_deviations_[0].learned == fcm.map_.weights[-1, 0]


def test_rows_unlike_the_training_data(regressor, friedman):
    """A number outside of all seen, and rows of the same source."""
    X = friedman[0][300:].copy()
    assert np.mean(regressor.novelty_p_values(X) <= 0.05) == pytest.approx(0.05, abs=0.04)
    X[0, 0] = 1e9
    assert regressor.novelty_p_values(X)[0] <= 0.01


@pytest.mark.parametrize("level", [0, 1, 90, "most"])
def test_bad_levels(regressor, classifier, friedman, level):
    """The message names the method."""
    with pytest.raises(
        ParameterError, match=r"FCMRegressor.predict_interval\(level=...\)` must be a number > 0 and < 1"
    ):
        regressor.predict_interval(friedman[0], level)
    with pytest.raises(ParameterError, match=r"FCMClassifier.predict_set\(level=...\)` must be a number > 0 and < 1"):
        classifier[0].predict_set(classifier[1], level)


def test_models_without_held_out_predictions(friedman, iris):
    """No teachers, batches after a fit, and a file of the first version."""
    X, y = friedman
    fcm = FCMRegressor(n_teachers=0, structure="full", max_iter=5, random_state=0)
    with pytest.warns(match="iterations"):
        fcm.fit(X[:100], y[:100])
    with pytest.raises(DataError, match=r"predict_interval` needs the held-out predictions .* n_teachers='auto'"):
        fcm.predict_interval(X)
    batches = FCMClassifier(structure="full", random_state=0).fit(*iris)
    batches.partial_fit(*iris)
    for classifier in (batches, cogmap.load(OLD_FILE)):
        with pytest.raises(DataError, match="predict_set` needs the held-out predictions of teachers"):
            classifier.predict_set(np.zeros((1, classifier.n_features_in_)))
        with pytest.raises(DataError, match="novelty_p_values` needs the distances of the training rows"):
            classifier.novelty_p_values(np.zeros((1, classifier.n_features_in_)))
