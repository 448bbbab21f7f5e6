"""Exceptions of cogmap.

Every message names the parameter or location, what was expected, what was found, and how to fix it. All classes also
derive from the built-in exception that scikit-learn raises in the same situation, so code written for scikit-learn
catches them.
"""

__all__ = [
    "ClusterError",
    "CogmapError",
    "DataError",
    "MissingPackageError",
    "ModelFileError",
    "NonFiniteLossError",
    "ParameterError",
]


class CogmapError(Exception):
    """Base class of all exceptions that cogmap defines.

    See Also
    --------
    ParameterError : A parameter has an invalid type or value.
    DataError : The data cannot be used for training, or do not match the model.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.exceptions import CogmapError
    >>> try:
    ...     FuzzyCognitiveMap([[0, 1]])
    ... except CogmapError as error:
    ...     print(error)
    `FuzzyCognitiveMap(weights=...)` must be a square array with a row and a column for each concept, got shape (1, 2).
    """


class ParameterError(CogmapError, ValueError, TypeError):
    """A parameter has an invalid type or value.

    See Also
    --------
    DataError : The data cannot be used for training, or do not match the model.
    CogmapError : Base class of all exceptions that cogmap defines.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> try:
    ...     FuzzyCognitiveMap([[0]], slope=-1)
    ... except ValueError as error:
    ...     print(str(error).split(". ")[0])
    `FuzzyCognitiveMap(slope=...)` must be greater than 0, got -1
    """


class DataError(CogmapError, ValueError):
    """The data cannot be used for training, or do not match the model.

    See Also
    --------
    ParameterError : A parameter has an invalid type or value.
    CogmapError : Base class of all exceptions that cogmap defines.

    Examples
    --------
    >>> from cogmap import FCMClassifier
    >>> try:
    ...     FCMClassifier().fit([[1.0], [2.0]], ["yes", "yes"])
    ... except ValueError as error:
    ...     print(str(error).split(". ")[0])
    `FCMClassifier` needs at least 2 classes in y, got one class only: ['yes']
    """


class NonFiniteLossError(CogmapError, ArithmeticError, ValueError):
    """The loss became NaN or infinite during training.

    See Also
    --------
    DataError : The data cannot be used for training, or do not match the model.
    CogmapError : Base class of all exceptions that cogmap defines.

    Examples
    --------
    >>> from cogmap.exceptions import NonFiniteLossError
    >>> issubclass(NonFiniteLossError, ArithmeticError)
    True
    """


class ModelFileError(CogmapError, ValueError):
    """A model file is damaged, of another kind, or of a newer version.

    See Also
    --------
    cogmap.load : Load an object saved by `save`.
    CogmapError : Base class of all exceptions that cogmap defines.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cogmap import load
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "model.cogmap")
    ...     _ = path.write_bytes(b"something else")
    ...     try:
    ...         load(path)
    ...     except ValueError as error:
    ...         print(type(error).__name__)
    ModelFileError
    """


class MissingPackageError(CogmapError, ImportError):
    """A feature needs a package that is not installed.

    See Also
    --------
    CogmapError : Base class of all exceptions that cogmap defines.

    Examples
    --------
    >>> from cogmap.exceptions import MissingPackageError
    >>> issubclass(MissingPackageError, ImportError)
    True
    """


class ClusterError(CogmapError, RuntimeError):
    """A cluster is unreachable, was lost, or fails repeatedly.

    See Also
    --------
    cogmap.integrations.dask.DaskFCMClassifier : `FCMClassifier` fitted on a Dask cluster, with the same parameters.
    CogmapError : Base class of all exceptions that cogmap defines.

    Examples
    --------
    >>> from cogmap.exceptions import ClusterError
    >>> issubclass(ClusterError, RuntimeError)
    True
    """
