"""A fuzzy cognitive map as a layer of Keras 3, on JAX, PyTorch or TensorFlow, and learned maps as Keras models.

A model has three layers: `FeatureEncoding` (fixed: how a row becomes states), `FuzzyCognitiveLayer` (the map, which
goes on learning) and `OutputLink` (fixed: what the outputs mean).
"""

from cogmap.integrations.keras.fixed import FeatureEncoding, OutputLink
from cogmap.integrations.keras.layer import FuzzyCognitiveLayer
from cogmap.integrations.keras.models import from_keras, to_keras

__all__ = ["FeatureEncoding", "FuzzyCognitiveLayer", "OutputLink", "from_keras", "to_keras"]
