"""Guaranteed ranges of a scenario: what can happen if the weights are known only within intervals."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.optional import import_or_raise
from cogmap.maps._arguments import one_start
from cogmap.maps._states import DRIVERS, clamped_states
from cogmap.maps._text import clamp_text, concept_lines, count
from cogmap.maps.dynamics.enclosures import box_of_ranges, differences_of_ranges
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.maps.monte_carlo import weight_ranges

__all__ = ["ScenarioRanges", "scenario_ranges"]

Array = NDArray[np.floating]

_OWNER = "scenario_ranges"


@dataclass(frozen=True, eq=False)
class ScenarioRanges:
    """Ranges of the states that a map with interval weights can end in, without and with a clamp.

    Attributes
    ----------
    concepts : tuple of str
        Names of the concepts.
    clamp : dict
        Clamped states, by name.
    before, after : ndarray of shape (2, n_concepts)
        Lowest and highest states without and with the clamp.
    change : ndarray of shape (2, n_concepts)
        Lowest and highest change caused by the clamp, if the weights are the same with and without it.

    See Also
    --------
    scenario_ranges : Compute ranges that a scenario cannot leave, whatever the weights within their intervals are.
    cogmap.maps.monte_carlo.MonteCarlo : Changes caused by a scenario in each of many random maps.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.ranges import scenario_ranges
    >>> lake = FuzzyCognitiveMap.from_edges([("fishing", "fish", -0.5), ("weed", "fish", 0.8)], slope=2)
    >>> ranges = scenario_ranges(lake, {"fishing": 0}, spread=0.1, keep="drivers")
    >>> ranges.sign
    array([-1,  1,  0])
    >>> ranges.to_frame()[["change low", "change high"]].round(3)
             change low  change high
    fishing      -0.500        -0.50
    fish          0.082         0.15
    weed          0.000         0.00
    >>> ranges.to_dict()["clamp"]
    {'fishing': 0.0}
    """

    concepts: tuple[str, ...]
    clamp: dict[str, float]
    before: Array
    after: Array
    change: Array

    @property
    def sign(self) -> NDArray[np.intp]:
        """1 for concepts that provably do not fall, -1 for those that do not rise, 0 if both are possible."""
        low, high = self.change
        return np.where((low >= 0.0) & (high > 0.0), 1, np.where((high <= 0.0) & (low < 0.0), -1, 0))

    def to_dict(self) -> dict[str, Any]:
        """Return the ranges as a JSON-compatible dict.

        Returns
        -------
        dict
            Clamp, concepts, and the two ends of the ranges of each concept.
        """
        ranges = {name: getattr(self, name).T.tolist() for name in ("before", "after", "change")}
        return {"clamp": self.clamp, "concepts": list(self.concepts), **ranges, "sign": self.sign.tolist()}

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per concept, and the ends of each range.

        Returns
        -------
        pandas.DataFrame
            One row per concept, with two columns for each range, such as `change low` and `change high`.
        """
        pandas = import_or_raise("pandas", "ScenarioRanges.to_frame", "table")
        columns = {
            f"{name} {end}": getattr(self, name)[place]
            for name in ("before", "after", "change")
            for place, end in enumerate(("low", "high"))
        }
        return pandas.DataFrame(columns, index=list(self.concepts))

    def __repr__(self) -> str:
        n_sure = int(np.count_nonzero(self.sign))
        head = (
            f"With {clamp_text(self.clamp)}, for all weights in their ranges; "
            f"the direction of {count(n_sure, 'change')} is proved:"
        )
        columns = {
            name: [f"{low:{sign}.3f} to {high:{sign}.3f}" for low, high in getattr(self, name).T]
            for name, sign in (("before", ""), ("after", ""), ("change", "+"))
        }
        order = np.argsort(-np.abs(self.change.mean(axis=0)), kind="stable").tolist()
        return "\n".join([head, *concept_lines(self.concepts, columns, order)])


def scenario_ranges(
    maps: FuzzyCognitiveMap | Iterable[FuzzyCognitiveMap],
    clamp: Mapping[str, float],
    spread: float = 0.2,
    start: ArrayLike | Mapping[str, float] | None = None,
    keep: Collection[str] | str = (),
    intervals: Any = None,
) -> ScenarioRanges:
    """Compute ranges that a scenario cannot leave, whatever the weights within their intervals are.

    Where `monte_carlo` draws maps at random, this proves bounds for all of them: every state that a map with weights
    in the intervals converges to, from any start, with and without the clamp, lies in its range, in exact arithmetic.
    Ranges may be wider than what really happens.

    Parameters
    ----------
    maps : FuzzyCognitiveMap or sequence of FuzzyCognitiveMap
        One map, whose weights vary by up to `spread` as in `monte_carlo`; or maps of several experts, whose lowest and
        highest weights are the intervals.
    clamp : mapping
        States, by name, at which concepts are clamped in the scenario.
    spread : float, default=0.2
        For one map, the largest deviation of a weight.
    start : array-like of shape (n_concepts,) or mapping, default=None
        States of the concepts in `keep` and of held concepts; None means undecided.
    keep : collection of str, or "drivers", default=()
        Names of concepts that keep their initial state.
    intervals : ArrowIntervals or pair of array-like of shape (n_concepts, n_concepts), default=None
        For one map, the lowest and highest weight of each edge, instead of `spread`.

    Returns
    -------
    ScenarioRanges
        Lowest and highest states, and changes, of each concept.

    See Also
    --------
    cogmap.maps.monte_carlo.monte_carlo :
        Run a scenario on many maps with random weights and return the distribution of its outcome.
    cogmap.maps.scenarios.scenario : Clamp some concepts and compute the states that the map converges to.
    cogmap.maps.dynamics.certificate :
        Try to prove that a map has exactly one fixed point, to which every trajectory converges.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.ranges import scenario_ranges
    >>> lake = FuzzyCognitiveMap(
    ...     [[0, 0, 0], [-0.5, 0, 0.8], [0, -0.6, 0]],
    ...     concepts=["fishing", "fish", "weed"], slope=2, activation="logistic",
    ... )
    >>> scenario_ranges(lake, {"fishing": 0}, spread=0.1, keep="drivers")
    With fishing = 0, for all weights in their ranges; the direction of 3 changes is proved:
                     before           after            change
    fishing  0.500 to 0.500  0.000 to 0.000  -0.500 to -0.500
    fish     0.458 to 0.574  0.599 to 0.654  +0.071 to +0.145
    weed     0.309 to 0.387  0.286 to 0.355  -0.048 to -0.014
    """
    fcm, low, high = weight_ranges(_OWNER, maps, spread, intervals)
    first = one_start(fcm, start, _OWNER).astype(np.float64)
    keep = fcm.drivers if isinstance(keep, str) and keep == DRIVERS else keep
    without = clamped_states(first, {}, keep, fcm.concepts, _OWNER, fcm._held)
    with_clamp = clamped_states(first, clamp, keep, fcm.concepts, _OWNER, fcm._held)
    before, after = (box_of_ranges(fcm, (low, high), *fixed) for fixed in (without, with_clamp))
    change = differences_of_ranges(fcm, (low, high), (before, after), with_clamp[0])
    states = {name: float(state) for name, state in clamp.items()}
    return ScenarioRanges(
        fcm.concepts,
        states,
        np.stack([before.low, before.high]),
        np.stack([after.low, after.high]),
        np.stack(change),
    )
