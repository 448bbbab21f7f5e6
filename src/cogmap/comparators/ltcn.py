"""The long-term cognitive network: a map that is computed, not learned, and a ridge regression on all its states."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, cho_factor, cho_solve, lapack

from cogmap._utils.params import check_choice, check_integer, check_number
from cogmap.comparators._calibration import best_gain
from cogmap.comparators._scoring import Array, ScoringClassifier
from cogmap.estimators._param_checks import Check
from cogmap.estimators._validation import input_names
from cogmap.maps.activations import get_activation
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.features import row_blocks

_ACTIVATIONS = {"tanh": "tanh", "sigmoid": "logistic"}  # the field's name of a function, and ours
_ROUNDING = 1e-13


class LTCNClassifier(ScoringClassifier):
    """Long-term cognitive network: fixed influences among features, and a ridge regression on the states of all steps.

    The influence of feature i on feature j is the slope of the regression of j on i, divided by the Frobenius norm of
    all slopes. A step is ``A(t+1) = phi f(W A(t)) + (1 - phi) A(0)``. The states of all steps, side by side, enter a
    ridge regression on the classes, one column of 0 and 1 per class. Nothing is searched for: fitting takes
    milliseconds.

    Parameters
    ----------
    depth : int, default=20
        Number of steps.
    phi : float, default=0.8
        Share of what the map says in a step; the rest is the state at the start.
    activation : {"tanh", "sigmoid"}, default="tanh"
        The function f; the sigmoid is 1 / (1 + exp(-x)).
    alpha : float, default=1e-4
        Penalty of the ridge regression, beside the sum of squares over the rows.

    Attributes
    ----------
    map_ : FuzzyCognitiveMap
        The features and their influences on each other. Its own steps are those with ``phi=1``.
    coef_ : ndarray of shape (depth + 1, n_features, n_classes)
        What the state of each feature at each step adds to the score of each class.
    intercept_ : ndarray of shape (n_classes,)
        Scores where all states are 0.
    feature_importances_ : ndarray of shape (n_features,)
        Relevance of each feature, as shares of 1: the sum of the absolute values in `coef_`.
    gain_ : float
        Factor on the scores before the softmax that makes them probabilities: that with the lowest log loss on the
        leave-one-out scores of the training rows, which ridge regression has in closed form.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    scaling_ : FeatureRange
        ``low`` and ``high`` of each feature, which become 0 and 1.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they were strings.

    See Also
    --------
    cogmap.FCMClassifier : Learns its map, which also has the classes in it.

    Notes
    -----
    The states near the end of a run hardly differ, and the penalty is small: weights in `coef_` are large and of
    changing sign. Use the classifier for a fast and rather accurate first answer; not to read a map.

    References
    ----------
    G. Nápoles, Y. Salgueiro, I. Grau, M. Leon Espinosa, Recurrence-aware long-term cognitive network for explainable
    pattern classification, IEEE Transactions on Cybernetics 53 (2023), 6083-6094 (online 2022).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from cogmap.comparators import LTCNClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> ltcn = LTCNClassifier().fit(X[::2], y[::2])
    >>> ltcn.score(X[1::2], y[1::2]) > 0.9
    True
    >>> ltcn.map_.concepts[:2]
    ('alcohol', 'malic_acid')
    """

    _checks: ClassVar[dict[str, Check]] = {
        "depth": lambda owner, name, value: check_integer(owner, name, value, low=1, high=10_000),
        "phi": lambda owner, name, value: check_number(owner, name, value, low=0, high=1),
        "activation": lambda owner, name, value: check_choice(owner, name, value, list(_ACTIVATIONS)),
        "alpha": lambda owner, name, value: check_number(owner, name, value, low=0, low_included=False),
    }

    # Set in fit.
    map_: FuzzyCognitiveMap
    coef_: Array
    intercept_: Array
    feature_importances_: Array

    def __init__(self, depth: int = 20, phi: float = 0.8, activation: str = "tanh", alpha: float = 1e-4) -> None:
        self.depth = depth
        self.phi = phi
        self.activation = activation
        self.alpha = alpha

    def _largest(self, n_rows: int, n_features: int) -> float:
        n_states = (self.depth + 1) * n_features
        unknowns = min(n_rows, n_states)
        return 3.0 * n_features**2 + 3.0 * unknowns**2 + n_states * len(self.classes_)

    def _learn(self, X: Array, codes: NDArray[np.intp], weight: Array) -> None:
        W = _slopes(X, weight)
        self.map_ = FuzzyCognitiveMap(W, concepts=input_names(self), activation=_ACTIVATIONS[self.activation])
        targets = np.eye(len(self.classes_))[codes]
        n_states = (self.depth + 1) * X.shape[1]
        # The equations are solved in as many unknowns as there are rows, or states of a row, whichever are fewer.
        solve = self._by_rows if len(X) <= n_states else self._by_states
        coef, mean, missed = solve(X, targets, weight)
        self.coef_ = coef.reshape(self.depth + 1, X.shape[1], -1)
        self.intercept_ = (weight @ targets) / weight.sum() - mean @ coef
        relevance = np.abs(self.coef_).sum(axis=(0, 2))
        self.feature_importances_ = relevance / (relevance.sum() or 1.0)
        self.gain_ = best_gain(targets - missed, codes, weight)

    def _states(self, X: Array) -> Iterator[Array]:
        """Return the states of the features, step by step from the start on."""
        activation = get_activation(_ACTIVATIONS[self.activation])
        influence = self.map_.weights.T
        A = X
        yield A
        for _ in range(self.depth):
            A = self.phi * activation.apply(A @ influence, 1.0) + (1.0 - self.phi) * X
            yield A

    def _by_rows(self, X: Array, targets: Array, weight: Array) -> tuple[Array, Array, Array]:
        """Solve the ridge regression with one unknown per row; the states of all steps are never side by side.

        Returns
        -------
        coef, mean : ndarray
            The weights, and the means of the states, step by step.
        missed : ndarray of shape (n_rows, n_classes)
            By how much the score of a row misses its target if it, or one of several equal rows, is left out.
        """
        root = np.sqrt(weight)[:, None]
        share = weight / weight.sum()
        products = np.zeros((len(X), len(X)), order="F")
        for A in self._states(X):
            centred = root * (A - share @ A)
            products = blas.dsyrk(1.0, centred.T, beta=1.0, c=products, trans=1, lower=1, overwrite_c=1)
        alpha = _penalized(products, self.alpha)
        # What is the same for all rows is no part of the equations. It is made large, so that its inverse is small.
        constant = root / np.sqrt(weight.sum())
        much = float(products.trace())
        products += much * (constant @ constant.T)
        dual, inverse_diagonal = _solved(products, root * (targets - share @ targets))
        means = [share @ A for A in self._states(X)]
        coef = [(root * (A - mean)).T @ dual for A, mean in zip(self._states(X), means, strict=True)]
        unexplained = alpha * (inverse_diagonal - np.square(constant[:, 0]) / (alpha + much))
        missed = _left_out(alpha * dual / root, unexplained, weight)
        return np.concatenate(coef), np.concatenate(means), missed

    def _by_states(self, X: Array, targets: Array, weight: Array) -> tuple[Array, Array, Array]:
        """Solve the ridge regression with one unknown per state, by blocks of rows."""
        share = weight / weight.sum()
        blocks = list(row_blocks(len(X)))
        n_states = (self.depth + 1) * X.shape[1]
        mean = sum((share[rows] @ self._side_by_side(X[rows]) for rows in blocks), np.zeros(n_states))
        products, against = np.zeros((n_states, n_states)), np.zeros((n_states, targets.shape[1]))
        target_mean = share @ targets
        for rows in blocks:
            Z = self._side_by_side(X[rows]) - mean
            weighted = (weight[rows, None] * Z).T
            products += weighted @ Z
            against += weighted @ (targets[rows] - target_mean)
        _penalized(products, self.alpha)
        factor = cho_factor(products, lower=True)
        coef = cho_solve(factor, against)
        missed = np.empty_like(targets)
        for rows in blocks:
            Z = self._side_by_side(X[rows]) - mean
            explained = np.einsum("ij,ji->i", Z, cho_solve(factor, Z.T)) + 1.0 / weight.sum()
            residual = targets[rows] - target_mean - Z @ coef
            missed[rows] = _left_out(residual, 1.0 - weight[rows] * explained, weight[rows])
        return coef, mean, missed

    def _side_by_side(self, X: Array) -> Array:
        return np.concatenate(list(self._states(X)), axis=1)

    def _scores(self, X: Array) -> Array:
        scores = np.tile(self.intercept_, (len(X), 1))
        for rows in row_blocks(len(X)):
            for A, coef in zip(self._states(X[rows]), self.coef_, strict=True):
                scores[rows] += A @ coef
        return scores


def _slopes(X: Array, weight: Array) -> Array:
    """Return the slope of each feature (row) on each (column), over the norm of all; 0 for features that are constant.

    Also those that a feature has on itself, which are 1: so a feature remembers itself.
    """
    centred = X - (weight @ X) / weight.sum()
    covariance = (weight[:, None] * centred).T @ centred / weight.sum()
    variance = covariance.diagonal()
    slopes = np.divide(covariance, variance, out=np.zeros_like(covariance), where=variance > 0.0)
    norm = np.linalg.norm(slopes)
    return slopes / norm if norm > 0.0 else slopes


def _left_out(residual: Array, unexplained: Array, weight: Array) -> Array:
    """Return the residuals of rows that were left out, one of several if a weight is larger than 1.

    `unexplained` is 1 minus the leverage of each row with its whole weight.
    """
    copies = np.maximum(weight, 1.0)
    return residual / np.maximum((copies - 1.0 + unexplained) / copies, 1e-12)[:, None]


def _penalized(products: Array, alpha: float) -> float:
    """Add the penalty to the diagonal, in place, and return it: at least as much as rounding could take away."""
    alpha = max(alpha, _ROUNDING * float(products.trace()))
    products[np.diag_indices_from(products)] += alpha
    return alpha


def _solved(positive: Array, right: Array) -> tuple[Array, Array]:
    """Solve equations with a symmetric positive definite matrix; also return the diagonal of its inverse.

    Of the matrix, which may be large, only the lower half is read, and it is overwritten.
    """
    factor, failed = lapack.dpotrf(positive, lower=1, overwrite_a=1)
    solution, _ = lapack.dpotrs(factor, right, lower=1)
    inverse, also_failed = lapack.dpotri(factor, lower=1, overwrite_c=1)
    if failed or also_failed:
        raise np.linalg.LinAlgError("The equations have no unique solution to the precision of numbers.")
    return solution, inverse.diagonal().copy()
