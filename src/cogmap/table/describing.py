"""Make the card of a model: what was learned, scores, comparisons, importances, kinds of columns."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.numbers import readable
from cogmap.explanation import arrow_intervals, explain, influence
from cogmap.explanation._subject import effects_per_deviation
from cogmap.explanation.rules import Rules, carried_share, to_rules
from cogmap.maps.drawing.view import edge_strength, graph_view
from cogmap.maps.structured import StructuredMap
from cogmap.models.links import OrderedLink
from cogmap.models.model import MapModel
from cogmap.table.cards import Card
from cogmap.table.columns import spans
from cogmap.table.columns.boolean import BooleanColumn
from cogmap.table.how_sure import of_held_out, of_rows
from cogmap.table.model import TableModel
from cogmap.table.scoring import THE_MAP, Score, measures
from cogmap.table.targets import CLASSES, Target

_ROWS_FOR_EFFECTS = 300
_ROWS_FOR_RULES, _ROWS_FOR_FLOW = 2000, 500
_MOST_VALUES, _REFITS = 200_000, 15  # of the table, up to which effects have intervals and rows are judged; refits
_SIGN = 0.05  # an effect this small beside the largest of all is none, and a correlation this small too
_TWO = 2  # values of a column whose step is from one to the other
_MIN_SHARE = 0.02  # of rows that a category needs to be named as the one with the strongest effect


def make_card(
    model: TableModel,
    target: Target,
    X: Any,
    y: Any,
    scores: dict[str, list[Score]],
    notes: list[str],
    numbers: NDArray[np.intp],
) -> Card:
    """Return the card; `numbers` are those of the rows in the table."""
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
            "columns": [
                {"name": column.name, "kind": column.kind, "why": column.why}
                | ({"choices": choices} if (choices := _two_values(column, X.iloc[:, span.start])) else {})
                for column, span in zip(preparer.columns_, spans(preparer.columns_), strict=True)
            ],
            "left out": dict(preparer.left_out_),
            "importances": _importances(model, X, y),
            "notes": notes,
        }
    )
    if card["map"]["structure"] != "full":
        rows = X.iloc[:: max(len(X) // _ROWS_FOR_RULES, 1)].to_numpy(dtype=np.float64)
        card["map"] |= _drawn(fcm.model_, rows)
        card["rules"] = [
            {"rule": _with_value(rule, source, card["columns"]), "source": source, "target": to}
            | {"weight": float(weight), "strength": float(strength)}
            | ({} if together is None else {"together": together._asdict() | {"turns": list(together.turns)}})
            for rule, source, to, weight, strength, together in _rules(to_rules(fcm.model_, rows))
        ]
    if scores:
        card |= _scored(target.task, scores)
    if X.size <= _MOST_VALUES:
        card |= of_rows(fcm, X.to_numpy(dtype=np.float64), numbers)
    return card


def _two_values(column: Any, values: Any) -> list[str]:
    """Return the lower and the higher value of a column that has only two, such as "0" and "1", in words."""
    if isinstance(column, BooleanColumn):
        return list(column.choices)
    if not column.has_order or hasattr(column, "choices"):
        return []
    known = np.unique(np.asarray(values, dtype=np.float64))
    known = known[~np.isnan(known)]
    return [readable(value, 6) for value in known.tolist()] if len(known) == _TWO else []


def _with_value(rule: str, source: str, columns: list[dict[str, Any]]) -> str:
    """Return a rule about a column of two values with the higher one: "sex=1 raises ..."."""
    choices = next((column.get("choices") for column in columns if column["name"] == source), None)
    if not choices or not rule.startswith((f"{source} raises", f"{source} lowers")):
        return rule
    return f"{source}={choices[1]}{rule.removeprefix(source)}"


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
    return parts | of_held_out(task, held_out)


def _standard_error(differences: NDArray[np.float64]) -> float:
    return float(differences.std(ddof=1) / np.sqrt(len(differences))) if len(differences) > 1 else 0.0


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
    by_feature = explain(fcm.model_, some).contributions if any(map(_has_parts, columns)) else contributions
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
                if choices := _two_values(column, alone):
                    entry["value"] = choices[1]
        elif column.one_hot:
            entry |= _strongest_value(column, some[:, span], contributions[:, place], classes, threshold)
        else:
            entry["parts"] = _shares_of_parts(column, by_feature[:, span], entry["share"])
        result.append(entry)
    return sorted(result, key=lambda entry: -entry["share"])


def _has_parts(column: Any) -> bool:
    """Return whether the features of a column mean something alone, as those of a date do."""
    return not column.has_order and not column.one_hot


def _shares_of_parts(column: Any, contributions: NDArray[np.floating], share: float) -> dict[str, float]:
    """Return the share of each feature of a column, in proportion to their mean absolute contributions."""
    sizes = np.abs(contributions).mean(axis=(0, 2))
    shares = share * sizes / (sizes.sum() or 1.0)
    return dict(zip(column.outputs, shares.tolist(), strict=True))


def mean_effects(model: TableModel, X: Any, y: Any) -> list[dict[str, Any]]:
    """Return the mean effect of a step of each column with an order on each output, with its 90 % interval.

    The step is a power of ten, the largest that is no larger than the deviation of the column, and at least 1 if the
    column has whole numbers: the effect of one more in a column of thousands, or between 0 and 0.1, tells nothing.

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
            "step": step,
            "effect": float(found.effects[span.start, k]) * step,
            "low": float(found.effects_low[span.start, k]) * step,
            "high": float(found.effects_high[span.start, k]) * step,
        }
        for column, span in zip(columns, spans(columns), strict=True)
        if column.has_order
        for step in [_step(X.iloc[:, span.start].to_numpy(dtype=np.float64))]
        for k, output in enumerate(outputs)
    ]


def _step(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    if len(two := np.unique(known)) == _TWO:
        return float(two[1] - two[0])
    deviation = float(known.std()) if len(known) else 0.0
    if not deviation:
        return 1.0
    step = float(f"1e{math.floor(math.log10(deviation))}")
    return max(step, 1.0) if (known == np.rint(known)).all() else step


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

    # The strongest on the data are drawn, as on the page.
    strength = edge_strength(influence(model, rows[:: max(len(rows) // _ROWS_FOR_FLOW, 1)]).flow)
    view = graph_view(model.map.concepts, model.map.weights, model.kinds, strength, carried=carried)
    return {"drawn": len(view["edges"]), "carried": shares[-1]}
