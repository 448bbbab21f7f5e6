"""Plot the contributions of the features to an output of one row."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from cogmap._utils.params import check_integer
from cogmap.explanation import Explanation
from cogmap.explanation._subject import output_index
from cogmap.maps.drawing.picture import SOFT, color
from cogmap.plotting.canvas import (
    View,
    check_answer,
    escape_dollars,
    make_axes,
    name_rows,
    plain_value,
    short_names,
    value_label,
)

_MAX_ROWS = 12


def plot_contributions(explanation: Explanation, row: int = 0, output: Any = None, ax: Axes | None = None) -> Axes:
    """Plot the contribution of each feature to an output of a row as a waterfall from the baseline.

    Every bar starts where the one below it ends; the largest contribution is on top. Blue raises the output, vermilion
    lowers it.

    Parameters
    ----------
    explanation : Explanation
        Result of ``cogmap.explanation.explain``.
    row : int, default=0
        Index of the explained row.
    output : object, default=None
        A class, or the name of an output. If None, the largest output of the row.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    cogmap.explain : Compute the contribution of each feature to the outputs of each row.
    ContributionsDisplay : Contribution of each feature to an output of one row, see `plot_contributions`.
    plot_story : Plot how a map computes one output of one row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, explain
    >>> from cogmap.plotting import plot_contributions
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y)
    >>> ax = plot_contributions(explain(fcm, X[:5]), row=2, output=0)
    >>> ax.figure.savefig("contributions.png")  # doctest: +SKIP
    """
    return draw_contributions(contributions_view(explanation, row, output), ax)


def contributions_view(explanation: Explanation, row: int = 0, output: Any = None) -> View:
    """Select the contributions to show; the others become one bar."""
    owner = "plot_contributions"
    check_answer(owner, "explanation", explanation, Explanation, "cogmap.explanation.explain")
    row = check_integer(owner, "row", row, low=0, high=len(explanation.outputs) - 1)
    names = explanation.output_names
    k = int(np.argmax(explanation.outputs[row])) if output is None else output_index(owner, output, names)
    contributions = explanation.contributions[row, :, k]
    order = np.argsort(-np.abs(contributions), kind="stable")
    shown = order if len(order) <= _MAX_ROWS else order[: _MAX_ROWS - 1]
    rest = order[len(shown) :]
    return {
        "names": [str(explanation.feature_names[i]) for i in shown],
        "values": [plain_value(explanation.values[row, i]) for i in shown],
        "contributions": [float(contributions[i]) for i in shown],
        "n_others": len(rest),
        "others": float(contributions[rest].sum()),
        "base": float(explanation.base_values[k]),
        "output": float(explanation.outputs[row, k]),
        "output_name": str(names[k]),
        "scale": explanation.scale,
    }


def draw_contributions(view: View, ax: Axes | None = None) -> Axes:
    """Draw the data prepared by `contributions_view`."""
    names = [
        f"{name} = {value_label(value)}" for name, value in zip(short_names(view["names"]), view["values"], strict=True)
    ]
    bars = list(view["contributions"])
    if view["n_others"]:
        names.append(f"{view['n_others']} others")
        bars.append(view["others"])
    ax = make_axes(ax, 6.2, 1.4 + 0.34 * len(bars))
    # Cumulate from the last row, at the bottom, to the first.
    ends = view["base"] + np.cumsum(bars[::-1])[::-1]
    starts = ends - bars
    rows = np.arange(len(bars))
    ax.barh(rows, bars, left=starts, height=0.62, color=[color(bar) for bar in bars])
    for y in rows[:-1]:  # connect the end of a bar to the start of the one above it
        ax.plot([starts[y], starts[y]], [y, y + 1], color=SOFT, linewidth=0.8, zorder=1)
    name_rows(ax, names)
    ax.use_sticky_edges = False
    ax.margins(x=0.12)
    digits = int(np.clip(2 - np.floor(np.log10(max(np.abs(bars).max(), 1e-9))), 0, 6))
    for y, bar, start, end in zip(rows, bars, starts, ends, strict=True):
        right = max(start, end)
        ax.annotate(f"{bar:+.{digits}f}", (right, y), (4, 0), textcoords="offset points", va="center", size=9)
    marks = sorted([(view["base"], "baseline"), (view["output"], "this row")])
    for (value, name), side in zip(marks, ("right", "left"), strict=True):
        ax.axvline(value, color=SOFT, linewidth=1.0, linestyle=":", zorder=0)
        text = f"{name} {value:.{digits}f}"
        ax.annotate(text, (value, 1.0), (0, 3), xycoords=ax.get_xaxis_transform(), textcoords="offset points",
                    ha=side, va="bottom", size=9, color=SOFT)  # fmt: skip
    label = escape_dollars(view["output_name"])
    ax.set_xlabel(f"{label}, decision" if view["scale"] == "decision" else label)
    return ax
