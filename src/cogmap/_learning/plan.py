"""A plan: how to read features, what to learn from them, and how."""

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
    """Everything that is decided before training.

    Attributes
    ----------
    encoding : Encoding
        How features become states.
    settings : Settings
        How to train.
    features : tuple of str
        Names of all inputs.
    shape : DataShape
        Sizes of the data that the settings are for.
    inputs : ndarray of int or None
        Which of the inputs a structured map is trained on. None: all, in a map of all influences.
    """

    encoding: Encoding
    settings: Settings
    features: tuple[str, ...]
    shape: DataShape
    inputs: NDArray[np.intp] | None = None

    def changed(self, **settings: Any) -> "Plan":
        """Return the plan with some other settings."""
        return replace(self, settings=replace(self.settings, **settings))

    def encoded(self, table: Table) -> Table:
        """Return the table of states that a table of features becomes."""
        encoding, X, dtype = self.encoding, table.X, self.settings.dtype
        if self.inputs is None:
            return replace(table, X=encoding.learned_from(X, dtype), features=self.features)
        if encoding.terms is not None:
            states = replace(table, X=encoding.learned_from(X, dtype), features=self.features)
            return states.narrowed(self.inputs)
        if len(self.inputs) < X.shape[1]:  # others need not become states
            encoding, X = encoding.narrowed(self.inputs), X[:, self.inputs]
        states = encoding.learned_from(X, dtype)
        features = tuple(self.features[j] for j in self.inputs)
        # Products are with columns of few concepts: the columns of the table should lie together.
        return replace(table, X=states if issparse(states) else np.asfortranarray(states), features=features)

    def finish(self, model: MapModel) -> MapModel:
        """Return the model of features for a model of states; in a structured map all features are concepts."""
        encoding = replace(self.encoding, n_hidden=model.n_hidden)
        if self.inputs is None:
            return replace(model, encoding=encoding)
        names = Concepts.of(self.features, model.n_hidden, model.link.names).names
        return replace(model, map=cast(StructuredMap, model.map).widened(self.inputs, names), encoding=encoding)
