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


class CallbackTask:
    """A task of a fit as scikit-learn's callbacks see it: the fit itself, a stage of it, or an iteration.

    Parameters
    ----------
    context : CallbackContext
        scikit-learn's.
    data : dict
        What callbacks are told at the begin and the end: estimator, X, y, metadata.
    """

    def __init__(self, context: Any, data: dict[str, Any]) -> None:
        self._context, self._data = context, data
        context.call_on_fit_task_begin(**data)

    @classmethod
    def fit(cls, estimator: Any, n_stages: int, X: Any, y: Any, sample_weight: Any) -> "CallbackTask | None":
        """Begin a fit; None if the estimator has no callbacks."""
        if not _has_callbacks(estimator):
            return None
        from sklearn.callback import CallbackSupportMixin

        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        context = CallbackSupportMixin._init_callback_context(estimator, max_subtasks=n_stages)
        return cls(context, {"estimator": estimator, "X": X, "y": y, "metadata": metadata})

    def begin(self, name: str, max_subtasks: int = 0) -> "CallbackTask":
        """Begin a part of this task."""
        return CallbackTask(self._context.subcontext(task_name=name, max_subtasks=max_subtasks), self._data)

    def end(self, fitted_attributes: Callable[[], dict[str, Any]] | None = None) -> bool:
        """End this task, perhaps with a model; return True if a callback asks to stop."""
        if fitted_attributes is None:  # nothing was learned in it
            return bool(self._context.call_on_fit_task_end(estimator=self._data["estimator"]))
        return bool(self._context.call_on_fit_task_end(**self._data, reconstruction_attributes=fitted_attributes))
