"""Limits on what a file may make us build: a small file must not fill the memory."""

from cogmap.exceptions import DataError

# Cells, elements, words or weights: as many as a map of 2,000 concepts has weights.
MOST_PARTS = 4_000_000


def check_size(n_parts: int, what: str) -> None:
    """Refuse to build more parts than a map may have."""
    if n_parts > MOST_PARTS:
        raise DataError(f"it has {n_parts:,} {what}, and a map can have {MOST_PARTS:,} at most")
