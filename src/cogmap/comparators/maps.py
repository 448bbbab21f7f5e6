"""Maps learned from the states that were observed, step after step: what populations were first used for."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from cogmap._learning.solvers import Outcome
from cogmap._utils.params import Literal, check_choice, check_integer, check_number, numbers, param_error
from cogmap.comparators._search import SOLVERS, check_seconds, search
from cogmap.comparators._unrolled import Array, UnrolledMap
from cogmap.maps.map import FuzzyCognitiveMap

_OWNER = "learn_map"


@dataclass(frozen=True)
class LearnedMap:
    """A map, and how near it is to what was observed.

    Attributes
    ----------
    map : FuzzyCognitiveMap
        The map.
    loss : float
        Mean squared difference between what it says of the next states and what they were.
    n_evaluations : int
        How often that was computed.
    outcome : Outcome
        How learning ended; ``outcome.sentence`` says it in words.
    """

    map: FuzzyCognitiveMap
    loss: float
    n_evaluations: int
    outcome: Outcome


def learn_map(
    observed: ArrayLike | Sequence[ArrayLike],
    solver: str = "lbfgs",
    slope: float = 5.0,
    concepts: Sequence[str] | None = None,
    max_evaluations: int = 10_000,
    max_seconds: float | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> LearnedMap:
    """Learn a map from sequences of states.

    Weights are in [-1, 1], there is no bias, no concept influences itself, and the activation is the logistic function:
    the maps of the first papers on learning from data.

    Parameters
    ----------
    observed : array-like of shape (n_steps, n_concepts), or list of such
        States in [0, 1] as they followed each other, of one run or of several.
    solver : {"lbfgs", "rcga", "pso", "de", "cma"}, default="lbfgs"
        Gradients, or a population: a real-coded genetic algorithm, particle swarm, differential evolution, CMA-ES.
    slope : float, default=5.0
        Steepness of the logistic function 1 / (1 + exp(-slope x)).
    concepts : sequence of str, default=None
        Names of the concepts.
    max_evaluations : int, default=10000
        How often the loss may be evaluated.
    max_seconds : float, default=None
        After how many seconds learning ends, with the best map so far. None for no limit.
    random_state : int, RandomState instance or None, default=None
        Decides what populations do.

    Returns
    -------
    LearnedMap

    References
    ----------
    W. Stach, L. Kurgan, W. Pedrycz, M. Reformat, Genetic learning of fuzzy cognitive maps, Fuzzy Sets and Systems 153
    (2005), 371-401.

    Examples
    --------
    >>> import numpy as np
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.comparators import learn_map
    >>> true = FuzzyCognitiveMap([[0, 0.4, 0], [-0.7, 0, 0.3], [0.9, 0, 0]], slope=5, activation="logistic")
    >>> runs = [true.run(start, depth=4) for start in np.random.default_rng(0).random((5, 3))]
    >>> learn_map(runs).map.weights.round(1) + 0.0
    array([[ 0. ,  0.4,  0. ],
           [-0.7,  0. ,  0.3],
           [ 0.9,  0. ,  0. ]])
    """
    check_choice(_OWNER, "solver", solver, list(SOLVERS))
    slope = check_number(_OWNER, "slope", slope, low=0, high=1e6, low_included=False)
    max_evaluations = check_integer(_OWNER, "max_evaluations", max_evaluations, low=1)
    check_seconds(_OWNER, "max_seconds", max_seconds)
    runs = _checked_runs(observed)
    now = np.concatenate([run[:-1] for run in runs])
    later = np.concatenate([run[1:] for run in runs])
    n = now.shape[1]
    unrolled = UnrolledMap(~np.eye(n, dtype=bool), n, slice(None), "kosko", 1, slope, bias=False)
    share = np.full(len(now), 1.0 / len(now))
    found = search(unrolled, (now, later, share), solver, max_evaluations, max_seconds, random_state)
    if not found.outcome.converged:
        warnings.warn(f"{_OWNER}: {found.outcome.sentence} {found.outcome.cure}", ConvergenceWarning, stacklevel=2)
    fcm = FuzzyCognitiveMap(unrolled.unpacked(found.x)[0], slope=slope, concepts=concepts, activation="logistic")
    return LearnedMap(fcm, found.value, found.n_evaluations, found.outcome)


def _checked_runs(observed: Any) -> list[Array]:
    """Return the sequences of states as arrays."""
    whole = numbers(observed)
    several = observed if isinstance(observed, list | tuple | np.ndarray) else []
    runs = [whole] if whole.ndim == 2 else [numbers(run) for run in several]
    expected = "states in [0, 1] of shape (n_steps, n_concepts), with 2 concepts and 2 steps or more, or a list of such"
    if not runs:
        raise param_error(_OWNER, "observed", expected, observed)
    width = runs[0].shape[-1] if runs[0].ndim else 0
    for run in runs:
        if run.ndim != 2 or run.shape[0] < 2 or run.shape[1] < 2 or run.shape[1] != width:
            raise param_error(_OWNER, "observed", expected, Literal(f"one of shape {run.shape}"))
        if not ((run >= 0.0) & (run <= 1.0)).all():
            bad = run[~((run >= 0.0) & (run <= 1.0))][0]
            raise param_error(_OWNER, "observed", expected, float(bad), "Scale them first.")
    return runs
