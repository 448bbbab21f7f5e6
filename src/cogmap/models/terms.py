"""Words as concepts: a number becomes a few states, each the degree to which a word about it is true.

"Petal width is low" is fully true up to a value near the lowest, no longer true where the next word is fully true, and
in between as true as the value is near. So at each value two neighbouring words share the truth.
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

CHOICES = (3, 6)  # numbers of words that are tried beside none

# The first and the last word are fully true for a twentieth of the rows, the others in the middle of equal shares.
_ENDS = (0.05, 0.95)


@dataclass(frozen=True, eq=False)
class Terms:
    """Which columns are read as words.

    Attributes
    ----------
    values : tuple of ndarray or None
        For each column the values at which its words are fully true, in order; None for one that stays a number.
    words : tuple of tuple of str
        The words of each column; none for one that stays a number.
    """

    values: tuple[NDArray[np.float64] | None, ...]
    words: tuple[tuple[str, ...], ...]

    @property
    def columns(self) -> NDArray[np.intp]:
        """The column that each input concept is about."""
        return np.repeat(np.arange(len(self.words)), [max(len(words), 1) for words in self.words])

    def names(self, columns: Sequence[str]) -> list[str]:
        """Return the names of the input concepts, given those of the columns."""
        return [
            f"{column} is {word}" if word else column
            for column, words in zip(columns, self.words, strict=True)
            for word in words or ("",)
        ]

    def states(self, X: Array, numbers: Array) -> Array:
        """Return the states of the input concepts, given the columns and their states as numbers."""
        return self._filled(X, numbers, self._truths)

    def derivative(self, X: Array, of_numbers: Array) -> Array:
        """Return the derivative of each state with respect to its column, given those of the states as numbers."""
        return self._filled(X, of_numbers, self._truths_derivative)

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
    def _truths(x: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how true each word is; all are undecided where the value is missing."""
        truths = np.stack([np.interp(x, values, truth) for truth in np.eye(len(values))], axis=1)
        truths[np.isnan(x)] = 0.5
        return truths

    @staticmethod
    def _truths_derivative(x: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how fast the truth of each word follows the value; at a corner, as on its right."""
        result = np.zeros((len(x), len(values)))
        rows = np.flatnonzero((x >= values[0]) & (x < values[-1]))
        left = np.searchsorted(values, x[rows], side="right") - 1
        steepness = 1.0 / (values[left + 1] - values[left])
        result[rows, left], result[rows, left + 1] = -steepness, steepness
        return result


def find_terms(
    given: int | Mapping[str, Any],
    X: Array,
    weight: NDArray[np.float64] | None,
    names: Sequence[str],
    without: Sequence[int],
    owner: str,
) -> Terms:
    """Find where words are true: at quantiles of the training data.

    Parameters
    ----------
    given : int, or dict of int or list of str
        How many words each column gets, or for some columns how many or which.
    X : ndarray of shape (n_rows, n_columns)
        Training data.
    weight : ndarray of shape (n_rows,) or None
        Weights of the rows.
    names : sequence of str
        Names of the columns.
    without : sequence of int
        Columns that must stay numbers.
    owner : str
        Whose parameter it is, for messages.
    """
    asked = _asked(given, names, without, owner)
    values: list[NDArray[np.float64] | None] = []
    words: list[tuple[str, ...]] = []
    for j in range(len(names)):
        found = None if asked[j] is None else _quantiles(X[:, j], weight, len(asked[j] or ()))
        if found is not None and len(found) < 2:
            found = None
        if asked[j] is not None and found is None and isinstance(given, Mapping):
            warnings.warn(
                f"{owner}: {names[j]!r} has too few different values for words and stays a number.",
                UserWarning,
                stacklevel=2,
            )
        values.append(found)
        # Fewer values than words: as many words as there are values.
        said = asked[j] or ()
        words.append(() if found is None else said if len(said) == len(found) else WORDS[len(found)])
    return Terms(tuple(values), tuple(words))


def _asked(
    given: int | Mapping[str, Any], names: Sequence[str], without: Sequence[int], owner: str
) -> list[tuple[str, ...] | None]:
    """Return the words that each column should get."""
    if not isinstance(given, Mapping):
        return [None if j in without else WORDS[given] for j in range(len(names))]
    asked: list[tuple[str, ...] | None] = [None] * len(names)
    for name, said in given.items():
        if name not in names:
            raise param_error(owner, "terms", "made of names of features", name, suggestion(name, names))
        place = list(names).index(name)
        if place in without:
            cure = "A word is not monotone: leave the feature out of one of the two."
            raise param_error(owner, "terms", "about other features than monotonic_cst", name, cure)
        asked[place] = WORDS[said] if isinstance(said, int) else tuple(said)
    return asked


def check_terms(owner: str, name: str, value: Any) -> None:
    """Complain about what says no words, as far as that can be said without data."""
    if value is None or (isinstance(value, str) and value == "auto"):
        return
    for said in value.values() if isinstance(value, Mapping) else [value]:
        if isinstance(said, list | tuple) and isinstance(value, Mapping):
            distinct = len(set(said)) == len(said) and all(isinstance(word, str) and word for word in said)
            if not distinct or not 2 <= len(said) <= max(WORDS):
                raise param_error(owner, name, f"2 to {max(WORDS)} different words for a feature", said)
        else:
            cure = "Or None, 'auto', or a dict {feature: number or list of words}."
            check_integer(owner, name, said, low=2, high=max(WORDS), cure=cure)


def _quantiles(x: Array, weight: NDArray[np.float64] | None, n_words: int) -> NDArray[np.float64] | None:
    """Return different values at quantiles of a column, or None if it has one or two values, or is empty.

    A quantile is a value that occurs, so that rows repeated and rows weighted make the same.
    """
    known = ~np.isnan(x)
    different, group = np.unique(x[known].astype(np.float64), return_inverse=True)
    if len(different) <= 2:
        return None
    shares = np.cumsum(np.bincount(group, None if weight is None else weight[known]))
    wanted = np.linspace(*_ENDS, n_words) * shares[-1]
    found = np.unique(different[np.searchsorted(shares, wanted * (1.0 - 1e-12))])
    if len(found) < min(n_words, len(different)):  # a value so frequent that it is several quantiles
        spread = np.linspace(0, len(different) - 1, min(n_words, len(different)))
        found = different[np.unique(np.rint(spread).astype(np.intp))]
    return np.asarray(found)
