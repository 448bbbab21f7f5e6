"""How much memory and time learning will take, told from sizes alone, before any of it is taken."""

import os
import warnings
from dataclasses import dataclass

from cogmap._learning.blocks import row_runs, usual_block_rows
from cogmap._learning.settings import Settings, Shape
from cogmap._learning.solvers import SOLVERS, steps_remembered
from cogmap._learning.structured import StructuredObjective
from cogmap._segments import SEGMENT
from cogmap.exceptions import DataError

# Arrays of all parameters that are there at once, counted by measuring fits (within a factor of 1.3): our own, SciPy's
# beside the steps that it remembers, and those that it makes of bounds, which it takes as Python's numbers.
_OWN, _SCIPY, _BOUNDS = 10, 12, 20

# What an ordinary processor does in a second: products, and numbers read in one of the arrays above.
_PRODUCTS, _READ = 2e10, 3e8

# An estimate is no promise: only what exceeds what is free by so much is refused.
_SURE = 1.25
_LONG = 600.0  # seconds


@dataclass(frozen=True)
class Size:
    """Bytes that learning will take beside the table that was given, and seconds, both roughly."""

    memory: float
    seconds: float


def estimate(shape: Shape, settings: Settings, at_once: int = 1) -> Size:
    """Estimate what learning takes.

    Parameters
    ----------
    shape : Shape
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

    iterations = float(settings.max_iter + settings.n_teachers * settings.teacher_iter)
    passes = 1 if all_rows else max(n // settings.batch_size, 1)
    products = 2.0 * n * r * (shape.n_features + max(3 * settings.depth - 4, 1) * r)
    if settings.structured:
        products = 4.0 * values * ((settings.depth - 1) * learned + shape.n_outputs)
    seconds = iterations * (products / _PRODUCTS / threads + passes * arrays * learned * (r + 1) / _READ)
    return Size(at_once * (memory + steps), seconds)


def free_memory() -> float:
    """Return how many bytes this machine has free, or infinity if it does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return 1024.0 * next(float(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        pages = getattr(os, "sysconf_names", {}).get("SC_PHYS_PAGES")
        return float("inf") if pages is None else float(os.sysconf(pages)) * os.sysconf("SC_PAGE_SIZE")


def check_size(shape: Shape, settings: Settings, at_once: int = 1) -> None:
    """Complain about what this machine has no memory for, and warn of what will take long."""
    size, free = estimate(shape, settings, at_once), free_memory()
    what = (
        f"learning {shape.n_rows} rows of {shape.n_features} features, with {settings.n_hidden} hidden concepts, "
        f"{shape.n_outputs} output{'s'[: shape.n_outputs != 1]} and depth {settings.depth}"
    )
    if size.memory > _SURE * free:
        raise DataError(
            f"`{settings.owner}` would need about {size.memory / 1e9:.3g} GB of memory for {what}; {free / 1e9:.3g} GB "
            f"are free. {_cure(shape, settings)}"
        )
    if settings.enough and size.seconds > _LONG:  # whoever says how many iterations to make knows that they take time
        warnings.warn(
            f"`{settings.owner}`: {what} may take about {size.seconds / 60:.0f} minutes. {_cure(shape, settings)}",
            UserWarning,
            stacklevel=2,
        )


def _cure(shape: Shape, settings: Settings) -> str:
    """Say what to make smaller: what most of the size comes from."""
    largest = max(shape.n_features, settings.n_hidden, shape.n_outputs)
    if settings.depth > largest:
        return "Lower depth."
    if settings.n_hidden == largest:
        return "Lower n_hidden."
    if shape.n_outputs == largest:
        return "Learn fewer classes or targets at a time, or merge rare ones."
    return "Choose columns (sklearn.feature_selection) or combine them (sklearn.decomposition.PCA) first."
