"""Overflow-safe net inputs for weights and states of any size, and rescaling of rows to a largest weight of 1."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import Literal, param_error
from cogmap.maps._text import short


def clip_to_range(values: NDArray[np.floating], dtype: np.dtype[Any]) -> NDArray[np.floating]:
    """Cast to `dtype`, clipped to a quarter of its range so that sums of two values do not overflow."""
    limit = float(np.finfo(dtype).max) / 4
    result: NDArray[np.floating] = np.clip(values, -limit, limit).astype(dtype, copy=False)
    return result


def overflow_safe_net(
    A: NDArray[np.floating], peak: float, W: NDArray[np.float64], b: NDArray[np.float64]
) -> NDArray[np.floating]:
    """Return ``A @ W.T + b`` without overflow, where `peak` bounds the absolute states."""
    scale = np.abs(W).max(axis=1)
    scale[scale == 0.0] = 1.0
    peak = peak or 1.0
    with np.errstate(over="ignore"):
        net = (A.astype(np.float64) / peak) @ (W / scale[:, None]).T
        net *= scale
        net *= peak
        net += b
        return clip_to_range(net, A.dtype)


def normal_form(
    W: NDArray[np.float64],
    b: NDArray[np.float64],
    slope: float | NDArray[np.float64],
    center: Any,
    concepts: Sequence[str],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return weights, bias and slopes of the same map with a largest absolute weight of 1 in each row.

    Raises ParameterError where the new bias or slope would lose precision or overflow.
    """
    scale = np.abs(W).max(axis=1)
    scale[scale == 0.0] = 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        weights, slopes = W / scale[:, None], slope * scale
        bias = (b - center) / scale + center
        # Rounding error of the new bias, in units of the argument of the activation function.
        error = np.abs((bias - center) * scale + center - b) * slope
        exact = (error <= 1e-6 * np.maximum(np.abs(b) * slope, 1.0)) & (slopes > 0) & np.isfinite(slopes)
    if not exact.all():
        i = int(np.argmin(exact))
        raise param_error(
            "FuzzyCognitiveMap.normalized",
            "weights",
            "of a size that can be moved into the slope of their concept",
            Literal(f"{scale[i]:.3g} as the largest influence on {short(concepts[i])}"),
            "Use the map without normalizing it.",
        )
    return weights, bias, slopes
