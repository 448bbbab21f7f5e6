"""Make the card of a model: what was learned, scores, comparisons, importances, kinds of columns."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation import arrow_intervals
from cogmap.explanation._subject import effects_per_deviation
from cogmap.explanation.rules import Rules, carried_share, to_rules
from cogmap.maps.drawing.view import graph_view
from cogmap.maps.structured import StructuredMap
from cogmap.models.links import OrderedLink
from cogmap.models.model import MapModel
from cogmap.table.cards import Card
from cogmap.table.columns import spans
from cogmap.table.columns.boolean import BooleanColumn
from cogmap.table.model import TableModel
from cogmap.table.scoring import THE_MAP, Score, measures
from cogmap.table.targets import CLASSES, Target

_ROWS_FOR_EFFECTS = 300
_ROWS_FOR_RULES = 2000
_MOST_VALUES, _REFITS = 200_000, 15  # of the table, up to which effects have intervals, and refits for them
_SIGN = 0.05  # an effect this small beside the largest of all is none, and a correlation this small too
_MIN_SHARE = 0.02  # of rows that a category needs to be named as the one with the strongest effect
_MAX_BINS, _MIN_BIN = 5, 30  # groups of held-out rows by certainty, and rows in each


def make_card(
    model: TableModel, target: Target, X: Any, y: Any, scores: dict[str, list[Score]], notes: list[str]
) -> Card:
    """Return the card."""
    preparer, fcm = model.preparer, model.estimator
    card = Card(
        {
            "target": target.to_state() | _class_rows(target.task, y),
            "classes": [str(label) for label in fcm.classes_] if target.task == CLASSES else None,
            "map": {
                "structure": getattr(fcm, "structure_", "full"),
                "concepts": fcm.map_.n_concepts,
                "hidden": fcm.n_hidden_,
                "arrows": fcm.map_.n_arrows,
                "depth": fcm.depth_,
            },
            "outcome": fcm.outcome_.sentence,
            "columns": [{"name": column.name, "kind": column.kind, "why": column.why} for column in preparer.columns_],
            "left out": dict(preparer.left_out_),
            "importances": _importances(model, X, y),
            "notes": notes,
        }
    )
    if card["map"]["structure"] != "full":
        rows = X.iloc[:: max(len(X) // _ROWS_FOR_RULES, 1)].to_numpy(dtype=np.float64)
        card["map"] |= _drawn(fcm.model_, rows)
        card["rules"] = [
            {"rule": rule, "source": source, "target": to, "weight": float(weight), "strength": float(strength)}
            | ({} if together is None else {"together": together._asdict() | {"turns": list(together.turns)}})
            for rule, source, to, weight, strength, together in _rules(to_rules(fcm.model_, rows))
        ]
    if scores:
        card |= _scored(target.task, scores)
    return card


def _rules(rules: Rules) -> Iterator[tuple[Any, ...]]:
    columns = (rules.sentences, rules.sources, rules.targets, rules.weights, rules.strengths, rules.together)
    return zip(*columns, strict=True)


def _class_rows(task: str, y: Any) -> dict[str, Any]:
    """Return the number of training rows of each class."""
    if task != CLASSES:
        return {}
    classes, counts = np.unique(y.astype(str), return_counts=True)
    return {"rows": dict(zip(classes.tolist(), counts.tolist(), strict=True))}


def _scored(task: str, scores: dict[str, list[Score]]) -> dict[str, Any]:
    """Return the parts of the card about held-out rows: scores, comparisons with other methods, and certainty."""
    names = measures(task)
    tables = {method: np.array([score.values for score in folds]) for method, folds in scores.items()}
    own = tables[THE_MAP]
    parts: dict[str, Any] = {
        "scores": {
            method: {
                name: {"mean": float(values.mean()), "deviation": float(values.std()), "folds": values.tolist()}
                for name, values in zip(names, table.T, strict=True)
            }
            for method, table in tables.items()
        },
        "comparisons": {
            method: {
                name: {"difference": float(of_folds.mean()), "error": _standard_error(of_folds)}
                for name, of_folds in zip(names, (own - table).T, strict=True)
            }
            for method, table in tables.items()
            if method != THE_MAP
        },
    }
    held_out = np.concatenate([score.rows for score in scores[THE_MAP]])
    if task == CLASSES:
        parts["certainty"] = _certainty(held_out)
    else:
        parts["errors"] = dict(zip(("median", "90 %"), np.quantile(held_out[:, 0], [0.5, 0.9]).tolist(), strict=True))
    return parts


def _standard_error(differences: NDArray[np.float64]) -> float:
    return float(differences.std(ddof=1) / np.sqrt(len(differences))) if len(differences) > 1 else 0.0


def _certainty(held_out: NDArray[np.float64]) -> list[dict[str, Any]]:
    """Return how often the map was right on held-out rows, in groups by the probability of its answer.

    The groups have equally many rows; `from` is the lowest probability of a group.
    """
    order = np.argsort(held_out[:, 0], kind="stable")
    n_bins = min(max(len(order) // _MIN_BIN, 1), _MAX_BINS)
    return [
        {
            "from": float(group[0, 0]),
            "rows": len(group),
            "right": float(group[:, 1].mean()),
            "probability": float(group[:, 0].mean()),
        }
        for group in np.array_split(held_out[order], n_bins)
    ]


def _importances(model: TableModel, X: Any, y: Any) -> list[dict[str, Any]]:
    """Return the share of each column, the largest first, and where it leads.

    The share is that of the mean absolute contribution. Features of a column are added up first, since those of a
    category cancel each other. `more` is what more of a column leads to, or its strongest `value` if it has no order: a
    class, or "higher" or "lower" if the target is a value or has ordered classes. `alone` is the correlation of the
    column with that.
    """
    columns, fcm = model.preparer.columns_, model.estimator
    chosen = np.arange(0, len(X), max(len(X) // _ROWS_FOR_EFFECTS, 1))
    some = X.iloc[chosen].to_numpy(dtype=np.float64)
    contributions = model.contributions(some)[0]
    size = np.abs(contributions).mean(axis=(0, 2))
    # Mean derivatives of a wide map are known without all its weights.
    effects = effects_per_deviation(fcm.model_, some).T
    classes = [str(label) for label in fcm.classes_] if hasattr(fcm, "classes_") else None
    if classes is not None and isinstance(link := fcm.model_.link, OrderedLink):  # effects on the mean rank
        ranks = link.ranks.astype(np.float64)[:, np.newaxis]
        y = y.astype(str).map(dict(zip(classes, link.ranks.tolist(), strict=True)))
        effects, contributions, classes = effects @ ranks, contributions @ ranks, None
    threshold = _SIGN * float(np.abs(effects).max())
    result = []
    for place, (column, span) in enumerate(zip(columns, spans(columns), strict=True)):
        entry: dict[str, Any] = {"column": column.name, "share": float(size[place] / (size.sum() or 1.0))}
        if column.has_order:
            effect, alone = effects[span.start], X.iloc[:, span.start].to_numpy(dtype=np.float64)
            if np.abs(effect).max() > threshold:
                entry |= _direction(effect, classes, alone, y)
                if isinstance(column, BooleanColumn):
                    entry["value"] = column.choices[1]
        elif column.one_hot:
            entry |= _strongest_value(column, some[:, span], contributions[:, place], classes, threshold)
        result.append(entry)
    return sorted(result, key=lambda entry: -entry["share"])


def mean_effects(model: TableModel, X: Any, y: Any) -> list[dict[str, Any]]:
    """Return the mean effect of each column with an order on each output, per unit, with its 90 % interval.

    It is empty for tables with many values, whose intervals would take long, and for maps without intervals.
    """
    fcm = model.estimator
    if X.size > _MOST_VALUES or isinstance(fcm.map_, StructuredMap) or not isinstance(fcm.map_.slope, float):
        return []
    found = arrow_intervals(fcm, X, y, n_refits=_REFITS)
    columns = model.preparer.columns_
    outputs = [str(label) for label in fcm.classes_] if hasattr(fcm, "classes_") else list(found.output_names)
    return [
        {
            "column": column.name,
            "output": output,
            "effect": float(found.effects[span.start, k]),
            "low": float(found.effects_low[span.start, k]),
            "high": float(found.effects_high[span.start, k]),
        }
        for column, span in zip(columns, spans(columns), strict=True)
        if column.has_order
        for k, output in enumerate(outputs)
    ]


def _direction(
    effect: NDArray[np.float64], classes: list[str] | None, alone: NDArray[np.float64], y: Any
) -> dict[str, Any]:
    """Return what more of a column leads to, and the correlation of the column with it."""
    if classes is None:
        more, goal = "higher" if effect[0] > 0 else "lower", y.to_numpy(dtype=np.float64) * np.sign(effect[0])
    else:
        more = classes[int(effect.argmax())]
        goal = (y.astype(str) == more).to_numpy(dtype=np.float64)
    known = ~np.isnan(alone)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.corrcoef(alone[known], goal[known])[0, 1] if known.sum() > 1 else np.nan
    return {"more": more, "alone": float(correlation) if np.isfinite(correlation) else None}


def _strongest_value(
    column: Any, dummies: NDArray[np.float64], contributions: Any, classes: list[str] | None, threshold: float
) -> dict[str, Any]:
    """Return the category with the strongest mean contribution, and where it leads; nothing if none is strong."""
    best: tuple[float, dict[str, Any]] = threshold, {}
    for place, choice in enumerate(column.choices):
        rows = dummies[:, place] == 1.0
        if rows.mean() < _MIN_SHARE:
            continue
        mean = contributions[rows].mean(axis=0)
        leads_to = int(mean.argmax()) if classes else int(np.abs(mean).argmax())
        if abs(mean[leads_to]) > best[0]:
            more = classes[leads_to] if classes else "higher" if mean[0] > 0 else "lower"
            best = float(abs(mean[leads_to])), {"value": choice, "more": more}
    return best[1]


def _drawn(model: MapModel, rows: Any) -> dict[str, Any]:
    """Return how many arrows a picture of the map has, and the share of the decisions that they carry."""
    shares = [1.0]

    def carried(drawn: Any) -> float:
        shares.append(carried_share(model, drawn, rows))
        return shares[-1]

    view = graph_view(model.map.concepts, model.map.weights, model.kinds, carried=carried)
    return {"drawn": len(view["edges"]), "carried": shares[-1]}
