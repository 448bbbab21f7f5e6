"""
What fewer arrows cost
======================

A full map has an arrow between almost all pairs of concepts. Most of them can be removed without loss:
``pruning_curve`` refits with fewer and fewer, and cross-validates.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from cogmap import FCMClassifier, pruning_curve
from cogmap.plotting import plot_pruning

X, y = load_wine(return_X_y=True)
full = FCMClassifier(structure="full", n_teachers=2, random_state=0)
curve = pruning_curve(full, X, y, keep=(0.25, 0.1, 0.05, 0.02), n_folds=3)
print(curve)

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
plot_pruning(curve, ax=axes)
