"""The contents of a card as blocks of cells, from which its text and its HTML are made.

A cell is a sentence: strings, and figures that carry the place of their number in the card. A figure whose place is a
list is the number of its entries, or of some of them.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from cogmap._utils.numbers import of_hundred, readable
from cogmap._utils.text import cut
from cogmap.explanation.rules import Together
from cogmap.maps._text import short
from cogmap.maps.drawing.view import ALL_DRAWN
from cogmap.table.sentences import (
    THE_MAP,
    Figure,
    Sentence,
    class_name,
    edit_sentences,
    has_order,
    leads_to,
    opposite,
    pointer,
    quality,
    sure_sentences,
    words_for,
)

_RULE = re.compile(r" (raises|lowers) class=(.*?)(?= \((?:strongly|weakly)\)$|$)")
_CONCEPTS = {  # what the map consists of, for whom "concept" is a new word
    "additive": "concepts are columns or their values, and the answer; each acts on the answer on its own",
    "named": "concepts are columns or their values, steps and combinations of these, and the answer",
    "full": "concepts are columns or their values, hidden ones that combine them, and the answer",
}
_ADD_UP = "A rule is an arrow of the map. Rules add up"
_SEVERAL = ": one about several columns corrects what those about each say alone"
_SUM = ' "a + b" means the more of its parts hold, the more.'
_USED = 0.005  # share from which a column is listed
_SHOWN, _LISTED = 10, 40  # columns in the text: the most important ones, and those of each list


@dataclass
class Block:
    """A part of a card.

    Attributes
    ----------
    heading : list of str
        Title, and the names of further columns.
    rows : list of list of Sentence
        Cells below the heading.
    notes : list of Sentence
        Paragraphs below the rows.
    right : tuple of int
        Columns that are aligned to the right.
    lead : list of Sentence
        Paragraphs above the heading.
    """

    heading: list[str] = field(default_factory=list)
    rows: list[list[Sentence]] = field(default_factory=list)
    notes: list[Sentence] = field(default_factory=list)
    right: tuple[int, ...] = ()
    lead: list[Sentence] = field(default_factory=list)


def blocks_of(card: dict[str, Any]) -> list[Block]:
    """Return the parts of a card that have something to say, after its title."""
    makers = (_how_good, _how_sure, _what_matters, _effects, _rules, _edits, _columns, _left_out)
    return [block for make in makers if (block := make(card)) is not None]


def title_of(card: dict[str, Any]) -> tuple[Sentence, list[Sentence]]:
    """Return the title of a card, and the lines below it."""
    target, table = card["target"], card["table"]
    classes, why = card["classes"], target["why"]
    why = why if why.startswith("as asked") else f"because {why}"
    what: Sentence = ["a number"]
    if classes:
        what = ["one of ", Figure("/classes", f"{len(classes):,}"), " classes"]
        what = [" or ".join(map(class_name, classes))] if len(classes) == 2 else what
    unit = f" ({target['unit']})" if target.get("unit") else ""
    title: Sentence = [f"{cut(target['name'])}{unit}: ", *what, ", from ", *_counted("/columns", card, "column")]
    lines: list[Sentence] = [
        [f"{target['task']}, ", Figure("/target/why", why)],
        ["learned from ", Figure("/table/learned from", f"{table['learned from']:,}"), " rows: ", *_map(card["map"])],
    ]
    lines.append([_CONCEPTS.get(card["map"].get("structure", "full"), _CONCEPTS["full"])])
    if "edits" not in card:
        lines.append(["nothing in it was changed by hand"])
    lines += [[Figure(pointer("notes", place), note)] for place, note in enumerate(card["notes"])]
    return [*title, f" of {short(table['name'])}"], lines


def _counted(key: str, card: dict[str, Any], noun: str) -> Sentence:
    n_entries = len(card[key.removeprefix("/")])
    return [Figure(key, f"{n_entries:,}"), f" {noun}{'s' * (n_entries != 1)}"]


def _map(entry: dict[str, Any]) -> Sentence:
    """Return the size of the map in words; cards of earlier versions have no structure."""

    def figure(name: str) -> Figure:
        return Figure(f"/map/{name}", f"{entry[name]:,}")

    if entry.get("structure", "full") == "full":
        hidden: Sentence = [figure("hidden"), " of them hidden, ", figure("depth"), " steps"]
        return ["a map of ", figure("concepts"), " concepts, ", *hidden]
    size: Sentence = [f"{entry['structure']}, a map of ", figure("concepts"), " concepts and ", figure("arrows")]
    size.append(f" arrow{'s' * (entry['arrows'] != 1)}; ")
    if entry["drawn"] == entry["arrows"]:
        return [*size, ALL_DRAWN]
    carried = Figure("/map/carried", f"{entry['carried']:.2f}")
    drawn: Sentence = ["its picture has the strongest ", figure("drawn")]
    return [*size, *drawn, ", which alone decide as all do with an R² of ", carried]


def _how_good(card: dict[str, Any]) -> Block | None:
    """Return the sentences about the quality, and the scores in a table."""
    scores = card.get("scores")
    if not scores:
        return None
    names = list(scores[THE_MAP])
    rows = [
        [[method], *(_score(card, method, name) for name in names)]  # the deviation is over the folds
        for method in scores
    ]
    n_folds = len(scores[THE_MAP][names[0]]["folds"])
    settings, how = card.get("settings", {}), f"{n_folds} folds"
    if settings.get("groups"):
        how = f"{n_folds} folds of other groups of {short(settings['groups'])}"
    elif settings.get("time"):
        how = f"{n_folds} folds, each later by {short(settings['time'])} than its training rows"
    unit = card["target"].get("unit")
    heads = [f"{name} ({unit})" if unit and name == "mean absolute error" else name for name in names]
    folds = Figure(pointer("scores", THE_MAP, names[0], "folds"), str(n_folds))
    said: Sentence = [" ".join(words_for(name) for name in names), " ± is the standard deviation over the "]
    return Block(
        [f"How good, on rows not learned from ({how})", *heads],
        rows,
        [[*said, folds, " folds."]],
        tuple(range(1, len(names) + 1)),
        quality(card) if "comparisons" in card else [],
    )


def _score(card: dict[str, Any], method: str, name: str) -> Sentence:
    """Return a score with its deviation, with the decimals of the score of this map."""
    entry, own = card["scores"][method][name], abs(card["scores"][THE_MAP][name]["mean"])
    decimals = 3 if own < 10.0 else 2 if own < 100.0 else 1 if own < 1000.0 else 0
    mean, deviation = (
        Figure(pointer("scores", method, name, which), f"{entry[which] + 0.0:,.{decimals}f}")
        for which in ("mean", "deviation")
    )
    return [mean, " ± ", deviation]


def _how_sure(card: dict[str, Any]) -> Block | None:
    """Return how often answers of each probability were right, and what is known of single rows."""
    sentences = sure_sentences(card)
    groups = card.get("certainty")
    if not groups:
        return Block(["How sure"], notes=sentences) if sentences else None
    ends = [*(group["from"] for group in groups[1:]), None]
    rows: list[list[Sentence]] = []
    for place, (group, end) in enumerate(zip(groups, ends, strict=True)):
        low = Figure(pointer("certainty", place, "from"), of_hundred(group["from"]))
        probability: Sentence = [low, " % or more"]
        if end is not None:
            probability = [low, " to ", Figure(pointer("certainty", place + 1, "from"), of_hundred(end)), " %"]
        right = Figure(pointer("certainty", place, "right"), of_hundred(group["right"]))
        n_rows = Figure(pointer("certainty", place, "rows"), f"{group['rows']:,}")
        rows.append([probability, [right, " of 100"], [n_rows]])
    return Block(["How sure: probability of its answer", "right", "new rows"], rows[::-1], sentences, (1, 2))


def _what_matters(card: dict[str, Any]) -> Block:
    used = [entry for entry in card["importances"] if entry["share"] >= _USED]
    entries = used[:_SHOWN]
    rows: list[list[Sentence]] = [
        [
            [short(entry["column"])],
            [Figure(pointer("importances", place, "share"), f"{100 * entry['share']:.0f}"), " %"],
            [*leads_to(place, entry), " *" * opposite(entry)],
        ]
        for place, entry in enumerate(entries)
    ]
    notes: list[Sentence] = []
    n_others, n_unused = len(used) - len(entries), len(card["importances"]) - len(used)
    if n_others:
        rest = f"{100 * sum(entry['share'] for entry in used[_SHOWN:]):.0f}"
        others = Figure("/importances", f"{n_others:,}")
        notes.append([others, f" other{'s' * (n_others != 1)} together ", Figure("/importances", rest), " %."])
    if n_unused:
        hardly = " other column hardly matters" if n_unused == 1 else " other columns hardly matter"
        notes.append([Figure("/importances", f"{n_unused:,}"), f"{hardly} to this map."])
    notes.append(
        [
            "The share is that of the mean size of what a column adds to the answers or takes from them. All of this "
            "is with the rest of the row unchanged. It need not be a cause."
        ]
    )
    if any(map(opposite, entries)):
        notes.append(["* Alone, without looking at the other columns, more of it goes with the opposite."])
    return Block(["What matters", "share", "more of it, or this value, leads to"], rows, notes, (1,))


def _effects(card: dict[str, Any]) -> Block | None:
    """Return the mean effects on a value, or on the probability of a class, by importance.

    Of two or of ordered classes, that of the last or highest; otherwise that to which more of the column leads.
    """
    classes, known = card["classes"], list[tuple[int, dict[str, Any]]]()
    one_output = has_order(card) or not classes or len(classes) == 2
    by_column: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    for place, entry in enumerate(card.get("effects", [])):
        by_column.setdefault(entry["column"], []).append((place, entry))
    for importance in card["importances"]:
        of_column = by_column.get(importance["column"], [])
        if importance["share"] < _USED or not of_column:
            continue
        wanted = importance.get("more")
        if one_output:
            wanted = card["target"]["order"][-1] if has_order(card) else of_column[-1][1]["output"]
        strongest = max(of_column, key=lambda one: abs(one[1]["effect"]))
        known.append(next((one for one in of_column if one[1]["output"] == wanted), strongest))
    if not known:
        return None
    rows: list[list[Sentence]] = []
    for place, entry in known[:_SHOWN]:
        cells: list[Sentence] = [_step(card, place, entry)]
        if not one_output:
            cells.append([class_name(entry["output"])])
        for name in ("effect", "low", "high"):
            text = readable((100.0 if classes else 1.0) * entry[name], 2, "+", 1000.0)
            cells.append([Figure(pointer("effects", place, name), text)])
        rows.append(cells)
    unit = card["target"].get("unit") or ""
    on = f"Mean effect on {short(card['target']['name'])}{f' ({unit})' if unit else ''} of"
    notes: list[Sentence] = [
        ["With 90 % confidence, the mean effect is between these ends; if their signs differ, it may be none."]
    ]
    if any(str(row[0][-1]).endswith(" more") for row in rows):
        notes[0].insert(0, '"More" is a small change scaled up: to cross a threshold may change more. ')
    if classes:
        last = class_name(known[0][1]["output"])
        on = f"Mean effect on the probability{f' of {last}' if one_output else ''}, in points, of"
        notes[0].insert(0, "A point is one percent of probability. ")
    heads = [] if one_output else ["on"]
    return Block([on, *heads, "", "from", "to"], rows, notes, tuple(range(1 + len(heads), 4 + len(heads))))


def _step(card: dict[str, Any], place: int, entry: dict[str, Any]) -> Sentence:
    """Return the change of a column whose effect is told: "10 months more duration"."""
    name = short(entry["column"])
    k = next((k for k, one in enumerate(card["columns"]) if one["name"] == entry["column"]), -1)
    if k >= 0 and (choices := card["columns"][k].get("choices")):  # two values
        low, high = (Figure(pointer("columns", k, "choices", one), short(choices[one])) for one in (0, 1))
        return [f"{name}: ", high, " instead of ", low]
    step = Figure(pointer("effects", place, "step"), readable(entry.get("step", 1.0), 3, "", 1000.0))
    unit = card.get("units", {}).get(entry["column"])
    return [f"{name}: ", step, f" {unit} more" if unit else " more"]


def _rules(card: dict[str, Any]) -> Block | None:
    rules = card.get("rules", [])
    if not rules:
        return None
    rows: list[list[Sentence]] = [
        [[Figure(pointer("rules", place, "rule"), _rule(entry, card))]] for place, entry in enumerate(rules[:_SHOWN])
    ]
    notes: list[Sentence] = [["and ", Figure("/rules", f"{len(rules) - _SHOWN:,}"), " more"]] * (len(rules) > _SHOWN)
    shown = [entry["source"] for entry in rules[:_SHOWN]]
    several = card["map"].get("structure") == "named"
    notes.append([f"{_ADD_UP}{_SEVERAL * several}.{_SUM * any(' + ' in source for source in shown)}"])
    return Block(["Rules, the strongest first"], rows, notes)


def _rule(entry: dict[str, Any], card: dict[str, Any]) -> str:
    """Return a rule in words, with what it says together with others about the same column."""
    together = Together(**entry["together"]) if "together" in entry else None
    rule = entry["rule"] if together is None else entry["rule"].removesuffix(f"; {together.words()}")
    text = _RULE.sub(_likely, " ".join(map(cut, rule.split())))
    if has_order(card):
        name = cut(card["target"]["name"])
        text = re.sub(r" (raises|lowers) class(?= |$)", lambda match: f" {match[1]} {name}", text)
    if together is None:
        return text
    of_class = card["classes"] and not has_order(card)
    likely = ("makes it more likely", "makes it less likely") if of_class else ()
    return f"{text}; {together._replace(feature=cut(together.feature)).words(*likely)}"


def _likely(match: re.Match[str]) -> str:
    return f" makes {class_name(match[2])} {'more' if match[1] == 'raises' else 'less'} likely"


def _edits(card: dict[str, Any]) -> Block | None:
    """Return the trail of changes made by hand."""
    if "edits" not in card:
        return None
    edits = card["edits"]
    who = f" by {edits['by']}" * bool(edits["by"]) + f" on {edits['day']}" * bool(edits["day"])
    reason: list[Sentence] = [[f"Reason: {edits['reason']}"]] if edits["reason"] else []
    return Block([f"Changed by hand{who}"], notes=[*reason, *edit_sentences(card)])


def _columns(card: dict[str, Any]) -> Block:
    rows: list[list[Sentence]] = [
        [[short(entry["name"])], [entry["kind"]], [Figure(pointer("columns", place, "why"), entry.get("why", ""))]]
        for place, entry in enumerate(card["columns"])
    ]
    return _listed(["Columns", "kind", "why"], rows, "/columns")


def _left_out(card: dict[str, Any]) -> Block | None:
    rows: list[list[Sentence]] = [
        [[short(name)], [Figure(pointer("left out", name), reason)]] for name, reason in card["left out"].items()
    ]
    return _listed(["Left out", ""], rows, "/left out") if rows else None


def _listed(heading: list[str], rows: list[list[Sentence]], key: str) -> Block:
    more: list[Sentence] = [["and ", Figure(key, f"{len(rows) - _LISTED:,}"), " more"]] * (len(rows) > _LISTED)
    return Block(heading, rows[:_LISTED], more)
