"""Documentation of explanations: every parameter is described."""

import inspect

import pytest
from numpydoc.docscrape import FunctionDoc

from cogmap import explanation


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
