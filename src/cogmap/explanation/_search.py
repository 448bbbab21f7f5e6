"""The search for the smallest change of a row that reaches a goal.

`page/script/engine_flip.js` takes the same steps with the same constants:

1. Grow. From the row, change one feature at a time, until the goal is reached. Tried are some lengths both ways, of the
   features in whose direction the margin is steepest; the changes that gain most for their cost are followed further.
2. Where only some features may change, do both steps without that limit first, and then grow again with those features
   alone that change most.
3. Shrink the cheapest of what was grown. Take back a share of the change of one feature, or all of it, and give a part
   of that to another feature, or to none. As long as the cheapest that still reaches the goal is cheaper, go on from
   there; else with a smaller share.

The cost of a change is its size, and a little more for each feature that changes: few changes are easier to read. Every
row that counts was shown to the map: no result rests on an approximation.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation._goals import Goal
from cogmap.models.features import Array

BUDGET = 20_000  # rows that the map is asked about for one answer
_SURE = 1e-9  # a margin that no rounding takes away
_PER_FEATURE = 0.005  # by which share each feature that changes adds to the cost
_LENGTHS = np.array([-8.0, -4.0, -2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 4.0, 8.0])  # of a change, in units
_GROWN_AT_ONCE = 40  # features that are tried, the steepest ones
_BEAM = 3  # changes that are followed further
_POWER = 0.3  # of the cost by which a gain is divided: 0 looks at the gain alone, and 1 is timid
_GIVEN_AT_ONCE = 12  # features to which a part of another change is given
_GIVEN = np.array([0.1, 0.25, 0.5, 0.75, 0.9])  # parts of what was taken
_LESS = 0.3  # by which a share is multiplied that is too large
_SMALLEST_SHARE = 0.001
_WORTH = 0.02  # by which part of the share a change has to become cheaper


@dataclass(frozen=True, eq=False)
class Space:
    """Which changes are allowed, and how large they are.

    Attributes
    ----------
    start : ndarray of shape (n_features,)
        The row to change. A value that is missing stays so.
    low, high : ndarray of shape (n_features,)
        Range of each feature, with the row in it. A feature whose `low` equals its `high` is fixed.
    unit : ndarray of shape (n_features,)
        In what a change of each feature is counted.
    whole : ndarray of bool, of shape (n_features,)
        Which features have to stay whole numbers.
    most : int
        How many features may change.
    """

    start: Array
    low: Array
    high: Array
    unit: Array
    whole: NDArray[np.bool_]
    most: int

    @property
    def free(self) -> NDArray[np.bool_]:
        """Which features may change."""
        return self.low < self.high

    def sizes(self, rows: Array) -> Array:
        """Return the size of the change of each feature, in its unit."""
        return np.where(self.free, np.abs(rows - self.start) / self.unit, 0.0)

    def costs(self, rows: Array) -> Array:
        """Return the cost of the change of each row; infinity if too many features change."""
        sizes = self.sizes(rows)
        n_changed = np.count_nonzero(sizes, axis=-1)
        return np.where(n_changed <= self.most, sizes.sum(axis=-1) * (1.0 + _PER_FEATURE * n_changed), np.inf)

    def only(self, features: NDArray[np.intp]) -> "Space":
        """Return the same space with all but some features fixed."""
        free = np.isin(np.arange(len(self.start)), features)
        return replace(self, low=np.where(free, self.low, self.start), high=np.where(free, self.high, self.start))

    def allowed(self, features: NDArray[np.intp], here: Array, values: Array) -> Array:
        """Return values within the range; whole numbers are rounded away from where their feature is now."""
        rounded = np.where(values > here, np.ceil(values), np.floor(values))
        values = np.where(self.whole[features], rounded, values)
        return np.asarray(np.clip(values, self.low[features], self.high[features]))


class Asked:
    """A goal, and the map that is asked about it as often as the budget allows."""

    def __init__(self, goal: Goal) -> None:
        self.goal, self.n_tried = goal, 0

    def margins(self, rows: Array) -> Array:
        """Return the margin of each row, -inf of those beyond the budget."""
        within = rows[: BUDGET - self.n_tried]
        self.n_tried += len(within)
        margins = np.full(len(rows), -np.inf)
        if len(within):
            margins[: len(within)] = self.goal.margins(within)
        return margins


def search(asked: Asked, space: Space) -> Array | None:
    """Return the row with the smallest change that is found, or None."""
    grown = [_grown(asked, space)]
    if space.most < space.free.sum():
        anywhere = search(asked, replace(space, most=len(space.start)))
        if anywhere is not None:
            largest = np.argsort(-space.sizes(anywhere), kind="stable")[: space.most]
            grown.append(_grown(asked, space.only(largest)))
    reached = [row for row in grown if row is not None]
    return _shrunk(asked, space, min(reached, key=space.costs)) if reached else None


def _grown(asked: Asked, space: Space) -> Array | None:
    """Change one feature at a time until the goal is reached."""
    beam = space.start[None]
    margins = asked.margins(beam)
    while True:
        which, features = _steepest(asked.goal.gradients(beam) * space.unit, space.free, _GROWN_AT_ONCE)
        here = beam[which, features][:, None]
        values = space.allowed(features[:, None], here, here + _LENGTHS * space.unit[features][:, None])
        of, length = np.nonzero(values != here)
        which, features = which[of], features[of]
        rows = beam[which]
        rows[np.arange(len(rows)), features] = values[of, length]
        costs = space.costs(rows)
        rows, which, costs = rows[np.isfinite(costs)], which[np.isfinite(costs)], costs[np.isfinite(costs)]
        found = asked.margins(rows)
        reached = _cheapest(rows, costs, found)
        if reached is not None:
            return reached
        # A step back makes the change cheaper; what it gains is for nothing.
        with np.errstate(invalid="ignore"):  # both may be beyond the budget
            gain = (found - margins[which]) / np.maximum(costs - space.costs(beam)[which], 1e-3) ** _POWER
        best = np.argsort(-gain, kind="stable")[:_BEAM]
        best = best[gain[best] > 0.0]
        if not len(best):
            return None
        beam, margins = rows[best], found[best]


def _steepest(slopes: Array, allowed: NDArray[np.bool_], n_features: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which rows and which of their features: the allowed ones with the steepest slopes, some in each row."""
    order = np.argsort(-np.where(allowed, np.abs(slopes), -1.0), axis=1, kind="stable")[:, :n_features]
    which, place = np.nonzero(allowed[order])
    return which, order[which, place]


def _cheapest(rows: Array, costs: Array, margins: Array) -> Array | None:
    """Return the cheapest of those rows that reach the goal, if any does; of several, that with the largest margin."""
    costs = np.where(margins > _SURE, costs, np.inf)
    least = costs.min(initial=np.inf)
    return rows[np.where(costs <= least + _SURE, margins, -np.inf).argmax()] if least < np.inf else None


def _shrunk(asked: Asked, space: Space, row: Array) -> Array:
    """Exchange changes for smaller ones as long as that pays."""
    share = 0.5
    slopes = asked.goal.gradients(row[None]) * space.unit
    while share > _SMALLEST_SHARE:
        rows = _exchanges(space, row, slopes, share)
        costs = space.costs(rows)
        worth = costs < (1.0 - _WORTH * share) * space.costs(row)
        rows, costs = rows[worth], costs[worth]
        reached = _cheapest(rows, costs, asked.margins(rows))
        if reached is None:
            share *= _LESS
        else:
            row = reached
            slopes = asked.goal.gradients(row[None]) * space.unit
    return row


def _exchanges(space: Space, row: Array, slopes: Array, share: float) -> Array:
    """Return rows in which one feature changes less, and another perhaps more.

    All arrays have the axes: feature that changes less, by how much, feature that changes more, by how much.
    """
    changed = np.flatnonzero(space.sizes(row))
    _, steepest = _steepest(slopes, space.free, _GIVEN_AT_ONCE)
    i, k = changed[:, None, None, None], np.union1d(changed, steepest)[:, None]
    left = np.array([0.0, 1.0 - share])[:, None, None]
    back = space.allowed(i, row[i], space.start[i] + left * (row[i] - space.start[i]))
    given = _GIVEN * np.abs(back - row[i]) / space.unit[i]
    more = space.allowed(k, row[k], row[k] + np.sign(slopes[0, k]) * given * space.unit[k])
    more = np.where(i == k, back, more)  # nothing is given
    rows = np.repeat(row[None], more.size, axis=0)
    for features, values in ((i, back), (k, more)):
        rows[np.arange(len(rows)), np.broadcast_to(features, more.shape).ravel()] = np.broadcast_to(
            values, more.shape
        ).ravel()
    return rows
