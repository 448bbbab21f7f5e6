"""Validation, encoding and weighting of class labels."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.params import Literal, param_error, shown
from cogmap.exceptions import DataError
from cogmap.models.links import ClassLink, LogOddsLink, SoftmaxLink

OUTPUTS = ("single", "one_hot")


def check_label_types(y: NDArray[Any], owner: str) -> None:
    """Raise if labels have types that cannot be sorted together, such as numbers and strings."""
    kinds = {type(label).__name__ for label in y} if y.dtype == object else set()
    if "str" in kinds and len(kinds) > 1:
        raise DataError(
            f"`{owner}` needs labels of one type, got labels of the types {', '.join(sorted(kinds))}. "
            "Convert all labels to one type, such as str."
        )


def all_labels(classes: Iterable[Any], owner: str) -> NDArray[Any]:
    """Return the sorted distinct labels of a list of classes."""
    expected = "a list of labels of one type: numbers, strings or booleans"
    try:
        array = np.asarray(list(classes))
        labels = np.unique(array)
    except (TypeError, ValueError):
        raise param_error(owner, "classes", expected, classes) from None
    if array.ndim > 1:
        raise param_error(owner, "classes", expected, classes, "A nested list is not a label.")
    if labels.dtype.kind in "fc" and not np.isfinite(labels).all():
        raise param_error(owner, "classes", expected, classes, "NaN and infinity are not labels.")
    return labels


def encode_labels(
    y: NDArray[Any], known_classes: NDArray[Any] | None, owner: str
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes and the code of each label; labels outside `known_classes` raise an error."""
    classes, codes = np.unique(y, return_inverse=True)
    if known_classes is not None:
        unseen = np.setdiff1d(classes, known_classes)
        if unseen.size:
            raise DataError(
                f"`{owner}` got the labels {shown(unseen)}, which are not among the classes of the first call, "
                f"{shown(known_classes)}. List all labels in `classes` in the first call."
            )
        classes, codes = known_classes, np.searchsorted(known_classes, y)
    if len(classes) < 2:
        raise DataError(
            f"`{owner}` needs at least 2 classes in y, got one class only: {shown(classes)}. "
            "Add rows of another class (rows with sample_weight 0 do not count)."
        )
    return classes, codes


def class_order(ordered: Any, y: Any, owner: str) -> list[Any] | None:
    """Return the labels in their order, or None if classes have none or it is that of the labels.

    Parameters
    ----------
    ordered : bool or sequence
        Whether classes are ordered, or their labels in order.
    y : array-like
        Labels as given by the user: an ordered categorical of pandas has an order.
    owner : str
        Estimator named in messages.
    """
    if not isinstance(ordered, bool | np.bool_):
        return list(ordered)
    if not ordered:
        return None
    dtype: Any = getattr(y, "dtype", None)
    if hasattr(dtype, "categories") and getattr(dtype, "ordered", False):
        return list(dtype.categories)
    labels = np.asarray(y)
    if hasattr(dtype, "categories") or labels.dtype.kind not in "biuf":
        some = shown(sorted({str(label) for label in labels.ravel()}))
        raise param_error(
            owner,
            "ordered",
            "a list of the classes from the lowest to the highest, unless labels are numbers or an ordered categorical",
            Literal(f"True for the labels {some}"),
        )
    return None


def class_ranks(order: list[Any] | None, classes: NDArray[Any], owner: str) -> NDArray[np.intp]:
    """Return the rank of each class in a given order, which may have further labels; None means sorted."""
    if order is None:
        return np.arange(len(classes))
    labels = classes.tolist()
    missing = [label for label in labels if label not in order]
    if missing:
        expected = f"a list with every label in y, {shown(labels)}"
        raise param_error(owner, "ordered", expected, Literal(f"one without {shown(missing)}"))
    return np.argsort([labels.index(label) for label in order if label in labels])


def class_link(output: str, classes: NDArray[Any], gain: float, owner: str) -> ClassLink:
    """Return the link for one output (two classes) or one output per class."""
    if output == "single" and len(classes) != 2:
        cure = "A single output supports two classes only."
        raise param_error(owner, "output", f"'one_hot' for {len(classes)} classes", output, cure)
    if output == "single" or (output == "auto" and len(classes) == 2):
        return LogOddsLink(classes)
    return SoftmaxLink(classes, float(gain))


def class_weights(
    class_weight: Any,
    classes: NDArray[Any],
    codes: NDArray[np.intp],
    sample_weight: NDArray[np.float64] | None,
    owner: str,
) -> NDArray[np.float64]:
    """Return the weight of each class, from a dict or ``"balanced"``."""
    if isinstance(class_weight, str):
        share = np.bincount(codes, sample_weight, minlength=len(classes))
        with np.errstate(over="ignore"):  # `check_products` checks the resulting row weights
            balanced: NDArray[np.float64] = share.sum() / (len(classes) * share)
        return balanced
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        expected = f"a dict whose keys are labels in y, {shown(labels)}"
        raise param_error(owner, "class_weight", expected, Literal(f"a dict with {shown(unknown)}"))
    weights = [class_weight.get(label, 1.0) for label in labels]
    try:
        result = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise param_error(owner, "class_weight", "a dict of numbers", class_weight) from None
    if not np.isfinite(result).all() or not (result > 0).all():
        raise param_error(owner, "class_weight", "a dict of finite weights > 0", class_weight)
    return result
