"""Parse weights written as numbers, letters or linguistic terms."""

import math
import re
from collections.abc import Mapping
from types import MappingProxyType

from cogmap._utils.params import check_number, param_error, shown
from cogmap.exceptions import DataError

Cell = str | int | float | bool | None

# Even steps, except for "very low", which would be 0, that is, no influence.
SCALE: Mapping[str, float] = MappingProxyType(
    {"VL": 0.1, "L": 0.25, "ML": 0.375, "M": 0.5, "MH": 0.625, "H": 0.75, "VH": 1.0}
)
# The letters of Mental Modeler.
MENTAL_MODELER_SCALE: Mapping[str, float] = MappingProxyType({"L": 0.25, "M": 0.62, "H": 1.0})

_GRADES = {
    "L": ("low", "weak", "weakly", "small", "slight", "slightly", "minor"),
    "M": ("medium", "moderate", "moderately", "middle", "mid", "average"),
    "H": ("high", "highly", "strong", "strongly", "large", "major"),
}
_SYNONYMS = {word: letter for letter, words in _GRADES.items() for word in words}
_SYNONYMS |= {"very" + word: "V" + letter for word, letter in _SYNONYMS.items() if letter != "M"}
_SYNONYMS |= {"v" + word: "V" + letter for word, letter in _SYNONYMS.items() if letter in "LH"}
_SYNONYMS |= {"mediumlow": "ML", "moderatelylow": "ML", "mediumhigh": "MH", "moderatelyhigh": "MH"}

_NOTHING = {
    "na", "nan", "none", "null", "nil", "no", "zero", "unsure",
    "nocausality", "noeffect", "noinfluence", "norelation", "norelationship", "noedge",
}  # fmt: skip
_DIRECTIONS = {"positive": 1, "positively": 1, "pos": 1, "negative": -1, "negatively": -1, "neg": -1}
_SIGNS = {"": 1, "+": 1, "-": -1, "\N{MINUS SIGN}": -1, "\N{EN DASH}": -1}

_NUMBER = re.compile(r"[+\-\u2212\u2013]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_SIGNED = re.compile(r"([+\-\u2212\u2013]?)\s*(\w.*?)\s*([+\-\u2212\u2013]?)", re.DOTALL)
_BETWEEN = re.compile(r"[\s_,;:/().\-]+")


def as_number(cell: Cell) -> float | None:
    """Convert a number, or a string with a decimal point or comma, to float; return None for anything else."""
    if isinstance(cell, str):
        text = cell.strip()
        if not _NUMBER.fullmatch(text):
            return None
        return float(text.replace(",", ".").replace("\N{MINUS SIGN}", "-").replace("\N{EN DASH}", "-"))
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return None
    try:
        return float(cell)
    except OverflowError:
        return math.inf


def _key(word: str) -> str:
    return "".join(_BETWEEN.split(word.casefold()))


class Scale:
    """Weights of linguistic terms.

    Parameters
    ----------
    weights : mapping
        Weight of each term. In files, a term may have a sign, "positive" or "negative".
    """

    def __init__(self, weights: Mapping[str, float]) -> None:
        has_words = isinstance(weights, Mapping) and all(isinstance(word, str) and _key(word) for word in weights)
        if not has_words or not weights:
            raise param_error("read_map", "scale", "a mapping from words to weights, such as {'weak': 0.2}", weights)
        for word, weight in weights.items():
            check_number("read_map", f"scale[{word!r}]", weight, low=-math.inf)
        self.words = list(weights)
        self._weights = {_key(word): float(weight) for word, weight in weights.items()}

    def weight(self, cell: Cell, direction: Cell = None) -> float | None:
        """Convert a cell to a weight; None if the cell is empty or denotes no influence.

        Parameters
        ----------
        cell : str, number or None
            The cell.
        direction : str, number or None
            Direction from another cell: "positive", "negative", a sign, or a signed number.
        """
        number = as_number(cell)
        if number is None and cell is not None:
            number = self._meaning(cell)
        if number is None or math.isnan(number):
            return None
        if math.isinf(number):
            raise DataError(f"{cell} is not a finite number")
        if direction is None:
            return number
        sign = _direction_sign(direction)
        if sign > 0 > number:
            raise DataError(f"the weight {number:g} is negative, but its direction is {direction!r}")
        return sign * abs(number)

    def _meaning(self, cell: Cell) -> float | None:
        text = str(cell).strip()
        if not text or _key(text) in _NOTHING:
            return None
        match = _SIGNED.fullmatch(text)
        if match and not (match[1] and match[3]) and not isinstance(cell, bool):
            sign = _SIGNS[match[1] or match[3]]
            words = [word for word in _BETWEEN.split(match[2].casefold()) if word]
            directions = [_DIRECTIONS[word] for word in words if word in _DIRECTIONS]
            strength = self._strength("".join(words))
            if strength is None and len(directions) <= 1:
                sign *= directions[0] if directions else 1
                rest = "".join(word for word in words if word not in _DIRECTIONS)
                strength = 1.0 if directions and not rest else self._strength(rest)
            if strength is not None:
                return sign * strength
        raise DataError(
            f"{cell!r} is neither a number nor one of the words {shown(self.words)} with or without a sign; "
            "define other words with scale={'word': weight}"
        )

    def _strength(self, key: str) -> float | None:
        return self._weights.get(key, self._weights.get(_SYNONYMS.get(key, key).casefold()))


def _direction_sign(direction: Cell) -> int:
    """Return 1 for a positive and -1 for a negative direction."""
    number = as_number(direction)
    if number:
        return 1 if number > 0 else -1
    text = str(direction).strip()
    sign = _DIRECTIONS.get(text.casefold(), _SIGNS.get(text) if text else None)
    if sign is None:
        raise DataError(f"the direction {direction!r} is neither 'positive' nor 'negative'")
    return sign


WORDS, LETTERS = Scale(SCALE), Scale(MENTAL_MODELER_SCALE)
