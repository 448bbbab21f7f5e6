"""
Words instead of numbers
========================

Linguistic terms make several concepts of a column, such as "petal width is thin". Every arrow then reads as a sentence
about a word.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

from cogmap import FCMClassifier, to_rules
from cogmap.plotting import plot_map

iris = load_iris(as_frame=True)
X = iris.data[["petal width (cm)"]].rename(columns={"petal width (cm)": "petal width"})
y = iris.target_names[iris.target]
words = {"petal width": ["thin", "middling", "wide"]}
fcm = FCMClassifier(structure="additive", terms=words, random_state=0).fit(X, y)
print(to_rules(fcm, X))

# %%
# The map, and the probabilities along the measurement:

widths = np.linspace(0, 2.6, 200)
figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
plot_map(fcm, ax=left)
right.plot(widths, fcm.predict_proba(pd.DataFrame({"petal width": widths})), label=fcm.classes_)
right.set(xlabel="petal width (cm)", ylabel="probability")
right.legend()
