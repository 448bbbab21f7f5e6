"""What the scripts beside it share: summaries of ``results/``, and numbers and tables as text."""

import json
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


@cache
def summary(name):
    """Return the summary of a folder of results."""
    return json.loads((ROOT / "results" / name / "summary.json").read_text(encoding="utf-8"))


def number(value, digits=3):
    """Return a number as text; empty for None."""
    return "" if value is None else f"{value:.{digits}f}"


def nth(place):
    """Return a place, counted from 0, as a word."""
    return _PLACES[place] if place < len(_PLACES) else f"{place + 1}th"


def markdown(header, rows, n_text=1):
    """Return a Markdown table; the first `n_text` columns are text, the others right-aligned numbers."""
    return aligned_table(header, rows, [place >= n_text for place in range(len(header))])


def aligned_table(header, rows, to_right):
    """Return a Markdown table, given for each column whether it is aligned to the right."""
    lines = [header, ["---:" if right else "---" for right in to_right], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
