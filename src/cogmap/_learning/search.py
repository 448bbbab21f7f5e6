"""Choosing settings by the losses of teachers on rows that they did not learn from (cross-validation)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from cogmap._encoding import Encoding
from cogmap._learning.monitor import Monitor
from cogmap._learning.parts import Division, divisions
from cogmap._learning.recipe import Recipe
from cogmap._learning.settings import CLASSES, Settings, Shape
from cogmap._learning.solvers import Theta
from cogmap._learning.table import Table
from cogmap._learning.teachers import Teacher, learn_teacher
from cogmap._threads import one_blas_thread
from cogmap.model import MapModel

# Words have to lower the loss on the rows kept aside by this share to be worth the longer map.
WORDS_GAIN = 0.03

MOST_INPUTS = 2 * CLASSES.teachers_up_to  # of a map of which several teachers can be afforded


@dataclass(frozen=True)
class Candidate:
    """Settings to choose from, with the table that they are for: features may be read in several ways."""

    settings: Settings
    encoding: Encoding
    shape: Shape
    table: Table  # its features are states, as the encoding makes them
    inputs: NDArray[np.intp] | None = None  # of a structured map: which of the inputs it is learned from


@dataclass(frozen=True)
class Choice:
    """Which candidate was chosen, its teachers, and the losses of all."""

    number: int
    teachers: list[Teacher]
    losses: NDArray[np.float64]  # one row per candidate, one column per part kept aside
    mean_loss: NDArray[np.float64]


def choose(
    candidates: Sequence[Candidate],
    n_parts: int,
    random: np.random.RandomState,
    monitor: Monitor,
    n_jobs: int | None = None,
) -> Choice:
    """Let teachers learn for each candidate and choose by their losses on the rows kept aside.

    The first candidate is preferred: another one that reads features as it does is taken only if better by more than
    one standard error, one that reads them as words only if it is clearly better than that, and none if no row can be
    kept aside.
    """
    table = candidates[0].table
    recipes = [Recipe.for_table(candidate.table, candidate.settings) for candidate in candidates]
    widest = max(recipe.concepts.n_inputs for recipe in recipes)
    parts = list(divisions(table, n_parts, random))[: None if widest <= MOST_INPUTS else 1]
    monitor.begin(2)
    if not parts:
        return Choice(0, [], np.empty((len(candidates), 0)), np.full(len(candidates), np.nan))
    # The same starts for every candidate that has the same concepts, so that only the candidates differ.
    starts: dict[int, list[Theta]] = {}
    for recipe, candidate in zip(recipes, candidates, strict=True):
        if len(recipe.concepts) not in starts:
            starts[len(recipe.concepts)] = [recipe.start(candidate.table, random) for _ in parts]
    # Threads for the blocks of rows would be as many again in each of the processes.
    work = [
        (replace(recipe, settings=replace(recipe.settings, n_threads=1)), _read_by(candidate, part), theta)
        for recipe, candidate in zip(recipes, candidates, strict=True)
        for part, theta in zip(parts, starts[len(recipe.concepts)], strict=True)
    ]
    learned: list[Teacher] = []

    def model(theta: Theta) -> MapModel:  # of the teacher that was learned last
        return recipes[(len(learned) - 1) // len(parts)].model(theta)

    parallel = Parallel(n_jobs=min(effective_n_jobs(n_jobs), len(work)), return_as="generator")
    with monitor.stage("choosing", len(work), model) as report:
        for teacher in parallel(delayed(_learn_teacher)(*piece) for piece in work):
            learned.append(teacher)
            report(teacher.theta, len(learned), teacher.loss)
    teachers = [learned[i : i + len(parts)] for i in range(0, len(learned), len(parts))]
    losses = np.array([[teacher.loss for teacher in of_candidate] for of_candidate in teachers])
    mean = np.average(losses, axis=1, weights=[aside.total_weight for _, aside in parts])
    number = _best(candidates, losses, mean)
    return Choice(number, teachers[number] if len(parts) > 1 else [], losses, mean)


def _read_by(candidate: Candidate, division: Division) -> Division:
    """Return the same division of the table of a candidate."""
    learning, aside = (replace(part, X=candidate.table.X, features=candidate.table.features) for part in division)
    return learning, aside


def _learn_teacher(recipe: Recipe, division: Division, theta: Theta) -> Teacher:
    """Let a teacher learn, in a process of its own."""
    with one_blas_thread():
        return learn_teacher(recipe, division, theta)


def _best(candidates: Sequence[Candidate], losses: NDArray[np.float64], mean: NDArray[np.float64]) -> int:
    """Return the number of the candidate to take."""
    alike = [i for i, candidate in enumerate(candidates) if candidate.encoding is candidates[0].encoding]
    number = alike[_clearly_best(losses[alike], mean[alike])]
    rest = [i for i in range(len(candidates)) if i not in alike]
    if not rest:
        return number
    other = min(rest, key=lambda i: mean[i])
    loss = candidates[0].table.targets.loss
    needed = WORDS_GAIN * (abs(mean[number]) if loss.is_mean else 1.0)
    return other if mean[number] - mean[other] > needed else number


def _clearly_best(losses: NDArray[np.float64], mean: NDArray[np.float64]) -> int:
    """Return the candidate with the smallest mean loss, but the first if it is within one standard error of that.

    Few parts of few rows make losses that differ by chance, and what is chosen by chance is worse than what was
    preferred for a reason.
    """
    best = int(mean.argmin())
    return best if mean[0] - mean[best] > _standard_error(losses[0] - losses[best]) else 0


def _standard_error(differences: NDArray[np.float64]) -> float:
    """Return the standard error of a mean; 0 if there is one difference only, which says nothing about it."""
    return float(differences.std(ddof=1) / np.sqrt(len(differences))) if len(differences) > 1 else 0.0
