"""The 12 classifiers that the paper compares its map with, at the paper's settings."""

from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data


class GaussianMixtureClassifier(ClassifierMixin, BaseEstimator):
    """Bayes classifier with a mixture of Gaussians for each class.

    Parameters
    ----------
    n_components : int, default=1
        Number of Gaussians a class; fewer for a class with fewer rows.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        Form of the covariances.
    reg_covar : float, default=1e-6
        What is added to the variances, so that a class on a plane, or of one row, has a density.
    random_state : int, RandomState instance or None, default=None
        Decides where the mixtures start.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    mixtures_ : list of GaussianMixture
        One a class.
    log_prior_ : ndarray of shape (n_classes,)
        Logarithm of the share of each class.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they were strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap.experiments.rivals import GaussianMixtureClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> GaussianMixtureClassifier().fit(X, y).score(X, y)
    0.98
    """

    def __init__(self, n_components=1, covariance_type="full", reg_covar=1e-6, random_state=None):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.reg_covar = reg_covar
        self.random_state = random_state

    def fit(self, X, y):
        """Fit a mixture to the rows of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self : GaussianMixtureClassifier
        """
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        self.classes_, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"GaussianMixtureClassifier needs at least 2 classes in y, got one class: {self.classes_}."
            )
        self.log_prior_ = np.log(counts / counts.sum())
        self.mixtures_ = []
        for code, count in enumerate(counts):
            rows = X[codes == code]
            if count == 1:
                rows = np.repeat(rows, 2, axis=0)  # a mixture wants two rows; the same one twice has the same density
            mixture = GaussianMixture(
                min(self.n_components, count),
                covariance_type=self.covariance_type,
                reg_covar=self.reg_covar,
                random_state=self.random_state,
            )
            self.mixtures_.append(mixture.fit(rows))
        return self

    def _joint_log_likelihood(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        return np.column_stack([mixture.score_samples(X) for mixture in self.mixtures_]) + self.log_prior_

    def predict_proba(self, X):
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        joint = self._joint_log_likelihood(X)
        return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))

    def predict(self, X):
        """Return the predicted class labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        joint = self._joint_log_likelihood(X)
        return self.classes_[joint.argmax(axis=1)]


def _mixture(n_components: int, covariance_type: str) -> Callable[[int], BaseEstimator]:
    return lambda seed: GaussianMixtureClassifier(n_components, covariance_type, random_state=seed)


# The paper's names. It wants all features in [0, 1], which is left to the caller.
PAPER_RIVALS: dict[str, Callable[[int], BaseEstimator]] = {
    "mnb": lambda seed: MultinomialNB(alpha=0.01),
    "gnb": lambda seed: GaussianNB(),
    "knn3": lambda seed: KNeighborsClassifier(3),
    "knn5": lambda seed: KNeighborsClassifier(5),
    "svcrbf": lambda seed: SVC(gamma="scale", random_state=seed),
    "svclin": lambda seed: SVC(kernel="linear", random_state=seed),
    "logreg": lambda seed: LogisticRegression(),
    "dtree": lambda seed: DecisionTreeClassifier(random_state=seed),
    "rforest": lambda seed: RandomForestClassifier(10, random_state=seed),
    "gmc_1f": _mixture(1, "full"),
    "gmc_3f": _mixture(3, "full"),
    "gmc_3d": _mixture(3, "diag"),
}
