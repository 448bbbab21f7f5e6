"""Linear teachers of a map of time series: ridge regressions of the next change on groups of features.

A teacher is a group of features, the strength of its penalty, and whether changes may have a mean that is not explained
by the features (a drift). Which are useful was chosen on public series (`docs/guide/forecasting.md`). Their mean is the
start of the map.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.sequence.prepared import Rows
from cogmap.models.lags import AVERAGE, CHANGE, LEVEL, SEASON, Lags

Array = NDArray[np.float64]

ALL = 10**6  # changes
_CONSTANT = 1e-4  # deviation, in units of that of the variable, below which a feature is constant


@dataclass(frozen=True)
class Member:
    """A teacher.

    Attributes
    ----------
    kinds : tuple of str
        Kinds of features that it uses.
    n_changes : int
        Largest number of past changes that it uses.
    alpha : float
        Penalty of standardized features, relative to the number of rows.
    drift : bool
        Whether changes have a mean.
    rich : bool
        Whether it has so many parameters that its held-out error must be clearly smaller than that of others.
    """

    kinds: tuple[str, ...]
    n_changes: int
    alpha: float
    drift: bool = True
    rich: bool = False

    def used(self, lags: Lags, variable: int) -> NDArray[np.bool_]:
        """Return which features of a variable the member uses."""
        own = lags.owners == variable
        used: NDArray[np.bool_] = own & np.isin(lags.kinds, self.kinds)
        used[np.flatnonzero(own & (lags.kinds == CHANGE))[self.n_changes :]] = False
        return used


_AVERAGES, _LEVELS = (AVERAGE,), (LEVEL, CHANGE, SEASON)
MEMBERS = (
    Member(_AVERAGES, 0, 0.1),
    Member(_AVERAGES, 0, 0.3),
    Member((AVERAGE, LEVEL), 0, 0.3),
    Member((AVERAGE, LEVEL), 0, 1.0),
    Member((AVERAGE, LEVEL, CHANGE, SEASON), 2, 1.0),
    Member(_LEVELS, 1, 0.01),
    Member(_LEVELS, 2, 0.01),
    Member(_LEVELS, 4, 0.01),
    Member((AVERAGE, LEVEL, CHANGE, SEASON), ALL, 0.1, rich=True),
    Member(_LEVELS, ALL, 0.01, rich=True),
    Member((CHANGE,), ALL, 0.01, rich=True),
)
# They are always among the teachers, because forecasts that follow a trend too far are the costliest.
CAUTIOUS = (Member(_AVERAGES, 0, 0.3, drift=False), Member(_AVERAGES, 0, 0.3))


def ridge(rows: Rows, variable: int, penalty: Array, drift: bool = True) -> tuple[Array, float]:
    """Return the weights and the bias of a ridge regression of the changes of a variable.

    Parameters
    ----------
    rows : Rows
        Rows to learn from.
    variable : int
        Number of the variable.
    penalty : ndarray of shape (n_features,)
        Penalty of each standardized feature; infinite if it is not used.
    drift : bool, default=True
        Whether changes have a mean.
    """
    used = np.flatnonzero(np.isfinite(penalty))
    kept = rows.weight[:, variable] > 0.0
    target = rows.changes[kept, variable]
    weights = np.zeros(rows.features.shape[1])
    mean = float(target.mean()) if len(target) else 0.0
    if not used.size or not len(target):
        return weights, mean if drift else 0.0
    table = rows.features[kept][:, used]
    center, scale = table.mean(axis=0), table.std(axis=0)
    scale[scale < _CONSTANT] = np.inf  # a constant feature has no weight
    table = (table - center) / scale
    gram = table.T @ table
    gram[np.diag_indices_from(gram)] += len(target) * penalty[used] + 1e-9
    weights[used] = np.linalg.solve(gram, table.T @ (target - mean)) / scale
    return weights, (mean if drift else 0.0) - float(weights[used] @ center)


def penalty_of(member: Member, lags: Lags, variable: int) -> Array:
    """Return the penalty of each feature."""
    return np.where(member.used(lags, variable), member.alpha, np.inf)
