"""Distributed fitting with Dask: workers keep their partitions and return sums of losses and gradients.

`DaskFCMClassifier` and `DaskFCMRegressor` have the parameters of `FCMClassifier` and `FCMRegressor` and accept Dask
arrays and data frames. Results are bitwise independent of the number of workers and partitions.
"""

from cogmap.integrations.dask.estimators import DaskFCMClassifier, DaskFCMRegressor

__all__ = ["DaskFCMClassifier", "DaskFCMRegressor"]
