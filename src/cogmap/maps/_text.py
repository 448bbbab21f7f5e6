"""Text tables of maps and concepts that fit on a screen."""

import reprlib
import unicodedata
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

_MATRIX_SHOWN_UP_TO = 10
_EDGES_SHOWN = 8
_ROWS_SHOWN = 24
_WIDEST = 100  # columns of text


def map_lines(concepts: Sequence[str], weights: NDArray[np.float64], bias: NDArray[np.float64]) -> list[str]:
    """Return the weight matrix as lines of text, or the strongest edges if it is too wide."""
    table = _table(concepts, weights, bias) if len(concepts) <= _MATRIX_SHOWN_UP_TO else []
    return table if table and len(table[0]) <= _WIDEST else _strongest_edges(concepts, weights)


def _table(concepts: Sequence[str], weights: NDArray[np.float64], bias: NDArray[np.float64]) -> list[str]:
    names = [short(name) for name in concepts]
    header = ["influence on", *(f"of {name}" for name in names), "bias"]
    rows = [
        [name, *(number(weight) for weight in row), number(of_concept)]
        for name, row, of_concept in zip(names, weights, bias, strict=True)
    ]
    return aligned([header, *rows])


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return one line per row, with the first column left-aligned and the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        row[0].ljust(widths[0])
        + "".join("  " + cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in rows
    ]


def concept_lines(
    concepts: Sequence[str], columns: Mapping[str, Sequence[str]], order: Sequence[int] | None = None
) -> list[str]:
    """Return a table with one row per concept, truncated to the first ones in `order` if there are too many."""
    order = range(len(concepts)) if order is None else order
    shown_rows = order if len(order) <= _ROWS_SHOWN else order[: _ROWS_SHOWN - 1]
    rows = [[short(concepts[i]), *(column[i] for column in columns.values())] for i in shown_rows]
    lines = [line.rstrip() for line in aligned([["", *map(short, columns)], *rows])]
    return lines + [f"... and {len(order) - len(rows)} more"] * (len(rows) < len(order))


def count(number: int, noun: str) -> str:
    """Return "1 edge", "2 edges", ... for a number and a noun."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def clamp_text(clamp: Mapping[str, float]) -> str:
    """Return clamped states as text, such as "rainfall = 1, fishing = 0"."""
    return ", ".join(f"{short(concept)} = {state:g}" for concept, state in clamp.items()) or "nothing"


def _strongest_edges(concepts: Sequence[str], weights: NDArray[np.float64]) -> list[str]:
    strongest = np.argsort(-np.abs(weights), axis=None, kind="stable")[:_EDGES_SHOWN]
    rows, columns = np.unravel_index(strongest, weights.shape)
    lines = [
        f"  {short(concepts[j])} -> {short(concepts[i])}  {number(weights[i, j], '+')}"
        for i, j in zip(rows, columns, strict=True)
    ]
    return [f"strongest of {weights.size} influences:", *lines]


def slope_text(slope: float | NDArray[np.float64]) -> str:
    """Return one slope, or the range of several, as text."""
    return f"slope {slope:g}" if isinstance(slope, float) else f"slopes {slope.min():.3g} to {slope.max():.3g}"


def short(name: str) -> str:
    """Return a name on one line, shortened in the middle if it is long."""
    name = printable(name)
    if len(name) + sum(map(_is_wide, name)) <= 24:
        return name
    return f"{name[:5]}...{name[-6:]}" if any(map(_is_wide, name)) else reprlib.repr(name)[1:-1]


def _is_wide(letter: str) -> bool:
    """Return whether a character takes two columns of text."""
    return unicodedata.east_asian_width(letter) in "WF"


def printable(name: str) -> str:
    """Return a name on one line, with unprintable characters escaped."""
    return name if name.isprintable() else repr(name)[1:-1]


def number(value: float, sign: str = "", digits: int = 2) -> str:
    """Return a number as short text."""
    return f"{value:{sign}.{digits}f}" if abs(value) < 1e5 else f"{value:{sign}.{digits}e}"
