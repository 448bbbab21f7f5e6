"""Long-term cognitive network: a map computed in closed form, and a ridge regression on all its states."""

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

_ACTIVATIONS = {"tanh": "tanh", "sigmoid": "logistic"}  # from names of the literature to those of cogmap
_ROUNDING = 1e-13


class LTCNClassifier(ScoringClassifier):
    """Long-term cognitive network: fixed weights among features, and a ridge regression on the states of all steps.

    The weight from feature i to feature j is the slope of the regression of j on i, divided by the Frobenius norm of
    all slopes. A step is ``A(t+1) = phi f(W A(t)) + (1 - phi) A(0)``. The concatenated states of all steps are the
    inputs of a ridge regression on the one-hot classes. Fitting is in closed form and takes milliseconds.

    Parameters
    ----------
    depth : int, default=20
        Number of steps.
    phi : float, default=0.8
        Share of the map in each step; the rest is the initial state.
    activation : {"tanh", "sigmoid"}, default="tanh"
        Activation function f; the sigmoid is 1 / (1 + exp(-x)).
    alpha : float, default=1e-4
        Ridge penalty, relative to the sum of squared errors over the rows.

    Attributes
    ----------
    map_ : FuzzyCognitiveMap
        The features and the weights among them. ``map_.run`` corresponds to ``phi=1``.
    coef_ : ndarray of shape (depth + 1, n_features, n_classes)
        Coefficient of each feature's state at each step for each class.
    intercept_ : ndarray of shape (n_classes,)
        Class scores when all states are 0.
    feature_importances_ : ndarray of shape (n_features,)
        Relevance of each feature: the sum of its absolute values in `coef_`, normalized to sum to 1.
    gain_ : float
        Factor on the scores before the softmax. It minimizes the log loss of the leave-one-out scores of the training
        rows, which are available in closed form for ridge regression.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    scaling_ : FeatureRange
        ``low`` and ``high`` of each feature, which are scaled to 0 and 1.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if they were strings.

    See Also
    --------
    cogmap.FCMClassifier : Learns its map, which includes the classes as concepts.

    Notes
    -----
    The last steps of a run are nearly collinear and the penalty is small, so values in `coef_` are large and of
    alternating sign. Use the classifier as a fast and fairly accurate baseline, not to interpret a map.

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

    def _peak_size(self, n_rows: int, n_features: int) -> float:
        n_states = (self.depth + 1) * n_features
        unknowns = min(n_rows, n_states)
        return 3.0 * n_features**2 + 3.0 * unknowns**2 + n_states * len(self.classes_)

    def _learn(self, X: Array, codes: NDArray[np.intp], weight: Array) -> None:
        W = _slopes(X, weight)
        self.map_ = FuzzyCognitiveMap(W, concepts=input_names(self), activation=_ACTIVATIONS[self.activation])
        targets = np.eye(len(self.classes_))[codes]
        n_states = (self.depth + 1) * X.shape[1]
        # Solve the dual (one unknown per row) or the primal problem (one per state), whichever is smaller.
        solve = self._solve_dual if len(X) <= n_states else self._solve_primal
        coef, mean, errors = solve(X, targets, weight)
        self.coef_ = coef.reshape(self.depth + 1, X.shape[1], -1)
        self.intercept_ = (weight @ targets) / weight.sum() - mean @ coef
        relevance = np.abs(self.coef_).sum(axis=(0, 2))
        self.feature_importances_ = relevance / (relevance.sum() or 1.0)
        self.gain_ = best_gain(targets - errors, codes, weight)

    def _states(self, X: Array) -> Iterator[Array]:
        """Yield the states of the features at each step, starting with the inputs."""
        activation = get_activation(_ACTIVATIONS[self.activation])
        influence = self.map_.weights.T
        A = X
        yield A
        for _ in range(self.depth):
            A = self.phi * activation.apply(A @ influence, 1.0) + (1.0 - self.phi) * X
            yield A

    def _solve_dual(self, X: Array, targets: Array, weight: Array) -> tuple[Array, Array, Array]:
        """Solve the ridge regression with one unknown per row, without concatenating the states of all steps.

        Returns
        -------
        coef, mean : ndarray
            Coefficients and mean states of all steps, concatenated.
        errors : ndarray of shape (n_rows, n_classes)
            Leave-one-out errors of the scores; of several equal rows one is left out.
        """
        root = np.sqrt(weight)[:, None]
        share = weight / weight.sum()
        products = np.zeros((len(X), len(X)), order="F")
        for A in self._states(X):
            centred = root * (A - share @ A)
            products = blas.dsyrk(1.0, centred.T, beta=1.0, c=products, trans=1, lower=1, overwrite_c=1)
        alpha = _add_penalty(products, self.alpha)
        # The constant direction is not part of the centred problem. Enlarge it, so that its inverse is small.
        constant = root / np.sqrt(weight.sum())
        shift = float(products.trace())
        products += shift * (constant @ constant.T)
        dual, inverse_diagonal = _solve(products, root * (targets - share @ targets))
        means = [share @ A for A in self._states(X)]
        coef = [(root * (A - mean)).T @ dual for A, mean in zip(self._states(X), means, strict=True)]
        unexplained = alpha * (inverse_diagonal - np.square(constant[:, 0]) / (alpha + shift))
        errors = _leave_one_out(alpha * dual / root, unexplained, weight)
        return np.concatenate(coef), np.concatenate(means), errors

    def _solve_primal(self, X: Array, targets: Array, weight: Array) -> tuple[Array, Array, Array]:
        """Solve the ridge regression with one unknown per state, in blocks of rows; returns as `_solve_dual`."""
        share = weight / weight.sum()
        blocks = list(row_blocks(len(X)))
        n_states = (self.depth + 1) * X.shape[1]
        mean = sum((share[rows] @ self._concatenated_states(X[rows]) for rows in blocks), np.zeros(n_states))
        products, against = np.zeros((n_states, n_states)), np.zeros((n_states, targets.shape[1]))
        target_mean = share @ targets
        for rows in blocks:
            Z = self._concatenated_states(X[rows]) - mean
            weighted = (weight[rows, None] * Z).T
            products += weighted @ Z
            against += weighted @ (targets[rows] - target_mean)
        _add_penalty(products, self.alpha)
        factor = cho_factor(products, lower=True)
        coef = cho_solve(factor, against)
        errors = np.empty_like(targets)
        for rows in blocks:
            Z = self._concatenated_states(X[rows]) - mean
            explained = np.einsum("ij,ji->i", Z, cho_solve(factor, Z.T)) + 1.0 / weight.sum()
            residual = targets[rows] - target_mean - Z @ coef
            errors[rows] = _leave_one_out(residual, 1.0 - weight[rows] * explained, weight[rows])
        return coef, mean, errors

    def _concatenated_states(self, X: Array) -> Array:
        return np.concatenate(list(self._states(X)), axis=1)

    def _scores(self, X: Array) -> Array:
        scores = np.tile(self.intercept_, (len(X), 1))
        for rows in row_blocks(len(X)):
            for A, coef in zip(self._states(X[rows]), self.coef_, strict=True):
                scores[rows] += A @ coef
        return scores


def _slopes(X: Array, weight: Array) -> Array:
    """Return the slopes of each feature (row) on each other (column), over their norm; 0 for constant features.

    The diagonal, the slope 1 of a feature on itself, is kept: it gives each feature a memory.
    """
    centred = X - (weight @ X) / weight.sum()
    covariance = (weight[:, None] * centred).T @ centred / weight.sum()
    variance = covariance.diagonal()
    slopes = np.divide(covariance, variance, out=np.zeros_like(covariance), where=variance > 0.0)
    norm = np.linalg.norm(slopes)
    return slopes / norm if norm > 0.0 else slopes


def _leave_one_out(residual: Array, unexplained: Array, weight: Array) -> Array:
    """Return the leave-one-out residuals; of a row with a weight larger than 1, one copy is left out.

    `unexplained` is 1 minus the leverage of each row with its full weight.
    """
    copies = np.maximum(weight, 1.0)
    return residual / np.maximum((copies - 1.0 + unexplained) / copies, 1e-12)[:, None]


def _add_penalty(products: Array, alpha: float) -> float:
    """Add the penalty to the diagonal in place and return it, raised if needed to exceed rounding errors."""
    alpha = max(alpha, _ROUNDING * float(products.trace()))
    products[np.diag_indices_from(products)] += alpha
    return alpha


def _solve(positive: Array, right: Array) -> tuple[Array, Array]:
    """Solve a symmetric positive definite system; also return the diagonal of the inverse.

    Reads only the lower half of the matrix, which may be large, and overwrites it.
    """
    factor, failed = lapack.dpotrf(positive, lower=1, overwrite_a=1)
    solution, _ = lapack.dpotrs(factor, right, lower=1)
    inverse, also_failed = lapack.dpotri(factor, lower=1, overwrite_c=1)
    if failed or also_failed:
        raise np.linalg.LinAlgError("The equations have no unique solution in float64.")
    return solution, inverse.diagonal().copy()
