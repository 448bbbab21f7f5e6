"""Evaluation of predictions against true targets."""

from dataclasses import dataclass, field
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    log_loss,
    mean_absolute_error,
    precision_recall_fscore_support,
    r2_score,
    root_mean_squared_error,
)

from cogmap._utils.numbers import readable
from cogmap.maps._text import aligned, short
from cogmap.statistics import expected_calibration_error
from cogmap.table.predictions import Predictions
from cogmap.table.sentences import words_for
from cogmap.table.targets import known_rows
from cogmap.table.training_rows import Overlap, overlap

_NAMES = {"MAE": "mean absolute error", "RMSE": "root mean squared error"}
_WORDS = {name: words_for(name) for name in ("accuracy", "log loss", "R²", "mean absolute error")} | {
    "F1, mean over classes": "F1 of a class is high if few rows are wrongly given to it and few are missed.",
    "calibration error": "The calibration error is how far probabilities are from how often they were right.",
    "root mean squared error": "In the root mean squared error, large errors count more.",
}
_WIDTH = 100  # of a line of text
_CLASSES_SHOWN = 20  # the confusion matrix of more classes is not printed


@dataclass
class Evaluation:
    """Scores of predictions, collected chunk by chunk.

    Parameters
    ----------
    classes : list of str or None
        Classes of the model, None if it predicts values.
    training_rows : dict or None
        Section `training_rows` of the model file.
    """

    classes: list[str] | None
    training_rows: dict[str, Any] | None = None
    n_rows: int = 0
    overlap: Overlap = field(default_factory=Overlap)
    _parts: list[tuple[NDArray[Any], ...]] = field(default_factory=list)

    def add(self, y: NDArray[Any], predictions: Predictions) -> None:
        """Add rows with their true targets; those without a target or a prediction are left out."""
        kept = known_rows(y)
        kept[list(predictions.faults)] = False
        self.n_rows += int(kept.sum())
        self._parts.append((y[kept], predictions.labels[kept], predictions.outputs[kept]))
        if self.training_rows is not None:
            self.overlap += overlap(self.training_rows, predictions.features[kept], y[kept])

    def scores(self) -> dict[str, Any]:
        """Return the scores of all rows, and how many of them are training rows, if the model knows them."""
        y, labels, outputs = map(np.concatenate, zip(*self._parts, strict=True))
        if self.classes is None:
            scores = evaluate_values(y, labels)
        else:
            scores = evaluate_classes(y, labels.astype(str).astype(object), outputs, self.classes)
        if self.training_rows is None:
            return scores
        return {"rows": scores["rows"], "rows learned from": self.overlap.of_rows(self.n_rows), **scores}


def evaluate_classes(
    y: NDArray[Any], labels: NDArray[Any], outputs: NDArray[Any], classes: list[str]
) -> dict[str, Any]:
    """Compute accuracy, F1, log loss, calibration error, scores per class, and the confusion matrix.

    Rows of classes unknown to the model count as errors; the log loss excludes them.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        True classes.
    labels : ndarray of shape (n_samples,)
        Predicted classes.
    outputs : ndarray of shape (n_samples, n_classes)
        Predicted probabilities, with columns in the order of `classes`.
    classes : list of str
        Classes of the model.

    Returns
    -------
    dict
        Scores, as JSON-serializable values.
    """
    all_classes = sorted({*classes, *map(str, y)}, key=lambda label: (label not in classes, label))
    precision, recall, f1, support = precision_recall_fscore_support(y, labels, labels=all_classes, zero_division=0.0)
    known = np.isin(y, classes)
    codes = np.searchsorted(sorted(classes), y[known].astype(str))
    order = np.argsort(classes)
    return {
        "rows": len(y),
        "accuracy": float(accuracy_score(y, labels)),
        "F1, mean over classes": float(f1[support > 0].mean()),
        "log loss": float(log_loss(codes, outputs[known][:, order], labels=range(len(classes))))
        if known.any()
        else None,
        "calibration error": expected_calibration_error(outputs.max(axis=1), y == labels),
        "classes": {
            label: {"precision": float(p), "recall": float(r), "F1": float(f), "rows": int(n)}
            for label, p, r, f, n in zip(all_classes, precision, recall, f1, support, strict=True)
        },
        "confusion": {
            "classes": all_classes,
            "rows are truth": confusion_matrix(y, labels, labels=all_classes).tolist(),
        },
    }


def evaluate_values(y: NDArray[Any], values: NDArray[Any]) -> dict[str, Any]:
    """Compute R² (None for a single row), mean absolute error and root mean squared error."""
    return {
        "rows": len(y),
        "R²": float(r2_score(y, values)) if len(y) > 1 else None,
        "MAE": float(mean_absolute_error(y, values)),
        "RMSE": float(root_mean_squared_error(y, values)),
    }


def evaluation_text(scores: dict[str, Any]) -> str:
    """Format the scores of `evaluate_classes` or `evaluate_values` as text."""
    single = {_NAMES.get(name, name): value for name, value in scores.items() if not isinstance(value, dict)}
    width = max(map(len, single))
    lines = [f"{name.ljust(width)}  {_number(value)}" for name, value in single.items()]
    lines += [fill(" ".join(_WORDS[name] for name in single if name in _WORDS), _WIDTH)]
    if "classes" in scores:
        names = ["precision", "recall", "F1", "rows"]
        rows = [[short(label), *(_number(entry[name]) for name in names)] for label, entry in scores["classes"].items()]
        lines += ["", *aligned([["class", *names], *rows])]
        labels, counts = scores["confusion"]["classes"], scores["confusion"]["rows are truth"]
        if len(labels) <= _CLASSES_SHOWN:
            table = [[short(label), *map(str, row)] for label, row in zip(labels, counts, strict=True)]
            lines += ["", *aligned([["true \\ predicted", *map(short, labels)], *table])]
    return "\n".join(lines)


def _number(value: float | int | None) -> str:
    """Format a score or a count."""
    if value is None:
        return "none"
    return (
        f"{value:,}" if isinstance(value, int) else f"{value:.4f}" if abs(value) < 10.0 else readable(value, 4, "", 1e3)
    )
