"""Population-based optimization: genetic algorithm, particle swarm, differential evolution and CMA-ES.

The literature trained maps with these methods for twenty years; gradients are much faster and more accurate. All
methods minimize a function within a box until they have used up their evaluations or their time.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import differential_evolution

from cogmap._learning.solvers import Outcome
from cogmap._utils.optional import import_or_raise

Array = NDArray[np.float64]
Function = Callable[[Array], float]
Batch = Callable[[Array], Array]  # maps candidates, one per row, to their values

_SIZE = 100  # candidates per generation; a swarm has a third of that


@dataclass(frozen=True)
class SearchResult:
    """Best candidate of a search.

    Attributes
    ----------
    x : ndarray of shape (n_parameters,)
        The best candidate.
    value : float
        Value of the function at `x`.
    n_evaluations : int
        Number of function evaluations.
    outcome : Outcome
        Outcome of the search.
    """

    x: Array
    value: float
    n_evaluations: int
    outcome: Outcome


class _SpentError(Exception):
    """The budget is used up."""


class Budget:
    """Function that counts its evaluations, keeps the best candidate, and raises when the budget is used up.

    Parameters
    ----------
    function : callable
        Maps an array of parameters to a number.
    max_evaluations : int
        Maximum number of evaluations.
    max_seconds : float or None
        Time limit; the function is evaluated at least once.
    """

    def __init__(self, function: Function, max_evaluations: int, max_seconds: float | None) -> None:
        self._function = function
        self._left = max_evaluations
        self._end = np.inf if max_seconds is None else time.monotonic() + max_seconds
        self._x, self._value, self._n = np.empty(0), np.inf, 0

    def __call__(self, candidates: Array) -> Array:
        """Evaluate candidates, one per row."""
        values = np.empty(len(candidates))
        for i, x in enumerate(candidates):
            if self._n and (self._left == 0 or time.monotonic() >= self._end):
                raise _SpentError
            values[i] = value = self._function(x)
            self._n, self._left = self._n + 1, self._left - 1
            if value < self._value:
                self._x, self._value = x.copy(), float(value)
        return values

    def result(self) -> SearchResult:
        """Return the best candidate so far."""
        outcome = Outcome.TIME_LIMIT if self._left else Outcome.ALL_EVALUATIONS
        return SearchResult(self._x, self._value, self._n, outcome)


def minimise(
    function: Function,
    low: Array,
    high: Array,
    method: str,
    max_evaluations: int,
    max_seconds: float | None,
    random: np.random.RandomState,
) -> SearchResult:
    """Minimize a function within a box.

    Parameters
    ----------
    function : callable
        Maps an array of parameters to a number.
    low, high : ndarray of shape (n_parameters,)
        Bounds of the box.
    method : {"rcga", "pso", "de", "cma"}
        A name in `METHODS`.
    max_evaluations : int
        Maximum number of function evaluations.
    max_seconds : float or None
        Time limit of the search; None: no limit.
    random : RandomState
        Source of randomness.

    Returns
    -------
    SearchResult

    Examples
    --------
    >>> import numpy as np
    >>> from cogmap.comparators.population import minimise
    >>> low, high = np.full(3, -1.0), np.full(3, 1.0)
    >>> result = minimise(lambda x: float(x @ x), low, high, "pso", 3000, None, np.random.RandomState(0))
    >>> result.value < 1e-6
    True
    >>> result.outcome.sentence
    'All max_evaluations evaluations were made; the best map seen was kept.'
    """
    budget = Budget(function, max_evaluations, max_seconds)
    with suppress(_SpentError):
        METHODS[method](budget, low, high, random)
    return budget.result()


def _genetic(evaluate: Batch, low: Array, high: Array, random: np.random.RandomState) -> None:
    """Run a real-coded genetic algorithm after Stach et al. (2005): one-point crossover .9, mutation .5, elitism.

    Parents are selected by tournaments of two, which need no fitness scale; a mutation redraws one weight.
    """
    n = len(low)
    population = random.uniform(low, high, (_SIZE, n))
    values = evaluate(population)
    while True:
        pairs = random.randint(_SIZE, size=(2, _SIZE))
        parents = population[np.where(values[pairs[0]] < values[pairs[1]], *pairs)]
        mates = np.roll(parents, 1, axis=0)
        cut = np.where(random.random_sample(_SIZE) < 0.9, random.randint(n + 1, size=_SIZE), n)
        children = np.where(np.arange(n) < cut[:, None], parents, mates)
        mutants = np.flatnonzero(random.random_sample(_SIZE) < 0.5)
        genes = random.randint(n, size=len(mutants))
        children[mutants, genes] = random.uniform(low[genes], high[genes])
        best = values.argmin()
        children[0] = population[best]
        population, values = children, np.concatenate([values[[best]], evaluate(children[1:])])


def _swarm(evaluate: Batch, low: Array, high: Array, random: np.random.RandomState) -> None:
    """Run a particle swarm with Clerc and Kennedy's constriction, .729 (v + 2.05 + 2.05), speed <= .1 of the range."""
    size, max_speed = _SIZE // 3, 0.1 * (high - low)
    x = random.uniform(low, high, (size, len(low)))
    speed = random.uniform(-max_speed, max_speed, x.shape)
    own, own_values = x.copy(), evaluate(x)
    while True:
        best = own[own_values.argmin()]
        pull = random.random_sample((2, *x.shape))
        speed = 0.729 * (speed + 2.05 * pull[0] * (own - x) + 2.05 * pull[1] * (best - x))
        speed = np.clip(speed, -max_speed, max_speed)
        x = np.clip(x + speed, low, high)
        values = evaluate(x)
        better = values < own_values
        own[better], own_values[better] = x[better], values[better]


def _differential(evaluate: Batch, low: Array, high: Array, random: np.random.RandomState) -> None:
    """Run SciPy's differential evolution."""
    differential_evolution(
        lambda candidates: evaluate(np.atleast_2d(candidates.T)),
        list(zip(low, high, strict=True)),
        init=random.uniform(low, high, (_SIZE, len(low))),
        maxiter=10**9,
        tol=0.0,
        atol=-1.0,  # only the budget ends the search
        polish=False,
        updating="deferred",
        vectorized=True,
        seed=random,
    )


def _covariance(evaluate: Batch, low: Array, high: Array, random: np.random.RandomState) -> None:
    """Run CMA-ES of the package cma, from the center of the box."""
    cma = import_or_raise("cma", "Learning by CMA-ES (solver='cma')", "cma")
    options = {
        "bounds": [low.tolist(), high.tolist()],
        "seed": random.randint(1, 2**31 - 1),
        "verbose": -9,
        "CMA_stds": (high - low).tolist(),
    }
    search = cma.CMAEvolutionStrategy(0.5 * (low + high), 0.25, options)
    while True:  # ignore its stopping criteria: only the budget ends the search
        candidates = search.ask()
        search.tell(candidates, evaluate(np.array(candidates)).tolist())


METHODS = {"rcga": _genetic, "pso": _swarm, "de": _differential, "cma": _covariance}
