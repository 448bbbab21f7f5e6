"""The weights in [-1, 1] with which a map is nearest to what it should say: by gradients or by a population."""

import time
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.utils import check_random_state

from cogmap._learning.solvers import Outcome
from cogmap._utils.params import check_number
from cogmap.comparators._unrolled import Array, UnrolledMap
from cogmap.comparators.population import METHODS, Found, minimise

SOLVERS = ("lbfgs", *METHODS)

Data = tuple[Array, Array, Array]  # first states, what should be read, and the weights of the rows, with the sum 1


def check_seconds(owner: str, name: str, value: Any) -> None:
    """Complain about what is no limit of time."""
    if value is not None:
        check_number(owner, name, value, low=0, low_included=False, cure="Or None, for no limit.")


def search(
    unrolled: UnrolledMap,
    data: Data,
    solver: str,
    max_evaluations: int,
    max_seconds: float | None,
    random_state: Any,
) -> Found:
    """Search for the weights with the smallest squared error.

    Parameters
    ----------
    unrolled : UnrolledMap
        The map, without its weights.
    data : tuple
        First states, what should be read, and the weights of the rows.
    solver : str
        A name in `SOLVERS`.
    max_evaluations : int
        How often the loss may be evaluated.
    max_seconds : float or None
        How long the search may take.
    random_state : int, RandomState instance or None
        Decides what populations do.
    """
    if solver == "lbfgs":
        return _by_gradient(unrolled, data, max_evaluations, max_seconds)
    high = np.ones(unrolled.n_parameters)
    random = check_random_state(random_state)
    return minimise(
        lambda theta: unrolled.loss(theta, *data), -high, high, solver, max_evaluations, max_seconds, random
    )


def _by_gradient(unrolled: UnrolledMap, data: Data, max_evaluations: int, max_seconds: float | None) -> Found:
    """Follow the gradient from weights of 0."""
    end = np.inf if max_seconds is None else time.monotonic() + max_seconds
    ended: list[Outcome] = []

    def stop_in_time(intermediate_result: Any) -> None:
        if time.monotonic() >= end:
            ended.append(Outcome.TIME_LIMIT)
            raise StopIteration

    result = minimize(
        unrolled.loss_and_gradient,
        np.zeros(unrolled.n_parameters),
        args=data,
        jac=True,
        method="L-BFGS-B",
        bounds=[(-1.0, 1.0)] * unrolled.n_parameters,
        callback=stop_in_time,
        options={"maxfun": max_evaluations, "maxiter": max_evaluations},
    )
    if not ended:
        ended.append(Outcome.TOO_FEW_EVALUATIONS if result.nfev >= max_evaluations else Outcome.LOSS_SETTLED)
    return Found(result.x, float(result.fun), int(result.nfev), ended[0])
