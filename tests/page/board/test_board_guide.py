"""The guide of a workshop shows what its commands print."""

from pathlib import Path

import pytest

import run

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.slow
def test_the_guide_shows_the_output_of_its_commands():
    """Commands and Python code run one after the other, from three maps to a learned one."""
    text = (DOCS / "guide" / "workshop.md").read_text(encoding="utf-8")
    printed = run.with_output(text)
    assert run.differences(text, printed) == []
    assert run.stale_numbers(text, printed) == []
    for picture in ("board", "board_people", "board_scenarios"):
        assert f"pictures/{picture}.png" in text
        assert (DOCS / "pictures" / f"{picture}.png").stat().st_size < 150_000
