"""
Where a map ends
================

A map of two concepts that support themselves and suppress each other has several fixed points. Which one it reaches
depends on its start.
"""

import matplotlib.pyplot as plt

from cogmap import FuzzyCognitiveMap
from cogmap.maps.dynamics import attractors, certificate
from cogmap.plotting import plot_attractors

rivals = FuzzyCognitiveMap.from_edges(
    [("bus", "bus", 1), ("car", "car", 1), ("bus", "car", -0.6), ("car", "bus", -0.6)], slope=6
)
print(certificate(rivals).sentence)
print(attractors(rivals))

figure, axes = plt.subplots(figsize=(6, 5.5), layout="constrained")
plot_attractors(rivals, ax=axes)
