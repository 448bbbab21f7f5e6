"""
Classes with an order
=====================

Party identification in the American National Election Study of 1996, from 0 (strong Democrat) to 6 (strong
Republican). A map that knows the order has one output with thresholds, instead of one output for each class.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import log_loss, mean_absolute_error
from sklearn.model_selection import train_test_split
from statsmodels.datasets import anes96

from cogmap import FCMClassifier

voters = anes96.load_pandas().data
X, y = voters[["logpopul", "TVnews", "selfLR", "ClinLR", "DoleLR", "age", "educ", "income"]], voters["PID"].astype(int)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

for ordered in (False, True):
    fcm = FCMClassifier(ordered=ordered, random_state=0).fit(X_train, y_train)
    steps = mean_absolute_error(y_test, fcm.predict(X_test))
    loss = log_loss(y_test, fcm.predict_proba(X_test))
    print(f"ordered={ordered!s:5}: {steps:.2f} steps off on average, log loss {loss:.2f}, {fcm.map_.n_arrows} arrows")

# %%
# The mean probability of each grade, by how people place themselves from left (1) to right (7):

probabilities = fcm.predict_proba(X_test)
places = np.arange(1, 8)
shares = np.array([probabilities[X_test["selfLR"] == place].mean(axis=0) for place in places])

figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
colors = plt.colormaps["coolwarm"](np.linspace(0, 1, 7))
for grade, color in zip(range(7), colors, strict=True):
    axes.bar(places, shares[:, grade], bottom=shares[:, :grade].sum(axis=1), color=color, label=str(grade))
axes.set(xlabel="own place from left to right", ylabel="predicted share")
axes.legend(title="party", loc="center left", bbox_to_anchor=(1, 0.5), reverse=True)
