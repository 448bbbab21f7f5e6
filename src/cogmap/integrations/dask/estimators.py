"""`DaskFCMClassifier` and `DaskFCMRegressor`: estimators for Dask collections."""

from typing import Any, Self

import numpy as np

from cogmap._utils.params import Literal, check_number, param_error
from cogmap.estimators._out_of_core import OutOfCoreMixin
from cogmap.estimators._param_checks import check_parameters
from cogmap.estimators.classifier import FCMClassifier
from cogmap.estimators.regressor import FCMRegressor
from cogmap.integrations.dask.cluster import da, dask, dd
from cogmap.integrations.dask.partitions import Partitions


class _DaskMixin(OutOfCoreMixin):
    """Methods shared by both estimators."""

    _local: type[Any]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, timeout: float = 300.0) -> Self:
        """Fit the map to Dask collections, on the cluster of the current client.

        Up to a million values are gathered and fitted locally, which is faster than distributed iterations. With more,
        workers keep their rows, realigned to segments of 65,536 rows: rows at the ends of partitions move once. The
        teachers are trained locally on a sample of a quarter million values, then the map on all rows by L-BFGS.

        The result is bitwise equal to that of `fit_chunks` on the same rows. It is also equal to that of the local
        `fit` for up to a million values, or for at most 100 columns without teachers (``n_teachers=0``,
        ``solver="lbfgs"``).

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features. Chunk sizes may be unknown, and partitions may be empty.
        y : dask.array.Array, dask.dataframe.Series or dask.dataframe.DataFrame
            Targets, partitioned as X.
        sample_weight : dask.array.Array or dask.dataframe.Series, default=None
            Row weights, partitioned as X.
        timeout : float, default=300.0
            Seconds to wait for a cluster that has no workers left or whose scheduler does not answer.

        Returns
        -------
        self : object
            The fitted estimator. If fitting fails, a previously fitted model is left unchanged. Partitions of a lost
            worker are recomputed.
        """
        owner = f"{self._owner}.fit"
        check_parameters(self._owner, self.get_params(deep=False))
        check_number(owner, "timeout", timeout, low=0.0, low_included=False)
        self._check_out_of_core("fit")
        self._replace_learned(
            lambda fitted: fitted._fit_out_of_core(Partitions(fitted, X, y, sample_weight, timeout), self)
        )
        self._warn_unless_converged()
        return self

    def fit_chunks(self, chunks: Any) -> Self:
        """Raise an error: only the local estimator fits chunks.

        Parameters
        ----------
        chunks : object
            Not used.
        """
        raise param_error(f"{self._owner}.fit_chunks", "self", f"a {self._local.__name__}", Literal(self._owner))

    def to_local(self) -> Any:
        """Return the same model as an estimator that does not depend on Dask.

        Returns
        -------
        FCMClassifier or FCMRegressor
            The fitted estimator.
        """
        local = self._local(**self.get_params(deep=False))
        local.__dict__.update(vars(self))
        return local

    def predict(self, X: Any) -> Any:
        """Predict lazily.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features. Predictions for data in memory are computed immediately.

        Returns
        -------
        dask.array.Array
            Classes or values.
        """
        return self._lazily("predict", X)

    def transform(self, X: Any) -> Any:
        """Compute the learned features lazily.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features. Data in memory are transformed immediately.

        Returns
        -------
        dask.array.Array
            States of the concepts before the last step.
        """
        return self._lazily("transform", X)

    def novelty_p_values(self, X: Any) -> Any:
        """Compute lazily how usual each row is.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features. P-values of data in memory are computed immediately.

        Returns
        -------
        dask.array.Array
            Conformal p-values, as those of `FCMClassifier.novelty_p_values`.
        """
        return self._lazily("novelty_p_values", X)

    def _lazily(self, method: str, X: Any, *options: Any) -> Any:
        local = self.to_local()
        if not isinstance(X, da.Array | dd.DataFrame):
            return getattr(local, method)(X, *options)
        # Two rows give the type of the result and validate the columns before anything is computed.
        rows = X._meta_nonempty if isinstance(X, dd.DataFrame) else np.zeros((2, *X.shape[1:]), X.dtype)
        like = getattr(local, method)(rows, *options)
        blocks = X.to_delayed() if isinstance(X, dd.DataFrame) else X.rechunk({1: -1}).to_delayed().ravel()
        sizes = [np.nan] * len(blocks) if isinstance(X, dd.DataFrame) else X.chunks[0]
        compute = dask.delayed(_call, pure=True)
        model, empty = dask.delayed(local), like[:0]
        return da.concatenate(
            [
                da.from_delayed(compute(model, method, block, empty, *options), (size, *like.shape[1:]), meta=empty)
                for block, size in zip(blocks, sizes, strict=True)
            ],
            allow_unknown_chunksizes=True,
        )


def _call(local: Any, method: str, X: Any, empty: Any, *options: Any) -> Any:
    return getattr(local, method)(X, *options) if len(X) else empty


class DaskFCMClassifier(_DaskMixin, FCMClassifier):
    """`FCMClassifier` fitted on a Dask cluster, with the same parameters.

    See Also
    --------
    cogmap.FCMClassifier : Classifier and feature transformer whose model is a fuzzy cognitive map.
    DaskFCMRegressor : `FCMRegressor` fitted on a Dask cluster, with the same parameters.
    cogmap.integrations.chunks.parquet_chunks : Read Parquet files in chunks.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from cogmap.integrations.dask import DaskFCMClassifier
    >>> with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None):
    ...     X = da.random.default_rng(0).random((400, 3), chunks=(100, 3))
    ...     fcm = DaskFCMClassifier(random_state=0).fit(X, (X[:, 0] > X[:, 1]).astype(int))
    ...     share = (fcm.predict(X) == (X[:, 0] > X[:, 1])).mean()  # nothing is computed yet
    ...     bool(share.compute() > 0.95)
    True
    >>> fcm.to_local()
    FCMClassifier(random_state=0)
    """

    _local = FCMClassifier

    def predict_proba(self, X: Any) -> Any:
        """Compute the probability of each class lazily.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features.

        Returns
        -------
        dask.array.Array
            One column per class.
        """
        return self._lazily("predict_proba", X)

    def decision_function(self, X: Any) -> Any:
        """Compute the decision function lazily.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features.

        Returns
        -------
        dask.array.Array
            Decision values, as those of `FCMClassifier.decision_function`.
        """
        return self._lazily("decision_function", X)

    def predict_set(self, X: Any, level: float = 0.9) -> Any:
        """Compute the set of likely classes of each row lazily.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features. Sets for data in memory are computed immediately.
        level : float, default=0.9
            Share of rows whose class is to belong to the set.

        Returns
        -------
        dask.array.Array
            One column per class, as those of `FCMClassifier.predict_set`.
        """
        return self._lazily("predict_set", X, level)


class DaskFCMRegressor(_DaskMixin, FCMRegressor):
    """`FCMRegressor` fitted on a Dask cluster, with the same parameters.

    See Also
    --------
    cogmap.FCMRegressor : Regressor and feature transformer whose model is a fuzzy cognitive map.
    DaskFCMClassifier : `FCMClassifier` fitted on a Dask cluster, with the same parameters.
    cogmap.integrations.chunks.parquet_chunks : Read Parquet files in chunks.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from cogmap.integrations.dask import DaskFCMRegressor
    >>> with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None):
    ...     X = da.random.default_rng(0).random((400, 3), chunks=(100, 3))
    ...     fcm = DaskFCMRegressor(structure="full", n_teachers=0, random_state=0).fit(X, X[:, 0] - X[:, 1])
    ...     fcm.predict(X).compute().shape, fcm.transform(X).ndim
    ((400,), 2)
    >>> fcm.to_local().n_features_in_
    3
    """

    _local = FCMRegressor

    def predict_interval(self, X: Any, level: float = 0.9) -> Any:
        """Compute an interval around each prediction lazily.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features. Intervals for data in memory are computed immediately.
        level : float, default=0.9
            Share of rows whose value is to lie in the interval.

        Returns
        -------
        dask.array.Array
            Lower and upper ends, as those of `FCMRegressor.predict_interval`.
        """
        return self._lazily("predict_interval", X, level)
