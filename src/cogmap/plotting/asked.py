"""What a figure is asked to show: the map of an estimator or a model, or a map alone."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from cogmap._params import wrong
from cogmap._prediction import FittedMap
from cogmap.map import FuzzyCognitiveMap
from cogmap.model import MapModel


def map_of(owner: str, asked: Any) -> FuzzyCognitiveMap:
    """Return the map of a fitted estimator, of a model, or the map itself; or complain."""
    if isinstance(asked, FittedMap):
        check_is_fitted(asked, "model_")
    model = asked if isinstance(asked, MapModel) else getattr(asked, "model_", None)
    if isinstance(model, MapModel):
        return model.map
    if not isinstance(asked, FuzzyCognitiveMap):
        raise wrong(owner, "fcm", "a fitted estimator of cogmap, a MapModel or a FuzzyCognitiveMap", asked)
    return asked
