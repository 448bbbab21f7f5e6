"""The examples of the documentation run, and print what the pages show."""

import doctest
from pathlib import Path

import pytest

import run

ROOT = Path(__file__).parents[2]


def test_maps_by_hand(tmp_path, monkeypatch):
    """The examples run from the wetland file to the file of a learned map."""
    monkeypatch.chdir(tmp_path)
    # Fences are not part of the expected output.
    text = (ROOT / "docs" / "guide" / "maps-by-hand.md").read_text(encoding="utf-8").replace("```", "\n")
    test = doctest.DocTestParser().get_doctest(text, {}, "maps-by-hand.md", None, 0)
    failures = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=failures.append)
    assert not failures, "".join(failures)
    assert (tmp_path / "learned.mmp").exists()


QUICK = {
    "about/citing.md",
    "about/family.md",
    "about/reproduction.md",
    "coming_from/ebm.md",
    "coming_from/fcmpy.md",
    "coming_from/mental-modeler.md",
    "coming_from/mlp.md",
    "guide/classification.md",
    "guide/explaining.md",
    "guide/forecasting.md",
    "guide/how-sure.md",
    "guide/model-files.md",
    "guide/onnx.md",
    "guide/page.md",
    "guide/pictures.md",
    "guide/reading.md",
    "guide/regression.md",
    "guide/small-maps.md",
    "guide/steering.md",
    "guide/targets.md",
    "guide/what-if.md",
    "guide/wide.md",
    "guide/workshop.md",
    "index.md",
    "reference/openapi.md",
    "start/install.md",
    "start/ten-minutes-python.md",
    "start/what-is-a-map.md",
}
NAMES = [path.relative_to(run.DOCS).as_posix() for path in run.pages()]


@pytest.mark.filterwarnings("ignore:The set_:PendingDeprecationWarning")  # SHAP calls matplotlib so
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in NAMES]
)
def test_pages_show_the_output_of_their_examples(name):
    """Running the page again prints the same words, and numbers where it shows numbers."""
    if name == "guide/onnx.md":
        pytest.importorskip("onnxruntime")
    shown = (run.DOCS / name).read_text(encoding="utf-8")
    assert not run.differences(shown, run.with_output(shown))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The set_:PendingDeprecationWarning")
@pytest.mark.parametrize("name", NAMES)
def test_pages_show_the_numbers_of_their_examples(name):
    """With the versions of dependencies with which a release is made, numbers are those that the code prints now."""
    if name == "guide/onnx.md":
        pytest.importorskip("onnxruntime")
    shown = (run.DOCS / name).read_text(encoding="utf-8")
    assert run.stale_numbers(shown, run.with_output(shown)) == []


def test_a_stale_number_is_found():
    """Last digits, hashes and rounding errors may differ; a number of another size may not."""
    shown = "accuracy 0.951, 17 arrows\nhash=12\ngap 6.7e-12"
    assert run.stale_numbers(shown, "accuracy 0.953, 17 arrows\nhash=98\ngap 1.2e-11") == []
    assert run.stale_numbers(shown, shown.replace("0.951", "0.851"))
    assert run.stale_numbers(shown, shown.replace("17", "19"))


def test_quick_pages_exist():
    """No page of the list above was renamed."""
    assert set(NAMES) >= QUICK
