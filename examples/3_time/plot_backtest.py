"""
Is the forecast better than simple ones?
========================================

``backtest`` refits the map at several past times and compares it with simple forecasts. The series: sunspots of each
year.
"""

import matplotlib.pyplot as plt
import pandas as pd
from statsmodels.datasets import sunspots

from cogmap import FCMForecaster
from cogmap.plotting import plot_forecast

data = sunspots.load_pandas().data
years = pd.period_range("1700", periods=len(data), freq="Y")
series = pd.Series(data["SUNACTIVITY"].to_numpy(), index=years, name="sunspots")
tested = FCMForecaster(horizon=6).backtest(series)
for name, error in tested["errors"].items():
    print(f"{name:32}{error:.2f}")

# %%
# The forecast of the next eleven years, with intervals:

forecaster = FCMForecaster().fit(series)
figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
plot_forecast(forecaster.forecast(11, level=0.9), ax=axes)
