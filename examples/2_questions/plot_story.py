"""
How was it computed?
====================

``story`` follows one row through the map, step by step, and says how much each arrow contributes to the output.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from cogmap import FCMClassifier, story
from cogmap.plotting import plot_story

iris = load_iris(as_frame=True)
X, y = iris.data, iris.target_names[iris.target]
fcm = FCMClassifier(random_state=0).fit(X, y)
answer = story(fcm, X.iloc[77])

figure, axes = plt.subplots(figsize=(11, 6), layout="constrained")
plot_story(answer, ax=axes)
