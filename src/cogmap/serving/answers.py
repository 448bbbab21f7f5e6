"""What is answered about rows: predictions and contributions, as plain values for JSON."""

from typing import Any, Protocol, cast

from cogmap._links import LogOddsLink, SoftmaxLink, ValueLink, chosen
from cogmap._params import wrong
from cogmap._validation import input_names
from cogmap.explanation import explain
from cogmap.model import MapModel
from cogmap.serving.columns import Array, Column, NumberColumns, Rows, Where

JSON = dict[str, Any]


class Columns(Protocol):
    """What is asked of the columns of a model."""

    columns: tuple[Column, ...]

    def cell(self, name: str, text: str) -> Any:
        """Return what a cell of a CSV file says, as JSON would."""
        ...

    def table(self, rows: Rows, where: Where) -> tuple[Array, list[str]]:
        """Return the features of rows, and what else there is to say about them."""
        ...

    def by_column(self, of_features: Array) -> Array:
        """Sum what belongs to the same column: from (n_rows, n_features, ...) to (n_rows, n_columns, ...)."""
        ...


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
        self.one_value = isinstance(self._link, ValueLink) and self._link.one_dimensional
        self._names = [column.name for column in columns.columns]

    def predictions(self, table: Array) -> list[JSON]:
        """Return what the model predicts about each row."""
        net = self.model.net(table)
        outputs = self._link.outputs(net).tolist()
        if isinstance(self._link, ValueLink):
            if self.one_value:
                return [{"prediction": value} for (value,) in outputs]
            return [{"prediction": dict(zip(self.outputs, values, strict=True))} for values in outputs]
        labels = chosen(self._link, self._link.decision(net)).tolist()
        return [
            {"prediction": label, "probabilities": dict(zip(self.outputs, probabilities, strict=True))}
            for label, probabilities in zip(labels, outputs, strict=True)
        ]

    def explanations(self, table: Array) -> JSON:
        """Return what each column contributes to what the model says about each row, and the base values."""
        explanation = explain(self.model, table)
        of_columns = self.columns.by_column(explanation.contributions).transpose(0, 2, 1).tolist()
        rows = [
            {
                **prediction,
                "contributions": {
                    output: dict(zip(self._names, values, strict=True))
                    for output, values in zip(self.outputs, of_outputs, strict=True)
                },
            }
            for prediction, of_outputs in zip(self.predictions(table), of_columns, strict=True)
        ]
        base_values = dict(zip(self.outputs, explanation.base_values.tolist(), strict=True))
        return {"explanations": rows, "base_values": base_values}


def served(model: Any) -> Served:
    """Return a fitted estimator, or a pipeline that `cogmap fit` has saved, ready to answer."""
    fitted = getattr(model, "model_", None)
    if isinstance(fitted, MapModel) and not isinstance(model, type):
        return Served(fitted, NumberColumns(fitted, input_names(model)))
    raise wrong("application", "model", "a fitted estimator of cogmap, or a pipeline that `cogmap fit` saved", model)
