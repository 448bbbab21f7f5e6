"""The part of the payload with which the page of a forecaster computes forecasts and scenarios."""

from typing import Any

import numpy as np

from cogmap.models.lags import RATES
from cogmap.page.columns import plain as plain_row
from cogmap.statistics.forecasts import forecast_radii

_MIN_STEPS, _MAX_STEPS = 12, 48
_LEVEL = 0.9


def plain(values: Any) -> list[Any]:
    """Return an array of one or two axes in the form that is shortest in JSON."""
    return plain_row(values) if values.ndim == 1 else [plain_row(row) for row in values]


def forecast_part(forecaster: Any) -> dict[str, Any]:
    """Return the recurrence, the end of the (first) series, and its last values."""
    sequence, axis = forecaster.sequence_, forecaster.axes_[0]
    lags, weights, end = sequence.lags, sequence.recurrence, sequence.ends[0]
    n_steps = int(np.clip(2 * forecaster.horizon_, _MIN_STEPS, _MAX_STEPS))
    errors, history = forecaster.errors_[0], forecaster.history_[0]
    variables = []
    for v, (variable, transform) in enumerate(zip(lags.variables, end.transforms, strict=True)):
        first = int(lags.starts[v])
        memory = end.memory[first : int(lags.starts[v + 1])]
        variables.append(
            {
                "name": sequence.names[v],
                "n_changes": variable.n_changes,
                "lag": variable.period,
                "past": plain(memory[: variable.n_past]),
                "averages": plain(memory[variable.n_past :]),
                "log": transform.log,
                "season": transform.season,
                "period": transform.period,
                "center": transform.center,
                "scale": transform.scale,
                "modelled": plain(end.modelled[:, v]),
                "seasons": plain(end.seasons[:, v]),
                "radii": plain(forecast_radii(errors[:, :, v], _LEVEL, n_steps, forecaster.growth_[v])),
                "history": plain(history[:, v]),
            }
        )
    scale, center = sequence.driver_scale, sequence.driver_center
    return {
        "steps": n_steps,
        "level": _LEVEL,
        "unit": lags.unit,
        "panel": {"series": forecaster.labels_[0], "n": len(sequence.ends)} if forecaster.labels_ else None,
        "times": list(axis.texts(axis.after(n_steps))),
        "past_times": list(axis.texts(axis.until(len(history)))),
        "rates": list(RATES),
        "variables": variables,
        "drivers": [
            {"name": name, "center": float(center[k]), "scale": float(scale[k]), "last": float(end.drivers[k])}
            for k, name in enumerate(lags.drivers)
        ],
        "direct": plain(weights.direct),
        "bias": plain(weights.bias),
        "into_hidden": plain(weights.into_hidden),
        "hidden_bias": plain(weights.hidden_bias),
        "from_hidden": plain(weights.from_hidden),
        "low": plain(sequence.low),
        "high": plain(sequence.high),
    }
