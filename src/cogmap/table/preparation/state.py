"""`PreparerState`: a fitted `TablePreparer` as JSON values, and fitted preparers that were not fitted to a table."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from cogmap.exceptions import DataError
from cogmap.table.columns import Column, NumberColumn


class PreparerState(BaseEstimator):
    """Mixin with the methods of `TablePreparer` that read and write its fitted attributes."""

    columns_: tuple[Column, ...]
    left_out_: dict[str, str]
    notes_: list[str]

    @classmethod
    def of_numbers(cls, names: Sequence[str]) -> Self:
        """Return a fitted preparer of numeric columns.

        Parameters
        ----------
        names : sequence of str
            Names of the columns.

        Returns
        -------
        TablePreparer
            Preparer that uses each column as a feature.
        """
        preparer = cls()
        preparer.n_features_in_, preparer.feature_names_in_ = len(names), np.array(names, dtype=object)
        preparer.columns_, preparer.left_out_ = tuple(NumberColumn(name, (name,)) for name in names), {}
        return preparer

    def to_state(self) -> dict[str, Any]:
        """Convert the fitted preparer to JSON-serializable values.

        Returns
        -------
        dict
            Argument of `from_state`.
        """
        check_is_fitted(self, "columns_")
        return {
            "parameters": {
                "keep": list(self.keep),
                "drop": list(self.drop),
                "min_frequency": float(self.min_frequency),
                "max_categories": int(self.max_categories),
                "kinds": None if self.kinds is None else dict(self.kinds),
            },
            "names": [str(name) for name in self.feature_names_in_] if hasattr(self, "feature_names_in_") else None,
            "n_columns": int(self.n_features_in_),
            "columns": [column.to_state() for column in self.columns_],
            "left_out": dict(self.left_out_),
            "notes": list(getattr(self, "notes_", [])),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Build a fitted preparer from its state.

        Parameters
        ----------
        state : dict
            Result of `to_state`, possibly after a round trip through JSON.

        Returns
        -------
        TablePreparer
            Preparer that transforms tables like the original.
        """
        try:
            parameters = dict(state["parameters"])
            preparer = cls(**parameters | {name: tuple(parameters[name]) for name in ("keep", "drop")})
            preparer.n_features_in_ = int(state["n_columns"])
            if state["names"] is not None:
                preparer.feature_names_in_ = np.array([str(name) for name in state["names"]], dtype=object)
            preparer.columns_ = tuple(Column.from_state(column) for column in state["columns"])
            preparer.left_out_ = {str(name): str(reason) for name, reason in state["left_out"].items()}
            preparer.notes_ = [str(note) for note in state.get("notes", [])]
            names = {*preparer.left_out_, *(column.name for column in preparer.columns_)}
            is_complete = len(names) == len(preparer.columns_) + len(preparer.left_out_) == preparer.n_features_in_
            if not is_complete or names != set(getattr(preparer, "feature_names_in_", preparer._positions())):
                raise ValueError("its columns and names do not match")
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise DataError(f"This is not the state of a `{cls.__name__}`: {problem}.") from None
        return preparer

    def _positions(self) -> list[str]:
        """Return names for columns without names."""
        return [f"x{i}" for i in range(self.n_features_in_)]
