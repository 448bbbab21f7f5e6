"""
Which arrows are certain?
=========================

``arrow_intervals`` trains the weights again on randomly weighted rows. Arrows whose interval contains zero are dashed.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

from cogmap import FCMRegressor, arrow_intervals
from cogmap.plotting import plot_map

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
fcm = FCMRegressor(random_state=0).fit(X, y)
intervals = arrow_intervals(fcm, X, y, level=0.9)

figure, axes = plt.subplots(figsize=(11, 6), layout="constrained")
plot_map(fcm, intervals=intervals, ax=axes)

# %%
# Mean effects per standard deviation of the feature, with their intervals:

effects = intervals.effects_to_frame()
print(effects.round(3).to_string())
