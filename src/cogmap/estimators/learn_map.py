"""`learn_map`: learn a map from observed states."""

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from cogmap._learning.concepts import Concepts
from cogmap._learning.sequence.observed import ObservedSteps, learn_weights
from cogmap._learning.solvers import Outcome
from cogmap._learning.structure import free, weight_limits
from cogmap._utils.params import (
    Literal,
    check_boolean,
    check_choice,
    check_integer,
    check_number,
    param_error,
    shown,
    suggestion,
)
from cogmap._utils.text import quoted
from cogmap._utils.threads import one_blas_thread
from cogmap.exceptions import DataError
from cogmap.maps.map import FuzzyCognitiveMap

__all__ = ["LearnedMap", "learn_map"]

Array = NDArray[np.float64]

_OWNER = "learn_map"
_MARGIN = 0.1  # of the range, added on both sides when values are scaled to states
_SPARSE = ("auto",)
_MISSING = ("undecided", "skip")
_NO_PRIOR = 1e-4  # penalty without a prior, which only decides between equally good weights


@dataclass(frozen=True, eq=False)
class LearnedMap:
    """Result of `learn_map`.

    Attributes
    ----------
    map : FuzzyCognitiveMap
        The learned map.
    loss : float
        Mean squared error of the predicted states.
    n_evaluations : int
        Number of loss evaluations.
    outcome : Outcome
        Outcome of training; ``outcome.sentence`` describes it.
    errors : ndarray of shape (n_concepts, n_concepts) or None
        Standard errors of the weights; NaN for those that are fixed.
    low, high : ndarray of shape (n_concepts,) or None
        Values that became the states 0 and 1. None if the observed values were states.

    See Also
    --------
    cogmap.learn_map : Returns this result.

    Examples
    --------
    >>> from cogmap import learn_map
    >>> learned = learn_map([[10.0, 3.0], [14.0, 5.0], [12.0, 4.0], [15.0, 4.5], [11.0, 3.5]])
    >>> learned.states([12.5, 4.0])  # the middle of both ranges
    array([0.5, 0.5])
    >>> learned.values([0.5, 0.5])
    array([12.5,  4. ])
    """

    map: FuzzyCognitiveMap
    loss: float
    n_evaluations: int
    outcome: Outcome
    errors: Array | None = None
    low: Array | None = None
    high: Array | None = None

    def states(self, values: ArrayLike) -> Array:
        """Return the states of values in the units of the observations.

        Parameters
        ----------
        values : array-like of shape (..., n_concepts)
            Values.

        Returns
        -------
        ndarray of the shape of `values`
            States.
        """
        array = np.asarray(values, dtype=np.float64)
        return array if self.low is None or self.high is None else (array - self.low) / (self.high - self.low)

    def values(self, states: ArrayLike) -> Array:
        """Return states in the units of the observations.

        Parameters
        ----------
        states : array-like of shape (..., n_concepts)
            States, such as those of `FuzzyCognitiveMap.run`.

        Returns
        -------
        ndarray of the shape of `states`
            Values.
        """
        array = np.asarray(states, dtype=np.float64)
        return array if self.low is None or self.high is None else self.low + array * (self.high - self.low)


def learn_map(
    runs: Any,
    prior: FuzzyCognitiveMap | None = None,
    bounds: Any = None,
    bias: bool = True,
    memory: bool = True,
    steps: int = 1,
    drivers: Collection[str] = (),
    slope: float = 1.0,
    concepts: Sequence[str] | None = None,
    sparse: float | str = "auto",
    alpha: float = 1.0,
    max_iter: int = 1000,
    missing: str = "undecided",
) -> LearnedMap:
    """Learn a map from observed sequences of states, by gradients through several steps.

    The activation is the logistic function. Weights that are not significant are removed, so that the map has the
    arrows that the observations support.

    Parameters
    ----------
    runs : array-like of shape (n_steps, n_concepts), DataFrame, or list of these
        Successive observations of one run or of several, whose columns are found by name if they have names; NaN is
        a missing value. If all are in [0, 1] they are states; otherwise each concept is scaled to states by its
        range, and `LearnedMap.values` returns to the units.
    prior : FuzzyCognitiveMap, default=None
        Map of an expert with the same concepts, towards which weights are pulled. Its arrows are not removed.
    bounds : (low, high) or dict of (from, to) names, default=None
        Two numbers or arrays, or for each edge ``"+"``, ``"-"`` or (low, high); (0, 0) forbids it.
    bias : bool, default=True
        Whether concepts have a bias.
    memory : bool, default=True
        Whether concepts may influence themselves.
    steps : int, default=1
        Number of steps that the map makes from each observation, all of which are compared with what was observed. 1
        is best if the system itself is noisy, more if its observations are.
    drivers : collection of str, default=()
        Names of concepts that the map does not explain: they keep the observed states, and are held in the map.
    slope : float, default=1.0
        Steepness of the logistic function.
    concepts : sequence of str, default=None
        Names of the concepts; None means the columns of a DataFrame, or C1, C2, ...
    sparse : float or "auto", default="auto"
        Weights closer to 0 than this many standard errors are removed; 0 keeps all. ``"auto"`` is the square root of
        the logarithm of the number of observed steps, as the Bayesian information criterion would remove them.
    alpha : float, default=1.0
        Strength of the penalty that pulls weights towards the prior. Without a prior it is negligible.
    max_iter : int, default=1000
        Maximum number of iterations.
    missing : {"undecided", "skip"}, default="undecided"
        What a step starts from where a value is missing: the undecided state 0.5, or ``"skip"`` to leave out steps that
        start from an incomplete observation, or need a driver that is missing. Missing values are never compared with.

    Returns
    -------
    LearnedMap
        The map, its loss, and standard errors of its weights.

    See Also
    --------
    FCMForecaster : Forecasts with transforms, lags and seasons.
    cogmap.FuzzyCognitiveMap.run : Run the learned map.

    References
    ----------
    W. Stach, L. Kurgan, W. Pedrycz, M. Reformat, Genetic learning of fuzzy cognitive maps, Fuzzy Sets and Systems 153
    (2005), 371-401.

    Examples
    --------
    >>> import numpy as np
    >>> from cogmap import FuzzyCognitiveMap, learn_map
    >>> true = FuzzyCognitiveMap([[0, 0.4, 0], [-0.7, 0, 0.3], [0.9, 0, 0]], slope=5, activation="logistic")
    >>> runs = [true.run(start, depth=4) for start in np.random.default_rng(0).random((5, 3))]
    >>> learn_map(runs, slope=5, bias=False).map.weights.round(1) + 0.0
    array([[ 0. ,  0.4,  0. ],
           [-0.7,  0. ,  0.3],
           [ 0.9,  0. ,  0. ]])
    """
    slope = check_number(_OWNER, "slope", slope, low=0, high=1e6, low_included=False)
    alpha = check_number(_OWNER, "alpha", alpha, low=0)
    max_iter = check_integer(_OWNER, "max_iter", max_iter, low=1)
    bias, memory = check_boolean(_OWNER, "bias", bias), check_boolean(_OWNER, "memory", memory)
    check_choice(_OWNER, "missing", missing, _MISSING)
    observed, columns = checked_runs(runs, _OWNER, "runs", scaled=False)
    n = observed[0].shape[1]
    n_longest = max(len(run) for run in observed)
    steps = check_integer(_OWNER, "steps", steps, low=1, high=n_longest - 1, cure="The longest run has no more steps.")
    names = FuzzyCognitiveMap(np.zeros((n, n)), concepts=concepts or columns).concepts
    low, high = _scaling(observed, names)
    if low is not None and high is not None:
        observed = [(run - low) / (high - low) for run in observed]
    held = _places(drivers, names)
    if len(held) == n:
        raise param_error(_OWNER, "drivers", "some but not all concepts", drivers, "There would be nothing to learn.")
    limits = weight_limits(None, bounds, Concepts.of(list(names), 0, []), _OWNER, "bounds") or free((n, n))
    lower, upper = (bound.copy() for bound in limits)
    closed = np.zeros((n, n), dtype=bool)
    closed[held] = True
    closed |= np.eye(n, dtype=bool) & (not memory)
    lower[closed] = upper[closed] = 0.0
    pulled = np.zeros((n, n)) if prior is None else _prior(prior, names)
    pulled[closed] = 0.0
    observed_steps = ObservedSteps.of(observed, steps, slope, held, skip=missing == "skip")
    if not (observed_steps.weight[:, 0] > 0.0).any():
        raise DataError(
            f"`{_OWNER}`: no two successive observations are known, so that there is nothing to learn from."
        )
    if isinstance(sparse, str):
        check_choice(_OWNER, "sparse", sparse, _SPARSE, also="a number")
        cutoff = float(np.sqrt(np.log(max(len(observed_steps.start), 2))))
    else:
        cutoff = check_number(_OWNER, "sparse", sparse, low=0)
    with one_blas_thread():
        result = learn_weights(
            observed_steps, (lower, upper), bias, pulled, _NO_PRIOR if prior is None else alpha, cutoff, max_iter
        )
    if not result.outcome.converged:
        warnings.warn(f"{_OWNER}: {result.outcome.sentence} Increase max_iter.", ConvergenceWarning, stacklevel=2)
    fcm = FuzzyCognitiveMap(
        result.weights, result.bias, slope, names, "logistic", held=[names[place] for place in held]
    )
    return LearnedMap(fcm, result.loss, result.n_evaluations, result.outcome, result.errors, low, high)


def checked_runs(observed: Any, owner: str, parameter: str, scaled: bool) -> tuple[list[Array], list[str] | None]:
    """Return sequences of states as validated arrays, and the names of their columns.

    Parameters
    ----------
    observed : array-like, DataFrame, or list of these
        Runs.
    owner, parameter : str
        For messages.
    scaled : bool
        Whether values must be states in [0, 1]; otherwise they may also be missing.
    """
    single = hasattr(observed, "columns") or _ndim(observed) == 2
    sequences = [observed] if single else list(observed) if isinstance(observed, list | tuple | np.ndarray) else []
    columns = getattr(sequences[0], "columns", None) if sequences else None
    what = "states in [0, 1]" if scaled else "numbers"
    expected = f"{what} of shape (n_steps, n_concepts), at least 2 of each, or a list of such arrays"
    if columns is not None:
        sequences = [_in_order(run, columns, f"`{owner}({parameter}=...)`, run {k}") for k, run in enumerate(sequences)]
    try:
        runs = [_numbers(run) for run in sequences]
    except (TypeError, ValueError) as wrong:
        raise param_error(owner, parameter, expected, Literal(f"other values: {str(wrong)[:80]}")) from None
    if not runs:
        raise param_error(owner, parameter, expected, observed)
    width = runs[0].shape[-1] if runs[0].ndim else 0
    for run in runs:
        if run.ndim != 2 or run.shape[0] < 2 or run.shape[1] < 2 or run.shape[1] != width:
            raise param_error(owner, parameter, expected, Literal(f"one of shape {run.shape}"))
        valid = (run >= 0.0) & (run <= 1.0) if scaled else ~np.isinf(run)
        if not valid.all():
            raise param_error(
                owner, parameter, expected, float(run[~valid][0]), "Scale the states first." if scaled else ""
            )
    return runs, None if columns is None else [str(name) for name in columns]


def _ndim(observed: Any) -> int:
    try:
        return np.asarray(observed, dtype=np.float64).ndim
    except (TypeError, ValueError):
        return 0


def _in_order(run: Any, columns: Any, where: str) -> Any:
    """Return a frame with its columns in the order of those of the first; raise `DataError` for others, and dates."""
    if not hasattr(run, "columns"):
        return run
    names = list(columns)
    if sorted(map(str, run.columns)) != sorted(map(str, names)):
        raise DataError(f"{where}: the columns are {shown(run.columns)}, those of the first run {shown(names)}.")
    dated = [name for name in names if np.asarray(run[name]).dtype.kind in "mM"]
    if dated:
        raise DataError(
            f"{where}: the column {quoted(str(dated[0]))} has dates. Leave it out: observations follow each other."
        )
    return run[names] if list(run.columns) != names else run


def _numbers(run: Any) -> Array:
    if hasattr(run, "iloc"):  # pandas, which may have missing values that are not NaN
        frame: Array = run.to_numpy(dtype=np.float64, na_value=np.nan)
        return frame
    return np.asarray(run, dtype=np.float64)


def _scaling(runs: list[Array], names: Sequence[str]) -> tuple[Array | None, Array | None]:
    """Return the values that become the states 0 and 1, or None if the values are states."""
    together = np.concatenate(runs)
    known = ~np.isnan(together)
    unseen = [names[place] for place in np.flatnonzero(~known.any(axis=0)).tolist()]
    if unseen:
        raise DataError(f"`{_OWNER}`: all values of {unseen[0]!r} are missing. Leave the concept out.")
    if ((together >= 0.0) & (together <= 1.0) | ~known).all():
        return None, None
    low, high = np.nanmin(together, axis=0), np.nanmax(together, axis=0)
    margin = _MARGIN * np.where(high > low, high - low, 1.0)
    return low - margin, high + margin


def _places(drivers: Any, names: tuple[str, ...]) -> NDArray[np.intp]:
    """Return the positions of the drivers."""
    if isinstance(drivers, str) or not isinstance(drivers, Collection):
        raise param_error(_OWNER, "drivers", f"a collection of names in {shown(names)}", drivers)
    unknown = [name for name in drivers if name not in names]
    if unknown:
        cure = suggestion(unknown[0], names)
        raise param_error(_OWNER, "drivers", f"a collection of names in {shown(names)}", unknown[0], cure)
    return np.array(sorted(names.index(name) for name in drivers), dtype=np.intp)


def _prior(prior: Any, names: tuple[str, ...]) -> Array:
    """Return the weights of a prior, in the order of the concepts."""
    if not isinstance(prior, FuzzyCognitiveMap) or sorted(prior.concepts) != sorted(names):
        got = prior.concepts if isinstance(prior, FuzzyCognitiveMap) else prior
        raise param_error(_OWNER, "prior", f"a FuzzyCognitiveMap with the concepts {shown(names)}", got)
    order = [prior.concepts.index(name) for name in names]
    return np.array(prior.weights[np.ix_(order, order)])
