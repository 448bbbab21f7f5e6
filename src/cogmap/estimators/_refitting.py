"""What is learned replaces what was learned before all at once, or not at all."""

import copy
from collections.abc import Callable
from typing import Self


class Refitting:
    """Mixin for estimators that keep what they learned before until there is something new."""

    def _replace_learned(self, learn_into: Callable[[Self], None]) -> None:
        """Let a copy of this estimator learn, and take over what it has learned at once.

        Whoever predicts meanwhile, in another thread, uses the old model or the new one; what fails leaves no trace.
        """
        fitted = copy.copy(self)
        learn_into(fitted)
        given = {name: value for name, value in vars(self).items() if not is_learned(name)}
        self.__dict__ = given | {name: value for name, value in vars(fitted).items() if is_learned(name)}

    def _forget(self) -> None:
        for name in [name for name in vars(self) if is_learned(name)]:
            delattr(self, name)


def is_learned(name: str) -> bool:
    """Whether an attribute is made by fit, not given by a user."""
    return name in ("_incremental", "_outcome", "_parameters") or (name.endswith("_") and not name.startswith("_"))
