"""Plot comparisons: loss curves, scores over folds, and critical difference diagrams."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import check_number, numbers, param_error
from cogmap.plotting.canvas import COLORS, INK, LINES, color_of, escape_dollars, hide_frame, legend_above, make_axes


def plot_loss_curves(curves: Mapping[str, Sequence[float]], ax: Axes | None = None) -> Axes:
    """Plot training losses, on a logarithmic axis if all of them are positive.

    Parameters
    ----------
    curves : dict of str to sequence of float
        Losses after each iteration, such as ``loss_curve_``, with a name for each curve.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    plot_box : Plot the scores of each method over folds as box plots, the highest median on top.
    cogmap.FCMClassifier : Classifier and feature transformer whose model is a fuzzy cognitive map.

    Examples
    --------
    >>> from cogmap.plotting import plot_loss_curves
    >>> plot_loss_curves({"adam": [1.0, 0.5, 0.3], "lbfgs": [1.0, 0.2, 0.1]}).get_yscale()
    'log'
    """
    losses = _check_sequences("plot_loss_curves", "curves", curves)
    ax = make_axes(ax, 5.5, 3.8)
    for index, (name, loss) in enumerate(losses.items()):
        style = LINES[index // len(COLORS) % len(LINES)]
        # A line of one point is invisible: mark it with a dot.
        marker = "o" if len(loss) == 1 else None
        ax.plot(
            np.arange(1, len(loss) + 1),
            loss,
            style,
            color=color_of(index),
            marker=marker,
            linewidth=1.6,
            label=escape_dollars(name),
        )
    if all((loss > 0).all() for loss in losses.values()):
        ax.set_yscale("log")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="iteration", ylabel="loss")
    hide_frame(ax)
    legend_above(ax)
    return ax


def plot_box(scores: Mapping[str, Sequence[float]], ax: Axes | None = None, highlight: str = "fcm") -> Axes:
    """Plot the scores of each method over folds as box plots, the highest median on top.

    A box reaches from the first to the third quartile, with a line at the median; whiskers reach to the farthest score
    within 1.5 times the length of the box, and dots are the scores beyond.

    Parameters
    ----------
    scores : dict of str to sequence of float
        Scores of each method.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.
    highlight : str, default="fcm"
        Method whose box is highlighted.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    plot_critical_difference : Plot a critical difference diagram of mean ranks.
    cogmap.statistics.paired_tests :
        Test whether two methods differ on the same blocks, by Student's t-test and by Wilcoxon's signed-rank test.

    Examples
    --------
    >>> from cogmap.plotting import plot_box
    >>> ax = plot_box({"forest": [0.8, 0.9, 0.85], "fcm": [0.9, 0.95, 0.92]})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['forest', 'fcm']
    """
    values = _check_sequences("plot_box", "scores", scores)
    names = sorted(values, key=lambda name: float(np.median(values[name])))
    ax = make_axes(ax, 5.5, 1.0 + 0.28 * len(names))
    artists = ax.boxplot(
        [values[name] for name in names],
        orientation="horizontal",
        widths=0.6,
        patch_artist=True,
        medianprops={"color": "black", "linewidth": 1.5},
        whiskerprops={"color": INK},
        capprops={"color": INK},
        flierprops={"marker": "o", "markersize": 3, "markerfacecolor": INK, "markeredgecolor": "none"},
    )
    for name, box in zip(names, artists["boxes"], strict=True):
        box.set(facecolor=COLORS[4] if name == highlight else "#E4E4E4", edgecolor=INK)
    ax.set_yticks(range(1, len(names) + 1), [escape_dollars(name) for name in names])
    for name, label in zip(names, ax.get_yticklabels(), strict=True):
        label.set_fontweight("bold" if name == highlight else "normal")
    ax.set_xlabel("score")
    ax.grid(axis="x", color="#E4E4E4", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0)
    hide_frame(ax)
    return ax


def plot_critical_difference(
    mean_ranks: ArrayLike,
    names: Sequence[str],
    critical_difference: float,
    groups: Sequence[Sequence[int]],
    ax: Axes | None = None,
) -> Axes:
    """Plot a critical difference diagram of mean ranks.

    Each method is attached to the axis at its mean rank, the best on the left. Thick bars join methods that do not
    differ significantly; the bar above the axis has the length of the critical difference.

    Parameters
    ----------
    mean_ranks : array-like of shape (n_methods,)
        Mean rank of each method, 1 is the best.
    names : sequence of str
        Names of the methods.
    critical_difference : float
        Smallest difference at which two mean ranks differ significantly.
    groups : sequence of sequences of int
        Methods that do not differ, as indices into `mean_ranks`. Groups of one are ignored.
    ax : matplotlib Axes, default=None
        Axes to draw on. Names are written outside on both sides; ``layout="constrained"`` of a figure makes space for
        them. If None, a new figure of sufficient size is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    plot_box : Plot the scores of each method over folds as box plots, the highest median on top.
    cogmap.statistics.nemenyi : Nemenyi test: compare all pairs of methods by their mean ranks.

    Examples
    --------
    >>> from cogmap.plotting import plot_critical_difference
    >>> from cogmap.statistics import nemenyi
    >>> result = nemenyi([[0.7, 0.9, 0.8]] * 6)
    >>> ranks, width = result.mean_ranks, result.critical_difference
    >>> ax = plot_critical_difference(ranks, ["tree", "fcm", "forest"], width, result.groups)
    >>> ax.figure.savefig("ranks.pdf")  # doctest: +SKIP
    """
    owner = "plot_critical_difference"
    ranks = _check_ranks(owner, mean_ranks, names, groups)
    critical_difference = check_number(owner, "critical_difference", critical_difference, low=0)
    right = max(2, int(np.ceil(ranks.max())), int(np.ceil(1 + critical_difference)))
    bars = _bars(ranks, groups, (right - 1) / 100)
    first_row = 1.1 + 0.5 * (1 + max((level for level, _, _ in bars), default=-1))
    top, bottom = -3.4, first_row + (len(ranks) + 1) // 2 - 0.5
    longest = max(len(name) for name in names) + 6  # a rank of up to four digits is written next to the name
    ax = make_axes(ax, 4.5 + 0.15 * longest, 0.24 * (bottom - top))
    ax.set_axis_off()
    ax.set(xlim=(1, right), ylim=(bottom, top))
    text = _text_size(ax, bottom - top, longest)
    _draw_rank_axis(ax, right, text)
    ax.errorbar(1 + critical_difference / 2, -2.3, xerr=critical_difference / 2, color=INK, capsize=4, clip_on=False)
    label = f"critical difference {critical_difference:.2f}"
    ax.text(1, -2.6, label, ha="left", va="bottom", fontsize=text)
    for level, left_end, right_end in bars:
        height = 0.7 + 0.5 * level
        ax.plot([left_end, right_end], [height, height], color=INK, linewidth=4, solid_capstyle="butt", clip_on=False)
    _draw_names(ax, ranks, names, first_row, right, text)
    return ax


def _bars(ranks: NDArray[np.float64], groups: Sequence[Sequence[int]], margin: float) -> list[tuple[int, float, float]]:
    """Return the level, from the top, and the ends of the bar of each group; bars on one level do not touch."""
    ends = sorted((ranks[list(group)].min(), ranks[list(group)].max()) for group in groups if len(group) > 1)
    level_ends: list[float] = []
    bars = []
    for left, right in ends:
        level = next((level for level, end in enumerate(level_ends) if left > end + 4 * margin), len(level_ends))
        level_ends[level : level + 1] = [right]
        bars.append((level, float(left - margin), float(right + margin)))
    return bars


def _text_size(ax: Axes, n_rows: float, n_letters: int) -> float:
    """Return the font size in points at which `n_rows` rows fit the height of `ax`.

    Names of `n_letters` take about a third of its width on each side.
    """
    points = 72 / ax.figure.dpi
    extent = ax.get_window_extent()
    by_height = 0.7 * extent.height * points / n_rows
    by_width = 0.35 * extent.width * points / (0.55 * n_letters)
    return float(np.clip(min(by_height, by_width), 4.0, 10.0))


def _draw_rank_axis(ax: Axes, right: int, text: float) -> None:
    """Draw the axis of ranks from 1 to `right` with plain lines, since it lies inside the Axes, above the methods."""
    ax.plot([1, right], [0, 0], color=INK, linewidth=1.2, clip_on=False)
    for rank in range(1, right + 1, -(-right // 15)):
        ax.plot([rank, rank], [0, -0.25], color=INK, linewidth=1.2, clip_on=False)
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
                color=INK,
                linewidth=0.8,
                clip_on=False,
            )
            name, rank = escape_dollars(names[method]), f"{ranks[method]:.2f}"
            ax.text(
                edge + 2.5 * outwards,
                height,
                f"{name}  {rank}" if outwards < 0 else f"{rank}  {name}",
                ha="right" if outwards < 0 else "left",
                va="center",
                fontsize=text,
            )


def _check_sequences(owner: str, name: str, sequences: Mapping[str, Sequence[float]]) -> dict[str, NDArray[np.float64]]:
    """Validate the sequences and return them as arrays."""
    expected = "a dict of names to sequences of numbers, none of them empty"
    if not isinstance(sequences, Mapping) or not sequences:
        raise param_error(owner, name, expected, sequences)
    arrays = {key: numbers(values) for key, values in sequences.items()}
    for key, array in arrays.items():
        if array.ndim != 1 or not array.size:
            raise param_error(owner, name, expected, {key: sequences[key]})
    return arrays


def _check_ranks(
    owner: str, mean_ranks: ArrayLike, names: Sequence[str], groups: Sequence[Sequence[int]]
) -> NDArray[np.float64]:
    ranks = np.asarray(mean_ranks, dtype=np.float64)
    if ranks.ndim != 1 or not ranks.size or not (ranks >= 1).all() or not np.isfinite(ranks).all():
        raise param_error(owner, "mean_ranks", "an array of shape (n_methods,) of numbers >= 1", mean_ranks)
    if len(names) != len(ranks):
        raise param_error(owner, "names", f"a sequence of {len(ranks)} names, one per mean rank", f"{len(names)} names")
    for group in groups:
        if not all(0 <= method < len(ranks) for method in group):
            raise param_error(owner, "groups", f"sequences of indices from 0 to {len(ranks) - 1}", group)
    return ranks
