"""Progress reporting: output of `verbose`, and scikit-learn's callbacks (1.9 and later).

`sklearn.callback` is imported only when an estimator has callbacks: it imports the package of the progress bar, which
would slow down ``import cogmap``.
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from cogmap._learning.solvers import Monitor, Report
from cogmap.models.model import MapModel

HAVE_CALLBACKS = find_spec("sklearn.callback") is not None


class CallbackSupport:
    """Mixin that gives an estimator ``set_callbacks``."""

    if HAVE_CALLBACKS:

        def set_callbacks(self, *callbacks):
            """Set the callbacks to call during `fit`, such as ``sklearn.callback.ProgressBar()``.

            Parameters
            ----------
            *callbacks : callback instances
                Objects that follow scikit-learn's callback protocol. A call without arguments removes all callbacks.

            Returns
            -------
            self : estimator instance
                The estimator itself.

            Examples
            --------
            >>> from sklearn.callback import ProgressBar
            >>> from cogmap import FCMClassifier
            >>> fcm = FCMClassifier(structure="full").set_callbacks(ProgressBar())
            >>> fcm = fcm.set_callbacks()  # none again
            """
            from sklearn.callback import CallbackSupportMixin

            return CallbackSupportMixin.set_callbacks(self, *callbacks)


def _has_callbacks(estimator: Any) -> bool:
    # Meta-estimators that propagate their callbacks set the second attribute.
    return hasattr(estimator, "_skl_callbacks") or hasattr(estimator, "_parent_callback_ctx")


def with_callbacks(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a ``fit`` method so that callbacks are torn down even if it fails."""

    @functools.wraps(fit)
    def fit_with_callbacks(estimator, *args, **kwargs):
        if not _has_callbacks(estimator):
            return fit(estimator, *args, **kwargs)
        from sklearn.callback import with_callbacks as sklearn_with_callbacks

        return sklearn_with_callbacks(fit)(estimator, *args, **kwargs)

    return fit_with_callbacks


class _Task:
    """A task in the sense of scikit-learn's callbacks: the fit itself, a stage of it, or an iteration."""

    def __init__(self, context: Any, data: dict[str, Any]) -> None:
        self._context, self._data = context, data  # scikit-learn's context; estimator, X, y, metadata
        context.call_on_fit_task_begin(**data)

    def begin(self, name: str, max_subtasks: int = 0) -> "_Task":
        """Begin a subtask."""
        return _Task(self._context.subcontext(task_name=name, max_subtasks=max_subtasks), self._data)

    def end(self, model: Callable[[], MapModel] | None = None) -> bool:
        """End this task, optionally with a model; return True if a callback requests a stop."""
        if model is None:  # the task did not train
            return bool(self._context.call_on_fit_task_end(estimator=self._data["estimator"]))
        attributes = {"reconstruction_attributes": lambda: {"model_": model()}}
        return bool(self._context.call_on_fit_task_end(**self._data, **attributes))


class FitMonitor(Monitor):
    """Monitor that prints iterations if the estimator is verbose, and notifies callbacks.

    Parameters
    ----------
    estimator : object
        The estimator that is fitted.
    X, y, sample_weight : array-like
        Data on which callbacks may score the model.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self._estimator = estimator
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        self._data = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
        self._fit: _Task | None = None

    def begin(self, n_stages: int) -> None:
        """Start the fit, with at most `n_stages` stages."""
        if self._fit is None and _has_callbacks(self._estimator):
            from sklearn.callback import CallbackSupportMixin

            context = CallbackSupportMixin._init_callback_context(self._estimator, max_subtasks=n_stages)
            self._fit = _Task(context, self._data)

    @contextmanager
    def stage(self, name: str, n_iter: int, model: Callable[[Any], MapModel]) -> Iterator[Report]:
        """Open a stage of at most `n_iter` iterations; yield a function to call after each of them."""
        stage = self._fit and self._fit.begin(name, n_iter)
        iteration = stage and stage.begin("iteration")
        last: Callable[[], MapModel] | None = None

        def report(theta: Any, number: int, loss: float) -> bool:
            nonlocal iteration, last
            if self._estimator.verbose:
                print(f"{type(self._estimator).__name__}: {name}, iteration {number}, loss {loss:.6g}")  # noqa: T201
            if stage is None or iteration is None:
                return False
            last = functools.partial(model, theta.copy())
            stop = iteration.end(last)
            iteration = None if stop or number >= n_iter else stage.begin("iteration")
            return stop

        yield report
        if iteration is not None:  # the solver converged after this iteration had begun
            iteration.end()
        if stage is not None:
            stage.end(last)

    def end(self, model: MapModel) -> None:
        """End the fit with the fitted model."""
        if self._fit is not None:
            self._fit.end(lambda: model)
