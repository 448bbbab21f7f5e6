"""The ways of influences between columns: forward, along a column, and back below everything."""

from typing import Any

import numpy as np

from cogmap.maps.drawing.columns import Columns
from cogmap.maps.drawing.picture import Arrow, Box, Points, head_length, line_widths

Edge = dict[str, Any]
Point = tuple[float, float]

LANE = 6.0  # between influences that run beside each other
_CLEAR = 7.0  # from boxes that a way passes
_ROUND = 14.0  # radius of its corners


class Router:
    """Finds ways for the influences between boxes in columns.

    Every way begins and ends at a port of its own on the side of a box, in the order of where it comes from, so that
    heads of arrows do not lie on each other.
    """

    def __init__(self, columns: Columns, boxes: dict[int, Box], edges: list[Edge]) -> None:
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
        """Return by how many columns an influence goes to the right."""
        edge = self.edges[number]
        return self.column_of[edge["target"]] - self.column_of[edge["source"]]

    def _bows_left(self, column: int) -> bool:
        """Whether influences along a column bow to its left: outwards, where it is the first."""
        return column == 0 and len(self.columns) > 1

    def _sides(self, number: int) -> tuple[str, str]:
        """Return from which side of its source an influence starts and on which side of its target it ends."""
        if self._steps(number) == 0:
            side = "left" if self._bows_left(self.column_of[self.edges[number]["source"]]) else "right"
            return side, side
        return "right", "left"

    def _ports(self) -> dict[tuple[int, str], float]:
        """Return the height of both ends of every influence."""
        at: dict[tuple[int, str], list[tuple[float, int, str]]] = {}
        for number, edge in enumerate(self.edges):
            ends = ("source", "target")
            for end, other, side in zip(ends, ends[::-1], self._sides(number), strict=True):
                # What goes back below comes from below.
                toward = self.boxes[edge[other]].middle if self._steps(number) >= 0 else 2 * self.bottom
                at.setdefault((edge[end], side), []).append((toward, number, end))
        ports = {}
        for (concept, _), users in at.items():
            box = self.boxes[concept]
            room = box.height - 4.0
            for place, (_, number, end) in enumerate(sorted(users)):
                ports[number, end] = box.top + 2.0 + room * (place + 0.5) / len(users)
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
        return self._along(number) if steps == 0 else self._back(number)

    def _forward(self, number: int) -> Points:
        """Go to the right, level where boxes are passed."""
        start, end = self._start(number), self._end(number)
        points = [start]
        for column in range(
            self.column_of[self.edges[number]["source"]] + 1, self.column_of[self.edges[number]["target"]]
        ):
            height = self.passes[number, column]
            points += _bend(points[-1], (self.lefts[column] - _CLEAR, height))
            points += _straight(points[-1], (self.rights[column] + _CLEAR, height))
        points += _bend(points[-1], (end[0] - head_length(self.widths[number]), end[1]))
        points += _straight(points[-1], end)
        return np.array(points)

    def _along(self, number: int) -> Points:
        """Bow out of the column and back into it."""
        start, end = self._start(number), self._end(number)
        depth = self._depth(number) * (-1.0 if self._sides(number)[0] == "left" else 1.0)
        return np.array([start, (start[0] + depth, start[1]), (end[0] + depth, end[1]), end])

    def _depth(self, number: int) -> float:
        """Return how far an influence along a column bows out, the farther the longer it is."""
        length = abs(self._end(number)[1] - self._start(number)[1])
        return 16.0 + 150.0 * (1.0 - float(np.exp(-length / 400.0)))

    def _reach(self, column: int) -> float:
        """Return how far influences along a column come out of it; what goes back passes outside."""
        along = [n for n, edge in enumerate(self.edges) if self.column_of[edge["source"]] == column]
        return max((0.75 * self._depth(number) for number in along if self._steps(number) == 0), default=0.0)

    def _back(self, number: int) -> Points:
        """Go out to the right, down, back to the left below everything, and up again."""
        start, end = self._start(number), self._end(number)
        right, bottom, left = self.lanes[number]
        corners = [start, (right, start[1]), (right, bottom), (left, bottom), (left, end[1]), end]
        return _rounded(corners)

    def _passes(self) -> dict[tuple[int, int], float]:
        """Return the heights at which influences pass the columns between their ends: in the gaps between boxes."""
        passes = {}
        for column in range(1, len(self.columns) - 1):
            through = [
                number
                for number, edge in enumerate(self.edges)
                if self.column_of[edge["source"]] < column < self.column_of[edge["target"]]
            ]
            wanted = {number: self._straight_height(number, column) for number in through}
            gaps = self._gaps(column)
            users: dict[int, list[int]] = {}
            for number in sorted(through, key=wanted.__getitem__):
                users.setdefault(_nearest(gaps, wanted[number], users), []).append(number)
            for gap, numbers in users.items():
                heights = _spread(gaps[gap], len(numbers))
                passes.update({(number, column): height for number, height in zip(numbers, heights, strict=True)})
        return passes

    def _straight_height(self, number: int, column: int) -> float:
        start, end = self._start(number), self._end(number)
        middle = (self.lefts[column] + self.rights[column]) / 2
        return start[1] + (end[1] - start[1]) * (middle - start[0]) / (end[0] - start[0])

    def _gaps(self, column: int) -> list[Point]:
        """Return the free intervals of a column from top to bottom; the first and the last have no end."""
        boxes = [self.boxes[i] for i in self.columns[column]]
        tops, bottoms = [box.top for box in boxes], [box.bottom for box in boxes]
        return list(zip([-np.inf, *bottoms], [*tops, np.inf], strict=True))

    def _lanes(self) -> dict[int, tuple[float, float, float]]:
        """Return for each influence that goes back where it runs down, back and up; the nearest go inside."""
        back = [number for number in range(len(self.edges)) if self._steps(number) < 0]
        down: dict[int, int] = {}
        up: dict[int, int] = {}
        lanes = {}
        reach = {number: (self._start(number)[0] - self._end(number)[0], -self._start(number)[1]) for number in back}
        for depth, number in enumerate(sorted(back, key=reach.__getitem__)):
            source, target = (self.column_of[self.edges[number][end]] for end in ("source", "target"))
            right = self.rights[source] + 10.0 + LANE * down.setdefault(source, 0)
            left = self.lefts[target] - 16.0 - LANE * up.setdefault(target, 0)
            right += 0.0 if self._bows_left(source) else self.reach[source]
            left -= self.reach[target] if self._bows_left(target) else 0.0
            down[source] += 1
            up[target] += 1
            lanes[number] = (right, self.bottom + 16.0 + LANE * depth, left)
        return lanes


def make_arrow(points: Points, width: float, edge: Edge, boxes: dict[int, Box]) -> Arrow:
    """Give a way its head, and end it where the head begins."""
    tip, before = points[-1], points[-2]
    distance = np.hypot(*(tip - before))
    direction = (tip - before) / distance if distance else np.array([1.0, 0.0])
    length = head_length(width)
    points = points.copy()
    points[-1] = tip - 0.8 * length * direction
    if distance < length:  # the last point of control would lie in the head
        points[-2] = points[-1]
    base, across = tip - length * direction, np.array([-direction[1], direction[0]]) * (2.6 + 0.75 * width)
    head = np.array([tip, base + across, base - across])
    return Arrow(points, head, width, edge["weight"], boxes[edge["source"]].name, boxes[edge["target"]].name)


def _nearest(gaps: list[Point], height: float, users: dict[int, list[int]]) -> int:
    """Return the nearest gap in which there is room for one more."""

    def cost(gap: int) -> float:
        low, high = gaps[gap]
        away = max(low + 3.0 - height, height - high + 3.0, 0.0)
        full = (len(users.get(gap, ())) + 1) * 3.0 > high - low
        return away + 1000.0 * full

    return min(range(len(gaps)), key=cost)


def _spread(gap: Point, count: int) -> list[float]:
    """Return heights for so many influences in a gap; beyond the ends of a column they lie beside each other."""
    low, high = gap
    places = np.arange(count)
    if np.isinf(low):
        return list(high - _CLEAR - LANE * (count - 1 - places))
    if np.isinf(high):
        return list(low + _CLEAR + LANE * places)
    return list(low + (high - low) * (places + 1) / (count + 1))


def _bend(start: Point, end: Point) -> list[Point]:
    """Return the points of a curve that leaves and arrives level."""
    middle = (end[0] - start[0]) / 2
    return [(start[0] + middle, start[1]), (end[0] - middle, end[1]), end]


def _straight(start: Point, end: Point) -> list[Point]:
    third = ((end[0] - start[0]) / 3, (end[1] - start[1]) / 3)
    return [(start[0] + third[0], start[1] + third[1]), (end[0] - third[0], end[1] - third[1]), end]


def _rounded(corners: list[Point]) -> Points:
    """Return a way from corner to corner with round corners."""
    points = [corners[0]]
    places = np.array(corners)
    for before, corner, after in zip(places[:-2], places[1:-1], places[2:], strict=True):
        lengths = [float(np.hypot(*(other - corner))) for other in (before, after)]
        radius = min(_ROUND, *(length / 2 for length in lengths))
        enter = corner + (before - corner) * (radius / lengths[0] if lengths[0] else 0.0)
        leave = corner + (after - corner) * (radius / lengths[1] if lengths[1] else 0.0)
        points += _straight(points[-1], (float(enter[0]), float(enter[1])))
        points += [tuple(enter + 0.55 * (corner - enter)), tuple(leave + 0.55 * (corner - leave)), tuple(leave)]
    points += _straight(points[-1], corners[-1])
    return np.array(points)
