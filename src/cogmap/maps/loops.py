"""Feedback loops: chains of influence that come back to where they started."""

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import check_integer
from cogmap.maps._text import count, number, short
from cogmap.maps.map import FuzzyCognitiveMap, check_map

_LOOKS = 1_000_000  # edges looked at before the search is given up: about a second
_SHOWN = 10


@dataclass(frozen=True)
class Loop:
    """Concepts of which each influences the next, and the last one the first.

    Attributes
    ----------
    concepts : tuple of str
        Names of the concepts, in the order of the arrows.
    gain : float
        The product of the weights: by what factor a small change would come back, if states were passed on as they
        are. Above 0 the loop reinforces a change, below it works against it.
    """

    concepts: tuple[str, ...]
    gain: float

    @property
    def sign(self) -> int:
        """1 if the loop reinforces a change, -1 if it works against it."""
        return 1 if self.gain > 0 else -1

    @property
    def strength(self) -> float:
        """The gain without its sign."""
        return abs(self.gain)


@dataclass(frozen=True)
class FeedbackLoops:
    """The loops of a map that were found.

    Attributes
    ----------
    loops : tuple of Loop
        The strongest first.
    complete_to : int
        All loops of up to this many concepts were found.
    complete : bool
        Whether these are all loops of the map.
    """

    loops: tuple[Loop, ...]
    complete_to: int
    complete: bool

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        positive = sum(loop.sign > 0 for loop in self.loops)
        found = f"{count(len(self.loops), 'loop')}: {positive} reinforcing, {len(self.loops) - positive} balancing."
        if self.complete:
            return f"{found} There are no others."
        return f"{found} All of up to {count(self.complete_to, 'concept')} are there; there may be longer ones."

    def __repr__(self) -> str:
        lines = [
            f"  {number(loop.gain, '+', 3)}  {' -> '.join(map(short, loop.concepts))}" for loop in self.loops[:_SHOWN]
        ]
        more = [f"  ... and {len(self.loops) - _SHOWN} more"] if len(self.loops) > _SHOWN else []
        return "\n".join([self.sentence, *lines, *more])


def feedback_loops(fcm: FuzzyCognitiveMap, max_length: int = 8, max_loops: int = 10_000) -> FeedbackLoops:
    """Find feedback loops, short ones first, until there are enough.

    A map may have more loops than anybody can count, so the search is bounded: by the length of a loop, the number of
    loops, and about a second.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    max_length : int, default=8
        The largest number of concepts in a loop. An edge from a concept to itself is a loop of one.
    max_loops : int, default=10000
        The largest number of loops.

    Returns
    -------
    FeedbackLoops

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.loops import feedback_loops
    >>> feedback_loops(FuzzyCognitiveMap([[0, 0, 0], [-0.5, 0, 0.8], [0, -0.6, 0]], concepts=["men", "fish", "weed"]))
    1 loop: 0 reinforcing, 1 balancing. There are no others.
      -0.480  fish -> weed
    """
    check_map(fcm, "feedback_loops")
    max_length = check_integer("feedback_loops", "max_length", max_length, low=1)
    max_loops = check_integer("feedback_loops", "max_loops", max_loops, low=1)
    search = _Search(fcm.weights)
    paths: list[list[int]] = []
    complete_to, complete = 0, False
    for length in range(1, min(max_length, fcm.n_concepts) + 1):
        paths += islice(search.loops(length), max_loops + 1 - len(paths))
        if len(paths) > max_loops or search.looks > _LOOKS:
            break
        complete_to, complete = length, not search.longer or length == fcm.n_concepts
        if complete:
            break
    found = (_loop(fcm, path) for path in paths[:max_loops])
    return FeedbackLoops(tuple(sorted(found, key=lambda loop: -loop.strength)), complete_to, complete)


def _loop(fcm: FuzzyCognitiveMap, path: list[int]) -> Loop:
    weights = [float(fcm.weights[target, source]) for source, target in zip(path, path[1:] + path[:1], strict=True)]
    return Loop(tuple(fcm.concepts[i] for i in path), math.prod(weights))


class _Search:
    """Loops of a given length; each is found once, from the first of its concepts."""

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self.targets = [np.flatnonzero(column).tolist() for column in weights.T]
        self.sources = [np.flatnonzero(row).tolist() for row in weights]
        # From each concept, how many arrows it takes to come back to the root, through concepts after the root only.
        self.back = [self._distances(root) for root in range(len(weights))]
        self.looks = 0
        self.longer = True

    def _distances(self, root: int) -> dict[int, int]:
        distances, queue = {root: 0}, deque([root])
        while queue:
            concept = queue.popleft()
            for source in self.sources[concept]:
                if source > root and source not in distances:
                    distances[source] = distances[concept] + 1
                    queue.append(source)
        return distances

    def loops(self, length: int) -> Iterator[list[int]]:
        """Yield the loops of this length; then `longer` says whether a chain was left that might close later."""
        self.longer = False
        for root, back in enumerate(self.back):
            path, choices = [root], [iter(self.targets[root])]
            while choices:
                target = next(choices[-1], None)
                self.looks += 1
                if self.looks > _LOOKS:
                    return
                if target is None:
                    choices.pop()
                    path.pop()
                elif target == root:
                    if len(path) == length:
                        yield path.copy()
                elif target in back and target not in path:
                    if len(path) + back[target] <= length:
                        path.append(target)
                        choices.append(iter(self.targets[target]))
                    else:
                        self.longer = True
