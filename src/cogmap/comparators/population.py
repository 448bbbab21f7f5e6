"""Learning by a population: the genetic algorithm, particle swarm, differential evolution and CMA-ES of the field.

They are here because maps were learned by them for twenty years; gradients are faster and better by far. All minimise a
function within a box, and end when their evaluations or their time are used up.
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
Batch = Callable[[Array], Array]  # from candidates, one per row, to their values

_SIZE = 100  # candidates of a generation; of a swarm a third


@dataclass(frozen=True)
class Found:
    """The best candidate.

    Attributes
    ----------
    x : ndarray of shape (n_parameters,)
        The candidate.
    value : float
        The function there.
    n_evaluations : int
        How often the function was evaluated.
    outcome : Outcome
        How the search ended.
    """

    x: Array
    value: float
    n_evaluations: int
    outcome: Outcome


class _SpentError(Exception):
    """No evaluation is left."""


class Budget:
    """A function that counts its evaluations, keeps the best, and allows no more than it may.

    Parameters
    ----------
    function : callable
        From an array of parameters to a number.
    max_evaluations : int
        How often it may be evaluated.
    max_seconds : float or None
        How long; it is evaluated once at least.
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

    def found(self) -> Found:
        """Return the best that was seen."""
        outcome = Outcome.TIME_LIMIT if self._left else Outcome.ALL_EVALUATIONS
        return Found(self._x, self._value, self._n, outcome)


def minimise(
    function: Function,
    low: Array,
    high: Array,
    method: str,
    max_evaluations: int,
    max_seconds: float | None,
    random: np.random.RandomState,
) -> Found:
    """Minimise a function within a box.

    Parameters
    ----------
    function : callable
        From an array of parameters to a number.
    low, high : ndarray of shape (n_parameters,)
        The box.
    method : {"rcga", "pso", "de", "cma"}
        A name in `METHODS`.
    max_evaluations : int
        How often the function may be evaluated.
    max_seconds : float or None
        How long the search may take; None for as long as it takes.
    random : RandomState
        Decides everything.

    Returns
    -------
    Found

    Examples
    --------
    >>> import numpy as np
    >>> from cogmap.comparators.population import minimise
    >>> low, high = np.full(3, -1.0), np.full(3, 1.0)
    >>> found = minimise(lambda x: float(x @ x), low, high, "pso", 3000, None, np.random.RandomState(0))
    >>> found.value < 1e-6
    True
    >>> found.outcome.sentence
    'All max_evaluations evaluations were made; the best map seen was kept.'
    """
    budget = Budget(function, max_evaluations, max_seconds)
    with suppress(_SpentError):
        METHODS[method](budget, low, high, random)
    return budget.found()


def _genetic(evaluate: Batch, low: Array, high: Array, random: np.random.RandomState) -> None:
    """Real-coded genetic algorithm, after Stach et al. (2005): one-point crossover .9, mutation .5, the best survives.

    Parents win a tournament of two, which needs no scale of fitness; a mutation draws one weight anew.
    """
    n = len(low)
    people = random.uniform(low, high, (_SIZE, n))
    values = evaluate(people)
    while True:
        pairs = random.randint(_SIZE, size=(2, _SIZE))
        parents = people[np.where(values[pairs[0]] < values[pairs[1]], *pairs)]
        mates = np.roll(parents, 1, axis=0)
        cut = np.where(random.random_sample(_SIZE) < 0.9, random.randint(n + 1, size=_SIZE), n)
        children = np.where(np.arange(n) < cut[:, None], parents, mates)
        mutants = np.flatnonzero(random.random_sample(_SIZE) < 0.5)
        genes = random.randint(n, size=len(mutants))
        children[mutants, genes] = random.uniform(low[genes], high[genes])
        best = values.argmin()
        children[0] = people[best]
        people, values = children, np.concatenate([values[[best]], evaluate(children[1:])])


def _swarm(evaluate: Batch, low: Array, high: Array, random: np.random.RandomState) -> None:
    """Particle swarm with the constriction of Clerc and Kennedy, .729 (v + 2.05 + 2.05), at most .1 of the range."""
    size, fastest = _SIZE // 3, 0.1 * (high - low)
    x = random.uniform(low, high, (size, len(low)))
    speed = random.uniform(-fastest, fastest, x.shape)
    own, own_values = x.copy(), evaluate(x)
    while True:
        best = own[own_values.argmin()]
        pull = random.random_sample((2, *x.shape))
        speed = 0.729 * (speed + 2.05 * pull[0] * (own - x) + 2.05 * pull[1] * (best - x))
        speed = np.clip(speed, -fastest, fastest)
        x = np.clip(x + speed, low, high)
        values = evaluate(x)
        better = values < own_values
        own[better], own_values[better] = x[better], values[better]


def _differential(evaluate: Batch, low: Array, high: Array, random: np.random.RandomState) -> None:
    """Differential evolution, SciPy's."""
    differential_evolution(
        lambda candidates: evaluate(np.atleast_2d(candidates.T)),
        list(zip(low, high, strict=True)),
        init=random.uniform(low, high, (_SIZE, len(low))),
        maxiter=10**9,
        tol=0.0,
        atol=-1.0,  # the budget alone ends it
        polish=False,
        updating="deferred",
        vectorized=True,
        seed=random,
    )


def _covariance(evaluate: Batch, low: Array, high: Array, random: np.random.RandomState) -> None:
    """CMA-ES, of the package cma, from the middle of the box."""
    cma = import_or_raise("cma", "Learning by CMA-ES (solver='cma')", "cma")
    options = {
        "bounds": [low.tolist(), high.tolist()],
        "seed": random.randint(1, 2**31 - 1),
        "verbose": -9,
        "CMA_stds": (high - low).tolist(),
    }
    search = cma.CMAEvolutionStrategy(0.5 * (low + high), 0.25, options)
    while True:  # also when it would stop: the budget alone ends it
        candidates = search.ask()
        search.tell(candidates, evaluate(np.array(candidates)).tolist())


METHODS = {"rcga": _genetic, "pso": _swarm, "de": _differential, "cma": _covariance}
