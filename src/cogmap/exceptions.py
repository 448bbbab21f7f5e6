"""What cogmap raises.

Every message says what was wrong, where, what was expected, what was got, and what to do about it.
All classes also derive from the built-in exception that scikit-learn raises in the same situation, so code
written for scikit-learn catches them.
"""


class CogmapError(Exception):
    """Base of every exception that cogmap raises by itself."""


class ParameterError(CogmapError, ValueError, TypeError):
    """A parameter has a wrong type or value."""


class DataError(CogmapError, ValueError):
    """The data cannot be learned from, or do not fit the model."""


class NonFiniteLossError(CogmapError, ArithmeticError, ValueError):
    """The loss became NaN or infinite while learning."""


class ModelFileError(CogmapError, ValueError):
    """A model file is damaged, of another kind, or of a newer version."""


class MissingPackageError(CogmapError, ImportError):
    """A feature needs a package that is not installed."""


class ClusterError(CogmapError, RuntimeError):
    """A cluster of computers is not there, went away, or keeps failing."""
