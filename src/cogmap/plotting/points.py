"""Scatter plots of labelled rows: validation, grouping by class and drawing."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import param_error
from cogmap.plotting.canvas import INK, MARKERS, View, color_of, escape_dollars

Lines = list[NDArray[np.float64]]


def check_data(owner: str, classifier: Any, X: Any, y: ArrayLike, min_features: int = 1) -> NDArray[Any]:
    """Validate `X` and `y`, and return the labels as an array."""
    shape = np.shape(X)
    if len(shape) != 2 or shape[0] == 0 or shape[1] < min_features:
        expected = f"an array of shape (n_samples, n_features) with at least {min_features} features"
        raise param_error(owner, "X", expected, f"shape {shape}")
    labels = np.asarray(y)
    if labels.shape != shape[:1]:
        raise param_error(
            owner, "y", f"an array of shape ({shape[0]},), one label per row of X", f"shape {labels.shape}"
        )
    unknown = np.setdiff1d(labels, classifier.classes_)
    if unknown.size:
        raise param_error(
            owner, "y", f"labels known to the classifier, {classifier.classes_.tolist()}", unknown.tolist()
        )
    return labels


def groups(points: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any]) -> View:
    """Return the points of each class, under its name."""
    return {"groups": [{"name": f"class {label}", "points": points[labels == label]} for label in classes]}


def scatter(ax: Any, view: View) -> None:
    """Draw the points of each class with its own colour and marker."""
    for index, group in enumerate(view["groups"]):
        ax.scatter(
            *np.transpose(group["points"]),
            s=18,
            color=color_of(index),
            marker=MARKERS[index % len(MARKERS)],
            edgecolors="white",
            linewidths=0.4,
            label=escape_dollars(group["name"]),
            zorder=3,
        )


def draw_lines(ax: Axes, lines: Lines) -> None:
    """Draw lines above points and background."""
    for line in lines:
        ax.plot(*np.transpose(line), color=INK, linewidth=1.2, zorder=4)


def value_range(values: NDArray[np.floating]) -> tuple[float, float]:
    """Return the range of `values` with a margin."""
    low, high = float(values.min()), float(values.max())
    margin = 0.06 * (high - low) if high > low else 0.5
    return low - margin, high + margin


def lattice(columns: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return all points (column, row), row by row."""
    return np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)


def pixel_grid(limits: NDArray[np.floating], pixels: int) -> NDArray[np.float64]:
    """Return one point per pixel of an image of states, row by row.

    The points are slightly off centre: a start on a symmetry of the map may lie between two basins.
    """
    return lattice(*(low + (high - low) * (np.arange(pixels) + 0.51) / pixels for low, high in limits))


def like(X: Any, rows: NDArray[np.float64]) -> Any:
    """Return `rows` as a data frame with the columns of `X` if `X` is a data frame."""
    if not hasattr(X, "columns"):
        return rows
    return type(X)(dict(zip(X.columns, rows.T, strict=True)))
