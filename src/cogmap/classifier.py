"""FCMClassifier: validation and bookkeeping around the map, its objective and the solvers."""

import copy
import warnings
from contextlib import contextmanager

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from cogmap import initialization
from cogmap._callbacks import CallbackSupport, FitTask, with_callbacks
from cogmap._params import check_boolean, check_choice, check_integer, check_number, shown, wrong
from cogmap._threads import one_blas_thread
from cogmap.encoding import FeatureRange, FeatureSpread
from cogmap.exceptions import DataError
from cogmap.learning import Recipe, learn_teachers, taught_shares
from cogmap.losses import OUTPUTS, make_loss
from cogmap.map import FuzzyCognitiveMap
from cogmap.prediction import FLOATS, MapPredictor
from cogmap.solvers import RULES, SOLVERS, Outcome, Watch, one_epoch, solve_adaptive, solve_lbfgs
from cogmap.structure import weight_limits
from cogmap.table import Table, check_label_types, check_sample_weight, class_weights, concept_names, encode_labels

_OWNER = "FCMClassifier"

# With more values than this a table counts as large: learning computes in float32 whatever the data are, which is
# twice as fast and accurate enough, and equal rows are not looked for.
_LARGE = 2**20

# A map of more concepts than this is wide: it is learned in float32, without teachers and in few iterations, which for
# so many weights are already long.
_WIDE = 200


class FCMClassifier(CallbackSupport, MapPredictor, BaseEstimator):
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
    alpha : float, default=0.3
        Strength of the penalty on the weights, ``alpha / n * (l1_ratio * sum |W| + (1 - l1_ratio) / 2 * sum W^2)``
        beside the mean loss. n is the number of rows, or their total weight if that is larger: weights that are shares,
        as those of AdaBoost, do not make the penalty stronger. At depth 1 and slope 1 it is the 1 / C of logistic
        regression.
    l1_ratio : float, default=0.0
        Share of the absolute penalty, which makes weights exactly 0.
    solver : {"lbfgs", "adam", "rmsprop"}, default="lbfgs"
        ``"lbfgs"`` uses all rows in every iteration. ``"adam"`` and ``"rmsprop"`` (that of TensorFlow 1, used in the
        paper) use mini-batches; an iteration is then a pass over the rows.
    max_iter : int or "auto", default="auto"
        Largest number of iterations. ``"auto"`` makes as many as usually pay: with ``"lbfgs"`` 50 after teachers, else
        100; for maps of more than 200 concepts one for 200 rows, at least 15 and at most 50. With the other solvers it
        is 500.
    tol : float, default=1e-4
        ``"lbfgs"`` ends when no entry of the gradient is larger (with respect to half the weights, and the net inputs
        of concepts whose sources are all 0.5). The others, and early stopping, end when `n_iter_no_change` iterations
        have lowered the loss by less. With 0, all `max_iter` iterations are made, as far as any step still lowers the
        loss.
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
    n_teachers : int or "auto", default="auto"
        Number of maps that learn first, each without another part of the rows, on which it is seen when to stop. The
        map then learns from all rows, three parts in ten from the labels and seven from the mean prediction of the
        teachers: it is about as accurate as their committee, and its probabilities are honest. 0 learns from the labels
        alone. ``"auto"``: as many as have 200 concepts together, at most 5, and not more than one for ten rows; none if
        that makes less than two, if `max_iter` or `early_stopping` say how long to learn, with another solver than
        ``"lbfgs"``, or if learning goes on from an earlier fit.
    init : {"balanced", "uniform", "correlation"} or FuzzyCognitiveMap, default="balanced"
        Weights to start from. ``"balanced"``: random and small, with every concept in the middle of its range.
        ``"uniform"``: random in [-1, 1], the paper's. ``"correlation"``: correlations of features and labels, not
        random. An expert's map of the same concepts, by name.
    edges : bool array of shape (n_concepts, n_concepts) or list of (from, to) names, default=None
        Which concepts may influence which; all other weights stay 0. None allows all. In an array, ``edges[i, j]``
        allows concept j to influence concept i. Names are those of `get_feature_names_out`. With a depth of 2 or more
        a feature is forgotten after the first step unless it may influence itself or another feature.
    weight_bounds : (low, high), default=None
        Bounds of the weights: two numbers, or two arrays of shape (n_concepts, n_concepts).
    scale : {"logistic"} or bool, default="logistic"
        How features become states in [0, 1]. ``"logistic"``: the logistic function of 1.5 times the distance from the
        mean, in standard deviations; a few very large values do no harm, and a constant feature becomes 0.5. True, the
        paper's: the range learned in `fit` becomes [0, 1]; a value up to one such range outside stays outside in
        proportion, farther ones are held there; a constant feature becomes 0. False: features are used as they are, and
        should lie in [0, 1].
    class_weight : dict or "balanced", default=None
        Weights of the classes. ``"balanced"`` gives every class the same total weight.
    warm_start : bool, default=False
        Start from the map of the previous `fit`, on data with the same features and classes. Features with names
        are matched by name.
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
    teacher_losses_ : list of float
        Loss of each teacher on the rows that it did not learn from; empty if there were none.
    loss_curve_ : list of float
        Training loss, penalty included: after each iteration of ``"lbfgs"``, the mean over each pass of the others.
    validation_loss_curve_ : list of float
        Loss on the validation part after each iteration; only with `early_stopping`.
    n_iter_ : int
        Number of iterations made.
    outcome_ : Outcome
        How learning ended; ``outcome_.sentence`` says it in words.
    scaling_ : FeatureSpread, FeatureRange or None
        How features are scaled: ``mean`` and ``deviation``, or ``low`` and ``high`` of each; None if `scale` is False.
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
        alpha=0.3,
        l1_ratio=0.0,
        solver="lbfgs",
        max_iter="auto",
        tol=1e-4,
        learning_rate=0.01,
        batch_size="auto",
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=10,
        n_teachers="auto",
        init="balanced",
        edges=None,
        weight_bounds=None,
        scale="logistic",
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
        self.n_teachers = n_teachers
        self.init = init
        self.edges = edges
        self.weight_bounds = weight_bounds
        self.scale = scale
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

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
            earlier = self._earlier() if self.warm_start else None
            X, y, weight = self._validate(X, y, sample_weight, reset=True)
            whole = learning = self._table(X, y, weight)
            recipe = self._recipe(whole)
            validation = None
            if self.early_stopping:
                aside = whole.validation_rows(self.validation_fraction, random)
                learning = whole.rows(~aside)
                validation = recipe.objective(whole.rows(aside)).value

            def start():
                return self._start(learning, recipe.limits, random, earlier)

            with one_blas_thread():
                n_teachers = self._n_teachers(learning, earlier)
                teachers = learn_teachers(recipe, learning, n_teachers, start, random) if n_teachers else []
                max_iter = self._max_iter(learning, teachers)
                task = FitTask(self, max_iter, X, y, weight)

                def after_iteration(theta, number, loss):
                    if self.verbose:
                        print(f"{_OWNER}: iteration {number}, loss {loss:.6g}")  # noqa: T201
                    return task.after_iteration(number, lambda: self._fitted(recipe, theta, whole))

                watch = Watch(max_iter, self.tol, self.n_iter_no_change, validation, after_iteration)
                problem = recipe.problem(learning, taught_shares(recipe, learning, teachers) if teachers else None)
                theta = teachers[0].theta if teachers else problem.clip(start())
                if self.solver == "lbfgs":
                    theta, outcome = solve_lbfgs(problem, theta, watch)
                else:
                    rule = RULES[self.solver](self.learning_rate)
                    theta, outcome = solve_adaptive(problem, theta, watch, rule, self._batch_size(), random)
            if watch.best_theta is not None:
                theta = watch.best_theta
            self._set(self._fitted(recipe, theta, whole))
            if outcome is Outcome.MAX_ITER and self.max_iter == "auto":
                outcome = Outcome.ENOUGH
            if outcome.converged and np.ptp(recipe.probabilities(theta, whole.first(1000)), axis=0).max() < 1e-3:
                outcome = Outcome.NOTHING_LEARNED
            self.teacher_losses_ = [teacher.loss for teacher in teachers]
            self.loss_curve_ = watch.loss_curve
            self.__dict__.pop("validation_loss_curve_", None)
            if self.early_stopping:
                self.validation_loss_curve_ = watch.validation_curve
            self.n_iter_ = watch.n_iter
            self.outcome_ = outcome
            self._incremental = None
            task.end(lambda: self._fitted(recipe, theta, whole))
        if not outcome.converged:
            warnings.warn(
                f"{_OWNER}: {outcome.sentence} {outcome.cure} (solver={self.solver!r}, max_iter={self.max_iter}, "
                f"tol={self.tol:g}, last loss {self.loss_curve_[-1]:.6g})",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from a part of the data: one pass over it in mini-batches.

        The first call learns the scaling of the features, so its rows should be typical; or scale before, and set
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
        owner = f"{_OWNER}.partial_fit"
        if isinstance(self.class_weight, str):
            cure = "The shares of the classes are not known from a part of the data."
            raise wrong(owner, "class_weight", "a dict or None", self.class_weight, cure)
        with self._unchanged_on_failure():
            first = not hasattr(self, "map_")
            if first and classes is None:
                cure = "List all labels that will ever occur."
                raise wrong(owner, "classes", "given in the first call", classes, cure)
            known = _all_labels(classes, owner) if first else self.classes_
            if classes is not None and not np.array_equal(_all_labels(classes, owner), known):
                raise wrong(owner, "classes", f"the same as in the first call, {shown(known)}", classes)
            X, y, weight = self._validate(X, y, sample_weight, reset=first, method="partial_fit")
            table = self._table(X, y, weight, known, None if first else self.scaling_)
            recipe = self._recipe(table)
            # Not the mean weight of a part, which may be of one class, but the weight itself scales its steps.
            problem = recipe.problem(table, unit_weight=1.0)
            rule, random = self._rule_and_random()
            start = self._start(table, problem.bounds, random, None if first else self._earlier())
            theta = problem.clip(start).copy()
            with one_blas_thread():
                loss = one_epoch(problem, theta, rule, self._batch_size(), random)
                problem.check_end(theta)
            self._set(self._fitted(recipe, theta, table))
            self.loss_curve_ = [*getattr(self, "loss_curve_", []), loss]
            self.n_iter_ = len(self.loss_curve_)
            self.outcome_ = Outcome.ONE_PASS
            self._incremental = rule, random
        return self

    def _rule_and_random(self):
        """Return what partial_fit remembers between calls, as copies: a pass that fails must not leave its mark."""
        rule = RULES["adam" if self.solver == "lbfgs" else self.solver](self.learning_rate)
        remembered = copy.deepcopy(getattr(self, "_incremental", None))
        if remembered is None:
            return rule, check_random_state(self.random_state)
        settings = type(rule), self.learning_rate
        return remembered if (type(remembered[0]), remembered[0].learning_rate) == settings else (rule, remembered[1])

    def _check_parameters(self):
        check_integer(_OWNER, "depth", self.depth, low=1)
        check_number(_OWNER, "slope", self.slope, low=0, low_included=False)
        check_choice(_OWNER, "output", self.output, ["auto", *OUTPUTS])
        check_number(_OWNER, "gain", self.gain, low=0, low_included=False)
        check_number(_OWNER, "alpha", self.alpha, low=0)
        check_number(_OWNER, "l1_ratio", self.l1_ratio, low=0, high=1)
        check_choice(_OWNER, "solver", self.solver, SOLVERS)
        if not (isinstance(self.max_iter, str) and self.max_iter == "auto"):
            check_integer(_OWNER, "max_iter", self.max_iter, low=1, cure="Or 'auto'.")
        if not (isinstance(self.n_teachers, str) and self.n_teachers == "auto"):
            check_integer(_OWNER, "n_teachers", self.n_teachers, low=0, cure="Or 'auto'.")
        check_number(_OWNER, "tol", self.tol, low=0)
        check_number(_OWNER, "learning_rate", self.learning_rate, low=0, low_included=False)
        if not (isinstance(self.batch_size, str) and self.batch_size == "auto"):
            check_integer(_OWNER, "batch_size", self.batch_size, low=1, cure="Or 'auto'.")
        check_boolean(_OWNER, "early_stopping", self.early_stopping)
        check_number(
            _OWNER,
            "validation_fraction",
            self.validation_fraction,
            low=0,
            high=1,
            low_included=False,
            high_included=False,
        )
        check_integer(_OWNER, "n_iter_no_change", self.n_iter_no_change, low=1)
        if not isinstance(self.init, FuzzyCognitiveMap):
            check_choice(_OWNER, "init", self.init, initialization.NAMES, also="a FuzzyCognitiveMap")
        if not isinstance(self.scale, bool | np.bool_):
            check_choice(_OWNER, "scale", self.scale, ["logistic"], also="True or False")
        if self.class_weight is not None and not isinstance(self.class_weight, dict):
            check_choice(_OWNER, "class_weight", self.class_weight, ["balanced"], also="a dict {label: weight}")
        check_boolean(_OWNER, "warm_start", self.warm_start)
        if self.n_jobs is not None:
            check_integer(_OWNER, "n_jobs", self.n_jobs, low=-(10**6))
            if self.n_jobs == 0:
                raise wrong(_OWNER, "n_jobs", "an integer other than 0, or None", 0, "-1 means all processors.")
        if not isinstance(self.verbose, bool):
            check_integer(_OWNER, "verbose", self.verbose, low=0)

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

    def _validate(self, X, y, sample_weight, reset, method="fit"):
        """Return features, labels and weights of the rows that have any weight."""
        X, y = validate_data(self, X, y, dtype=FLOATS, reset=reset)
        check_label_types(y, _OWNER)
        check_classification_targets(y)
        weight = check_sample_weight(sample_weight, len(y), f"{_OWNER}.{method}")
        if weight is not None and not weight.all():
            kept = weight > 0
            X, y, weight = X[kept], y[kept], weight[kept]
        return X, y, weight

    def _table(self, X, y, weight, known_classes=None, scaling=None):
        """Code the labels, weight the classes, scale the features and name the concepts."""
        classes, codes = encode_labels(y, known_classes, _OWNER)
        output = self.output
        if output == "auto":
            output = "single" if len(classes) == 2 else "one_hot"
        make_loss(output, len(classes), self.gain, _OWNER)  # complains if one output has to tell three classes apart
        table = Table(X, codes, weight, classes, output, concept_names(self._input_names(), classes, output))
        if self.solver == "lbfgs" and X.size <= _LARGE and known_classes is None:
            table = table.merged()
        if self.class_weight is not None:
            table = table.with_class_weights(class_weights(self.class_weight, classes, codes, weight, _OWNER))
        dtype = np.float32 if X.size > _LARGE or len(table.concepts) > _WIDE else X.dtype
        if scaling is None and self.scale == "logistic":
            scaling = FeatureSpread.learn(table.X, table.weight)
        elif scaling is None and self.scale:
            scaling = FeatureRange.learn(table.X)
        self.scaling_ = scaling
        return table.with_features(
            table.X.astype(dtype, copy=False) if scaling is None else scaling.scale(table.X, dtype)
        )

    def _recipe(self, table):
        limits = weight_limits(self.edges, self.weight_bounds, table.concepts, _OWNER)
        n_threads = effective_n_jobs(self.n_jobs)
        return Recipe(self.depth, self.slope, self.gain, self.alpha, self.l1_ratio, limits, n_threads)

    def _n_teachers(self, table, earlier):
        """Return how many teachers pay: none for maps that are wide, for few rows, or where learning goes on."""
        if self.n_teachers != "auto":
            return self.n_teachers
        if self.solver != "lbfgs" or self.max_iter != "auto" or self.early_stopping or earlier is not None:
            return 0
        n_rows = table.n_rows if table.copies is None else max(table.n_rows, table.copies.sum())
        number = min(5, _WIDE // len(table.concepts), n_rows // 10)
        return int(number) if number > 1 else 0

    def _max_iter(self, table, teachers):
        """Return the largest number of iterations."""
        if self.max_iter != "auto":
            return self.max_iter
        if self.solver != "lbfgs":
            return 500
        if len(table.concepts) > _WIDE:
            return min(max(table.n_rows // 200, 15), 50)
        return 50 if teachers else 100

    def _batch_size(self):
        return 200 if self.batch_size == "auto" else self.batch_size

    def _earlier(self):
        """Return the map of an earlier fit; its concepts have no names if its features had none."""
        if not hasattr(self, "map_"):
            return None
        concepts = self.map_.concepts if hasattr(self, "feature_names_in_") else None
        return FuzzyCognitiveMap(self.map_.weights, self.map_.bias, self.map_.slope, concepts)

    def _start(self, table, limits, random, earlier):
        """Return the parameters to start from: those of an earlier map, if there is one."""
        n_concepts = len(table.concepts)
        if earlier is not None:
            same = earlier.n_concepts == n_concepts and self.output_ == table.output
            if not same or not np.array_equal(self.classes_, table.classes):
                raise DataError(
                    f"`{_OWNER}` can go on from an earlier fit (warm_start or partial_fit) only with its features, "
                    f"classes and output: {earlier.n_concepts} concepts, classes {shown(self.classes_)}, "
                    f"{self.output_}; got {n_concepts} concepts, classes {shown(table.classes)}, {table.output}. "
                    "Fit a new classifier, or with warm_start=False."
                )
            if not hasattr(self, "feature_names_in_"):  # features now have no names: they are taken in order
                earlier = FuzzyCognitiveMap(earlier.weights, earlier.bias, earlier.slope)
            W, b = initialization.from_map(earlier, table.concepts, self.slope, _OWNER)
        elif isinstance(self.init, FuzzyCognitiveMap):
            W, b = initialization.from_map(self.init, table.concepts, self.slope, _OWNER)
        elif self.init == "correlation":
            W, b = initialization.correlation(table.X, table.targets, table.weight, limits)
        elif self.init == "balanced":
            W, b = initialization.balanced(n_concepts, random, limits)
        else:
            W, b = initialization.uniform(n_concepts, random)
        return np.concatenate([W.ravel(), b])

    def _fitted(self, recipe, theta, table):
        """Return the fitted attributes that predictions need."""
        return {
            "map_": recipe.map(theta, table),
            "classes_": table.classes,
            "output_": table.output,
            "depth_": self.depth,
            "gain_": self.gain,
        }


def _all_labels(classes, owner):
    try:
        return np.unique(np.asarray(list(classes)))
    except TypeError:
        raise wrong(owner, "classes", "a list of labels of one type", classes) from None
