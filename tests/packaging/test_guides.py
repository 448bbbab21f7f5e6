"""The examples of the guides run, and print what the guides show."""

import contextlib
import doctest
import io
import os
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAPS = Path(os.environ.get("COGMAP_MAPS") or ROOT.parent / "shared" / "maps")


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


@pytest.mark.parametrize(
    "name",
    [
        "about/family.md",
        "guide/forecasting.md",
        "guide/model-files.md",
        "guide/page.md",
        "guide/reading.md",
        "guide/regression.md",
        "about/reproduction.md",
        "guide/small-maps.md",
        "guide/targets.md",
        "guide/wide.md",
    ],
)
def test_guides_show_the_output_of_their_examples(name, tmp_path, monkeypatch):
    """Every Python block prints the text block below it."""
    if name == "guide/model-files.md":
        pytest.importorskip("onnxruntime")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    names = {}
    for code, shown in re.findall(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", text, flags=re.DOTALL):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue().split() == shown.split()
