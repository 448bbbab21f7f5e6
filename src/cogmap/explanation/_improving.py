"""A change that reaches its goal made smaller: features go back to where they were, or are exchanged for others."""

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation._goals import Array
from cogmap.explanation._trial import SURE, Trial

_STRETCH = 1.02  # by how much a change may grow for a feature less
_WIDEST_TRADE, _NARROWEST_TRADE = 1.0, 0.1  # in units
_LESS = np.array([1.0, 0.5, 0.2, 0.05])  # shares of a trade, should all of it be too much
_WORTH = 0.99  # a trade has to make a change smaller by this
_FINE = 17  # places on the way back, looked at three times, each time between the last two
_SWAPS = np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])  # of whole numbers
_AT_ONCE = 12  # features that are tried in the place of another


def improve(trial: Trial, row: Array) -> None:
    """Make the change of a row that reaches the goal smaller, and keep it if it is the best so far."""
    trial.keep(row)
    for improved in (_restored, _traded, _restored, _drawn_back, _swapped):
        row = improved(trial, row)
        trial.keep(row)


def _restored(trial: Trial, row: Array) -> Array:
    """Let features be as they were, one after the other, as long as the goal is reached without them.

    A little more of the other changes may make up for one: few changes are easier to read.
    """
    space = trial.space
    while len(changed := space.changed(row)) > 1:
        free = changed[~space.whole[changed]]
        more = row.copy()
        more[free] = np.clip(
            space.start[free] + _STRETCH * (row - space.start)[free], space.low[free], space.high[free]
        )
        rows = np.repeat([row, more], len(changed), axis=0)
        rows[np.arange(len(rows)), np.tile(changed, 2)] = np.tile(space.start[changed], 2)
        rows = rows[space.sizes(rows) <= _STRETCH * space.sizes(row)]
        found = trial.smallest(rows, trial.judged(rows)[0])
        if found is None:
            break
        row = rows[found]
    return row


def _traded(trial: Trial, row: Array) -> Array:
    """Trade the change of one feature for that of another, as the gradient says, as long as that pays."""
    space = trial.space
    margin = trial.judged(row[None])[0][0]
    radius = _WIDEST_TRADE
    while radius > _NARROWEST_TRADE:
        gradient = trial.goal.gradient(row) * space.unit
        features = _tradable(trial, row, gradient)
        start, unit, low, high = (of[features] for of in (space.start, space.unit, space.low, space.high))
        now = (row[features] - start) / unit
        nearest, farthest = (
            np.maximum((low - start) / unit, now - radius),
            np.minimum((high - start) / unit, now + radius),
        )
        then = _cheapest(now, nearest, farthest, gradient[features], margin - 10.0 * SURE)
        rows = np.repeat(row[None], len(_LESS), axis=0)
        rows[:, features] = np.clip(start + unit * (now + _LESS[:, None] * (then - now)), low, high)
        rows[0, features[then == 0.0]] = start[then == 0.0]  # to the bit
        margins, _ = trial.judged(rows)
        found = trial.smallest(rows, margins)
        if found is not None and space.sizes(rows[found]) < _WORTH * space.sizes(row):
            row, margin = rows[found], margins[found]
        else:
            radius *= 0.3
    return row


def _tradable(trial: Trial, row: Array, gradient: Array) -> NDArray[np.intp]:
    """Return the features that may be traded: those that changed, and the steepest others, as many as may change."""
    space = trial.space
    changed = space.changed(row)
    others = space.free[row[space.free] == space.start[space.free]]
    steepest = others[np.argsort(-np.abs(gradient[others]), kind="stable")[: max(space.most - len(changed), 0)]]
    features = np.concatenate([changed, steepest])
    return np.asarray(features[~space.whole[features]])


def _cheapest(now: Array, low: Array, high: Array, gradient: Array, spare: float) -> Array:
    """Return the changes with the smallest sum of sizes that keep the margin above 0, as if it were linear.

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
    most = steepness * np.where(gradient > 0.0, high - then, then - low)[order]
    bought_before = np.cumsum(most) - most
    bought = np.clip(missing - bought_before, 0.0, most)  # each gives all it has until enough is bought
    moved = np.divide(bought, steepness, out=np.zeros_like(bought), where=steepness > 0.0)
    then[order] += np.sign(gradient[order]) * moved
    return then


def _drawn_back(trial: Trial, row: Array) -> Array:
    """Draw features back to where they were, as far as the goal is still reached: together, but whole numbers alone."""
    space = trial.space
    changed = space.changed(row)
    whole = space.whole[changed]
    for features in [changed[~whole], *changed[whole][:, None]]:
        start, end = space.start[features], row[features]
        near, far = 0.0, 1.0 if len(features) else 0.0
        while far - near > _FINE**-3.0:
            shares = np.linspace(near, far, _FINE)
            values = np.clip(start + shares[:, None] * (end - start), space.low[features], space.high[features])
            rows = np.repeat(row[None], _FINE, axis=0)
            rows[:, features] = np.rint(values) if space.whole[features[0]] else values
            reached = trial.judged(rows)[0] > SURE
            first = int(reached.argmax())
            if not reached[first]:
                break
            row = rows[first]
            near, far = shares[max(first - 1, 0)], shares[first]
    return row


def _swapped(trial: Trial, row: Array) -> Array:
    """Swap steps of whole numbers, which cannot be traded: some back of one feature, fewer away of another."""
    space = trial.space
    while True:
        changed = space.changed(row)
        tried = []
        for i in changed[space.whole[changed]]:
            way = space.start[i] - row[i]
            for back in {*range(1, min(int(abs(way)), 4) + 1), int(abs(way))}:
                nearer = row.copy()
                nearer[i] += np.sign(way) * back
                others = space.movable(nearer)
                others = trial.steepest(nearer, others[space.whole[others] & (others != i)], _AT_ONCE)
                tried.append(space.variants(nearer, others, nearer[others, None] + _SWAPS))
        rows = np.concatenate([row[None], *tried])
        rows = rows[space.sizes(rows) < space.sizes(row) - SURE]
        found = trial.smallest(rows, trial.judged(rows)[0]) if len(rows) else None
        if found is None:
            return row
        row = rows[found]
