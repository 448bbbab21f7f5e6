"""Plot intervals: of predictions, and of mean effects."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from cogmap._utils.params import param_error
from cogmap.exceptions import DataError
from cogmap.explanation.intervals import ArrowIntervals
from cogmap.maps.drawing.picture import NEGATIVE, POSITIVE, SOFT
from cogmap.plotting.canvas import (
    INK,
    check_answer,
    hide_frame,
    legend_above,
    make_axes,
    name_rows,
    short_names,
)

_MAX_EFFECTS = 30


def plot_intervals(
    estimator: Any, X: ArrayLike, y: ArrayLike | None = None, level: float = 0.9, ax: Axes | None = None
) -> Axes:
    """Plot the prediction interval of each row, from the lowest prediction to the highest.

    Parameters
    ----------
    estimator : FCMRegressor or TableModel
        Fitted model of one target.
    X : array-like of shape (n_samples, n_features)
        Rows; of a `TableModel`, raw rows.
    y : array-like of shape (n_samples,), default=None
        True values, drawn as points; those outside of their interval are marked.
    level : float, default=0.9
        Share of rows whose value is to lie in the interval.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    cogmap.FCMRegressor.predict_interval :
        Return an interval around each prediction that contains the true value with a given probability.
    plot_effects : Plot the mean effect of each feature with its interval.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from cogmap import FCMRegressor
    >>> from cogmap.plotting import plot_intervals
    >>> X, y = load_diabetes(return_X_y=True)
    >>> fcm = FCMRegressor(structure="additive", random_state=0).fit(X[100:], y[100:])
    >>> plot_intervals(fcm, X[:100], y[:100]).get_xlabel()
    'rows, from the lowest prediction to the highest'
    """
    if isinstance(estimator, type) or not hasattr(estimator, "predict_interval"):
        raise param_error("plot_intervals", "estimator", "a fitted FCMRegressor or TableModel", estimator)
    if not hasattr(estimator, "preparer"):
        check_is_fitted(estimator)
    intervals = np.asarray(estimator.predict_interval(X, level))
    if intervals.ndim > 2:
        raise DataError("`plot_intervals` draws one target, but this model has several. Fit one model per target.")
    predictions = np.asarray(estimator.predict(X), dtype=np.float64)
    middle = predictions if predictions.ndim == 1 else predictions[:, predictions.shape[1] // 2]  # of several quantiles
    order = np.argsort(middle, kind="stable")
    low, high = intervals[order].T
    rows = np.arange(1, len(order) + 1)
    ax = make_axes(ax, 7.0, 3.6)
    label = f"{100 * level:g} % interval"
    band = ax.fill_between(rows, low, high, color=POSITIVE, alpha=0.18, linewidth=0, step="mid", label=label)
    handles: list[Any] = [band, *ax.plot(rows, middle[order], color=POSITIVE, linewidth=1.8, label="prediction")]
    if y is not None:
        truth = np.asarray(y, dtype=np.float64)[order]
        inside = (low <= truth) & (truth <= high)
        points: dict[str, Any] = {"linestyle": "", "markersize": 3.5}
        handles += ax.plot(rows[inside], truth[inside], marker="o", color=INK, label="true value", **points)
        label = f"outside ({100 * np.mean(~inside):.0f} %)"
        handles += ax.plot(rows[~inside], truth[~inside], marker="x", color=NEGATIVE, label=label, **points)
    ax.set_xlabel("rows, from the lowest prediction to the highest")
    hide_frame(ax)
    legend_above(ax, handles)
    return ax


def plot_effects(intervals: ArrowIntervals, output: str | None = None, ax: Axes | None = None) -> Axes:
    """Plot the mean effect of each feature with its interval.

    Effects are divided by the half width of their interval to order them, the clearest first; the 30 clearest are
    drawn. Intervals that contain zero are dashed.

    Parameters
    ----------
    intervals : ArrowIntervals
        Result of `arrow_intervals`.
    output : str, default=None
        Output to show; None means the last one, which is the only one of a single target.
    ax : matplotlib Axes, default=None
        Axes to draw on. If None, a new figure is created.

    Returns
    -------
    matplotlib Axes
        The axes of the plot.

    See Also
    --------
    cogmap.arrow_intervals :
        Compute an interval for each arrow of a learned map, and for the mean effect of each feature.
    plot_intervals : Plot the prediction interval of each row, from the lowest prediction to the highest.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from cogmap import FCMRegressor, arrow_intervals
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> fcm = FCMRegressor(structure="additive", random_state=0).fit(X, y)
    >>> print(arrow_intervals(fcm, X, y, n_refits=5).plot().get_xlabel())
    mean effect of one unit more on target,
    with 90 % intervals
    """
    check_answer("plot_effects", "intervals", intervals, ArrowIntervals, "arrow_intervals")
    names = intervals.output_names
    if output is not None and output not in names:
        raise param_error("plot_effects", "output", f"one of {list(names)}", output)
    k = len(names) - 1 if output is None else names.index(output)
    effects, low, high = (part[:, k] for part in (intervals.effects, intervals.effects_low, intervals.effects_high))
    half = np.maximum((high - low) / 2, 1e-300)
    order = np.argsort(-np.abs(effects / half), kind="stable")[:_MAX_EFFECTS]
    ax = make_axes(ax, 6.0, 1.1 + 0.3 * len(order))
    ax.axvline(0.0, color=SOFT, linewidth=0.8)
    for row, j in enumerate(order):
        style = "--" if low[j] <= 0.0 <= high[j] else "-"
        color = NEGATIVE if effects[j] < 0 else POSITIVE
        ax.plot([low[j], high[j]], [row, row], color=color, linestyle=style, linewidth=1.6)
        ax.plot([effects[j]], [row], color=color, marker="o", markersize=5, linestyle="")
    name_rows(ax, short_names([intervals.features[j] for j in order]), len(effects) - len(order), "features")
    name, percent = short_names([names[k]])[0], f"{100 * intervals.level:g} %"
    ax.set_xlabel(f"mean effect of one unit more on {name},\nwith {percent} intervals")
    return ax
