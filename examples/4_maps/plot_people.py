"""
Merge the maps of a group
=========================

Three people draw the same lake. Where do they disagree, and what does the merged map look like?
"""

import matplotlib.pyplot as plt

from cogmap import FuzzyCognitiveMap
from cogmap.maps.experts import combine, disagreement
from cogmap.plotting import plot_disagreement, plot_map

fisher = FuzzyCognitiveMap.from_edges(
    [("fishing", "fish", -0.75), ("pollution", "fish", -1), ("reed", "fish", 0.5), ("fish", "income", 1)]
)
farmer = FuzzyCognitiveMap.from_edges(
    [("pollution", "fish", 0.25), ("reed", "pollution", -0.5), ("fishing", "fish", -0.5), ("crops", "income", 1)]
)
ranger = FuzzyCognitiveMap.from_edges(
    [("fishing", "fish", -0.75), ("pollution", "fish", -1), ("reed", "fish", 0.75), ("reed", "pollution", -0.75)]
)
people = [fisher, farmer, ranger]
apart = disagreement(people)
figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
plot_disagreement(apart, ax=axes)

# %%
# The mean over those who drew an arrow:

figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
plot_map(combine(people, only_drawn=True), ax=axes)
