"""A guard against running out of memory: how much training needs, told from sizes alone, before any of it is taken."""

import os
from dataclasses import replace

from cogmap._learning.blocks import row_runs, usual_block_rows
from cogmap._learning.plan import Plan
from cogmap._learning.settings import DataShape, Settings
from cogmap._learning.solvers import SOLVERS, steps_remembered
from cogmap._learning.structured import StructuredObjective
from cogmap._utils.segments import SEGMENT
from cogmap.exceptions import DataError

# Arrays of all parameters that are there at once, counted by measuring fits (within a factor of 1.3): our own, SciPy's
# beside the steps that it remembers, and those that it makes of bounds, which it takes as Python's numbers.
_OWN, _SCIPY, _BOUNDS = 10, 12, 20

# An estimate is no promise: only what exceeds what is free by so much is refused.
_SURE = 1.25


def estimate(shape: DataShape, settings: Settings, at_once: int = 1) -> float:
    """Return about how many bytes training takes beside the table that was given.

    Parameters
    ----------
    shape : DataShape
        Sizes of the data.
    settings : Settings
        How to learn.
    at_once : int, default=1
        Number of maps that are learned at the same time, each in a process.
    """
    n, width = shape.n_rows, settings.dtype.itemsize
    r = shape.n_features + settings.n_hidden + shape.n_outputs
    learned = r - shape.n_features * settings.structured  # concepts whose weights are learned
    all_rows = SOLVERS[settings.solver].all_rows
    arrays = _OWN + settings.n_teachers
    if all_rows:
        of_scipy = _SCIPY + 2 * steps_remembered(learned * (r + 1))
        fixed = (settings.edges, settings.weight_bounds, settings.monotonic_cst)
        tied = settings.n_teachers > 0 and isinstance(settings.prior, str)  # arrows, to the effects of teachers
        bounded = settings.l1_ratio > 0 or tied or any(limits is not None for limits in fixed)
        # Weights with an absolute penalty are two parameters each.
        arrays += (2 if settings.l1_ratio > 0 else 1) * (of_scipy + _BOUNDS * bounded)
    usual = StructuredObjective.usual_block_rows if settings.structured else usual_block_rows
    runs = row_runs(min(n, SEGMENT), min(usual(r), n))
    threads = min(settings.n_threads, len(runs))
    in_block = runs[0][0].stop
    # Weights of the first step and of the later ones, which in a structured map are the same.
    folded = learned * (r if settings.structured else r + shape.n_features)
    buffers = threads * ((settings.depth + 1) * in_block * learned + folded)
    sums = folded * (len(runs) if threads > 1 else min(len(runs), 2))
    mixed = 2 * n * shape.n_outputs if settings.n_teachers else 0
    values = n * shape.n_features * shape.filled
    # States of all steps, and of some rows again for a teacher; a place beside each that is filled.
    states = values * (2 * settings.depth + 1 if settings.structured else 1) * (2 if shape.filled < 1.0 else 1)
    memory = 8.0 * arrays * learned * (r + 1) + width * (buffers + sums + folded + states + mixed)
    steps = 400.0 * settings.depth * threads  # an array has a head, too
    return float(at_once * (memory + steps))


def free_memory() -> float:
    """Return how many bytes this machine has free, or infinity if it does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return 1024.0 * next(float(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        pages = getattr(os, "sysconf_names", {}).get("SC_PHYS_PAGES")
        return float("inf") if pages is None else float(os.sysconf(pages)) * os.sysconf("SC_PAGE_SIZE")


def check_size(plan: Plan, at_once: int = 1, most_rows: int | None = None) -> None:
    """Complain about a plan that this machine has no memory for.

    Parameters
    ----------
    plan : Plan
        What is to be trained.
    at_once : int, default=1
        Number of maps that are trained at the same time, each in a process.
    most_rows : int, default=None
        Number of rows that are in memory at a time. None: all.
    """
    shape, settings = plan.shape, plan.settings
    in_memory = shape if most_rows is None else replace(shape, n_rows=min(shape.n_rows, most_rows))
    needed, free = estimate(in_memory, settings, at_once), free_memory()
    if needed > _SURE * free:
        raise DataError(
            f"`{settings.owner}` would need about {needed / 1e9:.3g} GB of memory for learning {shape.n_rows} rows of "
            f"{shape.n_features} features, with {settings.n_hidden} hidden concepts, {shape.n_outputs} "
            f"output{'s'[: shape.n_outputs != 1]} and depth {settings.depth}; {free / 1e9:.3g} GB are free. "
            f"{_cure(shape, settings)}"
        )


def _cure(shape: DataShape, settings: Settings) -> str:
    """Say what to make smaller: what most of the size comes from."""
    largest = max(shape.n_features, settings.n_hidden, shape.n_outputs)
    if settings.depth > largest:
        return "Lower depth."
    if settings.n_hidden == largest:
        return "Lower n_hidden."
    if shape.n_outputs == largest:
        return "Learn fewer classes or targets at a time, or merge rare ones."
    return "Choose columns (sklearn.feature_selection) or combine them (sklearn.decomposition.PCA) first."
