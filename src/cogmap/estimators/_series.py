"""Checks of what `FCMForecaster` learns from, and the sentence about what it chose."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.sequence.fitting import SequenceData, SequenceFit
from cogmap._learning.structure import edge_bounds
from cogmap._utils.params import check_number, param_error, shown, suggestion
from cogmap._utils.text import quoted
from cogmap.estimators._time_axis import Runs, TimeAxis
from cogmap.exceptions import DataError
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.sequence import SequenceEnd
from cogmap.models.transforms import DIFFERENCE, INDEX

Array = NDArray[np.float64]

_OWNER = "FCMForecaster"
_MIN_VALUES = 6
_MAX_LEARNED = 3000  # last steps of a longer series that are learned from


def constraints(
    weight_bounds: Any, expert: Any, names: list[str], drivers: list[str]
) -> tuple[Array | None, Array | None]:
    """Return bounds and prior of arrows between variables, and from drivers."""
    sources = [*names, *drivers]
    shape = (len(names), len(sources))
    allowed = prior = None
    if weight_bounds is not None:
        if not isinstance(weight_bounds, Mapping):
            raise param_error(_OWNER, "weight_bounds", "a dict whose keys are (from, to) names", weight_bounds)
        allowed = np.stack([np.full(shape, -np.inf), np.full(shape, np.inf)])
        for edge, value in weight_bounds.items():
            source, target = edge if isinstance(edge, tuple) and len(edge) == 2 else (None, None)
            if source not in sources or target not in names or source == target:
                unknown = [name for name in (source, target) if name not in sources]
                cure = suggestion(unknown[0], sources) if unknown else ""
                raise param_error(_OWNER, "weight_bounds", f"pairs of different names in {shown(sources)}", edge, cure)
            low, high = (
                (0.0, 0.0) if np.ndim(value) == 0 and value == 0 else edge_bounds(value, edge, _OWNER, "weight_bounds")
            )
            allowed[:, names.index(target), sources.index(source)] = low, high
    if expert is not None:
        if not isinstance(expert, FuzzyCognitiveMap):
            raise param_error(_OWNER, "prior", "a FuzzyCognitiveMap", expert)
        known = [name for name in sources if name in expert.concepts]
        if not known:
            raise param_error(_OWNER, "prior", f"a map with some of the concepts {shown(sources)}", expert.concepts)
        prior = np.zeros(shape)
        for source in known:
            for target in (name for name in known if name in names and name != source):
                places = [expert.concepts.index(name) for name in (target, source)]
                prior[names.index(target), sources.index(source)] = expert.weights[tuple(places)]
    return allowed, prior


def checked_run(values: Array, runs: Runs, place: int, season: int, asked: bool) -> Array:
    """Return the steps of a run that are learned from; raise if there are too few known values.

    Long seasons of dates, such as 52 weeks, are left out of short runs, unless a person asked for the season.
    """
    where = f", series {quoted(runs.labels[place])}" if runs.labels else ""
    for v, name in enumerate(runs.names):
        known = np.flatnonzero(~np.isnan(values[:, v]))
        least = max(_MIN_VALUES, 2 * season if season <= 12 or asked else _MIN_VALUES)
        if len(known) < least:
            two = f"two seasons of {season} steps" if least > _MIN_VALUES else f"{_MIN_VALUES} values"
            raise DataError(
                f"FCMForecaster.fit{where}: {quoted(name)} has {len(known)} known value{'s' * (len(known) != 1)}, and "
                f"needs at least {two}" + (", or season=1." if least > _MIN_VALUES else ".")
            )
        if np.ptp(values[known, v]) == 0.0:
            raise DataError(
                f"FCMForecaster.fit{where}: {quoted(name)} is always {values[known[0], v]:g}: there is nothing to "
                "learn. Leave it out."
            )
        if known[-1] < len(values) - 1 - max(season, 3):
            raise DataError(
                f"FCMForecaster.fit{where}: the last {len(values) - 1 - known[-1]} values of {quoted(name)} are "
                "missing. Leave these steps out: the forecast starts after the last."
            )
    first = int(np.min([np.flatnonzero(~np.isnan(values[:, v]))[0] for v in range(values.shape[1])]))
    return values[max(first, len(values) - _MAX_LEARNED) :]


def sentence(fit: SequenceFit, data: SequenceData) -> str:
    """Return what was chosen."""
    n_steps = sum(len(run) for run in data.runs)
    parts = []
    for choice, name in zip(fit.choices, data.names, strict=True):
        transform = choice.transform
        words = ["logarithms"] if transform.log else []
        if transform.season == INDEX:
            words.append(f"an index for each of {transform.period} seasons")
        if transform.season == DIFFERENCE:
            words.append(f"differences over {transform.period} {data.unit}s")
        parts.append(f"{name}: {' and '.join(words)}" if words else f"{name} as it is")
    kept = f" Held-out errors fell with {' and '.join(fit.steps)}." if fit.steps else ""
    return (
        f"Learned from {n_steps} {data.unit}s ({'; '.join(parts)}).{kept} Forecasts of {data.horizon} {data.unit}s of "
        f"held-out values have {fit.error:.2f} times the error of a naive forecast of one "
        f"{'season' if data.period > 1 else data.unit}."
    )


def held_values(
    hold: Any, steps: int, variables: list[str], drivers: list[str], axis: TimeAxis, end: SequenceEnd
) -> tuple[Array | None, Array]:
    """Return the values at which variables, and drivers, are held in a forecast; NaN where they are free."""
    owner, names = f"{_OWNER}.forecast", [*variables, *drivers]
    if not isinstance(hold, Mapping):
        raise param_error(owner, "hold", f"a mapping from some of {shown(names)} to values", hold)
    held = np.full((steps, len(names)), np.nan)
    for name, value in hold.items():
        if name not in names:
            raise param_error(owner, "hold", f"a mapping from some of {shown(names)}", name, suggestion(name, names))
        column = held[:, names.index(name)]
        if isinstance(value, Mapping):
            for place, when in axis.places(value, steps, f"{owner}(hold=...)"):
                column[place:] = check_number(owner, "hold", value[when], low=-np.inf)
        elif np.ndim(value) == 1 and len(value) == steps:
            column[:] = [check_number(owner, "hold", number, low=-np.inf) for number in np.asarray(value).tolist()]
        elif np.ndim(value) == 0:
            column[:] = check_number(owner, "hold", value, low=-np.inf)
        else:
            expected = f"a number, {steps} numbers, or a mapping from times, for {quoted(name)}"
            raise param_error(owner, "hold", expected, value)
    k = len(variables)
    for v, transform in enumerate(end.transforms):
        if transform.log and (held[:, v] <= 0.0).any():
            cure = "All its values were positive, and their logarithms are modelled."
            raise param_error(owner, "hold", f"a number > 0 for {quoted(names[v])}", float(np.nanmin(held[:, v])), cure)
    return None if np.isnan(held[:, :k]).all() else held[:, :k], held[:, k:]
