"""Questions to a fitted map: why, what matters, what would change it, and how small it can be.

Every function takes a fitted estimator or its `MapModel`, and gives plain numbers with names: a table (`to_frame`),
JSON (`to_json`), or something to draw (`cogmap.plotting`).
"""

from cogmap.explanation.changes import WhatIf, what_if
from cogmap.explanation.contributions import Explanation, explain
from cogmap.explanation.influences import Importances, Influence, feature_importances, influence
from cogmap.explanation.pruning import PruningCurve, prune, pruning_curve
from cogmap.explanation.stories import Story, story

__all__ = [
    "Explanation",
    "Importances",
    "Influence",
    "PruningCurve",
    "Story",
    "WhatIf",
    "explain",
    "feature_importances",
    "influence",
    "prune",
    "pruning_curve",
    "story",
    "what_if",
]
