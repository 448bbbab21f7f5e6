"""The search for the smallest change of a row that reaches a goal.

A walk takes one step of one feature at a time, that which gains most for its size. Leaps take those changes of a
feature that gain most, whatever their size: they find what a walk does not get to. What was found is then made smaller.
Every row that counts was shown to the map: no result rests on an approximation.
"""

from dataclasses import replace

import numpy as np

from cogmap.explanation._goals import Array
from cogmap.explanation._improving import improve
from cogmap.explanation._trial import OutOfBudget, Trial

_AT_ONCE = 40  # features that are tried at a time, the most promising ones
_STEPS = 40  # of a walk
_LENGTHS = 0.5 * np.array([-4.0, -1.0, 1.0, 4.0])  # of a step, in units; they grow with every ten steps
_PARTS = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])  # of the way to a bound: leaps
_LEAPS = 5
_BEAM = 4  # leaps that are followed further


def search(trial: Trial) -> Array | None:
    """Return the row with the smallest change that is found within the budget, or None."""
    try:
        _walk(trial)
        _leap(trial)
        if trial.space.most < len(trial.space.free):
            _walk_among(trial)
    except OutOfBudget:
        pass
    return trial.best


def _walk(trial: Trial) -> None:
    """Take one step of one feature at a time, that which gains most for its size, until the goal is reached."""
    space = trial.space
    row, come = space.start, trial.judged(space.start[None])[1][0]
    for t in range(_STEPS):
        features = trial.steepest(row, space.movable(row), _AT_ONCE)
        steps = _LENGTHS * 2.0 ** (t // 10) * space.unit[features, None]
        rows = space.variants(row, features, row[features, None] + steps)
        if not len(rows):
            return
        margins, progress = trial.judged(rows)
        found = trial.smallest(rows, margins)
        if found is not None:
            improve(trial, rows[found])
            return
        # A step back makes the change smaller; what it gains is for nothing.
        gain = (progress - come) / np.maximum(space.sizes(rows) - space.sizes(row), 1e-3)
        best = int(gain.argmax())
        if gain[best] <= 0.0:
            return
        row, come = rows[best], progress[best]


def _walk_among(trial: Trial) -> None:
    """Walk with those features alone that change most where all may change: the first steps may be wrong ones."""
    space = trial.space
    anywhere = Trial(trial.goal, replace(space, most=len(space.start)), trial.n_tried)
    _walk(anywhere)
    trial.n_tried = anywhere.n_tried
    if anywhere.best is not None:
        sizes = space.sizes_of_features(anywhere.best)
        trial.space = space.only(np.argsort(-sizes, kind="stable")[: space.most])
        _walk(trial)


def _leap(trial: Trial) -> None:
    """Take the changes of one feature that gain most, whatever their size, and follow some of them further."""
    space = trial.space
    beam = space.start[None]
    for _ in range(min(space.most, _LEAPS)):
        tried = []
        for row in beam:
            features = trial.steepest(row, space.movable(row), _AT_ONCE)
            here = row[features, None]
            ways = [_PARTS * (end[features, None] - here) for end in (space.low, space.high)]
            tried.append(space.variants(row, features, here + np.concatenate(ways, axis=1)))
        rows = np.concatenate(tried)
        if not len(rows):
            return
        margins, progress = trial.judged(rows)
        found = trial.smallest(rows, margins)
        if found is not None and (trial.best is None or space.sizes(rows[found]) < 1.5 * space.sizes(trial.best)):
            improve(trial, rows[found])
        if trial.best is not None:  # more leaps are for what is not reached otherwise
            return
        beam = rows[np.argsort(-progress, kind="stable")[:_BEAM]]
