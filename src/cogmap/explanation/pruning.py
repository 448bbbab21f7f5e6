"""Sparse maps: leave out the edges that carry least on the data, and learn the rest anew."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation._answer import Answer

Array = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class PruningCurve(Answer):
    """Scores of maps with fewer and fewer edges, on rows that they did not learn from.

    Attributes
    ----------
    keep : ndarray of shape (n_sizes,)
        Shares of the edges that are kept, the largest first.
    n_edges : ndarray of int, of shape (n_sizes,)
        How many edges that is; the mean over the folds.
    scores : ndarray of shape (n_folds, n_sizes)
        Score of each map on the rows of its fold: accuracy, or R² of a regressor.
    full_scores : ndarray of shape (n_folds,)
        Scores of the maps with all their edges.
    metric : str
        What a score is: ``"accuracy"`` or ``"R²"``.
    """

    keep: Array
    n_edges: Array
    scores: Array
    full_scores: Array
    metric: str


def prune() -> None:
    """Wait."""


def pruning_curve() -> None:
    """Wait."""
