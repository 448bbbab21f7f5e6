"""Answers about rows as JSON objects: predictions, contributions and counterfactuals of a `TableModel`."""

from itertools import starmap
from typing import Any, NamedTuple

import msgspec

from cogmap._utils.params import shown
from cogmap.exceptions import DataError
from cogmap.explanation import WhatIf
from cogmap.models.links import LabelsLink, QuantileLink, ValueLink
from cogmap.serving.bodies import JSON, JSONObject, RequestError, describe_value, json_rows
from cogmap.serving.columns import MAX_FLOAT, Columns, struct_type
from cogmap.table.model import TableModel
from cogmap.table.predictions import Predictions


class Answer(NamedTuple):
    """The JSON text of a response, and the predictions for its rows."""

    content: bytes
    predictions: Predictions


class ServedModel:
    """A table model that takes bodies of JSON or CSV and returns JSON objects.

    Attributes
    ----------
    model : TableModel
        The model.
    columns : Columns
        Its input columns.
    kind : {"classifier", "regressor"}
        Kind of model.
    labels : list
        Classes as JSON values; empty for a regressor.
    outputs : list of str
        Names of the classes or targets.
    one_value : bool
        Whether a prediction is a single number, not a class or the values of several targets.
    one_interval : bool
        Whether a prediction has a single interval: that of its only value, or of several quantiles of one target.
    knows_errors : bool
        Whether predictions can have intervals or sets of classes.
    """

    def __init__(self, model: TableModel) -> None:
        self.model = model
        self.columns = Columns(model)
        link: Any = model.model.link
        self.kind = "regressor" if isinstance(link, ValueLink) else "classifier"
        self.labels: list[Any] = [] if isinstance(link, ValueLink) else link.classes.tolist()
        self.outputs = model.outputs
        self.one_value = isinstance(link, ValueLink) and link.one_dimensional
        self.one_interval = self.one_value or (isinstance(link, QuantileLink) and link.is_sorted)
        self.knows_errors = hasattr(model.estimator, "held_out_errors_") and not isinstance(link, LabelsLink)
        self._types = _types(self.outputs) if self.labels else None

    def answer(self, question: str, body: bytearray, kind: str, max_rows: int, level: float | None = None) -> Answer:
        """Return predictions, explanations or counterfactuals for the rows of a body.

        Parameters
        ----------
        question : {"predict", "explain", "what-if"}
            What to compute.
        body : bytearray
            The body: rows, and for "what-if" also ``to`` and ``fixed``.
        kind : {"application/json", "text/csv"}
            Media type of the body.
        max_rows : int
            Maximum number of rows.
        level : float, default=None
            If given, predictions have an interval or a set of classes of this level.

        Returns
        -------
        Answer
            The response, and the predictions on which it rests.
        """
        if question == "what-if":
            rows, options = json_rows(body, max_rows)
            predictions, notes = self.columns.from_rows(rows)
            to, fixed = self._goal(options.get("to")), self._fixed(options.get("fixed", []))
            content: JSONObject = {
                "answers": [self._counterfactual(self.model.what_if(row, to, fixed=fixed)) for row in rows]
            }
        else:
            read = self.columns.from_json if kind == JSON else self.columns.from_csv
            predictions, notes = read(body, max_rows)
            explain = question == "explain"
            content = self._explanations(predictions) if explain else {"predictions": self._sure(predictions, level)}
        return Answer(msgspec.json.encode({**content, "notes": notes}), predictions)

    def _goal(self, to: Any) -> Any:
        """Validate and return the goal of "what-if"."""
        if self.labels:
            if to is not None and str(to) not in self.outputs:
                classes = shown(self.outputs)
                raise RequestError(422, f"to must be one of the classes {classes} or null, got {describe_value(to)}.")
            return to
        values = list(to.values()) if isinstance(to, dict) and not self.one_value else [to]
        is_one_target = self.one_value or (isinstance(to, dict) and len(to) == 1 and next(iter(to)) in self.outputs)
        if not is_one_target or type(values[0]) not in (int, float) or not abs(values[0]) <= MAX_FLOAT:
            expected = "a number" if self.one_value else f'a number for one target, as {{"{self.outputs[0]}": 1.5}}'
            raise RequestError(422, f"to must be {expected}, got {describe_value(to)}.")
        return to

    def _fixed(self, fixed: Any) -> list[str]:
        """Validate and return the columns that "what-if" must not change."""
        if not isinstance(fixed, list):
            raise RequestError(422, f"fixed must be a list of column names, got {describe_value(fixed)}.")
        for name in fixed:
            if name not in self.columns.names:
                raise RequestError(422, f"fixed must be a list of column names, got {describe_value(name)} in it.")
        return fixed

    def _counterfactual(self, answer: WhatIf) -> JSONObject:
        changes = {name: {"before": before, "after": after} for name, (before, after) in answer.changes.items()}
        before, after = (
            dict(zip(self.outputs, outputs.tolist(), strict=True))
            for outputs in (answer.outputs_before, answer.outputs)
        )
        return {"found": answer.found, "changes": changes, "before": before, "after": after}

    def _predictions(self, predictions: Predictions) -> list[Any]:
        """Return predictions as JSON objects, or as objects that msgspec writes alike and that are made faster."""
        labels, outputs = predictions.labels.tolist(), predictions.outputs.tolist()
        if self.labels:
            if self._types is not None:
                row, probabilities = self._types
                return list(map(row, labels, starmap(probabilities, outputs)))
            return [
                {"prediction": label, "probabilities": dict(zip(self.outputs, row, strict=True))}
                for label, row in zip(labels, outputs, strict=True)
            ]
        if self.one_value:
            return [{"prediction": row[0]} for row in outputs]
        return [{"prediction": dict(zip(self.outputs, row, strict=True))} for row in outputs]

    def _sure(self, predictions: Predictions, level: float | None) -> list[Any]:
        """Return predictions, with intervals or sets of classes if a level is given."""
        rows = self._predictions(predictions)
        if level is None:
            return rows
        ranges: list[Any]
        try:
            if self.labels:
                name, ranges = "set", self.model.class_sets(predictions, level)
            else:
                ends = self.model.intervals(predictions, level).tolist()
                name, ranges = (
                    "interval",
                    [of_row[0] if self.one_interval else self._by_output(of_row) for of_row in ends],
                )
        except DataError as problem:
            raise RequestError(422, str(problem)) from None
        return [{**msgspec.to_builtins(row), name: value} for row, value in zip(rows, ranges, strict=True)]

    def _by_output(self, values: list[Any]) -> JSONObject:
        return dict(zip(self.outputs, values, strict=True))

    def _explanations(self, predictions: Predictions) -> JSONObject:
        """Return the contribution of each column to each output, and the base values."""
        contributions, base_values = self.model.contributions(predictions.features)
        rows = [
            {
                **msgspec.to_builtins(prediction),
                "contributions": {
                    output: dict(zip(self.columns.names, values, strict=True))
                    for output, values in zip(self.outputs, by_output, strict=True)
                },
            }
            for prediction, by_output in zip(
                self._predictions(predictions), contributions.transpose(0, 2, 1).tolist(), strict=True
            )
        ]
        return {"explanations": rows, "base_values": dict(zip(self.outputs, base_values.tolist(), strict=True))}


def _types(outputs: list[str]) -> tuple[Any, Any] | None:
    """Return the classes of a prediction and of its probabilities."""
    probabilities = struct_type("Probabilities", tuple(outputs), [float] * len(outputs))
    if probabilities is None:
        return None
    return msgspec.defstruct("Prediction", [("prediction", Any), ("probabilities", probabilities)]), probabilities
