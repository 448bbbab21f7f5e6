"""scikit-learn's callbacks, where the installed version has them."""

import pytest
from sklearn.model_selection import GridSearchCV

from cogmap import FCMClassifier, FCMClassifierCV
from cogmap._learning.solvers import Outcome
from cogmap.estimators._callbacks import HAVE_CALLBACKS
from cogmap.exceptions import NonFiniteLossError

pytestmark = pytest.mark.skipif(not HAVE_CALLBACKS, reason="scikit-learn before 1.9 has no callbacks")


class Recorder:
    """Writes down what it is told, and asks to stop at an iteration."""

    def __init__(self, stop_at=None):
        self.events = []
        self.scores = []
        self.stop_at = stop_at

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None):
        self.events.append(("begin", context.task_name, context.task_id))

    def on_fit_task_end(self, estimator, context, *, X=None, y=None, fitted_estimator=None):
        self.events.append(("end", context.task_name, context.task_id))
        if fitted_estimator is not None:
            self.scores.append(fitted_estimator.score(X, y))
        return context.task_name == "iteration" and context.task_id + 1 == self.stop_at


@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
def test_callbacks_hear_of_every_iteration_and_can_use_the_model(iris, solver):
    """Begin and end of the fit and of each iteration, with a model that can be scored."""
    recorder = Recorder()
    fcm = FCMClassifier(solver=solver, max_iter=5, tol=0, random_state=0).set_callbacks(recorder).fit(*iris)
    iterations = [("begin", "iteration", i) for i in range(5)]
    expected = ["setup", ("begin", "fit", 0), ("begin", "map", 0)]
    for begin in iterations:
        expected += [begin, ("end", *begin[1:])]
    assert recorder.events == [*expected, ("end", "map", 0), ("end", "fit", 0), "teardown"]
    assert len(recorder.scores) == 7
    assert recorder.scores[-1] == recorder.scores[-2] == recorder.scores[-3] == fcm.score(*iris)


def test_callbacks_hear_of_teachers_from_the_first_iteration_on(iris):
    """Teachers are stages as the map is, and can be scored too."""
    recorder = Recorder()
    FCMClassifier(n_teachers=2, random_state=0).set_callbacks(recorder).fit(*iris)
    stages = [event[1] for event in recorder.events if event[0] == "begin" and event[1] != "iteration"]
    assert stages == ["fit", "teacher 1 of 2", "teacher 2 of 2", "map"]
    assert recorder.events[2:4] == [("begin", "teacher 1 of 2", 0), ("begin", "iteration", 0)]
    assert min(recorder.scores) >= 0.0


def test_callbacks_hear_of_every_choice(iris):
    """The search of FCMClassifierCV is a stage of one iteration per teacher."""
    recorder = Recorder()
    fcm = FCMClassifierCV(depths=(1, 2), alphas=(0.2,), n_folds=3, terms=None, random_state=0)
    fcm.set_callbacks(recorder).fit(*iris)
    names = [event[1] for event in recorder.events if event[0] == "begin"]
    assert names[:8] == ["fit", "choosing", *["iteration"] * 6]
    assert names[8] == "map"


@pytest.mark.parametrize("solver", ["lbfgs", "adam"])
def test_a_callback_can_stop_learning(iris, solver):
    """The outcome says who stopped."""
    recorder = Recorder(stop_at=3)
    fcm = FCMClassifier(solver=solver, random_state=0).set_callbacks(recorder).fit(*iris)
    assert fcm.n_iter_ == 3
    assert fcm.outcome_ is Outcome.CALLBACK


def test_every_begin_has_an_end_when_learning_converges(iris):
    """An iteration that was announced but not needed is ended too."""
    recorder = Recorder()
    FCMClassifier(random_state=0).set_callbacks(recorder).fit(*iris)
    begins = [event[1:] for event in recorder.events if event[0] == "begin"]
    ends = [event[1:] for event in recorder.events if event[0] == "end"]
    assert sorted(begins) == sorted(ends)


def test_callbacks_are_closed_when_fit_fails(iris):
    """Whatever happens, teardown is called."""
    recorder = Recorder()
    fcm = FCMClassifier(solver="adam", learning_rate=1e200, random_state=0).set_callbacks(recorder)
    with pytest.raises(NonFiniteLossError):
        fcm.fit(*iris)
    assert recorder.events[-1] == "teardown"


def test_progress_bar_of_scikit_learn_shows_the_iterations(iris, capsys):
    """The real one, on its own and propagated by a grid search."""
    pytest.importorskip("rich")
    from sklearn.callback import ProgressBar

    FCMClassifier(max_iter=5, tol=0, random_state=0).set_callbacks(ProgressBar()).fit(*iris)
    assert "FCMClassifier" in capsys.readouterr().out
    search = GridSearchCV(FCMClassifier(max_iter=3, tol=0, random_state=0), {"depth": [1, 2]}, cv=2)
    search.set_callbacks(ProgressBar()).fit(*iris)
    assert "GridSearchCV" in capsys.readouterr().out
