"""StepUnits: hidden concepts that start as steps of single features.

Learning finds straight effects at once, and what features do together in time. An effect that is strong in a small part
of a feature's range, such as that of a capital gain between 5,000 and 5,500, it finds late or never: hidden concepts
start as mixtures of all features, and none is steep enough. So some of them start as what a gradient boosting machine
would cut: one feature, and a part of its range in which it takes the concept from off to on. They learn on from there,
as all do.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.table import Table
from cogmap.models.encoding import UNDECIDED

Array = NDArray[np.float64]

_SHARE = 0.5  # of the hidden concepts, at the most
_PARTS = 4, 8  # of the range of a feature, at least and at the most
_ENOUGH_ROWS = 8192
_CLEAR = 10.0  # what a bend explains beyond a straight line, in variances of chance
_ACROSS = 4.0  # how far what enters the logistic function goes from one end of a part to the other
_STEEPEST = 200.0  # weight; larger ones would cost digits in float32


@dataclass(frozen=True)
class StepUnits:
    """What some hidden concepts start as: of each the feature, its weight, and the state of it in the middle."""

    concept: NDArray[np.intp]  # the number of the hidden concept: the first ones, which follow the features
    feature: NDArray[np.intp]
    weight: Array
    middle: Array

    def drawn(self, W: Array) -> Array:
        """Return weights with those of the bends."""
        W = W.copy()
        W[self.concept] = 0.0
        W[self.concept, self.feature] = self.weight
        return W

    def undecided(self, b: Array) -> Array:
        """Return a bias with that of the bends."""
        b = b.copy()
        b[self.concept] = UNDECIDED - self.weight * self.middle
        return b


def find_step_units(table: Table, n_hidden: int, slope: float) -> StepUnits | None:
    """Return the bends of features that tell most about the targets, beyond what straight lines through them tell.

    None: nothing bends, as far as rows enough can tell.
    """
    table = table.spread(_ENOUGH_ROWS)
    states = np.concatenate([block for _, block in table.blocks()]).astype(np.float64)
    share = table.row_weights / table.total_weight
    targets = table.targets.columns
    targets = targets - share @ targets
    most = int(_SHARE * n_hidden)
    bending = [j for j, column in enumerate(states.T) if len(np.unique(column)) > 2]
    n_parts = int(np.clip(most // max(len(bending), 1), *_PARTS))
    found = [
        (gain, j, low, high)
        for j in bending
        for gain, low, high in _gains(states[:, j], targets, share, n_parts)
        if gain * table.n_rows > _CLEAR
    ]
    found = sorted(found, key=lambda bend: -bend[0])[:most]
    if not found:
        return None
    feature, low, high = (np.array(column) for column in ([bend[i] for bend in found] for i in (1, 2, 3)))
    weight = np.minimum(_ACROSS / slope / (high - low), _STEEPEST)
    concept = states.shape[1] + np.arange(len(found))
    return StepUnits(concept, feature.astype(np.intp), weight, (low + high) / 2.0)


def _gains(state: Array, targets: Array, share: Array, n_parts: int) -> list[tuple[float, float, float]]:
    """Return for each part of a range which share of the targets a step there explains that a line does not."""
    ends = _ends(state, n_parts)
    steps = np.clip((state[:, None] - ends[:-1]) / np.diff(ends), 0.0, 1.0)
    steps -= share @ steps
    line = state - share @ state
    line /= max(float(np.sqrt(share @ np.square(line))), 1e-100)  # rows that weigh anything may all have one value
    before = share @ np.square(steps)
    steps -= np.outer(line, (share * line) @ steps)
    left = targets - np.outer(line, (share * line) @ targets)
    variance = share @ np.square(steps)
    explained = np.square((share[:, None] * steps).T @ left).sum(axis=1) / np.maximum(variance, 1e-300)
    explained[variance < 1e-6 * before] = 0.0  # straight itself
    gains = explained / max(float(share @ np.square(targets).sum(axis=1)), 1e-300)
    return list(zip(gains.tolist(), ends[:-1].tolist(), ends[1:].tolist(), strict=True))


def _ends(state: Array, n_parts: int) -> Array:
    """Return where parts of a range end, which have about as many rows each; a value that fills one counts once."""
    values, counts = np.unique(state, return_counts=True)
    most = counts.argmax()
    shares = np.linspace(0.0, 1.0, n_parts + 1)
    if counts[most] * n_parts <= len(state):
        return np.unique(np.quantile(state, shares))
    return np.unique([values[most], *np.quantile(state[state != values[most]], shares)])
