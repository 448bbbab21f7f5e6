"""Fitting on a Dask cluster: partitions stay on their workers, which add losses and gradients; parameters come and go.

`DaskFCMClassifier` and `DaskFCMRegressor` have the parameters of `FCMClassifier` and `FCMRegressor`, take Dask arrays
and data frames, and learn the same model, bit by bit, for any number of workers and partitions.
"""

from cogmap.integrations.dask.estimators import DaskFCMClassifier, DaskFCMRegressor

__all__ = ["DaskFCMClassifier", "DaskFCMRegressor"]
