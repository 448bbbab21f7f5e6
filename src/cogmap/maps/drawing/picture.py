"""Elements of the picture of a map: boxes, arrows and labels, in pixels with y pointing down."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

# Near the blue and the vermilion of Okabe and Ito, which people with any kind of color vision can distinguish, and
# visible on both white and black, as is the gray of labels outside the boxes. Boxes have their own background.
POSITIVE, NEGATIVE = "#1F83C4", "#D55E00"
SOFT = "#7A7F87"
TEXT = "#15191E"
FILLS = {"feature": "#F4F6F8", "hidden": "#DDE1E6", "output": "#FFF1CF", "": "#F4F6F8"}
MUTED = "#4A515A"  # weights in boxes
BORDER = "#8B949E"
OPACITY = 0.9  # of arrows, so that they remain visible where they cross

LINE = 1.25  # line height, in units of the font size
WEIGHT_SIZE = 0.8  # font size of weights in boxes, relative to that of names
_THINNEST, _THICKEST = 0.8, 5.0


def line_widths(edges: list[dict[str, Any]]) -> list[float]:
    """Return line widths by strength, in a narrower range if most edges are strong."""
    if not edges:
        return []
    strengths = np.array([edge["strength"] for edge in edges])
    thickest = np.clip(1.3 * _THICKEST * (1.0 - 0.7 * strengths.mean()), 2.0, _THICKEST)
    widths: list[float] = (_THINNEST + (thickest - _THINNEST) * strengths).tolist()
    return widths


def color(weight: float) -> str:
    """Return the color of an edge by its sign."""
    return POSITIVE if weight >= 0.0 else NEGATIVE


@dataclass(frozen=True)
class Ring:
    """The self-loop of a concept, drawn in its box."""

    x: float
    y: float
    radius: float
    width: float
    weight: float


@dataclass(frozen=True)
class WeightLabel:
    """The weight of an arrow, written in the box where it ends."""

    x: float
    y: float  # of the middle
    text: str


@dataclass(frozen=True)
class Box:
    """A concept: its name on a background."""

    left: float
    top: float
    width: float
    height: float
    text_x: float  # start or middle of the text, by `anchor`
    anchor: str  # "start" or "middle"
    lines: tuple[str, ...]
    name: str
    kind: str
    alone: bool  # no arrow starts or ends here
    ring: Ring | None
    parts: tuple[float, ...] = ()  # heights at which the parts of the name of a combination begin
    weights: tuple[WeightLabel, ...] = ()

    @property
    def right(self) -> float:
        """Right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return self.top + self.height

    @property
    def middle(self) -> float:
        """Vertical middle."""
        return self.top + self.height / 2

    def moved(self, x: float, y: float) -> "Box":
        """Return a copy moved by (x, y)."""
        ring = self.ring and replace(self.ring, x=self.ring.x + x, y=self.ring.y + y)
        weights = tuple(replace(label, x=label.x + x, y=label.y + y) for label in self.weights)
        moved = replace(self, left=self.left + x, top=self.top + y, text_x=self.text_x + x)
        return replace(moved, ring=ring, parts=tuple(height + y for height in self.parts), weights=weights)

    def heights_of_lines(self, size: float) -> list[float]:
        """Return the vertical middle of each line of text."""
        first = self.middle - LINE * size * (len(self.lines) - 1) / 2
        return [first + LINE * size * i for i in range(len(self.lines))]


@dataclass(frozen=True)
class Arrow:
    """An edge: a chain of cubic Bézier curves that ends where the arrowhead begins."""

    points: Points  # the start, then two control points and an end for each curve
    head: Points  # the three corners
    width: float
    weight: float
    source: str
    target: str
    dashed: bool = False  # its sign is uncertain

    def moved(self, x: float, y: float) -> "Arrow":
        """Return a copy moved by (x, y)."""
        offset = np.array([x, y])
        return replace(self, points=self.points + offset, head=self.head + offset)


@dataclass(frozen=True)
class Label:
    """A line of text outside the boxes."""

    x: float
    y: float  # of the middle
    text: str
    anchor: str  # "start" or "middle"

    def moved(self, x: float, y: float) -> "Label":
        """Return a copy moved by (x, y)."""
        return replace(self, x=self.x + x, y=self.y + y)


@dataclass(frozen=True)
class LegendKey:
    """A sample line or ring of the legend, to the left of its label."""

    x: float
    y: float
    kind: str  # "positive", "negative" or "ring"


@dataclass(frozen=True)
class Picture:
    """A complete picture."""

    width: float
    height: float
    size: float  # font size in boxes
    small: float  # font size of labels
    boxes: list[Box]
    arrows: list[Arrow]  # weakest first, so that strong ones are drawn on top
    labels: list[Label]
    keys: list[LegendKey]
    title: str


def weight_text(weight: float) -> str:
    """Return a weight as it is written in a picture."""
    return (f"{weight:+.2f}" if abs(weight) < 9.995 else f"{weight:+.3g}").replace("-", "\N{MINUS SIGN}")


def dashes(width: float) -> tuple[float, float]:
    """Return the lengths of the dashes of a line and of the gaps between them, for a line width."""
    return 4.0 + 1.5 * width, 3.0 + 0.5 * width


def head_length(width: float) -> float:
    """Return the length of the arrowhead for a line width."""
    return 5.0 + 1.3 * width
