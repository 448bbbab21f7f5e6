"""Weights and states of any size: sums that might leave the range of numbers, and rows brought to size 1."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import Literal, param_error
from cogmap.maps._text import short


def held_in_range(values: NDArray[np.floating], dtype: np.dtype[Any]) -> NDArray[np.floating]:
    """Return values in another dtype, those beyond its range held near its ends, so that twice a value is still one."""
    most = float(np.finfo(dtype).max) / 4
    result: NDArray[np.floating] = np.clip(values, -most, most).astype(dtype, copy=False)
    return result


def wide_net(
    A: NDArray[np.floating], peak: float, W: NDArray[np.float64], b: NDArray[np.float64]
) -> NDArray[np.floating]:
    """Return ``A @ W.T + b`` for states of which none is larger than `peak`."""
    scale = np.abs(W).max(axis=1)
    scale[scale == 0.0] = 1.0
    peak = peak or 1.0
    with np.errstate(over="ignore"):
        net = (A.astype(np.float64) / peak) @ (W / scale[:, None]).T
        net *= scale
        net *= peak
        net += b
        return held_in_range(net, A.dtype)


def normal_form(
    W: NDArray[np.float64],
    b: NDArray[np.float64],
    slope: float | NDArray[np.float64],
    center: Any,
    concepts: Sequence[str],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return weights, bias and slopes of the same map with rows of size 1; what these could not hold is refused."""
    scale = np.abs(W).max(axis=1)
    scale[scale == 0.0] = 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        weights, slopes = W / scale[:, None], slope * scale
        bias = (b - center) / scale + center
        # How far rounding of the new bias moves what the activation function is applied to.
        moved = np.abs((bias - center) * scale + center - b) * slope
        held = (moved <= 1e-6 * np.maximum(np.abs(b) * slope, 1.0)) & (slopes > 0) & np.isfinite(slopes)
    if not held.all():
        i = int(np.argmin(held))
        raise param_error(
            "FuzzyCognitiveMap.normalized",
            "weights",
            "of a size that the slope of their concept can take over",
            Literal(f"{scale[i]:.3g} as the largest influence on {short(concepts[i])}"),
            "Use the map as it is.",
        )
    return weights, bias, slopes
