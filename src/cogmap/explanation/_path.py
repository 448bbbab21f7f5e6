"""Integrated gradients of the outputs of a map along straight lines between initial states.

The gradient of an output, integrated along the line from a baseline to a row, attributes the difference between the two
outputs to the initial states: the attributions add up to the difference. The net input of the first step is linear in
the initial states, so at any point of the line it is a weighted mean of the net inputs at the ends. The weights of the
first step are therefore applied once, to the summed gradients; only the later steps run at every quadrature node.

The quadrature is Gauss-Legendre and adaptive: on every subinterval the attributions have to add up to the difference
between its ends, and a subinterval on which they do not is halved.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.threads import one_blas_thread
from cogmap.explanation._reading import Reading, product
from cogmap.models.features import Array

EXACT = 1e-11  # default tolerance of the sum of attributions
_N_NODES, _N_COARSE_NODES = 20, 6  # quadrature nodes per subinterval; the second for coarse tolerances
_COARSE = 1e-5  # tolerance from which the coarse rule is used
_ROUNDING = 64.0 * float(np.finfo(np.float64).eps)
_MAX_HALVINGS = 40  # after these a subinterval is as good as a point
_MAX_SUBINTERVALS = 64  # open ones per line; with more, the map is so steep that rounding errors dominate


@cache
def quadrature_rule(n_nodes: int = _N_NODES) -> tuple[Array, Array]:
    """Return the Gauss-Legendre nodes on [0, 1] and their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    return (nodes + 1.0) / 2.0, weights / 2.0


@dataclass(frozen=True)
class Subintervals:
    """Subintervals of lines: the line of each, its lower end and its width."""

    line: NDArray[np.intp]
    low: Array
    width: Array

    def halves(self) -> "Subintervals":
        """Return both halves of every subinterval, all lower halves first."""
        half = self.width / 2.0
        low = np.concatenate([self.low, self.low + half])
        return Subintervals(np.tile(self.line, 2), low, np.tile(half, 2))

    def where(self, mask: NDArray[np.bool_]) -> "Subintervals":
        """Return the subintervals selected by a mask."""
        return Subintervals(self.line[mask], self.low[mask], self.width[mask])


def integrated_gradients(reading: Reading, start: Array, end: Array, tol: float = EXACT) -> Array:
    """Attribute the difference between the outputs at both ends of each line to the initial states.

    Parameters
    ----------
    reading : Reading
        Model and output scale to explain.
    start, end : ndarray of shape (n_lines, n_concepts)
        Initial states at both ends of each line.
    tol : float, default=EXACT
        Largest error of the sum of attributions, in units of the output.

    Returns
    -------
    ndarray of shape (n_lines, n_columns, n_concepts)
        Attributions. For each output they add up to the difference between the ends.
    """
    if reading.mirrored:
        second = integrated_gradients(replace(reading, first_column=1), start, end, tol)
        return np.concatenate([-second, second], axis=1)
    result = np.empty((len(start), reading.n_columns, start.shape[1]))
    with one_blas_thread():
        for rows in reading.blocks(start):
            gradient = np.zeros((len(start[rows]), reading.n_columns, reading.step_weights[0].shape[0]))
            for intervals, mean_gradient in adaptive_quadrature(reading, start[rows], end[rows], tol):
                np.add.at(gradient, intervals.line, intervals.width[:, None, None] * mean_gradient)
            result[rows] = product(gradient, reading.step_weights[0]) * (end[rows] - start[rows])[:, None, :]
    return result


def adaptive_quadrature(
    reading: Reading, start: Array, end: Array, tol: float = EXACT
) -> Iterator[tuple[Subintervals, Array]]:
    """Divide lines into subintervals on which the quadrature is accurate, with the mean gradient on each.

    Parameters
    ----------
    reading : Reading
        Model and output scale to explain.
    start, end : ndarray of shape (n_lines, n_concepts)
        Initial states at both ends of each line.
    tol : float, default=EXACT
        Largest error of the sum of attributions, in units of the output.

    Yields
    ------
    intervals : Subintervals
        Some of the subintervals; all that are yielded together cover the lines.
    mean_gradient : ndarray of shape (n_intervals, n_columns, n_inputs)
        Mean derivative of the outputs with respect to the net input of the first step.
    """
    origin = reading.net(start)
    change = reading.net(end) - origin
    intervals = Subintervals(np.arange(len(start)), np.zeros(len(start)), np.ones(len(start)))
    rule = quadrature_rule(_N_COARSE_NODES if tol >= _COARSE else _N_NODES)
    before, after = reading.value(origin), reading.value(origin + change)
    for halvings in range(_MAX_HALVINGS + 1):
        mean_gradient = _mean_gradient(reading, origin[intervals.line], change[intervals.line], intervals, rule)
        total = intervals.width[:, None] * np.einsum("ijk,ik->ij", mean_gradient, change[intervals.line])
        max_error = tol * reading.unit + _ROUNDING * np.maximum(np.abs(before), np.abs(after))
        accurate = (np.abs(total - (after - before)) <= max_error).all(axis=1)
        if halvings == _MAX_HALVINGS or len(intervals.line) > _MAX_SUBINTERVALS * len(start):
            accurate[:] = True
        if accurate.any():
            yield intervals.where(accurate), mean_gradient[accurate]
        if accurate.all():
            return
        intervals, before, after = intervals.where(~accurate), before[~accurate], after[~accurate]
        middle = intervals.low + 0.5 * intervals.width
        between = reading.value(origin[intervals.line] + middle[:, None] * change[intervals.line])
        intervals = intervals.halves()
        before, after = np.concatenate([before, between]), np.concatenate([between, after])


def _mean_gradient(
    reading: Reading, origin: Array, change: Array, intervals: Subintervals, rule: tuple[Array, Array]
) -> Array:
    """Return the mean gradient with respect to the net input of the first step on each subinterval."""
    total = np.zeros((len(origin), reading.n_columns, origin.shape[1]))
    for node, weight in zip(*rule, strict=True):
        position = intervals.low + node * intervals.width
        gradient = reading.net_gradients(origin + position[:, None] * change)[0]
        gradient *= weight
        total += gradient
    return total
