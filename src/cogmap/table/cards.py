"""The card of a model, as JSON and as text: what was learned, scores, importances, kinds of columns."""

from textwrap import fill
from typing import Any

import numpy as np

from cogmap._utils.text import cut
from cogmap.explanation import arrow_intervals
from cogmap.explanation.rules import carried_share, to_rules
from cogmap.maps._text import count, short
from cogmap.maps.drawing.view import graph_view
from cogmap.maps.structured import StructuredMap
from cogmap.models.model import MapModel
from cogmap.table.columns import spans
from cogmap.table.model import TableModel
from cogmap.table.scoring import THE_MAP, measures
from cogmap.table.targets import CLASSES, Target

_ROWS_FOR_EFFECTS = 300
_ROWS_FOR_RULES = 2000
_MOST_VALUES, _REFITS = 200_000, 15  # of the table, up to which effects have intervals, and refits for them
_WIDTH = 100  # of a line with rules
_SHOWN, _LISTED = 10, 40  # columns in the text: the most important ones, and those of each list
_SIGN = 0.05  # an effect this small beside the largest of all is none


def make_card(
    model: TableModel, target: Target, X: Any, scores: dict[str, list[tuple[float, float]]], notes: list[str]
) -> dict[str, Any]:
    """Return the card as JSON values."""
    preparer, fcm = model.preparer, model.estimator
    card: dict[str, Any] = {
        "target": target.to_state(),
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
        "importances": _importances(model, X),
        "notes": notes,
    }
    if card["map"]["structure"] != "full":
        rows = X.iloc[:: max(len(X) // _ROWS_FOR_RULES, 1)].to_numpy(dtype=np.float64)
        card["map"] |= _drawn(fcm.model_, rows)
        rules = to_rules(fcm.model_, rows).to_dict()
        card["rules"] = [
            {"rule": rule, "source": source, "target": to, "weight": weight, "strength": strength}
            for rule, source, to, weight, strength in zip(*rules.values(), strict=True)
        ]
    if scores:
        names = measures(target.task)
        card["scores"] = {
            method: {
                name: {"mean": float(np.mean(values)), "deviation": float(np.std(values)), "folds": list(values)}
                for name, values in zip(names, zip(*folds, strict=True), strict=True)
            }
            for method, folds in scores.items()
        }
    return card


def _importances(model: TableModel, X: Any) -> list[dict[str, Any]]:
    """Return the share of each column, the largest first, and what more of it leads to, if it has an order.

    The share is that of the mean absolute contribution. Features of a column are added up first, since those of a
    category cancel each other.
    """
    columns, fcm = model.preparer.columns_, model.estimator
    some = X.iloc[:: max(len(X) // _ROWS_FOR_EFFECTS, 1)].to_numpy(dtype=np.float64)
    size = np.abs(model.contributions(some)[0]).mean(axis=(0, 2))
    # Mean derivatives, of a deviation of each feature: those of a wide map are known without all its weights.
    effects = fcm.model_.derivative(some).mean(axis=0).T * fcm.scaling_.known.deviation[:, np.newaxis]
    threshold = _SIGN * float(np.abs(effects).max())
    result = []
    for column, of_column, span in zip(columns, size, spans(columns), strict=True):
        entry: dict[str, Any] = {"column": column.name, "share": float(of_column / (size.sum() or 1.0))}
        effect = effects[span.start]
        if column.has_order and np.abs(effect).max() > threshold:
            if hasattr(fcm, "classes_"):
                entry["more"] = str(fcm.classes_[effect.argmax()])
            else:
                entry["more"] = "higher" if effect[0] > 0 else "lower"
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


def _drawn(model: MapModel, rows: Any) -> dict[str, Any]:
    """Return how many arrows a picture of the map has, and the share of the decisions that they carry."""
    shares = [1.0]

    def carried(drawn: Any) -> float:
        shares.append(carried_share(model, drawn, rows))
        return shares[-1]

    view = graph_view(model.map.concepts, model.map.weights, model.kinds, carried=carried)
    return {"drawn": len(view["edges"]), "carried": shares[-1]}


def card_text(card: dict[str, Any]) -> str:
    """Return a card as text."""
    blocks = [_about(card), _how_good(card), _what_matters(card), _effects(card), _rules(card), _columns(card)]
    blocks.append(_left_out(card))
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _about(card: dict[str, Any]) -> list[str]:
    target, table = card["target"], card["table"]
    classes, why = card["classes"], target["why"]
    why = why if why == "as asked" else f"because {why}"
    what = f"one of {len(classes):,} classes" if classes else "a number"
    lines = [
        f"{cut(target['name'])}: {what}, from {count(len(card['columns']), 'column')} of {short(table['name'])}",
        f"  {target['task']}, {why}",
        f"  learned from {table['learned from']:,} rows: {_map(card['map'])}",
    ]
    return lines + [f"  {note}" for note in card["notes"]]


def _map(entry: dict[str, Any]) -> str:
    """Return the size of the map in words; cards of earlier versions have no structure."""
    if entry.get("structure", "full") == "full":
        return f"a map of {entry['concepts']} concepts, {entry['hidden']} of them hidden, {entry['depth']} steps"
    size = f"a map of {entry['concepts']} concepts and {count(entry['arrows'], 'arrow')}"
    if entry["drawn"] == entry["arrows"]:
        return f"{entry['structure']}, {size}; all of it is drawn"
    return f"{entry['structure']}, {size}; the {entry['drawn']} drawn decide alike with an R² of {entry['carried']:.2f}"


def _rules(card: dict[str, Any]) -> list[str]:
    rules = card.get("rules", [])
    if not rules:
        return []
    texts = [" ".join(map(cut, entry["rule"].split())) for entry in rules[:_SHOWN]]
    lines = [fill(text, _WIDTH, initial_indent="  ", subsequent_indent="    ") for text in texts]
    return ["Rules, the strongest first", *lines] + [f"  and {len(rules) - _SHOWN:,} more"] * (len(rules) > _SHOWN)


def _how_good(card: dict[str, Any]) -> list[str]:
    scores = card.get("scores")
    if not scores:
        return []
    names = list(scores[THE_MAP])
    n_folds = len(scores[THE_MAP][names[0]]["folds"])
    rows = [[method, *(_score(entry[name]) for name in names)] for method, entry in scores.items()]
    settings = card.get("settings", {})
    how = f"{n_folds} folds"
    if settings.get("groups"):
        how = f"{n_folds} folds of other groups of {short(settings['groups'])}"
    elif settings.get("time"):
        how = f"{n_folds} folds, each later by {short(settings['time'])} than its training rows"
    return _table([f"How good, on rows not learned from ({how})", *names], rows)


def _score(entry: dict[str, Any]) -> str:
    mean, deviation = entry["mean"], entry["deviation"]
    return f"{mean:.3f} ± {deviation:.3f}" if abs(mean) < 1e4 else f"{mean:.4g} ± {deviation:.2g}"


def _what_matters(card: dict[str, Any]) -> list[str]:
    entries = card["importances"][:_SHOWN]
    rows = [[entry["column"], f"{100 * entry['share']:.0f} %", entry.get("more", "")] for entry in entries]
    lines = _table(["What matters", "share", "more of it leads to"], rows, right=(1,))
    others = len(card["importances"]) - len(entries)
    rest = sum(entry["share"] for entry in card["importances"][_SHOWN:])
    return lines + ([f"  {count(others, 'other')} together {100 * rest:.0f} %"] if others else [])


def _effects(card: dict[str, Any]) -> list[str]:
    """Return the mean effects on a value, or on the probability of the last class, in the order of importance."""
    entries = card.get("effects", [])
    output = entries[-1]["output"] if entries else ""
    of_column = {entry["column"]: entry for entry in entries if entry["output"] == output}
    known = [of_column[entry["column"]] for entry in card["importances"] if entry["column"] in of_column][:_SHOWN]
    if not known:
        return []
    rows = [
        [entry["column"], f"{entry['effect']:+.3g}", f"{entry['low']:+.3g} to {entry['high']:+.3g}"] for entry in known
    ]
    on = f"Mean effect per unit on the probability of {short(output)}" if card["classes"] else "Mean effect per unit"
    return _table([on, "", "90 % interval"], rows)


def _left_out(card: dict[str, Any]) -> list[str]:
    left_out = list(card["left out"].items())
    if not left_out:
        return []
    return _listed(["Left out", ""], [[name, reason] for name, reason in left_out])


def _columns(card: dict[str, Any]) -> list[str]:
    rows = [[entry["name"], entry["kind"], entry.get("why", "")] for entry in card["columns"]]
    return _listed(["Columns", "kind", "why"], rows)


def _listed(header: list[str], rows: list[list[str]]) -> list[str]:
    lines = _table(header, rows[:_LISTED], right=())
    return lines + ([f"  and {len(rows) - _LISTED:,} more"] if len(rows) > _LISTED else [])


def _table(header: list[str], rows: list[list[str]], right: tuple[int, ...] | None = None) -> list[str]:
    """Return aligned lines below a heading; columns in `right`, by default all but the first, are right-aligned."""
    cells = [header, *([f"  {short(row[0])}", *row[1:]] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(header))]
    to_right = range(1, len(header)) if right is None else right
    return [
        "   ".join(
            cell.rjust(width) if place in to_right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
