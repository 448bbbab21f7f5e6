"""Figures of maps, of what classifiers do to data, and of comparisons.

Every function draws on the Axes that it is given, or makes one, and returns it, so that
``plot_box(scores).figure.savefig("scores.pdf")`` writes a file. Figures are made without pyplot: none stays open, and
no setting of matplotlib changes. This module needs matplotlib, which is why no other module imports it.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
from contourpy import contour_generator
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from numpy.typing import ArrayLike, NDArray

from cogmap._params import check_integer, check_number, wrong
from cogmap.activations import get_activation
from cogmap.dynamics import attractors
from cogmap.encoding import UNDECIDED
from cogmap.map import FuzzyCognitiveMap

# The colours of Okabe and Ito, which people with any kind of colour vision can tell apart.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
_LINES = ("-", "--", "-.", ":")
_INK = "#333333"
_GREY = "#BBBBBB"

_PIXELS = 120  # along each side of the picture of basins
_STEPS_SHOWN = 30  # of a trajectory: enough to come near an attractor, and not yet a ring of ink around a cycle
_CELLS = 200  # along each side of the grid on which probabilities are computed
_TINY = 1e-300  # instead of a probability of 0, which has no logarithm

Lines = list[NDArray[np.float64]]


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
    if fcm.n_concepts != 2:
        raise wrong("plot_attractors", "fcm", "a map of 2 concepts", f"{fcm.n_concepts} concepts")
    grid = check_integer("plot_attractors", "grid", grid, low=2)
    ax = _axes(ax, 4.2, 4.5)
    activation = get_activation(fcm.activation)
    low, high = activation.middle - activation.reach, activation.middle + activation.reach
    # Not quite the centres of the pixels: a start on a symmetry of the map may lie between two basins.
    pixels = _lattice(*[low + (high - low) * (np.arange(_PIXELS) + 0.51) / _PIXELS] * 2)
    starts = _lattice(*[np.linspace(low, high, grid)] * 2)
    found = attractors(fcm, np.concatenate([pixels, starts]))
    # The last colour is that of the index -1.
    colors = np.array([*(to_rgb(_color(index)) for index in range(len(found.cycles))), to_rgb(_GREY)])
    ground = _paler(colors, 0.3)[found.basin[: len(pixels)]].reshape(_PIXELS, _PIXELS, 3)
    ax.imshow(ground, extent=(low, high, low, high), origin="lower", interpolation="nearest")
    trajectories = fcm.run(starts, _STEPS_SHOWN).swapaxes(0, 1)
    ax.add_collection(
        LineCollection(list(trajectories), colors=colors[found.basin[len(pixels) :]], linewidths=0.4, alpha=0.45)
    )
    for color, cycle in zip(colors, found.cycles, strict=False):
        closed = np.concatenate([cycle, cycle[:1]])
        ax.plot(*closed.T, color=_INK, linewidth=1.5, marker="o", markersize=9, markerfacecolor=color, clip_on=False)
    ax.set(xlim=(low, high), ylim=(low, high), xlabel=fcm.concepts[0], ylabel=fcm.concepts[1])
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
    owner = "plot_decision_regions"
    labels = _check_data(owner, classifier, X, y)
    if np.shape(X)[1] != 2:
        raise wrong(owner, "X", "an array with 2 columns", f"{np.shape(X)[1]} columns")
    ax = _axes(ax, 4.6, 4.2)
    columns, rows, probability = _probabilities(classifier, X)
    extent = (columns[0], columns[-1], rows[0], rows[-1])
    ax.imshow(_shades(probability), extent=extent, origin="lower", aspect="auto", interpolation="bilinear")
    for line in _boundaries(columns, rows, probability):
        ax.plot(*line.T, color=_INK, linewidth=1.2, zorder=4)
    _scatter(ax, np.asarray(X), labels, classifier.classes_)
    names = getattr(classifier, "feature_names_in_", ["x0", "x1"])
    ax.set(xlim=extent[:2], ylim=extent[2:], xlabel=names[0], ylabel=names[1])
    _legend_above(ax)
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
    labels = _check_data("plot_transformed", classifier, X, y, fewest_features=2)
    ax = _axes(ax, 4.6, 4.2)
    if np.shape(X)[1] == 2:
        for line in _boundaries(*_probabilities(classifier, X)):
            ax.plot(*classifier.transform(_like(X, line))[:, :2].T, color=_INK, linewidth=1.2, zorder=4)
    _scatter(ax, classifier.transform(X), labels, classifier.classes_)
    names = classifier.map_.concepts
    ax.set(xlabel=f"{names[0]}, transformed", ylabel=f"{names[1]}, transformed")
    _legend_above(ax)
    return ax


def plot_transformed_3d(classifier: Any, X: Any, y: ArrayLike, ax: Axes | None = None) -> Axes:
    """Show the first two transformed features, the first output beside them, and the hyperplanes of the last step.

    On a hyperplane the last step leaves an output at 0.5. What is not shown is held for it: other outputs at 0.5, other
    features at their mean. A hyperplane that does not come near the data is not seen.

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
    owner = "plot_transformed_3d"
    labels = _check_data(owner, classifier, X, y, fewest_features=2)
    if ax is not None and ax.name != "3d":
        raise wrong(owner, "ax", "an Axes with projection='3d'", f"projection {ax.name!r}")
    solid: Any = _axes(ax, 5.6, 5.2, projection="3d")
    shown = [0, 1, classifier.n_features_in_]
    states = classifier.transform(X)
    limits = np.array([_range(states[:, column]) for column in shown])
    for index, polygon in enumerate(_hyperplanes(classifier, states, shown, limits)):
        # One output tells two classes apart, so its hyperplane belongs to neither.
        color = _GREY if classifier.output_ == "single" else _color(index)
        if len(polygon):
            solid.add_collection3d(Poly3DCollection([polygon], facecolor=color, edgecolor=_INK, alpha=0.3))
    _scatter(solid, states[:, shown], labels, classifier.classes_)
    solid.set(xlim=limits[0], ylim=limits[1], zlim=limits[2])
    for axis, column in zip((solid.xaxis, solid.yaxis, solid.zaxis), shown, strict=True):
        axis.set_label_text(classifier.map_.concepts[column])
        axis.labelpad = 7
        axis.set_major_locator(MaxNLocator(5))
    # The labels are outside the cube, and a layout takes no account of them.
    solid.set_box_aspect(None, zoom=0.88)
    solid.legend(loc="upper center", ncols=3, frameon=False, handletextpad=0.2)
    axes: Axes = solid
    return axes


def plot_loss_curves(curves: Mapping[str, Sequence[float]], ax: Axes | None = None) -> Axes:
    """Show how losses fell while learning; the axis of losses is logarithmic if all of them are positive.

    Parameters
    ----------
    curves : dict of str to sequence of float
        Losses after each iteration, such as ``loss_curve_``, with a name for each curve.
    ax : matplotlib Axes, default=None
        Where to draw. None makes a figure.

    Returns
    -------
    matplotlib Axes
    """
    losses = _check_sequences("plot_loss_curves", "curves", curves)
    ax = _axes(ax, 5.5, 3.8)
    for index, (name, loss) in enumerate(losses.items()):
        style = _LINES[index // len(COLORS) % len(_LINES)]
        # A curve of one value would be no line: it gets a dot.
        marker = "o" if len(loss) == 1 else None
        ax.plot(np.arange(1, len(loss) + 1), loss, style, color=_color(index), marker=marker, linewidth=1.6, label=name)
    if all((loss > 0).all() for loss in losses.values()):
        ax.set_yscale("log")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="iteration", ylabel="loss")
    _without_frame(ax)
    _legend_above(ax)
    return ax


def plot_box(scores: Mapping[str, Sequence[float]], ax: Axes | None = None, highlight: str = "fcm") -> Axes:
    """Show the scores of each method over folds as box plots, the highest median on top.

    A box reaches from the first to the third quartile, with a line at the median; whiskers reach to the farthest score
    within 1.5 times the length of the box, and dots are the scores beyond.

    Parameters
    ----------
    scores : dict of str to sequence of float
        Scores of each method.
    ax : matplotlib Axes, default=None
        Where to draw. None makes a figure.
    highlight : str, default="fcm"
        Method whose box is coloured.

    Returns
    -------
    matplotlib Axes
    """
    values = _check_sequences("plot_box", "scores", scores)
    names = sorted(values, key=lambda name: float(np.median(values[name])))
    ax = _axes(ax, 5.5, 1.0 + 0.28 * len(names))
    drawn = ax.boxplot(
        [values[name] for name in names],
        orientation="horizontal",
        widths=0.6,
        patch_artist=True,
        medianprops={"color": "black", "linewidth": 1.5},
        whiskerprops={"color": _INK},
        capprops={"color": _INK},
        flierprops={"marker": "o", "markersize": 3, "markerfacecolor": _INK, "markeredgecolor": "none"},
    )
    for name, box in zip(names, drawn["boxes"], strict=True):
        box.set(facecolor=COLORS[4] if name == highlight else "#E4E4E4", edgecolor=_INK)
    ax.set_yticks(range(1, len(names) + 1), names)
    for name, label in zip(names, ax.get_yticklabels(), strict=True):
        label.set_fontweight("bold" if name == highlight else "normal")
    ax.set_xlabel("score")
    ax.grid(axis="x", color="#E4E4E4", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0)
    _without_frame(ax)
    return ax


def plot_critical_difference(
    mean_ranks: ArrayLike,
    names: Sequence[str],
    critical_difference: float,
    groups: Sequence[Sequence[int]],
    ax: Axes | None = None,
) -> Axes:
    """Show mean ranks, and which methods they do not tell apart.

    Each method hangs on the axis at its mean rank, the best on the left. Thick bars join methods that do not differ
    significantly; the bar above the axis has the length of the critical difference.

    Parameters
    ----------
    mean_ranks : array-like of shape (n_methods,)
        Mean rank of each method, 1 is the best.
    names : sequence of str
        Names of the methods.
    critical_difference : float
        Difference from which on two mean ranks differ significantly.
    groups : sequence of sequences of int
        Methods that do not differ, as indices into `mean_ranks`. Groups of one are left out.
    ax : matplotlib Axes, default=None
        Where to draw; names stand outside it on both sides, for which ``layout="constrained"`` of a figure leaves room.
        None makes a figure that is large enough.

    Returns
    -------
    matplotlib Axes
    """
    owner = "plot_critical_difference"
    ranks = _check_ranks(owner, mean_ranks, names, groups)
    critical_difference = check_number(owner, "critical_difference", critical_difference, low=0)
    right = max(2, int(np.ceil(ranks.max())), int(np.ceil(1 + critical_difference)))
    bars = _bars(ranks, groups, (right - 1) / 100)
    first_row = 1.1 + 0.5 * (1 + max((level for level, _, _ in bars), default=-1))
    top, bottom = -3.4, first_row + (len(ranks) + 1) // 2 - 0.5
    longest = max(len(name) for name in names) + 6  # a rank of up to four digits stands beside a name
    ax = _axes(ax, 4.5 + 0.15 * longest, 0.24 * (bottom - top))
    ax.set_axis_off()
    ax.set(xlim=(1, right), ylim=(bottom, top))
    text = _text_size(ax, bottom - top, longest)
    _draw_rank_axis(ax, right, text)
    ax.errorbar(1 + critical_difference / 2, -2.3, xerr=critical_difference / 2, color=_INK, capsize=4, clip_on=False)
    label = f"critical difference {critical_difference:.2f}"
    ax.text(1, -2.6, label, ha="left", va="bottom", fontsize=text)
    for level, left_end, right_end in bars:
        height = 0.7 + 0.5 * level
        ax.plot([left_end, right_end], [height, height], color=_INK, linewidth=4, solid_capstyle="butt", clip_on=False)
    _draw_names(ax, ranks, names, first_row, right, text)
    return ax


def _axes(ax: Axes | None, width: float, height: float, projection: str | None = None) -> Axes:
    """Return `ax`, or the Axes of a new figure of this size in inches."""
    if ax is not None:
        return ax
    axes: Axes = Figure(figsize=(width, height), layout="constrained").add_subplot(projection=projection)
    return axes


def _color(index: int) -> str:
    return COLORS[index % len(COLORS)]


def _paler(colors: NDArray[np.float64], strength: ArrayLike) -> NDArray[np.float64]:
    """Mix colours with white; strength 1 leaves them as they are."""
    result: NDArray[np.float64] = 1.0 - np.asarray(strength) * (1.0 - colors)
    return result


def _without_frame(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)


def _legend_above(ax: Axes) -> None:
    """Put the legend where it hides no data."""
    ax.legend(
        loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, borderaxespad=0.2, handletextpad=0.5
    )


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


def _probabilities(classifier: Any, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the columns and rows of a grid over two features, and the probabilities (row, column, class) on it."""
    columns, rows = (np.linspace(*_range(values), _CELLS) for values in np.asarray(X, dtype=np.float64).T)
    probability = np.asarray(classifier.predict_proba(_like(X, _lattice(columns, rows))))
    return columns, rows, probability.reshape(_CELLS, _CELLS, -1)


def _shades(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the colour of the most probable class, paler where it is less sure."""
    n_classes = probability.shape[-1]
    colors = np.array([to_rgb(_color(index)) for index in range(n_classes)])
    above_chance = (probability.max(axis=-1, keepdims=True) - 1 / n_classes) / (1 - 1 / n_classes)
    return _paler(colors[probability.argmax(axis=-1)], 0.4 * above_chance)


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


def _scatter(ax: Any, points: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any]) -> None:
    """Draw the first two columns of `points`, or three in three dimensions, with a colour and a marker a class."""
    dimensions = 3 if ax.name == "3d" else 2
    for index, label in enumerate(classes):
        ax.scatter(
            *points[labels == label, :dimensions].T,
            s=18,
            color=_color(index),
            marker=_MARKERS[index % len(_MARKERS)],
            edgecolors="white",
            linewidths=0.4,
            label=f"class {label}",
            zorder=3,
        )


def _hyperplanes(classifier: Any, states: NDArray[np.floating], shown: list[int], limits: NDArray[np.float64]) -> Lines:
    """Return for each output the polygon in which its hyperplane cuts the box of the concepts that are shown."""
    fcm, n_features = classifier.map_, classifier.n_features_in_
    held = np.full(fcm.n_concepts, UNDECIDED)
    held[:n_features] = states[:, :n_features].mean(axis=0)
    held[shown] = 0.0
    offsets = fcm.weights @ held + fcm.bias - get_activation(fcm.activation).center
    outputs = range(n_features, fcm.n_concepts)
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


def _bars(ranks: NDArray[np.float64], groups: Sequence[Sequence[int]], margin: float) -> list[tuple[int, float, float]]:
    """Return the level, from the top, and the ends of the bar of each group; bars of one level do not touch."""
    ends = sorted((ranks[list(group)].min(), ranks[list(group)].max()) for group in groups if len(group) > 1)
    reached: list[float] = []
    bars = []
    for left, right in ends:
        level = next((level for level, end in enumerate(reached) if left > end + 4 * margin), len(reached))
        reached[level : level + 1] = [right]
        bars.append((level, float(left - margin), float(right + margin)))
    return bars


def _text_size(ax: Axes, n_rows: float, n_letters: int) -> float:
    """Return the size in points of text with which rows and words fit.

    `n_rows` rows share the height of `ax`, and words of `n_letters` take about a third of its width on each side.
    """
    points = 72 / ax.figure.dpi
    extent = ax.get_window_extent()
    by_height = 0.7 * extent.height * points / n_rows
    by_width = 0.35 * extent.width * points / (0.55 * n_letters)
    return float(np.clip(min(by_height, by_width), 4.0, 10.0))


def _draw_rank_axis(ax: Axes, right: int, text: float) -> None:
    """Draw the axis of ranks from 1 to `right` by hand: it lies inside the Axes, above what hangs on it."""
    ax.plot([1, right], [0, 0], color=_INK, linewidth=1.2, clip_on=False)
    for rank in range(1, right + 1, -(-right // 15)):
        ax.plot([rank, rank], [0, -0.25], color=_INK, linewidth=1.2, clip_on=False)
        ax.text(rank, -0.4, str(rank), ha="center", va="bottom", fontsize=text)
    ax.text(right, -1.4, "mean rank", ha="right", va="bottom", fontsize=text)


def _draw_names(
    ax: Axes, ranks: NDArray[np.float64], names: Sequence[str], first_row: float, right: int, text: float
) -> None:
    """Write the better half of the methods on the left, best on top, and the others on the right, worst on top."""
    order = np.argsort(ranks, kind="stable")
    half = (len(ranks) + 1) // 2
    margin = (right - 1) / 100
    for methods, edge, outwards in ((order[:half], 1.0, -margin), (order[half:][::-1], float(right), margin)):
        for row, method in enumerate(methods):
            height = first_row + row
            ax.plot(
                [ranks[method], ranks[method], edge + outwards],
                [0, height, height],
                color=_INK,
                linewidth=0.8,
                clip_on=False,
            )
            name, rank = names[method], f"{ranks[method]:.2f}"
            ax.text(
                edge + 2.5 * outwards,
                height,
                f"{name}  {rank}" if outwards < 0 else f"{rank}  {name}",
                ha="right" if outwards < 0 else "left",
                va="center",
                fontsize=text,
            )


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


def _check_sequences(owner: str, name: str, sequences: Mapping[str, Sequence[float]]) -> dict[str, NDArray[np.float64]]:
    """Return the sequences as arrays."""
    expected = "a dict of names to sequences of numbers, none of them empty"
    if not isinstance(sequences, Mapping) or not sequences:
        raise wrong(owner, name, expected, sequences)
    try:
        arrays = {key: np.asarray(values, dtype=np.float64) for key, values in sequences.items()}
    except (TypeError, ValueError):
        raise wrong(owner, name, expected, sequences) from None
    for key, values in arrays.items():
        if values.ndim != 1 or not values.size:
            raise wrong(owner, name, expected, f"shape {values.shape} for {key!r}")
    return arrays


def _check_ranks(
    owner: str, mean_ranks: ArrayLike, names: Sequence[str], groups: Sequence[Sequence[int]]
) -> NDArray[np.float64]:
    ranks = np.asarray(mean_ranks, dtype=np.float64)
    if ranks.ndim != 1 or not ranks.size or not (ranks >= 1).all() or not np.isfinite(ranks).all():
        raise wrong(owner, "mean_ranks", "an array of shape (n_methods,) of numbers >= 1", mean_ranks)
    if len(names) != len(ranks):
        raise wrong(owner, "names", f"a sequence of {len(ranks)} names, one a mean rank", f"{len(names)} names")
    for group in groups:
        if not all(0 <= method < len(ranks) for method in group):
            raise wrong(owner, "groups", f"sequences of indices from 0 to {len(ranks) - 1}", group)
    return ranks
