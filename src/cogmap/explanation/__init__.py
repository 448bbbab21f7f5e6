"""Explain fitted maps: attributions, influences, counterfactuals, rules and pruning.

Every function takes a fitted estimator or its `MapModel` and returns named numbers that convert to a data frame
(`to_frame`) or JSON (`to_json`), or are plotted by `cogmap.plotting`.
"""

from cogmap.explanation.changes import WhatIf, what_if
from cogmap.explanation.contributions import Explanation, explain
from cogmap.explanation.influences import Importances, Influence, feature_importances, influence
from cogmap.explanation.intervals import ArrowIntervals, arrow_intervals
from cogmap.explanation.pruning import PruningCurve, prune, pruning_curve
from cogmap.explanation.rules import Rules, to_rules
from cogmap.explanation.stories import Story, story

__all__ = [
    "ArrowIntervals",
    "Explanation",
    "Importances",
    "Influence",
    "PruningCurve",
    "Rules",
    "Story",
    "WhatIf",
    "arrow_intervals",
    "explain",
    "feature_importances",
    "influence",
    "prune",
    "pruning_curve",
    "story",
    "to_rules",
    "what_if",
]
