"""Forecasts of the page equal those of Python, with and without held values."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from cogmap import FCMForecaster
from cogmap.page.forecasts import forecast_part

ENGINE = Path(__file__).parents[3] / "src" / "cogmap" / "page" / "script" / "engine_forecast.js"


def _wave(n, seed):
    t = np.arange(n)
    return np.exp(2 + 0.01 * t + 0.2 * np.sin(t * np.pi / 2) + 0.05 * np.random.default_rng(seed).normal(size=n))


def _system():
    """Return a forecaster of two variables with a driver and hidden concepts."""
    rng = np.random.default_rng(0)
    x = np.zeros((120, 2))
    u = rng.normal(size=120)
    for t in range(1, 120):
        x[t] = np.tanh(x[t - 1] @ [[0.9, -0.5], [0.8, 0.5]] * 2 + [u[t], 0]) + 0.01 * rng.normal(size=2)
    return FCMForecaster(horizon=6).fit(x, u)


@pytest.mark.parametrize("case", ["season", "system", "growth"])
@pytest.mark.parametrize("hold", [False, True])
def test_the_page_computes_the_same_forecast(node, tmp_path, growing, case, hold):
    """To rounding, intervals included."""
    make = {"season": lambda: FCMForecaster(season=4).fit(_wave(80, 0)), "system": _system, "growth": lambda: growing}
    forecaster = make[case]()
    name = {"season": "value", "system": "driver", "growth": "value1"}[case]
    part = forecast_part(forecaster)
    steps = part["steps"]
    drivers = [np.repeat(one["center"] + one["scale"] * one["last"], steps) for one in part["drivers"]]
    asked = {name: {forecaster.axes_[0].last + 3: 5.0}} if hold else None
    expected = forecaster.forecast(steps, drivers[0] if drivers else None, asked, level=part["level"])
    held = {name: {"value": 5.0, "from": 2}} if hold else {}
    file = tmp_path / "case.json"
    file.write_text(json.dumps({"data": part, "held": held}), encoding="utf-8")
    script = (
        f'import {{ runForecast }} from "{ENGINE.as_uri()}"; import {{ readFileSync }} from "node:fs";'
        f'const {{ data, held }} = JSON.parse(readFileSync("{file.as_posix()}", "utf8"));'
        "console.log(JSON.stringify(runForecast(data, held)));"
    )
    ran = subprocess.run([node, "--input-type=module", "-e", script], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    result = json.loads(ran.stdout)
    for key, array in (("values", expected.values), ("low", expected.low), ("high", expected.high)):
        np.testing.assert_allclose(np.array(result[key]).T, array, rtol=1e-9, atol=1e-9)
