"""The examples of the documentation run, and print what the pages show."""

import doctest
import importlib.util
import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAPS = Path(os.environ.get("COGMAP_MAPS") or ROOT.parent / "shared" / "maps")

specification = importlib.util.spec_from_file_location("run", ROOT / "docs" / "run.py")
run = importlib.util.module_from_spec(specification)
specification.loader.exec_module(run)


@pytest.mark.skipif(not MAPS.is_dir(), reason="the folder of published maps is missing (set COGMAP_MAPS)")
def test_maps_by_hand(tmp_path, monkeypatch):
    """The examples run from the wetland file to the file of a learned map."""
    shutil.copyfile(MAPS / "mm_ozesmi_wetland.mmp", tmp_path / "wetland.mmp")
    monkeypatch.chdir(tmp_path)
    # Fences are not part of the expected output.
    text = (ROOT / "docs" / "guide" / "maps-by-hand.md").read_text(encoding="utf-8").replace("```", "\n")
    test = doctest.DocTestParser().get_doctest(text, {}, "maps-by-hand.md", None, 0)
    failures = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=failures.append)
    assert not failures, "".join(failures)
    assert (tmp_path / "learned.mmp").exists()


QUICK = {
    "about/family.md",
    "about/reproduction.md",
    "coming_from/fcmpy.md",
    "guide/classification.md",
    "guide/explaining.md",
    "guide/forecasting.md",
    "guide/model-files.md",
    "guide/onnx.md",
    "guide/page.md",
    "guide/reading.md",
    "guide/regression.md",
    "guide/small-maps.md",
    "guide/steering.md",
    "guide/targets.md",
    "guide/what-if.md",
    "guide/wide.md",
    "index.md",
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


def test_quick_pages_exist():
    """No page of the list above was renamed."""
    assert set(NAMES) >= QUICK
