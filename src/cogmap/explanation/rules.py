"""A map as sentences, one per arrow, and how much of the predictions some of its arrows carry."""

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.numbers import readable
from cogmap.explanation._answer import LINES_SHOWN, Answer, frame, number
from cogmap.explanation._subject import Subject, opened, table_parts
from cogmap.maps._text import count
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.features import Array
from cogmap.models.model import MapModel

_TYPICAL_ROWS = 500
_WIDTH = 100  # of a line of `repr`
_GRID, _MEAN_ROWS = 40, 100  # values of a feature, and rows, over which its effect is measured
_MAX_TURNS = 2  # turning points of an effect that a sentence describes
_FLAT = 0.05  # a change of direction counts from this share of the whole effect
_STRONG, _WEAK = 0.5, 0.1  # strengths, relative to the strongest rule, from which a rule is strong and below weak


class Together(NamedTuple):
    """Mean effect of a feature on a target through all rules, with the rest of each row unchanged.

    Attributes
    ----------
    feature : str
        Name of the feature.
    raises : bool
        Whether more of it raises the target first.
    turns : tuple of float
        Values at which the direction changes.
    """

    feature: str
    raises: bool
    turns: tuple[float, ...]

    def words(self, raises: str = "raises it", lowers: str = "lowers it") -> str:
        """Return the effect in words, such as "in all, more tip raises it up to 3.5 and lowers it beyond"."""
        if len(self.turns) > _MAX_TURNS:
            return f"in all, it goes up and down with {self.feature}"
        verbs = [raises, lowers] if self.raises else [lowers, raises]
        parts = [f"{verbs[k % 2]} up to {readable(turn, 3)}" for k, turn in enumerate(self.turns)]
        last = verbs[len(parts) % 2]
        effect = f"{', '.join(parts)} and {last} beyond" if parts else last
        return f"in all, more {self.feature} {effect}"


@dataclass(frozen=True, eq=False)
class Rules(Answer):
    """A map as sentences, the strongest first. ``list(rules)`` is a list of str.

    Attributes
    ----------
    sentences : tuple of str
        One sentence per arrow, such as "glucose > 126 raises class=diabetes (strongly)".
    sources, targets : tuple of str
        The concepts that each arrow connects.
    weights : ndarray of shape (n_rules,)
        Weight of each arrow.
    strengths : ndarray of shape (n_rules,)
        Absolute weight times the standard deviation of the state of the source.
    together : tuple of (Together or None)
        For the strongest rule about a feature and target, and the first against its direction, if there is one: the
        mean effect of the feature through all rules.

    See Also
    --------
    cogmap.to_rules : Return a map as sentences, one per arrow, ordered by strength.
    cogmap.influence : Compute the influence of each concept on each output on data, and the edges that carry it.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap, to_rules
    >>> rules = to_rules(FuzzyCognitiveMap.from_edges([("rain", "harvest", 0.8), ("pests", "harvest", -0.3)]))
    >>> rules
    Rules: 2 arrows, with their weights
     +0.8000  rain raises harvest (strongly)
     -0.3000  pests lowers harvest
    >>> rules[1], len(rules)
    ('pests lowers harvest', 2)
    >>> rules.to_frame()[["source", "target", "weight"]]
      source   target  weight
    0   rain  harvest     0.8
    1  pests  harvest    -0.3
    """

    sentences: tuple[str, ...]
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    weights: Array
    strengths: Array
    together: tuple["Together | None", ...] = ()

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[str]:
        return iter(self.sentences)

    def __getitem__(self, place: int) -> str:
        return self.sentences[place]

    def to_frame(self) -> Any:
        """Return the rules as a pandas data frame, the strongest first.

        Returns
        -------
        pandas.DataFrame
            One row per rule.
        """
        columns = {"rule": self.sentences, "source": self.sources, "target": self.targets}
        return frame("Rules", columns | {"weight": self.weights, "strength": self.strengths})

    def __repr__(self) -> str:
        shown = [
            fill(sentence, _WIDTH, initial_indent=f"{number(weight, '+'):>8}  ", subsequent_indent=" " * 12)
            for weight, sentence in zip(self.weights[:LINES_SHOWN], self.sentences, strict=False)
        ]
        more = [f"... and {len(self) - len(shown)} more"] * (len(self) > len(shown))
        return "\n".join([f"Rules: {count(len(self), 'arrow')}, with their weights", *shown, *more])


def to_rules(model: Any, X: ArrayLike | None = None) -> Rules:
    """Return a map as sentences, one per arrow, ordered by strength.

    The strength of an arrow is its absolute weight times the standard deviation of the state of its source: a large
    weight from a concept that hardly changes says little. Rules add up: if two rules about one feature lead in opposite
    directions, as "high age raises it" and "age is low raises it" do, the sentences of the strongest of each end with
    the mean effect of the feature through all rules. An additive or named map (``structure="auto"``) has one sentence
    per arrow into an output; the names of its steps and combinations contain the arrows into them. For other maps,
    every arrow has a sentence.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor, TableModel, MapModel or FuzzyCognitiveMap
        Fitted estimator, model or map.
    X : array-like of shape (n_rows, n_features), default=None
        Data over which states vary. If None, rows are drawn with the mean, deviation and range of the training data.
        Not used for a map alone, whose arrows are ordered by weight.

    Returns
    -------
    Rules
        One sentence per arrow, with its weight and strength.

    See Also
    --------
    influence : Compute the influence of each concept on each output on data, and the edges that carry it.
    story : Trace how a map computes the output of one row.
    FuzzyCognitiveMap.to_edges : Return the edges, the nonzero weights; the inverse of `from_edges`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from cogmap import FCMRegressor, to_rules
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> rules = to_rules(FCMRegressor(structure="additive", max_arrows=3, random_state=0).fit(X, y), X)
    >>> for rule in rules:
    ...     print(rule)
    high bmi raises target (strongly)
    high s5 raises target (strongly)
    high bp raises target

    A map drawn by hand:

    >>> from cogmap import FuzzyCognitiveMap
    >>> edges = [("rain", "harvest", 0.8), ("pests", "harvest", -0.3), ("birds", "pests", -0.06)]
    >>> list(to_rules(FuzzyCognitiveMap.from_edges(edges)))
    ['rain raises harvest (strongly)', 'pests lowers harvest', 'birds lowers pests (weakly)']
    """
    fcm, phrases, spread = model, {}, np.ones(getattr(model, "n_concepts", 0))
    opened_model = None if isinstance(model, FuzzyCognitiveMap) else _opened("to_rules", model, X)
    if opened_model is not None:
        fitted, rows = opened_model
        fcm, phrases = fitted.map, _phrases(fitted)
        spread = fitted.transformed(rows).std(axis=0)
    targets, sources, weights = fcm._edges()
    shown = targets != sources
    if fcm.held and fcm.kinds:  # the names of hidden concepts tell their inputs
        shown &= np.array([kind == "output" for kind in fcm.kinds])[targets]
    targets, sources, weights = targets[shown], sources[shown], weights[shown]
    strengths = np.abs(weights) * spread[sources]
    order = np.argsort(-strengths, kind="stable")
    strongest = float(strengths.max(initial=0.0)) or 1.0
    targets, sources, weights, strengths = targets[order], sources[order], weights[order], strengths[order]
    names, together = fcm.concepts, list[Together | None]([None]) * len(order)
    if opened_model is not None and fcm.held:
        together = _together(*opened_model, targets, sources, weights)
    return Rules(
        sentences=tuple(
            f"{phrases.get(int(source), names[source])} {'raises' if weight > 0 else 'lowers'} {names[target]}"
            f"{_adverb(float(strength) / strongest)}{'' if net is None else f'; {net.words()}'}"
            for source, target, weight, strength, net in zip(
                sources, targets, weights, strengths, together, strict=True
            )
        ),
        sources=tuple(names[j] for j in sources),
        targets=tuple(names[i] for i in targets),
        weights=weights,
        strengths=strengths,
        together=tuple(together),
    )


def _together(
    model: MapModel, rows: Array, targets: NDArray[np.intp], sources: NDArray[np.intp], weights: Array
) -> list[Together | None]:
    """Return the effect of a feature for the strongest arrows of each direction about it, if both occur."""
    feature_of = _only_feature(model)
    features = np.array([feature_of.get(int(source), (-1, 1.0))[0] for source in sources], dtype=np.intp)
    signs = np.sign(weights) * np.array([feature_of.get(int(source), (-1, 1.0))[1] for source in sources])
    result: list[Together | None] = [None] * len(weights)
    names = model.encoding.column_names(model.map.concepts[: model.n_inputs])
    for feature, target in set(zip(features.tolist(), targets.tolist(), strict=True)):
        group = np.flatnonzero((features == feature) & (targets == target))
        against = group[signs[group] != signs[group[:1]]]
        if feature >= 0 and len(against):
            effect = Together(names[feature], *_turns(*_mean_effect(model, rows, feature, target)))
            result[group[0]] = result[against[0]] = effect
    return result


def _mean_effect(model: MapModel, rows: Array, feature: int, target: int) -> tuple[Array, Array]:
    """Return values of a feature, and the mean input of an output over rows that have this value of the feature."""
    known = rows[~np.isnan(rows[:, feature]), feature]
    values = np.unique(np.quantile(known, np.linspace(0.01, 0.99, _GRID), method="nearest")) if len(known) else known
    some = np.tile(rows[:: max(len(rows) // _MEAN_ROWS, 1)], (len(values), 1))
    some[:, feature] = np.repeat(values, len(some) // max(len(values), 1))
    inputs = model.transformed(some) @ model.map.weights[target]
    return values, inputs.reshape(len(values), -1).mean(axis=1)


def _only_feature(model: MapModel) -> dict[int, tuple[int, float]]:
    """Return the concepts that depend on one feature only, with that feature and -1 if less of it activates them."""
    columns = model.encoding.columns
    result = {place: (int(column), 1.0) for place, column in enumerate(columns)}
    targets, sources, weights = model.map._edges()
    for concept in range(model.n_inputs, model.map.n_concepts):
        into = (targets == concept) & (sources != concept)
        inputs = sources[into]
        if len(inputs) and (inputs < model.n_inputs).all() and len(found := set(columns[inputs].tolist())) == 1:
            result[concept] = int(found.pop()), -1.0 if (weights[into] < 0.0).all() else 1.0
    return result


def _turns(x: Array, effect: Array) -> tuple[bool, tuple[float, ...]]:
    """Return whether an effect rises first, and the values of x, which ascend, at which its direction changes."""
    least = _FLAT * float(np.ptp(effect)) if len(effect) else 0.0
    signs, turns, low, high, extreme = list[float](), list[float](), 0, 0, 0
    for k in range(1, len(effect)):
        if not signs:  # no direction yet
            low, high = (k if effect[k] < effect[low] else low), (k if effect[k] > effect[high] else high)
            if effect[high] - effect[low] > least:
                signs, extreme = [1.0 if high > low else -1.0], max(low, high)
        elif signs[-1] * (effect[k] - effect[extreme]) >= 0.0:
            extreme = k
        elif signs[-1] * (effect[extreme] - effect[k]) > least:
            turns.append(float(x[extreme]))
            signs, extreme = [*signs, -signs[-1]], k
    return not signs or signs[0] > 0.0, tuple(turns)


def carried_share(model: Any, drawn: NDArray[np.bool_], X: ArrayLike | None = None) -> float:
    """Return how much of the decisions of a model some of its arrows carry.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor, TableModel or MapModel
        Fitted estimator or model.
    drawn : ndarray of bool of shape (n_concepts, n_concepts)
        The arrows, as positions in the weight matrix.
    X : array-like of shape (n_rows, n_features), default=None
        Data. If None, rows are drawn with the mean, deviation and range of the training data.

    Returns
    -------
    float
        R² between the decision values (log-odds or scores of classes, or predicted values) of the map with only these
        arrows and those of the whole map; 1 if no arrow is missing. The source of a missing arrow counts as undecided.
    """
    fitted, rows = _opened("carried_share", model, X)
    fcm = fitted.map
    missing = np.where(drawn, 0.0, fcm.weights)
    if not missing.any():
        return 1.0
    changes = {"weights": fcm.weights - missing, "bias": fcm.bias + 0.5 * missing.sum(axis=1)}
    reduced = MapModel(
        FuzzyCognitiveMap(**changes, slope=fcm.slope, concepts=fcm.concepts, held=fcm.held),
        fitted.depth,
        fitted.encoding,
        fitted.link,
    )
    whole, partly = fitted.decision(rows), reduced.decision(rows)
    varies = float(np.square(whole - whole.mean(axis=0)).sum())
    lost = float(np.square(whole - partly).sum())
    return 1.0 - lost / varies if varies > 0.0 else float(lost == 0.0)


def _opened(owner: str, model: Any, X: ArrayLike | None) -> tuple[MapModel, Array]:
    """Return the model, and the rows given or typical ones."""
    if X is not None:
        subject, rows = opened(owner, model, X)
        return subject.model, rows
    parts = table_parts(model)
    estimator = model if parts is None else parts[1]
    fitted = estimator if isinstance(estimator, MapModel) else getattr(estimator, "model_", None)
    if isinstance(estimator, type) or not isinstance(fitted, MapModel):
        opened(owner, estimator, X)  # raises the error for what is not fitted, or no model at all
        raise AssertionError(estimator)
    return fitted, Subject(fitted, ()).typical_rows(_TYPICAL_ROWS)


def _phrases(model: MapModel) -> dict[int, str]:
    """Return "high glucose" for inputs that are numbers; terms and features of two values are called by their name."""
    encoding, names = model.encoding, model.map.concepts
    words = encoding.input_names([""] * encoding.n_features)
    binary = np.zeros(encoding.n_features, dtype=bool)
    if encoding.scaling is not None:
        known = encoding.scaling.known
        # No other feature with this mean and range varies as much as one of two values.
        binary = np.isclose(known.deviation**2, (known.high - known.mean) * (known.mean - known.low), rtol=1e-3)
    return {
        place: f"high {names[place]}"
        for place, column in enumerate(encoding.columns)
        if not (words[place] or binary[column])
    }


def _adverb(share: float) -> str:
    """Return the strength of a rule relative to the strongest, in words."""
    return " (strongly)" if share >= _STRONG else " (weakly)" if share < _WEAK else ""
