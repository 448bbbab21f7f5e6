"""The search for the smallest change of a row that reaches a goal.

The size of a change is the sum over the features, each in its unit (a standard deviation), so that few features change.
A walk takes one step of one feature at a time, that which gains most for its size. Leaps take those changes of a
feature that gain most, whatever their size: they find what a walk does not get to. What was found is then made smaller:
the change of one feature is traded for that of another along the gradient, and features are drawn back to where
they were. Every row that counts was shown to the map: no result rests on an approximation.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation._goals import Array, Goal

BUDGET = 20_000  # rows that the map is asked about for one answer
_SURE = 1e-9  # a margin that no rounding takes away
_AT_ONCE = 40  # features that are tried at a time, the most promising ones
_STEPS = 40  # of a walk
_STEP = 0.25  # its length, in units; it grows with every ten steps
_PARTS = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])  # of the way to a bound: leaps
_LEAPS = 5
_BEAM = 4  # leaps that are followed further
_SHORTEST_TRADE = 0.05  # in units
_WORTH = 0.995  # a change has to become smaller by this to go on
_STRETCH = 1.02
_LESS = np.array([1.0, 0.5, 0.2, 0.05])  # shares of a trade, should all of it be too much
_FINE = 17  # places on the way back, tried three times, each time between the last two


class _OutOfBudget(Exception):
    """The map was asked about as many rows as it may be."""


@dataclass(frozen=True, eq=False)
class Space:
    """Where a search may go.

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

    def sizes(self, rows: Array) -> Array:
        """Return the size of the change of each row."""
        size: Array = np.nan_to_num(np.abs(rows - self.start) / self.unit).sum(axis=-1)
        return size

    def changed(self, row: Array) -> NDArray[np.intp]:
        """Return the features that are not as they were."""
        return np.flatnonzero((row != self.start) & ~np.isnan(self.start))

    def movable(self, row: Array) -> NDArray[np.intp]:
        """Return the features that may move: those that are free, but once enough have changed, only these."""
        changed = self.changed(row)
        return changed if len(changed) >= self.most else np.flatnonzero(self.low < self.high)

    def variants(self, row: Array, features: NDArray[np.intp], values: Array) -> Array:
        """Return rows like `row`, each with one feature at another value.

        Parameters
        ----------
        row : ndarray of shape (n_features,)
        features : ndarray of int, of shape (n_moved,)
        values : ndarray of shape (n_moved, n_values)
            Where to put each of them. Values outside of the range are put on its end, and whole numbers are rounded
            away from where the feature is now.

        Returns
        -------
        ndarray of shape (n_variants, n_features)
            Only those that differ from `row`.
        """
        here, low, high = row[features, None], self.low[features, None], self.high[features, None]
        rounded = np.clip(np.where(values > here, np.ceil(values), np.floor(values)), np.ceil(low), np.floor(high))
        values = np.where(self.whole[features, None], rounded, np.clip(values, low, high))
        which, where = np.nonzero(values != here)
        rows = np.repeat(row[None], len(which), axis=0)
        rows[np.arange(len(rows)), features[which]] = values[which, where]
        return rows


class Search:
    """A search for one answer, with a budget."""

    def __init__(self, goal: Goal, space: Space) -> None:
        self._goal, self._space = goal, space
        self._best: Array | None = None
        self.n_tried = 0

    def run(self) -> Array | None:
        """Return the row with the smallest change that was found, or None."""
        try:
            self._walk()
            self._leap()
        except _OutOfBudget:
            pass
        return self._best

    def _judged(self, rows: Array) -> tuple[NDArray[np.bool_], Array]:
        """Say which rows reach the goal, and how far each has come."""
        self.n_tried += len(rows)
        if self.n_tried > BUDGET:
            raise _OutOfBudget
        margins, progress = self._goal.judge(rows)
        return margins > _SURE, progress

    def _smallest(self, rows: Array, reached: NDArray[np.bool_]) -> Array | None:
        """Return that row of those that reach the goal which has changed least, if any does."""
        return rows[np.where(reached, self._space.sizes(rows), np.inf).argmin()] if reached.any() else None

    def _promising(self, row: Array) -> NDArray[np.intp]:
        """Return the features that may move; of many only those that the gradient prefers."""
        features = self._space.movable(row)
        if len(features) > _AT_ONCE:
            gain = np.abs(self._goal.gradient(row) * self._space.unit)[features]
            features = features[np.argsort(-gain, kind="stable")[:_AT_ONCE]]
        return features

    def _walk(self) -> None:
        """Take one step of one feature at a time, that which gains most for its size, until the goal is reached."""
        space = self._space
        row, come = space.start, self._judged(space.start[None])[1][0]
        for t in range(_STEPS):
            features = self._promising(row)
            steps = np.array([-8.0, -1.0, 1.0, 8.0]) * _STEP * 2.0 ** (t // 10)
            rows = space.variants(row, features, row[features, None] + steps * space.unit[features, None])
            if not len(rows):
                return
            reached, progress = self._judged(rows)
            found = self._smallest(rows, reached)
            if found is not None:
                self._improve(found)
                return
            gain = (progress - come) / np.maximum(space.sizes(rows) - space.sizes(row), 1e-3 * _STEP)
            best = int(gain.argmax())
            if gain[best] <= 0.0:
                return
            row, come = rows[best], progress[best]

    def _leap(self) -> None:
        """Take the changes of one feature that gain most, whatever their size, and follow some of them further."""
        space = self._space
        beam = space.start[None]
        for _ in range(min(space.most, _LEAPS)):
            tried = []
            for row in beam:
                features = self._promising(row)
                here = row[features, None]
                ways = [_PARTS * (end[features, None] - here) for end in (space.low, space.high)]
                tried.append(space.variants(row, features, here + np.concatenate(ways, axis=1)))
            rows = np.concatenate(tried)
            if not len(rows):
                return
            reached, progress = self._judged(rows)
            found = self._smallest(rows, reached)
            if found is not None and (self._best is None or space.sizes(found) < 2.0 * space.sizes(self._best)):
                self._improve(found)
            if self._best is not None:  # more leaps are for what is not reached otherwise
                return
            beam = rows[np.argsort(-progress, kind="stable")[:_BEAM]]

    def _improve(self, row: Array) -> None:
        """Make the change smaller, and keep it if it is the smallest so far."""
        for improved in (lambda row: row, self._restored, self._traded, self._restored, self._drawn_back):
            row = improved(row)  # each step gives a row that reaches the goal, should the budget end
            if self._best is None or self._space.sizes(row) < self._space.sizes(self._best):
                self._best = row

    def _restored(self, row: Array) -> Array:
        """Let features be as they were, one after the other, as long as the goal is reached without them.

        A little more of the other changes may make up for it: few changes are easier to read.
        """
        space = self._space
        while len(changed := space.changed(row)) > 1:
            rows = np.repeat(row[None], 2 * len(changed), axis=0)
            stretched = space.start + _STRETCH * (row - space.start)
            free = changed[~space.whole[changed]]
            rows[len(changed) :, free] = np.clip(stretched[free], space.low[free], space.high[free])
            rows[np.arange(2 * len(changed)), np.tile(changed, 2)] = np.tile(space.start[changed], 2)
            rows = rows[space.sizes(rows) <= _STRETCH * space.sizes(row)]
            found = self._smallest(rows, self._judged(rows)[0])
            if found is None:
                break
            row = found
        return row

    def _drawn_back(self, row: Array) -> Array:
        """Draw features back to where they were, each as far as the goal is still reached, the largest change first."""
        space = self._space
        changed = space.changed(row)
        for j in changed[np.argsort(-np.abs(row - space.start)[changed] / space.unit[changed], kind="stable")]:
            near, far = space.start[j], row[j]
            for _ in range(3):
                values = np.linspace(near, far, _FINE)
                rows = np.repeat(row[None], _FINE, axis=0)
                rows[:, j] = np.rint(values) if space.whole[j] else values
                reached = self._judged(rows)[0]
                first = int(reached.argmax())
                if not reached[first] or first == 0:
                    break
                row = rows[first]
                near, far = rows[first - 1, j], row[j]
        return row

    def _traded(self, row: Array) -> Array:
        """Trade the change of one feature for that of another, as the gradient says, as long as that pays."""
        space = self._space
        margin = self._goal.judge(row[None])[0][0]
        radius = 1.0
        while radius > _SHORTEST_TRADE:
            gradient = self._goal.gradient(row) * space.unit
            features = self._tradable(row, gradient)
            if not len(features):
                break
            start, unit, low, high = (of[features] for of in (space.start, space.unit, space.low, space.high))
            now = (row[features] - start) / unit
            nearest, farthest = (
                np.maximum((low - start) / unit, now - radius),
                np.minimum((high - start) / unit, now + radius),
            )
            then = _cheapest(now, nearest, farthest, gradient[features], margin - 10.0 * _SURE)
            rows = np.repeat(row[None], len(_LESS), axis=0)
            rows[:, features] = np.clip(start + unit * (now + _LESS[:, None] * (then - now)), low, high)
            rows[0, features[then == 0.0]] = start[then == 0.0]  # to the bit
            found = self._smallest(rows, self._judged(rows)[0])
            if found is not None and space.sizes(found) < _WORTH * space.sizes(row):
                row, margin = found, self._goal.judge(found[None])[0][0]
            else:
                radius *= 0.3
        return row

    def _tradable(self, row: Array, gradient: Array) -> NDArray[np.intp]:
        """Return the features that may be traded: those that changed, and steep ones, as many as may change."""
        space = self._space
        changed = space.changed(row)
        free = np.setdiff1d(np.flatnonzero(space.low < space.high), changed)
        steepest = free[np.argsort(-np.abs(gradient[free]), kind="stable")[: max(space.most - len(changed), 0)]]
        features = np.concatenate([changed, steepest])
        return np.asarray(features[~space.whole[features]])


def _cheapest(now: Array, low: Array, high: Array, gradient: Array, spare: float) -> Array:
    """Return the changes with the smallest sum of sizes that keep the margin above 0, if it is linear.

    Every change first goes as near to 0 as it may. What that costs of the margin, beyond what it can spare, is then
    bought back where the gradient is steepest.

    Parameters
    ----------
    now, low, high : ndarray of shape (n_features,)
        Changes, in units, and between what they may be.
    gradient : ndarray of shape (n_features,)
        Of the margin.
    spare : float
        The margin now.
    """
    then: Array = np.clip(np.zeros_like(now), low, high)
    missing = float(gradient @ (now - then)) - spare
    order = np.argsort(-np.abs(gradient), kind="stable")
    steepness = np.abs(gradient[order])
    room = np.where(gradient > 0.0, high - then, then - low)[order]
    bought = np.cumsum(steepness * room)
    # Each gives all it has until enough is bought.
    taken = np.clip(missing - np.concatenate([[0.0], bought[:-1]]), 0.0, steepness * room)
    moved = np.divide(taken, steepness, out=np.zeros_like(taken), where=steepness > 0.0)
    then[order] += np.sign(gradient[order]) * moved
    return then
