"""
A map of iris
=============

A map.
"""

from sklearn.datasets import load_iris

from cogmap import FCMClassifier
from cogmap.plotting import plot_map

X, y = load_iris(return_X_y=True, as_frame=True)
fcm = FCMClassifier(random_state=0).fit(X, y)
plot_map(fcm)
