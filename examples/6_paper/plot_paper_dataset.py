"""
Repeat one dataset of the paper
===============================

P. Szwed, *Classification and feature transformation with fuzzy cognitive maps* (Applied Soft Computing 105, 2021),
compares a map with 12 classifiers on 21 datasets. This notebook repeats the comparison on one of them, the wine data,
with the author's folds, scaling, settings and training. ``cogmap reproduce --protocol author`` does the same for all.
It needs ``cogmap[paper]``.
"""

import matplotlib.pyplot as plt
import numpy as np
from joblib import Parallel, delayed

from cogmap import FCMClassifier
from cogmap.plotting import plot_box, plot_states
from cogmap.research.datasets import load_dataset
from cogmap.research.experiments.protocols import N_FOLDS, PROTOCOLS
from cogmap.research.experiments.published import fcm_parameters, published_score
from cogmap.research.experiments.rivals import PAPER_RIVALS, title_of

# %%
# The protocol ``"author"`` has the folds of the author's program, and scales all features to [0, 1] before it splits
# the rows. These are the settings of the map for the wine data:

protocol = PROTOCOLS["author"]
wine = load_dataset("wine", form=protocol.form)
folds = [protocol.fold(wine.X, wine.y, number) for number in range(N_FOLDS)]
print(f"{len(wine.X)} rows, {len(wine.feature_names)} features, {len(np.unique(wine.y))} classes")
for name, value in fcm_parameters("wine", "author").items():
    print(f"  {name} = {value!r}")

# %%
# At these settings a map depends on its initialization. ``fit_fcm`` trains five, and returns the one with the median
# training loss. The other classifiers have the settings of the author's program. The paper's table is of another run,
# with other folds; if ``COGMAP_DATA`` names a folder with the author's results file, its figures are shown instead.

maps = Parallel(n_jobs=-1)(delayed(protocol.fit_fcm)("wine", 123, X, y) for X, _, y, _ in folds)
scores = {"fcm": [fcm.score(X, y) for fcm, (_, X, _, y) in zip(maps, folds, strict=True)]}
for method, make in PAPER_RIVALS.items():
    scores[method] = [
        make(protocol.rival_options(123), X).fit(X, y).score(X_test, y_test) for X, X_test, y, y_test in folds
    ]

print("accuracy   here  paper")
for method, values in scores.items():
    published = published_score("wine", method, "accuracy", "author")
    print(f"{method:9} {np.mean(values):6.3f} {published:6.2f}  {title_of(method)}")

# %%
# Today's defaults on the same folds, for comparison: a small map with named concepts, trained by other means.

scores["defaults"] = [FCMClassifier(random_state=0).fit(X, y).score(X_test, y_test) for X, X_test, y, y_test in folds]
print(f"defaults  {np.mean(scores['defaults']):6.3f}")

figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
plot_box(scores, ax=axes)

# %%
# The states of one wine over the four steps of the map: the last three concepts are the classes.

states = maps[0].model_.trajectory(folds[0][1][:1])[:, 0]
figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
plot_states(states, maps[0].map_.concepts, ax=axes)
