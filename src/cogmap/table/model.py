"""`TableModel`: a fitted map with its table preparer, which predicts and explains raw rows."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from cogmap._utils.params import param_error, shown
from cogmap._utils.text import quoted
from cogmap.estimators._base import BaseFCM
from cogmap.estimators._validation import input_names
from cogmap.exceptions import DataError
from cogmap.explanation._subject import table_parts
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.links import ClassLink, decided
from cogmap.models.model import MapModel
from cogmap.models.one_row import quick_way
from cogmap.persistence import save
from cogmap.persistence.files import load_saved
from cogmap.table.cards import Card
from cogmap.table.columns.texts import pandas
from cogmap.table.evaluation import Evaluation
from cogmap.table.frames import as_frame
from cogmap.table.predictions import Predictions
from cogmap.table.preparation import NumberColumn, Reading, RowReader, TablePreparer
from cogmap.table.questions import QuestionsMixin
from cogmap.table.sections import SectionsMixin
from cogmap.table.targets import CLASSES, VALUES, Target, column_of, known_rows
from cogmap.table.uncertainty import UncertaintyMixin


@dataclass(frozen=True)
class TableModel(SectionsMixin, QuestionsMixin, UncertaintyMixin):
    """A fitted map for raw tables: it takes data frames or dicts, and explains predictions by column.

    `fit_table` returns one, and `TableModel.load` reads one from a file. Columns may be in any order; columns that the
    model does not use are ignored. Categories not seen in training count as missing values, which the map treats as
    undecided. A row with a number or date that cannot be parsed has no prediction.

    Parameters
    ----------
    preparer : TablePreparer
        Fitted preparer, which converts raw rows to features.
    estimator : FCMClassifier, FCMClassifierCV or FCMRegressor
        The fitted map.
    card : Card, default={}
        Description of the model: target, scores, columns. A dict that is printed as text.
    sections : dict, default={}
        Optional sections of the model file, see `held_out_` and `training_statistics_`.

    See Also
    --------
    cogmap.fit_table : Fit a model to a raw table.
    cogmap.explain : Contributions of columns to a prediction.

    Examples
    --------
    >>> import pandas
    >>> from cogmap.table import fit_table
    >>> table = pandas.DataFrame({
    ...     "age": [20, 30, 40, 50, 60, 70] * 5,
    ...     "colour": ["red", "blue"] * 15,
    ...     "ill": ["no", "no", "no", "yes", "yes", "yes"] * 5,
    ... })
    >>> model = fit_table(table, "ill")
    >>> model.predict({"age": 65, "colour": "red"})
    array(['yes'], dtype=object)
    >>> model.what_if({"age": 65, "colour": "red"}, to="no", fixed=["colour"]).changes
    {'age': (65.0, 48.0)}
    >>> model.predict_proba({"age": 65, "colour": "red"}).shape, model.evaluate(table)["accuracy"]
    ((1, 2), 1.0)
    >>> model.explain({"age": 65, "colour": "red"}).contributions.shape
    (1, 2, 2)

    Predict what can be predicted, with notes on the rows, and explain the same features:

    >>> predictions = model.answer([{"age": 65, "colour": "green"}, {"age": "old", "colour": "red"}])
    >>> predictions.notes(), list(predictions.faults)
    (["colour: 1 row has a value that was not seen in training ('green'). It counts as missing."], [1])
    >>> contributions, base_values = model.contributions(predictions.features[:1])
    >>> model.values(predictions.features[:1]).tolist()
    [[65.0, None]]
    >>> reading = model.read({"age": 65, "colour": "red"})
    >>> reading.features
    array([[65.,  0.,  1.]])

    Save the model, and use the loaded one:

    >>> import os, tempfile
    >>> from cogmap import TableModel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(os.path.join(folder, "ill.cogmap"))
    ...     loaded = TableModel.load(os.path.join(folder, "ill.cogmap"))
    >>> loaded.columns, TableModel.of(loaded.pipeline).columns, loaded.with_estimator(model.estimator).columns
    (['age', 'colour'], ['age', 'colour'], ['age', 'colour'])
    """

    preparer: TablePreparer
    estimator: Any
    card: Card = field(default_factory=Card)
    sections: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Load a model from a file; an estimator saved without a preparer can be loaded too.

        Parameters
        ----------
        path : str or path-like
            File to read.

        Returns
        -------
        TableModel
            The model, with card and sections if the file has them.
        """
        if not os.path.exists(path):
            raise DataError(f"There is no model {os.fspath(path)}. `cogmap fit` or `TableModel.save` writes one.")
        saved = load_saved(path)
        if isinstance(saved.model, FuzzyCognitiveMap):
            raise DataError(
                f"{os.fspath(path)} holds a map without an encoding, which cannot predict the rows of a table."
            )
        if hasattr(saved.model, "forecast"):
            raise DataError(
                f"{os.fspath(path)} holds a forecaster, which cannot predict the rows of a table. `cogmap show` and "
                "`cogmap explore` take it, `cogmap forecast` learns a new one, and in Python it has `forecast`."
            )
        return cls.of(*saved)

    @classmethod
    def of(cls, model: Any, card: dict[str, Any] | None = None, sections: dict[str, Any] | None = None) -> Self:
        """Build a table model from a fitted pipeline or estimator.

        Parameters
        ----------
        model : TableModel, Pipeline, FCMClassifier, FCMClassifierCV, FCMRegressor or MapModel
            A pipeline of a `TablePreparer` and an estimator, or an estimator fitted to numeric columns.
        card : dict, default=None
            Description of the model. If None, the card of `model`, or an empty one.
        sections : dict, default=None
            Optional sections of the model file. If None, those of `model`, or none.

        Returns
        -------
        TableModel
            The model.
        """
        parts = table_parts(model)
        if parts is None and (isinstance(model, MapModel) or (isinstance(model, BaseFCM) and hasattr(model, "model_"))):
            parts = TablePreparer.of_numbers(_names(model)), model
        if parts is None or not isinstance(getattr(parts[1], "model_", parts[1]), MapModel):
            expected = "a fitted estimator of cogmap, or a pipeline of a fitted `TablePreparer` and one"
            cure = "A map alone does not define how a row enters it." if isinstance(model, FuzzyCognitiveMap) else ""
            raise param_error("TableModel.of", "model", expected, model, cure)
        card = Card(getattr(model, "card", {}) if card is None else card)
        return cls(*parts, card, getattr(model, "sections", {}) if sections is None else sections)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the model with its card and sections.

        Parameters
        ----------
        path : str or path-like
            File to write, by convention with the extension ``.cogmap``.
        """
        save(self.pipeline, path, self.card.to_dict(), self.sections)

    def __post_init__(self) -> None:
        object.__setattr__(self, "card", Card(self.card))

    def with_estimator(self, estimator: Any) -> "TableModel":
        """Return a model of the same columns with another fitted map, whose held-out scores are unknown.

        Parameters
        ----------
        estimator : FCMClassifier, FCMClassifierCV, FCMRegressor or MapModel
            Fitted map.

        Returns
        -------
        TableModel
            The model with this map.
        """
        sections = {name: part for name, part in self.sections.items() if name != "held_out"}
        return TableModel(self.preparer, estimator, self.card.without_scores(), sections)

    @property
    def pipeline(self) -> Pipeline:
        """The preparer and the estimator as a scikit-learn pipeline."""
        return Pipeline([("prepare", self.preparer), ("map", self.estimator)])

    @property
    def model(self) -> MapModel:
        """The fitted map with its encoding and link."""
        model: MapModel = getattr(self.estimator, "model_", self.estimator)
        return model

    @cached_property
    def classes(self) -> list[str] | None:
        """Class labels as strings; None for a regression model."""
        link = self.model.link
        return [str(label) for label in link.classes] if isinstance(link, ClassLink) else None

    @cached_property
    def outputs(self) -> list[str]:
        """Names of the outputs: the classes, or the targets of a regression."""
        return self.classes or [str(name) for name in self.model.link.names]

    @property
    def target(self) -> Target:
        """Target column; its name is "target" if the model was saved without a card."""
        if "target" in self.card:
            return Target.from_state(self.card["target"])
        if self.classes:
            return Target("target", CLASSES, "")
        return Target("target", VALUES, "", NumberColumn("target", ("target",)))

    @cached_property
    def columns(self) -> list[str]:
        """Names of the columns used by the model."""
        return [column.name for column in self.preparer.columns_]

    @property
    def texts(self) -> list[str]:
        """Columns to read from a file as strings, so that pandas does not convert their values."""
        return [column.name for column in self.preparer.columns_ if column.as_text]

    def _read_targets(self, y: Any) -> Any:
        """Return targets as the fit read them; without a card they stay as they are."""
        if "target" not in self.card or np.ndim(y) != 1:
            return y
        return self.target.read(pandas.Series(np.asarray(y)))

    def _learnable(self, frame: Any, y: Any) -> tuple[NDArray[np.bool_], Any]:
        """Return a mask of the rows that a fit learns from, and their targets as it reads them.

        It leaves out rows without a target and those of classes with a single row. Without a card nothing is known.
        """
        targets = self._read_targets(y)
        if targets is y or len(targets) != len(frame):
            return np.ones(len(frame), dtype=np.bool_), targets
        kept = known_rows(targets) if self.classes is None else pandas.Series(targets).isin(self.classes).to_numpy()
        return kept, targets[kept]

    def predict(self, rows: Any, join: bool = False) -> Any:
        """Predict raw rows.

        Parameters
        ----------
        rows : data frame, dict, list of dict, or pandas.Series
            A pandas, polars or pyarrow table, or rows as dicts by column name.
        join : bool, default=False
            Whether to return the rows with the predictions as additional columns.

        Returns
        -------
        ndarray of shape (n_rows,) or pandas.DataFrame
            Predicted classes or values; a data frame if `join` is true.
        """
        predictions = self._complete(rows)
        if not join:
            return predictions.labels
        frame = as_frame(rows).copy()
        frame["prediction"] = predictions.labels
        if self.classes is not None:
            frame[[f"P({label})" for label in self.classes]] = predictions.outputs
        return frame

    def predict_proba(self, rows: Any) -> NDArray[np.floating]:
        """Predict class probabilities of raw rows.

        Parameters
        ----------
        rows : data frame, dict, list of dict, or pandas.Series
            As for `predict`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities, in the order of `classes`.
        """
        if self.classes is None:
            raise DataError("This model predicts values, which have no probabilities: use `predict`.")
        return self._complete(rows).outputs

    def evaluate(self, rows: Any, target: str | None = None) -> dict[str, Any]:
        """Score predictions on a table with known targets.

        Parameters
        ----------
        rows : data frame
            Table that contains the target column.
        target : str, default=None
            Column with the true values. If None, the target of `fit_table`.

        Returns
        -------
        dict
            Scores; for classification also per class. Rows without a true value or a prediction are excluded.
            ``"rows learned from"`` is the number of rows that are equal to training rows, if the model knows it; if
            the model was trained on more than 10,000 rows, it is estimated.
        """
        frame = as_frame(rows)
        evaluation = Evaluation(self.classes, self.sections.get("training_rows"))
        y = self.target.read(column_of(frame, target or self.target.name, "the table"))
        evaluation.add(y, self.answer(frame))
        if not evaluation.n_rows:
            raise DataError("The table has no row with a known target that can be predicted.")
        return evaluation.scores()

    def answer(self, rows: Any, faults: Mapping[int, str] | None = None) -> Predictions:
        """Predict all rows that can be predicted, with a reason for each of the others.

        Parameters
        ----------
        rows : data frame, dict, list of dict, or pandas.Series
            As for `predict`.
        faults : dict of int to str, default=None
            Indices of rows that must not be predicted, with the reason.

        Returns
        -------
        Predictions
            Predictions, and reasons why rows have none.
        """
        reading = self.read(rows)
        features = reading.features
        faulty = reading.faults | dict(faults or {})
        empty = [row for row in np.flatnonzero(np.isnan(features).all(axis=1)).tolist() if row not in faulty]
        if faulty:
            features[list(faulty)] = np.nan
        codes, outputs = self._computed(features)
        link: Any = self.model.link
        labels = outputs[:, 0] if codes is None else link.classes[codes]
        unseen = {name: reading.unseen[name] for name in self.columns if name in reading.unseen}
        return Predictions(features, outputs, labels, faulty, empty, unseen, *self._novelty(features))

    def _computed(self, features: NDArray[np.float64]) -> tuple[NDArray[np.intp] | None, NDArray[np.floating]]:
        """Compute the indices of the predicted classes (None for a regression) and the outputs."""
        if len(features) == 1 and self._quick_way is not None:
            outputs, code = self._quick_way(features[0])
            return None if self.classes is None else np.array([code]), np.array([outputs])
        net = self.model.net(features) if len(features) else np.empty((self.model.n_outputs, 0))
        link: Any = self.model.link
        return None if self.classes is None else decided(link.decision(net)), link.outputs(net)

    def read(self, rows: Any) -> Reading:
        """Convert raw rows to features, and collect unseen values and rows that cannot be used.

        Parameters
        ----------
        rows : data frame, dict, list of dict, or pandas.Series
            As for `predict`.

        Returns
        -------
        Reading
            Features, values not seen in training, and rows that cannot be used.
        """
        if isinstance(rows, Reading):  # rows that were converted before
            return rows
        if isinstance(rows, Mapping):
            rows = [rows]
        if not isinstance(rows, Sequence):
            return self.preparer.read(self.preparer.arranged(as_frame(rows))[0])
        try:
            return self._rows.read(rows)
        except KeyError as missing:
            raise DataError(
                f"A row lacks the column {quoted(missing.args[0])}; the model needs {shown(self.columns)}. Use None "
                "for a missing value."
            ) from None

    def _complete(self, rows: Any) -> Predictions:
        """Predict rows; raise DataError if any of them cannot be predicted."""
        predictions = self.answer(rows)
        predictions.check_complete()
        return predictions

    @cached_property
    def _rows(self) -> RowReader:
        return RowReader(self.preparer.columns_)

    @cached_property
    def _quick_way(self) -> Any:
        return quick_way(self.model)


def _names(model: BaseFCM | MapModel) -> list[str]:
    """Return the names of the numeric columns of a model without a preparer."""
    if isinstance(model, MapModel):
        return model.encoding.column_names(model.map.concepts[: model.n_inputs])
    return input_names(model)
