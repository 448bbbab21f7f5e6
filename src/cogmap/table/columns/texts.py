"""Conversion of cells to strings: missing values, distinct values, booleans.

Columns parse each distinct string once, not every row.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.optional import import_or_raise
from cogmap._utils.text import quoted
from cogmap.exceptions import DataError

pandas = import_or_raise("pandas", "cogmap.TablePreparer", "table")

# Strings that mean a missing value. "None" is not among them: it is often a category, as in "garage: None".
MISSING = frozenset(
    ["", "?", "-", "--", ".", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "<NA>", "#N/A", "#NA"]
)

# Pairs of words for false and true: a column is boolean if it has both words of a pair, and no others.
BOOLEANS = (("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"), ("off", "on"))

# All words that a boolean column accepts; a column of 0 and 1 only is numeric.
TRUTH = {word: float(yes) for pair in (*BOOLEANS, ("0", "1"), ("0.0", "1.0")) for yes, word in enumerate(pair)}


def distinct(values: Any) -> tuple[NDArray[np.intp], list[str | None]]:
    """Return a code per row of a pandas Series, and the string of each code, None if missing; code -1 is the last."""
    if values.dtype == object and pandas.api.types.infer_dtype(values, skipna=True) != "string":
        # In an object column, pandas takes 1 and True for equal, and cannot hash lists.
        values = values.map(spelled, na_action="ignore")
    codes, uniques = pandas.factorize(values)
    texts = [spelled(value) for value in uniques]
    return codes, [None if text in MISSING else text for text in texts] + [None]


def repeated(names: Sequence[str]) -> list[str]:
    """Return the names that occur more than once."""
    return [name for name, times in Counter(names).items() if times > 1]


def refuse_repeated(names: Sequence[str], table: str = "The table") -> None:
    """Raise DataError if two columns have the same name."""
    if twice := repeated(names):
        more = f" and {len(twice) - 1} more names" if len(twice) > 1 else ""
        raise DataError(f"{table} has more than one column called {quoted(twice[0])}{more}. Rename all but one.")


def spelled(value: object) -> str:
    """Convert a cell to a string; 1.0 becomes "1", since a missing value in a column turns integers into floats."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


def boolean(text: str) -> float | None:
    """Convert a word for true or false, or one of "1", "0", "1.0" and "0.0", to 1 or 0; None for other strings."""
    return TRUTH.get(text.casefold())


def boolean_words(texts: Iterable[str]) -> tuple[str, str] | None:
    """Return the strings for false and true, as spelled in the column, if these two are its only values."""
    spelling = {text.casefold(): text for text in texts}
    for no, yes in BOOLEANS:
        if set(spelling) == {no, yes}:
            return spelling[no], spelling[yes]
    return None
