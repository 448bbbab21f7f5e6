"""The subject of a question: a fitted estimator, its model, or a model of raw tables, with the rows asked about."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from cogmap._utils.params import Literal, check_choice, param_error, real, shown, suggestion
from cogmap._utils.threads import one_blas_thread
from cogmap.explanation._reading import Reading
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.maps.structured import StructuredMap
from cogmap.models.encoding import Encoding
from cogmap.models.features import Array, FeatureStatistics, TableLike
from cogmap.models.links import class_names
from cogmap.models.logarithms import Logarithms
from cogmap.models.model import MapModel, dense

_MOST_VALUES = 2**26  # largest number of elements of a sparse X that is converted to a dense array


class RawColumn(Protocol):
    """What questions need to know about a column of a raw table: `cogmap.table.columns.Column` has it."""

    one_hot: ClassVar[bool]  # whether it becomes one feature per choice

    @property
    def name(self) -> str:
        """Name of the column."""
        ...

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the features that it becomes."""
        ...

    def label(self, features: Any) -> Any:
        """Return the value of one row from the features of this column, None if it is missing."""
        ...


@dataclass(frozen=True, eq=False)
class Subject:
    """A model, and the columns of the tables that it is asked about.

    Attributes
    ----------
    model : MapModel
        The model.
    feature_names : tuple of str
        Names of the columns: features, or columns of a raw table.
    columns : tuple of RawColumn
        The columns of a raw table, each of which becomes one or several features; empty if features are columns.
    """

    model: MapModel
    feature_names: tuple[str, ...]
    columns: tuple[RawColumn, ...] = ()

    @property
    def spans(self) -> tuple[slice, ...]:
        """Features of each column."""
        lengths = [len(column.outputs) for column in self.columns] or [1] * self.model.n_features
        ends = np.cumsum(lengths).tolist()
        return tuple(slice(end - length, end) for end, length in zip(ends, lengths, strict=True))

    def labels(self, features: Array) -> NDArray[Any]:
        """Return the values of columns from features: numbers, or the words of the table; None where one is missing."""
        if not self.columns:
            return features
        values = np.empty((len(features), len(self.columns)), dtype=object)
        for place, (column, span) in enumerate(zip(self.columns, self.spans, strict=True)):
            values[:, place] = [column.label(row) for row in features[:, span]]
        return values

    def scale_name(self, scale: str) -> str:
        """Return the name of the scale that outputs are on: of classes as asked, of targets always "value"."""
        return scale if hasattr(self.model.link, "classes") else "value"

    def output_names(self, scale: str) -> tuple[str, ...]:
        """Return the names of what is read: classes, the second of two if only their odds are, or targets."""
        classes = getattr(self.model.link, "classes", None)
        if classes is None:
            return tuple(self.model.link.names)
        names = class_names(classes)
        return tuple(names[1:] if scale == "decision" and len(names) == 2 else names)

    def by_column(self, of_concepts: Array) -> Array:
        """Sum over the concepts of each column: from (..., n_concepts) to (..., n_columns)."""
        return self.sums(self.model.encoding.by_column(of_concepts[..., : self.model.n_inputs]), axis=-1)

    def sums(self, of_features: Array, axis: int) -> Array:
        """Sum over the features of each column, which are along an axis."""
        if not self.columns:
            return of_features
        return np.asarray(np.add.reduceat(of_features, [span.start for span in self.spans], axis=axis))

    def typical_row(self) -> Array:
        """Return the mean of the training data, on the scale on which the map reads each feature.

        Nothing is known of any feature if no scaling has learned a mean.
        """
        scaling = self.model.encoding.scaling
        return np.full(self.model.n_features, np.nan) if scaling is None else scaling.center

    def typical_rows(self, n_rows: int) -> Array:
        """Draw rows like those of the training data, as far as mean, deviation and range of each feature tell.

        They are the same at every call.
        """
        random = np.random.default_rng(0)
        scaling = self.model.encoding.scaling
        if scaling is None:  # features are states
            return random.random((n_rows, self.model.n_features))
        known, logarithms = scaling.known, logarithms_of(self.model.encoding)
        spread = known if logarithms is None else logarithms
        drawn = spread.mean + spread.deviation * random.standard_normal((n_rows, self.model.n_features))
        if logarithms is not None:
            drawn = logarithms.features(drawn)
        return np.asarray(np.clip(drawn, np.nan_to_num(known.low), np.nan_to_num(known.high)))


def known_features(encoding: Encoding) -> FeatureStatistics:
    """Return what was learned of each feature; of one that is a state only the range is known."""
    if encoding.scaling is not None:
        return encoding.scaling.known
    ones = np.ones(encoding.n_features)
    return FeatureStatistics(weight=ones, mean=0.5 * ones, deviation=ones, low=0.0 * ones, high=ones)


def logarithms_of(encoding: Encoding) -> Logarithms | None:
    """Return the logarithmic scale on which some features are read; None if there is none."""
    return getattr(encoding.scaling, "logarithms", None)


def effects_per_unit(model: MapModel, rows: Array) -> Array:
    """Return the mean change of each output, of shape (n_outputs, n_features), per unit of each feature."""
    return _mean_effects(model, rows, model.derivative(rows), np.ones(model.n_features))


def effects_per_deviation(model: MapModel, rows: Array) -> Array:
    """Return the mean change of each output, of shape (n_outputs, n_features), per deviation of each feature.

    Derivatives and deviations are those on the scale on which the map reads a feature.
    """
    known, logarithms = known_features(model.encoding), logarithms_of(model.encoding)
    derivative, deviation = model.derivative(rows), known.deviation
    if logarithms is not None:
        steepness = logarithms.derivative(rows)[:, np.newaxis]
        derivative, deviation = derivative / np.where(np.isnan(steepness), 1.0, steepness), logarithms.deviation
    return _mean_effects(model, rows, derivative * deviation, known.deviation)


def _mean_effects(model: MapModel, rows: Array, derivative: Array, unit: Array) -> Array:
    """Return mean derivatives, and of a feature with two values the mean change between them, relative to a unit.

    Between its two values are no rows, and the output of a combination such as "garden and area > 120" bends there. The
    mean is that of the rows in which the feature is known. In a map of more than 100 columns, which has no such
    combinations, derivatives are enough: a change of each column in turn would take long.
    """
    encoding, known, is_known = model.encoding, known_features(model.encoding), ~np.isnan(rows)
    effects = np.asarray(derivative.sum(axis=0) / np.maximum(is_known.sum(axis=0), 1))
    if isinstance(model.map, StructuredMap):
        return effects
    is_low, is_high = rows == known.low, rows == known.high
    two = (known.low < known.high) & (is_low | is_high | ~is_known).all(axis=0) & is_known.any(axis=0)
    two &= np.isin(np.arange(len(two)), encoding.columns)
    if not two.any():
        return effects
    reading = Reading(model, "probability")
    states, all_low, all_high = (
        encoding.first_states(np.where(two & is_known, ends, rows), model.n_outputs)
        for ends in (rows, known.low, known.high)
    )
    with one_blas_thread():  # as in `MapModel.outputs`
        outputs = reading.value(reading.net(states))
        for feature in np.flatnonzero(two):
            places, other = np.flatnonzero(encoding.columns == feature), states.copy()
            there, at_low = is_known[:, feature], is_low[:, feature]
            other[:, places] = np.where(at_low[:, np.newaxis], all_high[:, places], all_low[:, places])
            change = np.where(at_low, -1.0, 1.0)[:, np.newaxis] * (outputs - reading.value(reading.net(other)))
            effects[:, feature] = change[there].mean(axis=0) * unit[feature] / (known.high - known.low)[feature]
    return effects


def table_parts(model: Any) -> tuple[Any, Any] | None:
    """Return the preparer and the estimator of a model of raw tables, or None for another model.

    Such a model is a `TableModel`, or a pipeline of a fitted `TablePreparer` and an estimator.
    """
    if isinstance(model, type):
        return None
    steps = [step for _, step in getattr(model, "steps", ())] or [
        getattr(model, n, None) for n in ("preparer", "estimator")
    ]
    return (steps[0], steps[1]) if len(steps) == 2 and hasattr(steps[0], "arranged") else None


def learnable_rows(model: Any, preparer: Any, X: Any, y: Any) -> tuple[Any, Any, NDArray[np.bool_]]:
    """Return the features and targets from which a model of raw tables learns, and the mask of their rows."""
    frame = preparer.arranged(X)[0]
    kept = np.ones(len(frame), dtype=np.bool_)
    if hasattr(model, "_learnable"):
        kept, y = model._learnable(frame, y)
    return preparer.transform(frame[kept]), y, kept


def opened(owner: str, model: Any, X: Any) -> tuple[Subject, Array]:
    """Return the subject, and the rows as features; an estimator checks them as in `predict`."""
    parts = table_parts(model)
    if parts is not None:
        preparer, estimator = parts
        prepared = preparer.transform(preparer.arranged(X)[0])
        named = hasattr(estimator, "feature_names_in_")
        subject, features = opened(owner, estimator, prepared if named else prepared.to_numpy())
        columns = tuple(preparer.columns_)
        return Subject(subject.model, tuple(column.name for column in columns), columns), features
    if isinstance(model, MapModel):
        names = model.encoding.column_names(model.map.concepts[: model.n_inputs])
        return Subject(model, tuple(names)), _array(owner, model._checked(X))
    if hasattr(model, "_fitted_model") and not isinstance(model, type):
        fitted, table = model._fitted_model(X)
        names = getattr(model, "feature_names_in_", [f"x{i}" for i in range(fitted.n_features)])
        return Subject(fitted, tuple(str(name) for name in names)), _array(owner, table)
    expected = "a fitted estimator of cogmap, its `model_`, or a pipeline of a TablePreparer and an estimator"
    raise param_error(owner, "model", expected, model, _cure(model))


def opened_on_scale(owner: str, model: Any, X: Any, scale: str) -> tuple[Subject, Array, Reading]:
    """Return the same, and the model with the scale on which its outputs are read."""
    check_choice(owner, "scale", scale, ("probability", "decision"))
    subject, table = opened(owner, model, X)
    return subject, table, Reading(subject.model, scale)


def _array(owner: str, table: TableLike) -> Array:
    """Return a table as float64; of a sparse one not too many rows at a time can be asked about."""
    if issparse(table) and table.shape[0] * table.shape[1] > _MOST_VALUES:
        cure = "Ask about fewer rows at a time."
        raise param_error(
            owner, "X", f"a table of at most {_MOST_VALUES} values if it is sparse", Literal(str(table.shape)), cure
        )
    return dense(table).astype(np.float64)


def _cure(model: Any) -> str:
    """Say what to do about what is no model but has one in it."""
    if isinstance(model, FuzzyCognitiveMap):
        return "A map alone does not say how a row enters it."
    if isinstance(model, type):
        return f"That is a class: call {model.__name__}() and fit it."
    if hasattr(model, "steps"):
        return "Give the last step of the pipeline, and the features that the others make: `pipe[:-1].transform(X)`."
    if hasattr(model, "best_estimator_"):
        return "Take its `best_estimator_`."
    return ""


def one_row(owner: str, row: Any) -> Any:
    """Return one row as a table: an array of one dimension, a named series, or a table of one row."""
    if hasattr(row, "to_frame") and hasattr(row, "index"):  # a series of pandas, whose names are those of the features
        return row.to_frame().T.infer_objects()
    table = row if hasattr(row, "columns") else row.toarray() if hasattr(row, "toarray") else np.asarray(row)
    if len(table.shape) == 1:
        table = table.reshape(1, -1)
    if len(table.shape) != 2 or table.shape[0] != 1:
        cure = "Take one of its rows." if len(table.shape) == 2 else ""
        raise param_error(
            owner, "row", "one row: an array, or a table of one row", Literal(f"shape {table.shape}"), cure
        )
    return table


def baseline_rows(owner: str, model: Any, subject: Subject, baseline: Any) -> Array:
    """Return the rows to compare with."""
    if baseline is None:
        return subject.typical_row()[None]
    if hasattr(baseline, "columns"):
        return opened(owner, model, baseline)[1]
    n_features = subject.model.n_features
    expected = f"a row of {n_features} numbers, one per feature, or a table of such rows"
    try:
        rows = real(baseline)
    except (TypeError, ValueError):
        raise param_error(owner, "baseline", expected, baseline) from None
    if rows.ndim not in (1, 2) or rows.shape[-1] != n_features or rows.size == 0:
        raise param_error(owner, "baseline", expected, Literal(f"shape {rows.shape}"))
    if np.isinf(rows).any():
        raise param_error(owner, "baseline", "finite numbers, or NaN where one is missing", Literal("infinity"))
    return rows.reshape(-1, n_features)


def feature_index(owner: str, name: str, feature: Any, names: Sequence[str]) -> int:
    """Return the number of the column that is called so; columns without names are x0, x1 and so on."""
    if isinstance(feature, str) and feature in names:
        return list(names).index(feature)
    cure = suggestion(feature, names) or f"The features are {shown(names)}."
    raise param_error(owner, name, "made of names of features", feature, cure)


def output_index(owner: str, output: Any, names: Sequence[str]) -> int:
    """Return the number of an output, called by its name or by its class."""
    for known in (output, f"class={output}"):
        if isinstance(known, str) and known in names:
            return list(names).index(known)
    cure = suggestion(output, names) or f"The outputs are {shown(names)}."
    raise param_error(owner, "output", "a class, or the name of an output", output, cure)
