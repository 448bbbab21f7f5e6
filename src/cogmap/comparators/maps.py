"""Maps learned from observed sequences of states by population-based search, historically its first use for FCMs."""

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
    """Result of `learn_map`.

    Attributes
    ----------
    map : FuzzyCognitiveMap
        The learned map.
    loss : float
        Mean squared error of the predicted next states.
    n_evaluations : int
        Number of loss evaluations.
    outcome : Outcome
        Outcome of training; ``outcome.sentence`` describes it.
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

    Weights are in [-1, 1], concepts have no bias and no influence on themselves, and the activation is the logistic
    function, as in the first papers on learning maps from data.

    Parameters
    ----------
    observed : array-like of shape (n_steps, n_concepts), or list of such arrays
        Successive states in [0, 1], of one run or of several.
    solver : {"lbfgs", "rcga", "pso", "de", "cma"}, default="lbfgs"
        L-BFGS, or a population: a real-coded genetic algorithm, particle swarm, differential evolution, CMA-ES.
    slope : float, default=5.0
        Steepness of the logistic function 1 / (1 + exp(-slope x)).
    concepts : sequence of str, default=None
        Names of the concepts.
    max_evaluations : int, default=10000
        Maximum number of loss evaluations.
    max_seconds : float, default=None
        Time limit, after which the best map so far is returned. None: no limit.
    random_state : int, RandomState instance or None, default=None
        Randomness of the population solvers.

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
    result = search(unrolled, (now, later, share), solver, max_evaluations, max_seconds, random_state)
    if not result.outcome.converged:
        warnings.warn(f"{_OWNER}: {result.outcome.sentence} {result.outcome.cure}", ConvergenceWarning, stacklevel=2)
    fcm = FuzzyCognitiveMap(unrolled.unpacked(result.x)[0], slope=slope, concepts=concepts, activation="logistic")
    return LearnedMap(fcm, result.value, result.n_evaluations, result.outcome)


def _checked_runs(observed: Any) -> list[Array]:
    """Return the sequences of states as validated arrays."""
    whole = numbers(observed)
    sequences = observed if isinstance(observed, list | tuple | np.ndarray) else []
    runs = [whole] if whole.ndim == 2 else [numbers(run) for run in sequences]
    expected = "states in [0, 1] of shape (n_steps, n_concepts), at least 2 of each, or a list of such arrays"
    if not runs:
        raise param_error(_OWNER, "observed", expected, observed)
    width = runs[0].shape[-1] if runs[0].ndim else 0
    for run in runs:
        if run.ndim != 2 or run.shape[0] < 2 or run.shape[1] < 2 or run.shape[1] != width:
            raise param_error(_OWNER, "observed", expected, Literal(f"one of shape {run.shape}"))
        if not ((run >= 0.0) & (run <= 1.0)).all():
            bad = run[~((run >= 0.0) & (run <= 1.0))][0]
            raise param_error(_OWNER, "observed", expected, float(bad), "Scale the states first.")
    return runs
