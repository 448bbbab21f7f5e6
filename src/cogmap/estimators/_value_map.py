"""Base class of regressors: checks and scaling of the values to predict."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.settings import REGRESSION
from cogmap._learning.table import Table
from cogmap._learning.targets import ValueTargets
from cogmap._utils.params import param_error
from cogmap.estimators._out_of_core import Chunk, OutOfCoreMixin, Survey
from cogmap.estimators._validation import validated
from cogmap.exceptions import DataError
from cogmap.models.features import FeatureStatistics
from cogmap.models.links import Link, LogLink, QuantileLink, ValueLink

# Values that a loss needs: whether they must be whole numbers, whether 0 is one, and the words of the message.
_NEEDS = {
    "poisson": (True, True, "counts, whole numbers >= 0", "For rates or amounts, use loss='tweedie'."),
    "gamma": (False, False, "amounts > 0", "With zeros among them, use loss='tweedie'."),
    "tweedie": (False, True, "amounts >= 0", "For values of both signs, use loss='squared_error' or 'huber'."),
}
_ROBUST = ("quantile", "huber")
_SMALLEST = 1e-4  # predicted value relative to the mean, if there are zeros
_IQR = 1.349  # interquartile range of a normal distribution, in standard deviations


class ValueMap(OutOfCoreMixin):
    """Base class of estimators that train a map on values."""

    _defaults = REGRESSION
    _learns_classes = False

    loss: str
    power: float
    quantile: Any
    _target_names: list[str]
    _target_is_vector: bool

    def _checked_target(self, X: Any, y: Any, reset: bool) -> tuple[NDArray[np.floating], NDArray[Any]]:
        names = _names_of(y)
        X, y = validated(self, X, y, reset=reset, multi_output=True, y_numeric=True)
        self._target_is_vector = y.ndim == 1
        self._target_names = names or (["target"] if y.ndim == 1 else [f"target {i + 1}" for i in range(y.shape[1])])
        y = y.astype(np.float64, copy=False)
        self._check_values(y.reshape(len(y), -1))
        return X, y

    def _check_values(self, values: NDArray[np.float64]) -> None:
        """Raise if the loss is not defined for some of the values."""
        if self.loss not in _NEEDS:
            return
        whole, with_zero, expected, cure = _NEEDS[self.loss]
        bad = (values < 0.0) if with_zero else (values <= 0.0)
        if whole:
            bad |= values != np.rint(values)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise DataError(
                f"`{self._owner}(loss={self.loss!r})` needs {expected}, but {self._target_names[column]!r} is "
                f"{values[row, column]:g} in row {row + 1}. {cure}"
            )

    def _targets(self, y: NDArray[Any], known: Link | None) -> ValueTargets:
        values = y.reshape(len(y), -1)
        link = self._new_link(values.shape[1])
        # Resumed training keeps the scale of its outputs.
        resumes = known is not None and type(known) is type(link) and known.n_outputs == link.n_outputs
        return ValueTargets(values, cast(ValueLink, known) if resumes else link, self.loss, float(self.power))

    def _new_link(self, n_targets: int) -> ValueLink:
        """Return a link whose mean and deviation are not set yet."""
        names, one_dimensional = tuple(self._target_names), n_targets == 1 and self._target_is_vector
        if self.loss == "quantile":
            return self._quantile_link(names, one_dimensional)
        ones = np.ones(n_targets)
        if self.loss in _NEEDS:
            return LogLink(names, ones, ones, one_dimensional, ones, ones)
        return ValueLink(names, np.zeros(n_targets), ones, one_dimensional)

    def _quantile_link(self, names: tuple[str, ...], one_dimensional: bool) -> QuantileLink:
        if np.ndim(self.quantile) == 0:
            levels = (float(self.quantile),) * len(names)
        elif len(names) > 1:
            cure = "Fit one regressor per target for several quantiles."
            raise param_error(self._owner, "quantile", "one number for several targets", self.quantile, cure)
        else:
            levels, one_dimensional = tuple(float(level) for level in self.quantile), False
            names = tuple(f"{names[0]} q={level:g}" for level in levels)
        return QuantileLink(names, np.zeros(len(names)), np.ones(len(names)), one_dimensional, levels)

    def _surveyed_targets(self, survey: Survey, sample: Chunk) -> tuple[ValueTargets, None]:
        """Return targets of no rows with the link for the surveyed values."""
        statistics = cast(FeatureStatistics, survey.targets)
        self._check_varied(statistics.low, statistics.high, survey.n_rows)
        targets = self._targets(sample[1], None)
        link = self._standardized(targets, statistics, sample[2])
        return replace(targets, link=link, values=targets.values[:0]), None

    def _finalize(self, table: Table, known: Link | None) -> Table:
        """Return the table with targets standardized by statistics of the merged rows."""
        targets = cast(ValueTargets, table.targets)
        if targets.link is known:
            return table
        self._check_varied(targets.values.min(axis=0), targets.values.max(axis=0), table.n_rows)
        statistics = FeatureStatistics.of(targets.values, table.weight)
        return replace(table, targets=replace(targets, link=self._standardized(targets, statistics, table.weight)))

    def _check_varied(self, low: NDArray[Any], high: NDArray[Any], n_rows: int) -> None:
        """Raise if a target is constant, or if its range overflows."""
        with np.errstate(over="ignore"):
            width = high - low
        for name, wide, value in zip(self._target_names, width, low, strict=True):
            if not 0.0 < wide < np.inf:
                cause = f"only the value {value:g}" if wide == 0.0 else "a range that overflows float64"
                raise DataError(
                    f"`{self._owner}` needs targets that vary within a finite range, but {name!r} has {cause} "
                    f"({n_rows} sample{'s'[: n_rows != 1]}; rows with sample_weight 0 do not count)."
                )

    def _standardized(
        self, targets: ValueTargets, statistics: FeatureStatistics, weight: NDArray[np.float64] | None
    ) -> ValueLink:
        """Return the link with the center and deviation by which targets are standardized."""
        for name, deviation in zip(self._target_names, statistics.deviation, strict=True):
            if not deviation >= np.finfo(np.float64).tiny:
                raise DataError(
                    f"`{self._owner}` needs targets that vary, but the standard deviation of {name!r} is "
                    f"{deviation:g}. Multiply the target by a constant, or use more similar row weights."
                )
        link, mean, deviation = targets.link, statistics.mean, statistics.deviation
        if isinstance(link, LogLink):
            low = np.maximum(statistics.low, _SMALLEST * mean)
            return replace(link, mean=mean, deviation=deviation, low=low, high=statistics.high)
        if self.loss in _ROBUST:  # mean and deviation would depend on outliers
            levels = link.quantiles if isinstance(link, QuantileLink) else (0.5,) * link.n_outputs
            n_targets = targets.values.shape[1]
            columns = [targets.values[:, i % n_targets] for i in range(link.n_outputs)]
            mean = np.array([_quantile(*both, weight) for both in zip(columns, levels, strict=True)])
            iqr = np.array([_quantile(x, 0.75, weight) - _quantile(x, 0.25, weight) for x in columns])
            deviation = np.where(iqr > 0.0, iqr / _IQR, np.broadcast_to(deviation, iqr.shape))
        return replace(link, mean=mean, deviation=deviation)


def _quantile(values: NDArray[np.float64], level: float, weight: NDArray[np.float64] | None) -> float:
    """Return a weighted quantile: the smallest value with at least this share of the weight at or below it."""
    order = np.argsort(values, kind="stable")
    cumulative = np.cumsum(np.ones(len(values)) if weight is None else weight[order])
    place = np.searchsorted(cumulative, level * cumulative[-1] * (1.0 - 1e-12))
    return float(values[order[place]])


def _names_of(y: Any) -> list[str] | None:
    """Return the names of the targets if `y` is a series or data frame with names, otherwise None."""
    if hasattr(y, "columns"):
        return [str(name) for name in y.columns]
    name = getattr(y, "name", None)
    return None if name is None else [str(name)]
