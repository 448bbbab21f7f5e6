"""`to_onnx` and `to_inputs`."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from cogmap._utils.params import Literal, check_boolean, param_error
from cogmap.estimators._base import BaseFCM
from cogmap.integrations.onnx.graph import Graph
from cogmap.integrations.onnx.maps import OUTPUTS, add_predictions, add_transformed
from cogmap.models.model import MapModel

_X = "X"


def to_onnx(model: Any, transform: bool = False) -> Any:
    """Return a fitted model as a graph of ONNX.

    The graph holds all that happens to a row: scaling, words, undecided values, the steps of the map and what its
    outputs mean. It computes in double precision, and the number of rows is free. It needs version 17 of the operators
    of ONNX (onnxruntime 1.12 or later), and for a pipeline version 3 of those for machine learning.

    An estimator has the input ``X`` of shape (rows, features), in which NaN is a missing value. A pipeline has an input
    of shape (rows, 1) per column that it uses, by its name: numbers; text for categories and booleans, in which unknown
    text is undecided; dates as seconds since the beginning of 1970, in UTC if they have a zone. `to_inputs` makes them
    from a table.

    Outputs of a classifier are ``label`` of shape (rows,) and ``probabilities`` of shape (rows, classes), that of a
    regressor is ``prediction``, of the shape that `predict` has.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor, MapModel or Pipeline
        What was fitted; the steps of a pipeline are a `TablePreparer` and an estimator.
    transform : bool, default=False
        Whether the graph gives the learned features instead, as ``model.transform`` does: the output ``features`` of
        shape (rows, concepts).

    Returns
    -------
    onnx.ModelProto
        ``onnx.save`` writes it to a file. Names of features, and of columns and their inputs, are in its metadata.

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
    preparer, fitted, names = _parts("to_onnx", model)
    graph = Graph(OUTPUTS)
    facts: dict[str, Any] = {"features": names}
    if preparer is None:
        X = graph.input(_X, float, fitted.n_features)
    else:
        from cogmap.integrations.onnx import tables  # which needs pandas

        inputs = tables.add_inputs(graph, preparer.columns_)
        X = tables.add_features(graph, preparer.columns_, inputs)
        facts["columns"] = [
            {"name": column.name, "kind": column.kind, "input": name}
            for column, name in zip(preparer.columns_, inputs, strict=True)
        ]
    if transform:
        facts["concepts"] = list(fitted.map.concepts)
        add_transformed(graph, fitted, X)
    else:
        add_predictions(graph, fitted, X)
    return graph.model("fuzzy cognitive map", {name: json.dumps(fact) for name, fact in facts.items()})


def to_inputs(model: Any, X: Any) -> dict[str, NDArray[Any]]:
    """Return a table in the form in which the graph of a model takes it.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor, MapModel or Pipeline
        What was given to `to_onnx`.
    X : array-like or DataFrame
        A table as `model.predict` takes it. That of a pipeline may have its columns in any order, and others.

    Returns
    -------
    dict of str to ndarray
        An array per input, for ``session.run(None, inputs)`` of onnxruntime.

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
    """Return the preparation of tables, if there is one, the fitted model, and the names of its features."""
    preparer = None
    if isinstance(model, Pipeline):
        steps = [step for _, step in model.steps]
        kinds = [type(step).__name__ for step in steps]
        if kinds[:-1] != ["TablePreparer"] or not isinstance(steps[-1], BaseFCM):
            cure = "Export the last step alone, or convert the others by a package that knows them."
            expected = "a pipeline of a TablePreparer and an estimator"
            raise param_error(owner, "model", expected, Literal(" and ".join(kinds)), cure)
        preparer, model = steps
    fitted = model if isinstance(model, MapModel) else getattr(model, "model_", None)
    if not isinstance(model, BaseFCM | MapModel):
        raise param_error(owner, "model", "an estimator of cogmap, its `model_`, or a pipeline of one", model)
    if fitted is None or (preparer is not None and not hasattr(preparer, "columns_")):
        raise param_error(owner, "model", "fitted", Literal(f"{type(model).__name__} that is not"), "Call fit.")
    return preparer, fitted, fitted.encoding.column_names(fitted.map.concepts[: fitted.n_inputs])
