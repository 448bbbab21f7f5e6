"""What would change the answer: the smallest change of a row that does."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation._answer import Answer

Array = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class WhatIf(Answer):
    """A row that is like a given one, but of which the map says something else.

    Attributes
    ----------
    row : array or data frame of one row, or None
        The changed row, in the form in which the row was given; None if none was found.
    changes : dict of str to (float, float)
        The features that change, with the value before and after, the largest change first.
    size : float
        Size of the change: the sum over the features, each in standard deviations of the training data. NaN if none
        was found.
    outputs_before, outputs : ndarray of shape (n_outputs,)
        What the map says about the given and the changed row: probabilities or values. `outputs` is that of the given
        row if no change was found.
    output_names : tuple of str
        Names of the outputs.
    to : object
        What was asked for: a class or a value.
    sizes : dict of str to float
        The change of each feature that changes, in deviations and with its sign.
    sentence : str
        What was found, in words.
    n_tried : int
        How many rows the map was asked about.
    others : tuple of WhatIf
        Further answers, each without the feature that changes most in an earlier one.
    """

    row: Any
    changes: dict[str, tuple[float, float]]
    size: float
    outputs_before: Array
    outputs: Array
    output_names: tuple[str, ...]
    to: Any
    sizes: dict[str, float]
    sentence: str
    n_tried: int
    others: tuple["WhatIf", ...] = ()

    @property
    def found(self) -> bool:
        """Whether there is an answer."""
        return self.row is not None
