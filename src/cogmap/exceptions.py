"""Exceptions of cogmap.

Every message names the parameter or location, what was expected, what was found, and how to fix it. All classes also
derive from the built-in exception that scikit-learn raises in the same situation, so code written for scikit-learn
catches them.
"""


class CogmapError(Exception):
    """Base class of all exceptions that cogmap defines."""


class ParameterError(CogmapError, ValueError, TypeError):
    """A parameter has an invalid type or value."""


class DataError(CogmapError, ValueError):
    """The data cannot be used for training, or do not match the model."""


class NonFiniteLossError(CogmapError, ArithmeticError, ValueError):
    """The loss became NaN or infinite during training."""


class ModelFileError(CogmapError, ValueError):
    """A model file is damaged, of another kind, or of a newer version."""


class MissingPackageError(CogmapError, ImportError):
    """A feature needs a package that is not installed."""


class ClusterError(CogmapError, RuntimeError):
    """A cluster is unreachable, was lost, or fails repeatedly."""
