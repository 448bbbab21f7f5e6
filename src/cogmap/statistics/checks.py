"""Validation of inputs: finite numbers in arrays of the right shape."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import param_error

_LARGEST = 1e100  # sums of squares of larger numbers may overflow


def check_scores(owner: str, scores: ArrayLike) -> NDArray[np.float64]:
    """Return `scores` as float64: at least 2 blocks (rows) and 2 methods (columns), all finite."""
    values = _numbers(owner, "scores", scores)
    if values.ndim != 2 or min(values.shape) < 2:
        expected = "an array (n_blocks, n_methods) with at least 2 of each"
        raise param_error(
            owner, "scores", expected, f"shape {values.shape}", "Rows are datasets or folds, columns methods."
        )
    _check_finite(owner, "scores", values, "Drop the rows with failed runs first.")
    return values


def check_pair(
    owner: str, first: ArrayLike, second: ArrayLike, *, at_least: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two 1-D arrays of the same length as float64, all finite."""
    pair = _numbers(owner, "first", first), _numbers(owner, "second", second)
    for name, values in zip(("first", "second"), pair, strict=True):
        if values.ndim != 1 or len(values) < at_least:
            expected = f"a 1-D array of at least {at_least} score{'s' if at_least > 1 else ''}"
            raise param_error(owner, name, expected, f"shape {values.shape}")
        _check_finite(owner, name, values, "Drop the rows with failed runs from both arrays first.")
    if len(pair[0]) != len(pair[1]):
        cure = "Scores are compared in pairs, so both arrays must hold the same blocks."
        raise param_error(owner, "second", f"as long as first, {len(pair[0])}", len(pair[1]), cure)
    return pair


def check_p_values(
    owner: str, p_values: ArrayLike, name: str = "p_values", cure: str = "Leave failed tests out."
) -> NDArray[np.float64]:
    """Return `p_values` as a 1-D float64 array of numbers from 0 to 1."""
    values = _numbers(owner, name, p_values)
    if values.ndim != 1:
        raise param_error(owner, name, "a 1-D array", f"shape {values.shape}")
    bad = ~((values >= 0) & (values <= 1))  # true for NaN too
    if bad.any():
        raise param_error(owner, name, "numbers from 0 to 1", float(values[bad][0]), cure)
    return values


def _numbers(owner: str, name: str, values: ArrayLike) -> NDArray[np.float64]:
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "buifO":
            raise TypeError  # NumPy would convert digits in strings, and drop imaginary parts
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise param_error(owner, name, "an array of real numbers", values) from None


def _check_finite(owner: str, name: str, values: NDArray[np.float64], cure: str) -> None:
    bad = np.argwhere(~(np.abs(values) <= _LARGEST))
    if len(bad):
        place = tuple(bad[0].tolist())
        got = f"{values[place]} at [{', '.join(map(str, place))}]"
        if np.isfinite(values[place]):
            raise param_error(
                owner, name, f"numbers from {-_LARGEST:g} to {_LARGEST:g}", got, "Divide them by a constant."
            )
        raise param_error(owner, name, "finite numbers", got, cure)
