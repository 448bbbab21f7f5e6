"""The card of a model as a dict, as text and as HTML."""

import html
import re
from functools import reduce
from textwrap import fill
from typing import Any

from cogmap._utils.numbers import readable
from cogmap._utils.text import cut
from cogmap.explanation.rules import Together
from cogmap.maps._text import count, short
from cogmap.table.sentences import (
    THE_MAP,
    Figure,
    Sentence,
    edit_sentences,
    has_order,
    leads_to,
    opposite,
    quality,
    text_of,
    words_for,
)

_WIDTH = 100  # of a line of text
_RULE = re.compile(r" (raises|lowers) class=(.*?)(?= \((?:strongly|weakly)\)$|$)")
_USED = 0.005  # share from which a column is listed
_SHOWN, _LISTED = 10, 40  # columns in the text: the most important ones, and those of each list


class Card(dict[str, Any]):
    """Description of a model: a dict of JSON values, printed as text and shown as HTML in notebooks.

    Every number in the text is at some place of the dict, so that it can be recomputed from the table.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the card as a plain dict."""
        return dict(self)

    def without_scores(self) -> "Card":
        """Return the card of another map of the same table."""
        of_scores = ("scores", "comparisons", "certainty", "errors", "edits")
        return Card({name: part for name, part in self.items() if name not in of_scores})

    def at(self, key: str) -> Any:
        """Return the entry at a JSON pointer, such as "/scores/this map/accuracy/mean".

        Parameters
        ----------
        key : str
            Place in the card.

        Returns
        -------
        object
        """
        steps = [step.replace("~1", "/").replace("~0", "~") for step in key.split("/")[1:]]
        return reduce(lambda entry, step: entry[int(step) if isinstance(entry, list) else step], steps, self.to_dict())

    def __str__(self) -> str:
        return card_text(self)

    def _repr_html_(self) -> str:
        return card_html(self)


Block = tuple[str, list[list[str]], list[str]]  # heading with the names of further columns, rows, lines below


def card_text(card: dict[str, Any]) -> str:
    """Return a card as text."""
    blocks = [_about(card), _how_good(card), _what_matters(card), _effects(card), _rules(card), _edits(card)]
    blocks += [_columns(card), _left_out(card)]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def card_html(card: dict[str, Any]) -> str:
    """Return a card as HTML, with the place of each number of a sentence in ``data-key``."""
    head, *about = _about(card)
    parts = [f"<h3>{html.escape(head)}</h3>", *(f"<p>{html.escape(line.strip())}</p>" for line in about)]
    parts += [f"<p>{_sentence_html(sentence)}</p>" for sentence in quality(card)]
    for block in (_scores_table(card), _what_matters(card), _rules(card), _edits(card)):
        if block:
            parts.append(f"<pre>{html.escape(chr(10).join(block))}</pre>")
    return f'<div class="cogmap-card">{"".join(parts)}</div>'


def _sentence_html(sentence: Sentence) -> str:
    return "".join(
        f'<b data-key="{html.escape(part.key, quote=True)}">{html.escape(part.text)}</b>'
        if isinstance(part, Figure)
        else html.escape(part)
        for part in sentence
    )


def _about(card: dict[str, Any]) -> list[str]:
    target, table = card["target"], card["table"]
    classes, why = card["classes"], target["why"]
    why = why if why.startswith("as asked") else f"because {why}"
    what = f"one of {len(classes):,} classes" if classes else "a number"
    if classes and len(classes) == 2:
        what = " or ".join(map(short, classes))
    unit = f" ({target['unit']})" if target.get("unit") else ""
    lines = [
        f"{cut(target['name'])}{unit}: {what}, from {count(len(card['columns']), 'column')} of {short(table['name'])}",
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


def _how_good(card: dict[str, Any]) -> list[str]:
    """Return the sentences about the quality, and the scores in a table."""
    if not card.get("scores"):
        return []
    sentences = [_paragraph(text_of(sentence)) for sentence in quality(card)] if "comparisons" in card else []
    table = _scores_table(card)
    return [*sentences, "", *table] if sentences else table


def _scores_table(card: dict[str, Any]) -> list[str]:
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
    lines = _table([f"How good, on rows not learned from ({how})", *names], rows)
    notes = [*(words_for(name) for name in names), f"± is the standard deviation over the {n_folds} folds."]
    return [*lines, _paragraph(" ".join(notes))]


def _score(entry: dict[str, Any]) -> str:
    mean, deviation = entry["mean"], entry["deviation"]
    if abs(mean) < 1e4:
        return f"{mean:.3f} ± {deviation:.3f}"
    return f"{readable(mean, 4)} ± {readable(deviation, 2)}"


def _what_matters(card: dict[str, Any]) -> list[str]:
    used = [entry for entry in card["importances"] if entry["share"] >= _USED]
    entries = used[:_SHOWN]
    rows = [
        [entry["column"], f"{100 * entry['share']:.0f} %", f"{leads_to(entry)}{' *' * opposite(entry)}"]
        for entry in entries
    ]
    lines = _table(["What matters", "share", "more of it, or this value, leads to"], rows, right=(1,))
    others, unused = len(used) - len(entries), len(card["importances"]) - len(used)
    rest = sum(entry["share"] for entry in used[_SHOWN:])
    lines += [f"  {count(others, 'other')} together {100 * rest:.0f} %"] if others else []
    lines += [f"  {count(unused, 'other column')} hardly matter{'s' * (unused == 1)} to this map"] if unused else []
    lines.append(_paragraph("All of this is with the rest of the row unchanged. It need not be a cause."))
    if any(map(opposite, entries)):
        text = "* Alone, without looking at the other columns, more of it goes with the opposite."
        lines.append(_paragraph(text))
    return lines


def _effects(card: dict[str, Any]) -> list[str]:
    """Return the mean effects on a value, or on the probability of the last or highest class, by importance."""
    entries = card.get("effects", [])
    output = entries[-1]["output"] if entries else ""
    if has_order(card):
        output = card["target"]["order"][-1]
    of_column = {entry["column"]: entry for entry in entries if entry["output"] == output}
    used = [entry["column"] for entry in card["importances"] if entry["share"] >= _USED]
    known = [of_column[name] for name in used if name in of_column][:_SHOWN]
    if not known:
        return []
    scale = 100.0 if card["classes"] else 1.0
    rows = [
        [entry["column"], *(readable(scale * entry[name], 2, "+") for name in ("effect", "low", "high"))]
        for entry in known
    ]
    on = "Mean effect of one unit more"
    if card["classes"]:
        on = f"{on}, in points of the probability of {short(output)}"
    note = "With 90 % confidence, the mean effect is between these ends; if their signs differ, it may be none."
    return [*_table([on, "", "from", "to"], rows), _paragraph(note)]


def _rules(card: dict[str, Any]) -> list[str]:
    rules = card.get("rules", [])
    if not rules:
        return []
    lines = [
        fill(_rule(entry, card), _WIDTH, initial_indent="  ", subsequent_indent="    ") for entry in rules[:_SHOWN]
    ]
    return ["Rules, the strongest first", *lines] + [f"  and {len(rules) - _SHOWN:,} more"] * (len(rules) > _SHOWN)


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
    return f" makes {match[2]} {'more' if match[1] == 'raises' else 'less'} likely"


def _edits(card: dict[str, Any]) -> list[str]:
    """Return the trail of changes made by hand."""
    if "edits" not in card:
        return []
    edits = card["edits"]
    who = f" by {edits['by']}" * bool(edits["by"]) + f" on {edits['day']}" * bool(edits["day"])
    reason = [_paragraph(f"Reason: {edits['reason']}")] if edits["reason"] else []
    lines = [_paragraph(text_of(sentence)) for sentence in edit_sentences(card)]
    return [f"Changed by hand{who}", *reason, *lines]


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


def _paragraph(text: str) -> str:
    return fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")


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
