"""Maps learned from observed sequences of states by population-based search, historically its first use for FCMs."""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from cogmap._utils.params import check_choice, check_integer, check_number
from cogmap.comparators._search import check_seconds, search
from cogmap.comparators._unrolled import UnrolledMap
from cogmap.comparators.population import METHODS
from cogmap.estimators.learn_map import LearnedMap, checked_runs
from cogmap.maps.map import FuzzyCognitiveMap

_OWNER = "search_map"


def search_map(
    observed: ArrayLike | Sequence[ArrayLike],
    solver: str = "rcga",
    slope: float = 5.0,
    concepts: Sequence[str] | None = None,
    max_evaluations: int = 10_000,
    max_seconds: float | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> LearnedMap:
    """Learn a map from sequences of states by a population-based search.

    Weights are in [-1, 1], concepts have no bias and no influence on themselves, and the activation is the logistic
    function, as in the first papers on learning maps from data. `cogmap.learn_map` learns by gradients, which is
    faster and more accurate.

    Parameters
    ----------
    observed : array-like of shape (n_steps, n_concepts), or list of such arrays
        Successive states in [0, 1], of one run or of several.
    solver : {"rcga", "pso", "de", "cma"}, default="rcga"
        A real-coded genetic algorithm, particle swarm, differential evolution, or CMA-ES.
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
        The map, its loss and the outcome of the search.

    See Also
    --------
    cogmap.learn_map : Learn a map from observed sequences of states, by gradients through several steps.

    References
    ----------
    W. Stach, L. Kurgan, W. Pedrycz, M. Reformat, Genetic learning of fuzzy cognitive maps, Fuzzy Sets and Systems 153
    (2005), 371-401.

    Examples
    --------
    >>> import numpy as np
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.comparators import search_map
    >>> true = FuzzyCognitiveMap([[0, 0.4], [-0.7, 0]], slope=5, activation="logistic")
    >>> runs = [true.run(start, depth=4) for start in np.random.default_rng(0).random((5, 2))]
    >>> search_map(runs, "de", max_evaluations=2000, random_state=0).map.weights.round(1) + 0.0
    array([[ 0. ,  0.4],
           [-0.7,  0. ]])
    """
    check_choice(_OWNER, "solver", solver, list(METHODS))
    slope = check_number(_OWNER, "slope", slope, low=0, high=1e6, low_included=False)
    max_evaluations = check_integer(_OWNER, "max_evaluations", max_evaluations, low=1)
    check_seconds(_OWNER, "max_seconds", max_seconds)
    runs, columns = checked_runs(observed, _OWNER, "observed", scaled=True)
    now = np.concatenate([run[:-1] for run in runs])
    later = np.concatenate([run[1:] for run in runs])
    n = now.shape[1]
    unrolled = UnrolledMap(~np.eye(n, dtype=bool), n, slice(None), "kosko", 1, slope, bias=False)
    share = np.full(len(now), 1.0 / len(now))
    result = search(unrolled, (now, later, share), solver, max_evaluations, max_seconds, random_state)
    if not result.outcome.converged:
        warnings.warn(f"{_OWNER}: {result.outcome.sentence} {result.outcome.cure}", ConvergenceWarning, stacklevel=2)
    fcm = FuzzyCognitiveMap(
        unrolled.unpacked(result.x)[0], slope=slope, concepts=concepts or columns, activation="logistic"
    )
    return LearnedMap(fcm, result.value, result.n_evaluations, result.outcome)
