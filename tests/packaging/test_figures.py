"""Figures in the README and the docs come from `results/`."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECTIONS = {"3.1", "3.2", "3.3", "3.4", "5.4"}  # of the paper


@pytest.fixture(scope="module")
def figures():
    """Return the script that writes them, as a module."""
    specification = importlib.util.spec_from_file_location("figures", ROOT / "docs" / "figures.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_no_figure_is_stale(figures):
    """Writing every generated block again changes nothing; otherwise run `python docs/figures.py`."""
    for path in figures.files():
        text = path.read_text(encoding="utf-8")
        assert figures.updated(text) == text, path


def test_every_block_is_shown(figures):
    """No table is generated for nobody, and every generated block is closed."""
    texts = [path.read_text(encoding="utf-8") for path in figures.files()]
    assert {name for text in texts for name in figures.names(text)} == set(figures.BLOCKS)
    for text in texts:
        assert text.count("<!-- results: ") == text.count("<!-- end -->") == len(figures.names(text))


def test_a_stale_figure_is_found(figures):
    """A number changed by hand within a block is written anew."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    changed = re.sub(r"\| 0\.\d+ \|", "| 0.999 |", text, count=1)
    assert changed != text
    assert figures.updated(changed) == text


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("README.md", {"3.11"}),  # Python
        ("docs/about/benchmarks.md", set()),
        ("docs/about/reproduction.md", SECTIONS | {"0.001", "0.5"}),  # settings of the paper
    ],
)
def test_pages_of_results_have_no_other_figures(figures, name, known):
    """Outside of generated blocks and examples there are no measured numbers."""
    text = (ROOT / name).read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```", "", figures.without_blocks(text), flags=re.DOTALL)
    assert set(re.findall(r"\d*\.\d+", prose)) == known
