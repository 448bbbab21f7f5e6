"""
A monotone effect
=================

Suppose it is known that more household income never means less spending on food. ``monotonic_cst`` builds that into the
map: it then holds for every row, seen or not.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from statsmodels.datasets import engel

from cogmap import FCMRegressor

households = engel.load_pandas().data.sample(40, random_state=4)  # few rows, so that knowledge matters
X, y = households[["income"]], households["foodexp"]
grid = pd.DataFrame({"income": np.linspace(0, 3500, 400)})

figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
axes.scatter(X["income"], y, s=14, color="grey")
for label, constraint in {"free": None, "never falling": {"income": 1}}.items():
    fcm = FCMRegressor(monotonic_cst=constraint, random_state=0).fit(X, y)
    line = fcm.predict(grid)
    axes.plot(grid["income"], line, label=label)
    print(f"{label:14} smallest step along the line: {np.diff(line).min():+.3f}")
axes.set(xlabel="income", ylabel="food expenditure")
axes.legend()
