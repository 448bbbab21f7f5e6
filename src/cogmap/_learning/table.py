"""`Table`: training rows in memory."""

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

    A subset of a table shares its features, which may be large, and stores row numbers.
    """

    X: TableLike  # an array or sparse array; sparse states are stored minus 0.5
    targets: Targets
    weight: NDArray[np.float64] | None = None  # None: all rows weigh 1
    features: tuple[str, ...] = ()  # names
    rows: NDArray[np.intp] | None = None  # row numbers in X; None: all
    n_values: int = 0  # number of values in the original table, before equal rows were merged

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
        """Return the table itself, which is in memory."""
        return self

    def objective(self, spec: "ModelSpec", teachers: "Sequence[Theta]" = ()) -> "Objective":
        """Return the loss of a model on the rows; with teachers, on distillation targets."""
        return spec.objective(self, spec.distilled_targets(self, teachers) if teachers else None)

    def take(self, rows: NDArray[np.intp]) -> "Table":
        """Return the table of some of the rows."""
        return replace(
            self,
            targets=self.targets.take(rows),
            weight=None if self.weight is None else self.weight[rows],
            rows=rows if self.rows is None else self.rows[rows],
        )

    def subsample(self, max_rows: int) -> "Table":
        """Return at most `max_rows` rows, evenly spaced."""
        if self.n_rows <= max_rows:
            return self
        return self.take(np.linspace(0, self.n_rows - 1, max_rows).astype(np.intp))

    def narrowed(self, columns: NDArray[np.intp]) -> "Table":
        """Return the table of some of the columns."""
        return replace(self, X=self.X[:, columns], features=tuple(self.features[j] for j in columns))

    def weighted(self, weight: NDArray[np.float64]) -> "Table":
        """Return the rows with positive entries of `weight`, with these weights."""
        rows = np.flatnonzero(weight > 0.0)
        return replace(self.take(rows), weight=weight[rows])

    def blocks(self) -> Iterator[tuple[slice, NDArray[np.floating]]]:
        """Yield blocks of rows and their features."""
        for block in row_blocks(self.n_rows, self.X.shape[1]):
            yield block, self.X[block if self.rows is None else self.rows[block]]

    def merged(self) -> "Table":
        """Merge equal rows, add their weights, and sort the rows.

        Training depends on the last bit of sums, and sums depend on the order of their terms. After merging, rows in
        another order, or repeated instead of weighted, give bitwise the same model.
        """
        rows = np.column_stack([self.X, self.targets.array]).astype(np.float64, order="C")
        rows += 0.0  # -0.0 equals 0.0
        rows[np.isnan(rows)] = np.nan  # all NaN get the same bits
        keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        weight = self.weight
        if weight is not None or len(first) < self.n_rows:
            weight = np.bincount(group, weight).astype(np.float64, copy=False)
        return replace(self, X=self.X[first], targets=self.targets.take(first), weight=weight)
