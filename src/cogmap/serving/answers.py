"""Answers about rows as plain values for JSON: predictions, contributions and counterfactuals of a `TableModel`."""

from typing import Any

from cogmap.explanation import WhatIf
from cogmap.models.links import ValueLink
from cogmap.serving.columns import Columns, Rows
from cogmap.table.model import Predictions, TableModel

JSON = dict[str, Any]


class Served:
    """A table model with the description of its columns, which answers in plain values.

    Attributes
    ----------
    model : TableModel
        The model.
    columns : Columns
        The columns that it reads.
    kind : {"classifier", "regressor"}
        Kind of the model.
    labels : list
        Classes, as JSON has them; empty for a regressor.
    outputs : list of str
        Names of the classes or targets.
    one_value : bool
        Whether a prediction is one number, not a class or the values of several targets.
    """

    def __init__(self, model: TableModel) -> None:
        self.model = model
        self.columns = Columns(model)
        link: Any = model.model.link
        self.kind = "regressor" if isinstance(link, ValueLink) else "classifier"
        self.labels: list[Any] = [] if isinstance(link, ValueLink) else link.classes.tolist()
        self.outputs = model.outputs
        self.one_value = isinstance(link, ValueLink) and link.one_dimensional

    def answer(self, rows: Rows, explained: bool, typed: bool = True) -> JSON:
        """Return predictions for rows, or explanations, with notes; `typed` as for `Columns.predictions`."""
        predictions, notes = self.columns.predictions(rows, typed)
        found = self._explanations(predictions) if explained else {"predictions": self._predictions(predictions)}
        return {**found, "notes": notes}

    def what_if(self, row: JSON, to: Any, fixed: list[str]) -> JSON:
        """Return the smallest change of a row that changes its prediction, with notes."""
        _, notes = self.columns.predictions([row], True)
        answer: WhatIf = self.model.what_if(row, to, fixed=fixed)
        changes = {name: {"before": before, "after": after} for name, (before, after) in answer.changes.items()}
        before, after = (
            dict(zip(self.outputs, outputs.tolist(), strict=True))
            for outputs in (answer.outputs_before, answer.outputs)
        )
        return {"found": answer.found, "changes": changes, "before": before, "after": after, "notes": notes}

    def _predictions(self, predictions: Predictions) -> list[JSON]:
        labels, outputs = predictions.labels.tolist(), predictions.outputs.tolist()
        if self.labels:
            return [
                {"prediction": label, "probabilities": dict(zip(self.outputs, row, strict=True))}
                for label, row in zip(labels, outputs, strict=True)
            ]
        if self.one_value:
            return [{"prediction": row[0]} for row in outputs]
        return [{"prediction": dict(zip(self.outputs, row, strict=True))} for row in outputs]

    def _explanations(self, predictions: Predictions) -> JSON:
        """Return the contribution of each column to each output, and the base values."""
        contributions, base_values = self.model.contributions(predictions.features)
        rows = [
            {
                **prediction,
                "contributions": {
                    output: dict(zip(self.columns.names, values, strict=True))
                    for output, values in zip(self.outputs, of_outputs, strict=True)
                },
            }
            for prediction, of_outputs in zip(
                self._predictions(predictions), contributions.transpose(0, 2, 1).tolist(), strict=True
            )
        ]
        return {"explanations": rows, "base_values": dict(zip(self.outputs, base_values.tolist(), strict=True))}
