"""Which of many columns say something about the targets; the others would drown them.

A column that has nothing to do with the targets gives each of its arrows a little of the noise in the rows, and
hundreds of them together more than a few columns that matter. So columns are tested before a wide map is learned:
whether the targets follow the column, or its square (both ends against the middle), or its product with a column that
was found (two that act together). Each is a test of the hypothesis that the column is noise, in which sums over the
rows are normal. Columns are kept so that about one in fifty of those kept is there by chance (the procedure of
Benjamini and Hochberg). The work grows linearly with the columns.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.stats import chi2

from cogmap._learning.table import Table

Array = NDArray[np.floating]

_BY_CHANCE = 0.02  # share of the columns kept
_PARTNERS = 30  # columns found, the strongest, with which others are paired in one round
_CONTRASTS = 600  # of all partners together: with many classes there are fewer partners
_ROUNDS = 3
_ENOUGH_ROWS = 20_000
_AT_ONCE = 2**24  # values


def relevant(table: Table) -> NDArray[np.intp]:
    """Return the columns that say something about the targets, in their order.

    Parameters
    ----------
    table : Table
        Its features are states; a sparse table holds states minus 0.5.
    """
    table = table.spread(_ENOUGH_ROWS)
    X = table.X if table.rows is None else table.X[table.rows]
    contrasts = _contrasts(table)
    if issparse(X):
        return _kept(_of_sparse(X, contrasts))
    alone = _Evidence(X.shape[1])
    for columns, Z in _standardised(X):
        alone.add(columns, Z, contrasts, 2)
        squares = np.square(Z) - 1.0
        spread = squares.std(axis=0)
        squares /= np.where(spread > 0.0, spread, 1.0)
        alone.add(columns, squares, contrasts, 2)
    found = _kept(alone.strength)
    best, tried = alone.strength, np.zeros(0, dtype=np.intp)
    n_partners = min(_PARTNERS, max(_CONTRASTS // contrasts.shape[1], 1))
    for _ in range(_ROUNDS):
        new = np.setdiff1d(found, tried)
        partners = new[np.argsort(-best[new], kind="stable")[:n_partners]]
        if len(partners) == 0 or 2 * len(found) > X.shape[1]:
            break
        tried = np.union1d(tried, partners)
        paired = _Evidence(X.shape[1])
        for columns, Z in _standardised(X):
            for partner in _column(X, partners).T:
                paired.add(columns, Z, _whitened(partner[:, None] * contrasts), 2 + len(tried))
        best = np.maximum(best, paired.strength)
        found = _kept(best)
    return found


class _Evidence:
    """Of each column the strongest evidence that it is no noise: minus the logarithm of a probability."""

    def __init__(self, n_columns: int) -> None:
        self.strength = np.zeros(n_columns)

    def add(self, columns: slice, Z: Array, contrasts: Array, n_looks: int) -> None:
        """Test standardised columns against contrasts, one of so many looks at each of them."""
        strength = _strength(Z.T @ contrasts, np.abs(Z).max(axis=0), contrasts) - np.log(n_looks)
        self.strength[columns] = np.maximum(self.strength[columns], strength)


def _strength(sums: Array, largest: Array, contrasts: Array) -> Array:
    """Return minus the logarithm of how probable such sums over the rows, or larger ones, are for noise."""
    # A single row must not make a column relevant: the most that one can add is taken off.
    of_one_row = largest[:, None] * np.abs(contrasts).max(axis=0)
    left = np.maximum(np.abs(sums) - of_one_row, 0.0).astype(np.float64)
    return np.asarray(-chi2.logsf(np.square(left).sum(axis=1), contrasts.shape[1]))


def _of_sparse(X: Any, contrasts: Array) -> Array:
    """Return the evidence of sparse columns by themselves: hardly two of them are filled in the same rows."""
    n_rows, n_columns = X.shape
    places = X.tocoo()
    mean = np.bincount(places.col, places.data, minlength=n_columns) / n_rows
    square = np.bincount(places.col, np.square(places.data), minlength=n_columns) / n_rows
    largest = np.zeros(n_columns)
    np.maximum.at(largest, places.col, np.abs(places.data - mean[places.col]))
    spread = np.sqrt(np.maximum(square - np.square(mean), 0.0))
    spread[spread < 1e-9] = np.inf
    # Contrasts sum to 0, so it is the same whether the mean of a column is taken off.
    return _strength((X.T @ contrasts) / spread[:, None], largest / spread, contrasts)


def _contrasts(table: Table) -> Array:
    """Return what is summed over the rows: targets without their mean, such that sums of noise have variance 1."""
    targets, weight = table.targets.columns, table.row_weights
    weight = weight / weight.max()
    centred = targets - np.average(targets, axis=0, weights=weight)
    return _whitened(weight[:, None] * centred)


def _whitened(contrasts: Array) -> Array:
    """Return linear combinations of columns that are orthogonal and of length 1."""
    values, vectors = np.linalg.eigh(contrasts.T.astype(np.float64) @ contrasts)
    some = values > 1e-9 * max(values.max(), 1e-300)
    return np.asarray(contrasts @ (vectors[:, some] / np.sqrt(values[some])), dtype=np.float32)


def _standardised(X: Array) -> Iterator[tuple[slice, Array]]:
    """Return columns with mean 0 and variance 1, some at a time; what is constant becomes 0."""
    at_once = max(_AT_ONCE // X.shape[0], 1)
    for first in range(0, X.shape[1], at_once):
        columns = slice(first, min(first + at_once, X.shape[1]))
        yield columns, _column(X, columns)


def _column(X: Array, columns: slice | NDArray[np.intp]) -> Array:
    Z = np.asarray(X[:, columns], dtype=np.float32)
    Z = Z - Z.mean(axis=0, dtype=np.float64)
    spread = Z.std(axis=0, dtype=np.float64)
    return np.asarray(Z / np.where(spread > 1e-6, spread, np.inf), dtype=np.float32)


def _kept(strength: Array) -> NDArray[np.intp]:
    """Return the columns to keep, so that a small share of them is there by chance."""
    order = np.argsort(-strength, kind="stable")
    needed = np.log(len(order) / _BY_CHANCE) - np.log(np.arange(1, len(order) + 1))
    enough = np.flatnonzero(strength[order] >= needed)
    return np.sort(order[: enough[-1] + 1]) if len(enough) else order[:0]
