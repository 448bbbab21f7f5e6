"""Parse numbers in common notations: digit groups, decimal comma, unit, limit ("<5"), parentheses, time of day."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

# A column of numbers or dates may contain placeholders such as "unknown": at most one per this many numbers.
_NUMBERS_PER_WORD = 10

_CODE = re.compile(r"0\d+", re.ASCII)  # 01067 is a code, not 1067
_LIMIT = re.compile(r"(?:<=?|>=?|[≤≥~])\s*")  # limit of detection: "<5"
_CURRENCIES = "$€£¥"
# A unit after a number: "%", "kg", "km/h", "°C". Not "e", which is an exponent.
_UNIT = re.compile(rf"(?<=[\d.) ])(?:[%‰{_CURRENCIES}]|(?![eE]$)[°µ]?[^\W\d_]{{1,10}}(?:/[^\W\d_]{{1,6}})?[²³]?)$")
_TIME = re.compile(
    r"(?=.)(?:(?P<days>-?\d+) days?,? ?)?(?:(?P<sign>[+-]?)(?P<h>\d+):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d(?:\.\d+)?))?)?",
    re.ASCII,
)


@dataclass(frozen=True)
class NumberStyle:
    """Notation of the numbers of a column.

    Attributes
    ----------
    decimal : {".", ",", ":"}
        Decimal mark; ":" means times and durations such as 08:15, which are converted to hours.
    unit : str
        Unit of some or all numbers.
    """

    decimal: str = "."
    unit: str = ""

    def parse(self, text: str) -> float | None:
        """Convert a string to a number, or None if it is not a number; "<5" is read as 5, and "(5)" as -5."""
        if self.decimal != "," and "_" not in text:
            try:
                return float(text)
            except ValueError:
                pass
        text = _LIMIT.sub("", text, count=1) if text[:1] in "<>≤≥~" else text
        if text.startswith("(") and text.endswith(")") and text[1:2] not in "+-(":
            positive = self.parse(text[1:-1])
            return None if positive is None else -positive
        text = text.replace(self.unit, "", 1).strip() if self.unit else text
        if self.decimal == ":":
            return _hours(text)
        if not _PATTERNS[self.decimal].fullmatch(text):
            return None
        grouping = str.maketrans("", "", "., '\u00a0\u202f\u2019".replace(self.decimal, ""))
        return float(text.translate(grouping).replace(self.decimal, "."))


def _hours(text: str) -> float | None:
    """Convert a time or duration to hours; None if it cannot be parsed."""
    match = _TIME.fullmatch(text)
    if not match:
        return None
    days, hours, minutes, seconds = (float(match[part] or 0) for part in ("days", "h", "m", "s"))
    time = hours + minutes / 60 + seconds / 3600
    return 24 * days + (-time if match["sign"] == "-" else time)


def _pattern(decimal: str) -> re.Pattern[str]:
    """Compile the pattern of numbers with a decimal mark."""
    point, other = re.escape(decimal), re.escape("," if decimal == "." else ".")
    grouped = rf"[1-9]\d{{0,2}}(?P<group>[{other} '\u00a0\u202f\u2019])\d{{3}}(?:(?P=group)\d{{3}})*"
    return re.compile(rf"[+-]?(?:(?:{grouped}|\d+)(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?", re.ASCII)


_PATTERNS = {decimal: _pattern(decimal) for decimal in ".,"}


def is_code(text: str) -> bool:
    """Return whether a string consists of digits with a leading zero, like a postal code."""
    return _CODE.fullmatch(text) is not None


def number_styles(texts: Sequence[str], asked: bool = False) -> list[NumberStyle]:
    """Return the number formats that can parse a column.

    The list is empty if the strings are not numbers. If a decimal point and a decimal comma are both possible and give
    different numbers, as for "1.234", it has both formats, the one with the point first. If `asked` is True, the user
    has declared a column of numbers: codes with leading zeros, censored values such as "<0.5", and any number of
    unparsable strings are accepted.
    """
    if not asked and any(map(_CODE.fullmatch, texts)):
        return []
    unit_of = {text: unit for text in texts if (unit := _unit_of(text))}
    unit = Counter(unit_of.values()).most_common(1)[0][0] if unit_of else ""
    styles, clock = [NumberStyle(decimal, unit) for decimal in ".,"], NumberStyle(":", "h")
    few = texts[:: len(texts) // 1000 + 1]  # a sample is enough to rule out free text
    n_few = sum(any(style.parse(text) is not None for style in (*styles, clock)) for text in few)
    if not asked and 2 * n_few < len(few):
        return []
    # Numbers in another unit are not placeholders for missing values.
    others = [(text, other) for text, other in unit_of.items() if other != unit]
    if any(NumberStyle(decimal, other).parse(text) is not None for text, other in others for decimal in ".,"):
        return []
    numbers = [[style.parse(text) for text in texts] for style in styles]
    understood = [len(texts) - of_style.count(None) for of_style in numbers]
    best = max(understood)
    if not mostly(best, len(texts)):
        n_times = sum(clock.parse(text) is not None for text in texts)
        if mostly(n_times, len(texts)) or (asked and n_times > best):
            return [clock]
        if not asked or not best:
            return []
    # A column of numbers may have a few censored values such as "<0.5"; a column of "<=50K" and ">50K" is a category.
    if not asked and 3 * sum(text[:1] in "<>≤≥~" for text in texts) > best:
        return []
    fitting = [style for style, count in zip(styles, understood, strict=True) if count == best]
    return fitting[:1] if numbers[0] == numbers[1] else fitting


def _unit_of(text: str) -> str:
    """Return the unit or currency of a number; an empty string if it has none."""
    if text[-1:].isdigit():
        return next((sign for sign in _CURRENCIES if sign in text[:3]), "")
    match = _UNIT.search(text.removesuffix(")"))
    return match[0] if match else ""


def mostly(n_understood: int, n: int) -> bool:
    """Return whether enough of `n` distinct values can be parsed for the others to count as missing.

    The others are then placeholders such as "unknown".
    """
    return n_understood > 0 and (n - n_understood) * _NUMBERS_PER_WORD <= n_understood
