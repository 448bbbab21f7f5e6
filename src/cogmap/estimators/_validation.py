"""Validation of user input: tables, weights and names, on top of scikit-learn's checks."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn.utils.validation import validate_data

from cogmap._utils.params import Literal, param_error, real, shown
from cogmap.exceptions import DataError

FLOATS = (np.float64, np.float32)

_TIME_DTYPES = ("date", "time", "period", "duration")  # parts of the names of date and time dtypes

# A sparse table is made dense if the table and the weights of its map have at most this many values each.
_DENSE_AT_MOST = 2**26


def validated(estimator: Any, *data: Any, reset: bool, **options: Any) -> Any:
    """Validate `X` and optionally `y` with scikit-learn, with messages that say how to fix unsupported data.

    Missing values stay NaN. Small sparse tables become dense, others stay sparse (CSR).
    """
    owner = type(estimator).__name__
    _refuse_dates(data[0], owner)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn detects non-finite values by their sum
            result = validate_data(
                estimator,
                *data,
                dtype=FLOATS,
                reset=reset,
                accept_sparse=["csr", "csc", "coo"],
                ensure_all_finite="allow-nan",
                **options,
            )
    except OverflowError:  # a Python integer, which has no upper limit
        raise DataError(
            f"`{owner}` takes numbers up to {np.finfo(np.float64).max:.3g}, but the data contain a larger integer. "
            "Divide it by a power of ten, or take its logarithm."
        ) from None
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        names = _text_columns(data[0])
        where = f" (columns {shown(names)})" if names else ""
        raise DataError(
            f"`{owner}` takes numeric features, but X has text{where}: {error}. Encode the columns with a "
            f"TablePreparer, make_pipeline(cogmap.TablePreparer(), {owner}()).fit(X, y), or drop them."
        ) from None
    X, *rest = result if isinstance(result, tuple) else (result,)
    if issparse(X):
        X = csr_array(X) if max(X.shape) * X.shape[1] > _DENSE_AT_MOST else X.toarray()
    return (X, *rest) if rest else X


def refuse_sparse(X: Any, owner: str) -> None:
    """Raise if a table stayed sparse, for estimators that support only dense tables."""
    if issparse(X):
        raise _too_large(X, owner, "", "first")


def too_large_to_be_dense(X: Any, owner: str) -> DataError:
    """Return the error for a sparse table that is too large to make dense."""
    cure = (
        " It stays sparse with more than 100 columns, scale='logistic', no terms, and default edges, weight_bounds, "
        "monotonic_cst, prior, init and learn."
    )
    return _too_large(X, owner, cure, "otherwise")


def _too_large(X: Any, owner: str, cure: str, when: str) -> DataError:
    return DataError(
        f"`{owner}` makes a sparse X dense, but a table of {X.shape[0]} rows and {X.shape[1]} columns is too large "
        f"for that: at most {_DENSE_AT_MOST} values and as many weights are allowed.{cure} Select columns "
        f"(sklearn.feature_selection) or combine them (sklearn.decomposition.TruncatedSVD) {when}."
    )


def _refuse_dates(X: Any, owner: str) -> None:
    """Raise for tables that scikit-learn would accept silently or reject with an unclear error."""
    if type(X).__name__ == "LazyFrame":
        raise DataError(f"`{owner}` takes tables in memory, not a LazyFrame. Call X.collect() first.")
    if hasattr(X, "columns"):
        kinds = list(getattr(X, "dtypes", []))
        of_time = {kind for kind in set(kinds) if any(word in str(kind).lower() for word in _TIME_DTYPES)}
        dates = [name for name, kind in zip(X.columns, kinds, strict=False) if kind in of_time] if of_time else []
        where = f" (columns {shown(dates)})"
    else:
        dates = [X.dtype] if getattr(getattr(X, "dtype", None), "kind", None) in ("m", "M") else []
        where = ""
    if dates:
        raise DataError(
            f"`{owner}` takes numeric features, but X has dates or times{where}. Convert them to meaningful numbers, "
            "such as year, month, weekday or days since a date."
        )


def _text_columns(X: Any) -> list[Any]:
    """Return the names of the non-numeric columns of a data frame."""
    names = []
    for name in getattr(X, "columns", []):
        try:
            np.asarray(X[name]).astype(np.float64)
        except (ValueError, TypeError):
            names.append(name)
    return names


def check_sample_weight(sample_weight: ArrayLike | None, n_rows: int, owner: str) -> NDArray[np.float64] | None:
    """Return the weights of the rows as float64, or None if all are 1."""
    if sample_weight is None:
        return None
    try:
        weight = real(sample_weight)
    except (TypeError, ValueError):
        raise param_error(owner, "sample_weight", "an array of numbers", sample_weight) from None
    if weight.ndim == 0:
        weight = np.full(n_rows, weight)
    if weight.shape != (n_rows,):
        expected = f"an array of shape ({n_rows},), one weight per row"
        raise param_error(owner, "sample_weight", expected, Literal(f"shape {weight.shape}"))
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        raise param_error(owner, "sample_weight", "finite numbers >= 0", float(weight[bad][0]), "0 leaves a row out.")
    if not weight.any():
        raise param_error(owner, "sample_weight", "greater than 0 for some rows", Literal("zeros only"))
    with np.errstate(over="ignore"):
        if not np.isfinite(weight.sum()):
            cure = "Divide all weights by a constant."
            raise param_error(owner, "sample_weight", "numbers with a finite sum", float(weight.max()), cure)
    smallest = np.finfo(np.float64).tiny
    if weight[weight > 0].min() < smallest:
        cure = "Multiply all weights by a constant."
        raise param_error(owner, "sample_weight", f"0 or >= {smallest:.2g}", float(weight[weight > 0].min()), cure)
    return weight


def check_products(weight: NDArray[np.float64], owner: str) -> None:
    """Raise if the products of row and class weights underflow, or if their sum overflows."""
    smallest = np.finfo(np.float64).tiny
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not np.isfinite(total) or not weight.min() >= smallest:
        got = float(weight.min() if weight.min() < smallest else weight.max())
        expected = f"weights that, times `sample_weight`, are >= {smallest:.2g} and have a finite sum"
        raise param_error(owner, "class_weight", expected, got, "Multiply or divide the weights by a constant.")


def input_names(estimator: Any) -> list[str]:
    """Return the names of the features seen in fit, or x0, x1 and so on if they had none."""
    if hasattr(estimator, "feature_names_in_"):
        return [str(name) for name in estimator.feature_names_in_]
    return [f"x{i}" for i in range(estimator.n_features_in_)]
