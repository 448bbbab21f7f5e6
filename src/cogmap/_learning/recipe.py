"""A recipe: what a solver minimises on a table, where it starts, and the model that its parameters make."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from cogmap._encoding import Encoding, FromUndecided
from cogmap._learning import initialization
from cogmap._learning.bends import Bends, find_bends
from cogmap._learning.concepts import Concepts
from cogmap._learning.monotone import monotone_limits
from cogmap._learning.objective import DenseObjective
from cogmap._learning.penalties import ElasticNet
from cogmap._learning.priors import Prior, make_prior, memory_weight, structured_prior
from cogmap._learning.settings import Settings
from cogmap._learning.solvers import Objective, Problem, Slopes, Theta
from cogmap._learning.structure import Bounds, joined, weight_limits
from cogmap._learning.structured import StructuredObjective
from cogmap._learning.table import Table
from cogmap._links import Link
from cogmap._structured_map import StructuredMap
from cogmap.map import FuzzyCognitiveMap
from cogmap.model import MapModel


class Departure(NamedTuple):
    """An influence that an expert drew, and what was learned instead."""

    source: str
    target: str
    prior: float
    learned: float


@dataclass(frozen=True)
class Recipe:
    """Settings together with the concepts of the map that is learned, the limits of its weights, and its prior."""

    settings: Settings
    link: Link
    concepts: Concepts
    limits: Bounds | None
    prior: Prior
    bends: Bends | None = None  # what some hidden concepts start as
    scaling: FromUndecided | None = None  # how what is in the table becomes states: None if that is what it holds

    @classmethod
    def for_table(cls, table: Table, settings: Settings) -> "Recipe":
        """Name the concepts and see what an expert says about them."""
        link, owner = table.targets.link, settings.owner
        concepts = Concepts.of(table.features, settings.n_hidden, link.names)
        if settings.structured:
            scaling = FromUndecided() if issparse(table.X) else None
            return cls(settings, link, concepts, None, structured_prior(concepts), scaling=scaling)
        limits = weight_limits(settings.edges, settings.weight_bounds, concepts, owner)
        monotone = monotone_limits(settings.monotonic_cst, concepts, link, owner)
        limits = joined(limits, monotone, "edges or weight_bounds", "monotonic_cst", concepts, owner)
        prior = make_prior(settings.prior, concepts, settings.slope, limits, owner)
        wanted = settings.bends and limits is None
        bends = find_bends(table, settings.n_hidden, settings.slope) if wanted else None
        if bends is not None:  # pulled to 0, a step would become flat
            prior = replace(prior, weights=bends.drawn(prior.weights))
        recipe = cls(settings, link, concepts, limits, prior, bends)
        if settings.learn == "slopes":  # the weights to start from are those that stay
            prior = replace(prior, weights=recipe._start(table, None)[0], pull=np.ones_like(prior.pull))
        return replace(recipe, prior=prior)

    @property
    def learned(self) -> slice:
        """The concepts whose weights are learned, row by row: all, or in a structured map all but the inputs."""
        return slice(self.concepts.n_inputs if self.settings.structured else 0, len(self.concepts))

    @property
    def memory(self) -> NDArray[np.float64]:
        """With what weight each input remembers itself, by the prior."""
        if self.settings.structured:
            return np.full(self.concepts.n_inputs, memory_weight(self.settings.slope))
        return np.diag(self.prior.weights)[self.concepts.inputs]

    def objective(
        self, table: Table, targets: NDArray[Any] | None = None, mean_weight: float | None = None
    ) -> DenseObjective:
        """Return the loss on a table, perhaps with other targets, or as one of several that are added."""
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

    def problem(self, table: Table, targets: NDArray[Any] | None = None, part_of: float | None = None) -> Problem:
        """Return what a solver minimises on a table.

        A table that is only a part has the penalty of so many rows in all. Not the mean weight of its rows, which may
        be of one class, but their weight itself then scales the loss.
        """
        n_rows = part_of or max(table.n_rows, table.total_weight)
        return self.penalized(self.objective(table, targets), n_rows, 1.0 if part_of else None)

    def penalized(self, objective: Objective, n_rows: float, unit_weight: float | None = None) -> Problem:
        """Return what a solver minimises, with the penalty of so many rows."""
        prior, settings = self.prior, self.settings
        penalty = ElasticNet.from_alpha(
            settings.alpha, settings.l1_ratio, n_rows, prior.weights.ravel(), prior.pull.ravel()
        )
        space = Slopes(prior.weights) if settings.learn == "slopes" else None
        return Problem(objective, penalty, self.limits, unit_weight, space)

    def start(self, table: Table, random: np.random.RandomState) -> Theta:
        """Return the parameters to start from."""
        W, b = self._start(table, random)
        return np.concatenate([W.ravel(), b])

    def _start(self, table: Table, random: np.random.RandomState | None) -> initialization.Weights:
        """Return weights and bias to start from; where all is known, nothing random is needed."""
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
        if self.bends is not None:
            W, b = self.bends.drawn(W), self.bends.undecided(b)
        return W, b

    def model(self, theta: Theta) -> MapModel:
        """Return the model with these parameters, of features that are states already."""
        r, settings = len(self.concepts), self.settings
        n_weights = len(theta) * r // (r + 1)
        W, b = theta[:n_weights].reshape(-1, r), theta[n_weights:]
        slope: Any = settings.slope
        encoding = Encoding(self.concepts.n_inputs, settings.n_hidden, self.scaling)
        if settings.structured:
            structured = StructuredMap(W, b, slope, self.concepts.names, memory_weight(slope))
            return MapModel(structured, settings.depth, encoding, self.link)
        if settings.learn == "slopes":  # the weights that were given, and slopes for what they were multiplied by
            steeper = Slopes(self.prior.weights).steeper(W)
            W, b, slope = self.prior.weights, 0.5 + (b - 0.5) / steeper, slope * steeper
        fcm = FuzzyCognitiveMap(W, b, slope, self.concepts.names)
        return MapModel(fcm, settings.depth, encoding, self.link)

    def departures(self, model: MapModel) -> list[Departure]:
        """Return what became of the influences that an expert drew, those that changed most first."""
        names, learned = self.concepts.names, model.map
        departures = [
            Departure(names[j], names[i], float(self.prior.weights[i, j]), float(learned.weights[i, j]))
            for i, j in np.argwhere(self.prior.drawn)
        ]
        return sorted(departures, key=lambda departure: -abs(departure.learned - departure.prior))
