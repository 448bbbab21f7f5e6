"""What is answered about rows: predictions and contributions, as plain values for JSON."""

from typing import Any, cast

from sklearn.pipeline import Pipeline

from cogmap._utils.params import param_error
from cogmap.estimators._validation import input_names
from cogmap.explanation import explain
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.features import Array
from cogmap.models.links import LogOddsLink, SoftmaxLink, ValueLink, decided
from cogmap.models.model import MapModel
from cogmap.serving.columns import Columns, Rows
from cogmap.serving.quick import quick_way
from cogmap.table.preparation import NumberColumn, TablePreparer

JSON = dict[str, Any]


class Served:
    """A model with the columns it reads, which answers in plain values.

    Attributes
    ----------
    model : MapModel
        The model.
    columns : Columns
        What it reads.
    kind : {"classifier", "regressor"}
        What it predicts.
    labels : list
        Classes, as JSON has them; empty for a regressor.
    outputs : list of str
        Names of the classes or targets.
    one_value : bool
        Whether a prediction is one number, not a class or the values of several targets.
    """

    def __init__(self, model: MapModel, columns: Columns) -> None:
        self.model = model
        self.columns = columns
        self._link = cast(LogOddsLink | SoftmaxLink | ValueLink, model.link)
        self.kind = "regressor" if isinstance(self._link, ValueLink) else "classifier"
        self.labels: list[Any] = [] if isinstance(self._link, ValueLink) else self._link.classes.tolist()
        self.outputs = self._link.names if isinstance(self._link, ValueLink) else [str(label) for label in self.labels]
        self._quick_way = quick_way(model)
        self.one_value = isinstance(self._link, ValueLink) and self._link.one_dimensional

    def answer(self, rows: Rows, explained: bool, typed: bool = True) -> JSON:
        """Return what is predicted about rows, explained if asked, with notes; `typed` as for `Columns.table`."""
        table, notes = self.columns.table(rows, typed)
        found = self.explanations(table) if explained else {"predictions": self.predictions(table)}
        return {**found, "notes": notes}

    def predictions(self, table: Array) -> list[JSON]:
        """Return what the model predicts about each row."""
        if self._quick_way is not None and len(table) == 1:
            outputs, chosen = self._quick_way(table[0])
            return [self._prediction(outputs, chosen)]
        net = self.model.net(table)
        codes = [0] * len(table) if isinstance(self._link, ValueLink) else decided(self._link.decision(net)).tolist()
        return list(map(self._prediction, self._link.outputs(net).tolist(), codes))

    def _prediction(self, outputs: list[float], code: int) -> JSON:
        if self.labels:
            return {"prediction": self.labels[code], "probabilities": dict(zip(self.outputs, outputs, strict=True))}
        return {"prediction": outputs[0] if self.one_value else dict(zip(self.outputs, outputs, strict=True))}

    def explanations(self, table: Array) -> JSON:
        """Return what each column contributes to what the model says about each row, and the base values."""
        explanation = explain(self.model, table)
        of_columns = self.columns.by_column(explanation.contributions).transpose(0, 2, 1).tolist()
        rows = [
            {
                **prediction,
                "contributions": {
                    output: dict(zip(self.columns.names, values, strict=True))
                    for output, values in zip(self.outputs, of_outputs, strict=True)
                },
            }
            for prediction, of_outputs in zip(self.predictions(table), of_columns, strict=True)
        ]
        base_values = dict(zip(self.outputs, explanation.base_values.tolist(), strict=True))
        return {"explanations": rows, "base_values": base_values}


def served(model: Any) -> Served:
    """Return a fitted model, or a pipeline of a `TablePreparer` and one, ready to answer."""
    preparer = None
    estimator = model
    if isinstance(model, Pipeline) and len(model.steps) == 2 and isinstance(model.steps[0][1], TablePreparer):
        preparer, estimator = model.steps[0][1], model.steps[1][1]
    fitted = estimator if isinstance(estimator, MapModel) else getattr(estimator, "model_", None)
    if not isinstance(fitted, MapModel) or isinstance(estimator, type):
        expected = "a fitted estimator of cogmap, or a pipeline of a fitted `TablePreparer` and one"
        alone = "A map alone does not say how a row enters it." if isinstance(model, FuzzyCognitiveMap) else ""
        raise param_error("application", "model", expected, model, alone)
    if preparer is not None:
        return Served(fitted, Columns(preparer.columns_, fitted, preparer.left_out_))
    if estimator is fitted:
        names = fitted.encoding.column_names(fitted.map.concepts[: fitted.n_inputs])
    else:
        names = input_names(estimator)
    return Served(fitted, Columns([NumberColumn(name, (name,)) for name in names], fitted))
