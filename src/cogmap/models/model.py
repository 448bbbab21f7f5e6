"""`MapModel`: everything needed to compute predictions from a table.

Explanations, model files, pages and figures take this object. It depends on neither training nor scikit-learn.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from cogmap._utils.params import Literal, check_choice, param_error, real
from cogmap._utils.threads import one_blas_thread
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.maps.structured import StructuredMap
from cogmap.models.encoding import Encoding
from cogmap.models.features import TableLike, row_blocks
from cogmap.models.links import Link

__all__ = ["MapModel"]

Array = NDArray[np.floating]

MAX_DEPTH = 10_000  # steps
_OWNER = "MapModel"
_DERIVATIVES = ("outputs", "decision", "transformed", "first_states", "trajectory")


@dataclass(frozen=True, eq=False)
class MapModel:
    """A learned map with the encoding of its inputs and the link of its outputs.

    Fitted estimators have one as ``model_``. It is immutable.

    Parameters
    ----------
    map : FuzzyCognitiveMap
        The map. Its concepts are the features, the hidden concepts, then the outputs.
    depth : int
        Number of steps before the outputs are read.
    encoding : Encoding
        Converts features to the first states.
    link : Link
        Converts the outputs to class probabilities, or to predicted values in regression.

    See Also
    --------
    cogmap.FCMClassifier : Its ``model_`` is such a model.
    cogmap.load : Read a model from a file.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FCMClassifier(random_state=0).fit(X, y).model_
    >>> model.outputs(X).shape  # probabilities of three classes
    (150, 3)
    >>> model.derivative(X).shape  # of each probability with respect to each of four features
    (150, 3, 4)

    States of all concepts at the start, before the last step and in every step, and what the outputs receive:

    >>> n = model.map.n_concepts
    >>> model.first_states(X).shape == model.transformed(X).shape == (150, n)
    True
    >>> model.trajectory(X).shape == (model.depth + 1, 150, n)
    True
    >>> model.net(X).shape, model.decision(X).shape
    ((3, 150), (150, 3))
    """

    map: FuzzyCognitiveMap
    depth: int
    encoding: Encoding
    link: Link

    def __post_init__(self) -> None:
        concepts = self.n_inputs + self.n_hidden + self.n_outputs
        if concepts != self.map.n_concepts:
            expected = (
                f"a map of {concepts} concepts: {self.n_inputs} inputs, {self.n_hidden} hidden, "
                f"{self.n_outputs} outputs"
            )
            raise param_error(_OWNER, "map", expected, Literal(f"one of {self.map.n_concepts}"))
        object.__setattr__(self, "map", self.map.with_kinds(self.kinds))  # for drawing

    @property
    def n_features(self) -> int:
        """Number of features (columns of the table)."""
        return self.encoding.n_features

    @property
    def n_inputs(self) -> int:
        """Number of input concepts, which come first: one per feature, or one per linguistic term."""
        return self.encoding.n_inputs

    @property
    def n_hidden(self) -> int:
        """Number of hidden concepts, which come after the inputs."""
        return self.encoding.n_hidden

    @property
    def n_outputs(self) -> int:
        """Number of outputs, the last concepts."""
        return self.link.n_outputs

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kind of each concept: ``"feature"``, ``"hidden"`` or ``"output"``."""
        return ("feature",) * self.n_inputs + ("hidden",) * self.n_hidden + ("output",) * self.n_outputs

    def first_states(self, X: ArrayLike) -> Array:
        """Return the initial states of each row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_rows, n_concepts)
            First states of the inputs; hidden concepts and outputs start at 0.5.
        """
        return self._by_blocks(X, lambda states: states)

    def trajectory(self, X: ArrayLike) -> Array:
        """Return the states at every step.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.

        Returns
        -------
        ndarray of shape (depth + 1, n_rows, n_concepts)
            States; the first step holds the initial states.
        """
        return self._by_blocks(X, lambda states: self.map.run(states, self.depth), axis=1)

    def transformed(self, X: ArrayLike) -> Array:
        """Return the states before the last step, which serve as transformed features.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_rows, n_concepts)
            States of all concepts.
        """
        return self._by_blocks(X, self._before_last)

    def outputs(self, X: ArrayLike) -> Array:
        """Return the predictions: probabilities of the classes, or values of the targets.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_rows, n_classes or n_targets)
            Probabilities or values.
        """
        return self._of_net(X, self.link.outputs)

    def net(self, X: ArrayLike) -> Array:
        """Return the net input of the outputs in the last step, as expected by `Link` methods.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_outputs, n_rows)
            The state of an output is ``0.5 + 0.5 * tanh(net)``.
        """
        return self._of_net(X, lambda net: net, axis=1)

    def decision(self, X: ArrayLike) -> Array:
        """Return the log-odds or scores of the classes, or the values themselves.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_rows,) for two classes, else (n_rows, n_classes or n_targets)
            Scores, the larger the likelier; values in regression.
        """
        return self._of_net(X, self.link.decision)

    def derivative(self, X: ArrayLike, of: str = "outputs") -> Array:
        """Return the exact derivative of outputs or states with respect to the features.

        The derivative with respect to a missing value is 0.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        of : {"outputs", "decision", "transformed", "first_states", "trajectory"}, default="outputs"
            Method to differentiate.

        Returns
        -------
        ndarray of shape (n_rows, n_columns, n_features)
            ``[i, j, k]`` is the derivative of column j with respect to feature k in row i. A decision with one number
            per row has one column. For a trajectory, the shape is (depth + 1, n_rows, n_concepts, n_features).
        """
        check_choice(f"{_OWNER}.derivative", "of", of, _DERIVATIVES)
        table = self._checked(X)
        blocks = []
        with one_blas_thread():
            for rows in row_blocks(table.shape[0], table.shape[1]):
                block = dense(table[rows])
                through = self.encoding.derivative(block)[:, None, :]
                states = self.encoding.first_states(block, self.n_outputs)
                derive = self._outputs_derivative if of in ("outputs", "decision") else self._states_derivative
                blocks.append(self.encoding.by_column(derive(states, of) * through))
        return np.concatenate(blocks, axis=1 if of == "trajectory" else 0)

    def _outputs_derivative(self, states: Array, of: str) -> Array:
        """Differentiate backward from the outputs, which are fewer than the features."""
        trajectory = self.map.run(states, self.depth - 1)
        net = self._net(trajectory[-1])
        of_net = self.link.outputs_derivative(net) if of == "outputs" else self.link.decision_derivative(net)
        weights = self.map.transition
        back = of_net @ (self.map.excitation_slope(self._outputs)[:, None] * self.map.weights_into(self._outputs))
        for later in trajectory[:0:-1]:
            back = (back * self.map.sensitivity(later)[:, None, :]) @ weights
        return back[:, :, : self.n_inputs]

    def _states_derivative(self, states: Array, of: str) -> Array:
        """Differentiate forward from the features, because every concept is needed."""
        depth = {"first_states": 0, "transformed": self.depth - 1, "trajectory": self.depth}[of]
        trajectory = self.map.run(states, depth)
        now = np.zeros((*states.shape, self.n_inputs), dtype=states.dtype)
        now[:, range(self.n_inputs), range(self.n_inputs)] = 1.0
        steps = [now]
        for later in trajectory[1:]:
            now = self.map.sensitivity(later)[:, :, None] * (self.map.step_matrix @ now)
            steps.append(now)
        return np.stack(steps) if of == "trajectory" else now

    @property
    def _outputs(self) -> slice:
        return slice(self.map.n_concepts - self.n_outputs, None)

    def _before_last(self, states: Array) -> Array:
        for _ in range(self.depth - 1):
            states = self.map.step(states)
        return states

    def _net(self, states: Array) -> Array:
        """Return the net input of the outputs in the last step, of shape (n_outputs, n_rows)."""
        return np.ascontiguousarray(self.map.excitation(states, self._outputs).T)

    def _of_net(self, X: ArrayLike, compute: Callable[[Array], Array], axis: int = 0) -> Array:
        """Apply a function to the net input of the outputs, without densifying a sparse table if possible."""
        if not (issparse(X) and isinstance(self.map, StructuredMap) and self.encoding.keeps_sparse):
            return self._by_blocks(X, lambda states: compute(self._net(self._before_last(states))), axis)
        fcm, table = self.map, self._checked(X)
        with one_blas_thread():
            blocks = [
                compute(fcm.net_of_sparse(self.encoding.sparse_inputs(table[rows]), self.depth, self.n_outputs))
                for rows in row_blocks(table.shape[0])
            ]
        return np.concatenate(blocks, axis=axis)

    def _checked(self, X: ArrayLike) -> TableLike:
        if issparse(X):
            return self._checked_sparse(csr_array(X))
        try:
            table = np.asarray(X)
            table = table if table.dtype == np.float32 else real(table)
        except (TypeError, ValueError):
            raise param_error(_OWNER, "X", "a table of numbers", X) from None
        if np.isinf(table).any():
            raise param_error(_OWNER, "X", "a table of finite numbers, or NaN for missing values", X)
        if table.ndim != 2 or table.shape[1] != self.n_features:
            expected = f"a table with {self.n_features} columns, one per feature"
            raise param_error(_OWNER, "X", expected, Literal(f"shape {table.shape}"))
        if len(table) == 0:
            raise param_error(_OWNER, "X", "a table with at least one row", Literal(f"shape {table.shape}"))
        return table

    def _checked_sparse(self, X: csr_array) -> csr_array:
        table = csr_array(X, dtype=X.dtype if X.dtype == np.float32 else np.float64)
        if np.isinf(table.data).any():
            raise param_error(_OWNER, "X", "a table of finite numbers, or NaN for missing values", Literal("infinity"))
        if table.shape[1] != self.n_features or not table.shape[0]:
            expected = f"a table with {self.n_features} columns, one per feature, and at least one row"
            raise param_error(_OWNER, "X", expected, Literal(f"shape {table.shape}"))
        return table

    def _by_blocks(self, X: ArrayLike, compute: Callable[[Array], Array], axis: int = 0) -> Array:
        """Apply a function to the first states of blocks of rows, to limit memory."""
        table, encoding = self._checked(X), self.encoding
        if issparse(table) and encoding.used is not None and encoding.n_inputs:  # do not densify unused columns
            columns = np.unique(encoding.columns)
            table, encoding = csr_array(table[:, columns]), encoding.restricted(columns)
        with one_blas_thread():  # so that rounding does not depend on the number of BLAS threads
            blocks = [
                compute(encoding.first_states(dense(table[rows]), self.n_outputs))
                for rows in row_blocks(table.shape[0], table.shape[1])
            ]
        return np.concatenate(blocks, axis=axis)


def dense(table: TableLike) -> Array:
    """Convert a dense or sparse table to an array."""
    return np.asarray(table.toarray() if issparse(table) else table)


def hidden_names(n_hidden: int) -> list[str]:
    """Return the names of the hidden concepts."""
    return [f"hidden {i + 1}" for i in range(n_hidden)]


def concept_names(features: Sequence[str], hidden: int | Sequence[str], outputs: Sequence[str]) -> list[str]:
    """Return the names of the concepts: the features, the hidden concepts (``hidden 1`` and so on), then the outputs.

    Duplicate names are numbered: a, a (2).
    """
    taken: set[str] = set()
    result = []
    for text in [*features, *(hidden_names(hidden) if isinstance(hidden, int) else hidden), *outputs]:
        name, number = text, 1
        while name in taken:
            number += 1
            name = f"{text} ({number})"
        taken.add(name)
        result.append(name)
    return result
