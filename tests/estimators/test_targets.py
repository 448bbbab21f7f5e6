"""Counts, amounts, quantiles, outliers, ordered classes and several labels: what each promises, on every path."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.linear_model import GammaRegressor, PoissonRegressor, TweedieRegressor
from sklearn.metrics import log_loss, mean_pinball_loss, mean_tweedie_deviance
from sklearn.model_selection import GridSearchCV

import cogmap
from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor, explain, to_rules, what_if
from cogmap._learning.ordered import fitted_thresholds, linear_thresholds
from cogmap.exceptions import CogmapError, DataError, ParameterError
from cogmap.models.one_row import quick_way

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 3))
MEAN = np.exp(0.5 + 0.7 * X[:, 0] - 0.4 * X[:, 1])
COUNTS = RNG.poisson(MEAN)
AMOUNTS = RNG.gamma(3.0, MEAN / 3.0)
WITH_ZEROS = np.where(RNG.random(240) < 0.3, 0.0, AMOUNTS)
LATENT = 2.0 * X[:, 0] - X[:, 1] + RNG.logistic(size=240)
GRADES = np.digitize(LATENT, [-2.0, 0.0, 1.5])
WORDS = np.array(["poor", "fair", "good", "best"])
LABELS = np.column_stack([LATENT > 0.0, X[:, 2] + 0.3 * RNG.normal(size=240) > 0.5]).astype(int)
STRUCTURES = ["named", "full"]

TARGETS = {
    "poisson": (FCMRegressor(loss="poisson"), COUNTS),
    "gamma": (FCMRegressor(loss="gamma"), AMOUNTS),
    "tweedie": (FCMRegressor(loss="tweedie", power=1.3), WITH_ZEROS),
    "median": (FCMRegressor(loss="quantile"), AMOUNTS),
    "quantiles": (FCMRegressor(loss="quantile", quantile=[0.1, 0.5, 0.9]), AMOUNTS),
    "huber": (FCMRegressor(loss="huber"), AMOUNTS),
    "ordered": (FCMClassifier(ordered=list(WORDS)), WORDS[GRADES]),
    "labels": (FCMClassifier(), LABELS),
}


def quick(name, **parameters):
    """An estimator that trains for few iterations, and its target."""
    estimator, y = TARGETS[name]
    return clone(estimator).set_params(random_state=0, max_iter=15, **parameters), y


@pytest.fixture(autouse=True)
def few_iterations():
    """`quick` estimators stop before they converge."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning)
        yield


@pytest.fixture(scope="module", params=TARGETS)
def fitted(request):
    """An estimator of each target with a small map, its name and its target."""
    estimator, y = TARGETS[request.param]
    return request.param, clone(estimator).set_params(random_state=0).fit(X, y), y


@pytest.fixture(scope="module")
def new_rows():
    """New features, and targets of each kind from the same source."""
    rng = np.random.default_rng(1)
    new = rng.normal(size=(2000, 3))
    mean = np.exp(0.5 + 0.7 * new[:, 0] - 0.4 * new[:, 1])
    amounts, latent = rng.gamma(3.0, mean / 3.0), 2.0 * new[:, 0] - new[:, 1] + rng.logistic(size=2000)
    return new, {
        "poisson": rng.poisson(mean),
        "amounts": amounts,
        "tweedie": np.where(rng.random(2000) < 0.3, 0.0, amounts),
        "ordered": WORDS[np.digitize(latent, [-2.0, 0.0, 1.5])],
        "labels": np.column_stack([latent > 0.0, new[:, 2] + 0.3 * rng.normal(size=2000) > 0.5]).astype(int),
    }


def ranges(fcm, rows, level=0.8):
    """Return intervals or sets."""
    return getattr(fcm, "predict_interval" if isinstance(fcm, FCMRegressor) else "predict_set")(rows, level)


class TestValues:
    """Losses of the regressor."""

    @pytest.mark.parametrize("structure", STRUCTURES)
    @pytest.mark.parametrize(
        ("loss", "power", "y", "linear"),
        [
            ("poisson", 1.0, COUNTS, PoissonRegressor(alpha=1e-3)),
            ("gamma", 2.0, AMOUNTS, GammaRegressor(alpha=1e-3)),
            ("tweedie", 1.5, WITH_ZEROS, TweedieRegressor(power=1.5, alpha=1e-3, link="log")),
        ],
    )
    def test_deviances_are_as_small_as_those_of_the_true_model(self, structure, loss, power, y, linear):
        """On held-out rows of a generalized linear model, within 10 % of that model fitted by scikit-learn."""
        train, test = slice(0, 160), slice(160, None)
        fcm = FCMRegressor(loss=loss, structure=structure, random_state=0).fit(X[train], y[train])
        own = mean_tweedie_deviance(y[test], fcm.predict(X[test]), power=power)
        best = mean_tweedie_deviance(y[test], linear.fit(X[train], y[train]).predict(X[test]), power=power)
        assert own < 1.1 * best
        assert own < 0.8 * mean_tweedie_deviance(y[test], np.full(80, y[train].mean()), power=power)

    @pytest.mark.parametrize("name", ["poisson", "gamma", "tweedie"])
    def test_predictions_are_positive_and_stay_in_the_range_of_the_data(self, name):
        """Also of rows far outside, where the exponential would be huge."""
        estimator, y = quick(name)
        predictions = estimator.fit(X, y).predict(30.0 * X)
        assert (predictions > 0.0).all()
        assert predictions.max() <= y.max()

    def test_the_scale_of_counts_does_not_matter_to_amounts(self):
        """In another unit they have the same model; a power of two keeps rounding out of it."""
        some = FCMRegressor(loss="gamma", random_state=0).fit(X, AMOUNTS)
        more = FCMRegressor(loss="gamma", random_state=0).fit(X, 128.0 * AMOUNTS)
        np.testing.assert_allclose(more.predict(X), 128.0 * some.predict(X), rtol=1e-6)

    @pytest.mark.parametrize("structure", STRUCTURES)
    def test_quantiles_have_the_share_of_rows_below(self, structure):
        """In the training data, each within 0.04."""
        levels = [0.1, 0.5, 0.9]
        fcm = FCMRegressor(loss="quantile", quantile=levels, structure=structure, random_state=0).fit(X, AMOUNTS)
        predictions = fcm.predict(X)
        np.testing.assert_allclose((AMOUNTS[:, None] <= predictions).mean(axis=0), levels, atol=0.04)
        assert list(fcm.map_.concepts[-3:]) == ["target q=0.1", "target q=0.5", "target q=0.9"]
        assert 0.2 < fcm.score(X, AMOUNTS) < 1.0

    def test_quantiles_never_cross(self):
        """Near each other, untrained and far outside the data, where the outputs of the map do cross."""
        levels = [0.45, 0.5, 0.55]
        fcm, y = quick("quantiles", quantile=levels, structure="full", n_teachers=0)
        fcm.fit(X[:40], y[:40])
        outputs = fcm.model_.net(10.0 * X)
        assert (np.diff(outputs * fcm.model_.link.deviation[:, None], axis=0) < 0.0).any()
        assert (np.diff(fcm.predict(10.0 * X), axis=1) >= 0.0).all()

    def test_sorting_quantiles_does_not_raise_the_pinball_loss(self):
        """Row by row."""
        fcm, y = quick("quantiles", quantile=[0.45, 0.5, 0.55], structure="full", n_teachers=0)
        link = fcm.fit(X[:40], y[:40]).model_.link
        unsorted = (link.mean + link.deviation * fcm.model_.net(X).T).T
        for row in range(len(X)):
            before, after = (
                sum(
                    mean_pinball_loss([y[row]], [q], alpha=level) for q, level in zip(each, link.quantiles, strict=True)
                )
                for each in (unsorted[:, row], fcm.predict(X)[row])
            )
            assert after <= before + 1e-12

    def test_huber_resists_outliers(self):
        """Five percent of the targets are absurd; the error is below the noise of the others, 0.3."""
        truth = 2.0 * X[:, 0] - X[:, 1]
        y = truth + 0.3 * RNG.normal(size=240)
        y[::20] += 200.0
        error = {
            loss: np.abs(FCMRegressor(loss=loss, random_state=0).fit(X, y).predict(X) - truth).mean()
            for loss in ("huber", "squared_error")
        }
        assert error["huber"] < 0.25 < 2.0 < error["squared_error"]

    def test_several_targets_each_have_the_loss(self):
        """Also quantiles, of one level."""
        Y = np.column_stack([COUNTS, COUNTS[::-1]])
        for loss in ("poisson", "huber", "quantile"):
            assert FCMRegressor(loss=loss, max_iter=15, random_state=0).fit(X, Y).predict(X).shape == (240, 2)

    def test_a_search_over_quantiles_and_losses_runs(self):
        """`score` is defined for every loss."""
        grid = [{"loss": ["quantile"], "quantile": [0.5, [0.1, 0.9]]}, {"loss": ["huber", "gamma"]}]
        search = GridSearchCV(FCMRegressor(max_iter=5, random_state=0), grid, cv=2).fit(X[:60], AMOUNTS[:60])
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()


class TestOrdered:
    """Ordered classes."""

    @pytest.mark.parametrize("structure", STRUCTURES)
    def test_log_loss_is_that_of_an_ordered_logit(self, structure):
        """On held-out rows of data from an ordered logit, within 3 % of the model of statsmodels, with one output."""
        ordered_model = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
        train, test = slice(0, 160), slice(160, None)
        fcm = FCMClassifier(ordered=True, structure=structure, random_state=0).fit(X[train], GRADES[train])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            oracle = ordered_model.OrderedModel(GRADES[train], X[train], distr="logit").fit(method="bfgs", disp=False)
            expected = oracle.predict(X[test])
        assert log_loss(GRADES[test], fcm.predict_proba(X[test])) < 1.03 * log_loss(GRADES[test], expected)
        assert fcm.model_.n_outputs == 1
        assert (fcm.output_, fcm.map_.concepts[-1]) == ("ordered", "class")

    def test_linear_thresholds_are_those_of_statsmodels(self):
        """The thresholds before training: those of an ordered logit on standardized features, up to the penalty."""
        ordered_model = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = ordered_model.OrderedModel(GRADES, Z, distr="logit")
            expected = model.transform_threshold_params(model.fit(method="bfgs", disp=False).params)[1:-1]
        np.testing.assert_allclose(2.0 * linear_thresholds(X, GRADES, 4, np.ones(240)), expected, atol=0.05)

    def test_thresholds_fit_given_outputs(self):
        """No other thresholds have a smaller log loss, by their difference quotients."""
        net, weight = 0.5 * LATENT, np.linspace(0.5, 2.0, 240)

        def loss(thresholds):
            above = 1.0 / (1.0 + np.exp(-2.0 * (net[:, None] - thresholds)))
            p = np.hstack([np.ones((240, 1)), above]) - np.hstack([above, np.zeros((240, 1))])
            return -weight @ np.log(p[np.arange(240), GRADES]) / weight.sum()

        found = fitted_thresholds(net, GRADES, 4, weight, np.empty((240, 0)))
        for k in range(3):
            step = 0.01 * np.eye(3)[k]
            assert loss(found) < min(loss(found + step), loss(found - step))

    def test_order_of_words(self):
        """A list and an ordered categorical give the same model; that of numbers has other folds, and decides alike."""
        by_number = FCMClassifier(ordered=True, structure="additive", random_state=0).fit(X, GRADES)
        by_list = FCMClassifier(ordered=list(WORDS), structure="additive", random_state=0).fit(X, WORDS[GRADES])
        grades = pd.Series(pd.Categorical(WORDS[GRADES], categories=[*WORDS, "divine"], ordered=True))
        by_categories = FCMClassifier(ordered=True, structure="additive", random_state=0).fit(X, grades)
        assert by_list.classes_.tolist() == sorted(WORDS)
        np.testing.assert_array_equal(by_list.predict_proba(X), by_categories.predict_proba(X))
        assert (by_list.predict(X) == WORDS[by_number.predict(X)]).mean() > 0.95

    def test_effects_have_the_sign_of_the_order(self):
        """The first feature raises the class, also if labels sort in another order."""
        fcm = FCMClassifier(ordered=list(WORDS), structure="additive", random_state=0).fit(X, WORDS[GRADES])
        rules = to_rules(fcm, X)
        assert dict(zip(rules.sources, np.sign(rules.weights), strict=True))["x0"] == 1.0
        full = FCMClassifier(ordered=list(WORDS), structure="full", random_state=0).fit(X, WORDS[GRADES])
        assert full.map_.weights[-1, 0] > 0.0 > full.map_.weights[-1, 1]

    def test_a_monotone_feature_never_lowers_the_class(self):
        """No cumulative probability falls."""
        fcm = FCMClassifier(ordered=True, monotonic_cst={"x0": 1}, random_state=0).fit(X, GRADES)
        higher = X + np.array([1.0, 0.0, 0.0])
        before, after = (fcm.predict_proba(rows)[:, ::-1].cumsum(axis=1) for rows in (X, higher))
        assert (after >= before - 1e-12).all()

    def test_two_ordered_classes_are_a_logistic_regression(self):
        """One threshold is a bias."""
        fcm = FCMClassifier(ordered=True, random_state=0).fit(X, GRADES > 1)
        plain = FCMClassifier(random_state=0).fit(X, GRADES > 1)
        np.testing.assert_array_equal(fcm.predict_proba(X), plain.predict_proba(X))

    def test_class_weights_move_the_thresholds(self):
        """A class that counts more is predicted more often."""
        plain = FCMClassifier(ordered=True, random_state=0).fit(X, GRADES).predict(X)
        heavy = FCMClassifier(ordered=True, class_weight={0: 5.0}, random_state=0).fit(X, GRADES).predict(X)
        assert (heavy == 0).sum() > (plain == 0).sum()


class TestLabels:
    """Several labels per row."""

    @pytest.mark.parametrize("structure", STRUCTURES)
    def test_labels_are_about_as_well_predicted_as_one_by_one(self, structure):
        """One map of both labels has a log loss within 10 % of two maps, on held-out rows."""
        train, test = slice(0, 160), slice(160, None)
        fcm = FCMClassifier(structure=structure, random_state=0).fit(X[train], LABELS[train])
        own = sum(log_loss(LABELS[test, j], fcm.predict_proba(X[test])[:, j]) for j in range(2))
        singles = [FCMClassifier(structure=structure, random_state=0).fit(X[train], y) for y in LABELS[train].T]
        one_by_one = sum(log_loss(LABELS[test, j], singles[j].predict_proba(X[test])) for j in range(2))
        assert own < 1.1 * one_by_one
        assert fcm.score(X[test], LABELS[test]) > 0.5

    def test_all_forms_of_labels_give_the_same_model(self):
        """Integers, booleans, lists, a sparse matrix; a data frame names the outputs."""
        fcm, y = quick("labels")
        expected = clone(fcm).fit(X, y).predict_proba(X)
        for other in (y.astype(bool), y.tolist(), csr_matrix(y), pd.DataFrame(y, columns=["sun", "wind"])):
            np.testing.assert_array_equal(fcm.fit(X, other).predict_proba(X), expected)
        assert list(fcm.map_.concepts[-2:]) == ["sun", "wind"]
        assert fcm.classes_.tolist() == [0, 1]
        assert set(np.unique(fcm.predict(X))) == {0, 1}


class TestEveryTarget:
    """What holds for all of them."""

    def test_save_and_load(self, fitted, tmp_path):
        """Predictions are bitwise equal."""
        _, fcm, _ = fitted
        cogmap.save(fcm, tmp_path / "model.cogmap")
        loaded = cogmap.load(tmp_path / "model.cogmap")
        np.testing.assert_array_equal(loaded.model_.outputs(X), fcm.model_.outputs(X))
        np.testing.assert_array_equal(loaded.predict(X), fcm.predict(X))
        np.testing.assert_array_equal(ranges(loaded, X), ranges(fcm, X))

    def test_onnx(self, fitted):
        """The predictions of onnxruntime are the same, and the intervals or sets."""
        onnxruntime = pytest.importorskip("onnxruntime")
        from cogmap.integrations.onnx import to_onnx

        _, fcm, _ = fitted
        session = onnxruntime.InferenceSession(to_onnx(fcm, level=0.8).SerializeToString())
        rows = np.vstack([X, 30.0 * X])
        names = [each.name for each in session.get_outputs()]
        results = dict(zip(names, session.run(None, {session.get_inputs()[0].name: rows}), strict=True))
        outputs = results["prediction"] if "prediction" in results else results["probabilities"]
        np.testing.assert_allclose(outputs.reshape(len(rows), -1), fcm.model_.outputs(rows), rtol=1e-9, atol=1e-12)
        if "label" in results:
            np.testing.assert_array_equal(results["label"], fcm.predict(rows))
            np.testing.assert_array_equal(results["set"], ranges(fcm, rows))
        else:
            np.testing.assert_allclose(results["interval"], ranges(fcm, rows), rtol=1e-9, atol=1e-12)

    @pytest.mark.parametrize("level", [0.6, 0.9])
    def test_intervals_and_sets_contain_the_truth(self, new_rows, fitted, level):
        """On 2,000 new rows: at least about as often as asked, and not always."""
        (name, fcm, _), (new, truths) = fitted, new_rows
        found = ranges(fcm, new, level)
        truth = truths["amounts" if name in ("gamma", "median", "quantiles", "huber") else name]
        if isinstance(fcm, FCMRegressor):
            assert found.shape == (2000, 2)
            inside = (found[:, 0] <= truth) & (truth <= found[:, 1])
            assert name in ("median", "quantiles", "huber") or found.min() >= 0.0
        else:
            codes = np.searchsorted(fcm.classes_, truth)
            assert found.shape == ((2000, 4) if name == "ordered" else (2000, 2, 2))
            assert found.any(axis=-1).all()
            inside = np.take_along_axis(found, codes[..., None], axis=-1)
        assert level - 0.06 < inside.mean(axis=0).min() <= inside.mean(axis=0).max() < 0.99

    def test_one_row_is_predicted_as_many_are(self, fitted):
        """The fast path of the server."""
        _, fcm, _ = fitted
        one = quick_way(fcm.model_)
        for row in np.vstack([X[:20], 30.0 * X[:20]]):
            np.testing.assert_allclose(one(row)[0], fcm.model_.outputs(row[None])[0], rtol=1e-9, atol=1e-12)

    def test_derivatives_are_difference_quotients(self, fitted):
        """Of outputs and decisions, with respect to the features."""
        _, fcm, _ = fitted
        rows = X[:30]
        for of, compute in (("outputs", fcm.model_.outputs), ("decision", fcm.model_.decision)):
            exact = fcm.model_.derivative(rows, of=of)
            for j in range(3):
                step = 1e-6 * np.eye(3)[j]
                quotient = (compute(rows + step) - compute(rows - step)) / 2e-6
                np.testing.assert_allclose(exact[:, :, j], quotient.reshape(30, -1), rtol=1e-4, atol=1e-6)

    def test_contributions_add_up(self, fitted):
        """To the difference from the baseline."""
        _, fcm, _ = fitted
        answer = explain(fcm, X[:20])
        total = answer.base_values + answer.contributions.sum(axis=1)
        np.testing.assert_allclose(total, answer.outputs, rtol=1e-5, atol=1e-6)

    def test_what_if(self, fitted):
        """The changed row is predicted as asked."""
        name, fcm, _ = fitted
        row = X[:1]
        if name == "ordered":
            assert fcm.predict(what_if(fcm, row, to="best").row)[0] == "best"
            return
        outputs, names = fcm.model_.outputs(X), fcm.model_.link.names
        to = float(np.quantile(outputs[:, 0], 0.8))
        answer = what_if(fcm, row, to=to if len(names) == 1 else {names[0]: to})
        assert answer.found
        assert abs(fcm.model_.outputs(answer.row)[0, 0] - to) < 0.2 * np.ptp(outputs[:, 0])

    def test_a_weight_of_two_is_a_repeated_row(self, fitted):
        """Bitwise."""
        name, _, _ = fitted
        fcm, y = quick(name)
        weight = 1.0 + np.arange(240) % 2
        rows = np.repeat(np.arange(240), weight.astype(int))
        expected = clone(fcm).fit(X[rows], y[rows]).predict(X)
        np.testing.assert_array_equal(fcm.fit(X, y, sample_weight=weight).predict(X), expected)

    @pytest.mark.parametrize("solver", ["lbfgs", "adam"])
    def test_chunks_and_batches(self, fitted, solver):
        """Chunks give the model of all rows; mini-batches give a model that is not far from it."""
        name, _, y = fitted
        fcm, y = quick(name, structure="full", n_teachers=0, solver=solver)
        expected = clone(fcm).fit(X, y).model_.outputs(X)
        assert np.isfinite(expected).all()
        if solver == "lbfgs":
            fcm.fit_chunks([(X[:100], y[:100]), (X[100:], y[100:])])
            np.testing.assert_array_equal(fcm.model_.outputs(X), expected)

    def test_many_rows_in_chunks(self, fitted, monkeypatch):
        """Chunks of more rows than are held in memory: the map is trained on all of them, and predicts alike."""
        name, _, _ = fitted
        fcm, y = quick(name, structure="full", n_teachers=0)
        expected = clone(fcm).fit(X, y).model_.outputs(X)
        monkeypatch.setattr("cogmap.estimators._out_of_core.LARGE", 100)
        fcm.fit_chunks([(X[:100], y[:100]), (X[100:], y[100:])])
        np.testing.assert_allclose(fcm.model_.outputs(X), expected, rtol=0.05, atol=0.02)

    def test_training_resumes(self, fitted):
        """`warm_start` goes on from the earlier map, with the same link."""
        name, _, _ = fitted
        fcm, y = quick(name, warm_start=True, structure="full", n_teachers=0)
        first = fcm.fit(X, y).loss_curve_
        assert fcm.fit(X, y).loss_curve_[0] < first[0]

    def test_pages_are_written(self, fitted, tmp_path):
        """With the answers of the table."""
        _, fcm, y = fitted
        assert fcm.explore(X, y, tmp_path / "map.html").stat().st_size > 10_000


BAD_TARGETS = {
    "negative counts": (
        FCMRegressor(loss="poisson"),
        COUNTS - 1,
        "needs counts, whole numbers >= 0, but 'target' is -1",
    ),
    "fractional counts": (FCMRegressor(loss="poisson"), COUNTS + 0.5, "whole numbers >= 0, but 'target' is"),
    "amounts of 0": (FCMRegressor(loss="gamma"), WITH_ZEROS, "needs amounts > 0, but 'target' is 0 in row"),
    "negative amounts": (FCMRegressor(loss="tweedie"), AMOUNTS - 5.0, "needs amounts >= 0"),
    "only zeros": (FCMRegressor(loss="poisson"), 0 * COUNTS, "'target' has only the value 0"),
    "words without an order": (FCMClassifier(ordered=True), WORDS[GRADES], "from the lowest to the highest"),
    "an unordered categorical": (FCMClassifier(ordered=True), pd.Series(pd.Categorical(GRADES)), "ordered"),
    "an order that lacks a class": (FCMClassifier(ordered=["poor", "fair"]), WORDS[GRADES], "['best', 'good']"),
    "ordered, one output per class": (FCMClassifier(ordered=True, output="one_hot"), GRADES, "'auto' or 'single'"),
    "a label of no row": (FCMClassifier(), LABELS * [1, 0], "'label 2' applies to no row"),
    "a label of every row": (FCMClassifier(), LABELS | [0, 1], "'label 2' applies to every row"),
    "labels that are not 0 or 1": (FCMClassifier(), LABELS + np.array([0, 2]), "1 where one applies and 0 elsewhere"),
    "labels with class weights": (FCMClassifier(class_weight="balanced"), LABELS, "None for several labels"),
    "labels with an order": (FCMClassifier(ordered=True), LABELS, "False for several labels"),
    "labels for a search": (FCMClassifierCV(), LABELS, "1d array"),
    "several quantiles of several targets": (
        FCMRegressor(loss="quantile", quantile=[0.1, 0.9]),
        np.column_stack([AMOUNTS, COUNTS]),
        "one number for several targets",
    ),
}
BAD_PARAMETERS = {
    "an unknown loss": (FCMRegressor(loss="poison"), "Did you mean 'poisson'"),
    "a power of 1": (FCMRegressor(loss="tweedie", power=1.0), "> 1"),
    "a power of 2.5": (FCMRegressor(loss="tweedie", power=2.5), "got 2.5"),
    "a quantile of 1.5": (FCMRegressor(loss="quantile", quantile=1.5), "got 1.5"),
    "a quantile of 1.5 among others": (FCMRegressor(loss="quantile", quantile=[0.5, 1.5]), "got 1.5"),
    "quantiles that descend": (FCMRegressor(loss="quantile", quantile=[0.9, 0.1]), "ascending"),
    "no quantiles": (FCMRegressor(loss="quantile", quantile=[]), "a list of at least one number"),
    "an order of one class": (FCMClassifier(ordered=["a"]), "at least two labels"),
    "a class twice in the order": (FCMClassifier(ordered=["a", "b", "a"]), "different labels"),
    "an order in one word": (FCMClassifier(ordered="low<high"), "True, False, or a list"),
}


@pytest.mark.parametrize("name", BAD_TARGETS)
def test_bad_targets_raise_one_sentence(name):
    """It says what was expected and what came."""
    estimator, y, message = BAD_TARGETS[name]
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the message is checked below
        clone(estimator).fit(X, y)
    assert message in str(error.value)


@pytest.mark.parametrize("name", BAD_PARAMETERS)
def test_bad_parameters_raise_one_sentence(name):
    """Before the data are looked at."""
    estimator, message = BAD_PARAMETERS[name]
    with pytest.raises(ParameterError) as error:
        clone(estimator).fit(X, COUNTS)
    assert message in str(error.value)


def test_partial_fit_takes_plain_classes_only():
    """Thresholds and shares of labels are not known before all rows are seen."""
    for fcm, y in ((FCMClassifier(ordered=True), GRADES), (FCMClassifier(), LABELS)):
        with pytest.raises(CogmapError, match="partial_fit takes one unordered label per row"):
            fcm.partial_fit(X, y, classes=np.unique(y))


def test_rows_in_chunks_are_checked_too():
    """The message names the chunk."""
    with pytest.raises(DataError, match=r"In chunk 1: .*counts"):
        FCMRegressor(loss="poisson").fit_chunks([(X, COUNTS), (X, COUNTS - 1)])
