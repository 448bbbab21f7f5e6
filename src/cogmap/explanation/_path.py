"""Integrated gradients: the derivative of what a map says, integrated along the line between two first states.

A derivative says how an output follows a state here. Its integral along the line from a baseline to a row says how much
of the difference between the two is due to each state: such shares add up to the difference. What enters the first step
is linear in the first states. So at any place of the line it is a mean of what enters at the ends, and the weights of
the first step can wait until the derivatives at all places are summed; only the rest of the map is run at each place.

The places are those of Gauss and Legendre. Whether they are enough can be seen: on every part of the line the shares
have to add up to the difference between its ends. A part on which they do not is halved.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.threads import one_blas_thread
from cogmap.explanation._reading import Reading, product
from cogmap.models.features import Array

EXACT = 1e-11  # how well shares add up, unless less is asked for
_N_PLACES, _N_ROUGH = 20, 6  # on the whole line; the second for what need not be exact
_ROUGH = 1e-5
_ROUNDING = 64.0 * float(np.finfo(np.float64).eps)
_HALVINGS = 40  # a part that was halved more often is as good as a point
_MOST_PARTS = 64  # of a line at a time; where so many do not add up, steps are so steep that rounding is in the way


@cache
def places(n_places: int = _N_PLACES) -> tuple[Array, Array]:
    """Return places on the line from 0 to 1, and how much each counts."""
    at, weight = np.polynomial.legendre.leggauss(n_places)
    return (at + 1.0) / 2.0, weight / 2.0


@dataclass(frozen=True)
class Parts:
    """Parts of lines: of which line each is, where it begins, and how wide it is."""

    line: NDArray[np.intp]
    low: Array
    width: Array

    def halves(self) -> "Parts":
        """Return both halves of every part, the first halves first."""
        half = self.width / 2.0
        low = np.concatenate([self.low, self.low + half])
        return Parts(np.tile(self.line, 2), low, np.tile(half, 2))

    def where(self, chosen: NDArray[np.bool_]) -> "Parts":
        """Return some of the parts."""
        return Parts(self.line[chosen], self.low[chosen], self.width[chosen])


def shares(reading: Reading, start: Array, end: Array, close: float = EXACT) -> Array:
    """Return what each first state contributes to the difference between two rows of first states.

    Parameters
    ----------
    reading : Reading
        What is explained.
    start, end : ndarray of shape (n_lines, n_concepts)
        First states at both ends of each line.
    close : float, default=EXACT
        How well they have to add up.

    Returns
    -------
    ndarray of shape (n_lines, n_columns, n_concepts)
        For each column they add up to the difference between the ends.
    """
    if reading.mirrored:
        of_second = shares(replace(reading, first_column=1), start, end, close)
        return np.concatenate([-of_second, of_second], axis=1)
    result = np.empty((len(start), reading.n_columns, start.shape[1]))
    with one_blas_thread():
        for rows in reading.blocks(start):
            pull = np.zeros((len(start[rows]), reading.n_columns, reading.entries[0].shape[0]))
            for parts, mean_pull in integrals(reading, start[rows], end[rows], close):
                np.add.at(pull, parts.line, parts.width[:, None, None] * mean_pull)
            result[rows] = product(pull, reading.entries[0]) * (end[rows] - start[rows])[:, None, :]
    return result


def integrals(reading: Reading, start: Array, end: Array, close: float = EXACT) -> Iterator[tuple[Parts, Array]]:
    """Cut lines into parts on which few places are enough, and give the mean pull of the first step on each.

    Parameters
    ----------
    reading : Reading
        What is explained.
    start, end : ndarray of shape (n_lines, n_concepts)
        First states at both ends of each line.
    close : float, default=EXACT
        How well shares have to add up.

    Yields
    ------
    parts : Parts
        All parts of all lines together are the lines.
    mean_pull : ndarray of shape (n_parts, n_columns, n_entered)
        Mean derivative with respect to what enters the first step.
    """
    origin = reading.net(start)
    change = reading.net(end) - origin
    parts = Parts(np.arange(len(start)), np.zeros(len(start)), np.ones(len(start)))
    rule = places(_N_ROUGH if close >= _ROUGH else _N_PLACES)
    before, after = reading.value(origin), reading.value(origin + change)
    for halvings in range(_HALVINGS + 1):
        mean_pull = _mean_pull(reading, origin[parts.line], change[parts.line], parts, rule)
        added_up = parts.width[:, None] * np.einsum("ijk,ik->ij", mean_pull, change[parts.line])
        allowed = close * reading.unit + _ROUNDING * np.maximum(np.abs(before), np.abs(after))
        good = (np.abs(added_up - (after - before)) <= allowed).all(axis=1)
        if halvings == _HALVINGS or len(parts.line) > _MOST_PARTS * len(start):
            good[:] = True
        if good.any():
            yield parts.where(good), mean_pull[good]
        if good.all():
            return
        parts, before, after = parts.where(~good), before[~good], after[~good]
        middle = parts.low + 0.5 * parts.width
        between = reading.value(origin[parts.line] + middle[:, None] * change[parts.line])
        parts = parts.halves()
        before, after = np.concatenate([before, between]), np.concatenate([between, after])


def _mean_pull(reading: Reading, origin: Array, change: Array, parts: Parts, rule: tuple[Array, Array]) -> Array:
    """Return the mean pull of the first step on each part."""
    total = np.zeros((len(origin), reading.n_columns, origin.shape[1]))
    for place, share in zip(*rule, strict=True):
        where = parts.low + place * parts.width
        pull = reading.pulls(origin + where[:, None] * change)[0]
        pull *= share
        total += pull
    return total
