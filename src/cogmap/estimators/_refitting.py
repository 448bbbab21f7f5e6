"""Atomic replacement of fitted attributes: a fit sets all of them at once, or none."""

import copy
from collections.abc import Callable
from typing import Self


class Refitting:
    """Mixin for estimators whose earlier fitted attributes stay valid until a new fit succeeds."""

    def _replace_learned(self, fit: Callable[[Self], None]) -> None:
        """Fit a copy of this estimator, and take over its fitted attributes in one assignment.

        Predictions in other threads use either the old or the new model, and a failed fit changes nothing.
        """
        fitted = copy.copy(self)
        fit(fitted)
        parameters = {name: value for name, value in vars(self).items() if not is_learned(name)}
        self.__dict__ = parameters | {name: value for name, value in vars(fitted).items() if is_learned(name)}

    def _forget(self) -> None:
        """Delete the fitted attributes."""
        for name in [name for name in vars(self) if is_learned(name)]:
            delattr(self, name)


def is_learned(name: str) -> bool:
    """Return whether an attribute is set by fit rather than by the user."""
    return name in ("_incremental", "_outcome", "_parameters") or (name.endswith("_") and not name.startswith("_"))
