"""Feature screening: select the columns that are related to the targets.

The weights of irrelevant columns fit noise, and hundreds of such columns together outweigh a few relevant ones. So
before a structured map is trained, each column is tested for association with the targets: by itself, by its square
(both ends against the middle), and by its product with a column already selected (interactions). Under the null
hypothesis that a column is noise, the sums over the rows are normal. The procedure of Benjamini and Hochberg keeps the
false discovery rate at 2 %. The cost is linear in the number of columns.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from scipy.stats import chi2

from cogmap._learning.table import Table

Array = NDArray[np.floating]

_FALSE_DISCOVERY_RATE = 0.02
_MAX_PARTNERS = 30  # strongest selected columns, with which others are paired in one round
_MAX_CONTRASTS = 600  # total over all partners; with many classes, fewer partners are used
_ROUNDS = 3
_MAX_ROWS = 20_000
_BLOCK_VALUES = 2**24


def relevant(table: Table) -> NDArray[np.intp]:
    """Return the columns related to the targets, in ascending order.

    Parameters
    ----------
    table : Table
        Rows as states; a sparse table holds states minus 0.5.
    """
    table = table.subsample(_MAX_ROWS)
    X = table.X if table.rows is None else table.X[table.rows]
    contrasts = _contrasts(table)
    if issparse(X):
        return _select(_of_sparse(X, contrasts))
    alone = _Evidence(X.shape[1])
    for columns, Z in _standardized_blocks(X):
        alone.add(columns, Z, contrasts, 2)
        squares = np.square(Z) - 1.0
        spread = squares.std(axis=0)
        squares /= np.where(spread > 0.0, spread, 1.0)
        alone.add(columns, squares, contrasts, 2)
    selected = _select(alone.strength)
    best, tried = alone.strength, np.zeros(0, dtype=np.intp)
    n_partners = min(_MAX_PARTNERS, max(_MAX_CONTRASTS // contrasts.shape[1], 1))
    for _ in range(_ROUNDS):
        new = np.setdiff1d(selected, tried)
        partners = new[np.argsort(-best[new], kind="stable")[:n_partners]]
        if len(partners) == 0 or 2 * len(selected) > X.shape[1]:
            break
        tried = np.union1d(tried, partners)
        paired = _Evidence(X.shape[1])
        for columns, Z in _standardized_blocks(X):
            for partner in _standardize(X, partners).T:
                paired.add(columns, Z, _whitened(partner[:, None] * contrasts), 2 + len(tried))
        best = np.maximum(best, paired.strength)
        selected = _select(best)
    return selected


class _Evidence:
    """Strongest evidence against noise for each column: minus the logarithm of a p-value."""

    def __init__(self, n_columns: int) -> None:
        self.strength = np.zeros(n_columns)

    def add(self, columns: slice, Z: Array, contrasts: Array, n_looks: int) -> None:
        """Test standardized columns against contrasts, corrected for `n_looks` tests of each column."""
        strength = _strength(Z.T @ contrasts, np.abs(Z).max(axis=0), contrasts) - np.log(n_looks)
        self.strength[columns] = np.maximum(self.strength[columns], strength)


def _strength(sums: Array, largest: Array, contrasts: Array) -> Array:
    """Return minus the logarithm of the p-values of sums over the rows."""
    # A single row must not make a column relevant, so its largest possible contribution is subtracted.
    of_one_row = largest[:, None] * np.abs(contrasts).max(axis=0)
    reduced = np.maximum(np.abs(sums) - of_one_row, 0.0).astype(np.float64)
    return np.asarray(-chi2.logsf(np.square(reduced).sum(axis=1), contrasts.shape[1]))


def _of_sparse(X: Any, contrasts: Array) -> Array:
    """Return the evidence of single sparse columns; interactions are skipped, as few columns share stored rows."""
    n_rows, n_columns = X.shape
    entries = X.tocoo()
    mean = np.bincount(entries.col, entries.data, minlength=n_columns) / n_rows
    square = np.bincount(entries.col, np.square(entries.data), minlength=n_columns) / n_rows
    largest = np.zeros(n_columns)
    np.maximum.at(largest, entries.col, np.abs(entries.data - mean[entries.col]))
    spread = np.sqrt(np.maximum(square - np.square(mean), 0.0))
    spread[spread < 1e-9] = np.inf
    # Contrasts sum to 0, so subtracting the mean of a column would not change the sums.
    return _strength((X.T @ contrasts) / spread[:, None], largest / spread, contrasts)


def _contrasts(table: Table) -> Array:
    """Return the centred and whitened targets, such that their sums with standardized noise have variance 1."""
    targets, weight = table.targets.columns, table.row_weights
    weight = weight / weight.max()
    centred = targets - np.average(targets, axis=0, weights=weight)
    return _whitened(weight[:, None] * centred)


def _whitened(contrasts: Array) -> Array:
    """Return orthonormal linear combinations of columns."""
    values, vectors = np.linalg.eigh(contrasts.T.astype(np.float64) @ contrasts)
    nonzero = values > 1e-9 * max(values.max(), 1e-300)
    return np.asarray(contrasts @ (vectors[:, nonzero] / np.sqrt(values[nonzero])), dtype=np.float32)


def _standardized_blocks(X: Array) -> Iterator[tuple[slice, Array]]:
    """Yield blocks of standardized columns."""
    at_once = max(_BLOCK_VALUES // X.shape[0], 1)
    for first in range(0, X.shape[1], at_once):
        columns = slice(first, min(first + at_once, X.shape[1]))
        yield columns, _standardize(X, columns)


def _standardize(X: Array, columns: slice | NDArray[np.intp]) -> Array:
    """Return columns with mean 0 and variance 1; constant columns become 0."""
    Z = np.asarray(X[:, columns], dtype=np.float32)
    Z = Z - Z.mean(axis=0, dtype=np.float64)
    spread = Z.std(axis=0, dtype=np.float64)
    return np.asarray(Z / np.where(spread > 1e-6, spread, np.inf), dtype=np.float32)


def _select(strength: Array) -> NDArray[np.intp]:
    """Return the columns that the procedure of Benjamini and Hochberg selects."""
    order = np.argsort(-strength, kind="stable")
    threshold = np.log(len(order) / _FALSE_DISCOVERY_RATE) - np.log(np.arange(1, len(order) + 1))
    significant = np.flatnonzero(strength[order] >= threshold)
    return np.sort(order[: significant[-1] + 1]) if len(significant) else order[:0]
