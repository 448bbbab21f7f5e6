"""`FuzzyCognitiveMap` and everything that needs only a map: files, drawing, scenarios, indices, effects, dynamics."""
