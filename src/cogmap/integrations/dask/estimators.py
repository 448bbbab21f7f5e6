"""`DaskFCMClassifier` and `DaskFCMRegressor`: estimators that take Dask collections."""

from typing import Any, Self

import numpy as np

from cogmap._utils.params import Literal, check_number, param_error
from cogmap.estimators._out_of_core import OutOfCoreMixin
from cogmap.estimators._param_checks import check_parameters
from cogmap.estimators.classifier import FCMClassifier
from cogmap.estimators.regressor import FCMRegressor
from cogmap.integrations.dask.cluster import da, dask, dd
from cogmap.integrations.dask.partitions import Partitions


class _OnDask(OutOfCoreMixin):
    """What both estimators share."""

    _local: type[Any]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, timeout: float = 300.0) -> Self:
        """Learn a map from Dask collections, on the cluster of the current client.

        Up to a million values are brought together and learned from here, which is faster than any round. With more,
        workers keep their rows, brought into runs of 65,536 rows: rows at the ends of partitions move once. Teachers
        learn from a sample of a quarter million values here, then the map learns from all rows by L-BFGS.

        The result equals that of `fit_chunks` on the same rows bit by bit, and that of `fit` if there are no more than
        a million values, or at most 100 columns and no teachers (``n_teachers=0``, ``solver="lbfgs"``).

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features. Chunk sizes may be unknown, and partitions may be empty.
        y : dask.array.Array, dask.dataframe.Series or dask.dataframe.DataFrame
            What to learn, divided as X.
        sample_weight : dask.array.Array or dask.dataframe.Series, default=None
            Weights of the rows, divided as X.
        timeout : float, default=300.0
            Seconds to wait for a cluster that has no worker left, or whose scheduler does not answer.

        Returns
        -------
        self : object
            The fitted estimator. If fitting fails, an earlier fitted model stays as it was. A worker that is lost costs
            the time to compute its partitions again.
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
        """Refuse: chunks on this machine are for the estimator that is not on Dask."""
        raise param_error(f"{self._owner}.fit_chunks", "self", f"a {self._local.__name__}", Literal(self._owner))

    def to_local(self) -> Any:
        """Return the same model as an estimator that knows nothing of Dask."""
        local = self._local(**self.get_params(deep=False))
        local.__dict__.update(vars(self))
        return local

    def predict(self, X: Any) -> Any:
        """Return predictions, to be computed when they are asked for.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features. What is in memory is predicted at once.

        Returns
        -------
        dask.array.Array
        """
        return self._lazily("predict", X)

    def transform(self, X: Any) -> Any:
        """Return the learned features, to be computed when they are asked for.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features. What is in memory is transformed at once.

        Returns
        -------
        dask.array.Array
        """
        return self._lazily("transform", X)

    def _lazily(self, method: str, X: Any) -> Any:
        local = self.to_local()
        if not isinstance(X, da.Array | dd.DataFrame):
            return getattr(local, method)(X)
        # Two rows tell the kind of what will come, and whether the columns are right, before anything is computed.
        rows = X._meta_nonempty if isinstance(X, dd.DataFrame) else np.zeros((2, *X.shape[1:]), X.dtype)
        like = getattr(local, method)(rows)
        blocks = X.to_delayed() if isinstance(X, dd.DataFrame) else X.rechunk({1: -1}).to_delayed().ravel()
        sizes = [np.nan] * len(blocks) if isinstance(X, dd.DataFrame) else X.chunks[0]
        compute = dask.delayed(_said, pure=True)
        model = dask.delayed(local)
        return da.concatenate(
            [
                da.from_delayed(compute(model, method, block, like[:0]), (size, *like.shape[1:]), meta=like[:0])
                for block, size in zip(blocks, sizes, strict=True)
            ],
            allow_unknown_chunksizes=True,
        )


def _said(local: Any, method: str, X: Any, nothing: Any) -> Any:
    return getattr(local, method)(X) if len(X) else nothing


class DaskFCMClassifier(_OnDask, FCMClassifier):
    """`FCMClassifier` that learns on a Dask cluster; it has the same parameters.

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
        """Return the probability of each class, to be computed when it is asked for.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features.

        Returns
        -------
        dask.array.Array
        """
        return self._lazily("predict_proba", X)

    def decision_function(self, X: Any) -> Any:
        """Return what is compared to decide for a class, to be computed when it is asked for.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame
            Features.

        Returns
        -------
        dask.array.Array
        """
        return self._lazily("decision_function", X)


class DaskFCMRegressor(_OnDask, FCMRegressor):
    """`FCMRegressor` that learns on a Dask cluster; it has the same parameters."""

    _local = FCMRegressor
