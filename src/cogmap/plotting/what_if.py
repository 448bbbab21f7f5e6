"""Plot a counterfactual: how far each feature has to move to change the prediction."""

import numpy as np
from matplotlib.axes import Axes

from cogmap.explanation import WhatIf
from cogmap.maps.drawing.finishing import wrapped
from cogmap.maps.drawing.picture import SOFT, color
from cogmap.plotting.canvas import (
    View,
    check_answer,
    escape_dollars,
    make_axes,
    name_rows,
    number,
    plain_value,
    short_names,
    value_label,
)


def plot_what_if(what_if: WhatIf, ax: Axes | None = None) -> Axes:
    """Plot the change of a row that changes the prediction: a bar for each changed feature, with its values.

    Parameters
    ----------
    what_if : WhatIf
        Result of ``cogmap.explanation.what_if``.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    cogmap.what_if : Find the smallest change of a row that changes the prediction: a counterfactual.
    WhatIfDisplay : Counterfactual of one row, see `plot_what_if`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, what_if
    >>> from cogmap.plotting import plot_what_if
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y)
    >>> ax = plot_what_if(what_if(fcm, X.iloc[[100]], to=1))
    >>> ax.figure.savefig("what_if.png")  # doctest: +SKIP
    """
    return draw_what_if(what_if_view(what_if), ax)


def what_if_view(what_if: WhatIf) -> View:
    """Collect the data of a figure of a counterfactual."""
    check_answer("plot_what_if", "what_if", what_if, WhatIf, "cogmap.explanation.what_if")
    return {
        "names": [str(name) for name in what_if.changes],
        "values": [list(map(plain_value, values)) for values in what_if.changes.values()],
        "sizes": [float(what_if.sizes[name]) for name in what_if.changes],
        "outputs": [[float(a), float(b)] for a, b in zip(what_if.outputs_before, what_if.outputs, strict=True)],
        "output_names": [str(name) for name in what_if.output_names],
        "sentence": what_if.sentence,
    }


def draw_what_if(view: View, ax: Axes | None = None) -> Axes:
    """Draw the data prepared by `what_if_view`."""
    n_rows = len(view["names"])
    n_shown = max(n_rows, 2)  # one bar alone would be too thick
    ax = make_axes(ax, 6.2, 1.4 + 0.4 * n_shown)
    if not n_rows:
        text = "\n".join(wrapped(escape_dollars(view["sentence"]), 30.0, 1.0))
        ax.set_axis_off()
        ax.text(0.5, 0.5, text, ha="center", va="center", transform=ax.transAxes)
        return ax
    rows, sizes = np.arange(n_rows), np.array(view["sizes"])
    ax.barh(rows, sizes, height=0.5, color=[color(size) for size in sizes])
    for y, size, (before, after) in zip(rows, sizes, view["values"], strict=True):
        ax.annotate(f"{value_label(before)} → {value_label(after)}", (size, y), (5 if size >= 0 else -5, 0),
                    textcoords="offset points", ha="left" if size >= 0 else "right", va="center", size=9)  # fmt: skip
    ax.axvline(0.0, color=SOFT, linewidth=0.8)
    name_rows(ax, short_names(view["names"]))
    ax.set_ylim(n_shown - 0.4, -0.6)
    ax.margins(x=0.35)
    ax.set_xlabel("change, in standard deviations")
    ax.set_title(_output_changes(view), fontsize=10)
    return ax


def _output_changes(view: View) -> str:
    """Describe the change of the output that rises most and of the one that falls most."""
    change = [after - before for before, after in view["outputs"]]
    most, least = int(np.argmax(change)), int(np.argmin(change))
    return "\n".join(
        f"{name}: {number(before)} → {number(after)}"
        for name, (before, after) in (
            (short_names(view["output_names"])[k], view["outputs"][k]) for k in dict.fromkeys([most, least])
        )
    )
