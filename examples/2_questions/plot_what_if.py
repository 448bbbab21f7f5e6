"""
What would have to change?
==========================

``what_if`` finds the smallest change of a row that changes its prediction. Some columns cannot change: a patient cannot
become younger.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

from cogmap import FCMRegressor, what_if
from cogmap.plotting import plot_what_if

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
fcm = FCMRegressor(random_state=0).fit(X, y)
row = X.iloc[[3]]
now = fcm.predict(row)[0]
print(f"predicted progression: {now:.0f}")

# %%
# Which change would bring it down by 40, with age and sex as they are?

answer = what_if(fcm, row, to=float(now - 40), fixed=["age", "sex"], max_features=3)
print(answer)

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
plot_what_if(answer, ax=axes)
