"""
Between which values?
=====================

Intervals from held-out errors, which are computed while the map is trained. About 90 % of new values should lie inside.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from cogmap import FCMRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0)
fcm = FCMRegressor(random_state=0).fit(X_train, y_train)
low, high = fcm.predict_interval(X_test, level=0.9).T
inside = (low <= y_test) & (y_test <= high)
print(f"{inside.mean():.0%} of the test values are in their intervals")

order = np.argsort(fcm.predict(X_test))
places = np.arange(len(order))
figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
axes.fill_between(places, low[order], high[order], alpha=0.25, label="90 % interval")
axes.plot(places, fcm.predict(X_test)[order], label="prediction")
colors = np.where(inside.to_numpy()[order], "#333333", "#d55e00")
axes.scatter(places, y_test.to_numpy()[order], s=10, c=colors, label="observed (orange: outside)")
axes.set(xlabel="test rows, by prediction", ylabel="progression")
axes.legend()
