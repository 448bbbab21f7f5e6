"""Limits on the size of a map, so that reading a small file cannot exhaust memory."""

from cogmap.exceptions import DataError

# Cells, elements, tokens or weights: a map of 2,000 concepts has this many weights.
MOST_PARTS = 4_000_000


def check_size(n_parts: int, what: str) -> None:
    """Raise if a map would have more than `MOST_PARTS` cells, elements, tokens or weights."""
    if n_parts > MOST_PARTS:
        raise DataError(f"it has {n_parts:,} {what}, and a map can have at most {MOST_PARTS:,}")
