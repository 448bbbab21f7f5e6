"""Documentation of figures: the examples of the guide run, and every parameter is described."""

import inspect
import re
from pathlib import Path

import pytest
from numpydoc.docscrape import FunctionDoc

pytest.importorskip("matplotlib")

from cogmap import plotting

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "pictures.md"


@pytest.mark.skipif(not GUIDE.is_file(), reason="the guides are not part of what is installed")
def test_examples_of_the_guide_run_and_its_pictures_are_there(tmp_path, monkeypatch):
    """All Python blocks, in order."""
    text = GUIDE.read_text(encoding="utf-8")
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", text):
        assert (GUIDE.parent / picture).is_file(), picture
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(block, names)
    assert {path.name for path in tmp_path.iterdir()} == {"map.png", "two.png"}


def documented():
    for name in plotting.__all__:
        thing = getattr(plotting, name)
        if inspect.isclass(thing):
            yield pytest.param(thing.from_estimator, id=f"{name}.from_estimator")
            yield pytest.param(thing.plot, id=f"{name}.plot")
        elif callable(thing):
            yield pytest.param(thing, id=name)


@pytest.mark.parametrize("function", list(documented()))
def test_every_parameter_is_described(function):
    """In order, with return values."""
    doc = FunctionDoc(function)
    described = [entry.name.lstrip("*") for entry in doc["Parameters"]]
    assert described == [name for name in inspect.signature(function).parameters if name != "self"]
    assert doc["Returns"]
    assert doc["Summary"]
