"""Figures of maps, explanations, transformed data and comparisons.

Every function draws on the given Axes, or on those of a new figure, and returns them, so that
``plot_box(scores).figure.savefig("scores.pdf")`` writes a file. Figures are created without pyplot: none stays open,
and no matplotlib setting is changed. Requires matplotlib, which ``cogmap[plot]`` installs.
"""

from cogmap._utils.optional import import_or_raise

import_or_raise("matplotlib", "cogmap.plotting", "plot")

from cogmap.plotting.attractors import plot_attractors  # noqa: E402
from cogmap.plotting.basins import plot_basins  # noqa: E402
from cogmap.plotting.canvas import COLORS  # noqa: E402
from cogmap.plotting.comparisons import plot_box, plot_critical_difference, plot_loss_curves  # noqa: E402
from cogmap.plotting.contributions import plot_contributions  # noqa: E402
from cogmap.plotting.disagreement import plot_disagreement  # noqa: E402
from cogmap.plotting.displays import InfluenceDisplay, MapDisplay, PruningDisplay, WeightsDisplay  # noqa: E402
from cogmap.plotting.forecasts import plot_forecast  # noqa: E402
from cogmap.plotting.graph import plot_map  # noqa: E402
from cogmap.plotting.influence import plot_influence  # noqa: E402
from cogmap.plotting.intervals import plot_effects, plot_intervals  # noqa: E402
from cogmap.plotting.pruning import plot_pruning  # noqa: E402
from cogmap.plotting.regions import plot_decision_regions  # noqa: E402
from cogmap.plotting.row_displays import ContributionsDisplay, StatesDisplay, StoryDisplay, WhatIfDisplay  # noqa: E402
from cogmap.plotting.scenarios import plot_monte_carlo, plot_scenarios  # noqa: E402
from cogmap.plotting.states import plot_states  # noqa: E402
from cogmap.plotting.story import plot_story  # noqa: E402
from cogmap.plotting.transformed import plot_transformed, plot_transformed_3d  # noqa: E402
from cogmap.plotting.weights import plot_weights  # noqa: E402
from cogmap.plotting.what_if import plot_what_if  # noqa: E402

__all__ = [
    "COLORS",
    "ContributionsDisplay",
    "InfluenceDisplay",
    "MapDisplay",
    "PruningDisplay",
    "StatesDisplay",
    "StoryDisplay",
    "WeightsDisplay",
    "WhatIfDisplay",
    "plot_attractors",
    "plot_basins",
    "plot_box",
    "plot_contributions",
    "plot_critical_difference",
    "plot_decision_regions",
    "plot_disagreement",
    "plot_effects",
    "plot_forecast",
    "plot_influence",
    "plot_intervals",
    "plot_loss_curves",
    "plot_map",
    "plot_monte_carlo",
    "plot_pruning",
    "plot_scenarios",
    "plot_states",
    "plot_story",
    "plot_transformed",
    "plot_transformed_3d",
    "plot_weights",
    "plot_what_if",
]
