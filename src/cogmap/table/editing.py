"""Training with changes that were made to a map by hand: what becomes of them, and what they cost."""

from collections.abc import Collection
from typing import Any

import numpy as np

from cogmap._utils.text import quoted
from cogmap.estimators.edits import Edit, EditReport, Edits
from cogmap.exceptions import DataError
from cogmap.table.scoring import Score, measures
from cogmap.table.sentences import THE_MAP
from cogmap.table.targets import CLASSES

WITHOUT = "without the edits"  # the method that is scored beside the map


def held_columns(edits: Edits, target: str, columns: Collection[str]) -> list[str]:
    """Return the columns that were held, which are left out; raise DataError if the edits are of another table."""
    if edits.target and edits.target != target:
        raise DataError(f"The edits are those of a map of {quoted(edits.target)}, and the target is {quoted(target)}.")
    for concept in edits.held:
        if concept not in columns:
            raise DataError(
                f"The edits hold the concept {quoted(concept)}, which is no column of the table: a new map cannot hold "
                "it. Release it on the page and save the edits again."
            )
    return list(edits.held)


def applicable(edits: Edits, features: Collection[str], y: Any, task: str) -> tuple[Edits, tuple[Edit, ...]]:
    """Return the edits of arrows from features to outputs, and those of other arrows, which a new map may not have."""
    outputs = [str(y.name)]
    if task == CLASSES:
        classes = [f"class={label}" for label in np.unique(y.astype(str))]
        _check_classes(edits, classes, str(y.name))
        outputs = classes[1:] if len(classes) == 2 else classes
    kept, others = edits.split(features, outputs)
    if not kept.arrows and not kept.held:
        names = ", ".join(f"{quoted(edit.source)} -> {quoted(edit.target)}" for edit in others[:3])
        raise DataError(
            f"None of the changed arrows goes from a column to the answer ({names}): the concepts of the next map are "
            "not known before it is trained. Change arrows from a column to the answer."
        )
    return kept, others


def _check_classes(edits: Edits, classes: list[str], target: str) -> None:
    """Raise DataError if the edits are about a class that the table does not have under this name."""
    for edit in edits.arrows:
        for name in (edit.source, edit.target):
            if name.startswith("class=") and name not in classes:
                known = ", ".join(quoted(label.removeprefix("class=")) for label in classes[:5])
                raise DataError(
                    f"The edits are about the class {quoted(name.removeprefix('class='))}, and {quoted(target)} has "
                    f"{known}. Give the classes the names that they had on the page (--labels CODE=NAME,...)."
                )


def edits_entry(
    edits: Edits, others: tuple[Edit, ...], fcm: Any, task: str, scores: dict[str, list[Score]]
) -> dict[str, Any]:
    """Return the entry `edits` of the card."""
    place = 1  # the loss is the second measure: log loss or mean absolute error
    with_edits, without = (
        [score.values[place] for score in scores.get(method, [])] or [float("nan")] for method in (THE_MAP, WITHOUT)
    )
    report = EditReport.of(edits, fcm.map_, with_edits, without)
    entry: dict[str, Any] = {
        "by": edits.by,
        "reason": edits.reason,
        "day": edits.day,
        "arrows": report.arrows,
        "left out": list(edits.held),
        "not kept": [{"source": edit.source, "target": edit.target} for edit in others],
    }
    if scores:
        entry["cost"] = {
            "measure": measures(task)[place],
            "with": report.loss,
            "without": report.loss_without,
            "difference": report.cost,
            "error": report.error,
        }
    return entry
