"""Builder of ONNX graphs: inputs, nodes, constants, outputs."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap import __version__
from cogmap._utils.optional import import_or_raise

_FEATURE = "cogmap.integrations.onnx"
onnx: Any = import_or_raise("onnx", _FEATURE, "onnx")
helper: Any = import_or_raise("onnx.helper", _FEATURE, "onnx")
numpy_helper: Any = import_or_raise("onnx.numpy_helper", _FEATURE, "onnx")

# Old enough for runtimes that are several years old, and new enough for all operators used here.
OPSET = 17
_OPSET_ML = 3  # of the text operators
_IR_VERSION = 8

ROWS = "rows"  # the dynamic dimension

Name = str
Value = Name | NDArray[Any] | float | int


class Graph:
    """Builder that collects nodes; every value has a name, and arrays and numbers become constants.

    Parameters
    ----------
    outputs : iterable of str
        Names reserved for outputs.
    """

    def __init__(self, outputs: Iterable[Name]) -> None:
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._taken = set(outputs)
        self._uses_text = False

    def input(self, preferred: Name, kind: type, columns: int) -> Name:
        """Add an input of numbers or text and return its name: the preferred one, unless it is taken."""
        name = self._unique(preferred or "column")
        self._inputs.append(helper.make_tensor_value_info(name, type_of(kind), [ROWS, columns]))
        return name

    def node(self, operator: str, *inputs: Value, **attributes: Any) -> Name:
        """Add a node and return the name of its result."""
        domain = "ai.onnx.ml" if operator == "LabelEncoder" else ""
        self._uses_text |= bool(domain)
        result = self._unique(f"{operator}:{len(self._nodes)}")
        names = [value if isinstance(value, str) else self.constant(np.asarray(value)) for value in inputs]
        unused = [self._unique(f"{result} indices")] if operator == "TopK" else []
        self._nodes.append(helper.make_node(operator, names, [result, *unused], domain=domain, **attributes))
        return result

    def constant(self, array: NDArray[Any]) -> Name:
        """Add an array that several nodes may use, and return its name."""
        name = self._unique(f"constant:{len(self._constants)}")
        if array.dtype.kind in "Ui":
            array = array.astype(object if array.dtype.kind == "U" else np.int64)
        self._constants.append(numpy_helper.from_array(array, name))
        return name

    def output(self, name: Name, value: Name, kind: type, *columns: int) -> None:
        """Declare a computed value as the output `name`."""
        self._nodes.append(helper.make_node("Identity", [value], [name]))
        self._outputs.append(helper.make_tensor_value_info(name, type_of(kind), [ROWS, *columns]))

    def model(self, title: str, metadata: dict[str, str]) -> Any:
        """Build the model."""
        graph = helper.make_graph(self._nodes, title, self._inputs, self._outputs, self._constants)
        opsets = [helper.make_opsetid("", OPSET)]
        if self._uses_text:
            opsets.append(helper.make_opsetid("ai.onnx.ml", _OPSET_ML))
        model = helper.make_model(
            graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="cogmap", producer_version=__version__
        )
        helper.set_model_props(model, metadata)
        return model

    def _unique(self, preferred: Name) -> Name:
        name, number = preferred, 1
        while name in self._taken:
            number += 1
            name = f"{preferred} ({number})"
        self._taken.add(name)
        return name


def type_of(kind: type) -> Any:
    """Return the ONNX type code of a Python type."""
    kinds = {float: "DOUBLE", int: "INT64", bool: "BOOL", str: "STRING"}
    return getattr(onnx.TensorProto, kinds[kind])
