"""Answers about rows as plain values for JSON: predictions, contributions and counterfactuals of a `TableModel`."""

import sys
from typing import Any

from cogmap._utils.params import shown
from cogmap.explanation import WhatIf
from cogmap.models.links import ValueLink
from cogmap.serving.bodies import Problem, described
from cogmap.serving.columns import Columns, Rows
from cogmap.table.model import TableModel
from cogmap.table.predictions import Predictions

JSON = dict[str, Any]

_LARGEST = sys.float_info.max


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

    def answer(self, question: str, rows: Rows, options: JSON | None = None, typed: bool = True) -> JSON:
        """Return predictions, explanations or counterfactuals of rows, with notes.

        Parameters
        ----------
        question : {"predict", "explain", "what-if"}
            The question.
        rows : sequence of dict
            The rows.
        options : dict, default=None
            ``to`` and ``fixed`` of "what-if".
        typed : bool, default=True
            As for `Columns.predictions`.
        """
        predictions, notes = self.columns.predictions(rows, typed)
        if question == "explain":
            answers = self._explanations(predictions)
        elif question == "what-if":
            to, fixed = self._goal((options or {}).get("to")), self._fixed((options or {}).get("fixed", []))
            answers = {"answers": [self._change(self.model.what_if(row, to, fixed=fixed)) for row in rows]}
        else:
            answers = {"predictions": self._predictions(predictions)}
        return {**answers, "notes": notes}

    def _goal(self, to: Any) -> Any:
        """Return the goal of "what-if", checked."""
        if self.labels:
            if to is not None and str(to) not in self.outputs:
                raise Problem(422, f"to must be one of the classes {shown(self.outputs)} or null, got {described(to)}.")
            return to
        values = list(to.values()) if isinstance(to, dict) and not self.one_value else [to]
        named = self.one_value or (isinstance(to, dict) and len(to) == 1 and next(iter(to)) in self.outputs)
        if not named or type(values[0]) not in (int, float) or not abs(values[0]) <= _LARGEST:
            example = "" if self.one_value else f' of one target, such as {{"{self.outputs[0]}": 1.5}}'
            raise Problem(422, f"to must be the number to reach{example}, got {described(to)}.")
        return to

    def _fixed(self, fixed: Any) -> list[str]:
        """Return the columns that "what-if" must not change, checked."""
        if not isinstance(fixed, list):
            raise Problem(422, f"fixed must be a list of names of columns, got {described(fixed)}.")
        for name in fixed:
            if name not in self.columns.names:
                raise Problem(422, f"fixed must be a list of names of columns, and has {described(name)}.")
        return fixed

    def _change(self, answer: WhatIf) -> JSON:
        changes = {name: {"before": before, "after": after} for name, (before, after) in answer.changes.items()}
        before, after = (
            dict(zip(self.outputs, outputs.tolist(), strict=True))
            for outputs in (answer.outputs_before, answer.outputs)
        )
        return {"found": answer.found, "changes": changes, "before": before, "after": after}

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
