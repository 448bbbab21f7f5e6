"""How sure is a scenario: the same scenario for many maps whose weights are drawn at random."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.optional import import_or_raise
from cogmap._utils.params import check_choice, check_integer, check_number
from cogmap.maps._convergence import Run
from cogmap.maps._states import DRIVERS, held_states
from cogmap.maps._text import concept_lines, count, short
from cogmap.maps.activations import get_activation
from cogmap.maps.experts import check_maps, combine
from cogmap.maps.indices import stacked
from cogmap.maps.map import FuzzyCognitiveMap, one_start

Array = NDArray[np.floating]

_OWNER = "monte_carlo"
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_NUMBERS_AT_ONCE = 1 << 17  # weights of a block of samples: a megabyte, which stays in the cache on its way
_LOOK_AFTER = 8  # steps
_AT_REST = 1e-6
_LARGEST = 1e200


@dataclass(frozen=True, eq=False)
class MonteCarlo:
    """What a scenario changes in each of many maps drawn at random.

    Attributes
    ----------
    concepts : tuple of str
        Names of the concepts.
    clamp : dict
        The states that were held, by name.
    before, after : ndarray of shape (n_samples, n_concepts)
        The states of each map left alone and in the scenario; of a map that does not rest, the mean of the last quarter
        of its steps.
    resting : float
        The share of the maps that came to rest, left alone and in the scenario.
    """

    concepts: tuple[str, ...]
    clamp: dict[str, float]
    before: Array
    after: Array
    resting: float

    @property
    def change(self) -> Array:
        """How much higher each state is than before: an array of shape (n_samples, n_concepts)."""
        return self.after - self.before

    @property
    def mean(self) -> Array:
        """The mean change of each concept."""
        result: Array = self.change.mean(axis=0)
        return result

    @property
    def rises(self) -> Array:
        """The share of the maps in which each concept rises."""
        result: Array = (self.change > 0.0).mean(axis=0)
        return result

    def quantiles(self, shares: Collection[float] = _QUANTILES) -> Array:
        """Return changes that given shares of the maps do not exceed.

        Parameters
        ----------
        shares : sequence of float, default=(0.05, 0.25, 0.5, 0.75, 0.95)
            The shares.

        Returns
        -------
        ndarray of shape (n_shares, n_concepts)
        """
        return np.quantile(self.change, list(shares), axis=0)

    def to_dict(self) -> dict[str, Any]:
        """Return means and quantiles as a plain dict that JSON can hold."""
        return {
            "clamp": self.clamp,
            "n_samples": len(self.before),
            "resting": self.resting,
            "concepts": list(self.concepts),
            "mean": self.mean.tolist(),
            "rises": self.rises.tolist(),
            "quantiles": {f"{share:g}": row.tolist() for share, row in zip(_QUANTILES, self.quantiles(), strict=True)},
        }

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row per concept: mean, share of maps in which it rises, quantiles."""
        pandas = import_or_raise("pandas", "MonteCarlo.to_frame", "table")
        columns = {f"{share:.0%}": row for share, row in zip(_QUANTILES, self.quantiles(), strict=True)}
        return pandas.DataFrame({"mean": self.mean, "rises": self.rises, **columns}, index=list(self.concepts))

    def __repr__(self) -> str:
        held = ", ".join(f"{short(concept)} = {state:g}" for concept, state in self.clamp.items()) or "nothing"
        head = f"With {held}, in {count(len(self.before), 'map')}, of which {self.resting:.0%} come to rest:"
        low, _, median, _, high = ([f"{value:+.3f}" for value in row] for row in self.quantiles())
        columns = {"median": median, "5%": low, "95%": high, "rises in": [f"{share:.0%}" for share in self.rises]}
        order = np.argsort(-np.abs(self.mean), kind="stable").tolist()
        return "\n".join([head, *concept_lines(self.concepts, columns, order)])


def monte_carlo(
    maps: FuzzyCognitiveMap | Iterable[FuzzyCognitiveMap],
    clamp: Mapping[str, float],
    spread: float = 0.2,
    shape: str = "uniform",
    n_samples: int = 1000,
    start: ArrayLike | Mapping[str, float] | None = None,
    keep: Collection[str] | str = (),
    steps: int = 100,
    seed: int = 0,
) -> MonteCarlo:
    """Draw the weights of a map at random, many times, and see how far the results of a scenario spread.

    Parameters
    ----------
    maps : FuzzyCognitiveMap or sequence of FuzzyCognitiveMap
        One map, whose weights are drawn within `spread` of what they are; or those of several experts, between whose
        lowest and highest weight each edge is drawn. Three maps may thus be lower ends, most likely values and upper
        ends.
    clamp : mapping
        States, by name, at which concepts are held in the scenario.
    spread : float, default=0.2
        For one map, how far weights may be from what they are. No weight changes its sign, becomes one where there was
        no edge, or leaves [-1, 1] if all are in it.
    shape : {"uniform", "triangular"}, default="uniform"
        How weights are spread between their ends. The most likely one, if they are triangular, is that of the map, or
        the median of the experts.
    n_samples : int, default=1000
        Number of maps to draw.
    start : array-like of shape (n_concepts,) or mapping, default=None
        Where each map starts on its way to its steady state, from which the scenario goes on; None means undecided.
    keep : collection of str, or "drivers", default=()
        Names of concepts that keep the state they start with.
    steps : int, default=100
        The largest number of steps to the steady state, and again in the scenario.
    seed : int, default=0
        Seed of the weights.

    Returns
    -------
    MonteCarlo

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.monte_carlo import monte_carlo
    >>> lake = FuzzyCognitiveMap(
    ...     [[0, 0, 0], [-0.5, 0, 0.8], [0, -0.6, 0]],
    ...     concepts=["fishing", "fish", "weed"], slope=2, activation="logistic",
    ... )
    >>> spread = monte_carlo(lake, {"fishing": 0})
    >>> spread.rises  # shares of 1000 maps
    array([0., 1., 0.])
    """
    shape = check_choice(_OWNER, "shape", shape, ("uniform", "triangular"))
    n_samples = check_integer(_OWNER, "n_samples", n_samples, low=1, high=10_000_000)
    steps = check_integer(_OWNER, "steps", steps, low=1)
    seed = check_integer(_OWNER, "seed", seed, low=0)
    if isinstance(maps, FuzzyCognitiveMap):
        fcm = maps
        low, high = _around(fcm, check_number(_OWNER, "spread", spread, low=0))
    else:
        experts = check_maps(maps, _OWNER)
        fcm = combine(experts, "median")
        weights = stacked(experts)[1]
        low, high = weights.min(axis=0), weights.max(axis=0)
    random = np.random.default_rng(seed)
    first = one_start(fcm, start, _OWNER).astype(np.float64)
    keep = fcm.drivers if isinstance(keep, str) and keep == DRIVERS else keep
    alone = held_states(first, {}, keep, fcm.concepts, _OWNER)
    held = held_states(first, clamp, keep, fcm.concepts, _OWNER)
    drawn = np.nonzero(high > low)
    rows = max(1, _NUMBERS_AT_ONCE // fcm.n_concepts**2)
    before, after = np.empty((2, n_samples, fcm.n_concepts))
    resting = 0
    for begin in range(0, n_samples, rows):
        block = slice(begin, min(begin + rows, n_samples))
        W = np.repeat(fcm.weights[np.newaxis], block.stop - begin, axis=0)
        W[:, drawn[0], drawn[1]] = _draw(random, shape, low[drawn], fcm.weights[drawn], high[drawn], len(W))
        maps_of_block = _Maps(fcm, W)
        before[block], last, rests = maps_of_block.follow(first, *alone, steps)
        after[block], _, rests_held = maps_of_block.follow(last, *held, steps)
        resting += int((rests & rests_held).sum())
    states = {name: float(state) for name, state in clamp.items()}
    return MonteCarlo(fcm.concepts, states, before, after, resting / n_samples)


def _around(fcm: FuzzyCognitiveMap, spread: float) -> tuple[Array, Array]:
    """Return the ends of weights that may be off by as much."""
    W = fcm.weights
    end = 1.0 if (np.abs(W) <= 1.0).all() else np.inf
    low = np.where(W > 0.0, np.maximum(W - spread, 0.0), np.maximum(W - spread, -end))
    high = np.where(W < 0.0, np.minimum(W + spread, 0.0), np.minimum(W + spread, end))
    return np.where(W == 0.0, 0.0, low), np.where(W == 0.0, 0.0, high)


def _draw(random: np.random.Generator, shape: str, low: Array, mode: Array, high: Array, n_samples: int) -> Array:
    size = (n_samples, len(low))
    if shape == "uniform":
        return random.uniform(low, high, size)
    return random.triangular(low, np.clip(mode, low, high), high, size)


class _Maps:
    """Maps that differ in their weights only.

    States are kept relative to the middle of their range, and slopes are part of the weights, so that a step is no more
    than products, a sum and the shape of the activation function.
    """

    def __init__(self, fcm: FuzzyCognitiveMap, W: Array) -> None:
        self.activation = get_activation(fcm.activation)
        factor = np.broadcast_to(self.activation.steepness * fcm.slope, fcm.n_concepts)
        self.middle = np.broadcast_to(self.activation.middle, fcm.n_concepts)
        self.reach = np.broadcast_to(self.activation.reach, fcm.n_concepts)
        with np.errstate(over="ignore"):  # a sum of what is held here is a number
            offset = (W @ self.middle + fcm.bias - self.activation.center) * factor
            self.offset = np.clip(offset, -_LARGEST, _LARGEST)
            self.W = np.clip(W * factor[:, np.newaxis] * self.reach, -_LARGEST, _LARGEST)

    def follow(
        self, first: Array, held: NDArray[np.intp], states: Array, steps: int
    ) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Follow a state of each map: return where it settles, where it is, and whether it rests."""
        T = np.array(np.broadcast_to((first - self.middle) / self.reach, self.offset.shape))
        relative = (states - self.middle[held]) / self.reach[held]
        T[:, held] = relative
        total, n_uncounted = np.zeros_like(T), steps - max(steps // 4, 1)

        def step(T: Array) -> Array:
            T = (self.W @ T[:, :, np.newaxis])[:, :, 0]
            T += self.offset
            self.activation.shape.squash(T)
            T[:, held] = relative
            if run.made > n_uncounted:
                np.add(total, T, out=total)
            return T

        run = Run(step, T, steps)
        while run.advance(_LOOK_AFTER) and run.moved.max() > _AT_REST / 100:
            pass
        rests = run.moved <= _AT_REST
        settled = np.where(rests[:, np.newaxis], run.states, total / max(run.made - n_uncounted, 1))
        return self.middle + self.reach * settled, self.middle + self.reach * run.states, rests
