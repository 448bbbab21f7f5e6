"""scikit-learn's callbacks, where the installed version has them (1.9 and later).

`sklearn.callback` is imported only when an estimator has callbacks: it brings the progress bar's package along, which
would make ``import cogmap`` slower for everybody.
"""

import functools
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

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


class FitTask:
    """Tells the callbacks of an estimator about a fit and its iterations; does nothing if there are none."""

    def __init__(self, estimator: Any, max_iter: int, X: Any, y: Any, sample_weight: Any) -> None:
        self._fit: Any = None
        self._iteration: Any = None
        self._max_iter = max_iter
        if _has_callbacks(estimator):
            from sklearn.callback import CallbackSupportMixin

            self._fit = CallbackSupportMixin._init_callback_context(estimator, max_subtasks=max_iter)
            metadata = None if sample_weight is None else {"sample_weight": sample_weight}
            self._data = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
            self._fit.call_on_fit_task_begin(**self._data)
            self._begin_iteration()

    def _begin_iteration(self) -> None:
        self._iteration = self._fit.subcontext(task_name="iteration")
        self._iteration.call_on_fit_task_begin(**self._data)

    def after_iteration(self, number: int, fitted_attributes: Callable[[], dict[str, Any]]) -> bool:
        """End an iteration and begin the next; return True if a callback asks to stop."""
        if self._fit is None:
            return False
        stop = self._iteration.call_on_fit_task_end(**self._data, reconstruction_attributes=fitted_attributes)
        self._iteration = None
        if not stop and number < self._max_iter:
            self._begin_iteration()
        return bool(stop)

    def end(self, fitted_attributes: Callable[[], dict[str, Any]]) -> None:
        """End the fit."""
        if self._fit is None:
            return
        if self._iteration is not None:  # begun, but the solver saw that it was not needed
            self._iteration.call_on_fit_task_end(estimator=self._data["estimator"])
        self._fit.call_on_fit_task_end(**self._data, reconstruction_attributes=fitted_attributes)
