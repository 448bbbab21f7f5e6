"""Plot the unrolled map of one row, with the flow through its edges at each step."""

import numpy as np
from matplotlib.axes import Axes

from cogmap.explanation import Story
from cogmap.plotting.canvas import View, check_answer, number
from cogmap.plotting.graph import draw_map

_SHARE = 0.9  # least fraction of the flow of a step that the drawn edges carry
_MAX_EDGES = 14  # per step


def plot_story(story: Story, ax: Axes | None = None) -> Axes:
    """Plot how a map computes one output of one row.

    There is a column for every step, with the states of the most relevant concepts. An arrow is an edge in that step:
    blue raises the output above that of the baseline, vermilion lowers it, and the width is the amount.

    Parameters
    ----------
    story : Story
        Result of ``cogmap.explanation.story``.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure of sufficient size is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    cogmap.story : Trace how a map computes the output of one row.
    StoryDisplay : How a map computes the output of one row, step by step, see `plot_story`.
    plot_contributions : Plot the contribution of each feature to an output of a row as a waterfall from the baseline.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, story
    >>> from cogmap.plotting import plot_story
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y)
    >>> ax = plot_story(story(fcm, X.iloc[[0]]))
    >>> ax.figure.savefig("story.png")  # doctest: +SKIP
    """
    return draw_map(story_view(story), ax)


def story_view(story: Story) -> View:
    """Build a graph whose columns are the steps, for `draw_map`."""
    check_answer("plot_story", "story", story, Story, "cogmap.explanation.story")
    edges = [
        (step, int(target), int(source), float(carried[target, source]))
        for step, carried in enumerate(story.flow)
        for target, source in _strongest(np.abs(carried))
    ]
    nodes = sorted({(step, source) for step, _, source, _ in edges} | {(step + 1, i) for step, i, _, _ in edges})
    index = {node: n for n, node in enumerate(nodes)}
    most = max((abs(carried) for *_, carried in edges), default=0.0) or 1.0
    drawn = [
        {
            "source": index[step, source],
            "target": index[step + 1, target],
            "weight": carried,
            "strength": abs(carried) / most,
        }
        for step, target, source, carried in sorted(edges, key=lambda edge: -abs(edge[3]))
    ]
    n_all = int(np.count_nonzero(story.flow))
    note = (
        f"Width shows how much of the change from {number(story.base_value)} (baseline) to {number(story.output)} goes "
        f"through an edge. Numbers are states."
    )
    if (np.diagonal(story.flow, axis1=1, axis2=2) * (np.diag(story.weights) == 0.0)).any():
        note += " A held concept keeps its part for later steps."
    if len(drawn) < n_all:
        note += f" The strongest {len(drawn)} of {n_all} edges are drawn."
    return {
        "names": [f"{story.concepts[i]} {story.states[step, i]:.2f}" for step, i in nodes],
        "kinds": [story.kinds[i] for _, i in nodes],
        "columns": [step for step, _ in nodes],
        "headings": [f"step {step}" if step else "start" for step in sorted({step for step, _ in nodes})],
        "positions": None,
        "edges": drawn,
        "rings": [],
        "signs": [f"raises {story.output_name}", f"lowers {story.output_name}"],
        "note": note,
        "left_out": [],
        "n_left_out": 0,
    }


def _strongest(sizes: np.ndarray) -> list[tuple[int, ...]]:
    """Return the edges that carry most of the flow of a step."""
    order = np.argsort(-sizes, axis=None, kind="stable")[: np.count_nonzero(sizes)]
    carried = np.cumsum(sizes.ravel()[order])
    n_edges = int(np.searchsorted(carried, _SHARE * carried[-1])) + 1 if len(order) else 0
    return [tuple(map(int, np.unravel_index(edge, sizes.shape))) for edge in order[: min(n_edges, _MAX_EDGES)]]
