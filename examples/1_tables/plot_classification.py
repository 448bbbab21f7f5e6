"""
Classify, and read the map
==========================

A default map of the iris data. All concepts have names, and the picture shows everything that computes the prediction.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

from cogmap import FCMClassifier, to_rules
from cogmap.plotting import plot_map

iris = load_iris(as_frame=True)
X, y = iris.data, iris.target_names[iris.target]
fcm = FCMClassifier(random_state=0).fit(X, y)
print(f"accuracy of 5 folds: {cross_val_score(fcm, X, y).mean():.3f}")

# %%
# Features are on the left, classes on the right. Blue arrows raise a concept, orange ones lower it.

figure, axes = plt.subplots(figsize=(11, 6), layout="constrained")
plot_map(fcm, ax=axes)

# %%
# The same as sentences, the strongest first:

print(to_rules(fcm, X))
