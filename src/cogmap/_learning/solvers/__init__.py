"""Solvers: L-BFGS, Adam and RMSprop with a common stopping rule.

The attribute `all_rows` of a solver class tells whether every iteration uses all rows.
"""

from typing import Any

from cogmap._learning.solvers.adaptive import RULES, Adam, Adaptive, Rule, one_epoch
from cogmap._learning.solvers.driver import SILENT, Monitor, Objective, Problem, Report, Solver, StoppingRule, Theta
from cogmap._learning.solvers.lbfgs import LBFGS, steps_remembered
from cogmap._learning.solvers.outcomes import Outcome
from cogmap._learning.solvers.spaces import Slopes

SOLVERS: dict[str, type[LBFGS] | type[Adaptive]] = {"lbfgs": LBFGS, **dict.fromkeys(RULES, Adaptive)}


def make_solver(settings: Any) -> Solver:
    """Return the solver for given settings."""
    if settings.solver in RULES:
        return Adaptive(RULES[settings.solver], settings.learning_rate, settings.batch_size)
    return LBFGS()


__all__ = [
    "LBFGS",
    "RULES",
    "SILENT",
    "SOLVERS",
    "Adam",
    "Adaptive",
    "Monitor",
    "Objective",
    "Outcome",
    "Problem",
    "Report",
    "Rule",
    "Slopes",
    "Solver",
    "StoppingRule",
    "Theta",
    "make_solver",
    "one_epoch",
    "steps_remembered",
]
