"""Learning one map from a table."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.arrows import tied_to_effects
from cogmap._learning.monitor import Monitor
from cogmap._learning.parts import validation_rows
from cogmap._learning.recipe import Departure, Recipe
from cogmap._learning.settings import Settings
from cogmap._learning.solvers import Outcome, Theta, Watch, make_solver
from cogmap._learning.table import Table
from cogmap._learning.teachers import Teacher, learn_teachers, taught_targets
from cogmap._threads import one_blas_thread
from cogmap.model import MapModel


@dataclass(frozen=True)
class Learned:
    """What came of learning."""

    model: MapModel  # of features that are states already
    outcome: Outcome
    loss_curve: list[float]
    validation_curve: list[float] = field(default_factory=list)
    teacher_losses: list[float] = field(default_factory=list)
    departures: list[Departure] = field(default_factory=list)  # from an expert's prior


def learn(
    table: Table,
    settings: Settings,
    random: np.random.RandomState,
    monitor: Monitor | None = None,
    start: Theta | None = None,
    teachers: list[Teacher] | None = None,
) -> Learned:
    """Learn a map.

    Parameters
    ----------
    table : Table
        Rows, whose features are states.
    settings : Settings
        How to learn.
    random : RandomState
        Decides starts, parts and mini-batches.
    monitor : Monitor, default=None
        Who is told.
    start : ndarray, default=None
        Parameters to start from. None takes what the settings say.
    teachers : list of Teacher, default=None
        Whom to learn from. None lets as many learn first as the settings say.
    """
    monitor = monitor or Monitor()
    recipe = Recipe.for_table(table, settings)
    learning, validation = table, None
    if settings.early_stopping:
        aside = validation_rows(table, settings.validation_fraction, random, settings.owner)
        learning = table.take(np.flatnonzero(~aside))
        validation = recipe.objective(table.take(np.flatnonzero(aside))).value

    def new_start() -> Theta:
        return recipe.start(learning, random) if start is None else start

    with one_blas_thread():
        if teachers is None:
            monitor.begin(settings.n_teachers + 1)
            teachers = learn_teachers(recipe, learning, new_start, random, monitor)
        if teachers and isinstance(settings.prior, str) and settings.learn == "weights":
            recipe = tied_to_effects(recipe, learning, [teacher.theta for teacher in teachers])
        problem = recipe.problem(learning, taught_targets(recipe, learning, teachers) if teachers else None)
        # One of the teachers may have got stuck early, and who starts there gets stuck as well.
        thetas = [problem.clip(teacher.theta) for teacher in teachers] or [problem.clip(new_start())]
        theta = min(thetas, key=problem.objective.value) if len(thetas) > 1 else thetas[0]
        with monitor.stage("map", settings.max_iter, recipe.model) as report:
            solver = make_solver(settings)
            tol = 0.0 if settings.enough and not solver.all_rows and validation is None else settings.tol
            watch = Watch(settings.max_iter, tol, settings.n_iter_no_change, validation, report)
            theta, outcome = solver(problem, theta, watch, random)
        if watch.best_theta is not None:
            theta = watch.best_theta
        model = recipe.model(theta)
        outcome = ended(outcome, model, table, settings)
    losses = [teacher.loss for teacher in teachers]
    return Learned(model, outcome, watch.loss_curve, watch.validation_curve, losses, recipe.departures(model))


def ended(outcome: Outcome, model: MapModel, table: Table, settings: Settings) -> Outcome:
    """Return how learning ended, once it is seen what came of it."""
    if outcome in (Outcome.MAX_ITER, Outcome.ALL_ITERATIONS) and settings.enough:
        outcome = Outcome.ENOUGH
    if outcome.converged and _says_nothing(model, table):
        return Outcome.FORGOTTEN if _forgets(model) else Outcome.NOTHING_LEARNED
    return outcome


def _says_nothing(model: MapModel, table: Table) -> bool:
    """Whether all rows get the same prediction."""
    ends: list[NDArray[np.floating]] = []  # the smallest and the largest prediction of each block
    for _, X in table.blocks():
        outputs = table.targets.predictions(model.outputs(X))
        ends += [outputs.min(axis=0), outputs.max(axis=0)]
        if np.ptp(ends, axis=0).max() >= 1e-3:  # nearly always of the first block
            return False
    return True


def _forgets(model: MapModel) -> bool:
    """Whether no way of `depth` edges leads from a feature to an output."""
    edges = abs(model.map.transition)
    leads = np.arange(model.map.n_concepts) >= model.map.n_concepts - model.n_outputs
    for _ in range(model.depth):
        leads = leads.astype(np.float64) @ edges > 0.0
    return not leads[: model.n_inputs].any()
