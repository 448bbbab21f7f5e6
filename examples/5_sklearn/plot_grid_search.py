"""
A pipeline and a grid search
============================

The estimators follow scikit-learn's contract, so its tools work without adapters: here a selection of columns before
the map, with both tuned together.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from cogmap import FCMClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
pipeline = Pipeline([("columns", SelectKBest()), ("map", FCMClassifier(structure="additive", random_state=0))])
pipeline.set_output(transform="pandas")
grid = {"columns__k": [2, 4, 8, 13], "map__max_arrows": [6, 12, 24]}
search = GridSearchCV(pipeline, grid, scoring="neg_log_loss", cv=3).fit(X, y)
print(search.best_params_)

table = -search.cv_results_["mean_test_score"].reshape(4, 3)
figure, axes = plt.subplots(figsize=(6, 4.5), layout="constrained")
image = axes.imshow(table, cmap="viridis_r")
axes.set_xticks(range(3), grid["map__max_arrows"])
axes.set_yticks(range(4), grid["columns__k"])
axes.set(xlabel="max_arrows", ylabel="columns")
for i, j in np.ndindex(table.shape):
    axes.text(j, i, f"{table[i, j]:.2f}", ha="center", va="center", color="white")
figure.colorbar(image, label="held-out log loss")
