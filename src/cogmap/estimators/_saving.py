"""Convert estimators to states for model files and back: parameters and fitted attributes."""

from functools import cache, partial
from typing import Any

import numpy as np

from cogmap._learning.solvers import Outcome
from cogmap._learning.solvers.adaptive import Adam, RMSprop
from cogmap._utils.params import Literal, param_error
from cogmap.estimators._base import BaseFCM
from cogmap.estimators._param_checks import check_parameters
from cogmap.estimators._refitting import is_learned
from cogmap.estimators._time_axis import TimeAxis
from cogmap.estimators.classifier import FCMClassifier
from cogmap.estimators.classifier_cv import FCMClassifierCV
from cogmap.estimators.forecaster import FCMForecaster
from cogmap.estimators.regressor import FCMRegressor
from cogmap.exceptions import ModelFileError
from cogmap.models.links import LabelsLink, QuantileLink, ValueLink
from cogmap.models.model import MapModel
from cogmap.models.sequence import SequenceModel
from cogmap.persistence.parts import renamed, require
from cogmap.persistence.values import Kind, State
from cogmap.statistics.conformal import HeldOutErrors
from cogmap.statistics.forecasts import error_growth
from cogmap.statistics.novelty import RowDistances

_OUTPUT_CONFIG = "_sklearn_output_config"  # where scikit-learn stores the setting of set_output


def _state(estimator: BaseFCM | FCMForecaster) -> State:
    if not hasattr(estimator, "model_"):
        raise param_error(
            "save", "estimator", "fitted", Literal(f"{type(estimator).__name__} without a model"), "Call fit."
        )
    return {
        "parameters": estimator.get_params(deep=False),
        "learned": {name: value for name, value in vars(estimator).items() if is_learned(name)},
        "set_output": getattr(estimator, _OUTPUT_CONFIG, {}),
    }


def _estimator(kind: type[BaseFCM], state: State) -> BaseFCM:
    parameters, learned = state["parameters"], renamed(state["learned"])
    unknown = [name for name in parameters if name not in _parameter_names(kind)]
    unknown += [name for name in learned if not is_learned(name)]
    if unknown:
        raise ModelFileError(f"its {kind.__name__} has {unknown[0][:80]!r}, which this cogmap does not know")
    check_parameters(kind.__name__, parameters)
    _check_learned(learned, of_values=kind is FCMRegressor)
    estimator = kind(**parameters)
    estimator.__dict__ |= learned
    if output_config := state["set_output"]:
        require(output_config["transform"] in ("default", "pandas", "polars"), "kind of data frame")
        estimator.set_output(transform=output_config["transform"])
    return estimator


@cache  # scikit-learn inspects the signature each time, which is slow
def _parameter_names(kind: type[Any]) -> frozenset[str]:
    return frozenset(kind._get_param_names())


def _check_learned(learned: State, of_values: bool) -> None:
    model: Any = learned.get("model_")
    require(isinstance(model, MapModel), "learned model")
    require(
        (isinstance(model.link, ValueLink) and not isinstance(model.link, LabelsLink)) == of_values, "learned model"
    )
    require(learned["n_features_in_"] == model.n_features, "number of features")
    if "feature_names_in_" in learned:
        names = learned["feature_names_in_"]
        require(isinstance(names, np.ndarray) and names.dtype == object and len(names) == model.n_features, "names")
        require(all(isinstance(name, str) for name in names), "names")
    require(learned["_outcome"] in Outcome.__members__, "end of learning")
    require(isinstance(learned["loss_curve_"], list) and learned["loss_curve_"], "curve of losses")
    importances = learned["feature_importances_"]
    require(isinstance(importances, np.ndarray) and importances.shape == (model.n_features,), "importance of features")
    errors, distances = learned.get("held_out_errors_"), learned.get("row_distances_")
    if errors is not None:
        of_quantiles = isinstance(model.link, QuantileLink)
        columns = model.n_outputs if isinstance(model.link, ValueLink) else 1
        if of_quantiles:
            columns = 2 if model.link.is_sorted else 2 * columns
        require(isinstance(errors, HeldOutErrors) and errors.quantiles.shape[1] == columns, "held-out errors")
        require((errors.spread is None) != (of_values and not of_quantiles), "held-out errors")
        require(of_quantiles or (errors.quantiles >= 0.0).all(), "held-out errors")
    if distances is not None:
        require(isinstance(distances, RowDistances) and len(distances.center) == model.n_features, "distances of rows")
    if "_incremental" in learned:
        rule, random, seen = learned["_incremental"]
        require(isinstance(rule, Adam | RMSprop) and isinstance(random, np.random.RandomState), "solver")
        require(isinstance(seen, float), "weight of the rows seen")


def _forecaster(state: State) -> FCMForecaster:
    parameters, learned = state["parameters"], state["learned"]
    require(set(parameters) == _parameter_names(FCMForecaster), "parameters")
    require(all(is_learned(name) for name in learned), "learned attributes")
    model, sequence = learned.get("model_"), learned.get("sequence_")
    require(isinstance(model, MapModel) and isinstance(sequence, SequenceModel), "learned model")
    n, k = len(sequence.ends), len(sequence.names)
    for name in ("axes_", "errors_", "history_"):
        require(isinstance(learned[name], list) and len(learned[name]) == n, name)
    require(all(isinstance(axis, TimeAxis) for axis in learned["axes_"]), "times")
    for array in (*learned["errors_"], *learned["history_"]):
        require(isinstance(array, np.ndarray) and array.dtype == np.float64 and array.shape[-1] == k, "errors")
    require(all(array.ndim == 3 for array in learned["errors_"]), "errors")
    growth = learned.setdefault("growth_", error_growth(np.concatenate(learned["errors_"])))  # files of before
    require(isinstance(growth, np.ndarray) and growth.dtype == np.float64 and growth.shape == (k,), "errors")
    require(
        learned["variables_"] == list(sequence.names) and learned["drivers_"] == list(sequence.lags.drivers), "names"
    )
    require(type(learned["horizon_"]) is int and type(learned["season_"]) is int, "horizon")
    forecaster = FCMForecaster(**parameters)
    forecaster.__dict__ |= learned
    return forecaster


def _axis(state: State) -> TimeAxis:
    require(state["kind"] in ("number", "date", "period") and isinstance(state["frequency"], str), "times")
    require(isinstance(state["last"], int if state["kind"] == "number" else str), "times")
    require(isinstance(state.setdefault("zone", ""), str), "times")  # files of before have none
    return TimeAxis(**state)


def _kind(kind: type[Any]) -> Kind:
    return Kind(kind, _state, partial(_estimator, kind))


KINDS = {kind.__name__: _kind(kind) for kind in (FCMClassifier, FCMClassifierCV, FCMRegressor)}
KINDS["FCMForecaster"] = Kind(FCMForecaster, _state, _forecaster)
KINDS["time axis"] = Kind(TimeAxis, vars, _axis)
