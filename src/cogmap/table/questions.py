"""`QuestionsMixin`: explanations of a model of raw tables, by column."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.explanation import Explanation, WhatIf, explain, what_if
from cogmap.explanation._subject import Subject
from cogmap.table.frames import as_frame


class QuestionsMixin:
    """The questions why a `TableModel` predicts what it predicts."""

    preparer: Any
    model: Any
    classes: Any
    columns: Any
    fixed: Any

    def explain(self, rows: Any, **options: Any) -> Explanation:
        """Compute the contribution of each column to the prediction of each row.

        Parameters
        ----------
        rows : data frame, dict, list of dict, or pandas.Series
            As for `predict`.
        **options
            As for `cogmap.explain`.

        Returns
        -------
        Explanation
            Contributions of the columns, which add up to the prediction.
        """
        return explain(self, as_frame(rows), **options)

    def what_if(self, row: Any, to: Any = None, **options: Any) -> WhatIf:
        """Find the smallest change to a row that changes its prediction.

        Parameters
        ----------
        row : dict, pandas.Series, or data frame of one row
            Row to change.
        to : object, default=None
            Class to reach, as a label or a string, or value to reach. If None, any other class.
        **options
            As for `cogmap.what_if`. Columns in `fixed` are added to those that the model keeps fixed.

        Returns
        -------
        WhatIf
            Changed values, and the prediction for them.
        """
        if self.classes is not None and to is not None and str(to) in self.classes:
            link: Any = self.model.link
            to = link.classes[self.classes.index(str(to))]
        fixed = dict.fromkeys([*options.pop("fixed", ()), *self.fixed])
        return what_if(self, as_frame(row), to=to, fixed=fixed, **options)

    def contributions(self, features: NDArray[np.float64]) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Compute the contributions of columns to the outputs, given `Predictions.features`.

        Parameters
        ----------
        features : ndarray of shape (n_rows, n_features)
            Features of rows.

        Returns
        -------
        contributions : ndarray of shape (n_rows, n_columns, n_outputs)
            Contributions of the columns.
        base_values : ndarray of shape (n_outputs,)
            Outputs of the baseline.
        """
        explanation = explain(self.model, features)
        return self._subject.sums(explanation.contributions, axis=1), explanation.base_values

    def values(self, features: NDArray[np.float64]) -> NDArray[Any]:
        """Convert `Predictions.features` back to values of columns.

        Parameters
        ----------
        features : ndarray of shape (n_rows, n_features)
            Features of rows.

        Returns
        -------
        ndarray of shape (n_rows, n_columns)
            Numbers, strings, or None if missing.
        """
        return self._subject.labels(features)

    @cached_property
    def _subject(self) -> Subject:
        return Subject(self.model, tuple(self.columns), tuple(self.preparer.columns_))
