"""Base classes of explanation results, with their conversion to data frames, JSON and text."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from html import escape
from typing import Any, ClassVar

import numpy as np

from cogmap._utils.numbers import readable
from cogmap._utils.optional import import_or_raise
from cogmap.maps._text import aligned, short

LINES_SHOWN = 10  # rows of a table in `repr`
_MAX_WIDTH = 100  # characters per line
_FEWER = 100.0  # numbers of this size have less than four decimals


class Answer:
    """Mixin for frozen dataclasses of numbers, names and other answers. Fields that start with "_" are not exported."""

    def to_dict(self) -> dict[str, Any]:
        """Return all public fields as lists, numbers and strings.

        Returns
        -------
        dict
            Public fields, by name; arrays become lists.

        Examples
        --------
        >>> from cogmap import FuzzyCognitiveMap, to_rules
        >>> to_rules(FuzzyCognitiveMap.from_edges([("rain", "harvest", 0.8)])).to_dict()["sentences"]
        ['rain raises harvest (strongly)']
        """
        names = [field.name for field in fields(self) if not field.name.startswith("_")]  # type: ignore[arg-type]
        return {name: _plain(getattr(self, name)) for name in names}

    def to_json(self) -> str:
        """Return all public fields as JSON; NaN and infinity become null.

        Returns
        -------
        str
            The dict of `to_dict` as JSON.

        Examples
        --------
        >>> from cogmap import FuzzyCognitiveMap, to_rules
        >>> to_rules(FuzzyCognitiveMap.from_edges([("rain", "harvest", 0.8)])).to_json()[:48]
        '{"sentences": ["rain raises harvest (strongly)"]'
        """
        return json.dumps(self.to_dict(), allow_nan=False)


Block = str | tuple[Sequence[str], Sequence[Sequence[str]]]  # a sentence, or the header and the rows of a table


class Drawn(Answer):
    """Mixin for answers that have a plot, and are shown as text and, in notebooks, as HTML."""

    _picture: ClassVar[str]  # name of the function in cogmap.plotting

    def _blocks(self) -> list[Block]:
        """Return the answer as sentences and tables."""
        raise NotImplementedError

    def __repr__(self) -> str:
        lines = [[block] if isinstance(block, str) else text_table(*block) for block in self._blocks()]
        return "\n".join(line for of_block in lines for line in of_block)

    def _repr_html_(self) -> str:
        return "".join(_html(block) for block in self._blocks())

    def plot(self, **options: Any) -> Any:
        """Plot the answer with the matching function of `cogmap.plotting`.

        Parameters
        ----------
        **options
            Keyword arguments of that function, such as `ax`.

        Returns
        -------
        matplotlib.axes.Axes
            The axes of the plot.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from cogmap import FCMClassifier, influence
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y)
        >>> axes = influence(fcm, X).plot()
        >>> axes.figure.savefig("influence.png")  # doctest: +SKIP
        """
        from cogmap import plotting

        return getattr(plotting, self._picture)(self, **options)


def _html(block: Block) -> str:
    """Return a sentence or a table as HTML."""
    if isinstance(block, str):
        return f"<p>{escape(block)}</p>"
    header, rows = block
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"


def frame(owner: str, columns: Mapping[str, Any]) -> Any:
    """Return the columns as a pandas data frame."""
    return import_or_raise("pandas", f"{owner}.to_frame", "table").DataFrame(dict(columns))


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Format a table as lines of at most 100 characters, dropping the last columns if they do not fit."""
    cells = [[short(cell) for cell in row] for row in [header, *rows]]
    widths = [max(map(len, column)) + 2 for column in zip(*cells, strict=True)]
    fitting = max(int(np.searchsorted(np.cumsum(widths), _MAX_WIDTH + 2, side="right")), 1)
    return [line[:_MAX_WIDTH].rstrip() for line in aligned([row[:fitting] for row in cells])]


def number(value: float, sign: str = "") -> str:
    """Format a number with four decimals, or with fewer and separators if it is large.

    Examples
    --------
    >>> number(0.5), number(-936.7278), number(7174.248, "+"), number(33251.3)
    ('0.5000', '-936.73', '+7174.2', '33,251')
    """
    return f"{value:{sign}.4f}" if abs(value) < _FEWER else readable(value, 5, sign)


def value_text(value: Any, digits: int = 5, unit: str = "") -> str:
    """Format the value of a feature, or of a column of a raw table, with its unit unless it is missing.

    Examples
    --------
    >>> value_text(12.5, unit="km"), value_text("red"), value_text(None, unit="km")
    ('12.5 km', 'red', 'missing')
    """
    if value is None:
        return "missing"
    return f"{value if isinstance(value, str) else readable(float(value), digits)} {unit}".rstrip()


def _plain(value: Any) -> Any:
    """Return a value as JSON types."""
    if isinstance(value, Answer):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if hasattr(value, "to_numpy"):  # a data frame
        return _plain(value.to_numpy())
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int) else str(value)
