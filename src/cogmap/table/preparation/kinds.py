"""Which kind a column of a table is of, or why it is left out."""

import re
from typing import Any

import numpy as np
from sklearn.preprocessing import OneHotEncoder

from cogmap._utils.text import quoted
from cogmap.table.preparation.columns import (
    PARTS,
    BooleanColumn,
    CategoryColumn,
    Column,
    DateColumn,
    NumberColumn,
    date_parts,
    plain_dates,
)
from cogmap.table.preparation.texts import boolean_words, date_style, dates, distinct, number_style, pandas

# Names of columns that number rows: "id", "customer_id", "customerId", "Unnamed: 0" (an index that pandas has written).
_IDENTIFIER = re.compile(r"(?:^|[\W_])(?:id|uuid|guid|key|index|identifier)$|^unnamed: \d+$", re.IGNORECASE)
_CAPITALS = re.compile(r"[a-z](?:Id|ID)$")


def find_column(name: str, values: Any, keep: bool, min_frequency: float, max_categories: int) -> Column | str:
    """Return the column, learned from a pandas Series, or the reason why it is left out."""
    known = values.dropna()
    if not len(known):
        return "every value is missing"
    if pandas.api.types.is_datetime64_any_dtype(values.dtype):
        return _dates(name, plain_dates(known), "ISO8601", ())
    if pandas.api.types.is_timedelta64_dtype(values.dtype):
        return _number(name, known / pandas.Timedelta(days=1), keep)
    if pandas.api.types.is_bool_dtype(values.dtype):
        return f"always {known.iloc[0]}" if known.nunique() == 1 else BooleanColumn(name, (name,))
    if pandas.api.types.is_numeric_dtype(values.dtype):
        return _number(name, known, keep)
    return _texts(name, values, keep, min_frequency, max_categories)


def _number(name: str, known: Any, keep: bool, **written: Any) -> Column | str:
    numbers = known.to_numpy(dtype=np.float64)
    if (numbers == numbers[0]).all():
        return f"always {numbers[0]:g}"
    if not keep and _is_identifier(name, numbers):
        return "an identifier: every row has another number"
    return NumberColumn(name, (name,), **written)


def _is_identifier(name: str, numbers: Any) -> bool:
    """Whether whole numbers number the rows: no two are the same, and they count up or are called so."""
    if not np.isfinite(numbers).all() or (numbers != np.rint(numbers)).any():
        return False
    counts_up = len(numbers) > 2 and bool((np.diff(numbers) == 1).all())
    called_so = bool(_IDENTIFIER.search(name) or _CAPITALS.search(name))
    return counts_up or (called_so and len(np.unique(numbers)) == len(numbers))


def _texts(name: str, values: Any, keep: bool, min_frequency: float, max_categories: int) -> Column | str:
    codes, all_texts = distinct(values)
    texts = sorted({text for text in all_texts if text is not None})
    if not texts:
        return "every value is missing"
    if len(texts) == 1:
        return f"always {quoted(texts[0])}"
    words = boolean_words(texts)
    if words is not None:
        return BooleanColumn(name, (name,), words)
    is_category = isinstance(values.dtype, pandas.CategoricalDtype)
    style = None if is_category else number_style(texts)
    if style is not None:
        parsed = {text: style.parse(text) for text in texts}
        others = tuple(text for text, number in parsed.items() if number is None)
        per_text = np.array([np.nan if text is None else parsed[text] for text in all_texts], dtype=np.float64)
        numbers = per_text[codes]
        known = pandas.Series(numbers[~np.isnan(numbers)])
        return _number(name, known, keep, decimal=style.decimal, unit=style.unit, words=others)
    when = None if is_category else date_style(texts)
    if when is not None:
        found = dates(texts, when)
        others = tuple(text for text, unread in zip(texts, np.isnat(found), strict=True) if unread)
        return _dates(name, found[~np.isnat(found)], when, others)
    rows = [text for text in (all_texts[code] for code in codes) if text is not None]
    return _categories(name, rows, keep or is_category, min_frequency, max_categories)


def _dates(name: str, when: Any, style: str, words: tuple[str, ...]) -> Column | str:
    apart = date_parts(when)
    parts = tuple(part for part in PARTS if len(np.unique(apart[part])) > 1)
    if not parts:
        return f"always {when[0].astype('datetime64[D]')}"
    return DateColumn(name, tuple(f"{name}: {part}" for part in parts), style, parts, words)


def _categories(name: str, rows: list[str], keep: bool, min_frequency: float, max_categories: int) -> Column | str:
    n_distinct = len(set(rows))
    if n_distinct == len(rows) and not keep:
        return "an identifier or free text: every row has another value"
    at_least = max(2, int(np.ceil(min_frequency * len(rows))))
    encoder = OneHotEncoder(min_frequency=at_least, max_categories=max_categories)
    encoder.fit(np.array(rows, dtype=object)[:, np.newaxis])
    (found,), (infrequent,) = encoder.categories_, encoder.infrequent_categories_
    rare = () if infrequent is None else tuple(infrequent)
    frequent = tuple(text for text in found if text not in set(rare))
    if not frequent:
        return f"an identifier or free text: none of {n_distinct:,} values is in {at_least} rows or more"
    choices = frequent
    if rare:
        choices += (next(word for word in ("other", "other values", "(other)") if word not in frequent),)
    return CategoryColumn(name, tuple(f"{name}={choice}" for choice in choices), choices, rare)
