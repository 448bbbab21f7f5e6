"""Given maps: `FuzzyCognitiveMap`, its files and drawing, scenarios, indices, loops, effects, experts and dynamics."""
