"""A recipe: what a solver minimises on a table, where it starts, and the model that its parameters make."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._encoding import Encoding
from cogmap._learning import initialization
from cogmap._learning.concepts import Concepts
from cogmap._learning.monotone import monotone_limits
from cogmap._learning.objective import Objective
from cogmap._learning.penalties import ElasticNet
from cogmap._learning.priors import Prior, make_prior
from cogmap._learning.settings import Settings
from cogmap._learning.solvers import Problem, Theta
from cogmap._learning.structure import Bounds, joined, weight_limits
from cogmap._learning.table import Table
from cogmap._links import Link
from cogmap.map import FuzzyCognitiveMap
from cogmap.model import MapModel


@dataclass(frozen=True)
class Recipe:
    """Settings together with the concepts of the map that is learned and the limits of its weights."""

    settings: Settings
    link: Link
    concepts: Concepts
    limits: Bounds | None
    prior: Prior

    @classmethod
    def for_table(cls, table: Table, settings: Settings) -> "Recipe":
        """Name the concepts and see what an expert says about them."""
        link, owner = table.targets.link, settings.owner
        concepts = Concepts.of(table.features, settings.n_hidden, link.names)
        limits = weight_limits(settings.edges, settings.weight_bounds, concepts, owner)
        monotone = monotone_limits(settings.monotonic_cst, concepts, link, owner)
        limits = joined(limits, monotone, "edges or weight_bounds", "monotonic_cst", concepts, owner)
        prior = make_prior(settings.prior, concepts, settings.slope, limits, owner)
        return cls(settings, link, concepts, limits, prior)

    def objective(self, table: Table, targets: NDArray[Any] | None = None) -> Objective:
        """Return the loss on a table, perhaps with other targets."""
        return Objective(
            table.X,
            table.targets.array if targets is None else targets,
            table.targets.loss,
            depth=self.settings.depth,
            slope=self.settings.slope,
            n_hidden=self.settings.n_hidden,
            sample_weight=table.weight,
            rows=table.rows,
            n_threads=self.settings.n_threads,
        )

    def problem(self, table: Table, targets: NDArray[Any] | None = None, part_of: float | None = None) -> Problem:
        """Return what a solver minimises on a table.

        A table that is only a part has the penalty of so many rows in all. Not the mean weight of its rows, which may
        be of one class, but their weight itself then scales the loss.
        """
        n_rows = part_of or max(table.n_rows, table.total_weight)
        penalty = ElasticNet.from_alpha(
            self.settings.alpha, self.settings.l1_ratio, n_rows, self.prior.weights.ravel(), self.prior.pull.ravel()
        )
        return Problem(self.objective(table, targets), penalty, self.limits, 1.0 if part_of else None)

    def start(self, table: Table, random: np.random.RandomState) -> Theta:
        """Return the parameters to start from."""
        settings, concepts = self.settings, self.concepts
        if isinstance(settings.init, FuzzyCognitiveMap):
            W, b = initialization.from_map(settings.init, concepts.names, settings.slope, settings.owner)
        elif settings.init == "correlation":
            X = np.concatenate([block for _, block in table.blocks()])
            W, b = initialization.correlation(X, table.targets.columns, table.weight, self.limits)
        elif settings.init == "uniform":
            W, b = initialization.uniform(len(concepts), random)
        elif settings.prior is None:
            widths = np.full((len(concepts), 1), settings.start_width)
            widths[concepts.outputs] *= settings.output_start
            W, b = initialization.balanced(len(concepts), random, self.limits, widths)
        else:
            W, b = initialization.around(self.prior.weights, concepts, random, self.limits, settings.output_start)
        return np.concatenate([W.ravel(), b])

    def model(self, theta: Theta) -> MapModel:
        """Return the model with these parameters, of features that are states already."""
        r, settings = len(self.concepts), self.settings
        fcm = FuzzyCognitiveMap(theta[: r * r].reshape(r, r), theta[r * r :], settings.slope, self.concepts.names)
        return MapModel(fcm, settings.depth, Encoding(self.concepts.n_inputs, settings.n_hidden), self.link)
