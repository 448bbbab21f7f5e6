"""The guide of a workshop shows what its commands print."""

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.slow
def test_the_guide_shows_the_output_of_its_commands(tmp_path, monkeypatch):
    """Commands and Python code run one after the other, from three maps to a learned one."""
    specification = importlib.util.spec_from_file_location("run", DOCS / "run.py")
    run = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(run)
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "guide" / "workshop.md").read_text(encoding="utf-8")
    assert run.with_output(text) == text
    assert {path.name for path in tmp_path.iterdir()} >= {"board.html", "merged.json", "learned.html"}
    for picture in ("board", "board_people", "board_scenarios"):
        assert f"pictures/{picture}.png" in text
        assert (DOCS / "pictures" / f"{picture}.png").stat().st_size < 150_000
