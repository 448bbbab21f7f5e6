"""
What matters overall?
=====================

``influence`` gives the mean effect of each feature on each output, and the mean absolute effect: where the two differ,
the sign depends on the row.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from cogmap import FCMClassifier, influence
from cogmap.plotting import plot_influence, plot_map

tumours = load_breast_cancer(as_frame=True)
X, y = tumours.data, tumours.target_names[tumours.target]
fcm = FCMClassifier(random_state=0).fit(X, y)
answer = influence(fcm, X)

figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
plot_influence(answer, ax=axes)

# %%
# With the data, the width of an arrow is the share of all change that flows through it:

figure, axes = plt.subplots(figsize=(11, 7), layout="constrained")
plot_map(fcm, answer, ax=axes)
