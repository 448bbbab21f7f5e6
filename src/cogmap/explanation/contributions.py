"""Why a map says what it says about a row: what each feature contributes, in shares that add up."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation._answer import Answer

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Explanation(Answer):
    """What each feature contributes to what the map says about each row.

    ``base_values + contributions.sum(axis=1)`` is ``outputs``.

    Attributes
    ----------
    contributions : ndarray of shape (n_rows, n_features, n_outputs)
        What each feature contributes to each output.
    base_values : ndarray of shape (n_outputs,)
        What the map says about the baseline.
    outputs : ndarray of shape (n_rows, n_outputs)
        What the map says about the rows.
    values : ndarray of shape (n_rows, n_features)
        The rows that are explained.
    feature_names, output_names : tuple of str
        Names of the columns of X and of the outputs.
    scale : {"probability", "decision"}
        Whether outputs are probabilities (or values), or what decides: log-odds or scores.
    """

    contributions: Array
    base_values: Array
    outputs: Array
    values: Array
    feature_names: tuple[str, ...]
    output_names: tuple[str, ...]
    scale: str
    _model: Any = field(repr=False, default=None)
    _background: Any = field(repr=False, default=None)

    @property
    def relevance(self) -> Array:
        """How much each feature matters to each row: the mean absolute contribution over a background sample.

        An ndarray of shape (n_rows, n_features, n_outputs), never negative.
        """
        raise NotImplementedError
