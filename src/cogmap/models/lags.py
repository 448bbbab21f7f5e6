"""Features of time series: present and past values of the variables, their averages, and drivers.

The past of all variables is one vector, the *memory*: for each variable its last values, then its exponential averages.
Features are linear in the memory, and so is the memory after the next values are known:

    features = C memory + inputs,    next memory = F memory + G changes

which makes a forecast of many steps, and its gradient, a short loop over matrix products.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RATES = (0.1, 0.25, 0.5)  # of exponential averages: their memory is about 19, 7 and 3 values
LEVEL, AVERAGE, CHANGE, SEASON = "level", "average", "change", "season"


@dataclass(frozen=True)
class VariableLags:
    """Features of one variable.

    Attributes
    ----------
    name : str
        Name of the variable, as used in names of features.
    n_changes : int
        Number of past changes that are features.
    period : int
        If not 0, the values one period before the next value, and one before that, are features.
    """

    name: str
    n_changes: int
    period: int = 0

    @property
    def n_past(self) -> int:
        """Number of values in the memory."""
        return max(self.n_changes + 1, self.period + 1, 2)

    @property
    def kinds(self) -> list[str]:
        """Kind of each feature."""
        return [LEVEL, *[AVERAGE] * len(RATES), *[CHANGE] * self.n_changes, *[SEASON] * (2 if self.period else 0)]

    def feature_names(self, unit: str) -> list[str]:
        """Return the name of each feature; `unit` is that of time, such as "month"."""
        averages = [f"{self.name} against its average of {round(2 / rate - 1)} {unit}s" for rate in RATES]
        changes = [f"change of {self.name}{ago(k, unit)}" for k in range(self.n_changes)]
        seasons = [f"{self.name}{ago(k, unit)}" for k in (self.period - 1, self.period)] if self.period else []
        return [self.name, *averages, *changes, *seasons]


def ago(k: int, unit: str) -> str:
    """Return " 3 months ago", or an empty text for 0."""
    return f" {k} {unit}{'s' if k > 1 else ''} ago" if k else ""


@dataclass(frozen=True)
class Lags:
    """Features of several variables and drivers.

    Attributes
    ----------
    variables : tuple of VariableLags
        The variables.
    drivers : tuple of str
        Names of inputs that are known in advance. Each has two features: its value and its change.
    unit : str
        Unit of time, such as "month".
    """

    variables: tuple[VariableLags, ...]
    drivers: tuple[str, ...] = ()
    unit: str = "step"

    @cached_property
    def names(self) -> list[str]:
        """Names of the features."""
        names = [name for lags in self.variables for name in lags.feature_names(self.unit)]
        return names + [name for driver in self.drivers for name in (driver, f"change of {driver}")]

    @cached_property
    def owners(self) -> NDArray[np.intp]:
        """Number of the variable of each feature; -1 for drivers."""
        own = [i for i, lags in enumerate(self.variables) for _ in lags.kinds]
        return np.array(own + [-1] * (2 * len(self.drivers)), dtype=np.intp)

    @cached_property
    def kinds(self) -> NDArray[np.str_]:
        """Kind of each feature."""
        kinds = [kind for lags in self.variables for kind in lags.kinds]
        return np.array(kinds + [LEVEL, CHANGE] * len(self.drivers))

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.owners)

    @cached_property
    def levels(self) -> NDArray[np.intp]:
        """Position of the present value of each variable among the features."""
        return np.flatnonzero((self.kinds == LEVEL) & (self.owners >= 0))

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Position of each variable in the memory, where its present value is."""
        sizes = [lags.n_past + len(RATES) for lags in self.variables]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)

    @cached_property
    def matrices(self) -> tuple[Array, Array, Array]:
        """The matrices F, G and C of the module's description."""
        n, k = int(self.starts[-1]), len(self.variables)
        F, G, C = np.zeros((n, n)), np.zeros((n, k)), np.zeros((self.n_features, n))
        row = 0
        for v, lags in enumerate(self.variables):
            now = int(self.starts[v])
            F[now, now] = G[now, v] = 1.0
            for i in range(1, lags.n_past):
                F[now + i, now + i - 1] = 1.0
            for i, rate in enumerate(RATES):
                place = now + lags.n_past + i
                F[place, place], F[place, now], G[place, v] = 1.0 - rate, rate, rate
                C[row + 1 + i, [now, place]] = 1.0, -1.0
            C[row, now] = 1.0
            row += 1 + len(RATES)
            for i in range(lags.n_changes):
                C[row + i, [now + i, now + i + 1]] = 1.0, -1.0
            row += lags.n_changes
            if lags.period:
                C[[row, row + 1], [now + lags.period - 1, now + lags.period]] = 1.0
                row += 2
        return F, G, C

    def memories(self, values: Array) -> Array:
        """Return the memory after each row of `values`, an array of shape (n_steps, n_variables) without gaps."""
        parts = []
        for v, lags in enumerate(self.variables):
            x = values[:, v]
            places = np.maximum(np.arange(len(x))[:, None] - np.arange(lags.n_past), 0)
            averages = np.empty((len(x), len(RATES)))
            averages[0] = x[:3].mean()
            for t in range(1, len(x)):
                averages[t] = averages[t - 1] + np.array(RATES) * (x[t] - averages[t - 1])
            parts += [x[places], averages]
        return np.concatenate(parts, axis=1)

    def inputs(self, drivers: Array | None) -> Array | None:
        """Return what drivers add to the features, given their values before and in each step (n_steps + 1 rows)."""
        if drivers is None or not self.drivers:
            return None
        result = np.zeros((len(drivers) - 1, self.n_features))
        first = self.n_features - 2 * len(self.drivers)
        result[:, first::2], result[:, first + 1 :: 2] = drivers[1:], np.diff(drivers, axis=0)
        return result
