"""FCMClassifier: validation and bookkeeping around the map, its objective and the solvers."""

import warnings
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from cogmap import initialization
from cogmap._callbacks import CallbackSupport, FitTask, with_callbacks
from cogmap._params import check_boolean, check_choice, check_integer, check_number, wrong
from cogmap._threads import one_blas_thread
from cogmap.encoding import FeatureRange, first_states, merge_rows, row_blocks, unique_names
from cogmap.exceptions import DataError
from cogmap.losses import OUTPUTS, make_loss
from cogmap.map import FuzzyCognitiveMap
from cogmap.objective import Objective
from cogmap.penalties import ElasticNet
from cogmap.solvers import RULES, SOLVERS, Outcome, Problem, Watch, one_epoch, solve_adaptive, solve_lbfgs
from cogmap.structure import weight_limits


def _is_large(n_rows, n_features):
    """Whether learning computes in float32 whatever the data are: twice as fast, and accurate enough."""
    return n_rows * n_features > 2**20


@dataclass
class _Table:
    """Rows to learn from, ready for the objective."""

    X: np.ndarray  # scaled
    codes: np.ndarray
    weight: np.ndarray | None
    classes: np.ndarray
    output: str
    concepts: list[str]

    def rows(self, chosen):
        """Return the same table with some of the rows only."""
        weight = None if self.weight is None else self.weight[chosen]
        return replace(self, X=self.X[chosen], codes=self.codes[chosen], weight=weight)

    def merged(self):
        """Return the same table with equal rows merged, unless it is so large that this takes longer than it is worth."""
        if _is_large(*self.X.shape):
            return self
        X, codes, weight = merge_rows(self.X, self.codes, self.weight)
        return replace(self, X=X, codes=codes, weight=weight)

    @property
    def total_weight(self):
        """Sum of the weights of the rows."""
        return float(len(self.codes) if self.weight is None else self.weight.sum())

    @property
    def targets(self):
        """What the outputs should be, one column an output."""
        of_class = np.eye(len(self.classes))[:, 1:] if self.output == "single" else np.eye(len(self.classes))
        return of_class[self.codes]


class FCMClassifier(CallbackSupport, ClassifierMixin, TransformerMixin, BaseEstimator):
    """Classifier and feature transformer whose model is a fuzzy cognitive map.

    Features, scaled to [0, 1], and classes are concepts of a fully connected map. The map starts from the features
    of a sample and undecided outputs, makes a fixed number of steps, and the outputs are read. Its weights are learned
    by gradients through these steps. The states before the last step are a learned transformation of the features, and
    the last step is a logistic regression on them.

    Parameters
    ----------
    depth : int, default=2
        Number of steps, at least 1. With 1 step and one output the model is a logistic regression.
    slope : float, default=2.0
        Steepness of the sigmoid 1 / (1 + exp(-slope (x - 0.5))).
    output : {"auto", "single", "one_hot"}, default="auto"
        ``"single"``: one output concept, for two classes, learned with log loss. ``"one_hot"``: one output a class,
        learned with cross-entropy of a softmax. ``"auto"``: ``"single"`` for two classes, ``"one_hot"`` for more.
    gain : float, default=10.0
        Factor on the outputs before the softmax of ``"one_hot"``. With 1, the paper's, no prediction can be confident:
        outputs lie in (0, 1). It does not matter to ``"single"``.
    alpha : float, default=1.0
        Strength of the penalty on the weights, ``alpha / n * (l1_ratio * sum |W| + (1 - l1_ratio) / 2 * sum W^2)``
        beside a mean loss over rows of total weight n. At depth 1 and slope 1 it is the 1 / C of logistic regression.
    l1_ratio : float, default=0.0
        Share of the absolute penalty, which makes weights exactly 0.
    solver : {"lbfgs", "adam", "rmsprop"}, default="lbfgs"
        ``"lbfgs"`` uses all rows in every iteration. ``"adam"`` and ``"rmsprop"`` (that of TensorFlow 1, used in the
        paper) use mini-batches; an iteration is then a pass over the rows.
    max_iter : int, default=1000
        Largest number of iterations.
    tol : float, default=1e-3
        ``"lbfgs"`` ends when no entry of the gradient is larger. The others, and early stopping, end when
        `n_iter_no_change` iterations have lowered the loss by less. With 0, all `max_iter` iterations are made.
    learning_rate : float, default=0.01
        Step size of ``"adam"`` and ``"rmsprop"``.
    batch_size : int or "auto", default="auto"
        Rows in a mini-batch; the remainder is spread over the batches. As many rows as there are, or more, means one
        batch of all rows. ``"auto"`` is 200.
    early_stopping : bool, default=False
        Keep a part of the rows aside, stop when the loss on them no longer falls, and keep the best map.
    validation_fraction : float, default=0.1
        Size of that part, in (0, 1). It has about the same share of each class.
    n_iter_no_change : int, default=10
        Over how many iterations the loss has to fall by `tol` for learning to go on.
    init : {"balanced", "uniform", "correlation"} or FuzzyCognitiveMap, default="balanced"
        Weights to start from. ``"balanced"``: random and small, with every concept in the middle of its range.
        ``"uniform"``: random in [-1, 1], the paper's. ``"correlation"``: correlations of features and labels, not
        random. An expert's map of the same concepts, by name.
    edges : bool array of shape (n_concepts, n_concepts) or list of (from, to) names, default=None
        Which concepts may influence which; all other weights stay 0. None allows all. In an array, ``edges[i, j]``
        allows concept j to influence concept i. Names are those of `get_feature_names_out`.
    weight_bounds : (low, high), default=None
        Bounds of the weights: two numbers, or two arrays of shape (n_concepts, n_concepts).
    scale : bool, default=True
        Scale each feature to [0, 1] with the range learned in `fit`. A value up to one such range outside stays outside
        in proportion; farther ones are held there. A constant feature becomes 0. With False the features are used as
        they are, and should lie in [0, 1].
    class_weight : dict or "balanced", default=None
        Weights of the classes. ``"balanced"`` gives every class the same total weight.
    warm_start : bool, default=False
        Start from the map of the previous `fit`, on data with the same features and classes.
    random_state : int, RandomState instance or None, default=None
        Decides initial weights, mini-batches and the validation part. The same number gives the same model, bit by bit,
        for any `n_jobs`.
    n_jobs : int, default=None
        Number of threads. None means 1, -1 all processors.
    verbose : int, default=0
        With 1 or more, print the loss after each iteration.

    Attributes
    ----------
    map_ : FuzzyCognitiveMap
        The learned map. Its concepts are the features, then the outputs in the order of `classes_` (one output: the
        second class).
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    output_ : {"single", "one_hot"}
        Kind of output used.
    depth_, gain_ : int, float
        Values used in fit, which predictions follow.
    loss_curve_ : list of float
        Training loss, penalty included, after each iteration.
    validation_loss_curve_ : list of float
        Loss on the validation part after each iteration; only with `early_stopping`.
    n_iter_ : int
        Number of iterations made.
    outcome_ : Outcome
        How learning ended; ``outcome_.sentence`` says it in words.
    feature_range_ : FeatureRange or None
        Smallest (``low``) and largest (``high``) value of each feature; None if `scale` is False.
    n_features_in_ : int
        Number of features seen in fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if they were strings.

    References
    ----------
    P. Szwed, Classification and feature transformation with fuzzy cognitive maps, Applied Soft Computing 105 (2021),
    107271.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(random_state=0).fit(X, y)
    >>> fcm.score(X, y) > 0.95
    True
    >>> fcm.transform(X).shape  # four features and three classes
    (150, 7)
    >>> fcm.map_.concepts[-1]
    'class=2'
    """

    def __init__(
        self,
        depth=2,
        slope=2.0,
        output="auto",
        gain=10.0,
        alpha=1.0,
        l1_ratio=0.0,
        solver="lbfgs",
        max_iter=1000,
        tol=1e-3,
        learning_rate=0.01,
        batch_size="auto",
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=10,
        init="balanced",
        edges=None,
        weight_bounds=None,
        scale=True,
        class_weight=None,
        warm_start=False,
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        self.depth = depth
        self.slope = slope
        self.output = output
        self.gain = gain
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.init = init
        self.edges = edges
        self.weight_bounds = weight_bounds
        self.scale = scale
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    # ---------------------------------------------------------------------------------------------- learning

    @with_callbacks
    def fit(self, X, y, sample_weight=None):
        """Learn a map from data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features: an array, a pandas or a polars data frame of numbers.
        y : array-like of shape (n_samples,)
            Class labels of any type.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, at least 0. A weight of 2 is the same as the row twice, 0 as no row.

        Returns
        -------
        self : FCMClassifier
            The fitted classifier. If fitting fails, an earlier fitted model stays as it was.
        """
        self._check_parameters()
        with self._unchanged_on_failure():
            random = check_random_state(self.random_state)
            earlier = self._earlier_map() if self.warm_start else None
            X, y, weight = self._validate(X, y, sample_weight, reset=True)
            self.feature_range_ = FeatureRange.learn(X) if self.scale else None
            table = self._table(X, y, weight)
            task = FitTask(self, self.max_iter, X, y, weight)
            learning, validation = table, None
            if self.early_stopping:
                aside = self._validation_rows(table, random)
                learning = table.rows(~aside)
                validation = self._objective(table.rows(aside)).value
            if self.solver == "lbfgs":
                learning = learning.merged()
            problem = self._problem(learning)
            theta = problem.clip(self._start(learning, problem.bounds, random, earlier))

            def after_iteration(theta, number, loss):
                if self.verbose:
                    print(f"FCMClassifier: iteration {number}, loss {loss:.6g}")  # noqa: T201
                return task.after_iteration(number, lambda: self._fitted(theta, table))

            watch = Watch(self.max_iter, self.tol, self.n_iter_no_change, validation, after_iteration)
            with one_blas_thread():
                if self.solver == "lbfgs":
                    theta, outcome = solve_lbfgs(problem, theta, watch)
                else:
                    rule = RULES[self.solver](self.learning_rate)
                    theta, outcome = solve_adaptive(problem, theta, watch, rule, self._batch_size(), random)
            if watch.best_theta is not None:
                theta = watch.best_theta
            self._set(self._fitted(theta, table))
            self.loss_curve_ = watch.loss_curve
            self.__dict__.pop("validation_loss_curve_", None)
            if self.early_stopping:
                self.validation_loss_curve_ = watch.validation_curve
            self.n_iter_ = watch.n_iter
            self.outcome_ = outcome
            self._rule = None
            task.end(lambda: self._fitted(theta, table))
        if not outcome.converged:
            warnings.warn(
                f"FCMClassifier: {outcome.sentence} {outcome.cure} (solver={self.solver!r}, "
                f"max_iter={self.max_iter}, tol={self.tol:g}, last loss {self.loss_curve_[-1]:.6g})",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from a part of the data: one pass over it in mini-batches.

        The first call learns the ranges of the features, so its rows should be typical; or scale before, and set
        ``scale=False``. The solver is ``"adam"`` if `solver` is ``"lbfgs"``, which cannot learn in parts.
        `early_stopping` and `max_iter` do not apply.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All labels that will ever occur. Needed in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : FCMClassifier
            The classifier after the pass. If it fails, an earlier fitted model stays as it was.
        """
        self._check_parameters()
        if self.class_weight == "balanced":
            raise wrong(
                "FCMClassifier.partial_fit",
                "class_weight",
                "a dict or None",
                self.class_weight,
                "The shares of the classes are not known from a part of the data.",
            )
        with self._unchanged_on_failure():
            first = not hasattr(self, "map_")
            random = check_random_state(self.random_state)
            X, y, weight = self._validate(X, y, sample_weight, reset=first)
            all_classes = self._all_classes(classes, first)
            if first:
                self.feature_range_ = FeatureRange.learn(X) if self.scale else None
            table = self._table(X, y, weight, all_classes)
            problem = self._problem(table)
            earlier = None if first else self.map_
            theta = problem.clip(self._start(table, problem.bounds, random, earlier)).copy()
            solver = "adam" if self.solver == "lbfgs" else self.solver
            rule = getattr(self, "_rule", None) or RULES[solver](self.learning_rate)
            with one_blas_thread():
                loss = one_epoch(problem, theta, rule, self._batch_size(), random)
            self._set(self._fitted(theta, table))
            self.loss_curve_ = [*getattr(self, "loss_curve_", []), loss]
            self.n_iter_ = len(self.loss_curve_)
            self.outcome_ = Outcome.ONE_PASS
            self._rule = rule
        return self

    def _check_parameters(self):
        owner = "FCMClassifier"
        check_integer(owner, "depth", self.depth, low=1)
        check_number(owner, "slope", self.slope, low=0, low_included=False)
        check_choice(owner, "output", self.output, ["auto", *OUTPUTS])
        check_number(owner, "gain", self.gain, low=0, low_included=False)
        check_number(owner, "alpha", self.alpha, low=0)
        check_number(owner, "l1_ratio", self.l1_ratio, low=0, high=1)
        check_choice(owner, "solver", self.solver, SOLVERS)
        check_integer(owner, "max_iter", self.max_iter, low=1)
        check_number(owner, "tol", self.tol, low=0)
        check_number(owner, "learning_rate", self.learning_rate, low=0, low_included=False)
        if self.batch_size != "auto":
            cure = "Or 'auto'."
            check_integer(owner, "batch_size", self.batch_size, low=1, cure=cure)
        check_boolean(owner, "early_stopping", self.early_stopping)
        check_number(
            owner,
            "validation_fraction",
            self.validation_fraction,
            low=0,
            high=1,
            low_included=False,
            high_included=False,
        )
        check_integer(owner, "n_iter_no_change", self.n_iter_no_change, low=1)
        if not isinstance(self.init, FuzzyCognitiveMap):
            check_choice(owner, "init", self.init, initialization.NAMES, also="a FuzzyCognitiveMap")
        check_boolean(owner, "scale", self.scale)
        if self.class_weight is not None and not isinstance(self.class_weight, dict):
            check_choice(owner, "class_weight", self.class_weight, ["balanced"], also="a dict {label: weight}")
        check_boolean(owner, "warm_start", self.warm_start)
        if self.n_jobs is not None:
            check_integer(owner, "n_jobs", self.n_jobs, low=-(10**6))
            if self.n_jobs == 0:
                raise wrong(owner, "n_jobs", "an integer other than 0, or None", 0, "-1 means all processors.")
        check_integer(owner, "verbose", self.verbose, low=0) if not isinstance(self.verbose, bool) else None

    @contextmanager
    def _unchanged_on_failure(self):
        """Put fitted attributes back as they were if something goes wrong, Ctrl-C included."""

        def fitted():
            return {name: value for name, value in vars(self).items() if name.endswith("_") and name[0] != "_"}

        before = fitted()
        try:
            yield
        except BaseException:
            for name in fitted().keys() - before.keys():
                delattr(self, name)
            self._set(before)
            raise

    def _set(self, attributes):
        for name, value in attributes.items():
            setattr(self, name, value)

    def _validate(self, X, y, sample_weight, reset):
        """Return features, labels and weights of the rows that have any weight."""
        X, y = validate_data(self, X, y, dtype=(np.float64, np.float32), reset=reset)
        check_classification_targets(y)
        weight = _check_sample_weight(sample_weight, len(y))
        if weight is not None and not weight.all():
            kept = weight > 0
            X, y, weight = X[kept], y[kept], weight[kept]
        return X, y, weight

    def _table(self, X, y, weight, classes=None):
        """Scale the rows, code the labels and apply the weights of the classes."""
        present, codes = np.unique(y, return_inverse=True)
        if classes is None:
            classes = present
        else:
            unseen = np.setdiff1d(present, classes)
            if unseen.size:
                raise DataError(
                    f"`FCMClassifier.partial_fit` got the labels {unseen.tolist()}, which are not among the classes of "
                    f"the first call, {classes.tolist()}. Give all labels as `classes` in the first call."
                )
            codes = np.searchsorted(classes, y)
        if len(classes) < 2:
            raise DataError(
                f"FCMClassifier needs at least 2 classes in y, got one class only: {classes.tolist()}. "
                "Add rows of another class (rows with sample_weight 0 do not count)."
            )
        output = self.output
        if output == "auto":
            output = "single" if len(classes) == 2 else "one_hot"
        make_loss(output, len(classes), self.gain, "FCMClassifier")  # says so if one output cannot do
        if self.class_weight is not None:
            weight = _class_weights(self.class_weight, classes, codes, weight)[codes] * (1.0 if weight is None else weight)
        dtype = np.float32 if _is_large(*X.shape) else X.dtype
        X = X.astype(dtype, copy=False) if self.feature_range_ is None else self.feature_range_.scale(X, dtype)
        concepts = self._concept_names(self._input_names(), classes, output)
        return _Table(X, codes, weight, classes, output, concepts)

    def _all_classes(self, classes, first):
        """Return the labels for partial_fit: those of the first call."""
        if first:
            if classes is None:
                raise wrong(
                    "FCMClassifier.partial_fit",
                    "classes",
                    "given in the first call",
                    classes,
                    "List all labels that will ever occur.",
                )
            return np.unique(classes)
        if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise wrong(
                "FCMClassifier.partial_fit", "classes", f"the same as in the first call, {self.classes_.tolist()}", classes
            )
        return self.classes_

    def _validation_rows(self, table, random):
        """Choose rows to keep aside, the same share of each class; at least one row of a class is learned from."""
        aside = np.zeros(len(table.codes), dtype=bool)
        for code in range(len(table.classes)):
            members = random.permutation(np.flatnonzero(table.codes == code))
            aside[members[: min(round(self.validation_fraction * len(members)), len(members) - 1)]] = True
        if not aside.any():
            raise DataError(
                f"`FCMClassifier(validation_fraction={self.validation_fraction:g})` of {len(aside)} rows leaves no row "
                "for validation. Raise it, or set early_stopping=False."
            )
        return aside

    def _objective(self, table):
        return Objective(
            table.X,
            table.codes,
            len(table.classes),
            output=table.output,
            depth=self.depth,
            slope=self.slope,
            gain=self.gain,
            sample_weight=table.weight,
            n_threads=effective_n_jobs(self.n_jobs),
        )

    def _problem(self, table):
        objective = self._objective(table)
        n_weights = objective.n_concepts**2
        penalty = ElasticNet.from_alpha(self.alpha, self.l1_ratio, table.total_weight, n_weights)
        limits = weight_limits(self.edges, self.weight_bounds, table.concepts, "FCMClassifier")
        return Problem(objective, penalty, limits)

    def _batch_size(self):
        return 200 if self.batch_size == "auto" else self.batch_size

    def _earlier_map(self):
        return getattr(self, "map_", None)

    def _start(self, table, limits, random, earlier):
        """Return the parameters to start from."""
        n_concepts = len(table.concepts)
        if earlier is not None:
            W, b = self._continued(earlier, table)
        elif isinstance(self.init, FuzzyCognitiveMap):
            W, b = initialization.from_map(self.init, table.concepts, self.slope, "FCMClassifier")
        elif self.init == "correlation":
            W, b = initialization.correlation(table.X, table.targets, table.weight, limits)
        elif self.init == "balanced":
            W, b = initialization.balanced(n_concepts, random, limits)
        else:
            W, b = initialization.uniform(n_concepts, random)
        return np.concatenate([W.ravel(), b])

    def _continued(self, earlier, table):
        if earlier.n_concepts != len(table.concepts) or not np.array_equal(self.classes_, table.classes):
            raise DataError(
                f"`FCMClassifier(warm_start=True)` needs the features and classes of the previous fit: "
                f"{earlier.n_concepts} concepts with classes {self.classes_.tolist()}, got {len(table.concepts)} "
                f"concepts with classes {table.classes.tolist()}. Set warm_start=False to start afresh."
            )
        renamed = FuzzyCognitiveMap(earlier.weights, earlier.bias, earlier.slope, table.concepts)
        return initialization.from_map(renamed, table.concepts, self.slope, "FCMClassifier")

    def _fitted(self, theta, table):
        """Return the fitted attributes that predictions need."""
        r = len(table.concepts)
        return {
            "map_": FuzzyCognitiveMap(theta[: r * r].reshape(r, r), theta[r * r :], self.slope, table.concepts),
            "classes_": table.classes,
            "output_": table.output,
            "depth_": self.depth,
            "gain_": self.gain,
            "feature_range_": self.feature_range_,
        }

    # -------------------------------------------------------------------------------------------- prediction

    def _first_states(self, X):
        """Validate, scale and encode; yield blocks of rows with their states, so that memory stays small."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=(np.float64, np.float32), reset=False)
        n_outputs = self.map_.n_concepts - self.n_features_in_
        for rows in row_blocks(len(X)):
            block = X[rows] if self.feature_range_ is None else self.feature_range_.scale(X[rows])
            yield first_states(block, n_outputs)

    def _before_last(self, states):
        for _ in range(self.depth_ - 1):
            states = self.map_.step(states)
        return states

    def _read_outputs(self, X, read):
        """Run the map on blocks of rows and return what `read` makes of the net inputs of the outputs."""
        outputs = slice(getattr(self, "n_features_in_", None), None)
        blocks = []
        for states in self._first_states(X):
            net = self.map_.net_input(self._before_last(states), outputs)
            blocks.append(getattr(make_loss(self.output_, len(self.classes_), self.gain_), read)(0.5 * self.map_.slope * (net.T - 0.5)))
        return np.concatenate(blocks)

    def decision_function(self, X):
        """Return what is compared to decide for a class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, else (n_samples, n_classes)
            One output: its log-odds, as in logistic regression. One output a class: `gain` times the outputs, and for
            two classes the second minus the first.
        """
        return self._read_outputs(X, "decision")

    def predict_proba(self, X):
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        return self._read_outputs(X, "probabilities")

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
        scores = self.decision_function(X)
        return self.classes_[(scores >= 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    def transform(self, X):
        """Return the states before the last step: the features that the map has learned.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_concepts)
            In [0, 1]. Columns are named by `get_feature_names_out`.
        """
        return np.concatenate([self._before_last(states) for states in self._first_states(X)])

    def trajectory(self, X):
        """Return the states at every step.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (depth + 1, n_samples, n_concepts)
        """
        blocks = [self.map_.run(states, self.depth_) for states in self._first_states(X)]
        return np.concatenate(blocks, axis=1)

    def get_feature_names_out(self, input_features=None):
        """Return the names of the concepts: the features, then ``class=...`` for each output.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the features; only those seen in fit, if it saw any.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = self._input_names()
        if input_features is not None:
            given = [str(name) for name in input_features]
            if len(given) != self.n_features_in_:
                raise ValueError(f"input_features should have length equal to number of features ({self.n_features_in_}), got {len(given)}")
            if hasattr(self, "feature_names_in_") and given != names:
                raise ValueError("input_features is not equal to feature_names_in_")
            names = given
        return np.asarray(self._concept_names(names, self.classes_, self.output_), dtype=object)

    def _input_names(self):
        if hasattr(self, "feature_names_in_"):
            return [str(name) for name in self.feature_names_in_]
        return [f"x{i}" for i in range(self.n_features_in_)]

    @staticmethod
    def _concept_names(features, classes, output):
        of_outputs = classes[1:] if output == "single" else classes
        return unique_names([*features, *(f"class={label}" for label in of_outputs)])


def _check_sample_weight(sample_weight, n_rows):
    """Return the weights as float64, or None."""
    if sample_weight is None:
        return None
    weight = np.asarray(sample_weight)
    if weight.ndim == 0:
        weight = np.full(n_rows, weight)
    if weight.shape != (n_rows,):
        raise wrong(
            "FCMClassifier.fit", "sample_weight", f"an array of shape ({n_rows},), one weight a row", f"shape {weight.shape}"
        )
    try:
        weight = weight.astype(np.float64)
    except (TypeError, ValueError):
        raise wrong("FCMClassifier.fit", "sample_weight", "an array of numbers", sample_weight) from None
    if not np.isfinite(weight).all() or (weight < 0).any():
        worst = weight[~(np.isfinite(weight) & (weight >= 0))][0]
        raise wrong("FCMClassifier.fit", "sample_weight", "finite numbers >= 0", float(worst), "0 leaves a row out.")
    if not weight.any():
        raise wrong("FCMClassifier.fit", "sample_weight", "greater than 0 for some rows", "zeros only")
    return weight


def _class_weights(class_weight, classes, codes, sample_weight):
    """Return the weight of each class."""
    if isinstance(class_weight, str):  # "balanced"
        share = np.bincount(codes, sample_weight, minlength=len(classes))
        return share.sum() / (len(classes) * share)
    unknown = [label for label in class_weight if label not in classes.tolist()]
    if unknown:
        raise wrong(
            "FCMClassifier", "class_weight", f"a dict of labels in y, {classes.tolist()}", f"a dict with {unknown}"
        )
    weights = np.array([class_weight.get(label, 1.0) for label in classes.tolist()], dtype=np.float64)
    if not np.isfinite(weights).all() or not (weights > 0).all():
        raise wrong("FCMClassifier", "class_weight", "a dict of finite weights > 0", class_weight)
    return weights
