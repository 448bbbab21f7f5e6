"""Figures of the report as SVG and PNG, drawn from the summary without further computation."""

import io
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from cogmap._utils.files import write_whole
from cogmap.plotting import plot_box, plot_critical_difference, plot_loss_curves
from cogmap.plotting.attractors import draw_attractors
from cogmap.plotting.graph import draw_map
from cogmap.plotting.regions import draw_decision_regions
from cogmap.plotting.transformed import draw_transformed, draw_transformed_3d
from cogmap.research.report.results import BLOCKS, METRICS

# Name, title, caption, and panels by title. Each panel is a separate file, so that a narrow screen can stack them.
ReportFigure = tuple[str, str, str, dict[str, Figure]]


def write_figures(summary: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    """Write all figures to the folder; return names, titles and captions of the figures and their panels."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptions = []
    # Make the files reproducible: no date, and fixed ids of elements.
    with mpl.rc_context({"svg.hashsalt": "cogmap", "svg.fonttype": "path"}):
        drawn = (draw(summary) for draw in (_comparisons, _maps, _pictures, _losses))
        for name, title, caption, panels in chain.from_iterable(drawn):
            images = []
            for kind, figure in panels.items():
                image = f"{name}_{kind.replace(',', '').replace(' ', '_')}" if kind else name
                write_whole(folder / f"{image}.svg", _encode(figure, "svg", metadata={"Date": None}))
                write_whole(folder / f"{image}.png", _encode(figure, "png", dpi=150))
                images.append({"id": image, "title": kind})
            descriptions.append({"id": name, "title": title, "caption": caption, "images": images})
    return descriptions


def _encode(figure: Figure, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format=kind, **options)
    return file.getvalue()


def _comparisons(summary: dict[str, Any]) -> Iterator[ReportFigure]:
    for metric, title in METRICS.items():
        scores = {method: values for method, values in summary["folds"][metric].items() if values}
        if scores:
            figure = Figure(figsize=(7, 0.8 + 0.32 * len(scores)), layout="constrained")
            ax = plot_box(scores, figure.add_subplot())
            ax.set_xlabel(f"{title} of a fold")
            caption = (
                "One box per method, sorted by median; the map is highlighted. The line in a box is the median of the "
                "folds, the box holds the middle half of them, its whiskers reach at most 1.5 times the length of the "
                "box, and points are folds beyond."
            )
            yield f"box_{metric}", f"{title} over all folds", caption, {"": figure}
        for by, test in summary["nemenyi"][metric].items():
            if not test:
                continue
            figure = Figure(figsize=(8, 1.4 + 0.24 * len(test["methods"])), layout="constrained")
            ax = figure.add_subplot()
            plot_critical_difference(
                test["mean_ranks"], test["methods"], test["critical_difference"], test["groups"], ax
            )
            caption = (
                f"Mean ranks over {test['n_blocks']} {BLOCKS[by]}, 1 is the best; a line leads from each method to its "
                "rank, and a thick bar joins methods that do not differ "
                "significantly (Nemenyi test at 0.05)." + (" The paper's figure ranks folds." if by == "folds" else "")
            )
            name = f"critical_difference_{metric}" + ("_folds" if by == "folds" else "")
            yield name, f"Critical differences, {METRICS[metric]} on {BLOCKS[by]}", caption, {"": figure}


def _maps(summary: dict[str, Any]) -> Iterator[ReportFigure]:
    for dataset, view in summary["pictures"]["maps"].items():
        figure: Any = draw_map(view).figure
        caption = (
            "Trained on the first fold; drawn are the edges with the largest flow on its training rows. Blue lines "
            "raise, orange lines lower the concept they point to; a ring is an influence of a concept on itself."
        )
        yield f"map_{dataset}", f"The map of {dataset}", caption, {"": figure}


_PICTURES: dict[str, tuple[str, str, Callable[[Any, Axes], Axes], str | None]] = {
    "moons_regions": (
        "Two moons: decision regions (the paper's figure 3)",
        "The maps with the weights printed in the paper's Table 1, and two trained here; shades are probabilities.",
        draw_decision_regions,
        None,
    ),
    "moons_transformed_3d": (
        "Two moons: the transformed space and its hyperplanes (figure 4)",
        "Two features and an output before the last step, with the decision planes of the last step; points are drawn "
        "above planes.",
        draw_transformed_3d,
        "3d",
    ),
    "moons_transformed": (
        "Two moons: the transformed features (figure 5)",
        "The two features before the last step; the line is the decision boundary in the transformed space.",
        draw_transformed,
        None,
    ),
    "attractors": (
        "Attractors and their basins",
        "Maps of two concepts: attractors of the trajectories and their basins.",
        draw_attractors,
        None,
    ),
}


def _pictures(summary: dict[str, Any]) -> Iterator[ReportFigure]:
    for name, (title, caption, draw, projection) in _PICTURES.items():
        panels = {}
        for kind, view in summary["pictures"][name].items():
            panels[kind] = Figure(figsize=(4.8, 4.6), layout="constrained")
            draw(view, panels[kind].add_subplot(projection=projection))
        yield name, title, caption, panels


def _losses(summary: dict[str, Any]) -> Iterator[ReportFigure]:
    curves = {}
    for name, points in summary["loss_curves"].items():
        if points:  # the stored points are a sample of the curve; interpolate linearly
            iterations, losses = np.transpose(points)
            curves[name] = np.interp(np.arange(1, iterations[-1] + 1), iterations, losses).tolist()
    if curves:
        figure = Figure(figsize=(8, 5), layout="constrained")
        plot_loss_curves(curves, figure.add_subplot())
        caption = "One line per dataset: the loss of the map on the training rows of the first fold, by iteration."
        yield "loss_curves", "Training loss of the map", caption, {"": figure}
