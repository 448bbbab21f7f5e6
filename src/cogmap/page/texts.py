"""Words of the page that are made in Python."""

from collections.abc import Sequence

from cogmap._map_text import short

_NAMED = 5


def few(names: Sequence[str]) -> str:
    """Write some names, and how many more there are."""
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(short(name) for name in names[:_NAMED]) + more
