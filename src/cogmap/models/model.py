"""MapModel: a fitted model, all that is needed to go from a table to what the map says about it.

Explanations, files, pages and pictures take this object; it knows nothing of learning or of scikit-learn.
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

Array = NDArray[np.floating]

MAX_DEPTH = 10_000  # steps
_OWNER = "MapModel"
_DERIVATIVES = ("outputs", "decision", "transformed", "first_states", "trajectory")


@dataclass(frozen=True, eq=False)
class MapModel:
    """A map that has been learned, with how rows enter it and what its outputs mean.

    Estimators hold one as ``model_``. It never changes.

    Parameters
    ----------
    map : FuzzyCognitiveMap
        The map. Its concepts are the features, the hidden ones, then the outputs.
    depth : int
        Number of steps after which the outputs are read.
    encoding : Encoding
        How a row becomes first states.
    link : Link
        What the outputs mean: probabilities of classes, or values.

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
        object.__setattr__(self, "map", self.map.with_kinds(self.kinds))  # so that its picture shows them

    @property
    def n_features(self) -> int:
        """Number of features, the columns of a table."""
        return self.encoding.n_features

    @property
    def n_inputs(self) -> int:
        """Number of concepts that stand for features, the first ones: more than features if some are read as words."""
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
        """What each concept is: ``"feature"``, ``"hidden"`` or ``"output"``."""
        return ("feature",) * self.n_inputs + ("hidden",) * self.n_hidden + ("output",) * self.n_outputs

    def first_states(self, X: ArrayLike) -> Array:
        """Return the states that each row starts with.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_rows, n_concepts)
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
        """
        return self._by_blocks(X, lambda states: self.map.run(states, self.depth), axis=1)

    def transformed(self, X: ArrayLike) -> Array:
        """Return the states before the last step: the learned features.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_rows, n_concepts)
        """
        return self._by_blocks(X, self._before_last)

    def outputs(self, X: ArrayLike) -> Array:
        """Return what the map says: probabilities of the classes, or values of the targets.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_rows, n_classes or n_targets)
        """
        return self._of_net(X, self.link.outputs)

    def net(self, X: ArrayLike) -> Array:
        """Return what enters the outputs in the last step, in the form in which links take it.

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
        """Return what decides: log-odds or scores of the classes, or the values themselves.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_rows,) for two classes, else (n_rows, n_classes or n_targets)
        """
        return self._of_net(X, self.link.decision)

    def derivative(self, X: ArrayLike, of: str = "outputs") -> Array:
        """Return the derivative of what the model computes with respect to the features.

        It is exact. That with respect to a missing value is 0.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Features.
        of : {"outputs", "decision", "transformed", "first_states", "trajectory"}, default="outputs"
            Which of the methods is derived.

        Returns
        -------
        ndarray of shape (n_rows, n_columns, n_features)
            ``[i, j, k]`` is how fast column j of row i follows feature k. A decision that is one number per row has one
            column. Of a trajectory: (depth + 1, n_rows, n_concepts, n_features).
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
        """Go back from the outputs: few outputs cost less than many features."""
        trajectory = self.map.run(states, self.depth - 1)
        net = self._net(trajectory[-1])
        of_net = self.link.outputs_derivative(net) if of == "outputs" else self.link.decision_derivative(net)
        weights = self.map.transition
        back = of_net @ (self.map.excitation_slope(self._outputs)[:, None] * self.map.weights_into(self._outputs))
        for later in trajectory[:0:-1]:
            back = (back * self.map.sensitivity(later)[:, None, :]) @ weights
        return back[:, :, : self.n_inputs]

    def _states_derivative(self, states: Array, of: str) -> Array:
        """Go forward from the features: every concept is asked for."""
        depth = {"first_states": 0, "transformed": self.depth - 1, "trajectory": self.depth}[of]
        trajectory = self.map.run(states, depth)
        now = np.zeros((*states.shape, self.n_inputs), dtype=states.dtype)
        now[:, range(self.n_inputs), range(self.n_inputs)] = 1.0
        steps = [now]
        for later in trajectory[1:]:
            now = self.map.sensitivity(later)[:, :, None] * (self.map.weights @ now)
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
        """Return what enters the outputs in the last step, in the form in which a link wants it."""
        return np.ascontiguousarray(self.map.excitation(states, self._outputs).T)

    def _of_net(self, X: ArrayLike, compute: Callable[[Array], Array], axis: int = 0) -> Array:
        """Compute something from what enters the outputs in the last step; a sparse table stays so if it can."""
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
            raise param_error(_OWNER, "X", "a table of finite numbers, or NaN where one is missing", X)
        if table.ndim != 2 or table.shape[1] != self.n_features:
            expected = f"a table with {self.n_features} columns, one per feature"
            raise param_error(_OWNER, "X", expected, Literal(f"shape {table.shape}"))
        if len(table) == 0:
            raise param_error(_OWNER, "X", "a table with at least one row", Literal(f"shape {table.shape}"))
        return table

    def _checked_sparse(self, X: csr_array) -> csr_array:
        table = csr_array(X, dtype=X.dtype if X.dtype == np.float32 else np.float64)
        if np.isinf(table.data).any():
            raise param_error(
                _OWNER, "X", "a table of finite numbers, or NaN where one is missing", Literal("infinity")
            )
        if table.shape[1] != self.n_features or not table.shape[0]:
            expected = f"a table with {self.n_features} columns, one per feature, and at least one row"
            raise param_error(_OWNER, "X", expected, Literal(f"shape {table.shape}"))
        return table

    def _by_blocks(self, X: ArrayLike, compute: Callable[[Array], Array], axis: int = 0) -> Array:
        """Compute something from the first states of blocks of rows, to need little memory."""
        table = self._checked(X)
        with one_blas_thread():  # the same bits, however many threads BLAS has
            blocks = [
                compute(self.encoding.first_states(dense(table[rows]), self.n_outputs))
                for rows in row_blocks(table.shape[0], table.shape[1])
            ]
        return np.concatenate(blocks, axis=axis)


def dense(table: TableLike) -> Array:
    """Return a table that may be sparse as an array."""
    return np.asarray(table.toarray() if issparse(table) else table)


def hidden_names(n_hidden: int) -> list[str]:
    """Name the hidden concepts."""
    return [f"hidden {i + 1}" for i in range(n_hidden)]


def concept_names(features: Sequence[str], n_hidden: int, outputs: Sequence[str]) -> list[str]:
    """Name the concepts: the features, ``hidden 1`` and so on, then the outputs.

    Names that would occur twice are numbered: a, a (2).
    """
    taken: set[str] = set()
    result = []
    for text in [*features, *hidden_names(n_hidden), *outputs]:
        name, number = text, 1
        while name in taken:
            number += 1
            name = f"{text} ({number})"
        taken.add(name)
        result.append(name)
    return result
