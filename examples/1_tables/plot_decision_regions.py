"""
Decision regions
================

Two measurements of iris, and three structures: arrows from features to classes only, steps and combinations with names
(the default), and the full map of the paper.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from cogmap import FCMClassifier
from cogmap.plotting import plot_decision_regions

iris = load_iris(as_frame=True)
X, y = iris.data[["sepal length (cm)", "petal width (cm)"]], iris.target_names[iris.target]

figure, axes = plt.subplots(1, 3, figsize=(14, 4.5), layout="constrained")
for structure, ax in zip(("additive", "named", "full"), axes, strict=True):
    fcm = FCMClassifier(structure=structure, random_state=0).fit(X, y)
    plot_decision_regions(fcm, X, y, ax=ax)
    ax.set_title(f"{structure}: {fcm.map_.n_arrows} arrows")
