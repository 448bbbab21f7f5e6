"""Results of `FCMForecaster`: forecasts and scenarios in time."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.optional import import_or_raise
from cogmap.explanation._answer import Drawn, text_table

Array = NDArray[np.float64]

_LINES_SHOWN = 24  # steps in `repr`: all of the longest horizon by default


@dataclass(frozen=True, eq=False, repr=False)
class Forecast(Drawn):
    """Forecast of one or several variables.

    Attributes
    ----------
    variables : tuple of str
        Names of the variables.
    times : tuple of str
        Time of each step.
    values : ndarray of shape (n_steps, n_variables)
        The forecast.
    low, high : ndarray of shape (n_steps, n_variables) or None
        Bounds of the intervals; None without a level.
    level : float or None
        Probability with which an interval covers the value.
    baseline : ndarray of shape (n_steps, n_variables) or None
        In a scenario, the forecast in which nothing is held.
    held : tuple of str
        Names of the variables and drivers that are held.

    See Also
    --------
    cogmap.FCMForecaster : Returns forecasts.
    cogmap.plotting.plot_forecast : Figure of a forecast.

    Examples
    --------
    >>> import numpy as np
    >>> from cogmap import FCMForecaster
    >>> forecast = FCMForecaster(season=4).fit(np.tile([1.0, 2.0, 3.0, 2.0], 10)).forecast(3, level=0.9)
    >>> forecast.values.round(1).ravel().tolist()
    [1.0, 2.0, 3.0]
    >>> forecast.to_frame().columns.tolist()
    ['value', 'value low', 'value high']
    """

    variables: tuple[str, ...]
    times: tuple[str, ...]
    values: Array
    low: Array | None
    high: Array | None
    level: float | None
    baseline: Array | None
    held: tuple[str, ...]
    _index: Any
    _history: Any  # the last values and their times, for pictures

    _picture = "plot_forecast"

    @property
    def change(self) -> Array:
        """In a scenario, the difference from the baseline; else zeros."""
        return np.zeros(self.values.shape) if self.baseline is None else self.values - self.baseline

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per step, indexed by time.

        Returns
        -------
        pandas.DataFrame
            A column for each variable. With intervals, there are also the columns "<name> low" and "<name> high", and
            in a scenario "<name> baseline".
        """
        pandas = import_or_raise("pandas", "Forecast.to_frame", "table")
        return pandas.DataFrame(self._columns(), index=self._index)

    def _columns(self) -> dict[str, Array]:
        columns = {}
        for v, name in enumerate(self.variables):
            columns[name] = self.values[:, v]
            if self.low is not None and self.high is not None:
                columns[f"{name} low"], columns[f"{name} high"] = self.low[:, v], self.high[:, v]
            if self.baseline is not None:
                columns[f"{name} baseline"] = self.baseline[:, v]
        return columns

    def __repr__(self) -> str:
        kind = f"Scenario with {', '.join(self.held)} held" if self.held else "Forecast"
        sure = "" if self.level is None else f", intervals of {100 * self.level:g} %"
        columns = self._columns()
        rows = [[self.times[k], *(f"{column[k]:.5g}" for column in columns.values())] for k in range(len(self.times))]
        lines = text_table(["", *columns], rows[:_LINES_SHOWN])
        more = [f"... {len(rows) - _LINES_SHOWN} more"] if len(rows) > _LINES_SHOWN else []
        return "\n".join([f"{kind}: {len(rows)} steps{sure}", *lines, *more])
