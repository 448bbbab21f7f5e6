"""What a card says in sentences, by stated rules.

A sentence is a list of strings and figures. A figure is a number of the card as text, with its place in the card as a
JSON pointer ("/scores/this map/accuracy/mean"), so that every number that is shown can be looked up and recomputed.

The rules: a difference between methods counts if it is larger than two standard errors over the folds. One column
almost gives the answer away if it has at least 70 % of the importance and the map is nearly always right: an R² of at
least 0.95, or an accuracy of at least 0.95 with at most a quarter of the errors of guessing.
"""

from typing import Any, NamedTuple

from cogmap._utils.numbers import of_hundred, readable
from cogmap.maps._text import short

THE_MAP, FOREST = "this map", "random forest"
STANDARD_ERRORS = 2.0
GIVEN_AWAY, NEARLY_ALWAYS, FEW_ERRORS = 0.7, 0.95, 0.25
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
    return f"{readable(value, digits)} {unit}".rstrip()


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
        guess_class = _most_frequent(card)
        always = f"Always answering {short(guess_class)}" if guess_class else "Always giving the most frequent answer"
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
    return gain, abs(gain) > STANDARD_ERRORS * entry["error"] and gain != 0.0


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
    return [f"{verdict}{why}. Do not rely on what it says, nor on what seems to matter below."]


def _against_forest(card: dict[str, Any]) -> Sentence:
    if FOREST not in card["comparisons"]:
        return []
    measure = main_measure(card)
    gain, counts = _gain(card, FOREST, measure)
    forest: Sentence = [f"A {FOREST} is right in ", _figure(card, FOREST), " of 100"]
    if not card["classes"]:
        forest = [f"A {FOREST} is off by ", _figure(card, FOREST)]
    if not counts:
        return [*forest, ": about the same."]
    unit = card["target"].get("unit", "")
    size = of_hundred(abs(gain)) if card["classes"] else amount(abs(gain), unit)
    by = Figure(pointer("comparisons", FOREST, measure, "difference"), size)
    which = "better" if gain > 0.0 else "WORSE"
    return [*forest, f": this map is {which} than the forest by ", by, " of 100." if card["classes"] else "."]


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
    if first["share"] < GIVEN_AWAY or not nearly:
        no_sign = "There is no sign that one column gives the answer away"
        return [f"{no_sign}: the most important, {short(first['column'])}, has ", share, " % of the importance."]
    return [
        f"One column almost gives the answer away: {short(first['column'])} has ",
        share,
        " % of the importance. Is it known before the answer is? If not, leave it out (--drop).",
    ]


def edit_sentences(card: dict[str, Any]) -> list[Sentence]:
    """Return what became of the changes made by hand, and what they cost."""
    edits, sentences = card["edits"], list[Sentence]()
    for place, entry in enumerate(edits["arrows"]):
        figures = [
            Figure(pointer("edits", "arrows", place, name), readable(entry[name]))
            for name in ("asked", "was", "learned")
        ]
        arrow = f"{short(entry['source'])} -> {short(entry['target'])}"
        if entry["asked"] == 0.0:
            sentences.append([f"{arrow}: removed; it was ", figures[1], "."])
            continue
        then = f". The data object: they want it {entry['objection']}" if entry["objection"] else ""
        sentences.append([f"{arrow}: set to ", figures[0], ", was ", figures[1], ", is ", figures[2], f"{then}."])
    sentences += [[f"{short(name)}: left out, because it was held."] for name in edits["left out"]]
    sentences += [
        [f"{short(entry['source'])} -> {short(entry['target'])}: not kept, the new map may not have these concepts."]
        for entry in edits["not kept"]
    ]
    if "cost" in edits:
        cost = edits["cost"]
        counts = abs(cost["difference"]) > STANDARD_ERRORS * cost["error"]
        verdict = "about the same" if not counts else "worse" if cost["difference"] > 0.0 else "better"
        losses = [Figure(pointer("edits", "cost", name), readable(cost[name])) for name in ("with", "without")]
        sentences.append([f"On new rows, the {cost['measure']} is ", losses[0], " with these changes and ", losses[1]])
        sentences[-1].append(f" without them: {verdict}.")
    return sentences


def has_order(card: dict[str, Any]) -> bool:
    """Return whether the map has one output for ordered classes, which says how high the class is."""
    return len(card["target"].get("order", ())) > 2


def opposite(entry: dict[str, Any]) -> bool:
    """Return whether a column alone goes with the opposite of what more of it leads to."""
    return "more" in entry and (entry.get("alone") or 0.0) < -OPPOSITE


def leads_to(entry: dict[str, Any]) -> str:
    """Return where a column leads: "good", or "A14: good" for the strongest value of a category."""
    if "more" not in entry:
        return ""
    return f"{short(str(entry['value']))}: {short(entry['more'])}" if "value" in entry else short(entry["more"])


def direction(entry: dict[str, Any], card: dict[str, Any]) -> str:
    """Return where a column leads, in words: "more of it makes bad more likely"."""
    if "more" not in entry:
        return ""
    subject = f"the value {short(str(entry['value']))}" if "value" in entry else "more of it"
    if card["classes"] and not has_order(card):
        return f"{subject} makes {short(entry['more'])} more likely"
    return f"{subject} makes {short(card['target']['name'])} {entry['more']}"


def words_for(measure: str) -> str:
    """Return what a measure is, for people."""
    return {
        "accuracy": "Accuracy is the share of rows that are answered right.",
        "log loss": "Log loss judges the probabilities: lower is better, 0 is perfect, a confident error costs most.",
        "R²": "R² is the share of the differences between rows that is explained: 1 is perfect, 0 is the mean.",
        "mean absolute error": "The mean absolute error is how far off an answer is on average.",
    }[measure]
