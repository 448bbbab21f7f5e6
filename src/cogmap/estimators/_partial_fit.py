"""`partial_fit`: one pass over a batch of rows at a time."""

import copy
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from cogmap._learning.planning import earlier_parameters, plan_one_pass
from cogmap._learning.size import check_size
from cogmap._learning.solvers import RULES, Adam, Rule
from cogmap._learning.table import Table
from cogmap._learning.training import train_one_pass
from cogmap._utils.params import Literal, param_error, shown
from cogmap.estimators._class_map import ClassMap
from cogmap.estimators._labels import all_labels
from cogmap.estimators._param_checks import check_parameters
from cogmap.estimators._validation import input_names
from cogmap.models.encoding import FeatureSpread


class PartialFitMixin(ClassMap):
    """Base class of classifiers with `partial_fit`."""

    def partial_fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        classes: Iterable[Any] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Update the model with one pass of mini-batches over a batch of rows.

        Every call also updates the scaling of the features. ``"adam"`` replaces the solver ``"lbfgs"``, which is not
        incremental. `early_stopping`, `max_iter` and `n_teachers` do not apply. The rows of the first call determine
        the number of hidden concepts.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Class labels: numbers, strings or booleans.
        classes : array-like of shape (n_classes,), default=None
            All labels that can occur in any call. Required in the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        self : object
            The updated classifier. If the update fails, the earlier model is unchanged.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from cogmap import FCMClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> fcm = FCMClassifier(random_state=0)
        >>> for _ in range(20):
        ...     fcm = fcm.partial_fit(X, y, classes=[0, 1, 2])
        >>> fcm.score(X, y) > 0.9
        True
        """
        check_parameters(self._owner, self.get_params(deep=False))
        owner = f"{self._owner}.partial_fit"
        if isinstance(self.class_weight, str):
            cure = "Class frequencies are not known before all rows are seen."
            raise param_error(owner, "class_weight", "a dict or None", self.class_weight, cure)
        if self._is_ordered or np.ndim(y) > 1:
            cure = "partial_fit takes one unordered label per row; use fit or fit_chunks."
            raise param_error(owner, "y", "one-dimensional, with ordered=False", Literal(f"shape {np.shape(y)}"), cure)
        first = not hasattr(self, "model_")
        if first and classes is None:
            cure = "List all labels that can occur in any call."
            raise param_error(owner, "classes", "given in the first call", classes, cure)
        if classes is not None:
            labels = all_labels(classes, owner)
            if not first and not np.array_equal(labels, self.classes_):
                raise param_error(owner, "classes", f"the same as in the first call, {shown(self.classes_)}", classes)
        known_classes = labels if first else self.classes_
        self._replace_learned(lambda fitted: fitted._fit_batch(X, y, known_classes, sample_weight))
        return self

    def _fit_batch(self, X: ArrayLike, y: ArrayLike, classes: NDArray[Any], sample_weight: ArrayLike | None) -> None:
        """Train for one pass over the rows."""
        earlier = getattr(self, "model_", None)
        named = hasattr(self, "feature_names_in_")
        X, y, weight = self._validated(X, y, sample_weight, reset=earlier is None, method="partial_fit")
        n_values = X.shape[0] * X.shape[1]
        table = Table(X, self._targets(y, None, classes), weight, tuple(input_names(self)), n_values=n_values)
        table = self._finalize(table, None)
        self._check_sparse(table, earlier)
        solver = self.solver if self.solver in RULES else "adam"  # "lbfgs" is not incremental
        if isinstance(self.terms, str):
            cure = "'auto' needs all rows in memory: set the number of terms."
            raise param_error(f"{self._owner}.partial_fit", "terms", "None, a number or a dict", self.terms, cure)
        scaling = self._scaling(table, None if earlier is None else earlier.encoding.scaling)
        if earlier is not None and isinstance(scaling, FeatureSpread):  # its mean and deviation stay as they are
            scaling = replace(scaling, logarithms=getattr(earlier.encoding.scaling, "logarithms", None))
        plan = plan_one_pass(table, scaling, self._parameters() | {"solver": solver}, self._defaults, earlier)
        check_size(plan)
        rule, random, seen = self._remembered(solver, plan.settings.learning_rate)
        seen += max(table.n_rows, table.total_weight)
        if scaling is not None:  # its statistics include the rows of an earlier fit
            seen = max(seen, float(scaling.known.weight.max()))
        start = None
        if earlier is not None:
            named = named and hasattr(self, "feature_names_in_")
            start = earlier_parameters(earlier, plan, table.targets.link, named)
        # All inputs in row order: mini-batches read contiguous rows.
        states = replace(plan, inputs=None).encoded(table)
        result = train_one_pass(states, plan, rule, random, seen, start)
        curve = [*getattr(self, "loss_curve_", []), *result.loss_curve]
        self._publish(replace(result, loss_curve=curve), table, partial=True)
        self.structure_ = "full"
        self._incremental = rule, random, seen

    def _remembered(self, solver: str, learning_rate: float) -> tuple[Rule, np.random.RandomState, float]:
        """Return copies of update rule, random state and weight seen so far: a failed pass must not change them."""
        rule = RULES[solver](learning_rate)
        known_rule, random, seen = copy.deepcopy(getattr(self, "_incremental", (None, None, 0.0)))
        if type(known_rule) is type(rule) and known_rule.learning_rate == learning_rate:
            rule = known_rule
        elif isinstance(rule, Adam):
            rule.resumed = known_rule is None and hasattr(self, "model_")
        return rule, check_random_state(self.random_state) if random is None else random, seen
