"""Fuzzy cognitive maps learned from data."""

from cogmap.classifier import FCMClassifier
from cogmap.classifier_cv import FCMClassifierCV
from cogmap.map import FuzzyCognitiveMap

__version__ = "0.1.0.dev0"

__all__ = ["FCMClassifier", "FCMClassifierCV", "FuzzyCognitiveMap", "__version__"]
