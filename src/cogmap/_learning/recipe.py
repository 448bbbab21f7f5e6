"""A recipe: what a solver minimises on a table, where it starts, and the model that its parameters make."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._encoding import Encoding
from cogmap._learning import initialization
from cogmap._learning.objective import Objective
from cogmap._learning.penalties import ElasticNet
from cogmap._learning.settings import Settings
from cogmap._learning.solvers import Problem, Theta
from cogmap._learning.structure import Bounds, weight_limits
from cogmap._learning.table import Table
from cogmap._links import Link
from cogmap.map import FuzzyCognitiveMap
from cogmap.model import MapModel, concept_names


@dataclass(frozen=True)
class Recipe:
    """Settings together with the concepts of the map that is learned and the limits of its weights."""

    settings: Settings
    link: Link
    n_features: int
    concepts: Sequence[str]
    limits: Bounds | None

    @classmethod
    def for_table(cls, table: Table, settings: Settings) -> "Recipe":
        """Name the concepts and see what an expert says about them."""
        link = table.targets.link
        concepts = concept_names(table.features, settings.n_hidden, link.names)
        limits = weight_limits(settings.edges, settings.weight_bounds, concepts, settings.owner)
        return cls(settings, link, len(table.features), concepts, limits)

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
        penalty = ElasticNet.from_alpha(self.settings.alpha, self.settings.l1_ratio, n_rows, len(self.concepts) ** 2)
        return Problem(self.objective(table, targets), penalty, self.limits, 1.0 if part_of else None)

    def start(self, table: Table, random: np.random.RandomState) -> Theta:
        """Return the parameters to start from."""
        settings, n_concepts = self.settings, len(self.concepts)
        if isinstance(settings.init, FuzzyCognitiveMap):
            W, b = initialization.from_map(settings.init, self.concepts, settings.slope, settings.owner)
        elif settings.init == "correlation":
            X = np.concatenate([block for _, block in table.blocks()])
            W, b = initialization.correlation(X, table.targets.columns, table.weight, self.limits)
        elif settings.init == "balanced":
            widths = np.full((n_concepts, 1), settings.start_width)
            widths[-self.link.n_outputs :] *= settings.output_start
            W, b = initialization.balanced(n_concepts, random, self.limits, widths)
        else:
            W, b = initialization.uniform(n_concepts, random)
        return np.concatenate([W.ravel(), b])

    def model(self, theta: Theta) -> MapModel:
        """Return the model with these parameters, of features that are states already."""
        r, settings = len(self.concepts), self.settings
        fcm = FuzzyCognitiveMap(theta[: r * r].reshape(r, r), theta[r * r :], settings.slope, self.concepts)
        return MapModel(fcm, settings.depth, Encoding(self.n_features, settings.n_hidden), self.link)
