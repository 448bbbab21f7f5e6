"""Documentation of explanations: the examples of the guide run, and every parameter is described."""

import inspect
import re
from pathlib import Path

import pytest
from numpydoc.docscrape import FunctionDoc

from cogmap import explanation

GUIDE = Path(__file__).parents[2] / "docs" / "guide"


@pytest.mark.skipif(not GUIDE.is_dir(), reason="the guides are not part of what is installed")
@pytest.mark.parametrize("page", ["explaining", "what-if"])
def test_examples_of_the_guide_run(page, tmp_path, monkeypatch):
    """All Python blocks, in order."""
    pytest.importorskip("shap")
    text = (GUIDE / f"{page}.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(block, names)


@pytest.mark.parametrize("name", [name for name in explanation.__all__ if name.islower()])
def test_every_parameter_is_described(name):
    """In order, with return values and an example."""
    function = getattr(explanation, name)
    doc = FunctionDoc(function)
    assert [entry.name for entry in doc["Parameters"]] == list(inspect.signature(function).parameters)
    assert doc["Returns"]
    assert doc["Examples"]
    for parameter, entry in zip(inspect.signature(function).parameters.values(), doc["Parameters"], strict=True):
        if parameter.default is not inspect.Parameter.empty:
            written = f'"{parameter.default}"' if isinstance(parameter.default, str) else repr(parameter.default)
            assert entry.type.endswith(f"default={written}")
