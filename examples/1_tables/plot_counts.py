"""
Predict counts
==============

Visits to a doctor in the RAND health insurance experiment. Counts have a mean above 0 and a variance that grows with
it: ``loss="poisson"``. A sample of 2,000 people keeps the example quick.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import d2_tweedie_score
from sklearn.model_selection import train_test_split
from statsmodels.datasets import randhie

from cogmap import FCMRegressor
from cogmap.plotting import plot_map

people = randhie.load_pandas().data.sample(2000, random_state=0)
X, y = people.drop(columns="mdvis"), people["mdvis"]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

for loss in ("squared_error", "poisson"):
    fcm = FCMRegressor(loss=loss, max_arrows=20, random_state=0).fit(X_train, y_train)
    predicted = np.maximum(fcm.predict(X_test), 1e-3)
    score = d2_tweedie_score(y_test, predicted, power=1)
    print(f"{loss:14} explains {score:.3f} of the Poisson deviance")

# %%
# The map of counts, and how well its predictions match the means of groups of equal size:

groups = np.array_split(np.argsort(predicted), 8)
figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5), width_ratios=[1, 2], layout="constrained")
left.plot([predicted[g].mean() for g in groups], [y_test.to_numpy()[g].mean() for g in groups], "o")
left.axline((2, 2), slope=1, color="grey", linewidth=1)
left.set(xlabel="predicted visits", ylabel="mean of observed visits")
plot_map(fcm, ax=right)
