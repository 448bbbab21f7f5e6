"""Scenarios: clamp some concepts, iterate the map to convergence, and compare with a baseline.

Results hold arrays; they print as a table and convert to a plain dict, JSON or a data frame.
"""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cogmap._utils.params import Literal, param_error
from cogmap.maps._arguments import check_map, one_start
from cogmap.maps._convergence import Settled
from cogmap.maps._scenario import Scenario, Scenarios
from cogmap.maps._states import by_name
from cogmap.maps.map import FuzzyCognitiveMap

__all__ = ["Scenario", "Scenarios", "Settled", "scenario", "scenarios", "stored_clamps"]

States = ArrayLike | Mapping[str, float]


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
        Final states with the clamp, and the change from the states before.

    See Also
    --------
    scenarios : Compute several scenarios of one map.
    cogmap.maps.monte_carlo.monte_carlo :
        Run a scenario on many maps with random weights and return the distribution of its outcome.
    cogmap.maps.ranges.scenario_ranges :
        Compute ranges that a scenario cannot leave, whatever the weights within their intervals are.
    cogmap.plotting.plot_scenarios : Plot the change of each concept as bars, the largest change on top.

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
    against : array-like of shape (n_concepts,), mapping, or Scenario, default=None
        States to start from and to compare with, as in `scenario`.
    start : array-like of shape (n_concepts,) or mapping, default=None
        Initial states for the steady state, as in `FuzzyCognitiveMap.settle`.
    keep : collection of str, or "drivers", default=()
        Names of concepts that keep their initial state.
    max_steps : int, default=1000
        Largest number of steps of each scenario.

    Returns
    -------
    Scenarios
        The scenarios, in the order of `clamps`.

    See Also
    --------
    scenario : Clamp some concepts and compute the states that the map converges to.
    stored_clamps :
        Return the clamps of the scenarios in the details of a map, as files of Mental Modeler and the board have them.
    cogmap.plotting.plot_scenarios : Plot the change of each concept as bars, the largest change on top.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.scenarios import scenarios
    >>> lake = FuzzyCognitiveMap.from_edges([("fishing", "fish", -0.5), ("weed", "fish", 0.8)], slope=2)
    >>> scenarios(lake, {"less": {"fishing": 0.2}, "more": {"fishing": 0.8}}, keep="drivers")
    less: With fishing = 0.2, the map converges to a fixed point after 1 step. Without the clamp, it
    converges to a fixed point after 1 step.
    more: With fishing = 0.8, the map converges to a fixed point after 1 step. Without the clamp, it
    converges to a fixed point after 1 step.
               less    more
    fishing  -0.300  +0.300
    fish     +0.070  -0.063
    weed     +0.000  +0.000
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

    See Also
    --------
    scenarios : Compute several scenarios of one map.
    cogmap.read_map : Read a map from a file.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.scenarios import stored_clamps
    >>> stored = {"scenarios": [{"name": "ban", "concepts": [{"name": "fishing", "influence": 0}]}]}
    >>> stored_clamps(FuzzyCognitiveMap.from_edges([("fishing", "fish", -0.5)], details=stored))
    {'ban': {'fishing': 0.0}}
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
