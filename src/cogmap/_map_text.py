"""A map written as text: a table of its weights, or its strongest influences where the table would be too wide."""

import reprlib
import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_MATRIX_SHOWN_UP_TO = 10
_EDGES_SHOWN = 8
_WIDEST = 100  # columns of text


def map_lines(concepts: Sequence[str], weights: NDArray[np.float64], bias: NDArray[np.float64]) -> list[str]:
    """Return the lines that show the weights of a map, none wider than a screen."""
    table = _table(concepts, weights, bias) if len(concepts) <= _MATRIX_SHOWN_UP_TO else []
    return table if table and len(table[0]) <= _WIDEST else _strongest_edges(concepts, weights)


def _table(concepts: Sequence[str], weights: NDArray[np.float64], bias: NDArray[np.float64]) -> list[str]:
    names = [short(name) for name in concepts]
    header = ["influence on", *(f"of {name}" for name in names), "bias"]
    rows = [
        [name, *(_number(weight) for weight in row), _number(of_concept)]
        for name, row, of_concept in zip(names, weights, bias, strict=True)
    ]
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    return [
        row[0].ljust(widths[0])
        + "".join("  " + cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in [header, *rows]
    ]


def _strongest_edges(concepts: Sequence[str], weights: NDArray[np.float64]) -> list[str]:
    strongest = np.argsort(-np.abs(weights), axis=None, kind="stable")[:_EDGES_SHOWN]
    rows, columns = np.unravel_index(strongest, weights.shape)
    lines = [
        f"  {short(concepts[j])} -> {short(concepts[i])}  {_number(weights[i, j], '+')}"
        for i, j in zip(rows, columns, strict=True)
    ]
    return [f"strongest of {weights.size} influences:", *lines]


def short(name: str) -> str:
    """Shorten a long name in the middle, and write it in one line, so that tables stay readable."""
    name = printable(name)
    if len(name) + sum(map(_is_wide, name)) <= 24:
        return name
    return f"{name[:5]}...{name[-6:]}" if any(map(_is_wide, name)) else reprlib.repr(name)[1:-1]


def _is_wide(letter: str) -> bool:
    """Whether a letter takes two columns of text."""
    return unicodedata.east_asian_width(letter) in "WF"


def printable(name: str) -> str:
    """Write a name in one line, whatever is in it."""
    return name if name.isprintable() else repr(name)[1:-1]


def _number(value: float, sign: str = "") -> str:
    """Write a number in few characters."""
    return f"{value:{sign}.2f}" if abs(value) < 1e5 else f"{value:{sign}.2e}"
