"""Figures of the story of one row: the map unrolled, step by step, with what moves the output."""

import numpy as np
from matplotlib.axes import Axes

from cogmap.explanation import Story
from cogmap.plotting.canvas import View, check_answer, number
from cogmap.plotting.graph import draw_map

_SHARE = 0.9  # of what is carried in a step, which the influences that are drawn carry together
_MOST_A_STEP = 14


def plot_story(story: Story, ax: Axes | None = None) -> Axes:
    """Show how a map gets from one row to one of its outputs.

    There is a column for every step, with the states of the concepts that matter. An arrow is an influence in that
    step: a blue one raises the output above that of the baseline, a vermilion one lowers it, by as much as it is wide.

    Parameters
    ----------
    story : Story
        What ``cogmap.explanation.story`` has found.
    ax : matplotlib Axes, default=None
        Where to draw. None makes a figure that is large enough.

    Returns
    -------
    matplotlib Axes
    """
    return draw_map(story_view(story), ax)


def story_view(story: Story) -> View:
    """Choose what a figure of a story shows: a graph, whose columns are the steps."""
    check_answer("plot_story", "story", story, Story, "cogmap.explanation.story")
    edges = [
        (step, int(target), int(source), float(carried[target, source]))
        for step, carried in enumerate(story.flow)
        for target, source in _strongest(np.abs(carried))
    ]
    places = sorted({(step, source) for step, _, source, _ in edges} | {(step + 1, i) for step, i, _, _ in edges})
    number_of = {place: n for n, place in enumerate(places)}
    most = max((abs(carried) for *_, carried in edges), default=0.0) or 1.0
    drawn = [
        {
            "source": number_of[step, source],
            "target": number_of[step + 1, target],
            "weight": carried,
            "strength": abs(carried) / most,
        }
        for step, target, source, carried in sorted(edges, key=lambda edge: -abs(edge[3]))
    ]
    n_all = int(np.count_nonzero(story.flow))
    note = (
        f"Width shows how much of the way from {number(story.base_value)} (baseline) to {number(story.output)} goes "
        f"through an influence. Numbers are states."
    )
    if len(drawn) < n_all:
        note += f" Drawn are the strongest {len(drawn)} of {n_all}."
    return {
        "names": [f"{story.concepts[i]} {story.states[step, i]:.2f}" for step, i in places],
        "kinds": [story.kinds[i] for _, i in places],
        "columns": [step for step, _ in places],
        "headings": [f"step {step}" if step else "start" for step in sorted({step for step, _ in places})],
        "positions": None,
        "edges": drawn,
        "rings": [],
        "signs": [f"raises {story.output_name}", f"lowers {story.output_name}"],
        "note": note,
        "left_out": [],
        "n_left_out": 0,
    }


def _strongest(sizes: np.ndarray) -> list[tuple[int, ...]]:
    """Return the influences that carry most of a step."""
    order = np.argsort(-sizes, axis=None, kind="stable")[: np.count_nonzero(sizes)]
    carried = np.cumsum(sizes.ravel()[order])
    enough = int(np.searchsorted(carried, _SHARE * carried[-1])) + 1 if len(order) else 0
    return [tuple(map(int, np.unravel_index(place, sizes.shape))) for place in order[: min(enough, _MOST_A_STEP)]]
