"""Encode a table as first states: features are scaled to [0, 1]; missing values and other concepts are undecided."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import csr_array, issparse
from scipy.special import expit

from cogmap._utils.params import param_error
from cogmap.models.features import Array, FeatureStatistics, TableLike, row_blocks, unit_of
from cogmap.models.logarithms import Logarithms
from cogmap.models.terms import Terms

UNDECIDED = 0.5  # first state of hidden concepts, outputs and missing values (NaN)

# Values outside the training range are extrapolated linearly, as in a linear model, but clipped at one range beyond it,
# so that no input can overflow the map.
OUTERMOST = (-1.0, 2.0)


class Scaling(Protocol):
    """Interface of a scaling: the function from features to states."""

    @property
    def known(self) -> FeatureStatistics:
        """Statistics of the training data."""
        ...

    @property
    def center(self) -> NDArray[np.float64]:
        """A typical value of each feature: its mean in the training data, on the scale on which the map reads it."""
        ...

    def scale(self, X: Array, dtype: DTypeLike | None = None) -> Array:
        """Convert features to states; values in the range of the training data are scaled to [0, 1]."""
        ...

    def derivative(self, X: Array) -> NDArray[np.float64]:
        """Return the derivative of each state with respect to its feature."""
        ...

    def narrowed(self, columns: NDArray[np.intp]) -> "Scaling":
        """Return the scaling of some features."""
        ...


@dataclass(frozen=True)
class FeatureRange:
    """Min-max scaling by the range of each feature in the training data, as in the paper."""

    known: FeatureStatistics

    @property
    def center(self) -> NDArray[np.float64]:
        """Mean of each feature."""
        return self.known.mean

    @property
    def low(self) -> NDArray[np.float64]:
        """Smallest value of each feature; 0 if it is always missing."""
        return np.nan_to_num(self.known.low)

    @property
    def high(self) -> NDArray[np.float64]:
        """Largest value of each feature; 0 if it is always missing."""
        return np.nan_to_num(self.known.high)

    @property
    def _unit(self) -> NDArray[np.float64]:
        return unit_of(self.high - self.low)

    def scale(self, X: Array, dtype: DTypeLike | None = None) -> Array:
        """Scale the range of each feature to [0, 1]; a constant feature becomes 0.

        Values outside the range are extrapolated, and clipped at -1 and 2.
        """
        low, unit = self.low, self._unit

        def states(block: Array) -> NDArray[np.float64]:
            return np.clip((block - low) / unit, *OUTERMOST)

        return _by_blocks(X, states, dtype)

    def derivative(self, X: Array) -> NDArray[np.float64]:
        """Return the derivative of each state with respect to its feature."""
        with np.errstate(over="ignore", invalid="ignore"):
            states = (X - self.low) / self._unit
            inside = (states > OUTERMOST[0]) & (states < OUTERMOST[1])  # False where a value is missing
        return inside / self._unit

    def narrowed(self, columns: NDArray[np.intp]) -> "FeatureRange":
        """Return the scaling of some features."""
        return FeatureRange(self.known.narrowed(columns))


@dataclass(frozen=True)
class FeatureSpread:
    """Logistic scaling by the mean and standard deviation of each feature in the training data.

    A state is the logistic function of the standardized value. Compared with min-max scaling, an extreme value
    compresses the other states less, and values outside of the range of the training data lie in [0, 1] too. Features
    with a long tail may be replaced by logarithms before they are standardized.
    """

    known: FeatureStatistics
    logarithms: Logarithms | None = None

    # One deviation from the mean becomes 0.68 or 0.32: most values lie where the function is nearly linear.
    steepness = 0.75

    @property
    def center(self) -> NDArray[np.float64]:
        """Mean of each feature; if it has a long tail, the value whose logarithm is the mean logarithm."""
        return self.known.mean if self.logarithms is None else self.logarithms.center

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean of each feature, or of its logarithm."""
        return self.known.mean if self.logarithms is None else self.logarithms.mean

    @property
    def deviation(self) -> NDArray[np.float64]:
        """Standard deviation of each feature, or of its logarithm."""
        return self.known.deviation if self.logarithms is None else self.logarithms.deviation

    def scale(self, X: Array, dtype: DTypeLike | None = None) -> Array:
        """Return the logistic function of standardized `X`; a constant feature becomes 0.5."""
        unit = unit_of(self.deviation)

        def states(block: Array) -> NDArray[np.float64]:
            values: Array = block if self.logarithms is None else self.logarithms.values(block)
            net = (values - self.mean) / unit
            net *= self.steepness
            return np.asarray(expit(net, out=net))

        return _by_blocks(X, states, dtype)

    def derivative(self, X: Array) -> NDArray[np.float64]:
        """Return the derivative of each state with respect to its feature."""
        states = self.scale(X, np.float64)
        derivative = states * (1.0 - states) * (self.steepness / unit_of(self.deviation))
        if self.logarithms is not None:
            derivative *= self.logarithms.derivative(X)
        return np.where(np.isnan(X), 0.0, derivative)

    def narrowed(self, columns: NDArray[np.intp]) -> "FeatureSpread":
        """Return the scaling of some features."""
        logarithms = None if self.logarithms is None else self.logarithms.narrowed(columns)
        return FeatureSpread(self.known.narrowed(columns), logarithms)


@dataclass(frozen=True)
class FromUndecided:
    """Scaling of inputs that are already states minus 0.5, as in sparse tables of states."""

    @property
    def known(self) -> FeatureStatistics:
        """Raise NotImplementedError: this scaling stores no statistics of features."""
        raise NotImplementedError

    @property
    def center(self) -> NDArray[np.float64]:
        """Raise NotImplementedError: this scaling stores no statistics of features."""
        raise NotImplementedError

    def scale(self, X: Array, dtype: DTypeLike | None = None) -> Array:
        """Add 0.5 to the inputs; missing values become undecided."""
        return (np.nan_to_num(X) + UNDECIDED).astype(dtype or X.dtype, copy=False)

    def derivative(self, X: Array) -> NDArray[np.float64]:
        """Return ones."""
        return np.ones(X.shape)

    def narrowed(self, columns: NDArray[np.intp]) -> "FromUndecided":
        """Return the same scaling."""
        return self


def _by_blocks(X: Array, states: Callable[[Array], NDArray[np.float64]], dtype: DTypeLike | None) -> Array:
    """Compute states block by block, in float64, because differences of float32 values may overflow float32."""
    scaled = np.empty(X.shape, dtype=dtype or X.dtype)
    with np.errstate(over="ignore"):
        for rows in row_blocks(len(X), X.shape[1]):
            block = states(X[rows])
            missing = np.isnan(block)
            if missing.any():
                block[missing] = UNDECIDED
            scaled[rows] = block
    return scaled


@dataclass(frozen=True)
class Encoding:
    """Maps rows of a table to the first states of a map.

    Attributes
    ----------
    n_features : int
        Number of columns of the table.
    n_hidden : int
        Number of hidden concepts, which come after the inputs. They and the outputs, which come last, start undecided.
    scaling : FeatureSpread, FeatureRange or None
        Scaling of the features. None leaves them unscaled.
    terms : Terms or None
        Linguistic terms of the features. None gives each feature one concept.
    used : ndarray of int or None
        Positions, in ascending order, of the inputs that are concepts of the map, among all inputs (features, or their
        terms). None means all. A column without a concept has no influence.
    features : tuple of str or None
        Names of the columns, needed only if some of them have no concept.
    """

    n_features: int
    n_hidden: int = 0
    scaling: Scaling | None = None
    terms: Terms | None = None
    used: NDArray[np.intp] | None = None
    features: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.used is not None:
            object.__setattr__(self, "used", self._checked_positions(self.used))
        if self.features is not None:
            object.__setattr__(self, "features", tuple(self.features))
            if len(self.features) != self.n_features or not all(isinstance(name, str) for name in self.features):
                raise param_error("Encoding", "features", f"{self.n_features} names, one per column", self.features)

    def _checked_positions(self, used: NDArray[np.intp]) -> NDArray[np.intp]:
        n_all = self.n_features if self.terms is None else len(self.terms.columns)
        positions = np.asarray(used)
        valid = positions.ndim == 1 and (positions.dtype.kind in "iu" or not positions.size)
        if not valid or not ((np.diff(positions, prepend=-1, append=n_all) > 0).all()):
            expected = f"different positions among the {n_all} inputs, in ascending order"
            raise param_error("Encoding", "used", expected, used)
        return positions.astype(np.intp)

    @property
    def columns(self) -> NDArray[np.intp]:
        """Column from which each input concept gets its state."""
        columns = np.arange(self.n_features) if self.terms is None else self.terms.columns
        return columns if self.used is None else columns[self.used]

    @property
    def n_inputs(self) -> int:
        """Number of input concepts, which get their first states from the table."""
        if self.used is not None:
            return len(self.used)
        return self.n_features if self.terms is None else len(self.terms.columns)

    @property
    def most_words(self) -> int | None:
        """Largest number of terms of a feature; None if all features are numeric."""
        words = [] if self.terms is None else [len(words) for words in self.terms.words]
        return max(words, default=0) or None

    def input_names(self, columns: Sequence[str]) -> list[str]:
        """Return the names of the inputs, given the names of the columns."""
        names = list(columns) if self.terms is None else self.terms.names(columns)
        return names if self.used is None else [names[place] for place in self.used]

    def column_names(self, inputs: Sequence[str]) -> list[str]:
        """Return the names of the columns, given the names of the inputs; x0, x1, ... if a name is unknown."""
        if self.features is not None:
            return list(self.features)
        words = [""] * self.n_features if self.terms is None else self.terms.names([""] * self.n_features)
        names = [f"x{j}" for j in range(self.n_features)]
        places = range(len(words)) if self.used is None else self.used
        # From the last to the first, so that the first term of a column gives the name.
        for column, name, place in reversed(list(zip(self.columns, inputs, places, strict=True))):
            names[column] = name.removesuffix(words[place])
        return names

    def narrowed(self, columns: NDArray[np.intp]) -> "Encoding":
        """Return the encoding restricted to some features, all of them inputs, without terms."""
        scaling = None if self.scaling is None else self.scaling.narrowed(columns)
        return Encoding(len(columns), self.n_hidden, scaling)

    def restricted(self, columns: NDArray[np.intp]) -> "Encoding":
        """Return the encoding of a table of some columns, which must include all that have a concept."""
        terms, used, features = self.terms, self.used, self.features
        if used is not None:
            kept = np.isin(replace(self, used=None).columns, columns)
            used = (np.cumsum(kept) - 1)[used]
            used = None if len(used) == kept.sum() else used
        if terms is not None:
            terms = Terms(tuple(terms.values[j] for j in columns), tuple(terms.words[j] for j in columns))
        features = None if features is None else tuple(features[j] for j in columns)
        return replace(self.narrowed(columns), terms=terms, used=used, features=features)

    def inputs(self, X: Array, dtype: DTypeLike | None = None) -> Array:
        """Return the states of the inputs, undecided where a value is missing."""
        if self.used is not None and len(columns := np.unique(self.columns)) < self.n_features:
            return self.restricted(columns).inputs(np.take(X, columns, axis=1), dtype)
        numbers = self._numbers(X, dtype)
        return numbers if self.terms is None else self._of_used(self.terms.states(X, numbers))

    def _of_used(self, of_inputs: Array) -> Array:
        """Select the inputs that are concepts, of all inputs in the last axis."""
        return of_inputs if self.used is None else np.take(of_inputs, self.used, axis=-1)

    def learned_from(self, X: TableLike, dtype: DTypeLike | None = None) -> TableLike:
        """Return the states of the inputs for training.

        If `X` is sparse, so is the result, and 0.5 is subtracted from all states, so that zeros need not be stored.
        """
        return self.sparse_inputs(X, dtype) if issparse(X) else self.inputs(X, dtype)

    def sparse_inputs(self, X: TableLike, dtype: DTypeLike | None = None) -> csr_array:
        """Return the states minus 0.5 of a sparse table, as a sparse array; entries not stored are undecided."""
        result = csr_array(X, dtype=dtype or X.dtype, copy=True)
        if isinstance(self.scaling, FeatureSpread):
            net = np.nan_to_num(result.data / unit_of(self.scaling.deviation)[result.indices])
            result.data = (expit(self.scaling.steepness * net) - UNDECIDED).astype(result.dtype)
        return result if self.used is None else csr_array(result[:, self.used])

    @property
    def keeps_sparse(self) -> bool:
        """Whether entries that are not stored in a sparse table are encoded as undecided."""
        if self.terms is not None:
            return False
        if isinstance(self.scaling, FeatureSpread):
            return not self.scaling.mean.any()
        return isinstance(self.scaling, FromUndecided)

    def _numbers(self, X: Array, dtype: DTypeLike | None) -> Array:
        if self.scaling is not None:
            return self.scaling.scale(X, dtype)
        dtype = dtype or X.dtype
        missing = np.isnan(X)
        return np.where(missing, UNDECIDED, X).astype(dtype) if missing.any() else X.astype(dtype, copy=False)

    def derivative(self, X: Array) -> Array:
        """Return the derivative of the state of each input with respect to its column, 0 for missing values."""
        of_numbers = np.where(np.isnan(X), 0.0, 1.0) if self.scaling is None else self.scaling.derivative(X)
        return self._of_used(of_numbers if self.terms is None else self.terms.derivative(X, of_numbers))

    def by_column(self, of_inputs: Array) -> Array:
        """Sum over the inputs of each column: from (..., n_inputs) to (..., n_features)."""
        if self.terms is None and self.used is None:
            return of_inputs
        membership = np.zeros((self.n_inputs, self.n_features), dtype=of_inputs.dtype)
        membership[np.arange(self.n_inputs), self.columns] = 1.0
        return of_inputs @ membership

    def first_states(self, X: Array, n_outputs: int) -> Array:
        """Return the first states of all concepts of a map with `n_outputs` outputs."""
        states = np.full((len(X), self.n_inputs + self.n_hidden + n_outputs), UNDECIDED, dtype=X.dtype)
        states[:, : self.n_inputs] = self.inputs(X)
        return states
