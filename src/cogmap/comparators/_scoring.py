"""Base classes of the comparators: validation, scaling, fitting, and prediction from class scores."""

import warnings
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from cogmap._learning.size import free_memory
from cogmap._learning.solvers import Outcome
from cogmap._utils.documentation import DocLinkMixin
from cogmap._utils.threads import one_blas_thread
from cogmap.estimators._labels import check_label_types, encode_labels
from cogmap.estimators._param_checks import Check
from cogmap.estimators._refitting import Refitting
from cogmap.estimators._validation import check_sample_weight, refuse_sparse, validated
from cogmap.exceptions import DataError
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.encoding import FeatureRange
from cogmap.models.features import FeatureStatistics

Array = NDArray[np.float64]


class ScoringClassifier(Refitting, ClassifierMixin, DocLinkMixin, BaseEstimator, ABC):
    """Base class that scales features to [0, 1] by their range and predicts the class with the largest score.

    Probabilities are the softmax of the scores times ``gain_``.
    """

    _checks: ClassVar[dict[str, Check]] = {}

    # Set in fit.
    classes_: NDArray[Any]
    scaling_: FeatureRange
    gain_: float
    _parameters: dict[str, Any]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    @property
    def _owner(self) -> str:
        return type(self).__name__

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features: a numeric array, a pandas or polars data frame, or a sparse matrix. A missing value (NaN) counts
            as the middle of the range of its feature.
        y : array-like of shape (n_samples,)
            Class labels: numbers, strings or booleans.
        sample_weight : array-like of shape (n_samples,), default=None
            Nonnegative row weights. A weight of 2 is equivalent to repeating the row, 0 to dropping it.

        Returns
        -------
        self : object
            The fitted estimator. If fitting fails, a previously fitted model is left unchanged.
        """
        for name, check in self._checks.items():
            check(self._owner, name, getattr(self, name))
        self._check_together()
        with one_blas_thread():
            self._replace_learned(lambda fitted: fitted._fit(X, y, sample_weight))
        outcome = getattr(self, "outcome_", None)
        if outcome is not None and not outcome.converged:
            warnings.warn(f"{self._owner}: {outcome.sentence} {outcome.cure}", ConvergenceWarning, stacklevel=2)
        return self

    def _check_together(self) -> None:
        """Raise an error if parameters contradict each other."""

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._forget()
        X, y = validated(self, X, y, reset=True)
        refuse_sparse(X, self._owner)
        check_label_types(y, self._owner)
        with np.errstate(invalid="ignore"):  # the check casts labels that may exceed every integer type
            check_classification_targets(y)
        weight = check_sample_weight(sample_weight, len(y), f"{self._owner}.fit")
        weight = np.ones(len(y)) if weight is None else weight
        kept = weight > 0.0
        X, y, weight = X[kept], y[kept], weight[kept]
        self.classes_, codes = encode_labels(y, None, self._owner)
        self._check_size(len(X), X.shape[1])
        self._parameters = self.get_params(deep=False)
        self._prepare(X, weight)
        self._learn(self._inputs(X), codes, weight)

    def _check_size(self, n_rows: int, n_features: int) -> None:
        """Raise an error before any large allocation if the fit would not fit in memory."""
        needed, free = 8.0 * self._peak_size(n_rows, n_features), free_memory()
        if needed > free:
            raise DataError(
                f"`{self._owner}` would need about {needed / 1e9:.3g} GB of memory for {n_rows} rows of {n_features} "
                f"features and {len(self.classes_)} classes; {free / 1e9:.3g} GB are free. Choose columns "
                "(sklearn.feature_selection) or combine them (sklearn.decomposition.PCA) first."
            )

    @abstractmethod
    def _peak_size(self, n_rows: int, n_features: int) -> float:
        """Estimate the number of values held in memory at once, besides the table."""

    def _prepare(self, X: NDArray[np.floating], weight: Array) -> None:
        """Fit the scaling of the features."""
        self.scaling_ = FeatureRange(FeatureStatistics.of(X, weight))

    def _inputs(self, X: NDArray[np.floating]) -> Array:
        """Return the scaled features."""
        return self.scaling_.scale(X, np.float64).astype(np.float64, copy=False)

    @abstractmethod
    def _learn(self, X: Array, codes: NDArray[np.intp], weight: Array) -> None:
        """Fit to scaled features, class indices and row weights; set `gain_` and the other fitted attributes."""

    @abstractmethod
    def _scores(self, X: Array) -> Array:
        """Return one score per class for rows of scaled features; the largest is predicted."""

    def _scores_of(self, X: ArrayLike) -> Array:
        check_is_fitted(self, "classes_")
        # Use a snapshot of the fitted attributes and the parameters of that fit: a fit in another thread may replace
        # them between two reads.
        snapshot = object.__new__(type(self))
        snapshot.__dict__ = self.__dict__ | self._parameters
        features: NDArray[np.floating] = validated(snapshot, X, reset=False)
        refuse_sparse(features, self._owner)
        with one_blas_thread():
            return snapshot._scores(snapshot._inputs(features))

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the score of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, else (n_samples, n_classes)
            For two classes, the score of the second minus that of the first.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from cogmap.comparators import LTCNClassifier
        >>> X, y = load_wine(return_X_y=True)
        >>> LTCNClassifier().fit(X, y).decision_function(X).shape
        (178, 3)
        """
        scores = self._scores_of(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probability of each class: the softmax of the scores times ``gain_``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns are in the order of `classes_`.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from cogmap.comparators import LTCNClassifier
        >>> X, y = load_wine(return_X_y=True)
        >>> LTCNClassifier().fit(X, y).predict_proba(X).shape
        (178, 3)
        """
        result: Array = softmax(self._scores_of(X) * self.gain_, axis=1)
        return result

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the predicted class labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,)
            The class with the highest score of each row.

        Examples
        --------
        >>> from sklearn.datasets import load_wine
        >>> from cogmap.comparators import LTCNClassifier
        >>> X, y = load_wine(return_X_y=True)
        >>> LTCNClassifier().fit(X, y).predict(X[:3])
        array([0, 0, 0])
        """
        scores = self._scores_of(X)
        return self.classes_[scores.argmax(axis=1)]


class TrainedMapClassifier(ScoringClassifier):
    """Base class for iteratively trained maps without bias, which are less accurate than most classifiers."""

    # Set in fit.
    map_: FuzzyCognitiveMap
    _outcome: str

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    @property
    def outcome_(self) -> Outcome:
        """Outcome of training."""
        return Outcome[self._outcome]


def merge_equal_rows(X: Array, codes: NDArray[np.intp], weight: Array) -> tuple[Array, NDArray[np.intp], Array]:
    """Merge equal rows of a class and sort them, adding their weights.

    Rounding errors, which an iteration can amplify, are then the same for a repeated row and for a row of weight 2.
    """
    rows = np.column_stack([X, codes])
    unique, places = np.unique(rows, axis=0, return_inverse=True)
    total = np.zeros(len(unique))
    np.add.at(total, places.ravel(), weight)
    return unique[:, :-1], unique[:, -1].astype(np.intp), total
