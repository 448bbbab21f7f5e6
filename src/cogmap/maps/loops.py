"""Feedback loops: directed cycles of a map."""

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import check_integer
from cogmap.maps._arguments import check_map
from cogmap.maps._text import count, number, short
from cogmap.maps.map import FuzzyCognitiveMap

__all__ = ["FeedbackLoops", "Loop", "feedback_loops"]

_MAX_VISITS = 1_000_000  # edges visited before the search stops: about a second
_SHOWN = 10


@dataclass(frozen=True)
class Loop:
    """A directed cycle of concepts.

    Attributes
    ----------
    concepts : tuple of str
        Names of the concepts, in the direction of the edges.
    gain : float
        Product of the weights: the factor by which a small change returns, if activation functions were the identity. A
        positive loop reinforces a change, a negative one balances it.

    See Also
    --------
    feedback_loops : Find feedback loops, in order of length.
    FeedbackLoops : Feedback loops found in a map.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.loops import feedback_loops
    >>> (loop,) = feedback_loops(FuzzyCognitiveMap([[0, 0.8], [-0.6, 0]], concepts=["fish", "weed"])).loops
    >>> loop.concepts, loop.sign, loop.strength
    (('fish', 'weed'), -1, 0.48)
    """

    concepts: tuple[str, ...]
    gain: float

    @property
    def sign(self) -> int:
        """1 for a reinforcing loop, -1 for a balancing one."""
        return 1 if self.gain > 0 else -1

    @property
    def strength(self) -> float:
        """Absolute gain."""
        return abs(self.gain)


@dataclass(frozen=True)
class FeedbackLoops:
    """Feedback loops found in a map.

    Attributes
    ----------
    loops : tuple of Loop
        The loops, strongest first.
    complete_to : int
        Length up to which all loops were found.
    complete : bool
        Whether these are all loops of the map.

    See Also
    --------
    feedback_loops : Find feedback loops, in order of length.
    Loop : A directed cycle of concepts.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.loops import feedback_loops
    >>> found = feedback_loops(FuzzyCognitiveMap([[0, 0.8], [-0.6, 0]], concepts=["fish", "weed"]))
    >>> found.sentence
    '1 loop: 0 reinforcing, 1 balancing. There are no others.'
    """

    loops: tuple[Loop, ...]
    complete_to: int
    complete: bool

    @property
    def sentence(self) -> str:
        """Summary as a sentence."""
        positive = sum(loop.sign > 0 for loop in self.loops)
        summary = f"{count(len(self.loops), 'loop')}: {positive} reinforcing, {len(self.loops) - positive} balancing."
        if self.complete:
            return f"{summary} There are no others."
        return (
            f"{summary} All loops of up to {count(self.complete_to, 'concept')} are listed; there may be longer ones."
        )

    def __repr__(self) -> str:
        lines = [
            f"  {number(loop.gain, '+', 3)}  {' -> '.join(map(short, loop.concepts))}" for loop in self.loops[:_SHOWN]
        ]
        more = [f"  ... and {len(self.loops) - _SHOWN} more"] if len(self.loops) > _SHOWN else []
        return "\n".join([self.sentence, *lines, *more])


def feedback_loops(fcm: FuzzyCognitiveMap, max_length: int = 8, max_loops: int = 10_000) -> FeedbackLoops:
    """Find feedback loops, in order of length.

    The number of loops can be exponential in the number of concepts, so the search is bounded by the length of a loop,
    the number of loops, and about a second of run time.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    max_length : int, default=8
        Largest number of concepts in a loop. An edge from a concept to itself is a loop of length 1.
    max_loops : int, default=10000
        Largest number of loops.

    Returns
    -------
    FeedbackLoops
        The loops, strongest first, and whether there are others.

    See Also
    --------
    cogmap.maps.effects.total_effects : Find the strongest chain of edges from each concept to each other.
    cogmap.maps.indices.indices : Compute the structural indices of a map.

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
    search = _LoopSearch(fcm.weights)
    paths: list[list[int]] = []
    complete_to, complete = 0, False
    for length in range(1, min(max_length, fcm.n_concepts) + 1):
        paths += islice(search.loops(length), max_loops + 1 - len(paths))
        if len(paths) > max_loops or search.n_visits > _MAX_VISITS:
            break
        complete_to, complete = length, not search.longer or length == fcm.n_concepts
        if complete:
            break
    loops = (_loop(fcm, path) for path in paths[:max_loops])
    return FeedbackLoops(tuple(sorted(loops, key=lambda loop: -loop.strength)), complete_to, complete)


def _loop(fcm: FuzzyCognitiveMap, path: list[int]) -> Loop:
    weights = [float(fcm.weights[target, source]) for source, target in zip(path, path[1:] + path[:1], strict=True)]
    return Loop(tuple(fcm.concepts[i] for i in path), math.prod(weights))


class _LoopSearch:
    """Search for loops of a given length; each is found once, from the first of its concepts (the root)."""

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self.targets = [np.flatnonzero(column).tolist() for column in weights.T]
        self.sources = [np.flatnonzero(row).tolist() for row in weights]
        # For each root, the number of edges from a concept back to it, through concepts after the root only.
        self.back = [self._distances(root) for root in range(len(weights))]
        self.n_visits = 0
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
        """Yield the loops of this length, and set `longer` if some path may close in a longer loop."""
        self.longer = False
        for root, back in enumerate(self.back):
            path, choices = [root], [iter(self.targets[root])]
            while choices:
                target = next(choices[-1], None)
                self.n_visits += 1
                if self.n_visits > _MAX_VISITS:
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
