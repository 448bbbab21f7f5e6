"""
One dataset of the paper
========================

P. Szwed, *Classification and feature transformation with fuzzy cognitive maps* (Applied Soft Computing 105, 2021),
trains maps by gradients and compares them with other classifiers. This notebook repeats that for the wine data, with
the paper's settings and with today's defaults. ``cogmap reproduce`` runs the whole experiment.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from cogmap import FCMClassifier
from cogmap.plotting import plot_box, plot_states

X, y = load_wine(return_X_y=True)
folds = StratifiedKFold(5, shuffle=True, random_state=0)

# %%
# The paper's map: scaled features as first states, one concept per feature and class, no hidden concepts, the states
# after a few steps as outputs.

paper = FCMClassifier(
    structure="full",
    n_hidden=0,
    depth=3,
    slope=1.0,
    gain=1.0,
    prior=None,
    n_teachers=0,
    alpha=0.0,
    scale=False,
    max_iter=300,
    random_state=0,
)
rivals = {
    "map as in the paper": make_pipeline(MinMaxScaler(), paper),
    "fcm": FCMClassifier(random_state=0),
    "random forest": RandomForestClassifier(random_state=0),
    "support vectors": make_pipeline(MinMaxScaler(), SVC()),
    "logistic regression": make_pipeline(MinMaxScaler(), LogisticRegression()),
    "naive Bayes": GaussianNB(),
    "3 neighbours": make_pipeline(MinMaxScaler(), KNeighborsClassifier(3)),
}
scores = {name: cross_val_score(model, X, y, cv=folds) for name, model in rivals.items()}
for name, values in scores.items():
    print(f"{name:22} {values.mean():.3f} ± {values.std():.3f}")

figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
plot_box(scores, ax=axes)

# %%
# The states of one row over the steps, as in the paper's figures:

model = rivals["map as in the paper"].fit(X, y)
states = model[-1].model_.trajectory(model[0].transform(X[:1]))[:, 0]
figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
plot_states(states, model[-1].map_.concepts, ax=axes)
