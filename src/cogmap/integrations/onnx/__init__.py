"""Models in ONNX, so that programs without Python can predict.

Scaling, categories, words and undecided values are part of the graph, and all is computed in double precision.
"""

from cogmap.integrations.onnx.export import to_inputs, to_onnx

__all__ = ["to_inputs", "to_onnx"]
