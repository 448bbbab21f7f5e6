"""Views of the paper's examples, with the printed weights and trained here, for the figures of the report."""

from functools import cache
from typing import Any

import numpy as np
from sklearn.datasets import make_moons

from cogmap import FCMClassifier
from cogmap.maps.dynamics import FOUR_FIXED_POINTS, ONE_CYCLE, TWO_FIXED_POINTS
from cogmap.plotting.attractors import attractors_view
from cogmap.plotting.regions import decision_regions_view
from cogmap.plotting.transformed import transformed_3d_view, transformed_view
from cogmap.research.experiments.original import printed_moons

# Fine enough for a panel of the page, and small enough for a readable file.
_CELLS, _PIXELS, _TRAJECTORIES = 60, 90, 10


@cache
def make_pictures() -> dict[str, Any]:
    """Return the views of the moons and attractor figures, by panel, as plain lists."""
    X, y = make_moons(300, noise=0.05, random_state=0)
    settings: dict[str, Any] = {
        "structure": "full",
        "depth": 3,
        "n_hidden": 0,
        "alpha": 0.01,
        "max_iter": 5000,
        "random_state": 1,
    }
    printed = printed_moons()
    fitted = {
        "FCMB, as printed": printed["FCMB"],
        "FCMMC, as printed": printed["FCMMC"],
        "one output, learned here": FCMClassifier(output="single", **settings).fit(X, y),
        "one output per class, learned here": FCMClassifier(output="one_hot", **settings).fit(X, y),
    }
    maps = {"two fixed points": TWO_FIXED_POINTS, "four fixed points": FOUR_FIXED_POINTS, "a cycle": ONE_CYCLE}
    pictures: dict[str, Any] = {
        "moons_regions": {kind: decision_regions_view(fcm, X, y, _CELLS) for kind, fcm in fitted.items()},
        "moons_transformed": {kind: transformed_view(fcm, X, y) for kind, fcm in fitted.items()},
        "moons_transformed_3d": {kind: transformed_3d_view(fcm, X, y) for kind, fcm in fitted.items()},
        "attractors": {kind: attractors_view(fcm, _TRAJECTORIES, _PIXELS) for kind, fcm in maps.items()},
    }
    plain: dict[str, Any] = _plain(pictures)
    return plain


def _plain(value: Any) -> Any:
    """Convert arrays to lists, rounded to the visible digits."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray | np.generic | float):
        return np.asarray(value).round(3).tolist()
    return value
