"""Fuzzy cognitive maps as Keras 3 layers, on JAX, PyTorch or TensorFlow, and learned maps as Keras models.

A model has three layers: `FeatureEncoding` (fixed, from rows to states), `FuzzyCognitiveLayer` (the trainable map) and
`OutputLink` (fixed, from outputs to predictions).
"""

from cogmap.integrations.keras.fixed import FeatureEncoding, OutputLink
from cogmap.integrations.keras.layer import FuzzyCognitiveLayer
from cogmap.integrations.keras.models import from_keras, to_keras

__all__ = ["FeatureEncoding", "FuzzyCognitiveLayer", "OutputLink", "from_keras", "to_keras"]
