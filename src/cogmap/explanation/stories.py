"""The story of one row: states step by step, the edges that moved it, and what each feature contributes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation._answer import Answer

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Story(Answer):
    """How a map gets from one row to one of its outputs.

    Attributes
    ----------
    states : ndarray of shape (depth + 1, n_concepts)
        States of the concepts at every step.
    baseline_states : ndarray of shape (depth + 1, n_concepts)
        The same for the baseline.
    flow : ndarray of shape (depth, n_concepts, n_concepts)
        ``[t, i, j]``: what the edge from concept j to concept i carries in step t + 1 of the difference between the row
        and the baseline. Each step carries all of it: ``flow[t].sum()`` is ``output - base_value``.
    contributions : ndarray of shape (n_features,)
        What each feature contributes; they too add up to ``output - base_value``.
    values : ndarray of shape (n_features,)
        The row.
    output, base_value : float
        What the map says about the row and about the baseline.
    output_name : str
        Which output the story is about.
    feature_names : tuple of str
        Names of the columns of X.
    concepts : tuple of str
        Names of the concepts.
    kinds : tuple of {"feature", "hidden", "output"}
        What each concept is.
    scale : {"probability", "decision"}
        What the output is.
    """

    states: Array
    baseline_states: Array
    flow: Array
    contributions: Array
    values: Array
    output: float
    base_value: float
    output_name: str
    feature_names: tuple[str, ...]
    concepts: tuple[str, ...]
    kinds: tuple[str, ...]
    scale: str
