"""`TablePreparer`: a scikit-learn transformer from raw tables to numeric features with readable names."""

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from cogmap._utils.documentation import DocLinkMixin
from cogmap._utils.params import check_integer, check_number, param_error, shown, suggestion
from cogmap._utils.text import cut, quoted
from cogmap.exceptions import DataError
from cogmap.table.columns.texts import pandas, refuse_repeated, repeated
from cogmap.table.frames import as_frame
from cogmap.table.preparation.kinds import KINDS, ORDER, find_columns
from cogmap.table.preparation.reading import Reading, read_frame, unseen_notes
from cogmap.table.preparation.state import PreparerState


class TablePreparer(DocLinkMixin, TransformerMixin, PreparerState):
    """Convert a raw table to numeric features: categories, booleans, dates, numbers stored as strings.

    `fit` infers the kind of each column. Numbers are used as they are; strings such as "1,234.50", "3,5", "12 %",
    "64.5 kg", "<5" or "(120)" are parsed, and times such as "08:15" and durations are converted to hours. Yes and no
    become 1 and 0. Categories are one-hot encoded by scikit-learn's `OneHotEncoder` as "colour=red", with one feature
    for all rare categories; codes such as "01067" are categories. An ordered categorical column becomes one number.
    Dates are split into components: "bought at: month". A missing value is NaN in all features of its column, and a map
    treats it as undecided.

    Columns are left out if they are constant, always missing, or identifiers: all values are distinct, and are strings
    or integers in a column with a name such as "id", "no" or "key". `left_out_` lists them with the reason; `fit` does
    not warn of them.

    Parameters
    ----------
    keep : iterable of str, default=()
        Columns to use even if they look like identifiers or free text.
    drop : iterable of str, default=()
        Columns to leave out.
    min_frequency : float, default=0.01
        Categories in a smaller fraction of the rows, or in a single row, are pooled as "other". If no category reaches
        that fraction, the most frequent ones are kept.
    max_categories : int, default=30
        Maximum number of features of a categorical column; less frequent categories are pooled.
    kinds : dict of str to str, default=None
        Kinds of columns for which the inferred kind is wrong: "number", "category", "ordered", "date", "id" or "text"
        (the last two are left out), or the order of the categories, "small<medium<large".

    Attributes
    ----------
    columns_ : tuple of Column
        Columns used. Each has ``name``, ``kind`` ("number", "boolean", "category", "ordered" or "date"), ``why``, the
        reason for this kind, and ``outputs``, the names of its features.
    left_out_ : dict of str to str
        The other columns, with the reason.
    notes_ : list of str
        Notes on columns that can be read in more than one way.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of columns seen in fit. Defined only if all names are strings.

    See Also
    --------
    cogmap.fit_table : Fit a model to a raw table in one call.
    cogmap.TableModel : A preparer and a fitted map, for raw rows.

    Examples
    --------
    >>> import pandas
    >>> from cogmap import TablePreparer
    >>> table = pandas.DataFrame({
    ...     "id": [1, 2, 3, 4],
    ...     "colour": ["red", "blue", None, "red"],
    ...     "price": ["1,200", "950", "870", "?"],
    ...     "bought at": ["2024-01-05", "2024-03-09", "2024-03-10", "2024-02-29"],
    ... })
    >>> preparer = TablePreparer().fit(table)
    >>> [(column.name, column.kind) for column in preparer.columns_]
    [('colour', 'category'), ('price', 'number'), ('bought at', 'date')]
    >>> preparer.left_out_
    {'id': 'an identifier: every row has a different number'}
    >>> preparer.transform(table).iloc[:, :4]
       colour=red  colour=other   price  bought at: month
    0         1.0           0.0  1200.0               1.0
    1         0.0           1.0   950.0               3.0
    2         NaN           NaN   870.0               3.0
    3         1.0           0.0     NaN               2.0

    Columns of a new table may be in any order; other columns are ignored.

    >>> new = pandas.DataFrame({"price": [99], "colour": ["green"], "bought at": ["2025-05-01"], "shop": ["north"]})
    >>> new, notes = preparer.checked(new)
    >>> for note in notes:
    ...     print(note)
    1 column is not used: 'shop'.
    colour: 1 row has a value that was not seen in training ('green'). It counts as missing.
    >>> preparer.transform(new).iloc[:, :3]
       colour=red  colour=other  price
    0         NaN           NaN   99.0
    >>> preparer.read(preparer.arranged(new)[0]).unseen
    {'colour': {'green': 1}}

    Learn categories from other rows, and convert a preparer to JSON values and back:

    >>> preparer.relearned(table[:3]).get_feature_names_out()[:2].tolist()
    ['colour=blue', 'colour=red']
    >>> TablePreparer.from_state(preparer.to_state()).get_feature_names_out()[0]
    'colour=red'
    >>> TablePreparer.of_numbers(["age", "mass"]).transform(pandas.DataFrame({"age": [30], "mass": [71.5]})).values
    array([[30. , 71.5]])
    """

    def __init__(
        self,
        keep: Iterable[str] = (),
        drop: Iterable[str] = (),
        min_frequency: float = 0.01,
        max_categories: int = 30,
        kinds: Mapping[str, str] | None = None,
    ) -> None:
        self.keep = keep
        self.drop = drop
        self.min_frequency = min_frequency
        self.max_categories = max_categories
        self.kinds = kinds

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # the output is a frame of float64
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Infer the kind of each column.

        Parameters
        ----------
        X : pandas.DataFrame
            Table to learn from. A polars frame or an array is accepted too.
        y : None
            Ignored.

        Returns
        -------
        self : TablePreparer
            Fitted preparer.
        """
        owner = type(self).__name__
        fraction = check_number(owner, "min_frequency", self.min_frequency, low=0, high=1, high_included=False)
        most = check_integer(owner, "max_categories", self.max_categories, low=2)
        frame = self._frame(X, reset=True)
        if not len(frame):
            raise DataError(f"`{owner}` needs rows to learn from, and the table has none (0 sample(s)).")
        names = list(frame.columns)
        keep, drop = (self._named(name, names) for name in ("keep", "drop"))
        columns, left_out, notes = find_columns(frame, self._kinds(names), keep, drop, fraction, most)
        if not columns:
            reasons = "; ".join(f"{cut(name)}: {reason}" for name, reason in list(left_out.items())[:5])
            raise DataError(
                f"`{owner}` finds no column to learn from in the {len(names)} of the table, which has "
                f"{len(frame)} sample{'s' * (len(frame) > 1)} ({reasons}). Columns that look like identifiers can be "
                "named in `keep`."
            )
        if twice := repeated([output for column in columns for output in column.outputs]):
            raise DataError(f"Two columns would become features called {quoted(twice[0])}. Rename one of them.")
        self.columns_, self.left_out_, self.notes_ = columns, left_out, notes
        return self

    def relearned(self, X: Any) -> "TablePreparer":
        """Return a preparer with the same column kinds, and categories learned from other rows.

        Used in cross-validation: kinds are inferred once from all rows, categories from the training rows of each fold.

        Parameters
        ----------
        X : pandas.DataFrame
            Rows with the same columns as the table in `fit`.

        Returns
        -------
        TablePreparer
            The new preparer.
        """
        check_is_fitted(self, "columns_")
        frame, other = self._frame(X, reset=False), copy(self)
        other.columns_ = tuple(
            column.relearned(frame[column.name], self.min_frequency, self.max_categories) for column in self.columns_
        )
        return other

    def transform(self, X: Any) -> Any:
        """Convert a table to numeric features.

        Parameters
        ----------
        X : pandas.DataFrame
            Table with the columns in `columns_`, in any order; other columns are ignored.

        Returns
        -------
        pandas.DataFrame
            One column per feature, NaN if a value is missing.

        Raises
        ------
        DataError
            If a number or date cannot be parsed, or a column is missing.
        """
        check_is_fitted(self, "columns_")
        frame = self.arranged(X)[0] if hasattr(X, "columns") else self._frame(X, reset=False)
        features = self.read(frame).usable(range(len(frame)))
        return pandas.DataFrame(features, columns=self.get_feature_names_out(), index=frame.index)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the features.

        Parameters
        ----------
        input_features : None
            Ignored; column names are known from `fit`.

        Returns
        -------
        ndarray of str
            Names of the columns of `transform`.
        """
        check_is_fitted(self, "columns_")
        return np.array([output for column in self.columns_ for output in column.outputs], dtype=object)

    def read(self, frame: Any) -> Reading:
        """Convert a table to an array of features; record unseen values and unusable rows instead of raising errors.

        Parameters
        ----------
        frame : pandas.DataFrame
            Table with at least the columns in `columns_`.

        Returns
        -------
        Reading
            Features, values not seen in training, and rows that cannot be used.
        """
        check_is_fitted(self, "columns_")
        return read_frame(self.columns_, frame)

    def checked(self, frame: Any) -> tuple[Any, list[str]]:
        """Select and order the columns of a new table as in `fit`.

        Parameters
        ----------
        frame : pandas.DataFrame
            Table with the columns in `columns_`, in any order, and possibly others.

        Returns
        -------
        frame : pandas.DataFrame
            The columns of `fit` in their order; those left out may be absent from the input.
        notes : list of str
            Notes on unused columns and on values not seen in training.
        """
        arranged, notes = self.arranged(frame)
        return arranged, [*notes, *unseen_notes(self.read(arranged).unseen)]

    def arranged(self, frame: Any) -> tuple[Any, list[str]]:
        """Select and reorder columns like `checked`, but without checking their values.

        Parameters
        ----------
        frame : pandas.DataFrame
            Table with the columns in `columns_`, in any order, and possibly others.

        Returns
        -------
        frame : pandas.DataFrame
            The columns seen during `fit`, in the same order.
        notes : list of str
            Notes on unused columns.
        """
        check_is_fitted(self, "columns_")
        frame = as_frame(frame)
        given = [str(name) for name in frame.columns]
        frame = frame.set_axis(given, axis=1)
        names = [str(name) for name in getattr(self, "feature_names_in_", self._positions())]
        used, there = {column.name for column in self.columns_}, set(given)
        absent = [column.name for column in self.columns_ if column.name not in there]
        if absent:
            hint = suggestion(absent[0], [name for name in given if name not in names])
            plural = "a column" if len(absent) == 1 else f"{len(absent)} columns"
            raise DataError(
                f"The table lacks {plural} that the model needs: {shown(absent)}.{' ' + hint if hint else ''} "
                f"It has {shown(given)}."
            )
        refuse_repeated([name for name in given if name in used])
        extra = [name for name in given if name not in set(names)]
        notes = []
        if extra:
            plural = "1 column is" if len(extra) == 1 else f"{len(extra)} columns are"
            notes.append(f"{plural} not used: {shown(extra)[1:-1]}.")
        if given != names:
            empty = pandas.Series(np.nan, index=frame.index)
            frame = pandas.DataFrame({name: frame[name] if name in used else empty for name in names})
        return frame, notes

    def _frame(self, X: Any, reset: bool) -> Any:
        """Validate `X` as scikit-learn does, and convert it to a frame with strings as column names."""
        if hasattr(X, "columns"):
            frame = as_frame(X)
            labels = frame.columns.tolist()
            names = [str(name) for name in labels]
            refuse_repeated(names)
            validate_data(self, frame, reset=reset, skip_check_array=True)
            return frame if names == labels else frame.set_axis(names, axis=1)
        values = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite="allow-nan")
        return pandas.DataFrame(values, columns=self._positions()).infer_objects()

    def _kinds(self, columns: list[str]) -> dict[str, str]:
        """Validate and return the parameter `kinds`."""
        owner, kinds = type(self).__name__, {} if self.kinds is None else self.kinds
        if not isinstance(kinds, Mapping):
            raise param_error(owner, "kinds", "a dict from column names to kinds", kinds)
        for column, kind in kinds.items():
            if column not in columns:
                cure = suggestion(column, columns)
                raise param_error(owner, "kinds", f"a dict with the columns {shown(columns)}", column, cure)
            if kind not in KINDS and not (isinstance(kind, str) and ORDER in kind):
                raise param_error(
                    owner, "kinds", f"a dict to {shown(KINDS)} or an order such as 'small<medium<large'", kind
                )
        return dict(kinds)

    def _named(self, name: str, columns: list[str]) -> set[str]:
        """Validate and return the columns listed in a parameter."""
        value, owner = getattr(self, name), type(self).__name__
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise param_error(owner, name, "a list of column names", value)
        listed = list(value)
        for column in listed:
            if column not in columns:
                raise param_error(
                    owner, name, f"among the columns {shown(columns)}", column, suggestion(column, columns)
                )
        return set(listed)
