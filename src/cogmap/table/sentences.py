"""What a card says in sentences, by stated rules.

A sentence is a list of strings and figures. A figure is a number of the card as text, with its place in the card as a
JSON pointer ("/scores/this map/accuracy/mean"), so that every number that is shown can be looked up and recomputed.

The rules: a difference between methods counts if it differs from 0 over the folds by Student's t-test at the 5 % level,
and in an accuracy if it is one of at least 6 rows, fewer than which may be chance by the exact test of McNemar. One
column almost gives the answer away if it has at least 70 % of the importance and the map is nearly always right: an
R² of at least 0.95, or an accuracy of at least 0.95 with at most a quarter of the errors of guessing. Two of at least
eight columns may do so if they have at least 85 % together.
"""

import math
import re
from typing import Any, NamedTuple

from scipy.stats import t as student

from cogmap._utils.numbers import of_hundred, readable
from cogmap.maps._text import short

THE_MAP, FOREST = "this map", "random forest"
_CHANCE = 0.05  # level of the test that a difference over the folds is not chance
_FEWEST = 6  # rows by which accuracies differ: the exact test of McNemar has a level of 0.03 for 6 to 0, 0.06 for 5
_GROUPED = 1000.0  # separators of thousands in amounts
GIVEN_AWAY, NEARLY_ALWAYS, FEW_ERRORS = 0.7, 0.95, 0.25
_BY_TWO, _OF_COLUMNS = 0.85, 8  # of few columns, two of the most important always have most of the importance
_UNRELIABLE = "Do not rely on what it says"
_SMALL = 0.03  # of a score: differences that are no larger and may be chance are not worth a word
OPPOSITE = 0.05  # correlations of this size count


class Figure(NamedTuple):
    """A number of a card as text, and its place in the card."""

    key: str
    text: str


Sentence = list[str | Figure]


def text_of(sentence: Sentence) -> str:
    """Return a sentence as text."""
    return "".join(part.text if isinstance(part, Figure) else part for part in sentence)


def pointer(*steps: object) -> str:
    """Return the JSON pointer to a place in the card."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def amount(value: float, unit: str = "", digits: int = 3) -> str:
    """Format a value of the target with its unit."""
    return f"{readable(value, digits, grouped=_GROUPED)} {unit}".rstrip()


def percent(share: float, decimals: int = 1) -> str:
    """Format a probability; one near 0 or 1 is never rounded to certainty.

    Examples
    --------
    >>> percent(0.738), percent(0.99996), percent(0.0)
    ('73.8 %', 'over 99.9 %', '0.0 %')
    """
    nearly, hardly = 1.0 - 10.0 ** -(decimals + 2), 10.0 ** -(decimals + 2)
    if nearly < share < 1.0:
        return f"over {100.0 * nearly:.{decimals}f} %"
    return f"under {100.0 * hardly:.{decimals}f} %" if 0.0 < share < hardly else f"{100.0 * share:.{decimals}f} %"


def points(difference: float) -> str:
    """Format a difference of probabilities in percentage points.

    Examples
    --------
    >>> points(0.0561), points(-0.3), points(-0.0000001)
    ('+5.6 points', '-30.0 points', '0.0 points')
    """
    rounded = round(100.0 * difference, 1)
    return f"{rounded:+.1f} points" if rounded else "0.0 points"


def decimals_of(card: dict[str, Any], largest: float) -> int:
    """Return the decimals of predicted values: a tenth of the typical error, or four digits of the largest value."""
    unit = card.get("errors", {}).get("median") or 0.0
    unit = unit / 10.0 if unit else abs(largest) / 1000.0
    return min(max(math.ceil(-math.log10(unit)), 0), 9) if unit > 0.0 else 3


def value_words(value: float, decimals: int, unit: str = "", sign: str = "") -> str:
    """Format a predicted value, or a difference of two, with given decimals and the unit of the target."""
    rounded = round(value, decimals)
    if not rounded:
        sign, rounded = "", 0.0
    return f"{rounded:{sign},.{decimals}f} {unit}".rstrip()


def class_name(label: str) -> str:
    """Return a class as a sentence names it: a number alone would read as an amount."""
    return f"class {label}" if re.fullmatch(r"[-+]?[\d.]*", label) else short(label)


def guessing(card: dict[str, Any]) -> str:
    """Return the name of the method that ignores the columns."""
    return "the most frequent class" if card["classes"] else "the mean"


def main_measure(card: dict[str, Any]) -> str:
    """Return the measure that sentences use."""
    return "accuracy" if card["classes"] else "mean absolute error"


def quality(card: dict[str, Any]) -> list[Sentence]:
    """Return how good the map is on rows it has not learned from; nothing if the card has no scores."""
    if "scores" not in card:
        return []
    sentences = [_right(card), _against_guessing(card), _against_forest(card), _given_away(card)]
    return [sentence for sentence in sentences if sentence]


def brief(card: dict[str, Any]) -> Sentence:
    """Return the quality in half a sentence, for titles."""
    if "scores" not in card:
        return []
    figures = [_figure(card, method) for method in (THE_MAP, guessing(card))]
    if card["classes"]:
        return [figures[0], " of 100 right on new rows; guessing ", figures[1]]
    return ["off by ", figures[0], " on average on new rows; guessing ", figures[1]]


def _figure(card: dict[str, Any], method: str) -> Figure:
    """Return the main score of a method: rows of 100, or the mean absolute error with its unit."""
    measure = main_measure(card)
    value = card["scores"][method][measure]["mean"]
    text = of_hundred(value) if card["classes"] else amount(value, card["target"].get("unit", ""))
    return Figure(pointer("scores", method, measure, "mean"), text)


def _right(card: dict[str, Any]) -> Sentence:
    own, guess = _figure(card, THE_MAP), _figure(card, guessing(card))
    if card["classes"]:
        most = _most_frequent(card)
        always = f"Always answering {class_name(most)}" if most else "Always giving the most frequent answer"
        return ["It is right in ", own, f" of 100 new rows. {always} is right in ", guess, " of 100."]
    r2 = card["scores"][THE_MAP]["R²"]["mean"]
    explains = Figure(pointer("scores", THE_MAP, "R²", "mean"), of_hundred(max(r2, 0.0)))
    name = short(card["target"]["name"])
    sentence: Sentence = [
        "Its answers are off by ",
        own,
        " on average on new rows; always answering the mean is off by ",
    ]
    return [*sentence, guess, ". It explains ", explains, f" % of the differences in {name} (R²)."]


def _most_frequent(card: dict[str, Any]) -> str:
    rows = card["target"].get("rows") or {}
    return str(max(rows, key=rows.__getitem__)) if rows else ""


def _gain(card: dict[str, Any], method: str, measure: str) -> tuple[float, bool]:
    """Return by how much the map is better than another method, and whether the difference counts."""
    entry = card["comparisons"][method][measure]
    lower_is_better = measure in ("log loss", "mean absolute error")
    gain = -entry["difference"] if lower_is_better else entry["difference"]
    counts = _counts(gain, entry["error"], len(card["scores"][THE_MAP][measure]["folds"]))
    if measure == "accuracy" and "certainty" in card:
        counts = counts and abs(gain) * sum(group["rows"] for group in card["certainty"]) > _FEWEST - 0.5
    return gain, counts


def _counts(difference: float, error: float, n_folds: int) -> bool:
    """Return whether a difference over the folds, of which `error` is the standard error, is larger than chance."""
    limit = float(student.ppf(1.0 - _CHANCE / 2.0, max(n_folds - 1, 1)))
    return difference != 0.0 and abs(difference) > limit * error


def _against_guessing(card: dict[str, Any]) -> Sentence:
    method = guessing(card)
    if method not in card["comparisons"]:
        return []
    gain, counts = _gain(card, method, main_measure(card))
    if gain > 0.0 and counts:
        return ["That is better than guessing."]
    verdict = "That is NOT better than guessing" if gain <= 0.0 else "That is hardly better than guessing"
    why = "" if gain <= 0.0 else ": the difference may be chance"
    if card["classes"]:
        informed, certain = _gain(card, method, "log loss")
        if informed > 0.0 and certain:
            return [f"{verdict}{why}, but its probabilities tell rows apart (a lower log loss)."]
    return [f"{verdict}{why}. {_UNRELIABLE}, nor on what seems to matter below."]


def warning(card: dict[str, Any]) -> str:
    """Return a warning for beside each answer of a map that does not guess better than without its columns."""
    said = text_of(_against_guessing(card)) if "comparisons" in card else ""
    if _UNRELIABLE not in said:
        return ""
    how = "not" if "NOT" in said else "hardly"
    return f"On new rows, this map is {how} better than guessing. {_UNRELIABLE}."


def _against_forest(card: dict[str, Any]) -> Sentence:
    if FOREST not in card["comparisons"]:
        return []
    measure = main_measure(card)
    gain, counts = _gain(card, FOREST, measure)
    own, other = _figure(card, THE_MAP), _figure(card, FOREST)
    if not counts:
        verb, of = ("is right in", " of 100") if card["classes"] else ("is off by", "")
        return [f"A {FOREST} {verb} ", other, f"{of}: {_alike(gain, card['scores'][THE_MAP][measure]['mean'])}."]
    which = "better" if gain > 0.0 else "WORSE"
    key = pointer("comparisons", FOREST, measure, "difference")
    if not card["classes"]:
        by = Figure(key, amount(abs(gain), card["target"].get("unit", "")))
        return [f"A {FOREST} is off by ", other, f": this map is {which} than the forest by ", by, "."]
    by = Figure(key, of_hundred(abs(gain)))
    # The difference of rounded numbers may not be the rounded difference.
    about = "" if abs(float(own.text) - float(other.text)) == float(by.text) else "about "
    forest: Sentence = [f"A {FOREST} is right in ", other, " of 100"]
    return [*forest, f": this map is {which} than the forest by {about}", by, " of 100."]


def _alike(difference: float, value: float) -> str:
    """Return words for a difference between methods that may be chance."""
    return "about the same" if abs(difference) < _SMALL * abs(value) else "the difference may be chance"


def _given_away(card: dict[str, Any]) -> Sentence:
    if len(card["importances"]) < 2:
        return []
    first = card["importances"][0]
    share = Figure(pointer("importances", 0, "share"), of_hundred(first["share"]))
    if card["classes"]:
        own, guess = (card["scores"][method]["accuracy"]["mean"] for method in (THE_MAP, guessing(card)))
        nearly = own >= NEARLY_ALWAYS and 1.0 - own <= FEW_ERRORS * (1.0 - guess)
    else:
        nearly = card["scores"][THE_MAP]["R²"]["mean"] >= NEARLY_ALWAYS
    second = card["importances"][1]
    by_two = len(card["importances"]) >= _OF_COLUMNS and first["share"] + second["share"] >= _BY_TWO
    if nearly and first["share"] < GIVEN_AWAY and by_two:
        other = Figure(pointer("importances", 1, "share"), of_hundred(second["share"]))
        two: Sentence = [f"Two columns together may give the answer away: {short(first['column'])} has ", share]
        two += [f" % of the importance and {short(second['column'])} ", other, " %. Are they known before "]
        return [*two, "the answer is? If not, leave them out (--drop)."]
    if first["share"] < GIVEN_AWAY or not nearly:
        no_sign = "There is no sign that one column gives the answer away"
        return [f"{no_sign}: the most important, {short(first['column'])}, has ", share, " % of the importance."]
    return [
        f"One column almost gives the answer away: {short(first['column'])} has ",
        share,
        " % of the importance. Is it known before the answer is? If not, leave it out (--drop).",
    ]


def sure_sentences(card: dict[str, Any]) -> list[Sentence]:
    """Return what is known of the answers to single rows: errors, sets or intervals, and unusual rows."""
    sentences, unit = list[Sentence](), card["target"].get("unit", "")
    if errors := card.get("errors"):
        half, most = (Figure(pointer("errors", name), amount(errors[name], unit)) for name in ("median", "90 %"))
        said: Sentence = ["On new rows, half of the answers were off by less than ", half]
        sentences.append([*said, ", nine of ten by less than ", most, "."])
    if "certainty" in card:
        sentences.append(["A new row of such a probability is answered right about as often as those of its line."])
    if sets := card.get("sets"):
        level, single = (Figure(pointer("sets", name), of_hundred(sets[name])) for name in ("level", "single"))
        # Sets contain the true class for this share of all rows, not of those for which they have one class.
        said = ["To be right in ", level, " of 100 new rows, it needs to name only one class for ", single]
        rest = "." if sets["single"] == 1.0 else ", and several for the others."
        sentences.append([*said, f" of 100 rows of the table{rest}"])
    if intervals := card.get("intervals"):
        level = Figure("/intervals/level", of_hundred(intervals["level"]))
        width = Figure("/intervals/width", amount(intervals["width"], unit))
        sentences.append(["With ", level, " % confidence, the truth is in an interval around the answer that is "])
        sentences[-1] += [width, " wide for a middle row."]
    if (unusual := card.get("unusual")) and unusual["count"]:
        sentences.append(_unusual(unusual))
    return sentences


def _unusual(unusual: dict[str, Any]) -> Sentence:
    """Return the rows that are unlike the others."""
    rows = [Figure(pointer("unusual", "rows", place), str(row)) for place, row in enumerate(unusual["rows"])]
    numbers = [part for row in rows for part in (row, ", ")][:-1]
    one = unusual["count"] == 1
    said: Sentence = [Figure("/unusual/count", f"{unusual['count']:,}"), f" row{'' if one else 's'} of the table "]
    said.append(f"{'is' if one else 'are'} unlike the others (far from their mean): row{'' if one else 's'} ")
    more = ", ..." if unusual["count"] > len(rows) else ""
    return [*said, *numbers, f"{more}, counted from the first below the names. An answer about such a row is a guess."]


def edit_sentences(card: dict[str, Any]) -> list[Sentence]:
    """Return what became of the changes made by hand, and what they cost."""
    edits, sentences = card["edits"], list[Sentence]()
    for place, entry in enumerate(edits["arrows"]):
        figures = [
            Figure(pointer("edits", "arrows", place, name), readable(entry[name]))
            for name in ("asked", "was", "learned")
        ]
        arrow = _arrow(entry)
        if entry["asked"] == 0.0:
            sentences.append([f"{arrow}: removed; its weight was ", figures[1], "."])
            continue
        then = f". The data object: they want it {entry['objection']}" if entry["objection"] else ""
        sentences.append(
            [f"{arrow}: weight set to ", figures[0], ", was ", figures[1], ", is now ", figures[2], f"{then}."]
        )
    sentences += [[f"{short(name)}: left out, because it was held."] for name in edits["left out"]]
    sentences += [
        [f"{_arrow(entry)}: not kept, the new map may not have these concepts."] for entry in edits["not kept"]
    ]
    if "cost" in edits:
        cost = edits["cost"]
        n_folds = len(card["scores"][THE_MAP][cost["measure"]]["folds"])
        counts = _counts(cost["difference"], cost["error"], n_folds)
        verdict = "worse" if cost["difference"] > 0.0 else "better"
        if not counts:
            alike = _alike(cost["difference"], cost["without"])
            verdict = alike if alike.startswith("about") else f"{verdict}, but {alike}"
        losses = [Figure(pointer("edits", "cost", name), readable(cost[name])) for name in ("with", "without")]
        sentences.append([f"On new rows, the {cost['measure']} is ", losses[0], " with these changes and ", losses[1]])
        sentences[-1].append(f" without them: {verdict}.")
    return sentences


def _arrow(entry: dict[str, Any]) -> str:
    """Return an arrow by the names of its concepts; a class as it is called elsewhere."""
    target = str(entry["target"])
    label = target.removeprefix("class=")
    return f"{short(str(entry['source']))} -> {short(target) if label == target else class_name(label)}"


def has_order(card: dict[str, Any]) -> bool:
    """Return whether the map has one output for ordered classes, which says how high the class is."""
    return len(card["target"].get("order", ())) > 2


def opposite(entry: dict[str, Any]) -> bool:
    """Return whether a column alone goes with the opposite of what more of it leads to."""
    return "more" in entry and (entry.get("alone") or 0.0) < -OPPOSITE


def leads_to(place: int, entry: dict[str, Any]) -> Sentence:
    """Return where a column leads: "good", or "A14: good" for the strongest value of a category."""
    if "more" not in entry:
        return ["" if "parts" in entry else "hardly either way"]
    more = class_name(entry["more"])
    return [_value(place, entry), f": {more}"] if "value" in entry else [more]


def _value(place: int, entry: dict[str, Any]) -> Figure:
    """Return the strongest value of a column, which may be a number, with its place in the card."""
    return Figure(pointer("importances", place, "value"), short(str(entry["value"])))


def direction(place: int, card: dict[str, Any]) -> Sentence:
    """Return where the column at a place of the importances leads, in words: "more of it makes bad more likely"."""
    entry = card["importances"][place]
    if "more" not in entry:
        return [] if "parts" in entry else ["on average it leads hardly either way"]
    subject: Sentence = ["the value ", _value(place, entry)] if "value" in entry else ["more of it"]
    if card["classes"] and not has_order(card):
        return [*subject, f" makes {class_name(entry['more'])} more likely"]
    return [*subject, f" makes {short(card['target']['name'])} {entry['more']}"]


def words_for(measure: str) -> str:
    """Return what a measure is, for people."""
    return {
        "accuracy": "Accuracy is the share of rows that are answered right.",
        "log loss": "Log loss judges the probabilities: lower is better, 0 is perfect, a confident error costs most.",
        "R²": "R² is the share of the differences between rows that is explained: 1 is perfect, 0 is the mean.",
        "mean absolute error": "The mean absolute error is how far off an answer is on average.",
    }[measure]
