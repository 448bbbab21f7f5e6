"""What a picture of a map is made of: boxes, arrows and words at places, in pixels; y grows downwards."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

# Near the blue and the vermilion of Okabe and Ito, which people with any kind of colour vision can tell apart, and such
# that they can be seen on white as on black; so can the grey of words beside the boxes. A box brings its own ground.
POSITIVE, NEGATIVE = "#1F83C4", "#D55E00"
SOFT = "#7A7F87"
TEXT = "#15191E"
FILLS = {"feature": "#F4F6F8", "hidden": "#DDE1E6", "output": "#FFF1CF", "": "#F4F6F8"}
BORDER = "#8B949E"
OPACITY = 0.9  # of arrows, so that one that is crossed can be followed

LINE = 1.25  # distance of lines of text, in units of the size of the font
_THINNEST, _THICKEST = 0.8, 5.0


def line_widths(edges: list[dict[str, Any]]) -> list[float]:
    """Return the widths of the lines of influences; where all are strong, none has to stand out."""
    if not edges:
        return []
    strengths = np.array([edge["strength"] for edge in edges])
    thickest = np.clip(1.3 * _THICKEST * (1.0 - 0.7 * strengths.mean()), 2.0, _THICKEST)
    widths: list[float] = (_THINNEST + (thickest - _THINNEST) * strengths).tolist()
    return widths


def color(weight: float) -> str:
    """Return the colour of an influence by its sign."""
    return POSITIVE if weight >= 0.0 else NEGATIVE


@dataclass(frozen=True)
class Ring:
    """The influence of a concept on itself, drawn in its box."""

    x: float
    y: float
    radius: float
    width: float
    weight: float


@dataclass(frozen=True)
class Box:
    """A concept: its name on a ground of its own."""

    left: float
    top: float
    width: float
    height: float
    text_x: float  # where words start, or their middle
    anchor: str  # "start" or "middle"
    lines: tuple[str, ...]
    name: str
    kind: str
    alone: bool  # nothing is drawn of it but itself
    ring: Ring | None

    @property
    def right(self) -> float:
        """Right end."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Lower end."""
        return self.top + self.height

    @property
    def middle(self) -> float:
        """Height of its middle."""
        return self.top + self.height / 2

    def moved(self, x: float, y: float) -> "Box":
        """Return the box elsewhere."""
        ring = self.ring and replace(self.ring, x=self.ring.x + x, y=self.ring.y + y)
        return replace(self, left=self.left + x, top=self.top + y, text_x=self.text_x + x, ring=ring)

    def heights_of_lines(self, size: float) -> list[float]:
        """Return the height of the middle of each line of text."""
        first = self.middle - LINE * size * (len(self.lines) - 1) / 2
        return [first + LINE * size * i for i in range(len(self.lines))]


@dataclass(frozen=True)
class Arrow:
    """An influence: a chain of cubic curves that ends where its head begins."""

    points: Points  # the start, then two points of control and an end for each curve
    head: Points  # the three corners
    width: float
    weight: float
    source: str
    target: str

    def moved(self, x: float, y: float) -> "Arrow":
        """Return the arrow elsewhere."""
        by = np.array([x, y])
        return replace(self, points=self.points + by, head=self.head + by)


@dataclass(frozen=True)
class Word:
    """A line of text beside the boxes."""

    x: float
    y: float  # of the middle
    text: str
    anchor: str  # "start" or "middle"

    def moved(self, x: float, y: float) -> "Word":
        """Return the word elsewhere."""
        return replace(self, x=self.x + x, y=self.y + y)


@dataclass(frozen=True)
class Key:
    """A line of the legend: how an influence is drawn, before its word."""

    x: float
    y: float
    kind: str  # "positive", "negative" or "ring"


@dataclass(frozen=True)
class Picture:
    """All of it, the weakest arrows first, so that strong ones lie above them."""

    width: float
    height: float
    size: float  # of the font in boxes
    small: float  # of the font beside them
    boxes: list[Box]
    arrows: list[Arrow]
    words: list[Word]
    keys: list[Key]
    title: str


def head_length(width: float) -> float:
    """Return how long the head of an arrow is whose line has this width."""
    return 5.0 + 1.3 * width
