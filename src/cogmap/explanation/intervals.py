"""Intervals of arrows and of mean effects: how much they would change with other rows of the same kind."""

import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import t as student

from cogmap._learning.resampling import refits, widened
from cogmap._learning.table import Table
from cogmap._utils.params import Literal, check_integer, param_error
from cogmap.explanation._answer import LINES_SHOWN, Block, Drawn, frame, number
from cogmap.explanation._subject import Subject, effects_per_unit, learnable_rows, table_parts
from cogmap.maps.structured import StructuredMap
from cogmap.models.features import Array
from cogmap.models.model import MapModel, dense
from cogmap.statistics.conformal import check_level

_OWNER = "arrow_intervals"
# Refits keep the arrows, which were selected on the same rows, so their spread is too small. The factors for values
# and for classes were chosen by `python -m benchmarks.effects --choosing`, on simulated tables with known effects, and
# confirmed on others by `python -m benchmarks.effects`.
_INFLATION = {"values": 1.4, "classes": 1.05}
_ALPHA_SHARE = 0.1  # penalty of a refit, relative to that of the training
_EFFECT_ROWS = 2000


@dataclass(frozen=True, eq=False, repr=False)
class ArrowIntervals(Drawn):
    """Arrows and mean effects with intervals.

    Attributes
    ----------
    level : float
        Probability with which an interval is to contain what would be found on very many rows.
    concepts : tuple of str
        Concepts of the map.
    weights, low, high : ndarray of shape (n_concepts, n_concepts)
        Weight of each arrow, and the ends of its interval: ``[i, j]`` is the influence of concept j on concept i. All
        are 0 without an arrow.
    features, output_names : tuple of str
        Names of the features and of the outputs.
    effects, effects_low, effects_high : ndarray of shape (n_features, n_outputs)
        Mean change of each output per unit of each feature, on the rows that know it, and the ends of its interval: the
        mean derivative, or the mean difference between the values of a feature that has only two. The effect of a
        feature that is not in the map is 0, its interval is not.

    See Also
    --------
    cogmap.arrow_intervals :
        Compute an interval for each arrow of a learned map, and for the mean effect of each feature.
    cogmap.influence : Compute the influence of each concept on each output on data, and the edges that carry it.
    cogmap.maps.monte_carlo.monte_carlo :
        Run a scenario on many maps with random weights and return the distribution of its outcome.
    cogmap.plotting.plot_effects : Plot the mean effect of each feature with its interval.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, arrow_intervals
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="additive", n_teachers=0, random_state=0).fit(X, y)
    >>> result = arrow_intervals(fcm, X, y, n_refits=3)
    >>> list(result.to_frame()), list(result.effects_to_frame())
    (['source', 'target', 'weight', 'low', 'high'], ['feature', 'output', 'effect', 'low', 'high'])
    """

    _picture: ClassVar[str] = "plot_effects"

    level: float
    concepts: tuple[str, ...]
    weights: Array
    low: Array
    high: Array
    features: tuple[str, ...]
    output_names: tuple[str, ...]
    effects: Array
    effects_low: Array
    effects_high: Array

    @property
    def uncertain(self) -> NDArray[np.bool_]:
        """Arrows whose interval contains zero, of shape (n_concepts, n_concepts)."""
        return np.asarray((self.weights != 0.0) & (self.low <= 0.0) & (self.high >= 0.0))

    def to_frame(self) -> Any:
        """Return the arrows as a pandas data frame, the largest weight first.

        Returns
        -------
        pandas.DataFrame
            One row per arrow: source, target, weight and the ends of its interval.
        """
        targets, sources = self._arrows()
        columns = {name: getattr(self, name)[targets, sources] for name in ("weights", "low", "high")}
        names = {"source": [self.concepts[j] for j in sources], "target": [self.concepts[i] for i in targets]}
        return frame("ArrowIntervals", {**names, "weight": columns.pop("weights"), **columns})

    def effects_to_frame(self) -> Any:
        """Return the mean effects as a pandas data frame, in the order of the features.

        Returns
        -------
        pandas.DataFrame
            One row per feature and output: the effect and the ends of its interval.
        """
        n_features, n_outputs = self.effects.shape
        return frame(
            "ArrowIntervals",
            {
                "feature": np.repeat(np.array(self.features, dtype=object), n_outputs),
                "output": np.tile(np.array(self.output_names, dtype=object), n_features),
                "effect": self.effects.ravel(),
                "low": self.effects_low.ravel(),
                "high": self.effects_high.ravel(),
            },
        )

    def _arrows(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return targets and sources of the arrows, the largest absolute weight first."""
        order = np.argsort(-np.abs(self.weights), axis=None, kind="stable")[: np.count_nonzero(self.weights)]
        targets, sources = np.unravel_index(order, self.weights.shape)
        return targets, sources

    def _blocks(self) -> list[Block]:
        n_uncertain, n_arrows = int(self.uncertain.sum()), np.count_nonzero(self.weights)
        head = f"{n_arrows} arrows with {self.level:.0%} intervals, of which {n_uncertain} contain zero"
        arrows = [
            [self.concepts[j], self.concepts[i], *(number(part[i, j], "+") for part in (self.weights, *self._ends))]
            for i, j in list(zip(*self._arrows(), strict=True))[:LINES_SHOWN]
        ]
        size = np.abs(self.effects / np.maximum(self.effects_high - self.effects_low, 1e-300))
        places = np.argsort(-size, axis=None, kind="stable")[:LINES_SHOWN]
        effects = [
            [self.features[j], self.output_names[k], *(f"{part[j, k]:+.4g}" for part in self._of_effects)]
            for j, k in zip(*np.unravel_index(places, size.shape), strict=True)
        ]
        return [
            head,
            (["arrow from", "to", "weight", "low", "high"], arrows),
            (["mean effect of", "on", "per unit", "low", "high"], effects),
        ]

    @property
    def _ends(self) -> tuple[Array, Array]:
        return self.low, self.high

    @property
    def _of_effects(self) -> tuple[Array, Array, Array]:
        return self.effects, self.effects_low, self.effects_high


def arrow_intervals(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    level: float = 0.9,
    sample_weight: ArrayLike | None = None,
    n_refits: int = 25,
    random_state: int = 0,
) -> ArrowIntervals:
    """Compute an interval for each arrow of a learned map, and for the mean effect of each feature.

    The weights of the map are trained again on randomly weighted rows (Bayesian bootstrap), from where they are. The
    arrows stay the same; a feature without any gets one into each output, so that its effect has an interval, too.
    Intervals are those of Student's t distribution, 1.4 times as wide for values and 1.05 times for classes, because
    the arrows were selected on the same rows. They are approximate: the guide "How sure is it?" shows how often those
    of simulated tables contain the true effect.

    Parameters
    ----------
    estimator : FCMClassifier, FCMClassifierCV, FCMRegressor, TableModel, or pipeline of a TablePreparer and one
        Fitted estimator. Maps with slopes as parameters and structured maps, of more than 100 columns, are not
        supported.
    X : array-like of shape (n_samples, n_features)
        Training rows; of a model of raw tables, the raw rows.
    y : array-like of shape (n_samples,)
        Their targets.
    level : float, default=0.9
        Probability with which an interval is to contain the value that very many rows would give.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    n_refits : int, default=25
        Number of refits.
    random_state : int, default=0
        Seed of the random weights.

    Returns
    -------
    ArrowIntervals
        Weights and mean effects with the ends of their intervals.

    See Also
    --------
    influence : Compute the influence of each concept on each output on data, and the edges that carry it.
    cogmap.maps.monte_carlo.monte_carlo :
        Run a scenario on many maps with random weights and return the distribution of its outcome.
    cogmap.maps.ranges.scenario_ranges :
        Compute ranges that a scenario cannot leave, whatever the weights within their intervals are.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from cogmap import FCMRegressor, arrow_intervals
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> fcm = FCMRegressor(structure="additive", random_state=0).fit(X, y)
    >>> intervals = arrow_intervals(fcm, X, y)
    >>> for name in ("bmi", "age"):
    ...     j = intervals.features.index(name)
    ...     print(name, bool(intervals.effects_low[j, 0] < 0 < intervals.effects_high[j, 0]))
    bmi False
    age True
    """
    level = check_level(_OWNER, level)
    n_refits = check_integer(_OWNER, "n_refits", n_refits, low=2)
    seed = check_integer(_OWNER, "random_state", random_state, low=0)
    parts = table_parts(estimator)
    if parts is not None:
        prepared, y, kept = learnable_rows(estimator, parts[0], X, y)
        estimator = parts[1]
        X = prepared if hasattr(estimator, "feature_names_in_") else prepared.to_numpy()
        if sample_weight is not None and (weights := np.asarray(sample_weight)).shape == kept.shape:
            sample_weight = weights[kept]
    if isinstance(estimator, type) or not (hasattr(estimator, "_known_rows") and hasattr(estimator, "model_")):
        cure = "A model alone cannot be refitted: pass the estimator." if isinstance(estimator, MapModel) else ""
        raise param_error(_OWNER, "estimator", "a fitted estimator of cogmap", estimator, cure)
    model: MapModel = estimator.model_
    if isinstance(model.map, StructuredMap) or not isinstance(model.map.slope, float):
        what = "a structured map" if isinstance(model.map, StructuredMap) else "one slope per concept"
        raise param_error(_OWNER, "estimator", "an estimator with one slope and a map of all weights", Literal(what))
    table: Table = copy.copy(estimator)._known_rows(X, y, sample_weight)
    alpha = _ALPHA_SHARE * float(getattr(estimator, "alpha_", getattr(estimator, "alpha", 1.0)))
    return _intervals(model, table, level, alpha, n_refits, seed)


def _intervals(model: MapModel, table: Table, level: float, alpha: float, n_refits: int, seed: int) -> ArrowIntervals:
    """Return the intervals, given rows of features with their targets."""
    wide = widened(model, table.features)
    free = wide.map.weights != 0.0
    absent = ~free[:, : wide.n_inputs].any(axis=0)
    free[-wide.n_outputs :, : wide.n_inputs] |= absent
    X = dense(table.X)
    states = Table(wide.encoding.inputs(X), table.targets, table.weight)
    some = X[np.linspace(0, len(X) - 1, min(len(X), _EFFECT_ROWS)).astype(np.intp)]
    all_weights, all_effects = [], []
    for refit in refits(wide, free, states, alpha, n_refits, np.random.RandomState(seed)):
        all_weights.append(refit.map.weights)
        all_effects.append(effects_per_unit(refit, some).T)
    inflation = _INFLATION["values" if model.link.output == "values" else "classes"]
    half = inflation * float(student.ppf(0.5 + 0.5 * level, n_refits - 1))
    width = half * np.std(all_weights[1:], axis=0, ddof=1) * (wide.map.weights != 0.0)
    width_of_effects = half * np.std(all_effects[1:], axis=0, ddof=1)
    places = np.arange(wide.map.n_concepts)
    if model.encoding.used is not None:
        places = np.concatenate([model.encoding.used, places[wide.n_inputs :]])
    width = width[np.ix_(places, places)]
    weights, effects = model.map.weights, effects_per_unit(model, some).T
    return ArrowIntervals(
        level=level,
        concepts=model.map.concepts,
        weights=weights,
        low=weights - width,
        high=weights + width,
        features=tuple(table.features),
        output_names=Subject(model, ()).output_names("probability"),
        effects=effects,
        effects_low=effects - width_of_effects,
        effects_high=effects + width_of_effects,
    )
