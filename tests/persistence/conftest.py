"""A model to keep, learned in a moment."""

import numpy as np
import pandas as pd
import pytest

from cogmap import FCMClassifier


@pytest.fixture(scope="session")
def small():
    """Return a small fitted classifier; `small.table` is what it has learned from."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 4)), columns=["height", "weight", "age", "täl"])
    labels = np.where(table["height"] + table["weight"] > 0, "high", "low")
    fcm = FCMClassifier(max_iter=4, tol=0.0, random_state=0).fit(table, labels)
    fcm.table = table
    return fcm
