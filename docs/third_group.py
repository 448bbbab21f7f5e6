"""Figures on tables on which nothing was chosen, which `docs/figures.py` inserts from ``results/third_group``."""

from textwrap import fill

from figure_text import markdown, nth, number, summary

NAMES = {"map": "**small map (default)**", "full map": "**full map**"}
PARTS = ("classification", "regression")
THREE_DIGITS = ("score", "log_loss")


def results(part):
    """Return the summary of a kind of target."""
    return summary("third_group")["groups"]["third"][part]


def table(part):
    """Return ranks among eight methods, mean scores and CPU seconds, best rank first."""
    head = {"rank_score": "mean rank", "score": "accuracy" if part == "classification" else "R²"}
    if part == "classification":
        head |= {"log_loss": "log loss", "rank_log_loss": "rank of log loss"}
    head["fit_seconds"] = "CPU seconds of a fit"
    methods = results(part)["methods"]
    rows = [
        [NAMES.get(name, name), *(number(methods[name].get(key), 3 if key in THREE_DIGITS else 2) for key in head)]
        for name in sorted(methods, key=lambda name: methods[name].get("rank_score", 99.0))
    ]
    return markdown(["", *head.values()], rows)


def _place(part, key):
    """Return the place of the default map among the methods by their mean ranks, as a word."""
    ranks = [row[key] for row in results(part)["methods"].values() if key in row]
    return nth(sum(rank < results(part)["methods"]["map"][key] for rank in ranks))


def sizes():
    """Return how large the default maps of these tables are."""
    sentences = []
    for part, kind in (("classification", "classes"), ("regression", "values")):
        entry, n_tables = results(part)["methods"]["map"], len(results(part)["tables"])
        named = n_tables - len(entry["with_unnamed"])
        large = round(entry["share_over_150"] * n_tables)
        sentences.append(
            f"The default maps of {kind} have {entry['arrows']:.0f} arrows (median), more than 150 on {large} of "
            f"{n_tables} tables; on {named} tables all concepts have names."
        )
    return fill(" ".join(sentences), 120)


def sentence():
    """Return how the default map ranks, for the README."""
    classes, values = (results(part) for part in PARTS)
    n_classes, n_values = len(classes["tables"]), len(values["tables"])
    text = (
        f"On {n_classes} tables of classes and {n_values} of values on which nothing was chosen, the small map is "
        f"{_place('classification', 'rank_score')} of eight methods by mean rank of accuracy and "
        f"{_place('classification', 'rank_log_loss')} by log loss, and {_place('regression', 'rank_score')} by mean "
        "rank of R²"
    )
    return fill(text, 120) + " ([all figures](docs/about/benchmarks.md))."


BLOCKS = {
    "third group classes": lambda: table("classification"),
    "third group values": lambda: table("regression"),
    "third group sizes": sizes,
    "third group": sentence,
}
