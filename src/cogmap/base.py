"""What FCMClassifier and FCMClassifierCV share: validation and bookkeeping around learning, no formula."""

import warnings
from contextlib import contextmanager

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets

from cogmap import initialization
from cogmap._callbacks import CallbackSupport, FitTask, with_callbacks
from cogmap._params import check_boolean, check_choice, check_integer, check_number, shown, wrong
from cogmap._threads import one_blas_thread
from cogmap.encoding import FeatureRange, FeatureSpread, first_states
from cogmap.exceptions import DataError
from cogmap.learning import Recipe, affords_teachers, is_wide, learn_teachers, longest, taught_shares
from cogmap.losses import OUTPUTS, make_loss
from cogmap.map import FuzzyCognitiveMap
from cogmap.prediction import MapPredictor, validated
from cogmap.solvers import RULES, SOLVERS, Outcome, Watch, solve_adaptive, solve_lbfgs
from cogmap.structure import weight_limits
from cogmap.table import (
    HIDDEN,
    Table,
    check_label_types,
    check_sample_weight,
    class_weights,
    concept_names,
    encode_labels,
)

# With more values than this a table counts as large: learning computes in float32 whatever the data are, which is
# twice as fast and accurate enough, equal rows are not looked for, and there are no hidden concepts for many rows,
# which would need more memory than the data.
_LARGE = 2**20

# Hidden concepts make a map at least so large: one of two features and an output cannot bend its boundary enough to
# tell a disc from what surrounds it. Many rows tell more than few concepts can learn: one for so many rows pays.
_FEWEST_CONCEPTS, _FEWEST_OF_MANY_ROWS = 7, 30
_ROWS_A_CONCEPT = 160


class BaseFCM(CallbackSupport, MapPredictor, BaseEstimator):
    """A map that learns from a table, with the parameters of `FCMClassifier` as attributes."""

    @property
    def _owner(self):
        return type(self).__name__

    @property
    def _patience(self):
        return self.n_iter_no_change

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
            whole = learning = self._table(X, y, weight, n_hidden=None if earlier is None else self.n_hidden_)
            recipe = self._recipe(whole)
            validation = None
            if self.early_stopping:
                aside = whole.validation_rows(self.validation_fraction, random)
                learning = whole.rows(~aside)
                validation = recipe.objective(whole.rows(aside)).value

            def start():
                return self._start(learning, recipe.limits, random, earlier)

            with one_blas_thread():
                recipe, teachers = self._teach(recipe, learning, start, random, earlier)
                max_iter = self._max_iter(learning)
                task = FitTask(self, max_iter, X, y, weight)

                def after_iteration(theta, number, loss):
                    if self.verbose:
                        print(f"{self._owner}: iteration {number}, loss {loss:.6g}")  # noqa: T201
                    return task.after_iteration(number, lambda: self._fitted(recipe, theta, whole))

                watch = Watch(max_iter, self.tol, self._patience, validation, after_iteration)
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
                f"{self._owner}: {outcome.sentence} {outcome.cure} (solver={self.solver!r}, max_iter={self.max_iter}, "
                f"tol={self.tol:g}, last loss {self.loss_curve_[-1]:.6g})",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def _check_parameters(self):
        for name, low in (("depth", 1), ("n_hidden", 0), ("max_iter", 1), ("n_teachers", 0), ("batch_size", 1)):
            value = getattr(self, name)
            if not (isinstance(value, str) and value == "auto"):
                check_integer(self._owner, name, value, low=low, cure="Or 'auto'.")
        check_number(self._owner, "slope", self.slope, low=0, low_included=False)
        check_choice(self._owner, "output", self.output, ["auto", *OUTPUTS])
        check_number(self._owner, "gain", self.gain, low=0, low_included=False)
        check_number(self._owner, "alpha", self.alpha, low=0)
        check_number(self._owner, "l1_ratio", self.l1_ratio, low=0, high=1)
        check_choice(self._owner, "solver", self.solver, SOLVERS)
        check_number(self._owner, "tol", self.tol, low=0)
        check_number(self._owner, "learning_rate", self.learning_rate, low=0, low_included=False)
        check_boolean(self._owner, "early_stopping", self.early_stopping)
        check_number(
            self._owner,
            "validation_fraction",
            self.validation_fraction,
            low=0,
            high=1,
            low_included=False,
            high_included=False,
        )
        check_integer(self._owner, "n_iter_no_change", self._patience, low=1)
        if not isinstance(self.init, FuzzyCognitiveMap):
            check_choice(self._owner, "init", self.init, initialization.NAMES, also="a FuzzyCognitiveMap")
            if self.init == "correlation" and self.n_hidden not in (0, "auto"):
                cure = "Hidden concepts are correlated with nothing."
                raise wrong(self._owner, "n_hidden", "0 with init='correlation'", self.n_hidden, cure)
        if not isinstance(self.scale, bool | np.bool_):
            check_choice(self._owner, "scale", self.scale, ["logistic"], also="True or False")
        if self.class_weight is not None and not isinstance(self.class_weight, dict):
            check_choice(self._owner, "class_weight", self.class_weight, ["balanced"], also="a dict {label: weight}")
        check_boolean(self._owner, "warm_start", self.warm_start)
        if self.n_jobs is not None:
            check_integer(self._owner, "n_jobs", self.n_jobs, low=-(10**6))
            if self.n_jobs == 0:
                raise wrong(self._owner, "n_jobs", "an integer other than 0, or None", 0, "-1 means all processors.")
        if not isinstance(self.verbose, bool):
            check_integer(self._owner, "verbose", self.verbose, low=0)

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
        X, y = validated(self, X, y, reset=reset)
        check_label_types(y, self._owner)
        check_classification_targets(y)
        weight = check_sample_weight(sample_weight, len(y), f"{self._owner}.{method}")
        if weight is not None and not weight.all():
            kept = weight > 0
            X, y, weight = X[kept], y[kept], weight[kept]
        return X, y, weight

    def _table(self, X, y, weight, known_classes=None, scaling=None, n_hidden=None):
        """Code the labels, weight the classes, scale the features and name the concepts.

        Where learning goes on, classes, scaling and the number of hidden concepts are known already.
        """
        classes, codes = encode_labels(y, known_classes, self._owner)
        output = self.output
        if output == "auto":
            output = "single" if len(classes) == 2 else "one_hot"
        n_outputs = make_loss(output, len(classes), self.gain, self._owner).n_outputs
        table = Table(X, codes, weight, classes, output)
        if self.solver == "lbfgs" and X.size <= _LARGE and known_classes is None:
            table = table.merged()
        if self.n_hidden != "auto":
            n_hidden = self.n_hidden
        elif n_hidden is None:
            n_hidden = self._n_hidden(X.shape[1] + n_outputs, table.n_samples if X.size <= _LARGE else 0)
        table = table.named(concept_names(self._input_names(), classes, output, n_hidden), n_hidden)
        if self.class_weight is not None:
            table = table.with_class_weights(class_weights(self.class_weight, classes, codes, weight, self._owner))
        dtype = np.float32 if X.size > _LARGE or is_wide(table) else X.dtype
        if scaling is None and self.scale == "logistic":
            scaling = FeatureSpread.learn(table.X, table.weight)
        elif scaling is None and self.scale:
            scaling = FeatureRange.learn(table.X)
        self.scaling_ = scaling
        states = table.X.astype(dtype, copy=False) if scaling is None else scaling.scale(table.X, dtype)
        return table.with_features(first_states(states, n_hidden) if n_hidden else states)

    def _n_hidden(self, n_others, n_samples):
        """Return how many hidden concepts pay: some beside few others, none where an expert speaks of the concepts."""
        if isinstance(self.init, FuzzyCognitiveMap):
            features = self._input_names()
            return sum(name.startswith(HIDDEN) and name not in features for name in self.init.concepts)
        if self.depth == 1 or self.init != "balanced" or self.edges is not None or self.weight_bounds is not None:
            return 0
        fewest = min(max(n_samples // _ROWS_A_CONCEPT, _FEWEST_CONCEPTS), _FEWEST_OF_MANY_ROWS)
        return max(fewest - n_others, 0)

    def _recipe(self, table):
        limits = weight_limits(self.edges, self.weight_bounds, table.concepts, self._owner)
        n_threads = effective_n_jobs(self.n_jobs)
        depth = self.depth
        if depth == "auto":
            depth = 3 if table.n_hidden else 2  # a step more, so that hidden concepts influence each other
        return Recipe(depth, self.slope, self.gain, self.alpha, self.l1_ratio, limits, n_threads)

    def _teach(self, recipe, table, start, random, earlier):
        """Return what the map is to be, and the teachers from which it learns."""
        n_teachers = self._n_teachers(table, earlier)
        return recipe, learn_teachers(recipe, table, n_teachers, start, random) if n_teachers else []

    def _n_teachers(self, table, earlier):
        """Return how many teachers pay: none for maps that are wide, for few rows, or where learning goes on."""
        if self.n_teachers != "auto":
            return self.n_teachers
        if self.solver != "lbfgs" or self.max_iter != "auto" or self.early_stopping or earlier is not None:
            return 0
        if table.n_samples < 20 or not affords_teachers(table):
            return 0
        return min(5, max(150 // len(table.concepts), 2), max(table.n_samples // 50, 2))

    def _max_iter(self, table):
        """Return the largest number of iterations."""
        if self.max_iter != "auto":
            return self.max_iter
        if self.solver != "lbfgs":
            return 500
        return longest(table, min(max(table.n_samples // 15, 100), 200))

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
            now = n_concepts, table.n_hidden, table.output, table.classes.tolist()
            before = earlier.n_concepts, self.n_hidden_, self.output_, self.classes_.tolist()
            if now != before:
                described, got = (
                    f"{concepts} concepts ({hidden} of them hidden), classes {shown(classes)}, {output}"
                    for concepts, hidden, output, classes in (before, now)
                )
                raise DataError(
                    f"`{self._owner}` can go on from an earlier fit (warm_start or partial_fit) only with its "
                    f"features, classes, hidden concepts and output: {described}; got {got}. "
                    "Fit a new classifier, or with warm_start=False."
                )
            if not hasattr(self, "feature_names_in_"):  # features now have no names: they are taken in order
                earlier = FuzzyCognitiveMap(earlier.weights, earlier.bias, earlier.slope)
            W, b = initialization.from_map(earlier, table.concepts, self.slope, self._owner)
        elif isinstance(self.init, FuzzyCognitiveMap):
            W, b = initialization.from_map(self.init, table.concepts, self.slope, self._owner)
        elif self.init == "correlation":
            W, b = initialization.correlation(table.X, table.targets, table.weight, limits)
        elif self.init == "balanced":
            # Pixels and their like move together, and many together would drive concepts to where they are flat. A
            # few features alone hardly move a concept, and hidden ones would learn only what a straight line tells.
            largest = 2.0 if is_wide(table) else 8.0 if table.n_hidden else 4.0
            W, b = initialization.balanced(n_concepts, random, limits, largest)
        else:
            W, b = initialization.uniform(n_concepts, random)
        return np.concatenate([W.ravel(), b])

    def _fitted(self, recipe, theta, table):
        """Return the fitted attributes that predictions need."""
        return {
            "map_": recipe.map(theta, table),
            "n_hidden_": table.n_hidden,
            "classes_": table.classes,
            "output_": table.output,
            "depth_": recipe.depth,
            "gain_": recipe.gain,
        }
