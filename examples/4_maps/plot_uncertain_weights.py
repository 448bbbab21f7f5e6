"""
Uncertain weights
=================

People know weights only roughly. If every weight may be off by 0.2, which effects of a scenario are certain?
"""

import matplotlib.pyplot as plt

from cogmap import FuzzyCognitiveMap
from cogmap.maps.monte_carlo import monte_carlo
from cogmap.maps.ranges import scenario_ranges
from cogmap.plotting import plot_monte_carlo

lake = FuzzyCognitiveMap.from_edges(
    [
        ("laws", "pollution", -0.5),
        ("laws", "income", -0.4),
        ("pollution", "fish", -0.8),
        ("fish", "income", 0.6),
        ("weed", "fish", 0.4),
    ],
    activation="logistic",
    slope=2,
)
result = monte_carlo(lake, {"laws": 1}, spread=0.2)
print(result)

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
plot_monte_carlo(result, ax=axes)

# %%
# A proof instead of a sample: no weights within 0.1 of the drawn ones lead outside of these ranges.

print(scenario_ranges(lake, {"laws": 1}, spread=0.1, keep="drivers"))
