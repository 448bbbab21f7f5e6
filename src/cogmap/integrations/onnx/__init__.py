"""Export of models to ONNX, for prediction without Python.

The graph includes scaling, categories, linguistic terms and missing values, and computes in double precision.
"""

from cogmap.integrations.onnx.export import to_inputs, to_onnx

__all__ = ["to_inputs", "to_onnx"]
