"""
Predict a value
===============

Progression of diabetes after a year, from ten measurements. The map has some dozens of arrows; a random forest has
thousands of splits.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import cross_val_score, train_test_split

from cogmap import FCMRegressor
from cogmap.plotting import plot_map

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
for model in (FCMRegressor(random_state=0), RandomForestRegressor(random_state=0)):
    print(f"{type(model).__name__:22} R² of 5 folds: {cross_val_score(model, X, y).mean():.3f}")

# %%
# Predictions for rows that the map has not seen, and the map:

X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
fcm = FCMRegressor(random_state=0).fit(X_train, y_train)

figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5.5), width_ratios=[1, 1.8], layout="constrained")
left.scatter(fcm.predict(X_test), y_test, s=18)
left.axline((150, 150), slope=1, color="grey", linewidth=1)
left.set(xlabel="predicted progression", ylabel="observed progression")
plot_map(fcm, ax=right)
