"""Checks of estimator parameters."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cogmap._learning import initialization, priors
from cogmap._learning.solvers import SOLVERS
from cogmap._learning.structure_choice import STRUCTURES
from cogmap._learning.targets import VALUE_LOSSES
from cogmap._utils.params import check_boolean, check_choice, check_integer, check_number, param_error
from cogmap.estimators._labels import OUTPUTS
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.model import MAX_DEPTH
from cogmap.models.terms import check_terms

# Upper limit for numbers of folds, teachers, threads and processes; larger values are probably mistakes.
_MOST = 1000

Check = Callable[[str, str, Any], object]  # owner, name and value; raises if the value is invalid


def _integer_or_auto(low: int, high: float = np.inf) -> Check:
    def check(owner: str, name: str, value: Any) -> None:
        if not (isinstance(value, str) and value == "auto"):
            check_integer(owner, name, value, low=low, high=high, cure="Or 'auto'.")

    return check


def _integer(low: int, high: float = np.inf) -> Check:
    return lambda owner, name, value: check_integer(owner, name, value, low=low, high=high)


def _optional(check: Check) -> Check:
    return lambda owner, name, value: None if value is None else check(owner, name, value)


def _number(low: float, high: float = np.inf, ends: bool = True) -> Check:
    """Check a number between `low` and `high`, strictly if `ends` is False."""
    return lambda owner, name, value: check_number(
        owner, name, value, low=low, high=high, low_included=ends, high_included=ends
    )


def _number_or_auto(owner: str, name: str, value: Any) -> None:
    if not (isinstance(value, str) and value == "auto"):
        check_number(owner, name, value, low=0, low_included=False, cure="Or 'auto'.")


def _choice(choices: list[str], also: str = "", allowed: Callable[[Any], bool] = lambda value: False) -> Check:
    return lambda owner, name, value: allowed(value) or check_choice(owner, name, value, choices, also=also)


def _several(check: Check) -> Check:
    """Check each element of a sequence."""

    def check_all(owner: str, name: str, values: Any) -> None:
        if not isinstance(values, list | tuple | np.ndarray) or len(values) == 0:
            raise param_error(owner, name, "a list of at least one number", values)
        for value in values:
            check(owner, name, value)

    return check_all


def _ordered(owner: str, name: str, value: Any) -> None:
    """Check True, False, or distinct labels."""
    if isinstance(value, bool | np.bool_):
        return
    if not isinstance(value, list | tuple | np.ndarray) or np.ndim(value) != 1 or len(value) < 2:
        raise param_error(owner, name, "True, False, or a list of at least two labels", value)
    if len(set(value)) < len(value):
        raise param_error(owner, name, "a list of different labels", value)


def _quantile(owner: str, name: str, value: Any) -> None:
    """Check one quantile, or ascending quantiles."""
    if np.ndim(value) == 0:
        _number(0, 1, ends=False)(owner, name, value)
        return
    _several(_number(0, 1, ends=False))(owner, name, value)
    if len(value) < 2 or not (np.diff(value) > 0.0).all():
        raise param_error(owner, name, "one number, or at least two ascending ones", value)


def _n_jobs(owner: str, name: str, value: Any) -> None:
    if value is not None:
        check_integer(owner, name, value, low=-_MOST, high=_MOST, cure="-1 means all processors.")
        if value == 0:
            raise param_error(owner, name, "an integer other than 0, or None", 0, "-1 means all processors.")


def _verbose(owner: str, name: str, value: Any) -> None:
    if not isinstance(value, bool):
        check_integer(owner, name, value, low=0)


_CHECKS: dict[str, Check] = {
    "depth": _integer_or_auto(1, MAX_DEPTH),
    "depths": _several(_integer(1, MAX_DEPTH)),
    "slope": _number(0, ends=False),
    "output": _choice(["auto", *OUTPUTS]),
    "gain": _number(0, ends=False),
    "n_hidden": _integer_or_auto(0),
    "alpha": _number(0),
    "alphas": _several(_number(0)),
    "n_folds": _integer(2, _MOST),
    "l1_ratio": _number(0, 1),
    "solver": _choice(["auto", *SOLVERS]),
    "max_iter": _integer_or_auto(1),
    "tol": _number(0),
    "learning_rate": _number_or_auto,
    "batch_size": _integer_or_auto(1),
    "early_stopping": check_boolean,
    "validation_fraction": _number(0, 1, ends=False),
    "n_iter_no_change": _integer(1),
    "n_teachers": _integer_or_auto(0, _MOST),
    "terms": check_terms,
    "structure": _choice(list(STRUCTURES)),
    "max_arrows": _optional(_integer(1)),
    "prior": _choice(
        list(priors.NAMES),
        "None or a FuzzyCognitiveMap",
        lambda value: value is None or isinstance(value, FuzzyCognitiveMap),
    ),
    "init": _choice(
        list(initialization.NAMES), "a FuzzyCognitiveMap", lambda value: isinstance(value, FuzzyCognitiveMap)
    ),
    "learn": _choice(["weights", "slopes"]),
    "scale": _choice(["auto", "logistic"], "True or False", lambda value: isinstance(value, bool | np.bool_)),
    "loss": _choice(list(VALUE_LOSSES)),
    "power": _number(1, 2, ends=False),
    "quantile": _quantile,
    "ordered": _ordered,
    "class_weight": _choice(
        ["balanced"], "a dict {label: weight}", lambda value: value is None or isinstance(value, dict)
    ),
    "warm_start": check_boolean,
    "n_jobs": _n_jobs,
    "verbose": _verbose,
}


def check_parameters(owner: str, parameters: Mapping[str, Any]) -> None:
    """Raise for the first invalid parameter; checks that depend on the data come later."""
    for name, value in parameters.items():
        if name in _CHECKS:
            _CHECKS[name](owner, name, value)
    init, n_hidden = parameters.get("init"), parameters.get("n_hidden")
    if isinstance(init, str) and init == "correlation" and n_hidden not in (0, "auto"):
        cure = "Hidden concepts have no correlations."
        raise param_error(owner, "n_hidden", "0 with init='correlation'", n_hidden, cure)
    if parameters.get("learn") == "slopes":
        _check_slopes(owner, parameters)


def _check_slopes(owner: str, parameters: Mapping[str, Any]) -> None:
    """Raise for parameters that cannot be combined with fixed weights."""
    prior, init = parameters["prior"], parameters["init"]
    fixed = isinstance(prior, FuzzyCognitiveMap) or isinstance(init, FuzzyCognitiveMap) or init == "correlation"
    if not fixed:
        expected = "'weights', unless prior or init is a FuzzyCognitiveMap or init is 'correlation'"
        raise param_error(owner, "learn", expected, "slopes", "Only slopes and biases are trained, for fixed weights.")
    for name in ("edges", "weight_bounds", "monotonic_cst"):
        if parameters[name] is not None:
            raise param_error(owner, name, "None with learn='slopes'", parameters[name], "The weights are fixed.")
    if parameters["l1_ratio"]:
        raise param_error(owner, "l1_ratio", "0 with learn='slopes'", parameters["l1_ratio"], "The weights are fixed.")
