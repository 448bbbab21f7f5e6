"""Figures of the report, as SVG and PNG."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import make_moons

from cogmap import FCMClassifier
from cogmap.dynamics import FOUR_FIXED_POINTS, ONE_CYCLE, TWO_FIXED_POINTS
from cogmap.plotting import (
    plot_attractors,
    plot_box,
    plot_critical_difference,
    plot_decision_regions,
    plot_loss_curves,
    plot_transformed,
    plot_transformed_3d,
)

Drawn = tuple[str, str, str, Figure]  # id, title, caption


def write_figures(summary: dict[str, Any], folder: Path) -> list[dict[str, str]]:
    """Draw all figures into the folder; return their names, titles and captions."""
    folder.mkdir(parents=True, exist_ok=True)
    described = []
    # The same results give the same files: no date, and names of elements that do not change.
    with mpl.rc_context({"svg.hashsalt": "cogmap", "svg.fonttype": "path"}):
        for name, title, caption, figure in _draw(summary):
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
            figure.savefig(folder / f"{name}.png", dpi=150)
            described.append({"id": name, "title": title, "caption": caption})
    return described


def _draw(summary: dict[str, Any]) -> Iterator[Drawn]:
    yield from _comparisons(summary)
    yield from _moons()
    yield _attractors()
    yield from _losses(summary)


def _comparisons(summary: dict[str, Any]) -> Iterator[Drawn]:
    for metric, title in (("accuracy", "Accuracy"), ("f1_macro", "Macro F1")):
        scores = {method: values for method, values in summary["folds"][metric].items() if values}
        if scores:
            figure = Figure(figsize=(7, 0.8 + 0.32 * len(scores)), layout="constrained")
            ax = plot_box(scores, figure.add_subplot())
            ax.set_xlabel(f"{title} of a fold")
            yield f"box_{metric}", f"{title} over all folds", "Sorted by median; the map is highlighted.", figure
        test = summary["nemenyi"][metric]
        if test:
            figure = Figure(figsize=(8, 1.4 + 0.24 * len(test["methods"])), layout="constrained")
            ax = figure.add_subplot()
            plot_critical_difference(
                test["mean_ranks"], test["methods"], test["critical_difference"], test["groups"], ax
            )
            caption = (
                f"Mean ranks over {test['n_datasets']} datasets; a bar joins methods that the Nemenyi test at 0.05 "
                "cannot tell apart."
            )
            yield f"critical_difference_{metric}", f"Critical differences, {title.lower()}", caption, figure


def _moons() -> Iterator[Drawn]:
    """The paper's example: make_moons with one output and with two."""
    X, y = make_moons(300, noise=0.1, random_state=0)
    settings = {"depth": 3, "n_hidden": 0, "alpha": 0.01, "max_iter": 5000, "random_state": 1}
    fitted = {
        "one output": FCMClassifier(output="single", **settings).fit(X, y),
        "one output a class": FCMClassifier(output="one_hot", **settings).fit(X, y),
    }
    planes = "Two features and an output before the last step, with the planes that the last step decides by."
    panels: list[tuple[str, str, str, Callable[..., Any], str | None]] = [
        ("moons_regions", "Decision regions", "Two moons; shades are probabilities.", plot_decision_regions, None),
        ("moons_transformed", "Transformed space", "The features before the last step.", plot_transformed, None),
        ("moons_transformed_3d", "Transformed space with an output", planes, plot_transformed_3d, "3d"),
    ]
    for name, title, caption, plot, projection in panels:
        figure = Figure(figsize=(10, 4.6), layout="constrained")
        for number, (kind, fcm) in enumerate(fitted.items()):
            ax = figure.add_subplot(1, 2, number + 1, projection=projection)
            plot(fcm, X, y, ax)
            ax.set_title(kind, fontsize=11, pad=None if projection else 26)  # above the legend
        yield name, title, caption, figure


def _attractors() -> Drawn:
    figure = Figure(figsize=(11, 4), layout="constrained")
    examples = {"two fixed points": TWO_FIXED_POINTS, "four fixed points": FOUR_FIXED_POINTS, "a cycle": ONE_CYCLE}
    for number, (title, fcm) in enumerate(examples.items()):
        ax = plot_attractors(fcm, figure.add_subplot(1, 3, number + 1))
        ax.set_title(title, fontsize=11)
    caption = "Maps of two concepts: where trajectories end, and from where they get there."
    return "attractors", "Attractors and their basins", caption, figure


def _losses(summary: dict[str, Any]) -> Iterator[Drawn]:
    curves = {}
    for name, points in summary["loss_curves"].items():
        if points:  # some points of the curve were kept; lines between them are good enough
            iterations, losses = np.transpose(points)
            curves[name] = np.interp(np.arange(1, iterations[-1] + 1), iterations, losses).tolist()
    if curves:
        figure = Figure(figsize=(8, 5), layout="constrained")
        plot_loss_curves(curves, figure.add_subplot())
        yield "loss_curves", "Loss of the map while learning", "First fold of each dataset.", figure
