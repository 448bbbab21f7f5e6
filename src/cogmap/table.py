"""Rows to learn from: labels coded, weights settled, concepts named."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._params import Words, shown, wrong
from cogmap.exceptions import DataError

HIDDEN = "hidden "  # a number follows: the name of a concept that is neither feature nor output


@dataclass(frozen=True)
class Table:
    """Scaled features, class codes and weights of the rows, and what the map's concepts are called."""

    X: NDArray[np.floating]  # behind the features a column for each hidden concept, which is undecided
    codes: NDArray[np.intp]
    weight: NDArray[np.float64] | None  # None: all rows weigh 1
    classes: NDArray[Any]
    output: str
    concepts: list[str] = field(default_factory=list)
    n_hidden: int = 0
    copies: NDArray[np.float64] | None = None  # how many equal rows a row stands for; None: one

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def n_samples(self) -> int:
        """Number of rows before equal ones were merged."""
        return self.n_rows if self.copies is None else max(self.n_rows, int(self.copies.sum()))

    @property
    def row_weights(self) -> NDArray[np.float64]:
        """The weight of each row."""
        return np.ones(self.n_rows) if self.weight is None else self.weight

    @property
    def total_weight(self) -> float:
        """Sum of the weights of the rows."""
        return float(len(self.codes) if self.weight is None else self.weight.sum())

    @property
    def targets(self) -> NDArray[np.float64]:
        """What the outputs should be, one column an output."""
        of_class = np.eye(len(self.classes))
        return (of_class[:, 1:] if self.output == "single" else of_class)[self.codes]

    def named(self, concepts: list[str], n_hidden: int) -> "Table":
        """Return the table with names of all concepts, some of which are hidden."""
        return replace(self, concepts=concepts, n_hidden=n_hidden)

    def with_features(self, X: NDArray[np.floating]) -> "Table":
        """Return the table with other features of the same rows."""
        return replace(self, X=X)

    def first(self, n_rows: int) -> "Table":
        """Return the table of the first rows."""
        return self.rows(np.arange(self.n_rows) < n_rows)

    def rows(self, chosen: NDArray[np.bool_]) -> "Table":
        """Return the table of some of the rows."""
        weight = None if self.weight is None else self.weight[chosen]
        copies = None if self.copies is None else self.copies[chosen]
        return replace(self, X=self.X[chosen], codes=self.codes[chosen], weight=weight, copies=copies)

    def merged(self) -> "Table":
        """Merge equal rows into one that has their weight, and bring the rows into an order of their own.

        Learning follows the last bit of a sum, and a sum depends on the order of its terms. After merging, the same
        rows in another order, or repeated instead of weighted, give the same model bit by bit.
        """
        rows = np.ascontiguousarray(np.column_stack([self.X, self.codes]), dtype=np.float64)
        keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        weight = self.weight
        if weight is not None or len(first) < len(self.codes):
            weight = np.bincount(group, weight).astype(np.float64, copy=False)
        return replace(self, X=self.X[first], codes=self.codes[first], weight=weight, copies=weight)

    def with_class_weights(self, of_class: NDArray[np.float64]) -> "Table":
        """Return the table with the weight of each row multiplied by that of its class."""
        return replace(self, weight=of_class[self.codes] * self.row_weights)

    def parts(self, n_parts: int, random: np.random.RandomState) -> NDArray[np.float64]:
        """Divide the weight of the rows at random into parts of about equal size and the same share of each class.

        A row that stands for several equal ones is dealt to several parts, as they would be. The only row of a class
        is in no part: without it nobody could learn the class.

        Returns
        -------
        ndarray of shape (n_parts, n_rows)
            How much of the weight of each row is in each part.
        """
        weight = self.row_weights
        copies = np.ones(self.n_rows)
        if self.copies is not None:  # weights that are shares, as those of AdaBoost, are counted in their mean
            copies = np.clip(np.round(self.copies / min(1.0, self.copies.mean())), 1, n_parts)
        in_part = np.zeros((n_parts, self.n_rows))
        dealt = 0
        for code in range(len(self.classes)):
            rows = random.permutation(np.flatnonzero(self.codes == code))
            if copies[rows].sum() > 1:
                first = dealt + np.concatenate([[0], np.cumsum(copies[rows])[:-1]])
                dealt += int(copies[rows].sum())
                for i in range(int(copies[rows].max())):
                    has = copies[rows] > i
                    place = ((first[has] + i) % n_parts).astype(int)
                    in_part[place, rows[has]] += weight[rows[has]] / copies[rows[has]]
        return in_part

    def weighted(self, weight: NDArray[np.float64]) -> "Table":
        """Return the table of the rows that have any of these weights, with them."""
        chosen = weight > 0.0
        return replace(self.rows(chosen), weight=weight[chosen])

    def validation_rows(self, fraction: float, random: np.random.RandomState) -> NDArray[np.bool_]:
        """Choose rows to keep aside, about the same share of each class, but never all rows of one."""
        aside = np.zeros(len(self.codes), dtype=bool)
        counts = np.bincount(self.codes, minlength=len(self.classes))
        wanted = np.minimum(fraction * counts, np.maximum(counts - 1, 0))
        chosen = np.floor(wanted).astype(int)
        # What rounding down leaves over goes to the classes with the largest remainders.
        left = max(round(fraction * len(aside)) - int(chosen.sum()), 0)
        for code in np.argsort(chosen - wanted, kind="stable")[:left]:
            chosen[code] += chosen[code] < counts[code] - 1
        for code, number in enumerate(chosen):
            aside[random.permutation(np.flatnonzero(self.codes == code))[:number]] = True
        if not aside.any():
            raise DataError(
                f"`FCMClassifier(validation_fraction={fraction:g})` of {len(aside)} rows leaves no row for validation. "
                "Raise it, or set early_stopping=False."
            )
        return aside


def check_sample_weight(sample_weight: ArrayLike | None, n_rows: int, owner: str) -> NDArray[np.float64] | None:
    """Return the weights of the rows as float64, or None if all are 1."""
    if sample_weight is None:
        return None
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise wrong(owner, "sample_weight", "an array of numbers", sample_weight) from None
    if weight.ndim == 0:
        weight = np.full(n_rows, weight)
    if weight.shape != (n_rows,):
        expected = f"an array of shape ({n_rows},), one weight a row"
        raise wrong(owner, "sample_weight", expected, Words(f"shape {weight.shape}"))
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        raise wrong(owner, "sample_weight", "finite numbers >= 0", float(weight[bad][0]), "0 leaves a row out.")
    if not weight.any():
        raise wrong(owner, "sample_weight", "greater than 0 for some rows", Words("zeros only"))
    with np.errstate(over="ignore"):
        if not np.isfinite(weight.sum()):
            raise wrong(owner, "sample_weight", "numbers with a finite sum", float(weight.max()), "Only ratios matter.")
    return weight


def check_label_types(y: NDArray[Any], owner: str) -> None:
    """Complain about labels that cannot be sorted, such as numbers and strings together."""
    kinds = {type(label).__name__ for label in y} if y.dtype == object else set()
    if "str" in kinds and len(kinds) > 1:
        raise DataError(
            f"`{owner}` needs labels of one type, got labels of the types {', '.join(sorted(kinds))}. "
            "Convert them all to one, such as str."
        )


def encode_labels(
    y: NDArray[Any], known_classes: NDArray[Any] | None, owner: str
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the classes and the code of each label; labels outside `known_classes`, if given, are an error."""
    classes, codes = np.unique(y, return_inverse=True)
    if known_classes is not None:
        unseen = np.setdiff1d(classes, known_classes)
        if unseen.size:
            raise DataError(
                f"`{owner}` got the labels {shown(unseen)}, which are not among the classes of the first call, "
                f"{shown(known_classes)}. Give all labels as `classes` in the first call."
            )
        classes, codes = known_classes, np.searchsorted(known_classes, y)
    if len(classes) < 2:
        raise DataError(
            f"`{owner}` needs at least 2 classes in y, got one class only: {shown(classes)}. "
            "Add rows of another class (rows with sample_weight 0 do not count)."
        )
    return classes, codes


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
        balanced: NDArray[np.float64] = share.sum() / (len(classes) * share)
        return balanced
    labels = classes.tolist()
    unknown = [label for label in class_weight if label not in labels]
    if unknown:
        expected = f"a dict whose keys are labels in y, {shown(labels)}"
        raise wrong(owner, "class_weight", expected, Words(f"a dict with {shown(unknown)}"))
    weights = [class_weight.get(label, 1.0) for label in labels]
    try:
        result = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise wrong(owner, "class_weight", "a dict of numbers", class_weight) from None
    if not np.isfinite(result).all() or not (result > 0).all():
        raise wrong(owner, "class_weight", "a dict of finite weights > 0", class_weight)
    return result


def concept_names(features: Sequence[str], classes: NDArray[Any], output: str, n_hidden: int) -> list[str]:
    """Name the concepts: the features, ``hidden 1`` and so on, then ``class=...`` for each output.

    Names that would occur twice are numbered: a, a (2).
    """
    of_outputs = classes[1:] if output == "single" else classes
    taken: set[str] = set()
    result = []
    hidden = (f"{HIDDEN}{i + 1}" for i in range(n_hidden))
    for text in [*features, *hidden, *(f"class={label}" for label in of_outputs)]:
        name, number = text, 1
        while name in taken:
            number += 1
            name = f"{text} ({number})"
        taken.add(name)
        result.append(name)
    return result
