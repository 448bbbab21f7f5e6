"""
Forecast a series
=================

Carbon dioxide over Mauna Loa, monthly. Trend, season and lags are found by forecasts of held-out months.
"""

import matplotlib.pyplot as plt
from statsmodels.datasets import co2

from cogmap import FCMForecaster
from cogmap.plotting import plot_forecast

series = co2.load_pandas().data["co2"].resample("MS").mean()["1980":].rename("CO2 (ppm)")
past, future = series[:-36], series[-36:]
forecaster = FCMForecaster().fit(past)
print(forecaster.sentence_)

forecast = forecaster.forecast(36, level=0.9)
figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
plot_forecast(forecast, ax=axes)
axes.plot(future.index, future, ".", color="black", markersize=4, label="observed later")
axes.legend()

# %%
# How many of the later values are in their intervals:

table = forecast.to_frame()
low, high = table.filter(like="low").iloc[:, 0], table.filter(like="high").iloc[:, 0]
print(f"{((low.to_numpy() <= future) & (future <= high.to_numpy())).mean():.0%} are inside")
