"""
Scenarios of a map drawn by hand
================================

A lake, as people who live there see it. What would change if there were laws, or less fishing?
"""

import matplotlib.pyplot as plt

from cogmap import FuzzyCognitiveMap
from cogmap.maps.scenarios import scenarios
from cogmap.plotting import plot_map, plot_scenarios

lake = FuzzyCognitiveMap.from_edges(
    [
        ("laws", "pollution", -0.7),
        ("laws", "fishing", -0.4),
        ("pollution", "fish", -0.8),
        ("fishing", "fish", -0.5),
        ("weed", "fish", 0.4),
        ("fish", "income", 0.8),
        ("income", "fishing", 0.5),
    ],
    activation="logistic",
    slope=2,
)
figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
plot_map(lake, ax=axes)

# %%
# Changes against the steady state in which nothing is held:

answers = scenarios(lake, {"laws": {"laws": 1}, "less fishing": {"fishing": 0.2}})
print(answers)

figure, axes = plt.subplots(figsize=(9, 4), layout="constrained")
plot_scenarios(answers, ax=axes)
