"""A map that means what it says: priors, departures, bounds by name, slopes, and arrows that can be believed."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_score

from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor, FuzzyCognitiveMap

SOLVERS = {
    "lbfgs": {"solver": "lbfgs"},
    "adam": {"solver": "adam", "max_iter": 100, "tol": 0},
    "rmsprop": {"solver": "rmsprop", "max_iter": 100, "tol": 0},
}


@pytest.fixture(scope="module")
def diabetes():
    """Diabetes, as arrays."""
    return load_diabetes(return_X_y=True)


def correlations(X, y):
    """An expert who knows the sign of what speaks for each class: features to outputs, as weights in [-1, 1]."""
    classes = np.unique(y)
    outputs = classes if len(classes) > 2 else classes[1:]
    n = X.shape[1]
    W = np.zeros((n + len(outputs), n + len(outputs)))
    W[n:, :n] = [[np.corrcoef(X[:, j], y == label)[0, 1] for j in range(n)] for label in outputs]
    return FuzzyCognitiveMap(W, slope=5.0, concepts=[f"x{j}" for j in range(n)] + [f"class={c}" for c in outputs])


def half_wrong(expert, seed):
    """The same with half the signs flipped."""
    W, places = expert.weights.copy(), np.argwhere(expert.weights)
    for i, j in np.random.default_rng(seed).permutation(places)[: len(places) // 2]:
        W[i, j] *= -1
    return FuzzyCognitiveMap(W, slope=expert.slope, concepts=expert.concepts)


def arrows_and_effects(fcm, X):
    """Weights from features to outputs, and mean effects of the features on probabilities or values."""
    model = fcm.model_
    outputs = slice(-model.n_outputs, None)
    effects = (model.derivative(X) * X.std(axis=0)).mean(axis=0)[outputs]
    return model.map.weights[outputs, : model.n_features], effects


class TestPrior:
    """The penalty pulls to a map instead of to nothing."""

    @pytest.mark.parametrize("solver", SOLVERS)
    @pytest.mark.parametrize("kind", ["classes", "values"])
    def test_a_strong_absolute_penalty_gives_exactly_the_experts_map(self, kind, solver, iris, diabetes):
        """With memory where the expert says nothing: every weight to the last bit, and no departure."""
        X, y = iris if kind == "classes" else diabetes
        output = "class=1" if kind == "classes" else "target"
        expert = FuzzyCognitiveMap.from_edges([("x0", output, 1.1), ("x2", output, -0.7), ("x3", "x2", 0.3)], slope=3.0)
        estimator = FCMClassifier if kind == "classes" else FCMRegressor
        fcm = estimator(prior=expert, l1_ratio=1.0, alpha=1e5, random_state=0, n_hidden=2, **SOLVERS[solver])
        W, place = fcm.fit(X, y).map_.weights, fcm.map_.concepts.index
        expected = np.diag([3.0] * X.shape[1] + [0.0] * (len(W) - X.shape[1]))
        expected[place(output), 0], expected[place(output), 2], expected[2, 3] = 1.1 * 1.5, -0.7 * 1.5, 0.3 * 1.5
        assert np.array_equal(W, expected)
        assert all(departure.prior == departure.learned for departure in fcm.prior_deviations_)

    @pytest.mark.parametrize("solver", SOLVERS)
    def test_a_strong_absolute_penalty_leaves_nothing_but_memory(self, solver, iris):
        """Which nobody asked for, and it is told."""
        fcm = FCMClassifier(l1_ratio=1.0, alpha=1e5, random_state=0, **SOLVERS[solver])
        with pytest.warns(ConvergenceWarning, match="reaches an output"):
            fcm.fit(*iris)
        assert np.array_equal(fcm.map_.weights, np.diag([3.0] * 4 + [0.0] * 19))

    @pytest.mark.parametrize("l1_ratio", [0.0, 0.4, 1.0])
    @pytest.mark.parametrize("prior", [None, "memory", "expert"])
    def test_what_is_minimised_is_the_loss_and_the_penalty_around_the_prior(self, prior, l1_ratio, iris):
        """The last loss is the log loss of the predictions plus the penalty as it is documented, by hand."""
        X, y = np.unique(iris[0], axis=0, return_index=True)
        y = iris[1][y]
        expert = correlations(X, y)
        fcm = FCMClassifier(
            prior=expert if prior == "expert" else prior, alpha=3.0, l1_ratio=l1_ratio, n_teachers=0, n_hidden=2,
            max_iter=5000, tol=1e-7, random_state=0,
        ).fit(X, y)  # fmt: skip
        at, pull = np.zeros((9, 9)), np.ones((9, 9))
        if prior is not None:
            pull[:4], pull[6:, 6:] = 3.0, 10.0
            at[range(4), range(4)], pull[range(4), range(4)] = 3.0, 1.0
        if prior == "expert":
            at[6:, :4] = expert.weights[4:, :4] * 2.5
        away = fcm.map_.weights - at
        penalty = (pull * (l1_ratio * np.abs(away) + (1 - l1_ratio) / 2 * away**2)).sum() * 3.0 / len(y)
        assert fcm.loss_curve_[-1] == pytest.approx(log_loss(y, fcm.predict_proba(X)) + penalty, rel=1e-8)

    def test_alpha_says_how_hard_the_data_have_to_insist(self, wine):
        """The more of it, the nearer to a wrong expert; with next to none, the data have their way."""
        X, y = wine
        expert = half_wrong(correlations(X, y), 0)
        away, kept = [], []
        for alpha in (0.01, 1.0, 100.0, 10_000.0):
            fcm = FCMClassifier(prior=expert, alpha=alpha, random_state=0).fit(X, y)
            away.append(sum(abs(departure.learned - departure.prior) for departure in fcm.prior_deviations_))
            kept.append(np.mean([np.sign(d.learned) == np.sign(d.prior) for d in fcm.prior_deviations_]))
        assert away == sorted(away, reverse=True)
        assert kept == sorted(kept)
        assert kept[0] < 0.9 < 0.99 < kept[-1]

    def test_departures_tell_what_became_of_what_the_expert_drew(self, wine):
        """All of it, by name, those that changed most first, as they are in the map."""
        X, y = wine
        expert = half_wrong(correlations(X, y), 0)
        fcm = FCMClassifier(prior=expert, random_state=0).fit(X, y)
        drawn = {(j, i) for i, j in np.argwhere(expert.weights)}
        assert {
            (expert.concepts.index(d.source), expert.concepts.index(d.target)) for d in fcm.prior_deviations_
        } == drawn  # fmt: skip
        sizes = [abs(departure.learned - departure.prior) for departure in fcm.prior_deviations_]
        assert sizes == sorted(sizes, reverse=True)
        W, place = fcm.map_.weights, fcm.map_.concepts.index
        for source, target, prior, learned in fcm.prior_deviations_:
            assert learned == W[place(target), place(source)]
            said = expert.weights[expert.concepts.index(target), expert.concepts.index(source)]
            assert prior == pytest.approx(2.5 * said, rel=1e-12)

    @pytest.mark.parametrize("dataset", ["iris", "wine"])
    def test_what_is_wrong_is_weakened_and_what_is_right_is_not(self, dataset, request):
        """On the average over the influences that were flipped and those that were not."""
        X, y = request.getfixturevalue(dataset)
        right = correlations(X, y)
        expert = half_wrong(right, 0)
        fcm = FCMClassifier(prior=expert, random_state=0).fit(X, y)
        weakened = {True: [], False: []}
        for source, target, prior, learned in fcm.prior_deviations_:
            place = right.concepts.index(target), right.concepts.index(source)
            weakened[bool(right.weights[place] * prior < 0)].append(np.sign(prior) * (prior - learned))
        assert np.mean(weakened[True]) > 0 > np.mean(weakened[False])

    def test_an_absolute_penalty_agrees_exactly_where_the_data_do_not_insist(self, wine):
        """Some influences are the expert's to the last bit; fewer of one who is half wrong; none without it."""
        X, y = wine
        right = correlations(X, y)
        agree = []
        for expert, l1_ratio in ((right, 1.0), (half_wrong(right, 0), 1.0), (right, 0.0)):
            fcm = FCMClassifier(prior=expert, l1_ratio=l1_ratio, random_state=0).fit(X, y)
            agree.append(np.mean([departure.learned == departure.prior for departure in fcm.prior_deviations_]))
            assert fcm.score(X, y) > 0.95
        assert 1.0 > agree[0] > agree[1] + 0.1
        assert agree[1] > 0.2
        assert agree[2] == 0.0

    def test_without_an_expert_there_are_no_departures(self, iris):
        """Nobody drew anything."""
        for prior in ("memory", None):
            assert FCMClassifier(prior=prior, random_state=0).fit(*iris).prior_deviations_ == []

    @pytest.mark.parametrize("dataset", ["wine", "breast_cancer"])
    def test_an_expert_who_is_half_wrong_costs_next_to_nothing(self, dataset, request):
        """Signs flipped at random, anew in every fold: within 0.01 of no expert, on the mean of 5 folds and 3 seeds."""
        X, y = request.getfixturevalue(dataset)
        folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
        scores = {"memory": [], "expert": []}
        for seed in range(3):
            for k, (train, test) in enumerate(folds):
                expert = half_wrong(correlations(X[train], y[train]), 5 * seed + k)
                for name, prior in (("memory", "memory"), ("expert", expert)):
                    fcm = FCMClassifier(structure="full", prior=prior, random_state=seed).fit(X[train], y[train])
                    scores[name].append(fcm.score(X[test], y[test]))
        assert np.mean(scores["expert"]) > np.mean(scores["memory"]) - 0.01

    def test_an_expert_helps_where_rows_are_few(self, breast_cancer):
        """Who says that larger and rougher cells are worse, and no more; 20 rows, ten draws."""
        X, y = breast_cancer
        W = np.zeros((31, 31))
        W[30, :30] = -1.0  # class 1 is benign
        losses = {"memory": [], "expert": []}
        for seed in range(10):
            order = np.random.default_rng(seed).permutation(len(y))
            train, test = order[:20], order[20:]
            for name, prior in (("memory", "memory"), ("expert", FuzzyCognitiveMap(W))):
                fcm = FCMClassifier(prior=prior, n_hidden=0, random_state=0).fit(X[train], y[train])
                losses[name].append(log_loss(y[test], fcm.predict_proba(X[test])))
        assert np.mean(losses["expert"]) < 0.98 * np.mean(losses["memory"])

    def test_an_expert_may_speak_of_some_concepts_and_of_hidden_ones(self, iris):
        """The others get memory; ``hidden 1`` is as good a name as any."""
        expert = FuzzyCognitiveMap.from_edges([("x3", "hidden 1", 2.0), ("hidden 1", "class=2", 2.0)])
        fcm = FCMClassifier(prior=expert, random_state=0).fit(*iris)
        assert {(d.source, d.target) for d in fcm.prior_deviations_} == {("x3", "hidden 1"), ("hidden 1", "class=2")}
        assert all(departure.learned > 0 for departure in fcm.prior_deviations_)

    def test_learning_goes_on_towards_the_expert(self, iris):
        """By warm start, and in parts, after which departures are told anew."""
        expert = correlations(*iris)
        fcm = FCMClassifier(prior=expert, warm_start=True, random_state=0).fit(*iris)
        before = fcm.prior_deviations_
        fcm.set_params(alpha=1e4, max_iter=200, tol=0).fit(*iris)
        for departure in fcm.prior_deviations_:
            assert departure.learned == pytest.approx(departure.prior, abs=0.05)
        parts = FCMClassifier(prior=expert, random_state=0).partial_fit(*iris, classes=[0, 1, 2])
        assert len(parts.prior_deviations_) == len(before)
        first = parts.prior_deviations_
        assert parts.partial_fit(*iris).prior_deviations_ != first

    def test_the_choice_of_alpha_is_how_much_to_believe_an_expert(self, wine):
        """One who says the truth may be believed firmly; one who says the opposite must not be, and is not."""
        X, y = wine
        right = correlations(X, y)
        opposite = FuzzyCognitiveMap(-right.weights, slope=5.0, concepts=right.concepts)
        for prior, believed in ((right, True), (opposite, False)):
            fcm = FCMClassifierCV(depths=(2,), alphas=(30.0, 0.2), prior=prior, random_state=0).fit(X, y)
            assert (fcm.alpha_ == 30.0) == believed

    def test_estimators_with_an_expert_can_be_cloned_and_pickled(self, iris):
        """As all others."""
        fcm = FCMClassifier(prior=correlations(*iris), random_state=0).fit(*iris)
        assert clone(fcm).fit(*iris).map_ == fcm.map_
        restored = pickle.loads(pickle.dumps(fcm))
        assert restored.prior_deviations_ == fcm.prior_deviations_
        assert restored.prior_deviations_[0].source == fcm.prior_deviations_[0].source


# By name, and against the data: what the arrows of iris would otherwise be is the opposite.
SAID = {
    ("x2", "class=0"): "+",
    ("x3", "class=0"): (0.5, None),
    ("x2", "class=2"): "-",
    ("x0", "class=1"): (-0.1, 0.2),
    ("x1", "x1"): (None, 1.0),
    ("class=0", "class=2"): (0, 0),
}
SAID_OF_VALUES = {
    ("x2", "target"): "-",
    ("x4", "target"): (0.3, 0.4),
    ("x8", "target"): (None, 0),
    ("x0", "x0"): (0, 1),
}


def hold(fcm, said):
    """Whether all weights are within what was said."""
    W, place = fcm.map_.weights, fcm.map_.concepts.index
    signs = {"+": (0, None), "-": (None, 0)}
    for (source, target), bounds in said.items():
        low, high = signs.get(bounds, bounds) if isinstance(bounds, str) else bounds
        weight = W[place(target), place(source)]
        if not (-np.inf if low is None else low) <= weight <= (np.inf if high is None else high):
            return False
    return True


class TestBoundsByName:
    """What an expert fixes holds after every way to learn, to the last bit."""

    @pytest.mark.parametrize("parameter", ["weight_bounds", "edges"])
    @pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
    @pytest.mark.parametrize("solver", SOLVERS)
    def test_they_hold_with_every_solver(self, solver, l1_ratio, parameter, iris):
        """As bounds, or as edges that say so."""
        said = SAID | ({(f"x{i}", f"class={c}"): None for i in (1, 3) for c in (1, 2)} if parameter == "edges" else {})
        fcm = FCMClassifier(**{parameter: said}, l1_ratio=l1_ratio, random_state=0, **SOLVERS[solver]).fit(*iris)
        assert hold(fcm, SAID)
        assert fcm.score(*iris) > 0.6
        if parameter == "edges":
            W, place = fcm.map_.weights, fcm.map_.concepts.index
            allowed = np.eye(7, dtype=bool)
            for source, target in said:
                allowed[place(target), place(source)] = True
            assert not W[~allowed].any()

    @pytest.mark.parametrize("solver", SOLVERS)
    def test_they_hold_for_values(self, solver, diabetes):
        """Regression too."""
        fcm = FCMRegressor(weight_bounds=SAID_OF_VALUES, random_state=0, **SOLVERS[solver]).fit(*diabetes)
        assert hold(fcm, SAID_OF_VALUES)
        assert fcm.score(*diabetes) > 0.2

    def test_the_data_would_have_it_otherwise(self, iris, diabetes):
        """So that the tests above test something."""
        assert not hold(FCMClassifier(random_state=0).fit(*iris), SAID)
        assert not hold(FCMRegressor(random_state=0).fit(*diabetes), SAID_OF_VALUES)

    @pytest.mark.parametrize("prior", [None, "memory", "expert"])
    @pytest.mark.parametrize("n_teachers", [0, 3])
    def test_they_hold_with_every_prior_and_with_teachers(self, prior, n_teachers, iris):
        """An expert may say one thing firmly and another softly."""
        if prior == "expert":
            prior = FuzzyCognitiveMap.from_edges([("x2", "class=0", 1.0), ("x3", "class=2", 1.0)])
        fcm = FCMClassifier(weight_bounds=SAID, prior=prior, n_teachers=n_teachers, random_state=0).fit(*iris)
        assert len(fcm.teacher_losses_) == n_teachers
        assert hold(fcm, SAID)

    @pytest.mark.parametrize("init", ["uniform", "correlation", "map"])
    def test_they_hold_with_every_start(self, init, iris):
        """Also one that contradicts them."""
        init = FuzzyCognitiveMap(np.diag([4.0] * 7) - 1.0) if init == "map" else init
        assert hold(FCMClassifier(weight_bounds=SAID, init=init, max_iter=1, tol=0).fit(*iris), SAID)

    def test_they_hold_when_learning_goes_on(self, iris):
        """From a map that was learned without them: at once, by warm start and in parts."""
        warm = FCMClassifier(warm_start=True, random_state=0).fit(*iris)
        assert not hold(warm, SAID)
        assert hold(warm.set_params(weight_bounds=SAID, max_iter=1, tol=0).fit(*iris), SAID)
        fcm = FCMClassifier(structure="full", random_state=0).fit(*iris).set_params(weight_bounds=SAID)
        for part in np.array_split(np.random.default_rng(0).permutation(150), 5):
            assert hold(fcm.partial_fit(iris[0][part], iris[1][part]), SAID)

    def test_they_hold_whatever_is_chosen(self, iris):
        """By cross-validation; also those about hidden concepts, of which every choice must have some."""
        said = SAID | {("hidden 1", "class=1"): "-"}
        fcm = FCMClassifierCV(depths=(2, 3), alphas=(0.2, 0.02), n_folds=2, weight_bounds=said, random_state=0)
        assert hold(fcm.fit(*iris), said)

    def test_early_stopping_keeps_within_them(self, iris):
        """The best map, not only the last, is."""
        for solver in SOLVERS:
            assert hold(FCMClassifier(weight_bounds=SAID, solver=solver, early_stopping=True).fit(*iris), SAID)

    def test_classic_maps_are_one_setting(self, wine):
        """Weights in [-1, 1] at slope 5: about as accurate as the default."""
        X, y = wine
        classic = FCMClassifier(slope=5.0, weight_bounds=(-1, 1), random_state=0)
        assert np.abs(classic.fit(X, y).map_.weights).max() <= 1.0
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        scores = [cross_val_score(fcm, X, y, cv=folds).mean() for fcm in (FCMClassifier(random_state=0), classic)]
        assert scores[1] > scores[0] - 0.02


SPOKEN_OF = {
    "named edges": {"edges": [("x0", "class=1"), ("x1", "class=1")]},
    "an array of edges": {"edges": np.ones((4, 4), dtype=bool)},
    "named bounds": {"weight_bounds": {("x0", "class=1"): "+"}},
    "arrays of bounds": {"weight_bounds": (np.full((4, 4), -2.0), 2.0)},
    "a prior": {"prior": FuzzyCognitiveMap.from_edges([("x0", "class=1", -1.0)])},
    "slopes": {"prior": FuzzyCognitiveMap.from_edges([("x0", "class=1", -1.0)]), "learn": "slopes"},
    "a start": {"init": FuzzyCognitiveMap(np.eye(4))},
}


@pytest.mark.parametrize("spoken_of", SPOKEN_OF.values(), ids=SPOKEN_OF)
@pytest.mark.parametrize("estimator", [FCMClassifier(terms="auto"), FCMClassifierCV(depths=(2,), alphas=(0.2,))])
def test_features_of_which_an_expert_speaks_do_not_become_words(estimator, spoken_of):
    """Where words are a choice, also on data of which they would be chosen."""
    X = np.random.RandomState(0).uniform(-1, 1, (300, 3))
    y = (np.abs(X[:, 0]) < 0.5).astype(int)
    assert clone(estimator).set_params(random_state=0).fit(X, y).terms_
    assert clone(estimator).set_params(random_state=0, **spoken_of).fit(X, y).terms_ == {}


@pytest.mark.parametrize("asked", [[0, 1, 0], np.array([0, 1, 0]), {"x1": 1}, {"x0": 0, "x1": 1}])
def test_features_of_monotone_effect_stay_numbers_beside_words(asked):
    """However they are asked for."""
    X = np.random.RandomState(0).uniform(-1, 1, (300, 3))
    y = (np.abs(X[:, 0]) < 0.5).astype(int)
    fcm = FCMClassifier(terms=3, monotonic_cst=asked, random_state=0).fit(X, y)
    assert list(fcm.terms_) == ["x0", "x2"]
    assert (fcm.predict_proba(X + np.array([0, 0.1, 0]))[:, 1] >= fcm.predict_proba(X)[:, 1] - 1e-12).all()


class TestSlopes:
    """The expert's weights stay as they are; slope and bias of each concept are learned."""

    @pytest.mark.parametrize("source", ["init", "prior"])
    @pytest.mark.parametrize("solver", SOLVERS)
    def test_weights_stay_and_accuracy_rises(self, solver, source, wine):
        """To the last bit; at the start, the outputs of a drawn map that nobody has tuned say little."""
        X, y = wine
        expert = correlations(X, y)
        kept = FuzzyCognitiveMap(expert.weights + np.diag([1.0] * 13 + [0.0] * 3), slope=5.0, concepts=expert.concepts)
        given = {"init": kept} if source == "init" else {"prior": kept}
        fcm = FCMClassifier(learn="slopes", random_state=0, **given, **SOLVERS[solver]).fit(X, y)
        assert np.array_equal(fcm.map_.weights, kept.weights)
        assert fcm.map_.slope.shape == (16,)
        assert (fcm.map_.slope > 0).all()
        still = {"solver": "adam", "learning_rate": 1e-12, "max_iter": 1, "tol": 0}
        untuned = FCMClassifier(learn="slopes", **given, **still).fit(X, y)
        np.testing.assert_allclose(untuned.map_.slope, 5.0)
        assert fcm.score(X, y) > max(untuned.score(X, y), 0.9)
        assert log_loss(y, fcm.predict_proba(X)) < log_loss(y, untuned.predict_proba(X)) - 0.05

    def test_a_start_by_correlations_will_do(self, breast_cancer):
        """Nobody need draw anything."""
        X, y = breast_cancer
        fcm = FCMClassifier(init="correlation", learn="slopes", random_state=0)
        assert cross_val_score(fcm, X, y, cv=StratifiedKFold(5, shuffle=True, random_state=0)).mean() > 0.93
        one, other = (clone(fcm).set_params(random_state=seed).fit(X, y).map_.weights for seed in (0, 1))
        assert np.array_equal(one, other)

    def test_an_experts_slopes_are_where_it_starts(self, iris):
        """One for each concept, translated to what is learned and back: a step too small to matter changes nothing."""
        X, y = iris
        W = np.diag([3.0] * 4 + [0.0] * 3)
        W[4:, :4] = np.random.default_rng(0).normal(size=(3, 4))
        expert = FuzzyCognitiveMap(W, bias=np.linspace(-1, 1, 7), slope=np.linspace(1, 4, 7))
        fcm = FCMClassifier(init=expert, learn="slopes", solver="adam", learning_rate=1e-12, max_iter=1, tol=0)
        fcm.fit(X, y)
        start = fcm.trajectory(X)[0]
        np.testing.assert_allclose(fcm.trajectory(X), expert.run(start, 2), atol=1e-8)

    def test_regression_learns_slopes(self, diabetes):
        """And the drawn weights stay."""
        expert = FuzzyCognitiveMap.from_edges([("x2", "target", 1.0), ("x8", "target", 1.0), ("x6", "target", -0.5)])
        fcm = FCMRegressor(prior=expert, learn="slopes", random_state=0).fit(*diabetes)
        assert fcm.map_.n_concepts == 11
        assert fcm.map_.weights[10, [2, 8, 6]].tolist() == [1.0, 1.0, -0.5]
        assert [departure.learned for departure in fcm.prior_deviations_] == [
            departure.prior for departure in fcm.prior_deviations_
        ]
        assert fcm.score(*diabetes) > 0.4

    def test_slopes_are_learned_on_and_chosen(self, iris):
        """By warm start, in parts, and by cross-validation: the weights stay."""
        X, y = iris
        W = np.diag([1.2] * 4 + [0.0] * 3)
        W[4:, :4] = correlations(X, y).weights[4:, :4]
        expert = FuzzyCognitiveMap(W, slope=5.0)
        settings = {"init": expert, "learn": "slopes", "random_state": 0}
        warm = FCMClassifier(warm_start=True, max_iter=5, tol=0, **settings).fit(X, y)
        loss = warm.loss_curve_[-1]
        assert warm.fit(X, y).loss_curve_[-1] < loss
        parts = FCMClassifier(**settings)
        for _ in range(60):
            parts.partial_fit(X, y, classes=[0, 1, 2])
        chosen = FCMClassifierCV(depths=(2, 1), alphas=(0.2,), **settings).fit(X, y)
        for fcm in (warm, parts, chosen):
            assert np.array_equal(fcm.map_.weights, W)
            assert fcm.score(X, y) > 0.8

    def test_a_map_that_forgets_the_features_says_so(self, iris):
        """As it is in `init`, it may have no memory; in `prior`, memory comes with it."""
        expert = correlations(*iris)
        with pytest.warns(ConvergenceWarning, match=r"No influence of a feature reaches an output"):
            FCMClassifier(init=expert, learn="slopes", depth=2).fit(*iris)
        assert FCMClassifier(prior=expert, learn="slopes", depth=2).fit(*iris).score(*iris) > 0.8
        assert FCMClassifier(init=expert, learn="slopes", depth=1).fit(*iris).score(*iris) > 0.8


class TestReading:
    """Arrows mean what they say."""

    @pytest.mark.parametrize("dataset", ["iris", "wine", "breast_cancer", "diabetes"])
    def test_arrows_of_small_maps_have_the_signs_of_effects(self, dataset, request):
        """All that lead from a feature to an output."""
        X, y = request.getfixturevalue(dataset)
        fcm = (FCMRegressor if dataset == "diabetes" else FCMClassifier)(random_state=0).fit(X, y)
        used = fcm.model_.encoding.used
        effect = arrows_and_effects(fcm, X)[1][:, used]
        arrow = fcm.map_.weights[-fcm.model_.n_outputs :, : len(used)]
        assert np.count_nonzero(arrow) >= 5
        assert (np.sign(arrow) == np.sign(effect))[arrow != 0.0].all()

    @pytest.mark.parametrize("dataset", ["iris", "wine", "breast_cancer", "diabetes"])
    def test_arrows_have_the_signs_of_effects_and_seeds_agree(self, dataset, request):
        """The strongest arrow into every output, 95 % of all by effect; weights of two seeds correlate by 0.9."""
        X, y = request.getfixturevalue(dataset)
        arrows = []
        for seed in (0, 1):
            kind = FCMRegressor if dataset == "diabetes" else FCMClassifier
            fcm = kind(structure="full", random_state=seed).fit(X, y)
            arrow, effect = arrows_and_effects(fcm, X)
            right = np.sign(arrow) == np.sign(effect)
            assert right[np.arange(len(arrow)), np.abs(arrow).argmax(axis=1)].all()
            assert (np.abs(effect) * right).sum() > 0.95 * np.abs(effect).sum()
            arrows.append(arrow.ravel())
        assert np.corrcoef(*arrows)[0, 1] > 0.9

    def test_without_memory_they_do_not(self, iris):
        """So that the test above tests something."""
        correlation = np.corrcoef(
            *(arrows_and_effects(FCMClassifier(prior=None, random_state=seed).fit(*iris), iris[0])[0].ravel()
              for seed in (0, 1))
        )  # fmt: skip
        assert correlation[0, 1] < 0.5

    def test_features_stay_what_they_are_named_after(self, wine):
        """After every step the state of a feature's concept still rises with the feature."""
        X, y = wine
        fcm = FCMClassifier(structure="full", random_state=0).fit(X, y)
        first, *later = fcm.trajectory(X)
        for states in later:
            correlations_with_itself = [np.corrcoef(first[:, j], states[:, j])[0, 1] for j in range(X.shape[1])]
            assert min(correlations_with_itself) > 0.8

    def test_arrows_of_features_that_may_not_remember_are_learned(self, iris):
        """Where an array of edges forbids it, features compute, and the map still learns."""
        edges = np.ones((7, 7), dtype=bool)
        edges[range(4), range(4)] = False
        fcm = FCMClassifier(edges=edges, random_state=0).fit(*iris)
        assert not fcm.map_.weights[~edges].any()
        assert fcm.score(*iris) > 0.95
