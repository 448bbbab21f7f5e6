"""Counterfactuals: the smallest change of a row that changes the prediction."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cogmap._utils.params import Literal, check_integer, check_number, numbers, param_error, shown, suggestion
from cogmap._utils.threads import one_blas_thread
from cogmap.explanation._answer import Block, Drawn, frame, value_text
from cogmap.explanation._goals import ClassGoal, Goal, ValueGoal
from cogmap.explanation._search import BUDGET, Evaluator, Space, search
from cogmap.explanation._subject import Subject, feature_index, known_features, one_row, opened
from cogmap.models.features import Array, unit_of
from cogmap.models.model import MapModel


@dataclass(frozen=True, eq=False, repr=False)
class WhatIf(Drawn):
    """The smallest change found after which the map predicts something else.

    Attributes
    ----------
    row : ndarray or data frame, or None
        The changed row, in the form in which the row was given (a series becomes a data frame); None if none was found.
    changes : dict of str to (before, after)
        The features, or columns of a raw table, that change, with their values, the largest change first.
    sizes : dict of str to float
        How much each of them changes, in standard deviations of the training data and with its sign.
    size : float
        Size of the change: the sum of the sizes without their signs. NaN if none was found.
    outputs_before, outputs : ndarray of shape (n_outputs,)
        What the map says about the given and the changed row: probabilities, or values. The same if none was found.
    output_names : tuple of str
        Names of the outputs.
    to : object
        What was asked for: a class, None for any other class, or a value.
    sentence : str
        What was found, in words.
    n_tried : int
        How many rows the map was asked about.
    others : tuple of WhatIf
        Further answers, each without the feature that changes most in those before.

    See Also
    --------
    cogmap.what_if : Find the smallest change of a row that changes the prediction: a counterfactual.
    cogmap.plotting.plot_what_if :
        Plot the change of a row that changes the prediction: a bar for each changed feature, with its values.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, what_if
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> answer = what_if(FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y), X.iloc[[100]], to=1)
    >>> answer.found, len(answer.changes) > 0
    (True, True)
    >>> list(answer.to_frame())
    ['answer', 'feature', 'before', 'after', 'deviations']
    """

    _picture = "plot_what_if"

    row: Any
    changes: dict[str, tuple[Any, Any]]
    sizes: dict[str, float]
    size: float
    outputs_before: Array
    outputs: Array
    output_names: tuple[str, ...]
    to: Any
    sentence: str
    n_tried: int
    others: tuple["WhatIf", ...] = ()

    @property
    def found(self) -> bool:
        """Whether there is an answer."""
        return self.row is not None

    def to_frame(self) -> Any:
        """Return the changes of all answers as a data frame of pandas.

        Returns
        -------
        pandas.DataFrame
            One row per changed feature of each answer.
        """
        lines = [
            (number, name, before, after, answer.sizes[name])
            for number, answer in enumerate([self, *self.others], start=1)
            for name, (before, after) in answer.changes.items()
        ]
        names = ["answer", "feature", "before", "after", "deviations"]
        return frame("WhatIf", {name: [line[i] for line in lines] for i, name in enumerate(names)})

    def _blocks(self) -> list[Block]:
        blocks: list[Block] = []
        for answer in [self, *self.others]:
            rows = [
                [name, *map(value_text, values), f"{answer.sizes[name]:+.2f}"]
                for name, values in answer.changes.items()
            ]
            blocks.append(answer.sentence)
            if rows:
                blocks.append((["feature", "before", "after", "deviations"], rows))
        return blocks


def what_if(
    model: Any,
    row: ArrayLike,
    to: Any = None,
    fixed: Iterable[str] = (),
    ranges: Mapping[str, Any] | None = None,
    max_features: int | None = None,
    n_answers: int = 1,
) -> WhatIf:
    """Find the smallest change of a row that changes the prediction: a counterfactual.

    The size of a change is measured in standard deviations of the training data, summed over the features. The returned
    row was evaluated: its prediction really differs. Fixed features, and all others that need not change, stay bitwise
    the same. Features that were whole numbers in all training data stay whole numbers, so a dummy stays 0 or 1. The
    search evaluates at most 20,000 rows per answer; if it has found no answer by then, the result says so.

    Parameters
    ----------
    model : FCMClassifier, FCMClassifierCV, FCMRegressor, MapModel, TableModel or Pipeline
        Fitted model. For a `TableModel`, or a pipeline of a `TablePreparer` and an estimator, pass a raw row: the
        search then changes columns instead of features. It can replace one category by another, and never changes
        dates.
    row : array-like of shape (n_features,), or a table of one row
        The row to change. A missing value (NaN) stays missing.
    to : object, default=None
        For classification, the class to reach, or None for any other class. For regression, the number that the
        prediction must reach: from below if the prediction is smaller now, from above if it is larger. With several
        targets, a dict with one of them, such as ``{"target 2": 3.5}``.
    fixed : iterable of str, default=()
        Names of features that must not change (x0, x1 and so on if they had no names in fit).
    ranges : dict of str to (low, high), default=None
        Allowed ranges of features; the given row must lie inside. Other features stay within the range of the training
        data, extended to the row; with ``scale=False``, which learns no range, within [0, 1].
    max_features : int, default=None
        Largest number of features that may change. None means all.
    n_answers : int, default=1
        Number of answers to search for. Each one keeps the features fixed that changed most in the previous ones.

    Returns
    -------
    WhatIf
        The changed row, what changes, and the predictions before and after.

    See Also
    --------
    explain : Compute the contribution of each feature to the outputs of each row.
    story : Trace how a map computes the output of one row.
    cogmap.plotting.plot_what_if :
        Plot the change of a row that changes the prediction: a bar for each changed feature, with its values.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier, what_if
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(random_state=0).fit(X, y)
    >>> answer = what_if(fcm, X.iloc[[100]], to=1, fixed=["sepal length (cm)"])
    >>> fcm.predict(X.iloc[[100]]), fcm.predict(answer.row)
    (array([2]), array([1]))
    """
    table = one_row("what_if", row)
    subject, features = opened("what_if", model, table)
    space = _space(subject, features[0], fixed, ranges, max_features)
    goal, already = _goal(type(model).__name__, subject.model, features, to)
    n_answers = check_integer("what_if", "n_answers", n_answers, low=1)
    answers = []
    with one_blas_thread():
        for _ in range(n_answers):
            evaluator = Evaluator(goal)
            found = space.start if already else search(evaluator, space)
            answers.append(_described(subject, space, found, (row, table), to, evaluator.n_tried))
            if found is None or already:
                break
            space = space.only(np.setdiff1d(np.flatnonzero(space.free), space.sizes(found).argmax()))
    first, *others = answers
    return replace(first, others=tuple(other for other in others if other.found))


def _described(
    subject: Subject, space: Space, found: Array | None, given: tuple[Any, Any], to: Any, n_tried: int
) -> WhatIf:
    """Describe the result; `given` is the row, and the same as a table."""
    goal = "another class" if to is None else repr(to.item() if isinstance(to, np.generic) else to)
    # What did not change keeps its bits: 0.0 does not replace -0.0.
    row = space.start if found is None else np.where(found == space.start, space.start, found)
    sizes = space.sizes(row)
    changed = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    features = space.features(np.stack([space.start, row]))
    outputs_before, outputs = subject.model.outputs(features[:1])[0], subject.model.outputs(features[1:])[0]
    size = float(sizes.sum())
    if found is None:
        sentence = f"No change found that leads to {goal}: {n_tried} rows tried, of at most {BUDGET}."
    elif len(changed):
        what = "columns" if subject.columns else "features"
        sentence = f"To reach {goal}, {len(changed)} of {len(row)} {what} change, by {size:.2f} deviations in all."
    else:
        sentence = f"Nothing has to change: the map says {goal} already."
    values = subject.labels(features)
    names = [subject.feature_names[j] for j in changed]
    signs = np.where(row < space.start, -1.0, 1.0)
    signs[list(space.choices)] = 1.0
    return WhatIf(
        row=None if found is None else _like(*given, subject, values[1], changed),
        changes={name: tuple(values[:, j].tolist()) for name, j in zip(names, changed, strict=True)},
        sizes={name: float(signs[j] * sizes[j]) for name, j in zip(names, changed, strict=True)},
        size=float("nan") if found is None else size,
        outputs_before=outputs_before,
        outputs=outputs,
        output_names=subject.output_names("probability"),
        to=to,
        sentence=sentence,
        n_tried=n_tried,
    )


def _like(row: Any, table: Any, subject: Subject, values: NDArray[Any], changed: NDArray[np.intp]) -> Any:
    """Return the changed row in the form of the given one; whole columns of a data frame stay whole."""
    if not hasattr(table, "columns"):
        return values.copy() if np.ndim(row) == 1 else values[None].copy()
    names = [str(name) for name in table.columns]
    places = [names.index(subject.feature_names[j]) if subject.columns else int(j) for j in changed]
    if not hasattr(table, "isetitem"):  # polars
        make = type(table[:, 0])
        series = [make(names[place], [values[j]]) for place, j in zip(places, changed, strict=True)]
        types = {one.name: table[one.name].dtype for one in series if one.dtype.is_float() and one[0].is_integer()}
        return table.with_columns(series).cast(types)
    result = table.copy()
    for place, j in zip(places, changed, strict=True):
        column = table.iloc[:, place]
        kind = column.dtype.kind
        value = values[j] == "True" if kind == "b" and isinstance(values[j], str) else values[j]
        cell = type(column)([value], index=column.index, name=column.name)
        same = kind in "iufb" and (not isinstance(value, float) or kind == "f" or value.is_integer())
        result.isetitem(place, cell.astype(column.dtype) if same else cell)
    return result


def _space(subject: Subject, start: Array, fixed: Any, ranges: Any, max_features: Any) -> Space:
    """Return the allowed changes of a row of features."""
    names, spans = subject.feature_names, subject.spans
    first = np.array([span.start for span in spans])
    most = len(names) if max_features is None else check_integer("what_if", "max_features", max_features, low=1)
    known = known_features(subject.model.encoding)
    unit = unit_of(known.deviation)
    row = start[first]
    low, high = np.fmin(known.low[first], row), np.fmax(known.high[first], row)
    whole = np.broadcast_to(known.whole, start.shape)[first] & (row == np.rint(row))
    choices = {j: unit[span] for j, span in enumerate(spans) if subject.columns and subject.columns[j].one_hot}
    for j in choices:
        of_column = start[spans[j]]
        row[j] = np.nan if np.isnan(of_column).any() else of_column.argmax()
        low[j], high[j], whole[j] = 0.0, len(of_column) - 1.0, False
    for j, between in _checked_ranges(ranges, names, row, choices):
        low[j], high[j] = between
    low, high = np.where(whole, np.ceil(low), low), np.where(whole, np.floor(high), high)
    dates = [j for j, span in enumerate(spans) if j not in choices and span.stop - span.start > 1]
    for j in [*_fixed(fixed, names), *np.flatnonzero(np.isnan(row)), *dates]:
        low[j] = high[j] = row[j]
    return Space(row, low, high, unit[first], whole, most, start, spans, choices)


def _fixed(fixed: Any, names: tuple[str, ...]) -> list[int]:
    """Return which features are fixed."""
    if isinstance(fixed, str) or not isinstance(fixed, Iterable):
        raise param_error("what_if", "fixed", "a list of names of features", fixed)
    return [feature_index("what_if", "fixed", name, names) for name in fixed]


def _checked_ranges(
    ranges: Any, names: tuple[str, ...], start: Array, choices: Container[int]
) -> list[tuple[int, tuple[float, float]]]:
    """Return which features have a range of their own, and which."""
    if ranges is None:
        return []
    if not isinstance(ranges, Mapping):
        raise param_error("what_if", "ranges", "a dict of names of features to (low, high)", ranges)
    result = []
    for name, between in ranges.items():
        j = feature_index("what_if", "ranges", name, names)
        if j in choices:
            raise param_error("what_if", "ranges", "made of names of numbers", name, "Use `fixed` for a category.")
        limits = numbers(between)
        if limits.shape != (2,) or not np.isfinite(limits).all() or limits[0] > limits[1]:
            raise param_error("what_if", "ranges", f"(low, high) for {name!r}, two finite numbers", between)
        if not np.isnan(start[j]) and not limits[0] <= start[j] <= limits[1]:
            raise param_error(
                "what_if",
                "ranges",
                f"a range for {name!r} with the row in it",
                Literal(f"({limits[0]:g}, {limits[1]:g}), but the row has {start[j]:g}"),
                "Widen the range, or change the row first.",
            )
        result.append((j, (float(limits[0]), float(limits[1]))))
    return result


def _goal(asked: str, model: MapModel, values: Array, to: Any) -> tuple[Goal, bool]:
    """Return what has to be reached, and whether it is already."""
    link: Any = model.link
    if not hasattr(link, "classes"):
        target, value = _target(asked, link, to)
        now = float(model.outputs(values)[0, target])
        return ValueGoal(model, target, value, 1.0 if now < value else -1.0), now == value
    decision = model.decision(values)
    now = int(decision[0] >= 0) if decision.ndim == 1 else int(decision[0].argmax())
    if to is None:
        return ClassGoal(model, now, sign=-1.0), False
    labels = link.classes.tolist()
    if isinstance(to, list | dict | np.ndarray) or to not in labels:
        cure = suggestion(to, [str(label) for label in labels])
        raise param_error("what_if", "to", f"a class that the map knows, {shown(labels)}", to, cure)
    code = labels.index(to)
    return ClassGoal(model, code, sign=1.0), code == now


def _target(asked: str, link: Any, to: Any) -> tuple[int, float]:
    """Return which target is meant, and the value that it should reach."""
    names, means = link.names, [float(f"{mean:.3g}") for mean in link.mean]
    cure = f"It is the value that {asked} should predict, such as to="
    if isinstance(to, Mapping):
        if len(to) != 1 or next(iter(to)) not in names:
            raise param_error("what_if", "to", f"a value of one of the targets {shown(names)}", to)
        name, to = next(iter(to.items()))
        target, example = names.index(name), str({name: means[names.index(name)]})
    elif len(names) > 1:
        expected = f"a dict with one of the targets {shown(names)}"
        raise param_error("what_if", "to", expected, to, f"{cure}{ {names[0]: means[0]} }.")
    else:
        target, example = 0, f"{means[0]:g}"
    return target, check_number("what_if", "to", to, low=-np.inf, cure=f"{cure}{example}.")
