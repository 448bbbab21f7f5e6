"""What if: hold some concepts, let the others follow, and compare with where the map was.

Every result is numbers in arrays, a table in its repr, and a plain dict for files and pages.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.optional import import_or_raise
from cogmap._utils.params import Literal, param_error
from cogmap.maps._convergence import Settled
from cogmap.maps._states import by_name
from cogmap.maps._text import concept_lines, short
from cogmap.maps.map import FuzzyCognitiveMap, check_map, one_start

States = ArrayLike | Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Scenario:
    """Where a map leads while some concepts are held, and how that differs from where it was.

    Attributes
    ----------
    name : str
        What the scenario is called.
    clamp : dict
        The states that were held, by name.
    concepts : tuple of str
        Names of the concepts.
    before : ndarray of shape (n_concepts,)
        The states it is compared with.
    outcome : Settled
        What it ends in.
    baseline : Settled or None
        What the map ends in when nothing is clamped, if that is what it is compared with.
    """

    name: str
    clamp: dict[str, float]
    concepts: tuple[str, ...]
    before: NDArray[np.float64]
    outcome: Settled
    baseline: Settled | None

    @property
    def after(self) -> NDArray[np.float64]:
        """The states it ends in; of a cycle, the mean."""
        return self.outcome.mean.astype(np.float64)

    @property
    def change(self) -> NDArray[np.float64]:
        """How much higher each state is than before."""
        return self.after - self.before

    @property
    def sentence(self) -> str:
        """What was held and how it ended, in words."""
        held = ", ".join(f"{short(concept)} = {state:g}" for concept, state in self.clamp.items()) or "nothing"
        alone = "" if self.baseline is None else f" Left alone, it {self.baseline.ending}."
        return f"With {held} the map {self.outcome.ending}.{alone}"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as a plain dict that JSON can hold."""
        columns = {"before": self.before, "after": self.after, "change": self.change}
        return {
            "name": self.name,
            "clamp": self.clamp,
            "sentence": self.sentence,
            "kind": self.outcome.kind,
            "concepts": list(self.concepts),
            **{name: column.tolist() for name, column in columns.items()},
        }

    def to_json(self) -> str:
        """Return all of it as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def to_frame(self) -> Any:
        """Return a pandas data frame with a row per concept and columns `before`, `after` and `change`."""
        pandas = import_or_raise("pandas", "Scenario.to_frame", "table")
        columns = {"before": self.before, "after": self.after, "change": self.change}
        return pandas.DataFrame(columns, index=list(self.concepts))

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
        The scenarios. Iteration, ``len`` and indexing go over them.
    """

    each: tuple[Scenario, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What the scenarios are called."""
        return tuple(scenario.name for scenario in self.each)

    @property
    def concepts(self) -> tuple[str, ...]:
        """Names of the concepts."""
        return self.each[0].concepts

    @property
    def change(self) -> NDArray[np.float64]:
        """How much higher each state is than before: an array of shape (n_scenarios, n_concepts)."""
        return np.array([scenario.change for scenario in self.each])

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as a plain dict that JSON can hold."""
        return {"scenarios": [scenario.to_dict() for scenario in self.each]}

    def to_json(self) -> str:
        """Return all of it as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def to_frame(self) -> Any:
        """Return a pandas data frame of changes, with a row per concept and a column per scenario."""
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


def scenario(
    fcm: FuzzyCognitiveMap,
    clamp: Mapping[str, float],
    against: States | Scenario | None = None,
    start: States | None = None,
    keep: Collection[str] | str = (),
    name: str = "scenario",
    max_steps: int = 1000,
) -> Scenario:
    """Hold some concepts and see where the others go.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    clamp : mapping
        States, by name, at which concepts are held, such as ``{"policy": 1, "fishing": 0}``.
    against : array-like of shape (n_concepts,), mapping, or Scenario, default=None
        The states to compare with, which are also those that the scenario starts from; of a scenario, those that it
        ended in. None means what the map ends in from `start` when nothing is clamped: its steady state.
    start : array-like of shape (n_concepts,) or mapping, default=None
        Where the map starts on its way to the steady state, as in `FuzzyCognitiveMap.settle`.
    keep : collection of str, or "drivers", default=()
        Names of concepts that keep the state they start with, in the steady state and in the scenario.
    name : str, default="scenario"
        What to call it.
    max_steps : int, default=1000
        Number of steps in which it has to settle. What still moves then is compared by the mean of its last states.

    Returns
    -------
    Scenario

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.scenarios import scenario
    >>> lake = FuzzyCognitiveMap(
    ...     [[0, 0, 0], [-0.5, 0, 0.8], [0, -0.6, 0]],
    ...     concepts=["fishing", "fish", "weed"], slope=2, activation="logistic",
    ... )
    >>> scenario(lake, {"fishing": 0})
    With fishing = 0 the map comes to rest at a fixed point after 11 steps. Left alone, it comes to rest
    at a fixed point after 11 steps.
             before  after  change
    fishing   0.500  0.000  -0.500
    fish      0.515  0.626  +0.110
    weed      0.350  0.321  -0.030
    """
    check_map(fcm, "scenario")
    by_name(clamp, fcm.concepts, "scenario", "clamp")
    baseline = None
    if against is None:
        baseline = fcm.settle(start, keep=keep, max_steps=max_steps)
        before, first = baseline.mean, baseline.states[-1]
    elif start is not None:
        cure = "The scenario starts from the states that it is compared with."
        raise param_error("scenario", "start", "None if there is `against`", Literal("both"), cure)
    elif isinstance(against, Scenario):
        if against.concepts != fcm.concepts:
            raise param_error(
                "scenario", "against", "a scenario of the same concepts", Literal(f"one of {against.concepts}")
            )
        before, first = against.after, against.outcome.states[-1]
    else:
        before = first = one_start(fcm, against, "scenario", "against")
    outcome = fcm.settle(first, clamp, keep, max_steps)
    held = {concept: float(state) for concept, state in clamp.items()}
    return Scenario(str(name), held, fcm.concepts, np.asarray(before, dtype=np.float64), outcome, baseline)


def scenarios(
    fcm: FuzzyCognitiveMap,
    clamps: Mapping[str, Mapping[str, float]],
    against: States | Scenario | None = None,
    start: States | None = None,
    keep: Collection[str] | str = (),
    max_steps: int = 1000,
) -> Scenarios:
    """Return several scenarios side by side.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    clamps : mapping
        The clamp of each scenario, by its name.
    against, start, keep, max_steps
        As in `scenario`.

    Returns
    -------
    Scenarios
    """
    if not isinstance(clamps, Mapping) or not clamps or not all(isinstance(c, Mapping) for c in clamps.values()):
        expected = "a mapping from names of scenarios to clamps, such as {'dry': {'rainfall': 0}}"
        raise param_error("scenarios", "clamps", expected, clamps)
    rest = (against, start, keep)
    return Scenarios(tuple(scenario(fcm, clamp, *rest, str(name), max_steps) for name, clamp in clamps.items()))


def _signed(values: NDArray[np.float64]) -> list[str]:
    return [f"{value:+.3f}" for value in values]
