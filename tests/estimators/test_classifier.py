"""What the classifier promises."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import make_circles, make_classification, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from cogmap import FCMClassifier, FCMClassifierCV, FuzzyCognitiveMap
from cogmap._learning.solvers import Outcome


def same_model(a, b):
    return a.map_ == b.map_ and np.array_equal(a.classes_, b.classes_)


class TestIsLogisticRegression:
    """With one step and one output the model is a logistic regression."""

    @pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
    @pytest.mark.parametrize("slope", [1.0, 2.0])
    def test_same_decision_function_at_the_same_penalty(self, breast_cancer, C, slope):
        """To 1e-4, also on rows outside the training range; a slope scales the penalty by its square."""
        X, y = breast_cancer
        train, test = X[::2], X[1::2]
        scaler = MinMaxScaler().fit(train)
        expected = LogisticRegression(C=C, tol=1e-10, max_iter=10_000).fit(scaler.transform(train), y[::2])
        fcm = FCMClassifier(depth=1, slope=slope, alpha=slope**2 / C, tol=1e-8, max_iter=10_000, scale=True)
        fcm.fit(train, y[::2])
        for rows in (train, test):
            decision = expected.decision_function(scaler.transform(rows))
            np.testing.assert_allclose(fcm.decision_function(rows), decision, rtol=0, atol=1e-4)

    def test_weights_of_rows_and_classes_agree_too(self, breast_cancer):
        """Sample weights and class weights mean what they mean there."""
        X, y = breast_cancer
        X = MinMaxScaler().fit_transform(X)
        weight = np.random.default_rng(0).random(len(y)) + 0.5
        expected = LogisticRegression(class_weight={0: 3.0}, tol=1e-10, max_iter=10_000).fit(X, y, weight)
        fcm = FCMClassifier(
            depth=1, slope=1.0, alpha=1.0, class_weight={0: 3.0}, tol=1e-8, max_iter=10_000, scale=False
        )
        fcm.fit(X, y, weight)
        np.testing.assert_allclose(fcm.decision_function(X), expected.decision_function(X), rtol=0, atol=1e-4)

    def test_transform_of_one_step_is_the_scaled_input(self, breast_cancer):
        """Before the only step there are the features and an undecided output."""
        X, y = breast_cancer
        logistic = 1.0 / (1.0 + np.exp(-0.75 * StandardScaler().fit_transform(X)))
        for scale, expected in (("logistic", logistic), (True, MinMaxScaler().fit_transform(X))):
            states = FCMClassifier(depth=1, scale=scale, max_iter=1, tol=0).fit(X, y).transform(X)
            np.testing.assert_allclose(states[:, :-1], expected, atol=1e-12)
            assert (states[:, -1] == 0.5).all()


class TestPrediction:
    """Labels, probabilities, states and names fit together."""

    @pytest.mark.parametrize("structure", ["auto", "full"])
    @pytest.mark.parametrize("output", ["single", "one_hot"])
    def test_two_classes_with_one_output_or_two(self, breast_cancer, output, structure):
        """Both learn; scores, labels and probabilities agree."""
        X, y = breast_cancer
        fcm = FCMClassifier(structure=structure, output=output, random_state=0).fit(X, y)
        assert fcm.output_ == output
        n_features = 30 if structure == "full" else len(fcm.model_.encoding.used)
        assert fcm.map_.n_concepts == n_features + fcm.n_hidden_ + (1 if output == "single" else 2)
        assert fcm.score(X, y) > 0.97
        decision, probability = fcm.decision_function(X), fcm.predict_proba(X)
        assert decision.shape == (569,)
        np.testing.assert_allclose(probability.sum(axis=1), 1.0)
        np.testing.assert_allclose(probability[:, 1], 1 / (1 + np.exp(-decision)), atol=1e-12)
        assert np.array_equal(fcm.predict(X), (decision >= 0).astype(int))

    def test_trajectory_transform_and_prediction_agree_with_the_map(self, iris):
        """The estimator adds nothing to what its map does."""
        X, y = iris
        fcm = FCMClassifier(depth=3, random_state=0).fit(X, y)
        trajectory = fcm.trajectory(X)
        assert trajectory.shape == (4, 150, 4 + fcm.n_hidden_ + 3)
        np.testing.assert_allclose(trajectory, fcm.map_.run(trajectory[0], 3), atol=1e-15)
        np.testing.assert_allclose(fcm.transform(X), trajectory[2], atol=1e-15)
        outputs = trajectory[3][:, -3:]
        np.testing.assert_allclose(fcm.decision_function(X), fcm.gain_ * outputs, atol=1e-12)
        exponentials = np.exp(fcm.gain_ * outputs)
        np.testing.assert_allclose(
            fcm.predict_proba(X), exponentials / exponentials.sum(axis=1, keepdims=True), atol=1e-12
        )
        assert np.array_equal(fcm.predict(X), outputs.argmax(axis=1))

    def test_changing_parameters_after_fit_does_not_change_predictions(self, iris):
        """Predictions follow the values used in fit."""
        X, y = iris
        fcm = FCMClassifier(depth=3, random_state=0).fit(X, y)
        before = fcm.predict_proba(X)
        fcm.set_params(depth=1, gain=1.0, slope=9.0, scale=False, output="single")
        assert np.array_equal(fcm.predict_proba(X), before)

    @pytest.mark.parametrize(
        "labels",
        [
            ["setosa", "versicolor", "virginica"],
            [-7, 0, 12],
            [1.0, 2.0, 5.0],
            pd.Categorical(["c", "a", "b"]),
        ],
        ids=["str", "int", "float", "categorical"],
    )
    def test_labels_of_any_type(self, iris, labels):
        """What goes in as a label comes out as one."""
        X, y = iris
        y = np.asarray(labels)[y]
        fcm = FCMClassifier(random_state=0).fit(X, y)
        assert fcm.score(X, y) > 0.95
        assert set(fcm.predict(X)) == set(y)
        assert fcm.predict(X).dtype == fcm.classes_.dtype

    def test_booleans_are_labels(self, breast_cancer):
        """True and False are two classes."""
        X, y = breast_cancer
        fcm = FCMClassifier(random_state=0).fit(X, y == 1)
        assert fcm.classes_.tolist() == [False, True]
        assert fcm.map_.concepts[-1] == "class=True"

    @pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
    def test_data_frames_in_and_out(self, iris, frame):
        """Names of columns become names of concepts; set_output gives frames with these names."""
        names = ["sepal length", "sepal width", "petal length", "petal width"]
        X = frame({name: iris[0][:, i] for i, name in enumerate(names)})
        y = np.array(["setosa", "versicolor", "virginica"])[iris[1]]
        kind = frame.__module__.split(".")[0]
        fcm = FCMClassifier(structure="full", random_state=0).set_output(transform=kind).fit(X, y)
        hidden = [f"hidden {i + 1}" for i in range(fcm.n_hidden_)]
        concepts = [*names, *hidden, "class=setosa", "class=versicolor", "class=virginica"]
        assert list(fcm.feature_names_in_) == names
        assert list(fcm.map_.concepts) == concepts
        transformed = fcm.transform(X)
        assert isinstance(transformed, frame)
        assert list(transformed.columns) == concepts
        assert same_model(fcm, clone(fcm).fit(X, y))
        from_array = clone(fcm).fit(iris[0], y)
        assert np.array_equal(fcm.map_.weights, from_array.map_.weights)

    def test_float32_stays_float32(self, iris):
        """Half the memory in, half the memory out, and nearly the same predictions."""
        X, y = iris
        fcm = FCMClassifier(max_iter=1000, random_state=0).fit(X.astype(np.float32), y)
        assert fcm.transform(X.astype(np.float32)).dtype == np.float32
        assert fcm.predict_proba(X.astype(np.float32)).dtype == np.float32
        expected = FCMClassifier(max_iter=1000, random_state=0).fit(X, y).predict_proba(X)
        np.testing.assert_allclose(fcm.predict_proba(X), expected, atol=0.05)

    @pytest.mark.parametrize("factor", [1e3, 1e100, -1e300])
    def test_values_far_outside_the_training_range_saturate(self, iris, factor):
        """By range, a prediction is made as for a value one training range outside; never NaN."""
        X, y = iris
        logistic = FCMClassifier(random_state=0).fit(X, y).predict_proba(factor * X)
        np.testing.assert_allclose(logistic, np.tile(logistic[:1], (150, 1)), atol=1e-9)
        fcm = FCMClassifier(scale=True, random_state=0).fit(X, y)
        far = fcm.predict_proba(factor * X)
        span = X.max(axis=0) - X.min(axis=0)
        edge = X.max(axis=0) + span if factor > 0 else X.min(axis=0) - span
        np.testing.assert_allclose(far, np.tile(fcm.predict_proba(edge[None]), (150, 1)), atol=1e-9)

    def test_constant_features_do_no_harm(self, iris):
        """A column without information changes little and breaks nothing."""
        X = np.column_stack([iris[0], np.full(150, 3.7)])
        assert FCMClassifier(random_state=0).fit(X, iris[1]).score(X, iris[1]) > 0.95
        with pytest.warns(ConvergenceWarning, match="do not depend on the features"):
            constant = FCMClassifier(random_state=0).fit(np.ones((150, 2)), iris[1])
        np.testing.assert_allclose(constant.predict_proba(np.ones((1, 2))), 1 / 3, atol=0.02)


class TestLearning:
    """Solvers, starts, penalties, structure and weights reach the model."""

    def test_curved_boundaries_are_learned(self):
        """Moons, which no straight line separates."""
        X, y = make_moons(400, noise=0.1, random_state=0)
        fcm = FCMClassifier(depth=3, alpha=0.01, output="one_hot", random_state=0, max_iter=5000).fit(X, y)
        assert fcm.score(X, y) > 0.98 > 0.9 > LogisticRegression().fit(X, y).score(X, y)

    @pytest.mark.parametrize("solver", ["lbfgs", "adam", "rmsprop"])
    @pytest.mark.parametrize("early_stopping", [False, True])
    def test_every_solver_learns_iris(self, iris, solver, early_stopping):
        """With and without a validation part; curves have one entry per iteration."""
        X, y = iris
        fcm = FCMClassifier(solver=solver, early_stopping=early_stopping, random_state=0).fit(X, y)
        assert fcm.score(X, y) > 0.94
        assert len(fcm.loss_curve_) == fcm.n_iter_
        assert fcm.loss_curve_[-1] < fcm.loss_curve_[0]
        assert fcm.outcome_.converged
        assert hasattr(fcm, "validation_loss_curve_") == early_stopping
        if early_stopping:
            assert len(fcm.validation_loss_curve_) == fcm.n_iter_

    def test_refitting_without_early_stopping_forgets_the_validation_curve(self, iris):
        """Fitted attributes belong to the last fit."""
        fcm = FCMClassifier(early_stopping=True, random_state=0).fit(*iris)
        assert not hasattr(fcm.set_params(early_stopping=False).fit(*iris), "validation_loss_curve_")

    @pytest.mark.parametrize("init", ["uniform", "balanced", "correlation"])
    def test_every_start_learns_iris(self, iris, init):
        """Whatever the weights are at the beginning."""
        assert FCMClassifier(init=init, random_state=0).fit(*iris).score(*iris) > 0.95

    def test_an_experts_map_is_where_learning_starts(self, iris):
        """Starting from a learned map, there is nothing left to learn."""
        X, y = iris
        learned = FCMClassifier(random_state=0, tol=1e-5, max_iter=10_000).fit(X, y)
        again = FCMClassifier(init=learned.map_, tol=1e-3, max_iter=100).fit(X, y)
        assert again.n_iter_ == 1
        np.testing.assert_allclose(again.map_.weights, learned.map_.weights, atol=0.02)

    def test_absolute_penalty_makes_weights_exactly_zero(self, wine):
        """More of it, more zeros, and it still classifies."""
        dense = FCMClassifier(prior=None, random_state=0).fit(*wine)
        sparse = FCMClassifier(prior=None, l1_ratio=1.0, random_state=0).fit(*wine)
        assert (dense.map_.weights == 0).mean() == 0
        assert (sparse.map_.weights == 0).mean() > 0.5
        assert sparse.score(*wine) > 0.95

    @pytest.mark.parametrize("solver", ["lbfgs", "adam", "rmsprop"])
    @pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
    def test_edges_and_bounds_hold(self, iris, solver, l1_ratio):
        """Only allowed influences, only within their range, and it still learns."""
        X = pd.DataFrame(iris[0], columns=["a", "b", "c", "d"])
        classes = ["class=0", "class=1", "class=2"]
        edges = [(feature, output) for feature in "abcd" for output in classes] + [("d", "c")]
        fcm = FCMClassifier(
            edges=edges, weight_bounds=(-4, 3), solver=solver, l1_ratio=l1_ratio, alpha=0.1, random_state=0
        )
        fcm.fit(X, iris[1])
        W, place = fcm.map_.weights, list(fcm.map_.concepts).index
        allowed = np.eye(len(W), dtype=bool)
        for source, target in edges:
            allowed[place(target), place(source)] = True
        assert not W[~allowed].any()
        assert W.min() >= -4
        assert W.max() <= 3
        assert fcm.score(X, iris[1]) > 0.7

    def test_integer_weights_equal_repeated_rows_bit_by_bit(self, iris):
        """Order, repetition and weights of rows are one thing; a weight of 0 is no row."""
        X, y = iris
        rng = np.random.default_rng(0)
        times = rng.integers(0, 4, 150)
        rows = rng.permutation(np.repeat(np.arange(150), times))
        weighted = FCMClassifier(random_state=0).fit(X, y, times)
        assert same_model(weighted, FCMClassifier(random_state=0).fit(X[rows], y[rows]))

    @pytest.mark.parametrize("structure", ["auto", "named", "full", "additive"])
    def test_weights_that_are_shares_do_not_strengthen_the_penalty(self, iris, structure):
        """Weights that sum to 1, as AdaBoost's do, mean the same as weights of 1; 1/128 is exact in binary."""
        X, y = iris[0][11:139], iris[1][11:139]
        fcm = FCMClassifier(structure=structure, random_state=0)
        assert same_model(clone(fcm).fit(X, y), clone(fcm).fit(X, y, np.full(128, 1 / 128)))

    def test_order_of_rows_does_not_matter(self, breast_cancer):
        """Shuffled data give the same model, bit by bit."""
        X, y = breast_cancer
        order = np.random.default_rng(0).permutation(len(y))
        fcm = FCMClassifier(random_state=0)
        assert same_model(clone(fcm).fit(X, y), clone(fcm).fit(X[order], y[order]))

    def test_class_weight_moves_the_boundary(self):
        """Balancing finds more of a rare class."""
        X, y = make_classification(600, weights=[0.95], class_sep=0.5, random_state=0)
        plain = FCMClassifier(random_state=0, depth=1).fit(X, y).predict(X)
        balanced = FCMClassifier(random_state=0, depth=1, class_weight="balanced").fit(X, y).predict(X)
        assert balanced[y == 1].mean() > plain[y == 1].mean() + 0.2

    def test_inputs_are_not_modified(self, iris):
        """Read-only arrays work, and arrays that could be written to stay as they were."""
        for fcm in (FCMClassifier(random_state=0), FCMClassifier(random_state=0, scale=False, max_iter=5, tol=0)):
            frozen, writable = ([iris[0].copy(), iris[1].copy(), np.ones(150)] for _ in range(2))
            for array in frozen:
                array.setflags(write=False)
            predictions = [clone(fcm).fit(*arrays).predict_proba(arrays[0]) for arrays in (frozen, writable)]
            np.testing.assert_array_equal(*predictions)
            for before, after in zip(frozen, writable, strict=True):
                np.testing.assert_array_equal(before, after)

    def test_verbose_prints_the_loss(self, iris, capsys):
        """One line per iteration."""
        FCMClassifier(max_iter=3, tol=0, verbose=1, random_state=0).fit(*iris)
        lines = capsys.readouterr().out.splitlines()
        assert [line.rsplit(",", 1)[0] for line in lines] == [f"FCMClassifier: map, iteration {i}" for i in (1, 2, 3)]

    def test_verbose_speaks_of_teachers(self, iris, capsys):
        """Each of them, then the map."""
        FCMClassifier(verbose=1, n_teachers=2, random_state=0).fit(*iris)
        lines = capsys.readouterr().out.splitlines()
        stages = list(dict.fromkeys(line.split(": ")[1].split(",")[0] for line in lines))
        assert stages == ["teacher 1 of 2", "teacher 2 of 2", "map"]

    def test_many_rows_are_learned_in_mini_batches_the_same_for_any_number_of_threads(self):
        """Teachers learn side by side, each with random numbers of its own."""
        X, y = make_classification(3200, 5, n_informative=3, random_state=0)
        one, two = (FCMClassifier(random_state=0, n_hidden=5, n_jobs=n).fit(X, y) for n in (1, 2))
        assert one.n_iter_ == 80
        assert len(one.teacher_losses_) == 2
        assert one.outcome_ is Outcome.ENOUGH
        np.testing.assert_array_equal(one.map_.weights, two.map_.weights)
        assert one.score(X, y) > 0.9

    def test_adam_at_its_defaults_learns_many_classes(self):
        """Steps and starts work for many classes and hidden concepts without a rate being chosen."""
        X, y = make_classification(4000, 10, n_informative=8, n_classes=20, n_clusters_per_class=1, random_state=0)
        fcm = FCMClassifier(solver="adam", n_hidden=100, max_iter=40, random_state=0)
        with pytest.warns(ConvergenceWarning, match="Increase max_iter"):
            fcm.fit(X, y)
        assert fcm.score(X, y) > 0.6

    def test_not_converging_is_a_warning_that_says_what_to_change(self, iris):
        """The outcome says so too."""
        with pytest.warns(ConvergenceWarning, match=r"Increase max_iter.*\(2 iterations") as caught:
            fcm = FCMClassifier(max_iter=2, random_state=0).fit(*iris)
        assert fcm.outcome_ is Outcome.MAX_ITER
        assert caught[0].filename == __file__

    def test_large_tables_are_learned_in_float32_and_stay_close(self):
        """Above a million values the computation is in float32: rows twice give nearly what rows once give."""
        X, y = make_classification(50_000, 20, random_state=0)
        settings = {"solver": "lbfgs", "max_iter": 10, "tol": 0, "random_state": 0, "alpha": 0.0, "n_hidden": 0}
        once = FCMClassifier(**settings).fit(X, y)
        twice = FCMClassifier(**settings).fit(np.vstack([X, X]), np.hstack([y, y]))
        assert not np.array_equal(once.map_.weights, twice.map_.weights)
        np.testing.assert_allclose(twice.predict_proba(X), once.predict_proba(X), atol=2e-3)

    @pytest.mark.parametrize("depth", [12, 13])
    def test_a_map_that_learns_nothing_says_so(self, iris, depth):
        """Too deep for its slope, the map forgets the features; the warning says what to change, and that helps."""
        with pytest.warns(ConvergenceWarning, match=r"do not depend on the features.*raise slope"):
            fcm = FCMClassifier(depth=depth, slope=1.0, prior=None, random_state=0).fit(*iris)
        assert fcm.outcome_ is Outcome.NOTHING_LEARNED
        steeper = FCMClassifier(depth=depth, slope=2.0, prior=None, random_state=0).fit(*iris)
        assert steeper.score(*iris) > 0.9

    def test_rows_that_begin_alike_are_not_taken_for_all(self):
        """Rows are sorted, so the first thousand may get one prediction though the map tells the classes apart."""
        random = np.random.default_rng(0)
        x = (random.random(1500) < 0.25).astype(float)
        X = np.column_stack([x, random.normal(size=(1500, 6))])
        fcm = FCMClassifier(random_state=0).fit(X, x.astype(int))
        assert fcm.outcome_.converged
        assert fcm.score(X, x.astype(int)) == 1.0


class TestReproducibility:
    """The same number gives the same model."""

    def test_fits_in_several_threads_are_those_in_one(self, iris, wine):
        """Threads of a program do not disturb each other's BLAS."""
        jobs = [(data, seed) for data in (iris, wine) for seed in range(2)]
        models = [FCMClassifier(random_state=seed).fit(*data) for data, seed in jobs]
        with ThreadPoolExecutor(3) as pool:
            again = list(pool.map(lambda job: FCMClassifier(random_state=job[1]).fit(*job[0]), jobs))
        assert all(map(same_model, models, again))

    @pytest.mark.parametrize("solver", ["lbfgs", "adam", "rmsprop"])
    def test_same_random_state_same_bits_whatever_n_jobs(self, solver):
        """One thread or several, the same weights."""
        X, y = make_classification(12_000, 30, n_informative=10, n_classes=3, random_state=0)
        settings = {"solver": solver, "max_iter": 4, "tol": 0, "random_state": 7, "batch_size": 12_000}
        models = [FCMClassifier(n_jobs=n_jobs, **settings).fit(X, y) for n_jobs in (None, 1, 2, -1)]
        assert all(same_model(models[0], other) for other in models[1:])
        other = FCMClassifier(**{**settings, "random_state": 8}).fit(X, y)
        assert not same_model(models[0], other)

    def test_pickled_and_cloned_models(self, iris):
        """A pickle predicts the same; a clone is unfitted and fits the same."""
        X, y = iris
        fcm = FCMClassifier(depth=3, random_state=0).fit(X, y)
        restored = pickle.loads(pickle.dumps(fcm))
        assert np.array_equal(restored.predict_proba(X), fcm.predict_proba(X))
        assert restored.outcome_ is fcm.outcome_
        assert not hasattr(clone(fcm), "map_")
        assert same_model(clone(fcm).fit(X, y), fcm)

    @pytest.mark.parametrize(
        "dataset", ["iris", *(pytest.param(d, marks=pytest.mark.slow) for d in ("wine", "breast_cancer"))]
    )
    def test_starts_do_not_decide_the_outcome(self, dataset, request):
        """Of 4 starts the worst mean accuracy of 3 folds is within 0.03 of the median."""
        X, y = request.getfixturevalue(dataset)
        folds = StratifiedKFold(3, shuffle=True, random_state=0)
        scores = [cross_val_score(FCMClassifier(random_state=seed), X, y, cv=folds).mean() for seed in range(4)]
        assert min(scores) > np.median(scores) - 0.03

    def test_every_start_learns_every_class_of_iris(self, iris):
        """With the paper's settings 7 of 30 starts never learn one of the classes; ours all do."""
        X, y = iris
        for seed in range(30):
            predicted = FCMClassifier(structure="full", random_state=seed).fit(X, y).predict(X)
            assert min((predicted[y == code] == code).mean() for code in range(3)) > 0.9


class TestContinuing:
    """Warm starts and learning in parts."""

    def test_warm_start_goes_on(self, iris):
        """Two halves are nearly a whole: the second starts where the first ended."""
        X, y = iris
        fcm = FCMClassifier(max_iter=20, tol=0, warm_start=True, random_state=0).fit(X, y)
        end = fcm.loss_curve_[-1]
        fcm.fit(X, y)
        assert fcm.loss_curve_[0] < end
        assert fcm.n_iter_ == 20

    def test_warm_start_at_another_slope_keeps_the_trajectories(self, iris):
        """The weights are translated, so learning does not start afresh."""
        X, y = iris
        fcm = FCMClassifier(structure="full", warm_start=True, random_state=0, alpha=0).fit(X, y)
        end = fcm.loss_curve_[-1]
        fcm.set_params(slope=4.0, max_iter=1, tol=0).fit(X, y)
        assert fcm.loss_curve_[0] < end + 0.01

    @pytest.mark.parametrize(("solver", "n_passes"), [("lbfgs", 20), ("adam", 20), ("rmsprop", 120)])
    def test_partial_fit_learns_in_parts(self, iris, solver, n_passes):
        """Many passes over parts reach what fit reaches; the first part may lack classes."""
        X, y = iris
        fcm = FCMClassifier(solver=solver, random_state=0)
        order = np.argsort(np.arange(150) % 50 % 5, kind="stable")
        for epoch in range(n_passes):
            for part in np.array_split(order, 5):
                fcm.partial_fit(X[part], y[part], classes=[0, 1, 2] if epoch == 0 else None)
        assert fcm.score(X, y) > 0.93
        assert fcm.outcome_ is Outcome.ONE_PASS
        assert fcm.n_iter_ == 5 * n_passes == len(fcm.loss_curve_)

    def test_warm_start_matches_features_by_name(self, iris):
        """Columns in another order keep their weights: a step too small to matter changes no prediction."""
        X = pd.DataFrame(iris[0], columns=["a", "b", "c", "d"])
        fcm = FCMClassifier(structure="full", warm_start=True, random_state=0).fit(X, iris[1])
        before = fcm.trajectory(X)[-1, :, -3:]
        fcm.set_params(solver="adam", learning_rate=1e-9, max_iter=1, tol=0).fit(X[["d", "c", "b", "a"]], iris[1])
        np.testing.assert_allclose(fcm.trajectory(X[["d", "c", "b", "a"]])[-1, :, -3:], before, atol=1e-6)
        assert fcm.map_.concepts[:4] == ("d", "c", "b", "a")

    def test_weights_count_in_parts_of_one_class(self, iris):
        """A class that weighs more moves the map more, also when parts have one class only."""
        X, y = iris
        shares = []
        for class_weight in (None, {0: 100.0}):
            fcm = FCMClassifier(
                class_weight=class_weight, random_state=0, learning_rate=0.001, solver="rmsprop", scale=False
            )
            for code in (0, 1, 2):
                fcm.partial_fit(X[y == code] / 8, y[y == code], classes=[0, 1, 2])
            shares.append(fcm.predict_proba(X / 8)[:, 0].mean())
        assert shares[1] > shares[0] + 1e-4

    def test_partial_fit_follows_a_new_solver_and_rate(self, iris):
        """Parameters changed between calls count."""
        X, y = iris
        fcm = FCMClassifier(random_state=0).partial_fit(X, y, classes=[0, 1, 2])
        before = fcm.map_.weights
        fcm.set_params(solver="rmsprop", learning_rate=5.0).partial_fit(X, y)
        assert np.abs(fcm.map_.weights - before).max() > 0.05

    def test_partial_fit_goes_on_from_fit(self, iris):
        """A fitted model is improved, not replaced."""
        X, y = iris
        fcm = FCMClassifier(structure="full", random_state=0).fit(X, y)
        before = fcm.map_
        fcm.partial_fit(X[::3], y[::3])
        assert np.abs(fcm.map_.weights - before.weights).max() < 0.1
        assert fcm.score(X, y) > 0.95

    def test_partial_fit_is_reproducible(self, iris):
        """Same parts, same state, same model."""
        X, y = iris
        models = []
        for _ in range(2):
            fcm = FCMClassifier(batch_size=10, random_state=3)
            for _ in range(3):
                fcm.partial_fit(X, y, classes=[0, 1, 2])
            models.append(fcm)
        assert same_model(*models)


def test_paper_settings_can_be_written_down(iris):
    """The paper's iris: one output per class, depth 4, slope 3, RMSprop, full batches, a fixed number of epochs."""
    fcm = FCMClassifier(
        depth=4, slope=3.0, output="one_hot", gain=1.0, alpha=0.0, solver="rmsprop", learning_rate=0.005,
        batch_size=150, max_iter=1500, tol=0, init="uniform", random_state=0,
    )  # fmt: skip
    fcm.fit(*iris)
    assert fcm.n_iter_ == 1500
    assert fcm.loss_curve_[-1] > 0.5514  # the floor of a softmax of numbers in (0, 1)
    assert fcm.score(*iris) > 0.6


def test_map_of_the_classifier_is_a_map(iris):
    """It can be looked at and normalised."""
    fcm = FCMClassifier(structure="full", random_state=0).fit(*iris)
    assert isinstance(fcm.map_, FuzzyCognitiveMap)
    assert "class=2" in repr(fcm.map_)
    assert np.abs(fcm.map_.normalized().weights).max() == 1.0


class TestHiddenConcepts:
    """Concepts that are neither features nor outputs, and compute while features remember themselves."""

    def test_they_stand_between_the_features_and_the_outputs(self, iris):
        """They start undecided; there are as many as were asked for, or 16 beside few features."""
        X, y = make_moons(60, noise=0.2, random_state=0)
        fcm = FCMClassifier(structure="full", random_state=0).fit(X, y)
        expected = ["x0", "x1", *(f"hidden {i + 1}" for i in range(16)), "class=1"]
        assert list(fcm.map_.concepts) == fcm.get_feature_names_out().tolist() == expected
        assert (fcm.trajectory(X)[0][:, 2:] == 0.5).all()
        assert FCMClassifier(structure="full", output="one_hot").fit(X, y).n_hidden_ == 16
        assert FCMClassifier(structure="full").fit(*iris).n_hidden_ == 16
        assert FCMClassifier(n_hidden=2).fit(*iris).n_hidden_ == 2
        assert FCMClassifier(n_hidden=0).fit(*iris).map_.n_concepts == 7

    def test_without_memory_a_small_map_is_made_seven_concepts(self, iris):
        """Features compute as well, so that larger maps need none."""
        X, y = make_moons(60, noise=0.2, random_state=0)
        assert FCMClassifier(prior=None).fit(X, y).n_hidden_ == 4
        assert FCMClassifier(prior=None, output="one_hot").fit(X, y).n_hidden_ == 3
        assert FCMClassifier(prior=None).fit(*iris).n_hidden_ == 0

    def test_many_rows_make_larger_maps(self):
        """Hidden concepts for each feature and output."""
        X, y = make_moons(3200, noise=0.2, random_state=0)
        assert FCMClassifier(structure="full", random_state=0).fit(X, y).map_.n_concepts == 31
        warm = FCMClassifier(structure="full", random_state=0, warm_start=True).fit(X, y)
        assert warm.fit(X[:100], y[:100]).map_.n_concepts == 31  # what goes on stays as it is
        X, y = np.random.default_rng(0).random((60_000, 20)), np.arange(60_000) % 2
        with pytest.warns(ConvergenceWarning):
            assert FCMClassifier(max_iter=1).fit(X, y).n_hidden_ == 100
        with pytest.warns(ConvergenceWarning):
            assert FCMClassifier(prior=None, max_iter=1).fit(X, y).n_hidden_ == 100

    @pytest.mark.parametrize("factor", [0.001, 1000.0])
    def test_a_factor_on_all_weights_makes_no_other_map(self, factor):
        """Neither more concepts nor more teachers: of weights only their ratios say how much there is to learn."""
        X, y = make_moons(300, noise=0.2, random_state=0)
        weight = np.random.default_rng(0).random(300) + 0.5
        one = FCMClassifier(structure="full", random_state=0, alpha=0.0).fit(X, y, weight)
        other = clone(one).fit(X, y, factor * weight)
        assert one.map_.n_concepts == other.map_.n_concepts == 19
        assert len(one.teacher_losses_) == len(other.teacher_losses_) == 5
        np.testing.assert_allclose(one.teacher_losses_, other.teacher_losses_, rtol=0.05)

    @pytest.mark.parametrize(
        "expert",
        [
            {"edges": [("x0", "x1"), ("x1", "x1"), ("x1", "class=1")]},
            {"weight_bounds": (np.full((3, 3), -3.0), 3.0)},
            {"init": "correlation"},
            {"init": "uniform"},
            {"depth": 1},
        ],
        ids=lambda expert: "".join(expert),
    )
    def test_there_are_none_where_they_have_no_place(self, expert):
        """An expert speaks of features and classes, the paper's maps have none, and one step cannot use them."""
        X, y = make_moons(60, noise=0.2, random_state=0)
        assert FCMClassifier(random_state=0, **expert).fit(X, y).map_.n_concepts == 3

    def test_one_can_go_on_from_a_map_that_has_some(self):
        """As `init`, by warm start and in parts."""
        X, y = make_moons(60, noise=0.2, random_state=0)
        fcm = FCMClassifier(structure="full", random_state=0).fit(X, y)
        again = FCMClassifier(init=fcm.map_, n_teachers=0).fit(X, y)
        assert again.map_.concepts == fcm.map_.concepts
        assert again.loss_curve_[-1] <= again.loss_curve_[0]
        feature = "hidden costs"
        expert = FuzzyCognitiveMap(np.eye(2), concepts=[feature, "class=1"])
        assert FCMClassifier(init=expert).fit(pd.DataFrame({feature: X[:, 0]}), y).n_hidden_ == 0
        assert clone(fcm).set_params(warm_start=True).fit(X, y).fit(X, y).n_hidden_ == 16
        assert FCMClassifier().partial_fit(X, y, classes=[0, 1]).partial_fit(X, y).n_hidden_ == 16

    @pytest.mark.parametrize("classifier", [FCMClassifier, FCMClassifierCV])
    def test_a_disc_is_told_from_what_surrounds_it(self, classifier):
        """Without hidden concepts a map of two features is little better than chance on some such data."""
        X, y = make_circles(300, noise=0.1, factor=0.5, random_state=0)
        assert classifier(random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.95

    def test_correlations_cannot_start_them(self):
        """They would stay 0 for ever."""
        X, y = make_moons(60, noise=0.2, random_state=0)
        with pytest.raises(ValueError, match="must be 0 with init='correlation', got 3"):
            FCMClassifier(n_hidden=3, init="correlation").fit(X, y)


class TestTeachers:
    """One map learns from several that stopped in time."""

    def test_probabilities_are_more_honest_than_without(self):
        """On noisy data the log loss on new rows is far lower, and no prediction is certain."""
        X, y = make_classification(600, 12, n_informative=4, flip_y=0.3, random_state=0)
        alone = FCMClassifier(n_teachers=0, random_state=0).fit(X[:300], y[:300])
        taught = FCMClassifier(structure="full", random_state=0).fit(X[:300], y[:300])
        assert len(taught.teacher_losses_) == 5
        assert alone.teacher_losses_ == []
        losses = [log_loss(y[300:], fcm.predict_proba(X[300:])) for fcm in (alone, taught)]
        assert losses[1] < 0.8 * losses[0]
        # What the teachers lost on rows that they had not seen tells what to expect.
        assert abs(np.mean(taught.teacher_losses_) - losses[1]) < 0.1

    def test_a_repeated_row_counts_as_often_as_it_occurs(self):
        """Two patterns, each with both labels: held back as a whole, neither could be predicted."""
        X, y = np.repeat([[0.0], [0.0], [1.0], [1.0]], 50, axis=0), np.repeat([0, 1, 0, 1], 50)
        y[:30], y[-30:] = 1, 0
        probability = FCMClassifier(random_state=0).fit(X, y).predict_proba([[0.0], [1.0]])[:, 1]
        np.testing.assert_allclose(probability, [0.8, 0.2], atol=0.05)

    def test_a_class_with_one_row_is_learned(self, iris):
        """It is never kept aside."""
        X, y = np.vstack([iris[0], [[0.0, 9.0, 9.0, 0.0]]]), np.append(iris[1], 3)
        assert FCMClassifier(random_state=0).fit(X, y).predict(X[-1:]) == [3]

    def test_edges_and_bounds_hold_for_the_taught_map(self, iris):
        """What an expert fixes is fixed for the teachers and for the map."""
        edges = np.random.default_rng(0).random((7, 7)) < 0.7
        fcm = FCMClassifier(edges=edges, weight_bounds=(-1.5, 1.5), random_state=0).fit(*iris)
        assert fcm.teacher_losses_
        assert not fcm.map_.weights[~edges].any()
        assert np.abs(fcm.map_.weights).max() <= 1.5


def spirals(n_rows, seed):
    """Return two arms that wind around each other."""
    random = np.random.RandomState(seed)
    y = random.randint(0, 2, n_rows)
    angle = 3 * np.pi * np.sqrt(random.random_sample(n_rows))
    arms = angle * np.array([np.cos(angle + np.pi * y), np.sin(angle + np.pi * y)])
    return arms.T + random.normal(scale=0.5, size=(n_rows, 2)), y


@pytest.mark.parametrize("seed", [5, 8, 11, 13, 16])
def test_a_teacher_that_got_stuck_does_not_hold_the_map_back(seed):
    """It starts from the best of them: on two spirals the first one lags far behind with these seeds."""
    fcm = FCMClassifier(prior=None, random_state=seed).fit(*spirals(300, 0))
    assert fcm.score(*spirals(2000, 1)) > 0.95
