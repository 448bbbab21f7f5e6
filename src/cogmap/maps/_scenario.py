"""Results of scenarios: arrays that print as a table and convert to a plain dict, JSON or a data frame."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.optional import import_or_raise
from cogmap.maps._convergence import Settled
from cogmap.maps._text import clamp_text, concept_lines


@dataclass(frozen=True, eq=False)
class Scenario:
    """States that a map converges to with some concepts clamped, and the change from the states before.

    Attributes
    ----------
    name : str
        Name of the scenario.
    clamp : dict
        Clamped states, by name.
    concepts : tuple of str
        Names of the concepts.
    before : ndarray of shape (n_concepts,)
        States to compare with.
    outcome : Settled
        Result with the clamp.
    baseline : Settled or None
        Result without the clamp, if `before` comes from it.

    See Also
    --------
    scenario : Clamp some concepts and compute the states that the map converges to.
    Scenarios : Several scenarios of one map side by side.
    Settled : Limit of a trajectory: a fixed point, a cycle, or neither within the allowed steps.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.scenarios import scenario
    >>> lake = FuzzyCognitiveMap.from_edges([("fishing", "fish", -0.5), ("weed", "fish", 0.8)], slope=2)
    >>> result = scenario(lake, {"fishing": 0}, keep="drivers")
    >>> result.change.round(3)
    array([-0.5  ,  0.118,  0.   ])
    >>> result.to_frame().round(3)
             before  after  change
    fishing   0.500   0.00  -0.500
    fish      0.332   0.45   0.118
    weed      0.500   0.50   0.000
    >>> result.to_dict()["kind"], len(result.to_json()) > 100
    ('fixed point', True)
    """

    name: str
    clamp: dict[str, float]
    concepts: tuple[str, ...]
    before: NDArray[np.float64]
    outcome: Settled
    baseline: Settled | None

    @property
    def after(self) -> NDArray[np.float64]:
        """Final states; the mean over the states of a cycle."""
        return self.outcome.mean.astype(np.float64)

    @property
    def change(self) -> NDArray[np.float64]:
        """Difference ``after - before`` of each state."""
        return self.after - self.before

    @property
    def sentence(self) -> str:
        """The clamp and the outcome as a sentence."""
        baseline = "" if self.baseline is None else f" Without the clamp, it {self.baseline.ending}."
        return f"With {clamp_text(self.clamp)}, the map {self.outcome.ending}.{baseline}"

    def to_dict(self) -> dict[str, Any]:
        """Return the scenario as a JSON-compatible dict.

        Returns
        -------
        dict
            Name, clamp, sentence, kind of limit, and for each concept its state before, after, and the change.
        """
        return {
            "name": self.name,
            "clamp": self.clamp,
            "sentence": self.sentence,
            "kind": self.outcome.kind,
            "concepts": list(self.concepts),
            **{name: column.tolist() for name, column in self._columns().items()},
        }

    def to_json(self) -> str:
        """Return the scenario as JSON.

        Returns
        -------
        str
            The dict of `to_dict` as JSON.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per concept and the columns `before`, `after` and `change`.

        Returns
        -------
        pandas.DataFrame
            One row per concept, with the columns `before`, `after` and `change`.
        """
        pandas = import_or_raise("pandas", "Scenario.to_frame", "table")
        return pandas.DataFrame(self._columns(), index=list(self.concepts))

    def _columns(self) -> dict[str, NDArray[np.float64]]:
        return {"before": self.before, "after": self.after, "change": self.change}

    def __repr__(self) -> str:
        columns = {"before": [f"{a:.3f}" for a in self.before], "after": [f"{a:.3f}" for a in self.after]}
        columns["change"] = _signed(self.change)
        order = np.argsort(-np.abs(self.change), kind="stable").tolist()
        return "\n".join([*wrap(self.sentence, 100), *concept_lines(self.concepts, columns, order)])


@dataclass(frozen=True, eq=False)
class Scenarios:
    """Several scenarios of one map side by side.

    Attributes
    ----------
    each : tuple of Scenario
        The scenarios. Iteration, ``len`` and indexing (by position or name) apply to them.

    See Also
    --------
    scenarios : Compute several scenarios of one map.
    Scenario : States that a map converges to with some concepts clamped, and the change from the states before.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.scenarios import scenarios
    >>> lake = FuzzyCognitiveMap.from_edges([("fishing", "fish", -0.5), ("weed", "fish", 0.8)], slope=2)
    >>> both = scenarios(lake, {"no fishing": {"fishing": 0}, "weed": {"weed": 1}}, keep="drivers")
    >>> both.to_frame().round(3)
             no fishing   weed
    fishing      -0.500  0.000
    fish          0.118  0.193
    weed          0.000  0.500
    >>> both["weed"].clamp
    {'weed': 1.0}
    >>> len(both.to_dict()["scenarios"]), len(both.to_json()) > 100
    (2, True)
    """

    each: tuple[Scenario, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the scenarios."""
        return tuple(scenario.name for scenario in self.each)

    @property
    def concepts(self) -> tuple[str, ...]:
        """Names of the concepts."""
        return self.each[0].concepts

    @property
    def change(self) -> NDArray[np.float64]:
        """Change of each state in each scenario, an array of shape (n_scenarios, n_concepts)."""
        return np.array([scenario.change for scenario in self.each])

    def to_dict(self) -> dict[str, Any]:
        """Return the scenarios as a JSON-compatible dict.

        Returns
        -------
        dict
            A list of the dicts of the scenarios, under the key ``"scenarios"``.
        """
        return {"scenarios": [scenario.to_dict() for scenario in self.each]}

    def to_json(self) -> str:
        """Return the scenarios as JSON.

        Returns
        -------
        str
            The dict of `to_dict` as JSON.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def to_frame(self) -> Any:
        """Return a pandas data frame of changes, with one row per concept and one column per scenario.

        Returns
        -------
        pandas.DataFrame
            Changes of the states, with one row per concept and one column per scenario.
        """
        pandas = import_or_raise("pandas", "Scenarios.to_frame", "table")
        return pandas.DataFrame(self.change.T, index=list(self.concepts), columns=list(self.names))

    def __len__(self) -> int:
        return len(self.each)

    def __iter__(self) -> Iterator[Scenario]:
        return iter(self.each)

    def __getitem__(self, key: int | str) -> Scenario:
        return self.each[self.names.index(key) if isinstance(key, str) else key]

    def __repr__(self) -> str:
        sentences = [line for scenario in self.each for line in wrap(f"{scenario.name}: {scenario.sentence}", 100)]
        columns = {scenario.name: _signed(scenario.change) for scenario in self.each}
        order = np.argsort(-np.abs(self.change).max(axis=0), kind="stable").tolist()
        return "\n".join([*sentences, *concept_lines(self.concepts, columns, order)])


def _signed(values: NDArray[np.float64]) -> list[str]:
    return [f"{value:+.3f}" for value in values]
