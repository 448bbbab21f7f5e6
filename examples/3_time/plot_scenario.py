"""
What if a variable is held?
===========================

Quarterly figures of the United States: a map of three series, and the forecast if the unemployment rate is held at 9 %.
A scenario says what the map says. It is no proof of cause and effect.
"""

import matplotlib.pyplot as plt
import pandas as pd
from statsmodels.datasets import macrodata

from cogmap import FCMForecaster

data = macrodata.load_pandas().data
data.index = pd.PeriodIndex.from_fields(year=data["year"].astype(int), quarter=data["quarter"].astype(int), freq="Q")
series = data[["unemp", "infl", "tbilrate"]].rename(
    columns={"unemp": "unemployment", "infl": "inflation", "tbilrate": "interest"}
)
forecaster = FCMForecaster(hidden=False).fit(series[:-8])
scenario = forecaster.scenario({"unemployment": 9.0}, steps=8)
print(scenario)

names = list(series.columns)
table = scenario.to_frame()
figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
for name, ax in zip(names, axes, strict=True):
    past = series[name][-28:-8]
    ax.plot(past.index.to_timestamp(), past, color="black")
    when = pd.PeriodIndex(table.index).to_timestamp()
    ax.plot(when, table[f"{name} baseline"], color="grey", label="nothing held")
    ax.plot(when, table[name], color="#d55e00", label="unemployment held at 9 %")
    ax.set_title(name)
axes[0].legend()
