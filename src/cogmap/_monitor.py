"""The monitor of an estimator's fit: what `verbose` prints, and what scikit-learn's callbacks hear."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from cogmap._callbacks import CallbackTask
from cogmap._learning.monitor import Monitor, Report
from cogmap.model import MapModel


class FitMonitor(Monitor):
    """Tells people and callbacks about the stages and iterations of a fit.

    Parameters
    ----------
    estimator : object
        Who is fitted.
    X, y, sample_weight : array-like
        What callbacks may score the model on.
    finished : callable
        Makes the fitted model of one that was learned from states.
    """

    def __init__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any, finished: Callable[[MapModel], MapModel]
    ) -> None:
        self._estimator, self._data, self._finished = estimator, (X, y, sample_weight), finished
        self._fit: CallbackTask | None = None

    def begin(self, n_stages: int) -> None:
        """Hear how many stages there will be at the most."""
        if self._fit is None:
            self._fit = CallbackTask.fit(self._estimator, n_stages, *self._data)

    @contextmanager
    def stage(self, name: str, n_iter: int, model: Callable[..., MapModel]) -> Iterator[Report]:
        """Hear of a stage of at most so many iterations."""
        stage = self._fit and self._fit.begin(name, n_iter)
        iteration = stage and stage.begin("iteration")
        last: Callable[[], dict[str, Any]] | None = None

        def report(theta: Any, number: int, loss: float) -> bool:
            nonlocal iteration, last
            if self._estimator.verbose:
                print(f"{type(self._estimator).__name__}: {name}, iteration {number}, loss {loss:.6g}")  # noqa: T201
            if stage is None or iteration is None:
                return False
            kept = theta.copy()
            last = lambda: {"model_": self._finished(model(kept))}  # noqa: E731
            stop = iteration.end(last)
            iteration = None if stop or number >= n_iter else stage.begin("iteration")
            return stop

        yield report
        if iteration is not None:  # begun, but the solver saw that it was not needed
            iteration.end()
        if stage is not None:
            stage.end(last)

    def end(self, model: MapModel) -> None:
        """Hear that the fit is over."""
        if self._fit is not None:
            self._fit.end(lambda: {"model_": model})
