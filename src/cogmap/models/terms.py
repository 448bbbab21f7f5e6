"""Linguistic terms: encode a number as a few states, the membership degrees of its terms.

Membership functions are piecewise linear. "Petal width is low" has degree 1 up to a value near the lowest, degree 0
where the next term has degree 1, and is linear in between. The degrees of the two neighbouring terms thus sum to 1.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import check_integer, param_error, suggestion

Array = NDArray[np.floating]

WORDS = {
    2: ("low", "high"),
    3: ("low", "medium", "high"),
    4: ("very low", "low", "high", "very high"),
    5: ("very low", "low", "medium", "high", "very high"),
    6: ("very low", "low", "rather low", "rather high", "high", "very high"),
    7: ("very low", "low", "rather low", "medium", "rather high", "high", "very high"),
}

CHOICES = (3, 6)  # numbers of terms that terms="auto" tries, besides no terms

# Quantiles at which the first and the last term have degree 1; the other terms are evenly spaced between them.
_ENDS = (0.05, 0.95)


@dataclass(frozen=True, eq=False)
class Terms:
    """Linguistic terms of the columns of a table.

    Attributes
    ----------
    values : tuple of ndarray or None
        For each column the values at which its terms have degree 1, in ascending order; None for numeric columns.
    words : tuple of tuple of str
        Names of the terms of each column; empty for numeric columns.
    """

    values: tuple[NDArray[np.float64] | None, ...]
    words: tuple[tuple[str, ...], ...]

    @property
    def columns(self) -> NDArray[np.intp]:
        """Column of each input concept."""
        return np.repeat(np.arange(len(self.words)), [max(len(words), 1) for words in self.words])

    def names(self, columns: Sequence[str]) -> list[str]:
        """Return the names of the input concepts, given the names of the columns."""
        return [
            f"{column} is {word}" if word else column
            for column, words in zip(columns, self.words, strict=True)
            for word in words or ("",)
        ]

    def states(self, X: Array, numbers: Array) -> Array:
        """Return the states of the input concepts, given the columns and their numeric states."""
        return self._filled(X, numbers, self._degrees)

    def derivative(self, X: Array, of_numbers: Array) -> Array:
        """Return the derivative of each state with respect to its column, given those of the numeric states."""
        return self._filled(X, of_numbers, self._degrees_derivative)

    def _filled(self, X: Array, numbers: Array, of_words: Any) -> Array:
        result = np.empty((len(X), len(self.columns)), dtype=numbers.dtype)
        place = 0
        for j, values in enumerate(self.values):
            if values is None:
                result[:, place] = numbers[:, j]
                place += 1
            else:
                result[:, place : place + len(values)] = of_words(X[:, j].astype(np.float64), values)
                place += len(values)
        return result

    @staticmethod
    def _degrees(x: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the membership degree of each term; all are undecided where the value is missing."""
        degrees = np.stack([np.interp(x, values, peak) for peak in np.eye(len(values))], axis=1)
        degrees[np.isnan(x)] = 0.5
        return degrees

    @staticmethod
    def _degrees_derivative(x: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the derivative of each membership degree; at a kink, the right derivative."""
        result = np.zeros((len(x), len(values)))
        rows = np.flatnonzero((x >= values[0]) & (x < values[-1]))
        left = np.searchsorted(values, x[rows], side="right") - 1
        steepness = 1.0 / (values[left + 1] - values[left])
        result[rows, left], result[rows, left + 1] = -steepness, steepness
        return result


def find_terms(
    terms: int | Mapping[str, Any],
    X: Array,
    weight: NDArray[np.float64] | None,
    names: Sequence[str],
    without: Sequence[int],
    owner: str,
) -> Terms:
    """Place the terms of each column at quantiles of the training data.

    Parameters
    ----------
    terms : int, or dict of int or list of str
        Number of terms of every column; or for some columns, their number or names.
    X : ndarray of shape (n_rows, n_columns)
        Training data.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    names : sequence of str
        Names of the columns.
    without : sequence of int
        Columns that must remain numeric.
    owner : str
        Estimator named in messages.
    """
    requested = _requested(terms, names, without, owner)
    values: list[NDArray[np.float64] | None] = []
    words: list[tuple[str, ...]] = []
    for j, of_column in enumerate(requested):
        peaks = None if of_column is None else _quantiles(X[:, j], weight, len(of_column))
        if peaks is not None and len(peaks) < 2:
            peaks = None
        if of_column is not None and peaks is None and isinstance(terms, Mapping):
            warnings.warn(
                f"{owner}: {names[j]!r} has too few distinct values for terms and stays numeric.",
                UserWarning,
                stacklevel=2,
            )
        values.append(peaks)
        if of_column is None or peaks is None:
            words.append(())
        else:  # with fewer distinct values than terms, each value gets a term
            words.append(of_column if len(of_column) == len(peaks) else WORDS[len(peaks)])
    return Terms(tuple(values), tuple(words))


def _requested(
    terms: int | Mapping[str, Any], names: Sequence[str], without: Sequence[int], owner: str
) -> list[tuple[str, ...] | None]:
    """Return the names of the terms requested for each column; None for numeric columns."""
    if not isinstance(terms, Mapping):
        return [None if j in without else WORDS[terms] for j in range(len(names))]
    requested: list[tuple[str, ...] | None] = [None] * len(names)
    for name, value in terms.items():
        if name not in names:
            raise param_error(owner, "terms", "made of names of features", name, suggestion(name, names))
        place = list(names).index(name)
        if place in without:
            cure = "Terms are not monotone: remove the feature from one of the two."
            raise param_error(owner, "terms", "about other features than monotonic_cst", name, cure)
        requested[place] = WORDS[value] if isinstance(value, int) else tuple(value)
    return requested


def check_terms(owner: str, name: str, value: Any) -> None:
    """Raise if the parameter `terms` is invalid; names of features are checked in `fit`."""
    if value is None or (isinstance(value, str) and value == "auto"):
        return
    for words in value.values() if isinstance(value, Mapping) else [value]:
        if isinstance(words, list | tuple) and isinstance(value, Mapping):
            distinct = len(set(words)) == len(words) and all(isinstance(word, str) and word for word in words)
            if not distinct or not 2 <= len(words) <= max(WORDS):
                raise param_error(owner, name, f"2 to {max(WORDS)} different terms for a feature", words)
        else:
            cure = "Or None, 'auto', or a dict {feature: number or list of terms}."
            check_integer(owner, name, words, low=2, high=max(WORDS), cure=cure)


def _quantiles(x: Array, weight: NDArray[np.float64] | None, n_words: int) -> NDArray[np.float64] | None:
    """Return distinct values at quantiles of a column, or None if it has at most two distinct values.

    Quantiles are values of the data, so that repeated and weighted rows give the same result.
    """
    present = ~np.isnan(x)
    distinct, group = np.unique(x[present].astype(np.float64), return_inverse=True)
    if len(distinct) <= 2:
        return None
    cumulative = np.cumsum(np.bincount(group, None if weight is None else weight[present]))
    levels = np.linspace(*_ENDS, n_words) * cumulative[-1]
    quantiles = np.unique(distinct[np.searchsorted(cumulative, levels * (1.0 - 1e-12))])
    if len(quantiles) < min(n_words, len(distinct)):  # one value is so frequent that several quantiles coincide
        spread = np.linspace(0, len(distinct) - 1, min(n_words, len(distinct)))
        quantiles = distinct[np.unique(np.rint(spread).astype(np.intp))]
    return np.asarray(quantiles)
