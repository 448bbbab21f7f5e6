"""
How many arrows are worth it?
=============================

``max_arrows`` limits the size of a map: fewer arrows are easier to read, and at some point cost accuracy. Here: tumours
that are malignant or benign, from 30 measurements. The largest map is that of the default size.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from cogmap import FCMClassifier
from cogmap.plotting import plot_map

tumours = load_breast_cancer(as_frame=True)
X, y = tumours.data, tumours.target_names[tumours.target]
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)

maps = {n: FCMClassifier(max_arrows=n, random_state=0).fit(X_train, y_train) for n in (1, 2, 4, 8, 16, 32)}
accuracies = {fcm.map_.n_arrows: fcm.score(X_test, y_test) for fcm in maps.values()}
print({arrows: round(accuracy, 3) for arrows, accuracy in accuracies.items()})

figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(list(accuracies), list(accuracies.values()), "o-")
_ = axes.set(xlabel="arrows", ylabel="accuracy on held-out rows", xscale="log")

# %%
# The map of eight arrows:

figure, axes = plt.subplots(figsize=(9, 3), layout="constrained")
plot_map(maps[8], ax=axes)
