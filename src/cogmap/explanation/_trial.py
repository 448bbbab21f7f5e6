"""Where a change is looked for, and the map that is asked about it, as often as the budget allows."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation._goals import Array, Goal

BUDGET = 20_000  # rows that the map is asked about for one answer
SURE = 1e-9  # a margin that no rounding takes away


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

    def sizes(self, rows: Array) -> Array:
        """Return the size of the change of each row: the sum over its features."""
        size: Array = self.sizes_of_features(rows).sum(axis=-1)
        return size

    def sizes_of_features(self, rows: Array) -> Array:
        """Return the size of the change of each feature, in its unit."""
        moved: Array = np.abs(rows - self.start) / self.unit
        if self._missing.any():
            moved[..., self._missing] = 0.0
        return moved

    def changed(self, row: Array) -> NDArray[np.intp]:
        """Return the features that are not as they were."""
        return np.flatnonzero((row != self.start) & ~self._missing)

    def only(self, features: NDArray[np.intp]) -> "Space":
        """Return the same space with all but some features fixed."""
        fixed = np.full(len(self.start), True)
        fixed[features] = False
        return replace(self, low=np.where(fixed, self.start, self.low), high=np.where(fixed, self.start, self.high))

    @cached_property
    def _missing(self) -> NDArray[np.bool_]:
        return np.isnan(self.start)

    def movable(self, row: Array) -> NDArray[np.intp]:
        """Return the features that may move: those that are free, but once enough have changed, only these."""
        changed = self.changed(row)
        return changed if len(changed) >= self.most else self.free

    @cached_property
    def free(self) -> NDArray[np.intp]:
        """The features that are not fixed."""
        return np.flatnonzero(self.low < self.high)

    def variants(self, row: Array, features: NDArray[np.intp], values: Array) -> Array:
        """Return rows like `row`, each with one feature at another value.

        Parameters
        ----------
        row : ndarray of shape (n_features,)
            A row.
        features : ndarray of int, of shape (n_moved,)
            Which features to move.
        values : ndarray of shape (n_moved, n_values)
            Where to. Values outside of the range are put on its end; whole numbers are rounded away from where the
            feature is now.

        Returns
        -------
        ndarray of shape (n_variants, n_features)
            Only those that differ from `row`.
        """
        here, low, high = row[features, None], self.low[features, None], self.high[features, None]
        rounded = np.where(values > here, np.ceil(values), np.floor(values))
        values = np.clip(np.where(self.whole[features, None], rounded, values), low, high)
        which, where = np.nonzero(values != here)
        rows = np.repeat(row[None], len(which), axis=0)
        rows[np.arange(len(rows)), features[which]] = values[which, where]
        return rows


class OutOfBudget(Exception):
    """The map was asked about as many rows as it may be."""


class Trial:
    """A goal, a space to reach it in, and the best that was found so far."""

    def __init__(self, goal: Goal, space: Space, n_tried: int = 0) -> None:
        self.goal, self.space = goal, space
        self.best: Array | None = None
        self.n_tried = n_tried

    def judged(self, rows: Array) -> tuple[Array, Array]:
        """Return margins and progress of rows, as `Goal.judge` does, within the budget."""
        if self.n_tried + len(rows) > BUDGET:
            raise OutOfBudget
        self.n_tried += len(rows)
        return self.goal.judge(rows)

    def smallest(self, rows: Array, margins: Array) -> int | None:
        """Return the number of that row of those that reach the goal which has changed least, if any does."""
        reached = margins > SURE
        return int(np.where(reached, self.space.sizes(rows), np.inf).argmin()) if reached.any() else None

    def keep(self, row: Array) -> None:
        """Keep a row that reaches the goal, if it has changed less than the best so far."""
        if self.best is None or self.space.sizes(row) < self.space.sizes(self.best):
            self.best = row

    def steepest(self, row: Array, features: NDArray[np.intp], n_features: int) -> NDArray[np.intp]:
        """Return some of the features, those whose change gains most here."""
        if len(features) <= n_features:
            return features
        gain = np.abs(self.goal.gradient(row) * self.space.unit)[features]
        return np.asarray(features[np.argsort(-gain, kind="stable")[:n_features]])
