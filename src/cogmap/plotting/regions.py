"""Plot the decision regions of a classifier of two features."""

from typing import Any

import numpy as np
from contourpy import contour_generator
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import param_error
from cogmap.plotting.canvas import View, color_of, escape_dollars, legend_above, lighten, make_axes
from cogmap.plotting.points import Lines, check_data, draw_lines, groups, lattice, like, scatter, value_range

CELLS = 200  # along each side of the grid of probabilities
_TINY = 1e-300  # lower bound of probabilities before taking logarithms


def plot_decision_regions(classifier: Any, X: Any, y: ArrayLike, ax: Axes | None = None) -> Axes:
    """Plot the decision regions of a classifier of two features, with the data.

    The background has the colour of the predicted class, stronger for higher probabilities. Lines mark where two
    classes are equally probable.

    Parameters
    ----------
    classifier : estimator
        Fitted classifier with ``predict_proba`` and ``classes_``.
    X : array-like of shape (n_samples, 2)
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
    plot_transformed : Plot the first two features as transformed by the map: their states before the last step.
    plot_transformed_3d :
        Plot the first two transformed features, the first output, and the hyperplanes of the last step.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from cogmap import FCMClassifier
    >>> from cogmap.plotting import plot_decision_regions
    >>> X, y = make_moons(60, noise=0.1, random_state=0)
    >>> fcm = FCMClassifier(structure="full", n_hidden=2, n_teachers=0, random_state=0).fit(X, y)
    >>> ax = plot_decision_regions(fcm, X, y)
    >>> ax.figure.savefig("regions.png")  # doctest: +SKIP
    """
    return draw_decision_regions(decision_regions_view(classifier, X, y), ax)


def decision_regions_view(classifier: Any, X: Any, y: ArrayLike, cells: int = CELLS) -> View:
    """Compute the data of a figure of decision regions."""
    owner = "plot_decision_regions"
    labels = check_data(owner, classifier, X, y)
    if np.shape(X)[1] != 2:
        raise param_error(owner, "X", "an array with 2 columns", f"{np.shape(X)[1]} columns")
    columns, rows, probability = probabilities(classifier, X, cells)
    return {
        "extent": [columns[0], columns[-1], rows[0], rows[-1]],
        "most_probable": probability.argmax(axis=-1),
        "probability": probability.max(axis=-1),
        "boundaries": boundaries_of(columns, rows, probability),
        "names": [str(name) for name in getattr(classifier, "feature_names_in_", ["x0", "x1"])],
        **groups(np.asarray(X), labels, classifier.classes_),
    }


def draw_decision_regions(view: View, ax: Axes | None = None) -> Axes:
    """Draw the data prepared by `decision_regions_view`."""
    ax = make_axes(ax, 4.6, 4.2)
    extent = tuple(view["extent"])
    shades = _shades(np.asarray(view["most_probable"]), np.asarray(view["probability"]), len(view["groups"]))
    ax.imshow(shades, extent=extent, origin="lower", aspect="auto", interpolation="bilinear")
    draw_lines(ax, view["boundaries"])
    scatter(ax, view)
    ax.set(
        xlim=extent[:2],
        ylim=extent[2:],
        xlabel=escape_dollars(view["names"][0]),
        ylabel=escape_dollars(view["names"][1]),
    )
    legend_above(ax)
    return ax


def probabilities(
    classifier: Any, X: Any, cells: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the columns and rows of a grid over two features, and the probabilities (row, column, class) on it."""
    columns, rows = (np.linspace(*value_range(values), cells) for values in np.asarray(X, dtype=np.float64).T)
    probability = np.asarray(classifier.predict_proba(like(X, lattice(columns, rows))))
    return columns, rows, probability.reshape(cells, cells, -1)


def _shades(most_probable: NDArray[np.intp], probability: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """Return the colour of the most probable class, lighter for lower probabilities."""
    colors = np.array([to_rgb(color_of(index)) for index in range(n_classes)])
    above_chance = (probability[..., np.newaxis] - 1 / n_classes) / (1 - 1 / n_classes)
    return lighten(colors[most_probable], 0.4 * above_chance)


def boundaries_of(columns: NDArray[np.float64], rows: NDArray[np.float64], probability: NDArray[np.float64]) -> Lines:
    """Return the lines on which a class is as probable as the most probable other class."""
    lines: Lines = []
    # The boundaries of the last class are already among those of the others.
    for index in range(probability.shape[-1] - 1):
        others = np.delete(probability, index, axis=-1).max(axis=-1)
        # Log-odds are close to linear across a boundary, where probabilities jump from 0 to 1.
        log_odds = np.log(np.maximum(probability[..., index], _TINY)) - np.log(np.maximum(others, _TINY))
        contours: Any = contour_generator(columns, rows, log_odds).lines(0.0)
        lines += contours
    return lines
