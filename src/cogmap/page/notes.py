"""What a page says about itself: which rows, columns and concepts it leaves out."""

from typing import Any

from cogmap._map_text import short
from cogmap.page.opening import Opened
from cogmap.page.texts import few


def notes_of(opened: Opened, columns: list[dict[str, Any]], n_shown: int, left_out: int) -> list[str]:
    """Return a sentence for each thing that a reader would miss."""
    notes = []
    n_rows = 0 if opened.table is None else len(opened.table)
    if n_shown < n_rows:
        share = "class" if opened.model is not None and hasattr(opened.model.link, "classes") else "part of the range"
        notes.append(f"{n_shown:,} of {n_rows:,} rows are shown, in which every {share} has its share.")
    if left_out:
        n_concepts = opened.fcm.n_concepts
        notes.append(
            f"The picture leaves out {left_out:,} of {n_concepts:,} concepts, those with the weakest influences. "
            "They are computed with all the same."
        )
    constant = [column["name"] for column in columns if "low" in column and column["low"] == column["high"]]
    if constant:
        notes.append(f"Always the same in training, so that nothing is known of other values: {few(constant)}.")
    unused = {} if opened.preparer is None else opened.preparer.left_out_
    if unused:
        reasons = [f"{short(name)} ({reason})" for name, reason in unused.items()]
        notes.append(f"Columns of the table that the map does not use: {few(reasons)}.")
    return [*notes, *opened.notes]
