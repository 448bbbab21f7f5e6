"""Figures of maps: their attractors, and what they do to data."""

from itertools import combinations, product
from typing import Any

import numpy as np
from contourpy import contour_generator
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from numpy.typing import ArrayLike, NDArray

from cogmap._encoding import UNDECIDED
from cogmap._params import check_integer, wrong
from cogmap.activations import get_activation
from cogmap.dynamics import attractors
from cogmap.map import FuzzyCognitiveMap
from cogmap.plotting.canvas import GREY, INK, MARKERS, color_of, legend_above, make_axes, paler

_PIXELS = 120  # along each side of the picture of basins
_STEPS_SHOWN = 30  # of a trajectory: enough to come near an attractor, and not yet a ring of ink around a cycle
_CELLS = 200  # along each side of the grid on which probabilities are computed
_TINY = 1e-300  # instead of a probability of 0, which has no logarithm

Lines = list[NDArray[np.float64]]
# What a figure shows, as numbers and words: a plain dict, so that it can be kept in a file and drawn from there.
View = dict[str, Any]


def plot_attractors(fcm: FuzzyCognitiveMap, ax: Axes | None = None, grid: int = 25) -> Axes:
    """Show where the trajectories of a map of two concepts end.

    The ground has the colour of the attractor that is reached from there, and is grey where none is reached. Thin lines
    are trajectories, dots are fixed points, and dots joined by lines are the states of a cycle.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        A map of two concepts.
    ax : matplotlib Axes, default=None
        Where to draw. None makes a figure.
    grid : int, default=25
        Trajectories start from this many places along each side.

    Returns
    -------
    matplotlib Axes
    """
    return draw_attractors(attractors_view(fcm, grid), ax)


def attractors_view(fcm: FuzzyCognitiveMap, grid: int = 25, pixels: int = _PIXELS) -> View:
    """Compute all that a figure of attractors shows."""
    if fcm.n_concepts != 2:
        raise wrong("plot_attractors", "fcm", "a map of 2 concepts", f"{fcm.n_concepts} concepts")
    grid = check_integer("plot_attractors", "grid", grid, low=2)
    activation = get_activation(fcm.activation)
    low, high = activation.middle - activation.reach, activation.middle + activation.reach
    # Not quite the centres of the pixels: a start on a symmetry of the map may lie between two basins.
    places = _lattice(*[low + (high - low) * (np.arange(pixels) + 0.51) / pixels] * 2)
    starts = _lattice(*[np.linspace(low, high, grid)] * 2)
    found = attractors(fcm, np.concatenate([places, starts]))
    return {
        "limits": [low, high],
        "names": list(fcm.concepts),
        "ground": found.basin[: len(places)].reshape(pixels, pixels),
        "cycles": list(found.cycles),
        "trajectories": fcm.run(starts, _STEPS_SHOWN).swapaxes(0, 1),
        "reached": found.basin[len(places) :],
    }


def draw_attractors(view: View, ax: Axes | None = None) -> Axes:
    """Draw what `attractors_view` has computed."""
    ax = make_axes(ax, 4.2, 4.5)
    low, high = view["limits"]
    # The last colour is that of the index -1.
    colors = np.array([*(to_rgb(color_of(index)) for index in range(len(view["cycles"]))), to_rgb(GREY)])
    ground = paler(colors, 0.3)[np.asarray(view["ground"])]
    ax.imshow(ground, extent=(low, high, low, high), origin="lower", interpolation="nearest")
    lines = [np.asarray(line) for line in view["trajectories"]]
    reached = colors[np.asarray(view["reached"])]
    ax.add_collection(LineCollection(lines, colors=reached, linewidths=0.4, alpha=0.45))
    for color, cycle in zip(colors, view["cycles"], strict=False):
        closed = np.concatenate([cycle, cycle[:1]])
        ax.plot(*closed.T, color=INK, linewidth=1.5, marker="o", markersize=9, markerfacecolor=color, clip_on=False)
    ax.set(xlim=(low, high), ylim=(low, high), xlabel=view["names"][0], ylabel=view["names"][1])
    return ax


def plot_decision_regions(classifier: Any, X: Any, y: ArrayLike, ax: Axes | None = None) -> Axes:
    """Show what a classifier of two features predicts, and the data.

    The ground has the colour of the predicted class, the stronger the higher its probability. A line is where two
    classes are equally probable.

    Parameters
    ----------
    classifier : estimator
        A fitted classifier with ``predict_proba`` and ``classes_``.
    X : array-like of shape (n_samples, 2)
        Features: an array or a data frame.
    y : array-like of shape (n_samples,)
        Class labels.
    ax : matplotlib Axes, default=None
        Where to draw. None makes a figure.

    Returns
    -------
    matplotlib Axes
    """
    return draw_decision_regions(decision_regions_view(classifier, X, y), ax)


def decision_regions_view(classifier: Any, X: Any, y: ArrayLike, cells: int = _CELLS) -> View:
    """Compute all that a figure of decision regions shows."""
    owner = "plot_decision_regions"
    labels = _check_data(owner, classifier, X, y)
    if np.shape(X)[1] != 2:
        raise wrong(owner, "X", "an array with 2 columns", f"{np.shape(X)[1]} columns")
    columns, rows, probability = _probabilities(classifier, X, cells)
    return {
        "extent": [columns[0], columns[-1], rows[0], rows[-1]],
        "most_probable": probability.argmax(axis=-1),
        "probability": probability.max(axis=-1),
        "boundaries": _boundaries(columns, rows, probability),
        "names": [str(name) for name in getattr(classifier, "feature_names_in_", ["x0", "x1"])],
        **_groups(np.asarray(X), labels, classifier.classes_),
    }


def draw_decision_regions(view: View, ax: Axes | None = None) -> Axes:
    """Draw what `decision_regions_view` has computed."""
    ax = make_axes(ax, 4.6, 4.2)
    extent = tuple(view["extent"])
    shades = _shades(np.asarray(view["most_probable"]), np.asarray(view["probability"]), len(view["groups"]))
    ax.imshow(shades, extent=extent, origin="lower", aspect="auto", interpolation="bilinear")
    _draw_lines(ax, view["boundaries"])
    _scatter(ax, view)
    ax.set(xlim=extent[:2], ylim=extent[2:], xlabel=view["names"][0], ylabel=view["names"][1])
    legend_above(ax)
    return ax


def plot_transformed(classifier: Any, X: Any, y: ArrayLike, ax: Axes | None = None) -> Axes:
    """Show the first two features as the map has transformed them, in the states before its last step.

    If there are only two features, a line shows where the boundary between the predicted classes has moved.

    Parameters
    ----------
    classifier : FCMClassifier
        A fitted classifier of two features or more.
    X : array-like of shape (n_samples, n_features)
        Features: an array or a data frame.
    y : array-like of shape (n_samples,)
        Class labels.
    ax : matplotlib Axes, default=None
        Where to draw. None makes a figure.

    Returns
    -------
    matplotlib Axes
    """
    return draw_transformed(transformed_view(classifier, X, y), ax)


def transformed_view(classifier: Any, X: Any, y: ArrayLike) -> View:
    """Compute all that a figure of transformed features shows."""
    labels = _check_data("plot_transformed", classifier, X, y, fewest_features=2)
    boundaries = _boundaries(*_probabilities(classifier, X, _CELLS)) if np.shape(X)[1] == 2 else []
    return {
        "boundaries": [classifier.transform(_like(X, line))[:, :2] for line in boundaries],
        "names": [f"{name}, transformed" for name in classifier.map_.concepts[:2]],
        **_groups(classifier.transform(X)[:, :2], labels, classifier.classes_),
    }


def draw_transformed(view: View, ax: Axes | None = None) -> Axes:
    """Draw what `transformed_view` has computed."""
    ax = make_axes(ax, 4.6, 4.2)
    _draw_lines(ax, view["boundaries"])
    _scatter(ax, view)
    ax.set(xlabel=view["names"][0], ylabel=view["names"][1])
    legend_above(ax)
    return ax


def plot_transformed_3d(classifier: Any, X: Any, y: ArrayLike, ax: Axes | None = None) -> Axes:
    """Show the first two transformed features, the first output beside them, and the hyperplanes of the last step.

    On a hyperplane the last step leaves an output at 0.5. What is not shown is held for it: other outputs at 0.5, other
    features and hidden concepts at their mean. A hyperplane that does not come near the data is not seen.

    Parameters
    ----------
    classifier : FCMClassifier
        A fitted classifier of two features or more.
    X : array-like of shape (n_samples, n_features)
        Features: an array or a data frame.
    y : array-like of shape (n_samples,)
        Class labels.
    ax : matplotlib Axes3D, default=None
        Where to draw, an Axes made with ``projection="3d"``. None makes a figure.

    Returns
    -------
    matplotlib Axes3D
    """
    return draw_transformed_3d(transformed_3d_view(classifier, X, y), ax)


def transformed_3d_view(classifier: Any, X: Any, y: ArrayLike) -> View:
    """Compute all that a figure of transformed features in three dimensions shows."""
    labels = _check_data("plot_transformed_3d", classifier, X, y, fewest_features=2)
    shown = [0, 1, _first_output(classifier)]
    states = classifier.transform(X)
    limits = np.array([_range(states[:, column]) for column in shown])
    return {
        "limits": limits,
        "hyperplanes": _hyperplanes(classifier, states, shown, limits),
        "names": [classifier.map_.concepts[column] for column in shown],
        **_groups(states[:, shown], labels, classifier.classes_),
    }


def draw_transformed_3d(view: View, ax: Axes | None = None) -> Axes:
    """Draw what `transformed_3d_view` has computed."""
    if ax is not None and ax.name != "3d":
        raise wrong("plot_transformed_3d", "ax", "an Axes with projection='3d'", f"projection {ax.name!r}")
    solid: Any = make_axes(ax, 5.6, 5.2, projection="3d")
    # Points lie above hyperplanes, which would hide those behind them: what is before what is not to be seen here.
    solid.computed_zorder = False
    for index, polygon in enumerate(view["hyperplanes"]):
        # One output tells two classes apart, so its hyperplane belongs to neither.
        color = GREY if len(view["hyperplanes"]) == 1 else color_of(index)
        if len(polygon):
            plane = Poly3DCollection([np.asarray(polygon)], facecolor=color, edgecolor=INK, alpha=0.18, zorder=1)
            solid.add_collection3d(plane)
    _scatter(solid, view)
    solid.set(xlim=view["limits"][0], ylim=view["limits"][1], zlim=view["limits"][2])
    for axis, name in zip((solid.xaxis, solid.yaxis, solid.zaxis), view["names"], strict=True):
        axis.set_label_text(name)
        axis.labelpad = 7
        axis.set_major_locator(MaxNLocator(5))
    # The labels are outside the cube, and a layout takes no account of them.
    solid.set_box_aspect(None, zoom=0.88)
    solid.legend(loc="upper center", ncols=3, frameon=False, handletextpad=0.2)
    axes: Axes = solid
    return axes


def _first_output(classifier: Any) -> int:
    """Return the number of the first concept behind the features and the hidden ones."""
    first: int = classifier.n_features_in_ + classifier.n_hidden_
    return first


def _range(values: NDArray[np.floating]) -> tuple[float, float]:
    """Return the range of `values` with a margin."""
    low, high = float(values.min()), float(values.max())
    margin = 0.06 * (high - low) if high > low else 0.5
    return low - margin, high + margin


def _lattice(columns: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return all points (column, row), row by row."""
    return np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 2)


def _like(X: Any, rows: NDArray[np.float64]) -> Any:
    """Return `rows` as a data frame if `X` is one, so that an estimator finds the names it knows."""
    if not hasattr(X, "columns"):
        return rows
    return type(X)(dict(zip(X.columns, rows.T, strict=True)))


def _probabilities(
    classifier: Any, X: Any, cells: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the columns and rows of a grid over two features, and the probabilities (row, column, class) on it."""
    columns, rows = (np.linspace(*_range(values), cells) for values in np.asarray(X, dtype=np.float64).T)
    probability = np.asarray(classifier.predict_proba(_like(X, _lattice(columns, rows))))
    return columns, rows, probability.reshape(cells, cells, -1)


def _shades(most_probable: NDArray[np.intp], probability: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Return the colour of the most probable class, paler where it is less sure."""
    colors = np.array([to_rgb(color_of(index)) for index in range(n_classes)])
    above_chance = (probability[..., np.newaxis] - 1 / n_classes) / (1 - 1 / n_classes)
    return paler(colors[most_probable], 0.4 * above_chance)


def _draw_lines(ax: Axes, lines: Lines) -> None:
    for line in lines:
        ax.plot(*np.transpose(line), color=INK, linewidth=1.2, zorder=4)


def _boundaries(columns: NDArray[np.float64], rows: NDArray[np.float64], probability: NDArray[np.float64]) -> Lines:
    """Return the lines on which a class is as probable as the most probable other."""
    lines: Lines = []
    # The last class needs no look: its boundaries are those of the others with it.
    for index in range(probability.shape[-1] - 1):
        others = np.delete(probability, index, axis=-1).max(axis=-1)
        # Log-odds are close to linear across a boundary, where probabilities jump from 0 to 1.
        log_odds = np.log(np.maximum(probability[..., index], _TINY)) - np.log(np.maximum(others, _TINY))
        found: Any = contour_generator(columns, rows, log_odds).lines(0.0)
        lines += found
    return lines


def _groups(points: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any]) -> View:
    """Return the points of each class, under its name."""
    return {"groups": [{"name": f"class {label}", "points": points[labels == label]} for label in classes]}


def _scatter(ax: Any, view: View) -> None:
    """Draw the points of each class with a colour and a marker of its own."""
    for index, group in enumerate(view["groups"]):
        ax.scatter(
            *np.transpose(group["points"]),
            s=18,
            color=color_of(index),
            marker=MARKERS[index % len(MARKERS)],
            edgecolors="white",
            linewidths=0.4,
            label=group["name"],
            zorder=3,
        )


def _hyperplanes(classifier: Any, states: NDArray[np.floating], shown: list[int], limits: NDArray[np.float64]) -> Lines:
    """Return for each output the polygon in which its hyperplane cuts the box of the concepts that are shown."""
    fcm, first_output = classifier.map_, _first_output(classifier)
    held = np.full(fcm.n_concepts, UNDECIDED)
    held[:first_output] = states[:, :first_output].mean(axis=0)
    held[shown] = 0.0
    offsets = fcm.weights @ held + fcm.bias - get_activation(fcm.activation).center
    outputs = range(first_output, fcm.n_concepts)
    return [_plane_in_box(fcm.weights[output, shown], offsets[output], limits) for output in outputs]


def _plane_in_box(normal: NDArray[np.float64], offset: float, limits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the corners, in order, of the part of the plane ``normal . a + offset = 0`` that lies in a box."""
    corners = np.array(list(product(*limits)))
    heights = corners @ normal + offset
    cuts = [
        corners[i] + heights[i] / (heights[i] - heights[j]) * (corners[j] - corners[i])
        for i, j in combinations(range(8), 2)
        if (corners[i] != corners[j]).sum() == 1 and (heights[i] > 0) != (heights[j] > 0)
    ]
    if not cuts:
        return np.empty((0, 3))
    around = np.array(cuts) - np.mean(cuts, axis=0)
    first, second = np.linalg.svd(around, full_matrices=False)[2][:2]
    return np.array(cuts)[np.argsort(np.arctan2(around @ second, around @ first))]


def _check_data(owner: str, classifier: Any, X: Any, y: ArrayLike, fewest_features: int = 1) -> NDArray[Any]:
    """Return the labels as an array that fits `X`."""
    shape = np.shape(X)
    if len(shape) != 2 or shape[0] == 0 or shape[1] < fewest_features:
        expected = f"an array of shape (n_samples, n_features) with at least {fewest_features} features"
        raise wrong(owner, "X", expected, f"shape {shape}")
    labels = np.asarray(y)
    if labels.shape != shape[:1]:
        raise wrong(owner, "y", f"an array of shape ({shape[0]},), one label a row of X", f"shape {labels.shape}")
    unknown = np.setdiff1d(labels, classifier.classes_)
    if unknown.size:
        raise wrong(owner, "y", f"labels that the classifier knows, {classifier.classes_.tolist()}", unknown.tolist())
    return labels
