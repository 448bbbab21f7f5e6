"""What a figure is asked to show: the map and the kinds of concepts of an estimator, a model, or a map alone."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from cogmap._params import wrong
from cogmap._prediction import FittedMap
from cogmap.map import FuzzyCognitiveMap
from cogmap.model import MapModel


def model_of(asked: Any) -> MapModel | None:
    """Return the model of a fitted estimator or the model itself, None if there is none."""
    model = asked if isinstance(asked, MapModel) else getattr(asked, "model_", None)
    return model if isinstance(model, MapModel) else None


def map_of(owner: str, asked: Any) -> FuzzyCognitiveMap:
    """Return the map, or complain."""
    if isinstance(asked, FittedMap):
        check_is_fitted(asked, "model_")
    model = model_of(asked)
    if model is not None:
        return model.map
    if not isinstance(asked, FuzzyCognitiveMap):
        raise wrong(owner, "fcm", "a fitted estimator of cogmap, a MapModel or a FuzzyCognitiveMap", asked)
    return asked


def kinds_of(asked: Any) -> tuple[str, ...] | None:
    """Return what each concept is, if that is known: a map alone does not say it."""
    model = model_of(asked)
    return None if model is None else model.kinds
