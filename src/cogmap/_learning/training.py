"""Training one map: from a dataset and a plan to a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.dataset import Dataset
from cogmap._learning.effect_bounds import with_effect_bounds
from cogmap._learning.held_out import HeldOut
from cogmap._learning.plan import Plan
from cogmap._learning.solvers import SILENT, Monitor, Outcome, Rule, StoppingRule, Theta, make_solver, one_epoch
from cogmap._learning.spec import ModelSpec, PriorDeviation
from cogmap._learning.splits import validation_split
from cogmap._learning.table import Table
from cogmap._learning.teachers import Teacher, train_teachers
from cogmap._utils.threads import one_blas_thread
from cogmap.models.model import MapModel


@dataclass(frozen=True)
class TrainResult:
    """Result of training."""

    model: MapModel
    outcome: Outcome
    loss_curve: list[float]
    validation_curve: list[float] = field(default_factory=list)
    teacher_losses: list[float] = field(default_factory=list)
    prior_deviations: list[PriorDeviation] = field(default_factory=list)  # from an expert's prior
    held_out: HeldOut | None = None


def train(
    data: Dataset,
    plan: Plan,
    random: np.random.RandomState,
    monitor: Monitor = SILENT,
    start: Theta | None = None,
    teachers: Sequence[Teacher] | None = None,
) -> TrainResult:
    """Train a map.

    Parameters
    ----------
    data : Dataset
        Rows as states, encoded by the plan.
    plan : Plan
        Plan of the training.
    random : RandomState
        Determines initial weights, splits and mini-batches.
    monitor : Monitor, default=SILENT
        Receives progress reports.
    start : ndarray, default=None
        Initial parameters. If None, they follow from the settings.
    teachers : sequence of Teacher, default=None
        Pre-trained teachers. If None, ``plan.settings.n_teachers`` are trained.
    """
    settings, sample = plan.settings, data.sample()
    spec = ModelSpec.for_table(sample, plan)
    everything, validation = sample, None
    if settings.early_stopping:
        sample, held_out = validation_split(sample, settings.validation_fraction, random, settings.owner)
        data, validation = sample, spec.objective(held_out).value

    def new_start() -> Theta:
        return spec.start(sample, random) if start is None else start

    with one_blas_thread():
        if teachers is None:
            monitor.begin(settings.n_teachers + 1)
            teachers = train_teachers(spec, sample, new_start, random, monitor)
        thetas = [teacher.theta for teacher in teachers]
        if teachers and isinstance(settings.prior, str) and settings.learn == "weights":
            spec = with_effect_bounds(spec, sample, thetas)
        objective = data.objective(spec, thetas)
        with monitor.stage("map", settings.max_iter, spec.finished) as report:
            as_planned = settings.max_iter_is_auto and not make_solver(settings).all_rows and validation is None
            tol = 0.0 if as_planned else settings.tol
            stopping = StoppingRule(settings.max_iter, tol, settings.n_iter_no_change, validation, report)
            theta, outcome = spec.fit(objective, thetas or [new_start()], stopping, random)
        model = spec.model(theta)
        outcome = _outcome(outcome, model, everything, settings.max_iter_is_auto)
    return TrainResult(
        plan.finish(model),
        outcome,
        stopping.loss_curve,
        stopping.validation_curve,
        [teacher.loss for teacher in teachers],
        spec.prior_deviations(model),
        HeldOut.joined([teacher.held_out for teacher in teachers]),
    )


def train_one_pass(
    table: Table, plan: Plan, rule: Rule, random: np.random.RandomState, n_seen: float, start: Theta | None = None
) -> TrainResult:
    """Train for one pass over a batch of rows.

    Parameters
    ----------
    table : Table
        Rows as states.
    plan : Plan
        Plan of the training.
    rule : Rule
        Update rule, with its state after earlier batches.
    random : RandomState
        Determines initial weights and mini-batches.
    n_seen : float
        Number or weight of the rows seen so far, including these; it scales the penalty. The loss is not normalized by
        the mean weight of these rows, which may all be of one class.
    start : ndarray, default=None
        Initial parameters. If None, they follow from the settings.
    """
    spec = ModelSpec.for_table(table, plan)
    problem = spec.problem(table.objective(spec), n_seen, unit_weight=1.0)
    theta = problem.clip(spec.start(table, random) if start is None else start).copy()
    with one_blas_thread():
        loss = one_epoch(problem, theta, rule, plan.settings.batch_size, random)
        problem.check_end(theta)
    model = spec.model(theta)
    return TrainResult(plan.finish(model), Outcome.ONE_PASS, [loss], prior_deviations=spec.prior_deviations(model))


def _outcome(outcome: Outcome, model: MapModel, table: Table, max_iter_is_auto: bool) -> Outcome:
    """Refine the outcome of a solver: default number of iterations, or constant predictions."""
    if outcome in (Outcome.MAX_ITER, Outcome.ALL_ITERATIONS) and max_iter_is_auto:
        outcome = Outcome.ENOUGH
    if outcome.converged and _predicts_one_value(model, table):
        return Outcome.FORGOTTEN if _forgets(model) else Outcome.NOTHING_LEARNED
    return outcome


def _predicts_one_value(model: MapModel, table: Table) -> bool:
    """Return whether all rows get the same prediction."""
    ends: list[NDArray[np.floating]] = []  # the smallest and the largest prediction of each block
    for _, X in table.blocks():
        outputs = table.targets.predictions(model.outputs(X))
        ends += [outputs.min(axis=0), outputs.max(axis=0)]
        if np.ptp(ends, axis=0).max() >= 1e-3:  # nearly always in the first block
            return False
    return True


def _forgets(model: MapModel) -> bool:
    """Return whether no path of `depth` edges leads from a feature to an output."""
    edges = abs(model.map.transition)
    leads = np.arange(model.map.n_concepts) >= model.map.n_concepts - model.n_outputs
    for _ in range(model.depth):
        leads = leads.astype(np.float64) @ edges > 0.0
    return not leads[: model.n_inputs].any()
