"""Base class of the classifiers: labels and class weights."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from cogmap._learning.table import Table
from cogmap._learning.targets import ClassTargets
from cogmap.estimators._base import BaseFCM
from cogmap.estimators._labels import check_label_types, class_link, class_weights, encode_labels
from cogmap.estimators._out_of_core import ClassWeight, Labels, Survey
from cogmap.estimators._prediction import ClassPredictor
from cogmap.estimators._uncertainty import SetMixin
from cogmap.estimators._validation import check_products, validated
from cogmap.models.links import Link


class ClassMap(SetMixin, ClassPredictor, BaseFCM):
    """Base class of estimators that train a map on classes."""

    def _checked_target(self, X: Any, y: Any, reset: bool) -> tuple[NDArray[np.floating], NDArray[Any]]:
        X, y = validated(self, X, y, reset=reset)
        check_label_types(y, self._owner)
        with np.errstate(invalid="ignore"):  # the check casts labels to integers, which may overflow
            check_classification_targets(y)
        return X, y

    def _known_targets(self, y: NDArray[Any]) -> ClassTargets:
        return replace(self._targets(y, None, self.classes_), link=self._link)

    def _targets(self, y: NDArray[Any], known: Link | None, classes: Any = None) -> ClassTargets:
        classes, codes = encode_labels(y, classes, self._owner)
        return ClassTargets(codes, class_link(self.output, classes, self.gain, self._owner))

    def _surveyed_link(self, survey: Survey) -> tuple[Link, ClassWeight | None]:
        """Return the link for the surveyed labels, and the class weights if there are any."""
        seen = cast(Labels, survey.targets)
        classes, codes = encode_labels(seen.labels, None, self._owner)
        link = class_link(self.output, classes, self.gain, self._owner)
        if self.class_weight is None:
            return link, None
        weights = class_weights(self.class_weight, classes, codes, seen.weights, self._owner)
        return link, ClassWeight(classes, weights, self._owner)

    def _finalize(self, table: Table, known: Link | None) -> Table:
        """Return the table with row weights multiplied by class weights."""
        if self.class_weight is None:
            return table
        targets = cast(ClassTargets, table.targets)
        of_class = class_weights(self.class_weight, targets.link.classes, targets.codes, table.weight, self._owner)
        with np.errstate(over="ignore", under="ignore"):
            weight = of_class[targets.codes] * table.row_weights
        check_products(weight, self._owner)
        return replace(table, weight=weight)
