"""Whether a wide map is learned from all columns or from those that say something about the targets."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.parts import divisions
from cogmap._learning.recipe import Recipe
from cogmap._learning.screening import relevant
from cogmap._learning.settings import Settings
from cogmap._learning.table import Table
from cogmap._learning.teachers import learn_teacher
from cogmap._threads import one_blas_thread

_PARTS = 4


def worth_learning(table: Table, settled: Callable[[int], Settings], random: np.random.RandomState) -> NDArray[np.intp]:
    """Return the columns to learn from.

    Many columns may each say so little that no test finds them, and together much. So a map of all of them, without
    hidden concepts, is compared with one of those found, by the loss on rows kept aside; to be fair, columns are found
    without these rows then.

    Parameters
    ----------
    table : Table
        Its features are states.
    settled : callable
        Returns the settings for a map of so many inputs.
    random : RandomState
        Decides which rows are kept aside, and starts.
    """
    everything = np.arange(table.X.shape[1])
    found = relevant(table)
    if len(found) == 0:
        return everything
    if 2 * len(found) >= len(everything):
        return found
    division = next(divisions(table, _PARTS, random), None)
    if division is None:
        return found
    learning, aside = division
    few = relevant(learning)
    if len(few) == 0:
        return everything

    def loss(columns: NDArray[np.intp], settings: Settings) -> float:
        parts = learning.narrowed(columns), aside.narrowed(columns)
        recipe = Recipe.for_table(parts[0], settings)
        return learn_teacher(recipe, parts, recipe.start(parts[0], random)).loss

    with one_blas_thread():
        of_few = loss(few, settled(len(few)))
        of_all = loss(everything, replace(settled(len(everything)), n_hidden=0))
    return found if of_few < of_all else everything
