"""Figures in the README and the docs come from `results/`."""

import re
from pathlib import Path

import figures

ROOT = Path(__file__).parents[2]
RECORD = "docs/about/defaults.md"  # experiments in the order in which they were made, with the code of their time
FIGURE = re.compile(r"""
    (?<![\w.,])(?:\d[\d,]*)?\.\d+(?![\w.]*\d)   # a decimal number
    | (?<![\w.,])\d[\d,]*(?:\.\d+)?\ (?:%|µs|ms|s|kB|MB|GB|seconds?|minutes?|times|kilobytes|megabytes|of\ \d+)(?!\w)
    | (?<=\|\ )\d[\d,]*(?=\ \|)                # a number alone in the cell of a table
""", re.VERBOSE)  # fmt: skip
# Numbers that were not measured: settings, limits, versions, sections of the paper, examples computed by hand.
SETTINGS = {
    "README.md": {"3.11"},
    "docs/about/family.md": {"0.002", "0.04", "0.8", "0.98"},
    "docs/about/reproduction.md": {"0.001", "0.5", "20 times", "3.1", "3.2", "3.3", "3.4", "5.4"},
    "docs/coming_from/fcmpy.md": {"0.5"},
    "docs/guide/deployment.md": {"10 seconds", "5 %", "99 %"},
    "docs/guide/explaining.md": {"0.5"},
    "docs/guide/forecasting.md": {"0.02", "0.2", "0.26", "15 minutes", "30 %", "90 %"},
    "docs/guide/how-sure.md": {"0.01", "90 %"},
    "docs/guide/map-files.md": {"256 MB", "32 MB", "4 MB"},
    "docs/guide/maps-by-hand.md": {"0.2", "0.5"},
    "docs/guide/model-files.md": {"20 kB", "3 ms"},
    "docs/guide/onnx.md": {"1.12"},
    "docs/guide/regression.md": {"0.12", "0.5", "0.88"},
    "docs/guide/scikit-learn.md": {"1.9"},
    "docs/guide/serving.md": {"10 MB", "10 seconds", "256 MB", "30 seconds", "60 seconds", "64 kB"},
    "docs/guide/small-maps.md": {"0.3", "0.5"},
    "docs/guide/steering.md": {"3 %"},
    "docs/guide/tables.md": {"0.95", "1 %", "5 %", "70 %", "85 %", "90 of 100"},
    "docs/guide/targets.md": {"10 %"},
    "docs/guide/workshop.md": {"0.5", "32 MB", "4 MB"},
    "docs/reference/glossary.md": {"0.5"},
    "docs/start/install.md": {"3.11"},
    "docs/start/ten-minutes-shell.md": {"3.11"},
    "docs/start/what-is-a-map.md": {"0.3", "0.5", "0.57", "0.639", "0.8", "0.9", "1.7"},
}


def test_no_figure_is_stale():
    """Writing every generated block again changes nothing; otherwise run `python docs/figures.py`."""
    for path in figures.files():
        text = path.read_text(encoding="utf-8")
        assert figures.updated(text) == text, path


def test_every_block_is_shown():
    """No table is generated for nobody, and every generated block is closed."""
    texts = [path.read_text(encoding="utf-8") for path in figures.files()]
    shown = {name for text in texts for name in figures.names(text)}
    assert {name for name in shown if not name.startswith("guides ")} == set(figures.BLOCKS)
    for text in texts:
        assert text.count("<!-- results: ") == text.count("<!-- end -->") == len(figures.names(text))


def test_a_stale_figure_is_found():
    """A number changed by hand within a block is written anew."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    changed = re.sub(r"\| 0\.\d+ \|", "| 0.999 |", text, count=1)
    assert changed != text
    assert figures.updated(changed) == text


def measured(path):
    """Return the figures of a page outside of generated blocks, examples and sentences kept in results."""
    text = re.sub(r"```.*?```", "", figures.without_blocks(path.read_text(encoding="utf-8")), flags=re.DOTALL)
    text = " ".join(text.split())
    for sentence in figures.guide_figures.sentences():
        text = text.replace(sentence, "")
    return set(FIGURE.findall(re.sub(r"`[^`]*`", "", text)))


def test_every_figure_has_a_source():
    """Outside of generated blocks and kept sentences, pages have only settings, versions and numbers of formulas."""
    pages = {path.relative_to(ROOT).as_posix(): path for path in figures.files()}
    assert set(pages) >= set(SETTINGS)
    found = {name: measured(path) for name, path in pages.items() if name != RECORD}
    assert {name: values for name, values in found.items() if values} == SETTINGS


def test_a_figure_without_a_source_is_found(tmp_path):
    """Changing a figure of a kept sentence, or adding one to a page, is noticed."""
    kept = next(sentence for sentence in figures.guide_figures.sentences() if re.search(r"\b0\.\d", sentence))
    page = tmp_path / "page.md"
    page.write_text(f"Before. {kept} Afterwards.", encoding="utf-8")
    assert measured(page) == set()
    page.write_text(re.sub(r"\b0\.\d+", "0.777", kept), encoding="utf-8")
    assert "0.777" in " ".join(measured(page))
    page.write_text("It takes 12 ms, proves 36 of 38 cases and writes 3 kilobytes.\n\n| map | 141 |", encoding="utf-8")
    assert measured(page) == {"12 ms", "36 of 38", "3 kilobytes", "141"}


def test_kept_figures_name_their_command():
    """Tables and sentences of `results/guides` say which command measured them, and when; sentences are shown."""
    texts = [" ".join(path.read_text(encoding="utf-8").split()) for path in figures.files()]
    for path in sorted((ROOT / "results" / "guides").glob("*.json")):
        kept = figures.guide_figures.recorded(path.stem)
        for entry in [*kept["tables"].values(), *kept["sentences"]]:
            assert re.fullmatch(r"python -m benchmarks\.\w+.*", entry["command"])
            assert re.fullmatch(r"\d{4}-\d\d-\d\d", entry["measured"])
            assert (ROOT / "benchmarks" / f"{entry['command'].split()[2].partition('.')[2]}.py").exists()
        assert all(any(entry["text"] in text for text in texts) for entry in kept["sentences"]), path
