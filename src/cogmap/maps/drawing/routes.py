"""Routes of arrows between boxes in columns: forward, within a column, and backward below all boxes."""

from typing import Any

import numpy as np

from cogmap.maps.drawing.columns import Columns
from cogmap.maps.drawing.picture import Arrow, Box, Points, head_length, line_widths

DrawnEdge = dict[str, Any]
Point = tuple[float, float]

_LANE = 6.0  # distance between parallel arrows
_CLEARANCE = 7.0  # from boxes that a route passes
_CORNER_RADIUS = 14.0


class Router:
    """Finds routes for arrows between boxes in columns.

    Every arrow starts and ends at its own port on the side of a box. Ports are ordered by the height of the other end,
    so that arrowheads do not overlap, or by the parts of the name of a combination.
    """

    def __init__(self, columns: Columns, boxes: dict[int, Box], edges: list[DrawnEdge]) -> None:
        self.columns, self.boxes, self.edges = columns, boxes, edges
        self.column_of = {i: number for number, column in enumerate(columns) for i in column}
        self.lefts = [min(boxes[i].left for i in column) for column in columns]
        self.rights = [max(boxes[i].right for i in column) for column in columns]
        self.bottom = max(box.bottom for box in boxes.values())
        self.widths = line_widths(edges)
        self.ports = self._ports()
        self.reach = [self._reach(column) for column in range(len(columns))]
        self.passes = self._passes()
        self.lanes = self._lanes()

    def arrows(self) -> list[Arrow]:
        """Return all arrows, the weakest first."""
        return [
            make_arrow(self._points(number), self.widths[number], self.edges[number], self.boxes)
            for number in reversed(range(len(self.edges)))
        ]

    def _steps(self, number: int) -> int:
        """Return the number of columns by which an edge moves to the right."""
        edge = self.edges[number]
        return self.column_of[edge["target"]] - self.column_of[edge["source"]]

    def _bends_left(self, column: int) -> bool:
        """Return whether arrows within a column bend to its left: outwards, for the first column."""
        return column == 0 and len(self.columns) > 1

    def _sides(self, number: int) -> tuple[str, str]:
        """Return the side of its source on which an edge starts and the side of its target on which it ends."""
        if self._steps(number) == 0:
            side = "left" if self._bends_left(self.column_of[self.edges[number]["source"]]) else "right"
            return side, side
        return "right", "left"

    def _ports(self) -> dict[tuple[int, str], float]:
        """Return the height of both ends of every edge."""
        users_of: dict[tuple[int, str], list[tuple[float, int, str]]] = {}
        for number, edge in enumerate(self.edges):
            ends = ("source", "target")
            for end, other, side in zip(ends, ends[::-1], self._sides(number), strict=True):
                # Backward edges run below all boxes.
                toward = self.boxes[edge[other]].middle if self._steps(number) >= 0 else 2 * self.bottom
                users_of.setdefault((edge[end], side), []).append((toward, number, end))
        ports: dict[tuple[int, str], float] = {}
        for (concept, side), users in users_of.items():
            box = self.boxes[concept]
            space = box.height - 4.0
            heights = [box.top + 2.0 + space * (place + 0.5) / len(users) for place in range(len(users))]
            ordered = [(number, end) for _, number, end in sorted(users)]
            if (
                side == "left" and box.parts
            ):  # arrows end beside the parts of the name, which are in order of the sources
                ordered.sort(key=lambda user: self.edges[user[0]]["source"])
                heights = list(box.parts) if len(box.parts) == len(ordered) else heights
            ports.update(zip(ordered, heights, strict=True))
        return ports

    def _start(self, number: int) -> Point:
        box, side = self.boxes[self.edges[number]["source"]], self._sides(number)[0]
        return getattr(box, side), self.ports[number, "source"]

    def _end(self, number: int) -> Point:
        box, side = self.boxes[self.edges[number]["target"]], self._sides(number)[1]
        return getattr(box, side), self.ports[number, "target"]

    def _points(self, number: int) -> Points:
        steps = self._steps(number)
        if steps > 0:
            return self._forward(number)
        return self._within_column(number) if steps == 0 else self._backward(number)

    def _forward(self, number: int) -> Points:
        """Return a route to the right, horizontal where it passes boxes."""
        start, end = self._start(number), self._end(number)
        points = [start]
        for column in range(
            self.column_of[self.edges[number]["source"]] + 1, self.column_of[self.edges[number]["target"]]
        ):
            height = self.passes[number, column]
            points += _bend(points[-1], (self.lefts[column] - _CLEARANCE, height))
            points += _straight(points[-1], (self.rights[column] + _CLEARANCE, height))
        points += _bend(points[-1], (end[0] - head_length(self.widths[number]), end[1]))
        points += _straight(points[-1], end)
        return np.array(points)

    def _within_column(self, number: int) -> Points:
        """Return a route that bends out of the column and back into it."""
        start, end = self._start(number), self._end(number)
        depth = self._depth(number) * (-1.0 if self._sides(number)[0] == "left" else 1.0)
        return np.array([start, (start[0] + depth, start[1]), (end[0] + depth, end[1]), end])

    def _depth(self, number: int) -> float:
        """Return how far an arrow within a column bends out, which grows with its length."""
        length = abs(self._end(number)[1] - self._start(number)[1])
        return 16.0 + 150.0 * (1.0 - float(np.exp(-length / 400.0)))

    def _reach(self, column: int) -> float:
        """Return how far arrows within a column extend beyond it; backward arrows pass outside of them."""
        from_column = [n for n, edge in enumerate(self.edges) if self.column_of[edge["source"]] == column]
        return max((0.75 * self._depth(number) for number in from_column if self._steps(number) == 0), default=0.0)

    def _backward(self, number: int) -> Points:
        """Return a route to the right, down, to the left below all boxes, and up again."""
        start, end = self._start(number), self._end(number)
        right, bottom, left = self.lanes[number]
        corners = [start, (right, start[1]), (right, bottom), (left, bottom), (left, end[1]), end]
        return _rounded(corners)

    def _passes(self) -> dict[tuple[int, int], float]:
        """Return the heights at which edges pass the columns between their ends, in the gaps between boxes."""
        passes = {}
        for column in range(1, len(self.columns) - 1):
            through = [
                number
                for number, edge in enumerate(self.edges)
                if self.column_of[edge["source"]] < column < self.column_of[edge["target"]]
            ]
            ideal = {number: self._straight_height(number, column) for number in through}
            gaps = self._gaps(column)
            users: dict[int, list[int]] = {}
            for number in sorted(through, key=ideal.__getitem__):
                users.setdefault(_nearest_gap(gaps, ideal[number], users), []).append(number)
            for gap, numbers in users.items():
                heights = _spread(gaps[gap], len(numbers))
                passes.update({(number, column): height for number, height in zip(numbers, heights, strict=True)})
        return passes

    def _straight_height(self, number: int, column: int) -> float:
        start, end = self._start(number), self._end(number)
        middle = (self.lefts[column] + self.rights[column]) / 2
        return start[1] + (end[1] - start[1]) * (middle - start[0]) / (end[0] - start[0])

    def _gaps(self, column: int) -> list[Point]:
        """Return the free intervals of a column from top to bottom; the first and the last are unbounded."""
        boxes = [self.boxes[i] for i in self.columns[column]]
        tops, bottoms = [box.top for box in boxes], [box.bottom for box in boxes]
        return list(zip([-np.inf, *bottoms], [*tops, np.inf], strict=True))

    def _lanes(self) -> dict[int, tuple[float, float, float]]:
        """Return the positions at which each backward edge runs down, left and up; shorter ones run inside."""
        backward = [number for number in range(len(self.edges)) if self._steps(number) < 0]
        down: dict[int, int] = {}
        up: dict[int, int] = {}
        lanes = {}
        order = {n: (self._start(n)[0] - self._end(n)[0], -self._start(n)[1]) for n in backward}
        for depth, number in enumerate(sorted(backward, key=order.__getitem__)):
            source, target = (self.column_of[self.edges[number][end]] for end in ("source", "target"))
            right = self.rights[source] + 10.0 + _LANE * down.setdefault(source, 0)
            left = self.lefts[target] - 16.0 - _LANE * up.setdefault(target, 0)
            right += 0.0 if self._bends_left(source) else self.reach[source]
            left -= self.reach[target] if self._bends_left(target) else 0.0
            down[source] += 1
            up[target] += 1
            lanes[number] = (right, self.bottom + 16.0 + _LANE * depth, left)
        return lanes


def make_arrow(points: Points, width: float, edge: DrawnEdge, boxes: dict[int, Box]) -> Arrow:
    """Return an arrow along a route, which is shortened to end where the arrowhead begins."""
    tip, before = points[-1], points[-2]
    distance = np.hypot(*(tip - before))
    direction = (tip - before) / distance if distance else np.array([1.0, 0.0])
    length = head_length(width)
    points = points.copy()
    points[-1] = tip - 0.8 * length * direction
    if distance < length:  # the last control point would lie in the arrowhead
        points[-2] = points[-1]
    base, normal = tip - length * direction, np.array([-direction[1], direction[0]]) * (2.6 + 0.75 * width)
    head = np.array([tip, base + normal, base - normal])
    names = boxes[edge["source"]].name, boxes[edge["target"]].name
    return Arrow(points, head, width, edge["weight"], *names, dashed=edge.get("dashed", False))


def _nearest_gap(gaps: list[Point], height: float, users: dict[int, list[int]]) -> int:
    """Return the nearest gap with space for another arrow."""

    def cost(gap: int) -> float:
        low, high = gaps[gap]
        distance = max(low + 3.0 - height, height - high + 3.0, 0.0)
        is_full = (len(users.get(gap, ())) + 1) * 3.0 > high - low
        return distance + 1000.0 * is_full

    return min(range(len(gaps)), key=cost)


def _spread(gap: Point, count: int) -> list[float]:
    """Return heights for `count` arrows in a gap, evenly spread, or in adjacent lanes above or below a column."""
    low, high = gap
    places = np.arange(count)
    if np.isinf(low):
        return list(high - _CLEARANCE - _LANE * (count - 1 - places))
    if np.isinf(high):
        return list(low + _CLEARANCE + _LANE * places)
    return list(low + (high - low) * (places + 1) / (count + 1))


def _bend(start: Point, end: Point) -> list[Point]:
    """Return the points of a curve that is horizontal at both ends."""
    middle = (end[0] - start[0]) / 2
    return [(start[0] + middle, start[1]), (end[0] - middle, end[1]), end]


def _straight(start: Point, end: Point) -> list[Point]:
    third = ((end[0] - start[0]) / 3, (end[1] - start[1]) / 3)
    return [(start[0] + third[0], start[1] + third[1]), (end[0] - third[0], end[1] - third[1]), end]


def _rounded(corners: list[Point]) -> Points:
    """Return a route from corner to corner with rounded corners."""
    points = [corners[0]]
    places = np.array(corners)
    for before, corner, after in zip(places[:-2], places[1:-1], places[2:], strict=True):
        lengths = [float(np.hypot(*(other - corner))) for other in (before, after)]
        radius = min(_CORNER_RADIUS, *(length / 2 for length in lengths))
        enter = corner + (before - corner) * (radius / lengths[0] if lengths[0] else 0.0)
        leave = corner + (after - corner) * (radius / lengths[1] if lengths[1] else 0.0)
        points += _straight(points[-1], (float(enter[0]), float(enter[1])))
        points += [tuple(enter + 0.55 * (corner - enter)), tuple(leave + 0.55 * (corner - leave)), tuple(leave)]
    points += _straight(points[-1], corners[-1])
    return np.array(points)
