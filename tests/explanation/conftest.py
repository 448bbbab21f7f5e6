"""Models to explain: random and fitted ones."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

from cogmap import FCMClassifier, FCMRegressor, FuzzyCognitiveMap
from cogmap.models.encoding import Encoding, FeatureSpread
from cogmap.models.features import FeatureStatistics
from cogmap.models.links import LogOddsLink, SoftmaxLink, ValueLink
from cogmap.models.model import MapModel

LINKS = {
    "one output": LogOddsLink(np.array(["no", "yes"])),
    "two outputs": SoftmaxLink(np.array(["no", "yes"]), 10.0),
    "three outputs": SoftmaxLink(np.arange(3), 4.0),
    "values": ValueLink(("height", "weight"), np.array([1.0, -5.0]), np.array([3.0, 40.0]), one_dimensional=False),
    "one value": ValueLink(("height",), np.array([1.0]), np.array([3.0]), one_dimensional=True),
}
LOADERS = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
    "diabetes": load_diabetes,
}


def spread(n_features, whole=False):
    """Return a scaling of features between -3 and 3, of which some may be whole numbers."""
    one = np.ones(n_features)
    return FeatureSpread(
        FeatureStatistics(one, 0.0 * one, 1.5 * one, -3.0 * one, 3.0 * one, np.array(whole) & (one > 0))
    )


@pytest.fixture(scope="session")
def random_model():
    """Return a factory of random models."""

    def make(link="one output", depth=2, n_features=4, n_hidden=1, scaling=None, seed=0, slope=1.0, weights=None):
        rng = np.random.default_rng(seed)
        link = LINKS[link]
        r = n_features + n_hidden + link.n_outputs
        W = rng.normal(size=(r, r)) * 1.5 if weights is None else np.asarray(weights, dtype=float)
        fcm = FuzzyCognitiveMap(W, 0.5 - 0.5 * W.sum(axis=1), slope=slope)
        return MapModel(fcm, depth, Encoding(n_features, n_hidden, scaling), link)

    return make


@pytest.fixture(scope="session")
def learned():
    """Return a function that fits an estimator to one of the embedded tables, cached."""
    cache = {}

    def get(name, structure="auto"):
        if (name, structure) not in cache:
            X, y = LOADERS[name](return_X_y=True, as_frame=True)
            estimator = FCMRegressor if name == "diabetes" else FCMClassifier
            cache[name, structure] = estimator(structure=structure, random_state=0).fit(X, y), X, y
        return cache[name, structure]

    return get
