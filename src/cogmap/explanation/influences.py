"""What influences what in the whole map, on data: concepts on outputs, and the edges that carry it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation._answer import Answer

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Influence(Answer):
    """How much each concept influences each output, and how much of that each edge carries.

    Attributes
    ----------
    effect : ndarray of shape (n_concepts, n_outputs)
        Mean derivative of each output with respect to the first state of each concept, through all steps.
    magnitude : ndarray of shape (n_concepts, n_outputs)
        Mean of the absolute value of that derivative. Where it is much larger than the effect, the sign changes
        from row to row.
    flow : ndarray of shape (n_concepts, n_concepts, n_outputs)
        ``[i, j, k]``: how much of what changes output k from one row to another passes through the edge from concept j
        to concept i, on average. Never negative.
    weights : ndarray of shape (n_concepts, n_concepts)
        Weights of the edges, as in the map: ``[i, j]`` is the influence of concept j on concept i.
    concepts : tuple of str
        Names of the concepts.
    kinds : tuple of {"feature", "hidden", "output"}
        What each concept is.
    output_names : tuple of str
        Names of the outputs.
    scale : {"probability", "decision"}
        What outputs are.
    """

    effect: Array
    magnitude: Array
    flow: Array
    weights: Array
    concepts: tuple[str, ...]
    kinds: tuple[str, ...]
    output_names: tuple[str, ...]
    scale: str


@dataclass(frozen=True, eq=False)
class Importances(Answer):
    """How much each feature matters on data, in the form of scikit-learn's ``permutation_importance``.

    Attributes
    ----------
    importances_mean, importances_std : ndarray of shape (n_features,)
        Mean and standard deviation of `importances` over the repeats.
    importances : ndarray of shape (n_features, n_repeats)
        Mean absolute contribution of each feature to the difference between two rows; repeats pair the rows anew.
    feature_names : tuple of str
        Names of the columns of X.
    """

    importances_mean: Array
    importances_std: Array
    importances: Array
    feature_names: tuple[str, ...]
