"""
A monotone effect
=================

Suppose it is known that more blood sugar (``s6``) never means less progression of diabetes. ``monotonic_cst`` builds
that into the map: it then holds for every row, seen or not. With 60 rows, the data alone suggest otherwise.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes

from cogmap import FCMRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
rows = X[["s6", "bmi"]].sample(60, random_state=0)
grid = pd.DataFrame({"s6": np.linspace(60, 125, 200), "bmi": X["bmi"].mean()})

figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
axes.scatter(rows["s6"], y[rows.index], s=14, color="grey")
for label, constraint in {"free": None, "never falling": {"s6": 1}}.items():
    fcm = FCMRegressor(monotonic_cst=constraint, random_state=0).fit(rows, y[rows.index])
    line = fcm.predict(grid)
    axes.plot(grid["s6"], line, label=label)
    print(f"{label:14} smallest step along the line: {np.diff(line).min():+.3f}")
axes.set(xlabel="blood sugar (s6)", ylabel="progression at a mean bmi")
axes.legend()
