"""Total effects of concepts on each other, through all intermediate concepts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import Literal, param_error
from cogmap.maps._arguments import check_map, one_start
from cogmap.maps._states import columns_of
from cogmap.maps._text import count, number, short
from cogmap.maps.dynamics.newton import jacobian
from cogmap.maps.map import FuzzyCognitiveMap

__all__ = ["TotalEffects", "linear_response", "total_effects"]

Array = NDArray[np.float64]

_AT_REST = 1e-6  # largest change of a fixed point in a step
_SHOWN = 10


@dataclass(frozen=True, eq=False)
class TotalEffects:
    """Strongest chain of edges from each concept to each other.

    Attributes
    ----------
    concepts : tuple of str
        Names of the concepts.
    effects : ndarray of shape (n_concepts, n_concepts)
        ``effects[i, j]`` is the effect of concept j on concept i, laid out as the weights of a map: the absolute weight
        of the weakest edge of the strongest chain from j to i, with the sign of the product of its edges; 0 without a
        chain. The diagonal holds feedback loops.
    before : ndarray of int, of shape (n_concepts, n_concepts)
        ``before[i, j]`` is the last concept before i on that chain; -1 without a chain.

    See Also
    --------
    total_effects : Find the strongest chain of edges from each concept to each other.
    linear_response :
        Return the derivatives of a fixed point with respect to clamped concepts: total effects of small changes.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.effects import total_effects
    >>> effects = total_effects(FuzzyCognitiveMap.from_edges([("men", "fish", -0.5), ("fish", "weed", -0.6)]))
    >>> effects.effects[2]
    array([ 0.5, -0.6,  0. ])
    >>> effects.chain("men", "weed")
    ('men', 'fish', 'weed')
    """

    concepts: tuple[str, ...]
    effects: Array
    before: NDArray[np.intp]

    def chain(self, source: str, target: str) -> tuple[str, ...]:
        """Return the concepts of the strongest chain from `source` to `target`, both included.

        Parameters
        ----------
        source, target : str
            Names of concepts.

        Returns
        -------
        tuple of str
            Empty if there is no chain.
        """
        (first,) = columns_of([source], self.concepts, "TotalEffects.chain", "source")
        (last,) = columns_of([target], self.concepts, "TotalEffects.chain", "target")
        if self.before[last, first] < 0:
            return ()
        path = [last, int(self.before[last, first])]
        while path[-1] != first:
            path.append(int(self.before[path[-1], first]))
        return tuple(self.concepts[i] for i in reversed(path))

    def __repr__(self) -> str:
        off = np.abs(self.effects - np.diag(np.diag(self.effects)))
        order = np.argsort(-off, axis=None, kind="stable")[: min(_SHOWN, np.count_nonzero(off))]
        pairs = zip(*np.unravel_index(order, off.shape), strict=True)
        lines = [
            f"  {number(self.effects[i, j], '+')}  "
            + " -> ".join(map(short, self.chain(self.concepts[j], self.concepts[i])))
            for i, j in pairs
        ]
        n_pairs, concepts = int(np.count_nonzero(off)), count(len(self.concepts), "concept")
        head = f"Chains connect {count(n_pairs, 'pair')} of {concepts}. The strongest:"
        return "\n".join([head, *lines]) if n_pairs else f"No chains between {concepts}."


def total_effects(fcm: FuzzyCognitiveMap) -> TotalEffects:
    """Find the strongest chain of edges from each concept to each other.

    The strength of a chain is that of its weakest edge, and the total effect of a concept on another is that of the
    strongest chain between them (Kosko 1986). Among equally strong chains, shorter ones are preferred.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.

    Returns
    -------
    TotalEffects
        Effect of each concept on each other, and the chains.

    See Also
    --------
    linear_response :
        Return the derivatives of a fixed point with respect to clamped concepts: total effects of small changes.
    cogmap.maps.loops.feedback_loops : Find feedback loops, in order of length.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.effects import total_effects
    >>> lake = FuzzyCognitiveMap([[0, 0, 0], [-0.5, 0, 0.8], [0, -0.6, 0]], concepts=["men", "fish", "weed"])
    >>> total_effects(lake)
    Chains connect 4 pairs of 3 concepts. The strongest:
      +0.80  weed -> fish
      -0.60  fish -> weed
      -0.50  men -> fish
      +0.50  men -> fish -> weed
    """
    check_map(fcm, "total_effects")
    edges = fcm.weights.T  # rows are sources
    n = fcm.n_concepts
    strengths, rank = np.unique(np.abs(np.append(edges, 0.0)), return_inverse=True)
    # One integer key orders chains by strength and then by length: a chain of k edges whose weakest edge has rank r has
    # the key r (n + 1) + n - k. Rank 0 means no edge; its key n is larger than any key the search computes for rank 0.
    unit = n + 1
    rank = rank[:-1].reshape(n, n).astype(np.int32 if len(strengths) * unit < np.iinfo(np.int32).max else np.int64)
    key = np.where(rank > 0, rank * unit + n - 1, n)
    sign, signs = np.sign(edges), np.sign(edges)
    before = np.where(rank > 0, np.arange(n)[:, np.newaxis], -1)
    waiting = key.copy()  # -1 for targets whose strongest chain is final
    sources = np.arange(n)
    longer = np.empty_like(rank)
    # Dijkstra's algorithm for the widest instead of the shortest path, from all sources at once.
    for _ in range(n):
        via = np.argmax(waiting, axis=1)
        weakest, left = np.divmod(key[sources, via], unit)
        if not weakest.any():
            break
        waiting[sources, via] = -1
        np.take(rank, via, axis=0, out=longer)
        np.minimum(longer, weakest[:, np.newaxis], out=longer)
        longer *= unit
        longer += (left - 1)[:, np.newaxis]
        better = np.flatnonzero(longer > key)
        row, column = np.divmod(better, n)
        key.flat[better] = waiting.flat[better] = longer.flat[better]
        sign.flat[better] = sign[row, via[row]] * signs[via[row], column]
        before.flat[better] = via[row]
    return TotalEffects(fcm.concepts, (sign * strengths[key // unit]).T, before.T)


def linear_response(fcm: FuzzyCognitiveMap, state: ArrayLike | None = None) -> Array:
    """Return the derivatives of a fixed point with respect to clamped concepts: total effects of small changes.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    state : array-like of shape (n_concepts,), default=None
        The fixed point. None means the one that the map converges to when all concepts start undecided.

    Returns
    -------
    ndarray of shape (n_concepts, n_concepts)
        Entry ``[i, j]`` is the derivative of state i with respect to the state at which concept j is clamped; 1 on the
        diagonal.

    See Also
    --------
    total_effects : Find the strongest chain of edges from each concept to each other.
    cogmap.maps.dynamics.fixed_points : Find stable and unstable fixed points by Newton's method.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.effects import linear_response
    >>> rain = FuzzyCognitiveMap([[0, 0], [2, 0]], concepts=["rain", "umbrellas"])
    >>> linear_response(rain).round(2)  # an umbrella does not make rain
    array([[1.  , 0.  ],
           [0.49, 1.  ]])
    """
    check_map(fcm, "linear_response")
    if state is None:
        settled = fcm.settle(max_steps=10_000)
        if settled.period != 1:
            cure = "Pass a fixed point as `state`, such as one from `cogmap.maps.dynamics.fixed_points(fcm)`."
            got = Literal(f"one that {settled.ending} when all concepts start undecided")
            raise param_error("linear_response", "fcm", "a map that converges to a fixed point", got, cure)
        state = settled.mean
    point = one_start(fcm, state, "linear_response", "state")
    moved = float(np.abs(fcm.step(point) - point).max())
    if moved > _AT_REST:
        raise param_error(
            "linear_response", "state", "a fixed point", Literal(f"a state that changes by {moved:.2g} in a step")
        )
    try:
        response = np.linalg.inv(np.eye(fcm.n_concepts) - jacobian(fcm, point))
    except np.linalg.LinAlgError:
        got = Literal("one where the Jacobian of a step has the eigenvalue 1")
        raise param_error("linear_response", "state", "a fixed point with a finite response", got) from None
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Array = response / np.diag(response)
    return result
