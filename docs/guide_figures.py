"""Figures of the guides: size and signs of maps, and tables that `benchmarks.record` keeps in ``results/guides``."""

import json
import re
from functools import cache

from figure_text import ROOT, aligned_table, number, summary


def markdown(header, rows):
    """Return a Markdown table; columns of numbers are right-aligned, but for the first."""
    columns = list(zip(*rows, strict=True))[1:]
    numbers = [all(re.fullmatch(r"\**[-+]?[\d.,]*(e-?\d+)?%?\**", cell) for cell in column) for column in columns]
    return aligned_table(header, rows, [False, *numbers])


# --- size and signs of maps

_READABILITY = {"confirmed on": "classes", "the paper's": "the paper's", "values, confirmed on": "values"}


def readability_table():
    """Return accuracy, signs and agreement of seeds of full maps, with both priors."""
    rows = []
    for group, title in _READABILITY.items():
        entry = summary("readability")["groups"][group]
        for method, prior in (("structure='full', prior=None", "None"), ("structure='full'", '"memory"')):
            row = entry["methods"][method]
            cells = [number(row[measure], 4) for measure in ("accuracy", "log loss")]
            cells += [number(row[measure]) for measure in ("signs", "strongest", "seeds", "worst")]
            rows.append([f"{title}, {len(entry['tables'])} tables, `prior={prior}`", *cells])
    head = ["accuracy or R²", "loss", "signs agree", "strongest arrow", "weights of two seeds", "worst table"]
    return markdown(["", *head], rows)


_SIZES = {
    "structure='auto'": "**small map (default)**", "structure='full'": "**full map**", "linear model": "linear model",
    "random forest": "random forest", "histogram boosting": "histogram boosting",
}  # fmt: skip


def readability_sizes():
    """Return accuracy beside the size of maps and rivals, for each group of tables."""
    rows = []
    for group, title in _READABILITY.items():
        entry = summary("readability")["groups"][group]
        for method, name in _SIZES.items():
            row = entry["methods"].get(method)
            if row is not None:  # a method that was not run
                cells = [number(row["accuracy"], 4), number(row["arrows"], 0)]
                cells += [number(row[measure], 2) for measure in ("named", "signs", "same arrows")]
                rows.append([f"{title}, {len(entry['tables'])} tables: {name}", *cells])
    head = [
        "accuracy or R²",
        "arrows, median",
        "tables with all concepts named",
        "signs agree",
        "arrows two seeds share",
    ]
    return markdown(["", *head], rows)


# --- tables of benchmarks in guides


@cache
def recorded(name):
    """Return the tables and sentences that were kept of a benchmark."""
    return json.loads((ROOT / "results" / "guides" / f"{name}.json").read_text(encoding="utf-8"))


def guide_table(name, title):
    """Return a table that a benchmark printed."""
    tables = recorded(name)["tables"]
    if title not in tables:
        raise KeyError(f"results/guides/{name}.json has no table {title!r}; it has {list(tables)}.")
    return markdown(tables[title]["header"], tables[title]["rows"])


def sentences():
    """Return the sentences with measured figures that were kept of benchmarks."""
    files = sorted((ROOT / "results" / "guides").glob("*.json"))
    return [entry["text"] for path in files for entry in recorded(path.stem)["sentences"]]


BLOCKS = {"readability": readability_table, "readability sizes": readability_sizes}
