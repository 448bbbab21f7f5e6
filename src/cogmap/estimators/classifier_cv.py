"""`FCMClassifierCV`: classifier with depth and penalty selected by cross-validation."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy.stats import rankdata

from cogmap._learning.plan import Plan
from cogmap._learning.search import choose
from cogmap._learning.size import check_size
from cogmap._learning.table import Table
from cogmap._learning.teachers import Teacher
from cogmap.estimators._callbacks import FitMonitor
from cogmap.estimators._class_map import ClassMap
from cogmap.estimators.classifier import FCMClassifier
from cogmap.maps.map import FuzzyCognitiveMap

__all__ = ["FCMClassifierCV"]


class FCMClassifierCV(ClassMap):
    """Fuzzy cognitive map classifier with depth and penalty selected by cross-validation.

    `FCMClassifier` trains teachers, each with a held-out part of the rows, and distills them into one map. This class
    trains teachers for each combination of depth and penalty, selects the combination with the smallest held-out loss,
    and distills its teachers, starting from the best of them. The first depth with the first penalty is preferred:
    another combination is selected only if it is better by more than one standard error.

    Parameters
    ----------
    depths : sequence of int, default=(2, 1, 3)
        Candidate numbers of steps, the preferred one first.
    alphas : sequence of float, default=(0.2, 0.02, 2.0)
        Candidate strengths of the penalty, the preferred one first.
    n_folds : int, default=4
        Number of folds. With more than 200 features or terms, which are slow to train, only the first fold is held out.
    slope : float, default=2.0
        As for `FCMClassifier`.
    output : {"auto", "single", "one_hot"}, default="auto"
        As for `FCMClassifier`.
    gain : float, default=10.0
        As for `FCMClassifier`.
    n_hidden : int or "auto", default="auto"
        As for `FCMClassifier`.
    l1_ratio : float, default=0.0
        As for `FCMClassifier`.
    max_iter : int or "auto", default="auto"
        Maximum number of iterations of the final map, as for `FCMClassifier`.
    terms : int, dict, "auto" or None, default="auto"
        As for `FCMClassifier`. ``"auto"`` tries terms with the first depth and the first penalty, unless `edges`,
        `weight_bounds`, `prior` or `init` refer to single concepts.
    prior : {"memory"}, FuzzyCognitiveMap or None, default="memory"
        As for `FCMClassifier`. With an expert's map, `alphas` are candidate strengths of that prior.
    init : {"balanced", "uniform", "correlation"} or FuzzyCognitiveMap, default="balanced"
        As for `FCMClassifier`.
    edges : bool array, list of (from, to) names, or dict, default=None
        As for `FCMClassifier`.
    weight_bounds : (low, high) or dict, default=None
        As for `FCMClassifier`.
    monotonic_cst : array-like of int of shape (n_features,) or dict, default=None
        As for `FCMClassifier`. It holds for every candidate.
    learn : {"weights", "slopes"}, default="weights"
        As for `FCMClassifier`.
    scale : {"auto", "logistic"} or bool, default="auto"
        As for `FCMClassifier`.
    class_weight : dict or "balanced", default=None
        As for `FCMClassifier`. The held-out loss uses these weights too.
    random_state : int, RandomState instance or None, default=None
        Determines the folds and the initial weights.
    n_jobs : int, default=None
        Number of processes for cross-validation, and of threads for the final map. None means 1, -1 means all
        processors.
    verbose : int, default=0
        With 1 or more, print the loss after each iteration of the final map.

    Attributes
    ----------
    depth_, alpha_ : int, float
        The selected depth and penalty.
    cv_results_ : dict of ndarray of shape (n_candidates,)
        Held-out loss of each candidate: ``"depth"``, ``"alpha"``, ``"terms"`` (the largest number of terms of a
        feature), ``"mean_loss"``, ``"rank_loss"``, and ``"split0_loss"`` and so on. ``pandas.DataFrame`` turns it into
        a table.
    map_, n_hidden_, classes_, output_, gain_, teacher_losses_, loss_curve_, n_iter_, outcome_, scaling_
        As for `FCMClassifier`.
    terms_, prior_deviations_ : dict, list
        As for `FCMClassifier`.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        As for `FCMClassifier`.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, if they were strings.

    See Also
    --------
    FCMClassifier : Classifier with fixed depth and penalty; several times faster.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from cogmap import FCMClassifierCV
    >>> X, y = load_wine(return_X_y=True)
    >>> fcm = FCMClassifierCV(depths=(2, 1), alphas=(0.2, 2.0), random_state=0).fit(X, y)
    >>> fcm.depth_ in (1, 2)
    True
    >>> fcm.predict_proba(X).shape, fcm.transform(X).shape[0]
    ((178, 3), 178)
    >>> fcm.cv_results_["mean_loss"].shape  # four combinations, and the first one with 3 or 6 terms
    (6,)

    Select the strength of an expert's prior:

    >>> from cogmap import FuzzyCognitiveMap
    >>> expert = FuzzyCognitiveMap.from_edges([("x0", "class=0", 1.0), ("x12", "class=0", 1.0)])
    >>> fcm = FCMClassifierCV(depths=(2,), alphas=(0.2, 20.0), prior=expert).fit(X, y)
    >>> len(fcm.prior_deviations_), fcm.alpha_ in (0.2, 20.0)
    (2, True)
    """

    def __init__(
        self,
        depths: Sequence[int] = (2, 1, 3),
        alphas: Sequence[float] = (0.2, 0.02, 2.0),
        n_folds: int = 4,
        slope: float = 2.0,
        output: str = "auto",
        gain: float = 10.0,
        n_hidden: int | str = "auto",
        l1_ratio: float = 0.0,
        max_iter: int | str = "auto",
        terms: Any = "auto",
        prior: str | FuzzyCognitiveMap | None = "memory",
        init: str | FuzzyCognitiveMap = "balanced",
        edges: Any = None,
        weight_bounds: Any = None,
        monotonic_cst: Any = None,
        learn: str = "weights",
        scale: str | bool = "auto",
        class_weight: dict[Any, float] | str | None = None,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.depths = depths
        self.alphas = alphas
        self.n_folds = n_folds
        self.slope = slope
        self.output = output
        self.gain = gain
        self.n_hidden = n_hidden
        self.l1_ratio = l1_ratio
        self.max_iter = max_iter
        self.terms = terms
        self.prior = prior
        self.init = init
        self.edges = edges
        self.weight_bounds = weight_bounds
        self.monotonic_cst = monotonic_cst
        self.learn = learn
        self.scale = scale
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _parameters(self) -> dict[str, Any]:
        """Return all training parameters; those missing here have the defaults of `FCMClassifier(structure="full")`."""
        return FCMClassifier(structure="full").get_params(deep=False) | super()._parameters()

    def _grid(self) -> list[dict[str, Any]]:
        """Return every combination of depth and penalty."""
        return [{"depth": depth, "alpha": alpha} for depth, alpha in product(self.depths, self.alphas)]

    def _check_size(self, plans: list[Plan], most_rows: int | None) -> None:
        """Raise if training in several processes would exceed the memory."""
        at_once = min(effective_n_jobs(self.n_jobs), len(plans) * self.n_folds)
        for plan in plans:
            check_size(plan.with_settings(n_threads=1), at_once)

    def _select(
        self, plans: list[Plan], tables: list[Table], random: np.random.RandomState, monitor: FitMonitor
    ) -> tuple[int, list[Teacher] | None]:
        """Select the plan with the smallest held-out loss, and return it with its teachers."""
        choice = choose(plans, tables, self.n_folds, random, monitor, self.n_jobs)
        self.cv_results_ = {
            "depth": np.array([plan.settings.depth for plan in plans]),
            "alpha": np.array([plan.settings.alpha for plan in plans]),
            "terms": np.array([plan.encoding.most_words or 0 for plan in plans]),
            "mean_loss": choice.mean_loss,
            "rank_loss": rankdata(choice.mean_loss, method="min"),
            **{f"split{i}_loss": losses for i, losses in enumerate(choice.losses.T)},
        }
        self.alpha_ = plans[choice.number].settings.alpha
        return choice.number, choice.teachers
