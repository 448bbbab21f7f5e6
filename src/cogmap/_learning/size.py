"""Estimate of the memory that training needs, from sizes alone, to raise an error before allocating it."""

import os
from dataclasses import replace

from cogmap._learning.blocks import row_runs, usual_block_rows
from cogmap._learning.plan import Plan
from cogmap._learning.settings import DataShape, Settings
from cogmap._learning.solvers import SOLVERS, steps_remembered
from cogmap._learning.structured import StructuredObjective
from cogmap._utils.segments import SEGMENT
from cogmap.exceptions import DataError

# Number of parameter-sized arrays that exist at once, measured on fits (within a factor of 1.3): our own, SciPy's
# besides its L-BFGS history, and SciPy's for bounds, which it converts to Python numbers.
_OWN, _SCIPY, _BOUNDS = 10, 12, 20

# The estimate is rough, so it must exceed the free memory by this factor to raise an error.
_TOLERANCE = 1.25


def estimate(shape: DataShape, settings: Settings, at_once: int = 1) -> float:
    """Return the approximate number of bytes that training needs in addition to the table.

    Parameters
    ----------
    shape : DataShape
        Sizes of the data.
    settings : Settings
        Settings of training.
    at_once : int, default=1
        Number of maps that are trained in parallel processes.
    """
    n, width = shape.n_rows, settings.dtype.itemsize
    r = shape.n_features + settings.n_hidden + shape.n_outputs
    learned = r - shape.n_features * settings.structured  # concepts whose weights are trained
    all_rows = SOLVERS[settings.solver].all_rows
    arrays = _OWN + settings.n_teachers
    if all_rows:
        of_scipy = _SCIPY + 2 * steps_remembered(learned * (r + 1))
        fixed = (settings.edges, settings.weight_bounds, settings.monotonic_cst)
        effect_bounds = settings.n_teachers > 0 and isinstance(settings.prior, str)
        bounded = settings.l1_ratio > 0 or effect_bounds or any(limits is not None for limits in fixed)
        # With an L1 penalty, each weight is split into two parameters.
        arrays += (2 if settings.l1_ratio > 0 else 1) * (of_scipy + _BOUNDS * bounded)
    usual = StructuredObjective.usual_block_rows if settings.structured else usual_block_rows
    runs = row_runs(min(n, SEGMENT), min(usual(r), n))
    threads = min(settings.n_threads, len(runs))
    in_block = runs[0][0].stop
    # Weights of the first step and of later steps, which are the same in a structured map.
    folded = learned * (r if settings.structured else r + shape.n_features)
    buffers = threads * ((settings.depth + 1) * in_block * learned + folded)
    sums = folded * (len(runs) if threads > 1 else min(len(runs), 2))
    mixed = 2 * n * shape.n_outputs if settings.n_teachers else 0
    values = n * shape.n_features * shape.filled
    # States of all steps, and a copy of some rows for a teacher; sparse tables also store indices.
    states = values * (2 * settings.depth + 1 if settings.structured else 1) * (2 if shape.filled < 1.0 else 1)
    memory = 8.0 * arrays * learned * (r + 1) + width * (buffers + sums + folded + states + mixed)
    steps = 400.0 * settings.depth * threads  # overhead of array objects
    return float(at_once * (memory + steps))


def free_memory() -> float:
    """Return the available memory in bytes, or infinity if unknown."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return 1024.0 * next(float(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        pages = getattr(os, "sysconf_names", {}).get("SC_PHYS_PAGES")
        return float("inf") if pages is None else float(os.sysconf(pages)) * os.sysconf("SC_PAGE_SIZE")


def check_size(plan: Plan, at_once: int = 1, most_rows: int | None = None) -> None:
    """Raise if training would need much more memory than is available.

    Parameters
    ----------
    plan : Plan
        Plan of the training.
    at_once : int, default=1
        Number of maps that are trained in parallel processes.
    most_rows : int, default=None
        Number of rows that are in memory at a time. If None, all.
    """
    shape, settings = plan.shape, plan.settings
    in_memory = shape if most_rows is None else replace(shape, n_rows=min(shape.n_rows, most_rows))
    needed, free = estimate(in_memory, settings, at_once), free_memory()
    if needed > _TOLERANCE * free:
        raise DataError(
            f"`{settings.owner}` would need about {needed / 1e9:.3g} GB of memory to train on {shape.n_rows} rows of "
            f"{shape.n_features} features, with {settings.n_hidden} hidden concepts, {shape.n_outputs} "
            f"output{'s'[: shape.n_outputs != 1]} and depth {settings.depth}; {free / 1e9:.3g} GB are free. "
            f"{_cure(shape, settings)}"
        )


def _cure(shape: DataShape, settings: Settings) -> str:
    """Return advice on reducing the size that contributes most."""
    largest = max(shape.n_features, settings.n_hidden, shape.n_outputs)
    if settings.depth > largest:
        return "Lower depth."
    if settings.n_hidden == largest:
        return "Lower n_hidden."
    if shape.n_outputs == largest:
        return "Train on fewer classes or targets at a time, or merge rare ones."
    return "Select columns (sklearn.feature_selection) or combine them (sklearn.decomposition.PCA) first."
