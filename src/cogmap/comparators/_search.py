"""Search for the weights in [-1, 1] with the smallest squared error, by gradients or by a population."""

import time
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.utils import check_random_state

from cogmap._learning.solvers import Outcome
from cogmap._utils.params import check_number
from cogmap.comparators._unrolled import Array, UnrolledMap
from cogmap.comparators.population import METHODS, SearchResult, minimise

SOLVERS = ("lbfgs", *METHODS)

Data = tuple[Array, Array, Array]  # first states, targets, and row weights that sum to 1


def check_seconds(owner: str, name: str, value: Any) -> None:
    """Check a time limit in seconds."""
    if value is not None:
        check_number(owner, name, value, low=0, low_included=False, cure="Or None, for no limit.")


def search(
    unrolled: UnrolledMap,
    data: Data,
    solver: str,
    max_evaluations: int,
    max_seconds: float | None,
    random_state: Any,
) -> SearchResult:
    """Return the weights with the smallest squared error.

    Parameters
    ----------
    unrolled : UnrolledMap
        Structure and update rule of the map.
    data : tuple
        First states, targets and row weights.
        solver : str
        A name in `SOLVERS`.
    max_evaluations : int
        Maximum number of loss evaluations.
    max_seconds : float or None
        Time limit of the search.
    random_state : int, RandomState instance or None
        Randomness of the population solvers.

    Returns
    -------
    SearchResult
    """
    if solver == "lbfgs":
        return _search_by_gradient(unrolled, data, max_evaluations, max_seconds)
    high = np.ones(unrolled.n_parameters)
    random = check_random_state(random_state)
    return minimise(
        lambda theta: unrolled.loss(theta, *data), -high, high, solver, max_evaluations, max_seconds, random
    )


def _search_by_gradient(
    unrolled: UnrolledMap, data: Data, max_evaluations: int, max_seconds: float | None
) -> SearchResult:
    """Minimize the loss with L-BFGS-B, starting from zero weights."""
    deadline = np.inf if max_seconds is None else time.monotonic() + max_seconds
    outcomes: list[Outcome] = []

    def stop_at_deadline(intermediate_result: Any) -> None:
        if time.monotonic() >= deadline:
            outcomes.append(Outcome.TIME_LIMIT)
            raise StopIteration

    result = minimize(
        unrolled.loss_and_gradient,
        np.zeros(unrolled.n_parameters),
        args=data,
        jac=True,
        method="L-BFGS-B",
        bounds=[(-1.0, 1.0)] * unrolled.n_parameters,
        callback=stop_at_deadline,
        options={"maxfun": max_evaluations, "maxiter": max_evaluations},
    )
    if not outcomes:
        outcomes.append(Outcome.TOO_FEW_EVALUATIONS if result.nfev >= max_evaluations else Outcome.LOSS_SETTLED)
    return SearchResult(result.x, float(result.fun), int(result.nfev), outcomes[0])
