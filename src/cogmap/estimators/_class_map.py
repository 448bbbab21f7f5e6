"""Base class of the classifiers: labels, their order, and class weights."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.multiclass import check_classification_targets

from cogmap._learning.ordered import fitted_thresholds, linear_thresholds
from cogmap._learning.table import Table
from cogmap._learning.targets import ClassTargets, Targets, ValueTargets
from cogmap._utils.params import param_error, shown
from cogmap.estimators._base import BaseFCM
from cogmap.estimators._labels import (
    check_label_types,
    class_link,
    class_order,
    class_ranks,
    class_weights,
    encode_labels,
)
from cogmap.estimators._out_of_core import Chunk, ClassWeight, Survey
from cogmap.estimators._prediction import ClassPredictor
from cogmap.estimators._uncertainty import SetMixin
from cogmap.estimators._validation import check_products, validated
from cogmap.exceptions import DataError
from cogmap.models.features import FeatureStatistics
from cogmap.models.links import LabelsLink, Link, OrderedLink
from cogmap.models.model import MapModel


class ClassMap(SetMixin, ClassPredictor, BaseFCM):
    """Base class of estimators that train a map on classes."""

    ordered: Any = False  # only `FCMClassifier` has the parameter
    _takes_labels = False
    _order: list[Any] | None  # of the classes, if given
    _label_names: list[str]

    @property
    def _is_ordered(self) -> bool:
        return not isinstance(self.ordered, bool | np.bool_) or bool(self.ordered)

    def _checked_target(self, X: Any, y: Any, reset: bool) -> tuple[NDArray[np.floating], NDArray[Any]]:
        shape = y.shape if hasattr(y, "shape") else np.asarray(y, dtype=object).shape
        if self._takes_labels and len(shape) == 2 and shape[1] > 1:
            return self._checked_labels(X, y, reset)
        self._order = class_order(self.ordered, y, self._owner)
        X, y = validated(self, X, y, reset=reset)
        check_label_types(y, self._owner)
        with np.errstate(invalid="ignore"):  # the check casts labels to integers, which may overflow
            check_classification_targets(y)
        return X, y

    def _checked_labels(self, X: Any, y: Any, reset: bool) -> tuple[NDArray[np.floating], NDArray[Any]]:
        """Return features and labels, one column per label, which is 1 if it applies."""
        for name, given in (("class_weight", self.class_weight is not None), ("ordered", self._is_ordered)):
            if given:
                neutral = "False" if name == "ordered" else "None"
                raise param_error(self._owner, name, f"{neutral} for several labels", getattr(self, name))
        names = [str(name) for name in getattr(y, "columns", ())]
        X, y = validated(self, X, y, reset=reset, multi_output=True)
        y = y.toarray() if issparse(y) else np.asarray(y)
        if y.dtype.kind not in "biuf" or not np.isin(y, (0, 1)).all():
            raise DataError(
                f"`{self._owner}` takes several columns of y only as labels, 1 where one applies and 0 elsewhere, but "
                "y has other values. Fit one classifier per column."
            )
        self._label_names = names or [f"label {j + 1}" for j in range(y.shape[1])]
        return X, y.astype(np.float64)

    def _known_targets(self, y: NDArray[Any]) -> Targets:
        if y.ndim == 1 and (unseen := np.setdiff1d(y, self.classes_)).size:
            raise DataError(
                f"`arrow_intervals` got the labels {shown(unseen)}, which are not among the classes of the model, "
                f"{shown(self.classes_)}. Pass the rows that it was trained on, with their labels."
            )
        return replace(cast(Any, self._targets(y, None, self.classes_ if y.ndim == 1 else None)), link=self.model_.link)

    def _targets(self, y: NDArray[Any], known: Link | None, classes: Any = None) -> Targets:
        if y.ndim == 2:
            half = np.full(y.shape[1], 0.5)
            return ValueTargets(y, LabelsLink(tuple(self._label_names), half, half, False))
        classes, codes = encode_labels(y, classes, self._owner)
        if self._is_ordered and len(classes) > 2:
            return ClassTargets(codes, self._ordered_link(classes))
        return ClassTargets(codes, class_link(self.output, classes, self.gain, self._owner))

    def _ordered_link(self, classes: NDArray[Any]) -> OrderedLink:
        """Return a link whose thresholds are not fitted yet."""
        if self.output == "one_hot":
            raise param_error(self._owner, "output", "'auto' or 'single' for ordered classes", self.output)
        return OrderedLink(classes, class_ranks(self._order, classes, self._owner), np.arange(len(classes) - 1.0))

    def _surveyed_targets(self, survey: Survey, sample: Chunk) -> tuple[Targets, ClassWeight | None]:
        """Return targets of no rows with the link for the surveyed labels, and the class weights if there are any."""
        X, y, weight = sample
        if isinstance(survey.targets, FeatureStatistics):
            labels = cast(ValueTargets, self._targets(y[:0], None))
            return replace(labels, link=self._labels_link(labels.link, survey.targets.mean)), None
        seen = survey.targets
        targets = cast(ClassTargets, self._targets(seen.labels, None))
        classes, weigh = targets.link.classes, None
        if self.class_weight is not None:
            weights = class_weights(self.class_weight, classes, targets.codes, seen.weights, self._owner)
            weigh = ClassWeight(classes, weights, self._owner)
        if isinstance(targets.link, OrderedLink):
            of_rows = np.ones(len(y)) if weight is None else weight
            of_sample = Table(X, targets.of(y), of_rows if weigh is None else weigh(y, weight))
            targets = cast(ClassTargets, self._with_thresholds(of_sample, None).targets)
        return targets.of(y[:0]), weigh

    def _finalize(self, table: Table, known: Link | None) -> Table:
        """Return the table with row weights multiplied by class weights, and a link with statistics of the rows."""
        if isinstance(table.targets, ValueTargets):
            share = table.row_weights @ table.targets.values / table.total_weight
            return replace(table, targets=replace(table.targets, link=self._labels_link(table.targets.link, share)))
        targets = cast(ClassTargets, table.targets)
        if self.class_weight is not None:
            of_class = class_weights(self.class_weight, targets.link.classes, targets.codes, table.weight, self._owner)
            with np.errstate(over="ignore", under="ignore"):
                weight = of_class[targets.codes] * table.row_weights
            check_products(weight, self._owner)
            table = replace(table, weight=weight)
        return self._with_thresholds(table, known) if isinstance(targets.link, OrderedLink) else table

    def _labels_link(self, link: Any, share: NDArray[np.float64]) -> LabelsLink:
        """Return the link with the share of the rows that have each label."""
        for name, of_label in zip(link.targets, share, strict=True):
            if not 0.0 < of_label < 1.0:
                applies = "no row" if of_label == 0.0 else "every row"
                raise DataError(
                    f"`{self._owner}` needs labels that apply to some rows and not to others, but {name!r} applies to "
                    f"{applies} (rows with sample_weight 0 do not count). Leave the column out."
                )
        return cast(LabelsLink, replace(link, mean=share, deviation=np.sqrt(share * (1.0 - share))))

    def _with_thresholds(self, table: Table, known: Link | None) -> Table:
        """Return the table with thresholds between the classes: those of the earlier model, or of a linear model."""
        targets = cast(ClassTargets, table.targets)
        link = cast(OrderedLink, targets.link)
        if isinstance(known, OrderedLink) and _same_order(known, link):
            thresholds = known.thresholds
        else:
            X = np.empty((table.n_rows, 0)) if issparse(table.X) else table.X
            thresholds = linear_thresholds(X, link.ranks[targets.codes], len(link.classes), table.row_weights)
        return replace(table, targets=replace(targets, link=replace(link, thresholds=thresholds)))

    def _refined(self, model: MapModel, sample: Table) -> MapModel:
        """Return the model with thresholds between ordered classes that fit its outputs."""
        link = model.link
        if not isinstance(link, OrderedLink):
            return model
        net, ranks = model.net(sample.X)[0].astype(np.float64), link.ranks[cast(ClassTargets, sample.targets).codes]
        none = np.empty((len(ranks), 0))
        thresholds = fitted_thresholds(net, ranks, len(link.classes), sample.row_weights, none)
        return replace(model, link=replace(link, thresholds=thresholds))


def _same_order(one: OrderedLink, other: OrderedLink) -> bool:
    return one.classes.tolist() == other.classes.tolist() and one.ranks.tolist() == other.ranks.tolist()
