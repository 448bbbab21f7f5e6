"""
The map as a transformer
========================

The states before the last step are features that other classifiers can use: the paper's second use of a map. A full map
computes them.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cogmap import FCMClassifier

X, y = load_wine(return_X_y=True)
full = FCMClassifier(structure="full", n_teachers=2, random_state=0)
for name, steps in {"naive Bayes": [], "naive Bayes on states of the map": [full]}.items():
    print(f"{name:34} {cross_val_score(make_pipeline(*steps, GaussianNB()), X, y, cv=3).mean():.3f}")

# %%
# Two principal components of the measurements and of the states:

figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
for title, features, ax in zip(
    ("measurements", "states of the map"), (X, full.fit(X, y).transform(X)), axes, strict=True
):
    points = PCA(2).fit_transform(StandardScaler().fit_transform(features))
    ax.scatter(*points.T, c=y, cmap="viridis", s=18)
    ax.set_title(title)
