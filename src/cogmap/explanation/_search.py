"""Search for the smallest change of a row that reaches a goal.

`page/script/engine_flip.js` takes the same steps with the same constants:

1. Grow. Starting from the row, change one column at a time until the goal is reached. Candidates are steps of several
   lengths in both directions along the columns with the steepest margin, and all other choices of a category; the
   changes that gain most for their cost are followed further.
2. If only some columns may change, first search without that limit, and then grow again in those columns that changed
   most.
3. Shrink the cheapest result. Revert a fraction of the change of one column, or all of it, and transfer a fraction of
   that to another column, or to no column. Continue from the cheapest row that still reaches the goal; if no row does,
   continue with a smaller fraction.

The cost of a change is its size plus a small surcharge per changed column: few changes are easier to read. Every row
that counts was evaluated by the map; no result relies on an approximation.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation._goals import Goal
from cogmap.models.features import Array
from cogmap.models.logarithms import Logarithms

BUDGET = 20_000  # maximum number of rows that the map evaluates per search
_SURE = 1e-9  # a margin larger than any rounding error
_PER_COLUMN = 0.005  # relative surcharge per changed column
_LENGTHS = np.array([-8.0, -4.0, -2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 4.0, 8.0])  # of a change, in units
_GROWN_AT_ONCE = 40  # number of columns to try: those with the steepest margin
_BEAM = 3  # beam width: number of changes that are extended
_POWER = 0.3  # exponent of the cost by which a gain is divided: 0 ignores the cost, 1 prefers tiny steps
_GIVEN_AT_ONCE = 12  # number of columns that may take over a fraction of another change
_GIVEN = np.array([0.1, 0.25, 0.5, 0.75, 0.9])  # fractions of the reverted change that another column takes over
_LESS = 0.3  # factor by which the fraction is reduced
_SMALLEST_SHARE = 0.001
_WORTH = 0.02  # minimum relative saving, as a multiple of the fraction


@dataclass(frozen=True, eq=False)
class Space:
    """Allowed changes and their sizes.

    A row has one number per column; that of a category is the index of its choice.

    Attributes
    ----------
    start : ndarray of shape (n_columns,)
        The row to change. A missing value stays missing.
    low, high : ndarray of shape (n_columns,)
        Range of each column, with the row inside. A column whose `low` equals its `high` is fixed.
    unit : ndarray of shape (n_columns,)
        Unit in which a change of each column is measured.
    whole : ndarray of bool, of shape (n_columns,)
        Columns that must stay whole numbers.
    most : int
        Number of columns that may change.
    given : ndarray of shape (n_features,)
        Features of the row to change.
    spans : sequence of slice
        Features of each column.
    choices : mapping of int to ndarray
        Categories: the column, and the standard deviation of each of its features.
    known : (ndarray, ndarray)
        Lowest and highest value of each column in the training data.
    logarithms : Logarithms or None
        Logarithmic scale of the columns that the map reads on one; their units are those of the scale.
    """

    start: Array
    low: Array
    high: Array
    unit: Array
    whole: NDArray[np.bool_]
    most: int
    given: Array
    spans: tuple[slice, ...]
    choices: Mapping[int, Array]
    known: tuple[Array, Array]
    logarithms: Logarithms | None = None

    @property
    def free(self) -> NDArray[np.bool_]:
        """Columns that may change."""
        return self.low < self.high

    def features(self, rows: Array) -> Array:
        """Return the features of rows; only those of free columns differ from the given ones."""
        if not self.choices and len(self.spans) == len(self.given):
            return rows
        features = np.repeat(self.given[None], len(rows), axis=0)
        for column in np.flatnonzero(self.free).tolist():
            values, span = rows[:, column, None], self.spans[column]
            features[:, span] = values == np.arange(span.stop - span.start) if column in self.choices else values
        return features

    def on_scale(self, columns: NDArray[np.intp], values: Array) -> Array:
        """Return values of columns on the scale on which the map reads them."""
        return values if self.logarithms is None else self.logarithms.narrowed(columns).values(values)

    def moved(self, columns: NDArray[np.intp], here: Array, units: Array) -> Array:
        """Return values of columns after changes by some units; a change of 0 changes no bit."""
        values = np.asarray(here + units * self.unit[columns])
        if self.logarithms is None:
            return values
        scale = self.logarithms.narrowed(columns)
        on_scale = scale.features(scale.values(here) + units * self.unit[columns])
        return np.where(scale.bent & (units != 0.0), on_scale, values)

    def between(self, column: int, value: float, shares: Array) -> Array:
        """Return values of a column at some shares of the way from the start, on its scale."""
        here, columns = self.start[column], np.array([column])
        if self.logarithms is None or not self.logarithms.bent[column]:
            return np.asarray(here + shares * (value - here))
        start, end = self.on_scale(columns, np.array([[here], [value]]))[:, 0] / self.unit[column]
        return self.moved(columns, here, shares * (end - start))

    def slopes(self, rows: Array, of_features: Array) -> Array:
        """Return derivatives per unit of each column; those of categories are infinite, so that they come first."""
        slopes: Array = of_features[:, [span.start for span in self.spans]] * self.unit
        if self.logarithms is not None:
            slopes /= self.logarithms.derivative(rows)
        slopes[:, list(self.choices)] = np.inf
        return slopes

    def distance(self, column: int, before: float, after: float) -> float:
        """Return the size of the change of one column between two values."""
        if column not in self.choices:
            ends = self.on_scale(np.array([column]), np.array([[before], [after]]))[:, 0]
            return float(abs(ends[1] - ends[0]) / self.unit[column])
        deviations = self.choices[column]  # one feature falls from 1 to 0, another rises
        return 0.0 if before == after else float(1.0 / deviations[int(before)] + 1.0 / deviations[int(after)])

    def sizes(self, rows: Array) -> Array:
        """Return the size of the change of each column, in its unit."""
        every = np.arange(len(self.start))
        sizes = np.where(
            self.free, np.abs(self.on_scale(every, rows) - self.on_scale(every, self.start)) / self.unit, 0.0
        )
        for column, deviations in self.choices.items():
            if self.free[column]:
                inverse, before, after = 1.0 / deviations, int(self.start[column]), rows[..., column].astype(int)
                sizes[..., column] = np.where(after == before, 0.0, inverse[before] + inverse[after])
        return sizes

    def costs(self, rows: Array) -> Array:
        """Return the cost of the change of each row; infinity if too many columns change."""
        sizes = self.sizes(rows)
        n_changed = np.count_nonzero(sizes, axis=-1)
        return np.where(n_changed <= self.most, sizes.sum(axis=-1) * (1.0 + _PER_COLUMN * n_changed), np.inf)

    def only(self, columns: NDArray[np.intp]) -> "Space":
        """Return the same space with all but some columns fixed."""
        free = np.isin(np.arange(len(self.start)), columns)
        return replace(self, low=np.where(free, self.low, self.start), high=np.where(free, self.high, self.start))

    def others(self, column: int, here: float) -> Array:
        """Return the other choices of a category."""
        codes = np.arange(len(self.choices[column]), dtype=float)
        return np.asarray(codes[codes != here])

    def allowed(self, columns: NDArray[np.intp], here: Array, values: Array) -> Array:
        """Return numbers clipped to the range; whole numbers are rounded away from the present value."""
        rounded = np.where(values > here, np.ceil(values), np.floor(values))
        values = np.where(self.whole[columns], rounded, values)
        return np.asarray(np.clip(values, self.low[columns], self.high[columns]))


class Evaluator:
    """A goal in a space, evaluated by the map as often as the budget allows."""

    def __init__(self, goal: Goal) -> None:
        self.goal, self.n_tried = goal, 0

    def margins(self, space: Space, rows: Array) -> Array:
        """Return the margin of each row, -inf for those beyond the budget."""
        within = rows[: BUDGET - self.n_tried]
        self.n_tried += len(within)
        margins = np.full(len(rows), -np.inf)
        if len(within):
            margins[: len(within)] = self.goal.margins(space.features(within))
        return margins

    def slopes(self, space: Space, rows: Array) -> Array:
        """Return the derivative of the margin along each column, in units."""
        return space.slopes(rows, self.goal.gradients(space.features(rows)))


def search(evaluator: Evaluator, space: Space) -> Array | None:
    """Return the row with the smallest change found, or None."""
    grown = [_grown(evaluator, space)]
    if space.most < space.free.sum():
        anywhere = search(evaluator, replace(space, most=len(space.start)))
        if anywhere is not None:
            largest = np.argsort(-space.sizes(anywhere), kind="stable")[: space.most]
            grown.append(_grown(evaluator, space.only(largest)))
    reached = [row for row in grown if row is not None]
    return _shrunk(evaluator, space, min(reached, key=space.costs)) if reached else None


def _grown(evaluator: Evaluator, space: Space) -> Array | None:
    """Change one column at a time until the goal is reached."""
    beam = space.start[None]
    margins = evaluator.margins(space, beam)
    while True:
        steps = [_steps(space, row, slopes) for row, slopes in zip(beam, evaluator.slopes(space, beam), strict=True)]
        rows, which = np.concatenate(steps), np.repeat(np.arange(len(beam)), [len(step) for step in steps])
        costs = space.costs(rows)
        rows, which, costs = rows[np.isfinite(costs)], which[np.isfinite(costs)], costs[np.isfinite(costs)]
        found = evaluator.margins(space, rows)
        reached = _cheapest(rows, costs, found)
        if reached is not None:
            return reached
        # A step back makes the change cheaper; its gain costs nothing.
        with np.errstate(invalid="ignore"):  # -inf - -inf, if both rows are beyond the budget
            gain = (found - margins[which]) / np.maximum(costs - space.costs(beam)[which], 1e-3) ** _POWER
        best = np.argsort(-gain, kind="stable")[:_BEAM]
        best = best[gain[best] > 0.0]
        if not len(best):
            return None
        beam, margins = rows[best], found[best]


def _steps(space: Space, row: Array, slopes: Array) -> Array:
    """Return rows with one more step of one column, those of the steepest columns first."""
    columns = _steepest(space, slopes, _GROWN_AT_ONCE)
    numbers = np.array([c for c in columns if c not in space.choices], dtype=np.intp)
    here = row[numbers][:, None]
    # Far outside of the training data, the map hardly reacts to a step: steps start at their nearest value.
    near = np.clip(here, *(end[numbers][:, None] for end in space.known))
    values = space.allowed(numbers[:, None], here, space.moved(numbers[:, None], near, _LENGTHS))
    place, length = np.nonzero(values != here)
    rows = [_replaced(row, c, space.others(c, row[c])) for c in columns if c in space.choices]
    return np.concatenate([*rows, _replaced(row, numbers[place], values[place, length])])


def _replaced(row: Array, columns: int | NDArray[np.intp], values: Array) -> Array:
    """Return one row per value, with the value in its column."""
    rows = np.repeat(row[None], len(values), axis=0)
    rows[np.arange(len(rows)), columns] = values
    return rows


def _steepest(space: Space, slopes: Array, n_columns: int) -> NDArray[np.intp]:
    """Return some of the free columns, those with the steepest slopes first."""
    order = np.argsort(-np.where(space.free, np.abs(slopes), -1.0), kind="stable")[:n_columns]
    return order[space.free[order]]


def _cheapest(rows: Array, costs: Array, margins: Array) -> Array | None:
    """Return the cheapest row that reaches the goal, if any; among equal costs, that with the largest margin."""
    costs = np.where(margins > _SURE, costs, np.inf)
    least = costs.min(initial=np.inf)
    return rows[np.where(costs <= least + _SURE, margins, -np.inf).argmax()] if least < np.inf else None


def _shrunk(evaluator: Evaluator, space: Space, row: Array) -> Array:
    """Exchange changes for smaller ones as long as that pays."""
    share = 0.5
    slopes = evaluator.slopes(space, row[None])[0]
    while share > _SMALLEST_SHARE:
        rows = np.concatenate(list(_exchanges(space, row, slopes, share)))
        costs = space.costs(rows)
        worth = costs < (1.0 - _WORTH * share) * space.costs(row)
        rows, costs = rows[worth], costs[worth]
        reached = _cheapest(rows, costs, evaluator.margins(space, rows))
        if reached is None:
            share *= _LESS
        else:
            row = reached
            slopes = evaluator.slopes(space, row[None])[0]
    return row


def _exchanges(space: Space, row: Array, slopes: Array, share: float) -> Iterator[Array]:
    """Yield rows in which one column changes less, and another perhaps more."""
    changed = np.flatnonzero(space.sizes(row))
    receivers = np.union1d(changed, _steepest(space, slopes, _GIVEN_AT_ONCE))
    for i in changed.tolist():
        if i in space.choices:
            back = space.others(i, row[i])
        else:
            back = space.allowed(np.array([i]), row[i], space.between(i, row[i], np.array([0.0, 1.0 - share])))
        nearer = _replaced(row, i, back)
        yield nearer
        numbers = np.array([k for k in receivers if k != i and k not in space.choices], dtype=np.intp)
        for each, taken in zip(nearer, (space.distance(i, row[i], value) for value in back), strict=True):
            here = row[numbers][:, None]
            given = space.moved(numbers[:, None], here, np.sign(slopes[numbers])[:, None] * (_GIVEN * taken))
            more = space.allowed(numbers[:, None], here, given)
            yield _replaced(each, np.repeat(numbers, len(_GIVEN)), more.ravel())
            for k in receivers.tolist():
                if k != i and k in space.choices:
                    yield _replaced(each, k, space.others(k, row[k]))
