"""Rows to learn from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.targets import Targets
from cogmap._utils.segments import total
from cogmap.models.features import TableLike, row_blocks

if TYPE_CHECKING:
    from cogmap._learning.solvers import Objective, Theta
    from cogmap._learning.spec import ModelSpec


@dataclass(frozen=True)
class Table:
    """Features, targets and weights of the rows.

    A part of a table shares its features, which may be large, and says which rows it has.
    """

    X: TableLike  # an array; or a sparse one, of states minus 0.5 once they are states
    targets: Targets
    weight: NDArray[np.float64] | None = None  # None: all rows weigh 1
    features: tuple[str, ...] = ()  # names
    rows: NDArray[np.intp] | None = None  # which rows of X; None: all
    n_values: int = 0  # number of values that were given, before equal rows were merged

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.X.shape[0] if self.rows is None else len(self.rows)

    @property
    def row_weights(self) -> NDArray[np.float64]:
        """The weight of each row."""
        return np.ones(self.n_rows) if self.weight is None else self.weight

    @property
    def total_weight(self) -> float:
        """Sum of the weights of the rows."""
        return float(self.n_rows) if self.weight is None else total(self.weight)

    def sample(self) -> "Table":
        """Return rows that are in memory: all."""
        return self

    def objective(self, spec: "ModelSpec", teachers: "Sequence[Theta]" = ()) -> "Objective":
        """Return the loss of a model on the rows, whose targets an ensemble may have a say in."""
        return spec.objective(self, spec.distilled_targets(self, teachers) if teachers else None)

    def take(self, rows: NDArray[np.intp]) -> "Table":
        """Return the table of some of the rows."""
        return replace(
            self,
            targets=self.targets.take(rows),
            weight=None if self.weight is None else self.weight[rows],
            rows=rows if self.rows is None else self.rows[rows],
        )

    def spread(self, most: int) -> "Table":
        """Return so many of the rows at the most, evenly over the table: enough to look at."""
        if self.n_rows <= most:
            return self
        return self.take(np.linspace(0, self.n_rows - 1, most).astype(np.intp))

    def narrowed(self, columns: NDArray[np.intp]) -> "Table":
        """Return the table of some of the columns."""
        return replace(self, X=self.X[:, columns], features=tuple(self.features[j] for j in columns))

    def weighted(self, weight: NDArray[np.float64]) -> "Table":
        """Return the table of the rows that have any of these weights, with them."""
        rows = np.flatnonzero(weight > 0.0)
        return replace(self.take(rows), weight=weight[rows])

    def blocks(self) -> Iterator[tuple[slice, NDArray[np.floating]]]:
        """Return the features block by block, with the rows that they are of."""
        for block in row_blocks(self.n_rows, self.X.shape[1]):
            yield block, self.X[block if self.rows is None else self.rows[block]]

    def merged(self) -> "Table":
        """Merge equal rows into one that has their weight, and bring the rows into an order of their own.

        Learning follows the last bit of a sum, and a sum depends on the order of its terms. After merging, the same
        rows in another order, or repeated instead of weighted, give the same model bit by bit.
        """
        rows = np.column_stack([self.X, self.targets.array]).astype(np.float64, order="C")
        rows += 0.0  # -0.0 equals 0.0
        rows[np.isnan(rows)] = np.nan  # one missing value is like another
        keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        weight = self.weight
        if weight is not None or len(first) < self.n_rows:
            weight = np.bincount(group, weight).astype(np.float64, copy=False)
        return replace(self, X=self.X[first], targets=self.targets.take(first), weight=weight)
