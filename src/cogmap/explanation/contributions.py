"""Why a map says what it says about a row: what each feature contributes, in shares that add up."""

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap.explanation._answer import LINES_SHOWN, Drawn, frame, number, text_table
from cogmap.explanation._path import shares
from cogmap.explanation._reading import Reading
from cogmap.explanation._subject import Subject, baseline_rows, opened_on_scale, output_index
from cogmap.models.features import Array

_BACKGROUND = 200  # rows, where none are given
_NEARER = 0.25  # how far a row of the background comes to meet the row that is explained
_ROUGHLY = 1e-4  # exact enough for a mean over a sample
_LINES_AT_ONCE = 4096
_TOLD = 1e-8  # a larger gap between contributions and outputs


@dataclass(frozen=True, eq=False)
class Explanation(Drawn):
    """What each feature contributes to what the map says about each row.

    ``base_values + contributions.sum(axis=1)`` is ``outputs``, to 1e-9.

    Attributes
    ----------
    contributions : ndarray of shape (n_rows, n_features, n_outputs)
        What each feature contributes to each output.
    base_values : ndarray of shape (n_outputs,)
        What the map says about the baseline.
    outputs : ndarray of shape (n_rows, n_outputs)
        What the map says about the rows.
    values : ndarray of shape (n_rows, n_features)
        The rows that are explained.
    feature_names, output_names : tuple of str
        Names of the columns of X and of the outputs.
    scale : {"probability", "decision", "value"}
        Whether outputs are probabilities, what decides (log-odds or scores), or, of a regressor, values.
    """

    _picture = "plot_contributions"

    contributions: Array
    base_values: Array
    outputs: Array
    values: NDArray[Any]
    feature_names: tuple[str, ...]
    output_names: tuple[str, ...]
    scale: str
    _subject: Subject = field(repr=False)
    _features: Array = field(repr=False)
    _background: Array = field(repr=False)

    @cached_property
    def relevance(self) -> Array:
        """How much each feature matters to each row, an ndarray of shape (n_rows, n_features, n_outputs).

        A contribution is small where a feature happens to be near its baseline, though it may matter there. Relevance
        is the root mean square contribution over many baselines, each a row of the background that has come a quarter
        of the way to the row, so that what holds around the row counts. It ranks the features of a row; it does not add
        up. The background is the table that was given as `baseline`, or 200 rows drawn from what the scaling
        has learned of each feature.
        """
        reading = Reading(self._subject.model, self.scale)
        rows = self._subject.model.first_states(self._features)
        squares = np.zeros_like(self.contributions)
        background = self._subject.model.first_states(self._background)
        at_once = max(_LINES_AT_ONCE // len(rows), 1)
        for first in range(0, len(background), at_once):
            others = np.repeat(background[first : first + at_once], len(rows), axis=0)
            here = np.tile(rows, (len(others) // len(rows), 1))
            of_columns = _of_columns(self._subject, shares(reading, others + _NEARER * (here - others), here, _ROUGHLY))
            squares += np.square(of_columns).reshape(-1, *squares.shape).sum(axis=0)
        return np.sqrt(squares / len(background))

    def to_frame(self, output: Any = None) -> Any:
        """Return the contributions as a data frame of pandas.

        Parameters
        ----------
        output : object, default=None
            A class or the name of an output: a table with one row per row and one column per feature. None: all
            outputs, with a row for each row, output and feature.

        Returns
        -------
        pandas.DataFrame
        """
        if output is not None:
            k = output_index("Explanation.to_frame", output, self.output_names)
            return frame("Explanation", dict(zip(self.feature_names, self.contributions[:, :, k].T, strict=True)))
        n_rows, n_features, n_outputs = self.contributions.shape
        return frame(
            "Explanation",
            {
                "row": np.repeat(np.arange(n_rows), n_outputs * n_features),
                "output": np.tile(np.repeat(np.array(self.output_names, dtype=object), n_features), n_rows),
                "feature": np.tile(np.array(self.feature_names, dtype=object), n_rows * n_outputs),
                "value": np.repeat(self.values, n_outputs, axis=0).ravel(),
                "contribution": self.contributions.transpose(0, 2, 1).ravel(),
            },
        )

    def to_shap(self, output: Any = None) -> Any:
        """Return the same as an ``Explanation`` of the package shap, for its plots.

        Parameters
        ----------
        output : object, default=None
            A class or the name of an output, of which most of the plots of shap want only one: values are then of shape
            (n_rows, n_features). None: all of them, of shape (n_rows, n_features, n_outputs) if there are several.

        Returns
        -------
        shap.Explanation
        """
        from cogmap.integrations.shap import to_shap

        return to_shap(self, output)

    def __repr__(self) -> str:
        n_rows, n_features, n_outputs = self.contributions.shape
        head = f"Explanation of {n_rows} rows: {n_features} features, {n_outputs} outputs, scale {self.scale!r}"
        size = np.abs(self.contributions).mean(axis=0)
        order = np.argsort(-size.max(axis=1), kind="stable")[:LINES_SHOWN]
        rows = [[self.feature_names[j], *(number(mean) for mean in size[j])] for j in order]
        return "\n".join([head, *text_table(["mean absolute contribution", *self.output_names], rows)])


def explain(model: Any, X: ArrayLike, baseline: ArrayLike | None = None, scale: str = "probability") -> Explanation:
    """Say what each feature contributes to what a map says about rows.

    Contributions are integrated gradients along the straight line, in states, from the baseline to the row. They are
    computed exactly, not sampled, and add up to the difference from the baseline.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor or MapModel
        Who is asked, fitted.
    X : array-like of shape (n_rows, n_features)
        Rows to explain. A missing value (NaN) is a state that is undecided.
    baseline : array-like of shape (n_features,) or (n_baselines, n_features), default=None
        With what rows are compared. None: the mean of the training data (with ``scale=False``, which learns no mean, a
        row of missing values). Of a table, contributions are the mean over its rows, and so is the base value.
    scale : {"probability", "decision"}, default="probability"
        Whether probabilities are explained, or what decides: log-odds of two classes, scores of several. Values are
        the same on both.

    Returns
    -------
    Explanation

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, explain
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(random_state=0).fit(X, y)
    >>> explanation = explain(fcm, X)
    >>> explanation.contributions.shape  # 150 rows, 4 features, 3 classes
    (150, 4, 3)
    >>> total = explanation.base_values + explanation.contributions.sum(axis=1)
    >>> bool(abs(total - fcm.predict_proba(X)).max() < 1e-9)
    True
    """
    subject, table, reading = opened_on_scale("explain", model, X, scale)
    baselines = baseline_rows("explain", model, subject, baseline)
    rows, starts = subject.model.first_states(table), subject.model.first_states(baselines)
    contributions = np.zeros((len(table), len(subject.feature_names), reading.n_columns))
    for start in starts:
        contributions += _of_columns(subject, shares(reading, np.broadcast_to(start, rows.shape), rows)) / len(starts)
    base_values, outputs = reading.value(reading.net(starts)).mean(axis=0), reading.value(reading.net(rows))
    gap = float(np.abs((outputs - base_values - contributions.sum(axis=1)) / reading.unit).max())
    if gap > _TOLD:
        warnings.warn(f"explain: the map is so steep that contributions add up only to {gap:.2g}.", stacklevel=2)
    return Explanation(
        contributions=contributions,
        base_values=base_values,
        outputs=outputs,
        values=subject.labels(table),
        feature_names=subject.feature_names,
        output_names=subject.output_names(scale),
        scale=subject.scale_name(scale),
        _subject=subject,
        _features=table,
        _background=baselines if len(baselines) > 1 else subject.typical_rows(_BACKGROUND),
    )


def _of_columns(subject: Subject, of_concepts: Array) -> Array:
    """Return contributions of features from those of states, the outputs last."""
    return subject.by_column(of_concepts).transpose(0, 2, 1)
