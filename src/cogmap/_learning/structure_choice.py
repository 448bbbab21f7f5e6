"""Which structure a map gets: small and named, or every concept influencing every other."""

from collections.abc import Mapping
from typing import Any

from scipy.sparse import issparse

from cogmap._learning.settings import Defaults, is_high_dimensional
from cogmap._learning.table import Table
from cogmap._utils.params import param_error
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.model import MapModel

STRUCTURES = ("auto", "additive", "named", "full")

MIN_ROWS = 20  # below, no rows can be held out to select a size

# Parameters that refer to the full map, with the value that does not.
_OF_FULL_MAPS = {
    "edges": None,
    "weight_bounds": None,
    "prior": "memory",
    "init": "balanced",
    "learn": "weights",
    "n_hidden": "auto",
    "depth": "auto",
    "l1_ratio": 0.0,
    "early_stopping": False,
}


_OF_SMALL_MAPS = ("weight_bounds", "prior")  # those of arrows from features to outputs can be met by a small map too


def _of_small_maps(value: Any) -> bool:
    """Return whether bounds or a prior can be about single arrows."""
    return isinstance(value, Mapping | FuzzyCognitiveMap)


def structure_of(
    parameters: Mapping[str, Any], sample: Table, n_rows: int, defaults: Defaults, earlier: MapModel | None, grid: int
) -> str:
    """Return the structure to train: ``"additive"``, ``"named"`` or ``"full"``.

    ``"auto"`` is ``"named"`` (which may turn out additive) unless a parameter refers to the full map, training resumes
    from an earlier one or may be resumed (`warm_start`), or the table is too small, too large or too wide.

    Parameters
    ----------
    parameters : mapping of str to value
        Validated parameters of the estimator.
    sample : Table
        Rows in memory.
    n_rows : int
        Total number of rows.
    defaults : Defaults
        Constants behind the "auto" values.
    earlier : MapModel or None
        The model that training resumes from.
    grid : int
        Number of candidate settings of a search.
    """
    structure, owner, max_arrows = str(parameters["structure"]), str(parameters["owner"]), parameters["max_arrows"]
    of_full_maps = [name for name, neutral in _OF_FULL_MAPS.items() if not _is(parameters[name], neutral)]
    if structure == "auto":
        searched = grid > 1 or isinstance(parameters["terms"], str)
        searched = searched or parameters["n_teachers"] != "auto" or parameters["max_iter"] != "auto"
        incremental = earlier is not None or parameters["warm_start"] or parameters["solver"] not in ("auto", "lbfgs")
        possible = n_rows == sample.n_rows and not issparse(sample.X)
        suits = MIN_ROWS <= n_rows < defaults.many_rows and not is_high_dimensional(parameters, sample.X.shape[1])
        if possible and (suits or max_arrows is not None) and not (of_full_maps or searched or incremental):
            return "named"
        structure = "full"
    if structure == "full":
        if max_arrows is not None:
            cure = "structure='named' names the parameter or the table that needs a full map."
            raise param_error(owner, "max_arrows", "None for a full map", max_arrows, cure)
        return structure
    of_full_maps = [name for name in of_full_maps if name not in _OF_SMALL_MAPS or not _of_small_maps(parameters[name])]
    cure = f"It refers to a full map: set structure='full', or leave it out with structure={structure!r}."
    for name in of_full_maps:
        raise param_error(owner, name, f"{_OF_FULL_MAPS[name]!r} with structure={structure!r}", parameters[name], cure)
    if parameters["solver"] not in ("auto", "lbfgs"):
        raise param_error(owner, "solver", f"'lbfgs' or 'auto' with structure={structure!r}", parameters["solver"])
    if issparse(sample.X) or n_rows != sample.n_rows:
        kind = "sparse tables" if issparse(sample.X) else "rows that do not fit in memory"
        raise param_error(owner, "structure", f"'auto' or 'full' for {kind}", structure)
    if earlier is not None:
        cure = "Set warm_start=False, or structure='full'."
        raise param_error(owner, "structure", "'full' to resume an earlier fit", structure, cure)
    return structure


def check_max_arrows(max_arrows: int | None, n_outputs: int, owner: str) -> None:
    """Raise if not every output can have an arrow."""
    if max_arrows is not None and max_arrows < n_outputs:
        raise param_error(owner, "max_arrows", f"at least {n_outputs}, one for each output", max_arrows)


def _is(value: Any, neutral: Any) -> bool:
    """Compare without calling == of arrays and maps."""
    if neutral is None or not isinstance(value, str | int | float | bool):
        return value is neutral
    return bool(value == neutral)
