"""
A low, a middle and a high estimate
===================================

What do households of a given income spend on food? Engel's data of 1857: the spread grows with income, so a mean with a
constant error would mislead. One map predicts several quantiles, which never cross.
"""

import matplotlib.pyplot as plt
import numpy as np
from statsmodels.datasets import engel

from cogmap import FCMRegressor

households = engel.load_pandas().data
X, y = households[["income"]], households["foodexp"]
quantiles = [0.1, 0.5, 0.9]
fcm = FCMRegressor(loss="quantile", quantile=quantiles, random_state=0).fit(X, y)

grid = np.linspace(X["income"].min(), 3000, 200)[:, None]
lines = fcm.predict(type(X)(grid, columns=X.columns))

figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
axes.scatter(X["income"], y, s=12, color="grey", alpha=0.6)
for quantile, line in zip(quantiles, lines.T, strict=True):
    axes.plot(grid[:, 0], line, label=f"quantile {quantile}")
axes.set(xlabel="income", ylabel="food expenditure", xlim=(300, 3000), ylim=(0, 2100))
axes.legend()

# %%
# How many households lie below each line:

for quantile, column in zip(quantiles, fcm.predict(X).T, strict=True):
    print(f"quantile {quantile}: {np.mean(y <= column):.2f} of the households are below")
