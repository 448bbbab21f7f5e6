"""Which structure a map gets: small and named, or every concept influencing every other."""

from collections.abc import Mapping
from typing import Any

from scipy.sparse import issparse

from cogmap._learning.table import Table
from cogmap._utils.params import param_error
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.model import MapModel

STRUCTURES = ("auto", "additive", "named", "full")

MAX_OUTPUTS = 100
MAX_ROWS = 10_000  # above, full maps are more accurate, and training both takes too long
MAX_COLUMNS = 300  # above, most columns must be left out before a map is trained
MIN_ROWS = 20  # below, no rows can be held out to select a size
_MIN_COMPARED_ROWS = 1000  # below, held-out losses are too noisy to prefer a full map to a small one
_FEW_COLUMNS = 100  # above, full maps use selected columns, and are compared with small ones in any case

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


def structure_of(parameters: Mapping[str, Any], sample: Table, n_rows: int, earlier: MapModel | None, grid: int) -> str:
    """Return the structure to train: ``"additive"``, ``"named"`` or ``"full"``.

    ``"auto"`` is ``"named"`` (which may turn out additive) unless a parameter refers to the full map, training resumes
    from an earlier one or may be resumed (`warm_start`), or the table is too small, too large, too wide, sparse, not
    in memory, or has too many classes.

    Parameters
    ----------
    parameters : mapping of str to value
        Validated parameters of the estimator.
    sample : Table
        Rows in memory.
    n_rows : int
        Total number of rows.
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
        suits = MIN_ROWS <= n_rows <= MAX_ROWS and sample.X.shape[1] <= MAX_COLUMNS
        suits = suits and sample.targets.link.n_outputs <= MAX_OUTPUTS
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


def compares_structures(parameters: Mapping[str, Any], n_rows: int, n_columns: int) -> bool:
    """Return whether ``"auto"`` compares the small map with a full one by their held-out losses."""
    undecided = parameters["structure"] == "auto" and parameters["max_arrows"] is None
    return undecided and (n_rows >= _MIN_COMPARED_ROWS or n_columns > _FEW_COLUMNS)


def check_max_arrows(max_arrows: int | None, n_outputs: int, owner: str) -> None:
    """Raise if not every output can have an arrow."""
    if max_arrows is not None and max_arrows < n_outputs:
        raise param_error(owner, "max_arrows", f"at least {n_outputs}, one for each output", max_arrows)


def _is(value: Any, neutral: Any) -> bool:
    """Compare without calling == of arrays and maps."""
    if neutral is None or not isinstance(value, str | int | float | bool):
        return value is neutral
    return bool(value == neutral)
