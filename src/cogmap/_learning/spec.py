"""`ModelSpec`: the objective of a solver, its start, and the model for its parameters."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from cogmap._learning import initialization
from cogmap._learning.concepts import Concepts
from cogmap._learning.monotone import monotone_limits
from cogmap._learning.objective import DenseObjective
from cogmap._learning.penalties import ElasticNet
from cogmap._learning.plan import Plan
from cogmap._learning.priors import Prior, make_prior, memory_weight, structured_prior
from cogmap._learning.settings import Settings
from cogmap._learning.solvers import Objective, Outcome, Problem, Slopes, StoppingRule, Theta, make_solver
from cogmap._learning.step_units import StepUnits, find_step_units
from cogmap._learning.structure import Bounds, intersected, weight_limits
from cogmap._learning.structured import StructuredObjective
from cogmap._learning.table import Table
from cogmap._utils.threads import ThreadTeam
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.maps.structured import StructuredMap
from cogmap.models.encoding import Encoding, FromUndecided
from cogmap.models.links import Link
from cogmap.models.model import MapModel

_TARGET_SHARE = 0.5  # weight of the true targets in distillation targets; the rest is the ensemble's mean prediction


class PriorDeviation(NamedTuple):
    """An edge of an expert's map, with its prior and its learned weight."""

    source: str
    target: str
    prior: float
    learned: float


@dataclass(frozen=True)
class ModelSpec:
    """A plan with the concepts of the map, the bounds of its weights, and its prior."""

    plan: Plan
    link: Link
    concepts: Concepts
    limits: Bounds | None
    prior: Prior
    step_units: StepUnits | None = None  # initial weights of some hidden concepts
    scaling: FromUndecided | None = None  # how table values become states; None if they are states

    @classmethod
    def for_table(cls, table: Table, plan: Plan) -> "ModelSpec":
        """Return the spec for a table: name the concepts, and resolve constraints and prior."""
        settings, link = plan.settings, table.targets.link
        owner = settings.owner
        concepts = Concepts.of(table.features, settings.n_hidden, link.names)
        if settings.structured:
            scaling = FromUndecided() if issparse(table.X) else None
            return cls(plan, link, concepts, None, structured_prior(concepts), scaling=scaling)
        limits = weight_limits(settings.edges, settings.weight_bounds, concepts, owner)
        monotone = monotone_limits(settings.monotonic_cst, concepts, link, owner)
        limits = intersected(limits, monotone, "edges or weight_bounds", "monotonic_cst", concepts, owner)
        prior = make_prior(settings.prior, concepts, settings.slope, limits, owner)
        use_steps = settings.step_units and limits is None
        step_units = find_step_units(table, settings.n_hidden, settings.slope) if use_steps else None
        if step_units is not None:  # shrunk towards 0, a step would become flat
            prior = replace(prior, weights=step_units.with_weights(prior.weights))
        spec = cls(plan, link, concepts, limits, prior, step_units)
        if settings.learn == "slopes":  # the initial weights are kept
            prior = replace(prior, weights=spec._start(table, None)[0], pull=np.ones_like(prior.pull))
        return replace(spec, prior=prior)

    @property
    def settings(self) -> Settings:
        """Settings of training."""
        return self.plan.settings

    @property
    def memory(self) -> NDArray[np.float64]:
        """Weight of each input on itself in the prior."""
        if self.settings.structured:
            return np.full(self.concepts.n_inputs, memory_weight(self.settings.slope))
        return np.diag(self.prior.weights)[self.concepts.inputs]

    def objective(
        self, table: Table, targets: NDArray[Any] | None = None, mean_weight: float | None = None
    ) -> DenseObjective:
        """Return the loss on a table; with `targets` other than its own, or `mean_weight` if it is one of several."""
        settings = self.settings
        options: dict[str, Any] = {
            "depth": settings.depth,
            "slope": settings.slope,
            "n_hidden": settings.n_hidden,
            "sample_weight": table.weight,
            "rows": table.rows,
            "n_threads": settings.n_threads,
            "mean_weight": mean_weight,
        }
        targets = table.targets.array if targets is None else targets
        if settings.structured:
            memory = memory_weight(settings.slope)
            return StructuredObjective(table.X, targets, table.targets.loss, memory=memory, **options)
        return DenseObjective(table.X, targets, table.targets.loss, **options)

    def distilled_targets(self, table: Table, teachers: Sequence[Theta]) -> NDArray[np.floating]:
        """Return the distillation targets: a mixture of the true targets and the teachers' mean prediction."""
        targets = table.targets.mixture(_TARGET_SHARE, table.X.dtype)
        models = [self.model(theta) for theta in teachers]
        team = ThreadTeam(self.settings.n_threads)
        for rows, X in table.blocks():

            def predictions(number: int, X: Any = X) -> NDArray[np.floating]:
                return table.targets.predictions(models[number].outputs(X))

            targets[rows] += (1.0 - _TARGET_SHARE) * np.mean(team.each(predictions, len(models)), axis=0)
        return targets

    def problem(self, objective: Objective, n_rows: float | None = None, unit_weight: float | None = None) -> Problem:
        """Return the objective with its penalty, scaled for `n_rows` rows (default: those of the objective)."""
        prior, settings = self.prior, self.settings
        n_rows = n_rows or max(objective.n_rows, objective.total_weight)
        penalty = ElasticNet.from_alpha(
            settings.alpha, settings.l1_ratio, n_rows, prior.weights.ravel(), prior.pull.ravel()
        )
        space = Slopes(prior.weights) if settings.learn == "slopes" else None
        return Problem(objective, penalty, self.limits, unit_weight, space)

    def fit(
        self, objective: Objective, starts: Sequence[Theta], stopping: StoppingRule, random: np.random.RandomState
    ) -> tuple[Theta, Outcome]:
        """Run the solver from the best of the starts; return the parameters and the outcome.

        One of several teachers may be stuck in a bad optimum, and a map started from it would be, too. With held-out
        rows, the parameters with the smallest loss on them are returned.
        """
        problem = self.problem(objective)
        starts = [problem.clip(theta) for theta in starts]
        theta = min(starts, key=objective.value) if len(starts) > 1 else starts[0]
        theta, outcome = make_solver(self.settings)(problem, theta, stopping, random)
        return theta if stopping.best_theta is None else stopping.best_theta, outcome

    def start(self, table: Table, random: np.random.RandomState) -> Theta:
        """Return the initial parameters."""
        W, b = self._start(table, random)
        return np.concatenate([W.ravel(), b])

    def _start(self, table: Table, random: np.random.RandomState | None) -> initialization.Weights:
        """Return the initial weights and bias; `random` may be None if they are not random."""
        settings, concepts = self.settings, self.concepts
        if settings.structured:
            random = random or np.random.RandomState(0)
            return initialization.structured(concepts, random, settings.output_start)
        if isinstance(settings.init, FuzzyCognitiveMap):
            return initialization.from_map(settings.init, concepts.names, settings.slope, settings.owner)
        if settings.init == "correlation":
            X = np.concatenate([block for _, block in table.blocks()])
            return initialization.correlation(X, table.targets.columns, table.weight, self.limits)
        random = random or np.random.RandomState(0)
        if settings.init == "uniform":
            return initialization.uniform(len(concepts), random)
        if settings.prior is None:
            widths = np.full((len(concepts), 1), settings.start_width)
            widths[concepts.outputs] *= settings.output_start
            return initialization.balanced(len(concepts), random, self.limits, widths)
        W, b = initialization.around(self.prior.weights, concepts, random, self.limits, settings.output_start)
        if self.step_units is not None:
            W, b = self.step_units.with_weights(W), self.step_units.with_biases(b)
        return W, b

    def model(self, theta: Theta) -> MapModel:
        """Return the model with these parameters, for inputs that are states."""
        r, settings = len(self.concepts), self.settings
        n_weights = len(theta) * r // (r + 1)
        W, b = theta[:n_weights].reshape(-1, r), theta[n_weights:]
        slope: Any = settings.slope
        encoding = Encoding(self.concepts.n_inputs, settings.n_hidden, self.scaling)
        if settings.structured:
            structured = StructuredMap(W, b, slope, self.concepts.names, memory_weight(slope))
            return MapModel(structured, settings.depth, encoding, self.link)
        if settings.learn == "slopes":  # keep the original weights, and move their factors into the slopes
            factors = Slopes(self.prior.weights).factors(W)
            W, b, slope = self.prior.weights, 0.5 + (b - 0.5) / factors, slope * factors
        fcm = FuzzyCognitiveMap(W, b, slope, self.concepts.names)
        return MapModel(fcm, settings.depth, encoding, self.link)

    def finished(self, theta: Theta) -> MapModel:
        """Return the model with these parameters, for unscaled features."""
        return self.plan.finish(self.model(theta))

    def prior_deviations(self, model: MapModel) -> list[PriorDeviation]:
        """Return the edges of an expert's map with their learned weights, largest change first."""
        names, learned = self.concepts.names, model.map
        prior_deviations = [
            PriorDeviation(names[j], names[i], float(self.prior.weights[i, j]), float(learned.weights[i, j]))
            for i, j in np.argwhere(self.prior.from_expert)
        ]
        return sorted(prior_deviations, key=lambda deviation: -abs(deviation.learned - deviation.prior))
