"""Scenarios: clamp some concepts, iterate the map to convergence, and compare with a baseline.

Results hold arrays; they print as a table and convert to a plain dict, JSON or a data frame.
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
from cogmap.maps._arguments import check_map, one_start
from cogmap.maps._convergence import Settled
from cogmap.maps._states import by_name
from cogmap.maps._text import clamp_text, concept_lines
from cogmap.maps.map import FuzzyCognitiveMap

States = ArrayLike | Mapping[str, float]


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
        """Return the scenario as a JSON-compatible dict."""
        return {
            "name": self.name,
            "clamp": self.clamp,
            "sentence": self.sentence,
            "kind": self.outcome.kind,
            "concepts": list(self.concepts),
            **{name: column.tolist() for name, column in self._columns().items()},
        }

    def to_json(self) -> str:
        """Return the scenario as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def to_frame(self) -> Any:
        """Return a pandas data frame with one row per concept and the columns `before`, `after` and `change`."""
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
        """Return the scenarios as a JSON-compatible dict."""
        return {"scenarios": [scenario.to_dict() for scenario in self.each]}

    def to_json(self) -> str:
        """Return the scenarios as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def to_frame(self) -> Any:
        """Return a pandas data frame of changes, with one row per concept and one column per scenario."""
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
    """Clamp some concepts and compute the states that the map converges to.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    clamp : mapping
        States, by name, at which concepts are held, such as ``{"policy": 1, "fishing": 0}``.
    against : array-like of shape (n_concepts,), mapping, or Scenario, default=None
        States to start from and to compare with; for a scenario, its final states. None means the steady state, to
        which the map converges from `start` without the clamp.
    start : array-like of shape (n_concepts,) or mapping, default=None
        Initial states for the steady state, as in `FuzzyCognitiveMap.settle`.
    keep : collection of str, or "drivers", default=()
        Names of concepts that keep their initial state, both in the steady state and in the scenario.
    name : str, default="scenario"
        Name of the scenario.
    max_steps : int, default=1000
        Largest number of steps. Without convergence, the mean of the last states is used.

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
    With fishing = 0, the map converges to a fixed point after 11 steps. Without the clamp, it converges
    to a fixed point after 11 steps.
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
        cure = "The scenario starts from the states in `against`."
        raise param_error("scenario", "start", "None if `against` is given", Literal("both"), cure)
    elif isinstance(against, Scenario):
        if against.concepts != fcm.concepts:
            raise param_error(
                "scenario", "against", "a scenario with the same concepts", Literal(f"one with {against.concepts}")
            )
        before, first = against.after, against.outcome.states[-1]
    else:
        before = first = one_start(fcm, against, "scenario", "against")
    outcome = fcm.settle(first, clamp, keep, max_steps)
    states = {concept: float(state) for concept, state in clamp.items()}
    return Scenario(str(name), states, fcm.concepts, np.asarray(before, dtype=np.float64), outcome, baseline)


def scenarios(
    fcm: FuzzyCognitiveMap,
    clamps: Mapping[str, Mapping[str, float]],
    against: States | Scenario | None = None,
    start: States | None = None,
    keep: Collection[str] | str = (),
    max_steps: int = 1000,
) -> Scenarios:
    """Compute several scenarios of one map.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    clamps : mapping
        Clamp of each scenario, by scenario name.
    against, start, keep, max_steps
        As in `scenario`.

    Returns
    -------
    Scenarios
    """
    if not isinstance(clamps, Mapping) or not clamps or not all(isinstance(c, Mapping) for c in clamps.values()):
        expected = "a mapping from scenario names to clamps, such as {'dry': {'rainfall': 0}}"
        raise param_error("scenarios", "clamps", expected, clamps)
    return Scenarios(
        tuple(scenario(fcm, clamp, against, start, keep, str(name), max_steps) for name, clamp in clamps.items())
    )


def stored_clamps(fcm: FuzzyCognitiveMap) -> dict[str, dict[str, float]]:
    """Return the clamps of the scenarios in the details of a map, as files of Mental Modeler and the board have them.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map, such as one from `read_map`.

    Returns
    -------
    dict
        Clamp of each scenario that holds a concept, by scenario name, for `scenarios`.
    """
    about = fcm.details.get("concepts", {})
    names = {str(about.get(name, {}).get("id", k)): name for k, name in enumerate(fcm.concepts, start=1)}
    clamps: dict[str, dict[str, float]] = {}
    for number, one in enumerate(fcm.details.get("scenarios", ()), start=1):
        entries = [entry for entry in one.get("concepts", ()) if isinstance(entry, dict)]
        states = {names.get(str(entry.get("id")), entry.get("name")): entry.get("influence") for entry in entries}
        known = {name: _number(state) for name, state in states.items() if name in fcm.concepts}
        clamp = {name: state for name, state in known.items() if state is not None}
        if clamp:
            name = str(one.get("name") or number)
            clamps[name if name not in clamps else f"{name} ({number})"] = clamp
    return clamps


def _number(value: Any) -> float | None:
    """Return a finite number from a cell of a file, or None."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if np.isfinite(number) else None


def _signed(values: NDArray[np.float64]) -> list[str]:
    return [f"{value:+.3f}" for value in values]
