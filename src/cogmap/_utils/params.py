"""Checks of single parameter values, with a common message format.

Messages read "`FCMClassifier(depth=...)` must be an integer >= 1, got 0.", followed by a cure if there is one.
"""

import difflib
import math
import os
import reprlib
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from cogmap._utils.text import cut, quoted
from cogmap.exceptions import ParameterError


class Literal(str):
    """A description of the value for error messages, shown verbatim; other values are shown as a short repr."""


def param_error(owner: str, name: str, expected: str, got: object, cure: str = "") -> ParameterError:
    """Return the exception for an invalid parameter value."""
    text = str(got) if isinstance(got, Literal) else cut(reprlib.repr(got))
    return ParameterError(f"`{owner}({name}=...)` must be {expected}, got {text}.{' ' + cure if cure else ''}")


def check_integer(owner: str, name: str, value: object, *, low: int, high: float = math.inf, cure: str = "") -> int:
    """Return `value` as an int of at least `low` and at most `high`; booleans are not integers."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral) or not low <= int(value) <= high:
        too_large = isinstance(value, Integral) and int(value) > high
        expected = f"an integer >= {low}" + (f" and <= {high}" if too_large else "")
        raise param_error(owner, name, expected, value, cure)
    return int(value)


def check_number(
    owner: str,
    name: str,
    value: object,
    *,
    low: float,
    high: float = math.inf,
    low_included: bool = True,
    high_included: bool = True,
    cure: str = "",
) -> float:
    """Return `value` as a finite float between `low` and `high`."""
    number = math.nan
    if isinstance(value, Real) and not isinstance(value, bool | np.bool_):
        try:
            number = float(value)
        except OverflowError:  # an integer larger than any float
            number = math.inf
    above = number >= low if low_included else number > low
    below = number <= high if high_included else number < high
    if not (above and below and math.isfinite(number)):
        expected = f"a number {'>=' if low_included else '>'} {low:g}" if low > -math.inf else "a finite number"
        if math.isfinite(high):
            expected += f" and {'<=' if high_included else '<'} {high:g}"
        raise param_error(owner, name, expected, value, cure)
    return number


def check_choice(owner: str, name: str, value: Any, choices: Sequence[str], *, also: str = "") -> str:
    """Return `value` if it is one of the strings `choices`; suggest the nearest one otherwise."""
    if isinstance(value, str) and value in choices:
        return value
    expected = "one of " + ", ".join(repr(choice) for choice in choices) + (f" or {also}" if also else "")
    raise param_error(owner, name, expected, value, suggestion(value, choices))


def check_boolean(owner: str, name: str, value: object) -> bool:
    """Return `value` as a bool."""
    if not isinstance(value, bool | np.bool_):
        raise param_error(owner, name, "True or False", value)
    return bool(value)


def check_path(owner: str, path: Any) -> Path:
    """Return `path` as a `Path`, or raise if it is not a nonempty path."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path):
        raise param_error(owner, "path", "the path of a file", path)
    return Path(path)


def real(values: Any, dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """Return an array of real numbers; raise TypeError or ValueError if `values` contains anything else."""
    array = np.asarray(values)
    if array.dtype.kind == "c":  # NumPy would drop the imaginary part
        raise TypeError("complex numbers")
    try:
        with np.errstate(over="ignore"):  # values out of range become infinite
            return array.astype(dtype, copy=False)
    except OverflowError as error:  # an integer larger than any float
        raise ValueError(str(error)) from None


def numbers(values: Any) -> NDArray[np.float64]:
    """Return an array of numbers, or a scalar NaN if `values` contains anything else."""
    try:
        return real(values)
    except (TypeError, ValueError):
        return np.array(np.nan)


def suggestion(value: object, choices: Iterable[str]) -> str:
    """Return "Did you mean ...?" with the closest choice, or an empty string if none is close."""
    by_lower = {choice.lower(): choice for choice in choices}
    near = difflib.get_close_matches(str(value).lower(), list(by_lower), n=1)
    return f"Did you mean {quoted(by_lower[near[0]])}?" if near else ""


def shown(values: Iterable[object]) -> str:
    """Format the first values for a message, with the number of omitted ones."""
    items = [quoted(getattr(value, "item", lambda value=value: value)()) for value in values]
    more = f", and {len(items) - 5} more" if len(items) > 6 else ""
    return "[" + ", ".join(items[:5] if more else items) + more + "]"
