"""`to_onnx` and `to_inputs`."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from cogmap._utils.params import Literal, check_boolean, param_error
from cogmap.estimators._base import BaseFCM
from cogmap.estimators._uncertainty import held_out_errors
from cogmap.integrations.onnx.graph import Graph, Name
from cogmap.integrations.onnx.maps import OUTPUTS, add_intervals, add_predictions, add_sets, add_transformed
from cogmap.models.links import LabelsLink, ValueLink
from cogmap.models.model import MapModel
from cogmap.statistics.conformal import check_level

_X = "X"


def to_onnx(model: Any, transform: bool = False, level: float | None = None) -> Any:
    """Convert a fitted model to an ONNX graph.

    The graph includes every step from a row to its prediction: scaling, linguistic terms, missing values, the map and
    the link. It computes in double precision for any number of rows. It needs opset 17 (onnxruntime 1.12 or later), and
    a pipeline also version 3 of the opset ``ai.onnx.ml``.

    An estimator has one input ``X`` of shape (rows, features), in which NaN is a missing value. A pipeline has one
    input of shape (rows, 1) per column, with the name of the column: numbers; text for categories and booleans, where
    unknown text counts as missing; dates as seconds since 1970-01-01, in UTC if they have a time zone. `to_inputs`
    creates these inputs from a table.

    A classifier has the outputs ``label`` of shape (rows,) and ``probabilities`` of shape (rows, classes), a regressor
    the output ``prediction``, with the shape that `predict` returns.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor, MapModel or Pipeline
        Fitted model; the steps of a pipeline are a `TablePreparer` and an estimator.
    transform : bool, default=False
        Whether the graph computes the learned features instead, as ``model.transform``: one output ``features`` of
        shape (rows, concepts).
    level : float, default=None
        If given, such as 0.9, a regressor also has the output ``interval``, with the shape that `predict_interval`
        returns, and a classifier the output ``set`` of booleans, of shape (rows, classes).

    Returns
    -------
    onnx.ModelProto
        ``onnx.save`` writes it to a file. The metadata hold the names of features, and of columns and their inputs.

    See Also
    --------
    to_inputs : Convert a table to the inputs of the ONNX graph of a model.
    cogmap.save : Save a fitted estimator to a file.
    cogmap.page.write : Write an interactive HTML page of a map.

    Examples
    --------
    >>> import onnxruntime
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.integrations.onnx import to_onnx
    >>> X, y = load_iris(return_X_y=True)
    >>> fcm = FCMClassifier(random_state=0).fit(X, y)
    >>> session = onnxruntime.InferenceSession(to_onnx(fcm).SerializeToString())
    >>> labels, probabilities = session.run(None, {"X": X})
    >>> bool((labels == fcm.predict(X)).all()), bool(abs(probabilities - fcm.predict_proba(X)).max() < 1e-12)
    (True, True)
    """
    check_boolean("to_onnx", "transform", transform)
    if level is not None:
        level = check_level("to_onnx", level)
    preparer, fitted, names = _parts("to_onnx", model)
    graph = Graph(OUTPUTS)
    metadata: dict[str, Any] = {"features": names}
    if preparer is None:
        X = graph.input(_X, float, fitted.n_features)
    else:
        from cogmap.integrations.onnx import tables  # needs pandas

        inputs = tables.add_inputs(graph, preparer.columns_)
        X = tables.add_features(graph, preparer.columns_, inputs)
        metadata["columns"] = [
            {"name": column.name, "kind": column.kind, "input": name}
            for column, name in zip(preparer.columns_, inputs, strict=True)
        ]
    if transform:
        metadata["concepts"] = list(fitted.map.concepts)
        add_transformed(graph, fitted, X)
    else:
        outputs = add_predictions(graph, fitted, X)
        if level is not None:
            _add_ranges(graph, model if preparer is None else model.steps[-1][1], fitted, level, outputs)
    return graph.model("fuzzy cognitive map", {name: json.dumps(value) for name, value in metadata.items()})


def _add_ranges(graph: Graph, estimator: Any, fitted: MapModel, level: float, outputs: Name) -> None:
    """Add intervals or sets of classes, given the predicted values or probabilities."""
    link: Any = fitted.link
    if isinstance(link, ValueLink) and not isinstance(link, LabelsLink):
        add_intervals(graph, link, held_out_errors(estimator, "predict_interval"), level, outputs)
    else:
        shape = (link.n_outputs, 2) if isinstance(link, LabelsLink) else (len(link.classes),)
        add_sets(graph, held_out_errors(estimator, "predict_set"), level, outputs, shape)


def to_inputs(model: Any, X: Any) -> dict[str, NDArray[Any]]:
    """Convert a table to the inputs of the ONNX graph of a model.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor, MapModel or Pipeline
        The model passed to `to_onnx`.
    X : array-like or DataFrame
        A table as for `model.predict`. For a pipeline, columns may be in any order, and extra columns are ignored.

    Returns
    -------
    dict of str to ndarray
        One array per input, for ``session.run(None, inputs)`` of onnxruntime.

    See Also
    --------
    to_onnx : Convert a fitted model to an ONNX graph.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.integrations.onnx import to_inputs
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> to_inputs(FCMClassifier(random_state=0).fit(X, y), X[:1])
    {'X': array([[5.1, 3.5, 1.4, 0.2]])}
    """
    preparer, _, _ = _parts("to_inputs", model)
    if preparer is None:
        table = model._checked(X) if isinstance(model, MapModel) else model._fitted_model(X)[1]
        return {_X: np.asarray(table, dtype=np.float64)}
    from cogmap.integrations.onnx import tables

    names = tables.add_inputs(Graph(OUTPUTS), preparer.columns_)
    return dict(zip(names, tables.input_arrays(preparer, X), strict=True))


def _parts(owner: str, model: Any) -> tuple[Any, MapModel, list[str]]:
    """Return the table preparer or None, the fitted model, and its feature names."""
    preparer = None
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps]
        kinds = [type(step).__name__ for step in steps]
        if kinds[:-1] != ["TablePreparer"] or not isinstance(steps[-1], BaseFCM):
            cure = "Export the last step alone, and convert the other steps with their own converters."
            expected = "a pipeline of a TablePreparer and an estimator"
            raise param_error(owner, "model", expected, Literal(" and ".join(kinds)), cure)
        preparer, model = steps
    fitted = model if isinstance(model, MapModel) else getattr(model, "model_", None)
    if not isinstance(model, BaseFCM | MapModel):
        raise param_error(owner, "model", "a cogmap estimator, its `model_`, or a pipeline with an estimator", model)
    if fitted is None or (preparer is not None and not hasattr(preparer, "columns_")):
        raise param_error(owner, "model", "fitted", Literal(f"an unfitted {type(model).__name__}"), "Call fit.")
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = fitted.encoding.column_names(fitted.map.concepts[: fitted.n_inputs])
    return preparer, fitted, [str(name) for name in names]
