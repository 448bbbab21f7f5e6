"""Step units: hidden concepts that start as steps of single features.

Training finds linear effects quickly and interactions eventually. An effect that is strong in a small section of a
feature's range, such as that of a capital gain between 5,000 and 5,500, is learned late or never, because hidden
concepts start as mixtures of all features that are not steep enough. So some hidden concepts start like the splits of
gradient boosting: one feature, and an interval of its range in which it switches the concept from off to on. They are
then trained like all others.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.table import Table
from cogmap.models.encoding import UNDECIDED

Array = NDArray[np.float64]

_MAX_SHARE = 0.5  # largest fraction of the hidden concepts that start as steps
_INTERVALS = 4, 8  # minimum and maximum number of intervals per feature
_MAX_ROWS = 8192  # for finding step units
_MIN_GAIN = 10.0  # of a step over a linear effect, in units of the variance expected by chance
_STEP_HEIGHT = 4.0  # change of the argument of the logistic function across an interval
_MAX_WEIGHT = 200.0  # larger weights would lose precision in float32


@dataclass(frozen=True)
class StepUnits:
    """Hidden concepts that start as steps: for each its feature, the weight, and the midpoint of the interval."""

    concept: NDArray[np.intp]  # indices of the first hidden concepts, which follow the features
    feature: NDArray[np.intp]
    weight: Array
    middle: Array

    def with_weights(self, W: Array) -> Array:
        """Return a copy of W with the weights of the step units."""
        W = W.copy()
        W[self.concept] = 0.0
        W[self.concept, self.feature] = self.weight
        return W

    def with_biases(self, b: Array) -> Array:
        """Return a copy of b with the biases of the step units, which are undecided in the middle."""
        b = b.copy()
        b[self.concept] = UNDECIDED - self.weight * self.middle
        return b


def find_step_units(table: Table, n_hidden: int, slope: float) -> StepUnits | None:
    """Return the steps that explain most of the targets beyond linear effects, or None if no step is significant."""
    table = table.subsample(_MAX_ROWS)
    states = np.concatenate([block for _, block in table.blocks()]).astype(np.float64)
    share = table.row_weights / table.total_weight
    targets = table.targets.columns
    targets = targets - share @ targets
    max_steps = int(_MAX_SHARE * n_hidden)
    candidates = [j for j, column in enumerate(states.T) if len(np.unique(column)) > 2]
    n_intervals = int(np.clip(max_steps // max(len(candidates), 1), *_INTERVALS))
    steps = [
        (gain, j, low, high)
        for j in candidates
        for gain, low, high in _gains(states[:, j], targets, share, n_intervals)
        if gain * table.n_rows > _MIN_GAIN
    ]
    steps = sorted(steps, key=lambda step: -step[0])[:max_steps]
    if not steps:
        return None
    feature, low, high = (np.array(column) for column in ([step[i] for step in steps] for i in (1, 2, 3)))
    weight = np.minimum(_STEP_HEIGHT / slope / (high - low), _MAX_WEIGHT)
    concept = states.shape[1] + np.arange(len(steps))
    return StepUnits(concept, feature.astype(np.intp), weight, (low + high) / 2.0)


def _gains(state: Array, targets: Array, share: Array, n_intervals: int) -> list[tuple[float, float, float]]:
    """Return, for each interval, the fraction of variance that a step explains beyond a line, and its ends."""
    ends = _ends(state, n_intervals)
    steps = np.clip((state[:, None] - ends[:-1]) / np.diff(ends), 0.0, 1.0)
    steps -= share @ steps
    line = state - share @ state
    line /= max(float(np.sqrt(share @ np.square(line))), 1e-100)  # 0 if rows with other values have hardly any weight
    before = share @ np.square(steps)
    steps -= np.outer(line, (share * line) @ steps)
    residuals = targets - np.outer(line, (share * line) @ targets)
    variance = share @ np.square(steps)
    explained = np.square((share[:, None] * steps).T @ residuals).sum(axis=1) / np.maximum(variance, 1e-300)
    explained[variance < 1e-6 * before] = 0.0  # the step itself is linear
    gains = explained / max(float(share @ np.square(targets).sum(axis=1)), 1e-300)
    return list(zip(gains.tolist(), ends[:-1].tolist(), ends[1:].tolist(), strict=True))


def _ends(state: Array, n_intervals: int) -> Array:
    """Return the ends of intervals with about equal numbers of rows; a very frequent value is one of the ends."""
    values, counts = np.unique(state, return_counts=True)
    mode = counts.argmax()
    shares = np.linspace(0.0, 1.0, n_intervals + 1)
    if counts[mode] * n_intervals <= len(state):
        return np.unique(np.quantile(state, shares))
    return np.unique([values[mode], *np.quantile(state[state != values[mode]], shares)])
