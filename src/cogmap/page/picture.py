"""Graph of the map for the page: boxes and arrow paths, at the positions of the SVG drawing."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.maps.drawing.columns import columns_of
from cogmap.maps.drawing.layout import layout
from cogmap.maps.drawing.picture import Arrow, Box, Picture
from cogmap.maps.drawing.routes import Router
from cogmap.maps.drawing.view import graph_view

_MAX_EDGES = 200  # drawn edges and weaker ones that can be shown on demand
_MARGIN = 10.0


def picture_of(
    concepts: tuple[str, ...],
    weights: NDArray[np.float64],
    kinds: tuple[str, ...] | None,
    strength: NDArray[np.float64] | None,
    positions: NDArray[np.float64] | None,
    carried: Callable[[NDArray[np.bool_]], float] | None = None,
) -> dict[str, Any]:
    """Return ``graph`` (boxes) and ``edges`` (with their paths, strongest first) of the payload.

    Weights are not written in boxes, because they can be edited on the page, which shows them on demand. `carried` is
    that of `graph_view`.
    """
    view = graph_view(concepts, weights, kinds, strength, positions, carried=carried) | {"weights": False}
    picture = layout(view)
    index = {name: i for i, name in enumerate(concepts)}
    boxes = {view["names"].index(box.name): box for box in picture.boxes}
    drawn = list(zip(view["edges"], picture.arrows[::-1], strict=True))
    hidden = [] if positions is not None else _weaker(view, weights, strength, index, boxes)
    edges = [
        {
            "source": index[arrow.source],
            "target": index[arrow.target],
            "strength": round(edge["strength"], 4),
            "drawn": rank < len(drawn),
            **_path(arrow),
        }
        for rank, (edge, arrow) in enumerate([*drawn, *hidden])
    ]
    right, bottom = _ends(picture, [arrow for _, arrow in hidden])
    graph = {
        "width": right,
        "height": bottom,
        "size": round(picture.size, 1),
        "boxes": [_box(box, index[box.name]) for box in picture.boxes],
        "headings": [
            _rounded(label, "x", "y") | {"text": label.text} for label in picture.labels[: len(view["headings"])]
        ],
        "note": f"{view['note']} {view['share']}".rstrip(),
        "left_out": view["n_left_out"],
    }
    return {"graph": graph, "edges": edges}


def _weaker(
    view: dict[str, Any],
    weights: NDArray[np.float64],
    strength: NDArray[np.float64] | None,
    index: dict[str, int],
    boxes: dict[int, Box],
) -> list[tuple[dict[str, Any], Arrow]]:
    """Return the next strongest edges between the same boxes, routed together with the drawn ones."""
    all_strengths = np.abs(weights) if strength is None else strength
    kept = [index[name] for name in view["names"]]
    drawn = {(edge["target"], edge["source"]) for edge in view["edges"]}
    strengths = all_strengths[np.ix_(kept, kept)]
    largest = max((strengths[pair] for pair in drawn), default=0.0) or 1.0
    order = np.argsort(-strengths, axis=None, kind="stable")[: np.count_nonzero(strengths)]
    pairs = [divmod(int(position), len(kept)) for position in order]
    more = [
        {
            "source": source,
            "target": target,
            "weight": float(weights[kept[target], kept[source]]),
            "strength": min(float(strengths[target, source] / largest), 1.0),
        }
        for target, source in pairs
        if source != target and (target, source) not in drawn
    ][: max(_MAX_EDGES - len(drawn), 0)]
    arrows = Router(columns_of(view), boxes, [*view["edges"], *more]).arrows()[::-1]
    return list(zip(more, arrows[len(drawn) :], strict=True))


def _ends(picture: Picture, arrows: list[Arrow]) -> tuple[float, float]:
    """Return the width and height of the drawing, with all arrows and without the legend."""
    corners = [np.array([[box.right, box.bottom]]) for box in picture.boxes]
    corners += [arrow.points for arrow in [*picture.arrows, *arrows]]
    right, bottom = np.concatenate(corners).max(axis=0) + _MARGIN
    return round(float(right), 1), round(float(bottom), 1)


def _path(arrow: Arrow) -> dict[str, Any]:
    start, curves = arrow.points[:1], arrow.points[1:]
    return {"path": f"M{_at(start)}C{_at(curves)}", "head": _at(arrow.head), "width": round(arrow.width, 2)}


def _at(points: NDArray[np.float64]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}".replace(".0", "") for x, y in points)


def _box(box: Box, concept: int) -> dict[str, Any]:
    return {
        "concept": concept,
        "x": round(box.left, 1),
        "y": round(box.top, 1),
        **_rounded(box, "width", "height", "text_x"),
        "anchor": box.anchor,
        "lines": list(box.lines),
        "ring": box.ring and _rounded(box.ring, "x", "y", "radius", "width"),
    }


def _rounded(item: Any, *names: str) -> dict[str, float]:
    return {name: round(getattr(item, name), 1) for name in names}
