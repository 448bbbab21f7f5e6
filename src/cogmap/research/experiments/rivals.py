"""The 12 classifiers of the paper's comparison, three strong current classifiers, and other FCM classifiers."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from cogmap._utils.params import param_error
from cogmap.comparators import FCMperClassifier, FRCNClassifier, HebbianFCMClassifier, LTCNClassifier

# The author's program uses one component for a class with fewer rows than this per component. We inferred the rule from
# the published folds, in which classes of 8 to 14 rows have one component and classes of 16 have three.
_ROWS_PER_COMPONENT = 5


class GaussianMixtureClassifier(ClassifierMixin, BaseEstimator):
    """Bayes classifier with a mixture of Gaussians for each class.

    Parameters
    ----------
    n_components : int, default=1
        Number of Gaussians per class, at most its number of rows.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        Type of the covariance matrices.
    variant : {"text", "program"}, default="text"
        Class score. ``"text"``: as described in the paper, the density of the nearest component times the class prior.
        ``"program"``: as in the author's program, the density of the mixture, without the prior; classes with fewer
        than five rows per component have one component.
    reg_covar : float, default=1e-6
        Added to the variances, so that a class on a hyperplane, or with one row, has a density.
    random_state : int, RandomState instance or None, default=None
        Seed of the initial components.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    mixtures_ : list of GaussianMixture
        One per class.
    log_prior_ : ndarray of shape (n_classes,)
        Log prior of each class.
    notes_ : list of str
        Classes with too few rows for `n_components`, and how they were handled.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if they were strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap.research.experiments.rivals import GaussianMixtureClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> GaussianMixtureClassifier().fit(X, y).score(X, y)
    0.98
    """

    def __init__(self, n_components=1, covariance_type="full", variant="text", reg_covar=1e-6, random_state=None):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.variant = variant
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
        if self.variant not in ("text", "program"):
            raise param_error("GaussianMixtureClassifier", "variant", '"text" or "program"', self.variant)
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        self.classes_, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"GaussianMixtureClassifier needs at least 2 classes in y, got one class: {self.classes_}."
            )
        self.log_prior_ = np.log(counts / counts.sum())
        self.notes_ = self._notes(counts)
        self.mixtures_ = []
        for code, count in enumerate(counts):
            rows = X[codes == code]
            if count == 1:
                rows = np.repeat(rows, 2, axis=0)  # a mixture needs two rows; repeating the row keeps its density
            mixture = GaussianMixture(
                self._n_components(count),
                covariance_type=self.covariance_type,
                reg_covar=self.reg_covar,
                random_state=self.random_state,
            )
            self.mixtures_.append(mixture.fit(rows))
        return self

    def _n_components(self, n_rows):
        if self.variant == "program":
            return self.n_components if n_rows >= _ROWS_PER_COMPONENT * self.n_components else 1
        return min(self.n_components, n_rows)

    def _notes(self, counts):
        """Return one note for each class size that was too small."""
        notes = []
        for count in np.unique(counts):
            n_components = self._n_components(count)
            changes = [f"{n_components} of {self.n_components} components"] if n_components < self.n_components else []
            if count == 1:
                changes.append("the row counts twice")
            if changes:
                labels = [str(label) for label in self.classes_[counts == count]]
                subject = f"class {labels[0]} has" if len(labels) == 1 else f"classes {_shortened(labels)} have"
                notes.append(f"{subject} {count} training row{'s' if count > 1 else ''}: {', '.join(changes)}")
        return notes

    def _joint_log_likelihood(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False)
        if self.variant == "program":
            return np.column_stack([mixture.score_samples(X) for mixture in self.mixtures_])
        return np.column_stack([_nearest_component(mixture, X) for mixture in self.mixtures_]) + self.log_prior_

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


def _shortened(labels, most=5):
    return ", ".join(labels if len(labels) <= most else [*labels[:most], f"and {len(labels) - most} more"])


def _nearest_component(mixture, X):
    """Return the log density of the nearest component, without the mixture weights."""
    with np.errstate(divide="ignore"):  # components with probability 0
        weighted = np.log(mixture.predict_proba(X)) - np.log(mixture.weights_)
    return mixture.score_samples(X) + weighted.max(axis=1)


@dataclass(frozen=True)
class RivalOptions:
    """Options that determine the settings of all compared methods.

    Attributes
    ----------
    seed : int
        Seed of randomized methods.
    old_defaults : bool
        Whether to use scikit-learn's defaults of 2018, as in the paper's printed tables.
    author_program : bool
        Whether Gaussian mixtures classify as in the author's program instead of as described in the paper.
    """

    seed: int = 123
    old_defaults: bool = False
    author_program: bool = False


def _svc(options, X, **settings):
    # gamma="scale" formerly used the standard deviation instead of the variance.
    gamma = 1.0 / (X.shape[1] * X.std()) if options.old_defaults else "scale"
    return SVC(gamma=gamma, random_state=options.seed, **settings)


def _logistic_regression(options, X):
    return OneVsRestClassifier(LogisticRegression(solver="liblinear")) if options.old_defaults else LogisticRegression()


def _mixture(n_components, covariance_type):
    return lambda options, X: GaussianMixtureClassifier(
        n_components, covariance_type, "program" if options.author_program else "text", random_state=options.seed
    )


def _fcmper_de(options, X):
    return FCMperClassifier(output="single", solver="de", random_state=options.seed)


RivalFactory = Callable[[RivalOptions, np.ndarray], BaseEstimator]

# By the paper's names: titles, and factories that take the options and the training features (scaled to [0, 1]).
_PAPER: dict[str, tuple[str, RivalFactory]] = {
    "mnb": ("multinomial naive Bayes", lambda options, X: MultinomialNB(alpha=0.01)),
    "gnb": ("Gaussian naive Bayes", lambda options, X: GaussianNB()),
    "knn3": ("3 nearest neighbours", lambda options, X: KNeighborsClassifier(3)),
    "knn5": ("5 nearest neighbours", lambda options, X: KNeighborsClassifier(5)),
    "svcrbf": ("support vector machine, radial kernel", _svc),
    "svclin": ("support vector machine, linear kernel", partial(_svc, kernel="linear")),
    "logreg": ("logistic regression", _logistic_regression),
    "dtree": ("decision tree", lambda options, X: DecisionTreeClassifier(random_state=options.seed)),
    "rforest": (
        "random forest",
        lambda options, X: RandomForestClassifier(10 if options.old_defaults else 100, random_state=options.seed),
    ),
    "gmc_1f": ("Gaussian mixture per class, 1 component, full covariance", _mixture(1, "full")),
    "gmc_3f": ("Gaussian mixture per class, 3 components, full covariance", _mixture(3, "full")),
    "gmc_3d": ("Gaussian mixture per class, 3 components, diagonal covariance", _mixture(3, "diag")),
}

# Strong current classifiers with default parameters; not in the paper.
_STRONG: dict[str, tuple[str, RivalFactory]] = {
    "hgb": (
        "histogram gradient boosting",
        lambda options, X: HistGradientBoostingClassifier(random_state=options.seed),
    ),
    "mlp": ("multilayer perceptron", lambda options, X: MLPClassifier(random_state=options.seed)),
    "extratrees": ("extremely randomized trees", lambda options, X: ExtraTreesClassifier(random_state=options.seed)),
}

# Other FCM classifiers of the literature, with default parameters.
_FAMILY: dict[str, tuple[str, RivalFactory]] = {
    "ltcn": ("long-term cognitive network", lambda options, X: LTCNClassifier()),
    "frcn": ("fuzzy-rough cognitive network", lambda options, X: FRCNClassifier()),
    "fcmper": (
        "map without bias (FCMper), one output per class, by gradients",
        lambda options, X: FCMperClassifier(),
    ),
    "fcmper_de": ("map without bias (FCMper), single output, by differential evolution", _fcmper_de),
    "nhl": ("map by nonlinear Hebbian learning", lambda options, X: HebbianFCMClassifier("nhl")),
    "dd_nhl": ("map by data-driven nonlinear Hebbian learning", lambda options, X: HebbianFCMClassifier("dd_nhl")),
}

_ALL = {**_PAPER, **_STRONG, **_FAMILY}
PAPER_RIVALS, FAMILY_RIVALS, RIVALS = (
    {name: make for name, (_, make) in rivals.items()} for rivals in (_PAPER, _FAMILY, _ALL)
)


def title_of(method: str) -> str:
    """Return the title of a method name in the results."""
    if method == "fcm":
        return "fuzzy cognitive map"
    after_map = method.startswith("fcm_")
    title, _ = _ALL[method.removeprefix("fcm_")]
    return title + (" on features transformed by the map" if after_map else "")
