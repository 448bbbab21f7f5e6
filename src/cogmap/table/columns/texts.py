"""Cells as text: gaps, distinct values, booleans.

Columns parse their distinct texts, which are few, and not their rows.
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

# What stands for a gap. "None" is not among them: it often is a category, as in "garage: None".
MISSING = frozenset(
    ["", "?", "-", "--", ".", "NA", "N/A", "n/a", "NaN", "nan", "-NaN", "-nan", "NULL", "null", "<NA>", "#N/A", "#NA"]
)

# No and yes, as pairs: a column is one of booleans if it has both words of a pair, and no others.
BOOLEANS = (("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"), ("off", "on"))

# All words that a column of booleans reads; 0 and 1 alone are numbers.
TRUTH = {word: float(yes) for pair in (*BOOLEANS, ("0", "1"), ("0.0", "1.0")) for yes, word in enumerate(pair)}


def distinct(values: Any) -> tuple[NDArray[np.intp], list[str | None]]:
    """Return for a pandas Series a code per row, and the texts of the codes; the last one, for gaps, is None."""
    if values.dtype == object and pandas.api.types.infer_dtype(values, skipna=True) != "string":
        # As objects, 1 and True are the same to pandas, and lists have no code.
        values = values.map(spelled, na_action="ignore")
    codes, found = pandas.factorize(values)
    texts = [spelled(value) for value in found]
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
    """Return a cell as text; whole numbers without a point, since a gap elsewhere turns 1 into 1.0."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


def boolean(text: str) -> float | None:
    """Return 1 or 0 for a word that means yes or no, the texts "1", "0", "1.0" and "0.0" included."""
    return TRUTH.get(text.casefold())


def boolean_words(texts: Iterable[str]) -> tuple[str, str] | None:
    """Return the texts for no and yes, as they are written, if there are just two and they mean that."""
    found = {text.casefold(): text for text in texts}
    for no, yes in BOOLEANS:
        if set(found) == {no, yes}:
            return found[no], found[yes]
    return None
