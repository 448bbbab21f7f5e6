"""Numbers of a map near the ends of their range."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def held(values: NDArray[np.floating], dtype: np.dtype[Any]) -> NDArray[np.floating]:
    """Return values in another dtype, those beyond its range held near its ends, so that twice a value is still one."""
    most = float(np.finfo(dtype).max) / 4
    result: NDArray[np.floating] = np.clip(values, -most, most).astype(dtype, copy=False)
    return result


def wide_net(
    A: NDArray[np.floating], peak: float, W: NDArray[np.float64], b: NDArray[np.float64]
) -> NDArray[np.floating]:
    """Return the net input where a sum might leave the range of numbers, and perhaps come back."""
    scale = np.abs(W).max(axis=1)
    scale[scale == 0.0] = 1.0
    peak = peak or 1.0
    with np.errstate(over="ignore"):
        net = (A.astype(np.float64) / peak) @ (W / scale[:, None]).T
        net *= scale
        net *= peak
        net += b
        return held(net, A.dtype)


def normalize(
    W: NDArray[np.float64], b: NDArray[np.float64], slope: float | NDArray[np.float64], center: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return weights of which the largest of each row is 1, bias and slopes to match, and which rows can be held so."""
    scale = np.abs(W).max(axis=1)
    scale[scale == 0.0] = 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        weights, slopes = W / scale[:, None], slope * scale
        bias = (b - center) / scale + center
        # How far rounding of the new bias moves what the activation function is applied to.
        moved = np.abs((bias - center) * scale + center - b) * slope
        held = (moved <= 1e-6 * np.maximum(np.abs(b) * slope, 1.0)) & (slopes > 0) & np.isfinite(slopes)
    return weights, bias, slopes, held
