"""Contributions of the features to the outputs of a map, row by row, by integrated gradients."""

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap.explanation._answer import LINES_SHOWN, Block, Drawn, frame, number
from cogmap.explanation._path import integrated_gradients
from cogmap.explanation._reading import Reading
from cogmap.explanation._subject import Subject, baseline_rows, opened_on_scale, output_index
from cogmap.maps._text import count
from cogmap.models.features import Array

_N_BACKGROUND = 200  # background rows drawn if `baseline` is not a table
_MOVED = 0.25  # background rows are moved towards the explained row by this fraction of the distance
_TOLERANCE = 1e-4  # accurate enough for a mean over a sample
_BLOCK_LINES = 4096
_MAX_GAP = 1e-8  # larger gaps between outputs and summed contributions cause a warning


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Drawn):
    """Contributions of each feature to the outputs of each row.

    ``base_values + contributions.sum(axis=1)`` equals ``outputs`` to 1e-9.

    Attributes
    ----------
    contributions : ndarray of shape (n_rows, n_features, n_outputs)
        Contribution of each feature to each output.
    base_values : ndarray of shape (n_outputs,)
        Outputs of the baseline.
    outputs : ndarray of shape (n_rows, n_outputs)
        Outputs of the explained rows.
    values : ndarray of shape (n_rows, n_features)
        The explained rows.
    feature_names, output_names : tuple of str
        Names of the columns of X and of the outputs.
    scale : {"probability", "decision", "value"}
        Scale of the outputs: probabilities, decision values (log-odds or scores), or predicted values of a regressor.

    See Also
    --------
    cogmap.explain : Compute the contribution of each feature to the outputs of each row.
    cogmap.plotting.plot_contributions :
        Plot the contribution of each feature to an output of a row as a waterfall from the baseline.
    cogmap.integrations.shap.to_shap : Convert an explanation to a `shap.Explanation`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, explain
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> explanation = explain(FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y), X[:3])
    >>> explanation.to_frame().shape  # 3 rows, 4 features, 3 classes
    (36, 5)
    >>> list(explanation.to_frame(output=2))
    ['sepal length (cm)', 'sepal width (cm)', 'petal length (cm)', 'petal width (cm)']
    >>> explanation.relevance.shape
    (3, 4, 3)
    >>> explanation.to_shap(output=2).values.shape  # doctest: +SKIP
    (3, 4)
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

        The contribution of a feature is small if its value is near the baseline, even if the feature matters there.
        Relevance is the root mean square contribution over many baselines: background rows, each moved a quarter of
        the way towards the explained row so that its neighbourhood counts. It ranks the features of a row; it does not
        add up. The background is the table passed as `baseline`, or else 200 rows drawn from the mean, deviation and
        range of each feature, on the scale on which the map reads it.
        """
        reading = Reading(self._subject.model, self.scale)
        rows = self._subject.model.first_states(self._features)
        squares = np.zeros_like(self.contributions)
        background = self._subject.model.first_states(self._background)
        block_size = max(_BLOCK_LINES // len(rows), 1)
        for first in range(0, len(background), block_size):
            others = np.repeat(background[first : first + block_size], len(rows), axis=0)
            ends = np.tile(rows, (len(others) // len(rows), 1))
            attributions = integrated_gradients(reading, others + _MOVED * (ends - others), ends, _TOLERANCE)
            contributions = _feature_contributions(self._subject, attributions)
            squares += np.square(contributions).reshape(-1, *squares.shape).sum(axis=0)
        return np.sqrt(squares / len(background))

    def to_frame(self, output: Any = None) -> Any:
        """Return the contributions as a pandas data frame.

        Parameters
        ----------
        output : object, default=None
            A class or the name of an output: one row per explained row, one column per feature. If None, all outputs
            in long format, with one row per explained row, output and feature.

        Returns
        -------
        pandas.DataFrame
            The contributions, wide or long.
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
        """Return the contributions as a ``shap.Explanation``, for the plots of shap.

        Parameters
        ----------
        output : object, default=None
            A class or the name of an output; most plots of shap need exactly one. The values then have shape
            (n_rows, n_features). If None, all outputs, of shape (n_rows, n_features, n_outputs) if there are several.

        Returns
        -------
        shap.Explanation
            The contributions, base values and rows.
        """
        from cogmap.integrations.shap import to_shap

        return to_shap(self, output)

    def _blocks(self) -> list[Block]:
        n_rows, n_features, n_outputs = self.contributions.shape
        sizes = f"{count(n_features, 'feature')}, {count(n_outputs, 'output')}"
        head = f"Explanation of {count(n_rows, 'row')}: {sizes}, scale {self.scale!r}"
        size = np.abs(self.contributions).mean(axis=0)
        order = np.argsort(-size.max(axis=1), kind="stable")[:LINES_SHOWN]
        if n_rows == 1:  # one row has signs
            title, shown, sign = "contribution", self.contributions[0], "+"
        else:
            title, shown, sign = "mean absolute contribution", size, ""
        rows = [[self.feature_names[j], *(number(value, sign) for value in shown[j])] for j in order]
        return [head, ([title, *self.output_names], rows)]


def explain(model: Any, X: ArrayLike, baseline: ArrayLike | None = None, scale: str = "probability") -> Explanation:
    """Compute the contribution of each feature to the outputs of each row.

    Contributions are integrated gradients along the straight line, in initial states, from the baseline to the row.
    They are computed by adaptive quadrature, not sampled, and add up to the difference from the baseline.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor or MapModel
        Fitted estimator or `MapModel`.
    X : array-like of shape (n_rows, n_features)
        Rows to explain. A missing value (NaN) becomes the undecided state.
    baseline : array-like of shape (n_features,) or (n_baselines, n_features), default=None
        Row or rows to compare with. If None, the mean of the training data; of a skewed feature, which the map reads on
        a logarithmic scale, the value at the mean of that scale, which is close to its median. It is a row of missing
        values if the estimator has ``scale=False``, which learns no mean. For a table, contributions and base values
        are means over its rows.
    scale : {"probability", "decision"}, default="probability"
        Explain probabilities or decision values: the log-odds of two classes, the scores of several. Has no effect on
        regressors.

    Returns
    -------
    Explanation
        Contributions of each feature to each output of each row.

    See Also
    --------
    story : Trace how a map computes the output of one row.
    what_if : Find the smallest change of a row that changes the prediction: a counterfactual.
    feature_importances : Compute the mean absolute contribution of each feature to the difference between two rows.
    cogmap.plotting.plot_contributions :
        Plot the contribution of each feature to an output of a row as a waterfall from the baseline.

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
        attributions = integrated_gradients(reading, np.broadcast_to(start, rows.shape), rows)
        contributions += _feature_contributions(subject, attributions) / len(starts)
    base_values, outputs = reading.value(reading.net(starts)).mean(axis=0), reading.value(reading.net(rows))
    gap = float(np.abs((outputs - base_values - contributions.sum(axis=1)) / reading.unit).max())
    if gap > _MAX_GAP:
        message = f"`explain`: the map is so steep that contributions add up only to within {gap:.2g}."
        warnings.warn(message, stacklevel=2)
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
        _background=baselines if len(baselines) > 1 else subject.typical_rows(_N_BACKGROUND),
    )


def _feature_contributions(subject: Subject, attributions: Array) -> Array:
    """Sum the attributions of initial states by feature and move the outputs to the last axis."""
    return subject.by_column(attributions).transpose(0, 2, 1)
