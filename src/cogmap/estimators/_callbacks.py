"""Progress reports of a fit: what `verbose` prints, and scikit-learn's callbacks where it has them (1.9 and later).

`sklearn.callback` is imported only when an estimator has callbacks: it brings the progress bar's package along, which
would make ``import cogmap`` slower for everybody.
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
            """Set what is called during `fit`, such as ``sklearn.callback.ProgressBar()``.

            Parameters
            ----------
            *callbacks : callback instances
                Objects that follow scikit-learn's callback protocol. None at all removes those set before.

            Returns
            -------
            self : estimator instance
            """
            from sklearn.callback import CallbackSupportMixin

            return CallbackSupportMixin.set_callbacks(self, *callbacks)


def _has_callbacks(estimator: Any) -> bool:
    # The second attribute is set by a meta-estimator that passes its own callbacks on.
    return hasattr(estimator, "_skl_callbacks") or hasattr(estimator, "_parent_callback_ctx")


def with_callbacks(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a ``fit`` so that callbacks are closed properly, however it ends."""

    @functools.wraps(fit)
    def fit_with_callbacks(estimator, *args, **kwargs):
        if not _has_callbacks(estimator):
            return fit(estimator, *args, **kwargs)
        from sklearn.callback import with_callbacks as closing

        return closing(fit)(estimator, *args, **kwargs)

    return fit_with_callbacks


class _Task:
    """A task of a fit as scikit-learn's callbacks see it: the fit itself, a stage of it, or an iteration."""

    def __init__(self, context: Any, data: dict[str, Any]) -> None:
        self._context, self._data = context, data  # scikit-learn's context; estimator, X, y, metadata
        context.call_on_fit_task_begin(**data)

    def begin(self, name: str, max_subtasks: int = 0) -> "_Task":
        """Begin a part of this task."""
        return _Task(self._context.subcontext(task_name=name, max_subtasks=max_subtasks), self._data)

    def end(self, model: Callable[[], MapModel] | None = None) -> bool:
        """End this task, perhaps with a model; return True if a callback asks to stop."""
        if model is None:  # nothing was learned in it
            return bool(self._context.call_on_fit_task_end(estimator=self._data["estimator"]))
        made = {"reconstruction_attributes": lambda: {"model_": model()}}
        return bool(self._context.call_on_fit_task_end(**self._data, **made))


class FitMonitor(Monitor):
    """Prints the iterations of a fit if it is verbose, and passes them on to callbacks.

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
        """Receive the largest number of stages."""
        if self._fit is None and _has_callbacks(self._estimator):
            from sklearn.callback import CallbackSupportMixin

            context = CallbackSupportMixin._init_callback_context(self._estimator, max_subtasks=n_stages)
            self._fit = _Task(context, self._data)

    @contextmanager
    def stage(self, name: str, n_iter: int, model: Callable[[Any], MapModel]) -> Iterator[Report]:
        """Open a stage of at most `n_iter` iterations; it gives a function to call after each of them."""
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
        if iteration is not None:  # begun, but the solver saw that it was not needed
            iteration.end()
        if stage is not None:
            stage.end(last)

    def end(self, model: MapModel) -> None:
        """Receive the fitted model."""
        if self._fit is not None:
            self._fit.end(lambda: model)
