"""Uncertainty of a scenario: its outcome in many maps with random weights."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.optional import import_or_raise
from cogmap._utils.params import Literal, check_choice, check_integer, check_number, param_error, real
from cogmap.maps._arguments import check_maps, one_start
from cogmap.maps._convergence import Run
from cogmap.maps._states import DRIVERS, clamped_states
from cogmap.maps._text import clamp_text, concept_lines, count
from cogmap.maps.activations import get_activation
from cogmap.maps.experts import combine
from cogmap.maps.indices import stacked
from cogmap.maps.map import FuzzyCognitiveMap

__all__ = ["MonteCarlo", "monte_carlo"]

Array = NDArray[np.floating]

_OWNER = "monte_carlo"
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_WEIGHTS_PER_BLOCK = 1 << 17  # a megabyte per block of samples, so that it fits in the cache
_STEPS_PER_CHECK = 8
_AT_REST = 1e-6  # largest change of a state per step
_LARGEST = 1e200


@dataclass(frozen=True, eq=False)
class MonteCarlo:
    """Changes caused by a scenario in each of many random maps.

    Attributes
    ----------
    concepts : tuple of str
        Names of the concepts.
    clamp : dict
        Clamped states, by name.
    before, after : ndarray of shape (n_samples, n_concepts)
        Final states of each map without and with the clamp; without convergence, the mean over the last quarter of the
        steps.
    resting : float
        Share of the maps that converge to a fixed point, both without and with the clamp.

    See Also
    --------
    monte_carlo : Run a scenario on many maps with random weights and return the distribution of its outcome.
    cogmap.plotting.plot_monte_carlo : Plot the spread of the results of a scenario over random maps.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.monte_carlo import monte_carlo
    >>> lake = FuzzyCognitiveMap.from_edges([("fishing", "fish", -0.5), ("weed", "fish", 0.8)], slope=2)
    >>> spread = monte_carlo(lake, {"fishing": 0}, n_samples=100, keep="drivers")
    >>> low, high = spread.quantiles([0.05, 0.95])
    >>> bool(0 < low[1] < high[1])
    True
    >>> spread.to_dict()["n_samples"], spread.to_frame().shape
    (100, (3, 7))
    """

    concepts: tuple[str, ...]
    clamp: dict[str, float]
    before: Array
    after: Array
    resting: float

    @property
    def change(self) -> Array:
        """Difference ``after - before``, an array of shape (n_samples, n_concepts)."""
        return self.after - self.before

    @property
    def mean(self) -> Array:
        """Mean change of each concept."""
        result: Array = self.change.mean(axis=0)
        return result

    @property
    def rises(self) -> Array:
        """Share of the maps in which each concept rises."""
        result: Array = (self.change > 0.0).mean(axis=0)
        return result

    def quantiles(self, shares: Collection[float] = _QUANTILES) -> Array:
        """Return quantiles of the change of each concept.

        Parameters
        ----------
        shares : sequence of float, default=(0.05, 0.25, 0.5, 0.75, 0.95)
            Probabilities of the quantiles.

        Returns
        -------
        ndarray of shape (n_shares, n_concepts)
            Quantiles of `change`, one row per probability.
        """
        return np.quantile(self.change, list(shares), axis=0)

    def to_dict(self) -> dict[str, Any]:
        """Return means and quantiles as a JSON-compatible dict.

        Returns
        -------
        dict
            Clamp, number of maps, and for each concept the mean change, the share of maps in which it rises, and
            quantiles.
        """
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
        """Return a pandas data frame with one row per concept: mean, share of maps in which it rises, quantiles.

        Returns
        -------
        pandas.DataFrame
            One row per concept.
        """
        pandas = import_or_raise("pandas", "MonteCarlo.to_frame", "table")
        columns = {f"{share:.0%}": row for share, row in zip(_QUANTILES, self.quantiles(), strict=True)}
        return pandas.DataFrame({"mean": self.mean, "rises": self.rises, **columns}, index=list(self.concepts))

    def __repr__(self) -> str:
        maps = count(len(self.before), "map")
        head = f"With {clamp_text(self.clamp)}, in {maps}, of which {self.resting:.0%} converge to a fixed point:"
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
    intervals: Any = None,
) -> MonteCarlo:
    """Run a scenario on many maps with random weights and return the distribution of its outcome.

    Parameters
    ----------
    maps : FuzzyCognitiveMap or sequence of FuzzyCognitiveMap
        One map, whose weights vary by up to `spread`; or maps of several experts, where each weight varies between
        their lowest and highest. Three maps may thus give lower bounds, most likely values and upper bounds.
    clamp : mapping
        States, by name, at which concepts are clamped in the scenario.
    spread : float, default=0.2
        For one map, the largest deviation of a weight. No weight changes its sign, no edge is added, and no weight
        leaves [-1, 1] if all are in it.
    shape : {"uniform", "triangular"}, default="uniform"
        Distribution of a weight between its bounds. The mode of the triangular one is the weight of the map, or the
        median of the experts.
    n_samples : int, default=1000
        Number of maps to draw.
    start : array-like of shape (n_concepts,) or mapping, default=None
        Initial states of each map for its steady state, from which the scenario starts; None means undecided.
    keep : collection of str, or "drivers", default=()
        Names of concepts that keep their initial state.
    steps : int, default=100
        Largest number of steps to the steady state, and again in the scenario.
    seed : int, default=0
        Seed of the weights.
    intervals : ArrowIntervals or pair of array-like of shape (n_concepts, n_concepts), default=None
        For one map, the lowest and highest weight of each edge, instead of `spread`: `cogmap.arrow_intervals` gives
        them for a learned map.

    Returns
    -------
    MonteCarlo
        Final states of each map, without and with the clamp.

    See Also
    --------
    cogmap.maps.ranges.scenario_ranges :
        Compute ranges that a scenario cannot leave, whatever the weights within their intervals are.
    cogmap.maps.scenarios.scenario : Clamp some concepts and compute the states that the map converges to.
    cogmap.arrow_intervals :
        Compute an interval for each arrow of a learned map, and for the mean effect of each feature.
    cogmap.plotting.plot_monte_carlo : Plot the spread of the results of a scenario over random maps.

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
    fcm, low, high = weight_ranges(_OWNER, maps, spread, intervals)
    random = np.random.default_rng(seed)
    first = one_start(fcm, start, _OWNER).astype(np.float64)
    keep = fcm.drivers if isinstance(keep, str) and keep == DRIVERS else keep
    unclamped = clamped_states(first, {}, keep, fcm.concepts, _OWNER, fcm._held)
    clamped = clamped_states(first, clamp, keep, fcm.concepts, _OWNER, fcm._held)
    drawn = np.nonzero(high > low)
    rows = max(1, _WEIGHTS_PER_BLOCK // fcm.n_concepts**2)
    before, after = np.empty((2, n_samples, fcm.n_concepts))
    resting = 0
    for begin in range(0, n_samples, rows):
        block = slice(begin, min(begin + rows, n_samples))
        W = np.repeat(fcm.weights[np.newaxis], block.stop - begin, axis=0)
        W[:, drawn[0], drawn[1]] = _draw(random, shape, low[drawn], fcm.weights[drawn], high[drawn], len(W))
        sampled = _SampledMaps(fcm, W)
        before[block], last, rests = sampled.run(first, *unclamped, steps)
        after[block], _, rests_clamped = sampled.run(last, *clamped, steps)
        resting += int((rests & rests_clamped).sum())
    states = {name: float(state) for name, state in clamp.items()}
    return MonteCarlo(fcm.concepts, states, before, after, resting / n_samples)


def weight_ranges(
    owner: str, maps: FuzzyCognitiveMap | Iterable[FuzzyCognitiveMap], spread: float, intervals: Any
) -> tuple[FuzzyCognitiveMap, Array, Array]:
    """Return a map, and the lowest and highest weight of each of its edges."""
    if isinstance(maps, FuzzyCognitiveMap):
        if intervals is None:
            return maps, *_around(maps, check_number(owner, "spread", spread, low=0))
        return maps, *_given(owner, maps, intervals)
    if intervals is not None:
        raise param_error(owner, "intervals", "None for several maps, whose weights are the ranges", intervals)
    experts = check_maps(maps, owner)
    weights = stacked(experts)[1]
    return combine(experts, "median"), weights.min(axis=0), weights.max(axis=0)


def _given(owner: str, fcm: FuzzyCognitiveMap, intervals: Any) -> tuple[Array, Array]:
    """Return the ends of given intervals."""
    expected = f"intervals of this map, or two arrays of shape {fcm.weights.shape}: the lowest and the highest weights"
    if getattr(intervals, "concepts", fcm.concepts) != fcm.concepts:
        raise param_error(owner, "intervals", expected, Literal("intervals of another map"))
    try:
        low, high = (intervals.low, intervals.high) if hasattr(intervals, "low") else intervals
        low, high = real(low), real(high)
    except (TypeError, ValueError):
        raise param_error(owner, "intervals", expected, intervals) from None
    if low.shape != fcm.weights.shape or high.shape != low.shape or not np.isfinite([low, high]).all():
        raise param_error(owner, "intervals", expected, Literal(f"shapes {low.shape} and {high.shape}"))
    wrong = np.argwhere((low > fcm.weights) | (high < fcm.weights))
    if len(wrong):
        i, j = wrong[0]
        edge = f"{low[i, j]:g} to {high[i, j]:g} for {fcm.concepts[j]!r} to {fcm.concepts[i]!r}"
        raise param_error(owner, "intervals", "intervals that contain the weights of the map", Literal(edge))
    return low, high


def _around(fcm: FuzzyCognitiveMap, spread: float) -> tuple[Array, Array]:
    """Return lower and upper bounds of the weights."""
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


class _SampledMaps:
    """A batch of maps that differ only in their weights.

    States are relative to the middle of their range, and slopes are multiplied into the weights, so that a step needs
    only a matrix product, a sum and the shape of the activation function.
    """

    def __init__(self, fcm: FuzzyCognitiveMap, W: Array) -> None:
        self.activation = get_activation(fcm.activation)
        factor = np.broadcast_to(self.activation.steepness * fcm.slope, fcm.n_concepts)
        self.middle = np.broadcast_to(self.activation.middle, fcm.n_concepts)
        self.reach = np.broadcast_to(self.activation.reach, fcm.n_concepts)
        with np.errstate(over="ignore"):  # after clipping, sums are finite
            offset = (W @ self.middle + fcm.bias - self.activation.center) * factor
            self.offset = np.clip(offset, -_LARGEST, _LARGEST)
            self.W = np.clip(W * factor[:, np.newaxis] * self.reach, -_LARGEST, _LARGEST)

    def run(
        self, first: Array, clamped: NDArray[np.intp], states: Array, steps: int
    ) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Return for each map its steady state (or mean state), its last state, and whether it is at rest."""
        T = np.array(np.broadcast_to((first - self.middle) / self.reach, self.offset.shape))
        relative = (states - self.middle[clamped]) / self.reach[clamped]
        T[:, clamped] = relative
        total, n_uncounted = np.zeros_like(T), steps - max(steps // 4, 1)

        def step(T: Array) -> Array:
            T = (self.W @ T[:, :, np.newaxis])[:, :, 0]
            T += self.offset
            self.activation.shape.squash(T)
            T[:, clamped] = relative
            if run.n_steps > n_uncounted:
                np.add(total, T, out=total)
            return T

        run = Run(step, T, steps)
        while run.advance(_STEPS_PER_CHECK) and run.moved.max() > _AT_REST / 100:
            pass
        rests = run.moved <= _AT_REST
        steady = np.where(rests[:, np.newaxis], run.states, total / max(run.n_steps - n_uncounted, 1))
        return self.middle + self.reach * steady, self.middle + self.reach * run.states, rests
