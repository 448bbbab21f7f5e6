"""Numbers for people: thousands separators, few digits, no exponents of programs."""

import math
from decimal import ROUND_HALF_UP, Decimal

_GROUPED = 10_000  # separators from here on: 2024 may be a year
_LARGEST, _SMALLEST = 1e15, 1e-9


def readable(value: float, digits: int = 3, sign: str = "", grouped: float = _GROUPED) -> str:
    """Format a number with a few significant digits.

    Parameters
    ----------
    value : float
        Number to format.
    digits : int, default=3
        Significant digits. Digits before the decimal point are never rounded away.
    sign : {"", "+"}, default=""
        "+" writes the sign of positive numbers too.
    grouped : float, default=10_000
        Size from which thousands are separated; 1,000 for what cannot be a year.

    Returns
    -------
    str

    Examples
    --------
    >>> readable(15750.4), readable(2024), readable(0.000123456), readable(-0.0)
    ('15,750', '2024', '0.000123', '0')
    >>> readable(3.2e20), readable(0.5, sign="+")
    ('3.2·10^20', '+0.5')
    """
    if not math.isfinite(value):
        return "unknown" if math.isnan(value) else f"{value:{sign}}"
    if value == 0.0:
        return "0"
    size = abs(value)
    if size >= _LARGEST or size < _SMALLEST:
        mantissa, exponent = f"{value:{sign}.{digits - 1}e}".split("e")
        return f"{_trimmed(mantissa)}·10^{int(exponent)}"
    decimals = max(digits - 1 - math.floor(math.log10(size)), 0)
    text = f"{value:{sign},.{decimals}f}" if size >= grouped else f"{value:{sign}.{decimals}f}"
    return _trimmed(text)


def of_hundred(share: float) -> str:
    """Format a share as a number of 100 rows; shares near 0 and 1 keep decimals, so that few are rounded to these.

    Examples
    --------
    >>> of_hundred(0.748), of_hundred(0.996), of_hundred(0.99982), of_hundred(1.0)
    ('75', '99.6', '99.98', '100')
    >>> of_hundred(0.945)  # half up, as on the page
    '95'
    """
    decimals = 1 if 0.99 < share < 1.0 or 0.0 < share < 0.01 else 0
    while 0 < decimals < 4 and round(100.0 * share, decimals) in (0.0, 100.0):
        decimals += 1
    return _trimmed(str(Decimal(100.0 * share).quantize(Decimal(10) ** -decimals, ROUND_HALF_UP)))


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
