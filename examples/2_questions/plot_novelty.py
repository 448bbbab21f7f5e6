"""
Rows unlike the training data
=============================

A model answers any row, also one that looks like nothing it has seen. ``novelty_p_values`` says how unusual a row is.
Here a map learns from two growers of wine, and is asked about the third.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from cogmap import FCMClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
known = y < 2
train = known & (np.arange(len(y)) % 2 == 0)
fcm = FCMClassifier(random_state=0).fit(X[train], y[train])

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
for label, rows in {"known growers, new wines": known & ~train, "third grower": ~known}.items():
    p_values = fcm.novelty_p_values(X[rows])
    axes.hist(p_values, bins=np.linspace(0, 1, 21), alpha=0.6, label=label)
    print(f"{label}: {np.mean(p_values <= 0.02):.0%} have a p-value of 0.02 or less")
axes.set(xlabel="p-value of novelty", ylabel="wines")
axes.legend()
