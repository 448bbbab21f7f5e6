"""What a figure is asked to show: the map and the kinds of concepts of an estimator, a model, or a map alone."""

from typing import Any

from cogmap._params import Words, wrong
from cogmap.map import FuzzyCognitiveMap
from cogmap.model import MapModel


def model_of(asked: Any) -> MapModel | None:
    """Return the model of a fitted estimator or the model itself, None if there is none."""
    model = asked if isinstance(asked, MapModel) else getattr(asked, "model_", None)
    return model if isinstance(model, MapModel) else None


def map_of(owner: str, asked: Any) -> FuzzyCognitiveMap:
    """Return the map, or complain."""
    model = model_of(asked)
    if model is not None:
        return model.map
    if isinstance(asked, FuzzyCognitiveMap):
        return asked
    not_fitted = hasattr(asked, "fit")
    raise wrong(
        owner,
        "fcm",
        "a fitted estimator, a MapModel or a FuzzyCognitiveMap",
        Words(f"{type(asked).__name__}, which is not fitted") if not_fitted else asked,
        "Call fit first." if not_fitted else "",
    )


def kinds_of(asked: Any) -> tuple[str, ...] | None:
    """Return what each concept is, if that is known: a map alone does not say it."""
    model = model_of(asked)
    return None if model is None else model.kinds
