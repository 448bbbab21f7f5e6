"""The drawn map for the page: boxes and ways of arrows at the places where the drawn map has them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.maps.drawing.columns import columns_of
from cogmap.maps.drawing.layout import layout
from cogmap.maps.drawing.picture import Arrow, Box, Picture
from cogmap.maps.drawing.routes import Router
from cogmap.maps.drawing.view import graph_view

_MOST_EDGES = 200  # weaker influences than those of the drawn map can be shown too, up to so many in all
_MARGIN = 10.0


def picture_of(
    concepts: tuple[str, ...],
    weights: NDArray[np.float64],
    kinds: tuple[str, ...] | None,
    strength: NDArray[np.float64] | None,
    positions: NDArray[np.float64] | None,
) -> dict[str, Any]:
    """Return ``graph`` (boxes) and ``edges`` (influences with their ways, the strongest first) of the payload."""
    view = graph_view(concepts, weights, kinds, strength, positions)
    picture = layout(view)
    number = {name: i for i, name in enumerate(concepts)}
    boxes = {view["names"].index(box.name): box for box in picture.boxes}
    drawn = list(zip(view["edges"], picture.arrows[::-1], strict=True))
    hidden = [] if positions is not None else _weaker(view, weights, strength, number, boxes)
    edges = [
        {
            "source": number[arrow.source],
            "target": number[arrow.target],
            "strength": round(edge["strength"], 4),
            "drawn": place < len(drawn),
            **_way(arrow),
        }
        for place, (edge, arrow) in enumerate([*drawn, *hidden])
    ]
    right, bottom = _ends(picture, [arrow for _, arrow in hidden])
    graph = {
        "width": right,
        "height": bottom,
        "size": round(picture.size, 1),
        "boxes": [_box(box, number[box.name]) for box in picture.boxes],
        "headings": [
            _rounded(label, "x", "y") | {"text": label.text} for label in picture.labels[: len(view["headings"])]
        ],
        "note": view["note"],
        "left_out": view["n_left_out"],
    }
    return {"graph": graph, "edges": edges}


def _weaker(
    view: dict[str, Any],
    weights: NDArray[np.float64],
    strength: NDArray[np.float64] | None,
    number: dict[str, int],
    boxes: dict[int, Box],
) -> list[tuple[dict[str, Any], Arrow]]:
    """Return the next strongest influences between the same boxes, with ways that leave room for all."""
    of = np.abs(weights) if strength is None else strength
    kept = [number[name] for name in view["names"]]
    known = {(edge["target"], edge["source"]) for edge in view["edges"]}
    among = of[np.ix_(kept, kept)]
    most = max((among[pair] for pair in known), default=0.0) or 1.0
    order = np.argsort(-among, axis=None, kind="stable")[: np.count_nonzero(among)]
    pairs = [divmod(int(place), len(kept)) for place in order]
    more = [
        {
            "source": source,
            "target": target,
            "weight": float(weights[kept[target], kept[source]]),
            "strength": min(float(among[target, source] / most), 1.0),
        }
        for target, source in pairs
        if source != target and (target, source) not in known
    ][: max(_MOST_EDGES - len(known), 0)]
    arrows = Router(columns_of(view), boxes, [*view["edges"], *more]).arrows()[::-1]
    return list(zip(more, arrows[len(known) :], strict=True))


def _ends(picture: Picture, arrows: list[Arrow]) -> tuple[float, float]:
    """Return how wide and high the drawing is, with all ways and without the legend."""
    corners = [np.array([[box.right, box.bottom]]) for box in picture.boxes]
    corners += [arrow.points for arrow in [*picture.arrows, *arrows]]
    right, bottom = np.concatenate(corners).max(axis=0) + _MARGIN
    return round(float(right), 1), round(float(bottom), 1)


def _way(arrow: Arrow) -> dict[str, Any]:
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


def _rounded(thing: Any, *names: str) -> dict[str, float]:
    return {name: round(getattr(thing, name), 1) for name in names}
