"""
Why this prediction?
====================

``explain`` attributes the difference between the prediction of a row and that of a typical row to the columns. The
contributions add up exactly.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from cogmap import FCMClassifier, explain
from cogmap.plotting import plot_contributions

tumours = load_breast_cancer(as_frame=True)
X, y = tumours.data, tumours.target_names[tumours.target]
fcm = FCMClassifier(random_state=0).fit(X, y)
probabilities = fcm.predict_proba(X)[:, 1]
row = int(np.argmin(abs(probabilities - 0.5)))  # the row about which the map is least sure

answer = explain(fcm, X.iloc[[row]])
figure, axes = plt.subplots(figsize=(8, 6), layout="constrained")
plot_contributions(answer, ax=axes)

# %%
# The numbers behind the picture:

print(answer.to_frame().head())
