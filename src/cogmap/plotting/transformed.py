"""Plot data as transformed by a map, in two and three dimensions."""

from itertools import combinations, product
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import param_error
from cogmap.maps.activations import get_activation
from cogmap.models.encoding import UNDECIDED
from cogmap.plotting.canvas import GREY, INK, View, color_of, escape_dollars, legend_above, make_axes
from cogmap.plotting.points import Lines, check_data, draw_lines, groups, like, scatter, value_range
from cogmap.plotting.regions import CELLS, boundaries_of, probabilities


def plot_transformed(classifier: Any, X: Any, y: ArrayLike, ax: Axes | None = None) -> Axes:
    """Plot the first two features as transformed by the map: their states before the last step.

    If there are only two features, lines show the transformed boundaries between the predicted classes.

    Parameters
    ----------
    classifier : FCMClassifier
        Fitted classifier with at least two features.
    X : array-like of shape (n_samples, n_features)
        Features: an array or a data frame.
    y : array-like of shape (n_samples,)
        Class labels.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    plot_transformed_3d :
        Plot the first two transformed features, the first output, and the hyperplanes of the last step.
    plot_decision_regions : Plot the decision regions of a classifier of two features, with the data.
    cogmap.FCMClassifier.transform : Return the states before the last step: the features that the map has learned.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from cogmap import FCMClassifier
    >>> from cogmap.plotting import plot_transformed
    >>> X, y = make_moons(60, noise=0.1, random_state=0)
    >>> fcm = FCMClassifier(structure="full", n_hidden=2, n_teachers=0, random_state=0).fit(X, y)
    >>> ax = plot_transformed(fcm, X, y)
    >>> ax.figure.savefig("transformed.png")  # doctest: +SKIP
    """
    return draw_transformed(transformed_view(classifier, X, y), ax)


def transformed_view(classifier: Any, X: Any, y: ArrayLike) -> View:
    """Compute the data of a figure of transformed features."""
    labels = check_data("plot_transformed", classifier, X, y, min_features=2)
    boundaries = boundaries_of(*probabilities(classifier, X, CELLS)) if np.shape(X)[1] == 2 else []
    return {
        "boundaries": [classifier.transform(like(X, line))[:, :2] for line in boundaries],
        "names": [f"{name}, transformed" for name in classifier.map_.concepts[:2]],
        **groups(classifier.transform(X)[:, :2], labels, classifier.classes_),
    }


def draw_transformed(view: View, ax: Axes | None = None) -> Axes:
    """Draw the data prepared by `transformed_view`."""
    ax = make_axes(ax, 4.6, 4.2)
    draw_lines(ax, view["boundaries"])
    scatter(ax, view)
    ax.set(xlabel=escape_dollars(view["names"][0]), ylabel=escape_dollars(view["names"][1]))
    legend_above(ax)
    return ax


def plot_transformed_3d(classifier: Any, X: Any, y: ArrayLike, ax: Axes | None = None) -> Axes:
    """Plot the first two transformed features, the first output, and the hyperplanes of the last step.

    On a hyperplane the last step sets an output to 0.5. Concepts that are not shown are held constant: other outputs at
    0.5, other features and hidden concepts at their mean. A hyperplane far from the data is outside the figure.

    Parameters
    ----------
    classifier : FCMClassifier
        Fitted classifier with at least two features.
    X : array-like of shape (n_samples, n_features)
        Features: an array or a data frame.
    y : array-like of shape (n_samples,)
        Class labels.
    ax : matplotlib Axes3D, default=None
        Axes to draw on, with ``projection="3d"``. If None, a new figure is created.

    Returns
    -------
    matplotlib Axes3D
        The axes of the plot.

    See Also
    --------
    plot_transformed : Plot the first two features as transformed by the map: their states before the last step.
    plot_decision_regions : Plot the decision regions of a classifier of two features, with the data.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from cogmap import FCMClassifier
    >>> from cogmap.plotting import plot_transformed_3d
    >>> X, y = make_moons(60, noise=0.1, random_state=0)
    >>> fcm = FCMClassifier(structure="full", n_hidden=2, n_teachers=0, random_state=0).fit(X, y)
    >>> ax = plot_transformed_3d(fcm, X, y)
    >>> ax.figure.savefig("transformed.png")  # doctest: +SKIP
    """
    return draw_transformed_3d(transformed_3d_view(classifier, X, y), ax)


def transformed_3d_view(classifier: Any, X: Any, y: ArrayLike) -> View:
    """Compute the data of a three-dimensional figure of transformed features."""
    labels = check_data("plot_transformed_3d", classifier, X, y, min_features=2)
    shown = [0, 1, classifier.n_features_in_ + classifier.n_hidden_]  # the last is the first output
    states = classifier.transform(X)
    limits = np.array([value_range(states[:, column]) for column in shown])
    return {
        "limits": limits,
        "hyperplanes": _hyperplanes(classifier, states, shown, limits),
        "names": [classifier.map_.concepts[column] for column in shown],
        **groups(states[:, shown], labels, classifier.classes_),
    }


def draw_transformed_3d(view: View, ax: Axes | None = None) -> Axes:
    """Draw the data prepared by `transformed_3d_view`."""
    if ax is not None and ax.name != "3d":
        raise param_error("plot_transformed_3d", "ax", "an Axes with projection='3d'", f"projection {ax.name!r}")
    solid: Any = make_axes(ax, 5.6, 5.2, projection="3d")
    # Draw points above hyperplanes, which would otherwise hide those behind them.
    solid.computed_zorder = False
    for index, polygon in enumerate(view["hyperplanes"]):
        # A single output separates two classes, so its hyperplane belongs to neither.
        color = GREY if len(view["hyperplanes"]) == 1 else color_of(index)
        if len(polygon):
            plane = Poly3DCollection([np.asarray(polygon)], facecolor=color, edgecolor=INK, alpha=0.18, zorder=1)
            solid.add_collection3d(plane)
    scatter(solid, view)
    solid.set(xlim=view["limits"][0], ylim=view["limits"][1], zlim=view["limits"][2])
    for axis, name in zip((solid.xaxis, solid.yaxis, solid.zaxis), view["names"], strict=True):
        axis.set_label_text(escape_dollars(name))
        axis.labelpad = 7
        axis.set_major_locator(MaxNLocator(5))
    # The labels are outside the cube, and layouts ignore them.
    solid.set_box_aspect(None, zoom=0.88)
    solid.legend(loc="upper center", ncols=3, frameon=False, handletextpad=0.2)
    axes: Axes = solid
    return axes


def _hyperplanes(classifier: Any, states: NDArray[np.floating], shown: list[int], limits: NDArray[np.float64]) -> Lines:
    """Return the polygon in which the hyperplane of each output cuts the box of the shown concepts."""
    fcm, first_output = classifier.map_, shown[-1]
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
