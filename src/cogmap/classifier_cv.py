"""FCMClassifierCV: a map whose depth and penalty are chosen on rows that its teachers did not learn from."""

from dataclasses import replace
from itertools import product

import numpy as np
from joblib import Parallel, delayed

from cogmap._params import check_integer, check_number, wrong
from cogmap._threads import one_blas_thread
from cogmap.base import BaseFCM
from cogmap.learning import affords_teachers, divisions, learn_teacher


class FCMClassifierCV(BaseFCM):
    """Fuzzy cognitive map with depth and penalty chosen by cross-validation.

    `FCMClassifier` lets teachers learn, each without a part of the rows, and one map learn from them. This class does
    so for each depth and each penalty, takes those whose teachers have the smallest loss on the rows kept aside, and
    lets the map learn from these teachers, starting where the first of them ended. The first depth with the first
    penalty is preferred: it is taken unless another choice is better by more than one standard error.

    Parameters
    ----------
    depths : sequence of int, default=(2, 1, 3)
        Numbers of steps to choose from, the preferred one first.
    alphas : sequence of float, default=(0.2, 0.02, 2.0)
        Strengths of the penalty to choose from, the preferred one first.
    n_folds : int, default=4
        Number of parts of the rows, each of which is kept aside once; for maps of more than 100 concepts, which take
        long to learn, only the first.
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
        Largest number of iterations of the last map, as for `FCMClassifier`.
    init : {"balanced", "uniform", "correlation"} or FuzzyCognitiveMap, default="balanced"
        As for `FCMClassifier`.
    edges : bool array of shape (n_concepts, n_concepts) or list of (from, to) names, default=None
        As for `FCMClassifier`.
    weight_bounds : (low, high), default=None
        As for `FCMClassifier`.
    scale : {"logistic"} or bool, default="logistic"
        As for `FCMClassifier`.
    class_weight : dict or "balanced", default=None
        As for `FCMClassifier`. The loss by which depth and penalty are chosen has these weights too.
    random_state : int, RandomState instance or None, default=None
        Decides the parts and the initial weights.
    n_jobs : int, default=None
        Number of processes that choose, and of threads that learn the last map. None means 1, -1 all processors.
    verbose : int, default=0
        With 1 or more, print the loss after each iteration of the last map.

    Attributes
    ----------
    depth_, alpha_ : int, float
        The depth and the penalty chosen.
    cv_results_ : dict of ndarray
        ``"depth"``, ``"alpha"``, ``"mean_loss"`` of shape (n_candidates,) and ``"losses"`` of shape (n_candidates,
        n_folds): the loss on the rows kept aside, for each choice. ``pandas.DataFrame`` shows the first three.
    map_, n_hidden_, classes_, output_, gain_, teacher_losses_, loss_curve_, n_iter_, outcome_, scaling_
        As for `FCMClassifier`.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they were strings.

    See Also
    --------
    FCMClassifier : The same with given depth and penalty, several times as fast.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from cogmap import FCMClassifierCV
    >>> X, y = load_wine(return_X_y=True)
    >>> fcm = FCMClassifierCV(depths=(2, 1), alphas=(0.2, 2.0), random_state=0).fit(X, y)
    >>> fcm.depth_ in (1, 2)
    True
    >>> fcm.cv_results_["losses"].shape  # four choices, four folds
    (4, 4)
    """

    # What FCMClassifier has as parameters and this class has settled.
    depth = 2
    alpha = 0.2
    solver = "lbfgs"
    tol = 1e-4
    learning_rate = 0.02
    batch_size = "auto"
    early_stopping = False
    validation_fraction = 0.1
    _patience = 10  # not n_iter_no_change: scikit-learn takes an attribute of that name for a parameter
    n_teachers = "auto"
    warm_start = False

    def __init__(
        self,
        depths=(2, 1, 3),
        alphas=(0.2, 0.02, 2.0),
        n_folds=4,
        slope=2.0,
        output="auto",
        gain=10.0,
        n_hidden="auto",
        l1_ratio=0.0,
        max_iter="auto",
        init="balanced",
        edges=None,
        weight_bounds=None,
        scale="logistic",
        class_weight=None,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.depths = depths
        self.alphas = alphas
        self.n_folds = n_folds
        self.slope = slope
        self.output = output
        self.gain = gain
        self.n_hidden = n_hidden
        self.l1_ratio = l1_ratio
        self.max_iter = max_iter
        self.init = init
        self.edges = edges
        self.weight_bounds = weight_bounds
        self.scale = scale
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self):
        super()._check_parameters()
        for depth in self._choices("depths", self.depths):
            check_integer(self._owner, "depths", depth, low=1)
        for alpha in self._choices("alphas", self.alphas):
            check_number(self._owner, "alphas", alpha, low=0)
        check_integer(self._owner, "n_folds", self.n_folds, low=2)

    def _choices(self, name, values):
        try:
            choices = [] if isinstance(values, str) else list(values)
        except TypeError:
            choices = []
        if not choices:
            raise wrong(self._owner, name, "a sequence of at least one number", values)
        return choices

    def _teach(self, recipe, table, start, random, earlier):
        """Choose depth and penalty by the losses of the teachers; return the choice and its teachers."""
        parts = divisions(table, self.n_folds, random)[: None if affords_teachers(table) else 1]
        if not parts:  # one row a class: nothing can be kept aside
            return recipe, []
        candidates = [replace(recipe, depth=depth, alpha=alpha) for depth, alpha in product(self.depths, self.alphas)]
        starts = [start() for _ in parts]  # the same for every candidate, so that only the candidates differ
        learned = Parallel(n_jobs=self.n_jobs)(
            delayed(_learn_teacher)(candidate, part, theta)
            for candidate in candidates
            for part, theta in zip(parts, starts, strict=True)
        )
        n_parts = len(parts)
        teachers = [learned[i : i + n_parts] for i in range(0, len(learned), n_parts)]
        losses = np.array([[teacher.loss for teacher in of_candidate] for of_candidate in teachers])
        weights = [aside.total_weight for _, aside in parts]
        mean = np.average(losses, axis=1, weights=weights)
        chosen = clearly_best(losses, mean)
        self.cv_results_ = {
            "depth": np.array([candidate.depth for candidate in candidates]),
            "alpha": np.array([candidate.alpha for candidate in candidates]),
            "mean_loss": mean,
            "losses": losses,
        }
        self.alpha_ = candidates[chosen].alpha
        return candidates[chosen], teachers[chosen] if n_parts > 1 else []


def _learn_teacher(recipe, division, theta):
    """Let a teacher learn, in a process of its own."""
    with one_blas_thread():
        return learn_teacher(recipe, division, theta)


def clearly_best(losses, mean):
    """Return the candidate with the smallest mean loss, but the first if it is within one standard error of that.

    Few parts of few rows make losses that differ by chance, and what is chosen by chance is worse than what was
    preferred for a reason.
    """
    best = int(mean.argmin())
    behind = losses[0] - losses[best]
    if len(behind) == 1:
        return best
    return best if mean[0] - mean[best] > behind.std(ddof=1) / np.sqrt(len(behind)) else 0
