"""`Plan`: the encoding of features, the inputs to use, and the settings of training."""

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from cogmap._learning.concepts import Concepts
from cogmap._learning.settings import DataShape, Settings
from cogmap._learning.table import Table
from cogmap.maps.structured import StructuredMap
from cogmap.models.encoding import Encoding
from cogmap.models.model import MapModel


@dataclass(frozen=True)
class Plan:
    """All decisions made before training.

    Attributes
    ----------
    encoding : Encoding
        Encoding of features as states.
    settings : Settings
        Settings of training.
    features : tuple of str
        Names of all inputs.
    shape : DataShape
        Sizes of the data from which the settings were resolved.
    inputs : ndarray of int or None
        Inputs on which a structured map is trained. None for a dense map, which uses all inputs.
    """

    encoding: Encoding
    settings: Settings
    features: tuple[str, ...]
    shape: DataShape
    inputs: NDArray[np.intp] | None = None

    def with_settings(self, **settings: Any) -> "Plan":
        """Return the plan with some settings replaced."""
        return replace(self, settings=replace(self.settings, **settings))

    def encoded(self, table: Table) -> Table:
        """Return a table of features encoded as states."""
        encoding, X, dtype = self.encoding, table.X, self.settings.dtype
        if self.inputs is None:
            return replace(table, X=encoding.learned_from(X, dtype), features=self.features)
        if encoding.terms is not None:
            states = replace(table, X=encoding.learned_from(X, dtype), features=self.features)
            return states.narrowed(self.inputs)
        if len(self.inputs) < X.shape[1]:  # encode the selected columns only
            encoding, X = encoding.narrowed(self.inputs), X[:, self.inputs]
        states = encoding.learned_from(X, dtype)
        features = tuple(self.features[j] for j in self.inputs)
        # Column-major order is faster for products with the weights of few concepts.
        return replace(table, X=states if issparse(states) else np.asfortranarray(states), features=features)

    def finish(self, model: MapModel) -> MapModel:
        """Return the model for unscaled features, given one for states; a structured map gets all features."""
        encoding = replace(self.encoding, n_hidden=model.n_hidden)
        if self.inputs is None:
            return replace(model, encoding=encoding)
        names = Concepts.of(self.features, model.n_hidden, model.link.names).names
        return replace(model, map=cast(StructuredMap, model.map).widened(self.inputs, names), encoding=encoding)
