"""Solvers: L-BFGS, Adam and RMSprop under one watch."""

from cogmap.solvers.adaptive import RULES, Rule, one_epoch, solve_adaptive
from cogmap.solvers.driver import Problem, Theta, Watch
from cogmap.solvers.lbfgs import solve_lbfgs
from cogmap.solvers.outcomes import Outcome

SOLVERS = ("lbfgs", *RULES)

__all__ = [
    "RULES",
    "SOLVERS",
    "Outcome",
    "Problem",
    "Rule",
    "Theta",
    "Watch",
    "one_epoch",
    "solve_adaptive",
    "solve_lbfgs",
]
