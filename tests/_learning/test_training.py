"""Training without an estimator: from a table of states and a plan to a model."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons

from cogmap import FCMClassifier
from cogmap._learning.plan import Plan
from cogmap._learning.search import choose
from cogmap._learning.settings import DataShape, resolve
from cogmap._learning.solvers import Monitor, Outcome
from cogmap._learning.spec import ModelSpec
from cogmap._learning.table import Table
from cogmap._learning.targets import ClassTargets
from cogmap._learning.teachers import train_teachers
from cogmap._learning.training import train
from cogmap._utils.threads import one_blas_thread
from cogmap.estimators._labels import class_link
from cogmap.models.encoding import Encoding


def make_table(X, y):
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    link = class_link("auto", np.unique(y), 10.0, "owner")
    return Table(X, ClassTargets(y, link), features=tuple(f"x{i}" for i in range(X.shape[1])))


def plan_for(table, **parameters):
    shape = DataShape(table.n_rows, table.X.shape[1], table.targets.link.n_outputs)
    settings = resolve(FCMClassifier(**parameters).get_params(deep=False), shape)
    return Plan(Encoding(shape.n_features), settings, table.features, shape)


class Recorder(Monitor):
    """Writes down the stages and how many iterations each had."""

    def __init__(self):
        self.stages = {}

    def begin(self, n_stages):
        self.n_stages = n_stages

    def stage(self, name, n_iter, model):
        from contextlib import contextmanager

        @contextmanager
        def stage():
            self.stages[name] = 0

            def report(theta, number, loss):
                assert number == self.stages[name] + 1 <= n_iter
                self.stages[name] = number
                self.last = model(theta)
                return False

            yield report

        return stage()


@pytest.fixture(scope="module")
def iris_table():
    """Iris as states."""
    return make_table(*load_iris(return_X_y=True))


def test_learning_gives_a_model_and_tells_how_it_went(iris_table):
    """The monitor hears of every teacher and iteration; the model is the last one it heard of."""
    monitor = Recorder()
    plan = plan_for(iris_table, n_teachers=2)
    learned = train(iris_table, plan, np.random.RandomState(0), monitor)
    assert list(monitor.stages) == ["teacher 1 of 2", "teacher 2 of 2", "map"]
    assert monitor.n_stages == 3
    assert monitor.stages["map"] == len(learned.loss_curve)
    assert learned.outcome in (Outcome.ENOUGH, Outcome.GRADIENT_VANISHED, Outcome.LOSS_SETTLED)
    assert monitor.last.map == learned.model.map
    predicted = learned.model.outputs(iris_table.X).argmax(axis=1)
    assert (predicted == iris_table.targets.codes).mean() > 0.95


def test_the_same_random_numbers_give_the_same_model(iris_table):
    """Whoever listens."""
    plan = plan_for(iris_table)
    one = train(iris_table, plan, np.random.RandomState(3))
    assert one.model.map == train(iris_table, plan, np.random.RandomState(3), Recorder()).model.map
    assert one.model.map != train(iris_table, plan, np.random.RandomState(4)).model.map


def test_a_taught_map_learns_a_mixture_of_labels_and_predictions(iris_table):
    """Half the label, half the mean of what the teachers say; shares still sum to 1."""
    plan = plan_for(iris_table, n_teachers=3)
    spec, random = ModelSpec.for_table(iris_table, plan), np.random.RandomState(0)
    with one_blas_thread():
        teachers = train_teachers(spec, iris_table, lambda: spec.start(iris_table, random), random, Monitor())
        shares = spec.distilled_targets(iris_table, [teacher.theta for teacher in teachers])
    predictions = np.mean([spec.model(teacher.theta).outputs(iris_table.X) for teacher in teachers], axis=0)
    np.testing.assert_allclose(shares, 0.5 * np.eye(3)[iris_table.targets.codes] + 0.5 * predictions)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def test_early_stopping_keeps_rows_aside(iris_table):
    """Their loss is followed, and the best map is kept."""
    plan = plan_for(iris_table, early_stopping=True, tol=1e-6)
    learned = train(iris_table, plan, np.random.RandomState(0))
    assert len(learned.validation_curve) == len(learned.loss_curve)
    assert learned.teacher_losses == []


def test_a_part_of_a_table_is_learned_without_copying_it(iris_table):
    """Rows of a part are looked up in the whole."""
    rows = np.arange(0, 150, 2)
    part = iris_table.take(rows)
    assert part.X is iris_table.X
    copied = Table(iris_table.X[rows], iris_table.targets.take(rows), features=iris_table.features)
    plan = plan_for(part, n_teachers=0)
    one, other = (train(table, plan, np.random.RandomState(0)) for table in (part, copied))
    assert one.model.map == other.model.map


def test_the_choice_among_settings_is_by_losses_of_rows_kept_aside():
    """Two steps beat one on moons, and each plan has the concepts that suit it."""
    table = make_table(*make_moons(200, noise=0.1, random_state=0))
    plans = [plan_for(table, depth=depth) for depth in (1, 3)]
    plans[1] = replace(plans[1], encoding=plans[0].encoding)
    assert [plan.settings.n_hidden for plan in plans] == [0, 16]
    monitor = Recorder()
    choice = choose(plans, [table, table], 4, np.random.RandomState(0), monitor)
    assert choice.number == 1
    assert choice.losses.shape == (2, 4)
    np.testing.assert_allclose(choice.mean_loss, choice.losses.mean(axis=1))
    assert len(choice.teachers) == 4
    assert monitor.stages == {"choosing": 8}
