"""The recurrence of a forecast: a map of lagged features whose outputs become features of the next step.

With features as in `lags`, one step is

    hidden = tanh(V features + c),    changes = A features + a + B hidden

where A holds the direct arrows. `Recurrence.run` also takes features that are held at given values.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cogmap.models.lags import Lags

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Recurrence:
    """Weights of a recurrence.

    Attributes
    ----------
    direct : ndarray of shape (n_variables, n_features)
        Weights of the direct arrows, A.
    bias : ndarray of shape (n_variables,)
        The bias of the changes, a.
    into_hidden : ndarray of shape (n_hidden, n_features)
        Weights into hidden concepts, V.
    hidden_bias : ndarray of shape (n_hidden,)
        The bias of hidden concepts, c.
    from_hidden : ndarray of shape (n_variables, n_hidden)
        Weights from hidden concepts, B.
    """

    direct: Array
    bias: Array
    into_hidden: Array
    hidden_bias: Array
    from_hidden: Array

    @classmethod
    def linear(cls, direct: Array, bias: Array) -> "Recurrence":
        """Return a recurrence without hidden concepts."""
        k, n = direct.shape
        return cls(direct, bias, np.zeros((0, n)), np.zeros(0), np.zeros((k, 0)))

    @property
    def n_hidden(self) -> int:
        """Number of hidden concepts."""
        return len(self.hidden_bias)

    @property
    def theta(self) -> Array:
        """All parameters as one vector."""
        parts = (self.direct, self.bias, self.into_hidden, self.hidden_bias, self.from_hidden)
        return np.concatenate([part.ravel() for part in parts])

    def with_theta(self, theta: Array) -> "Recurrence":
        """Return a recurrence of the same shape with other parameters."""
        shapes = [p.shape for p in (self.direct, self.bias, self.into_hidden, self.hidden_bias, self.from_hidden)]
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
        parts = np.split(theta, ends[:-1])
        return Recurrence(*(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)))

    def changes(self, features: Array) -> tuple[Array, Array]:
        """Return the changes of the variables, and the states of the hidden concepts from -1 to 1."""
        hidden = np.tanh(features @ self.into_hidden.T + self.hidden_bias)
        return features @ self.direct.T + self.bias + hidden @ self.from_hidden.T, hidden

    def run(
        self,
        lags: Lags,
        memory: Array,
        n_steps: int,
        bounds: tuple[Array, Array],
        inputs: Array | None = None,
        held: Array | None = None,
    ) -> Array:
        """Return forecasts of all variables.

        Parameters
        ----------
        lags : Lags
            Meaning of the memory and the features.
        memory : ndarray of shape (n_rows, n_memory)
            Memory at the start of each forecast.
        n_steps : int
            Number of steps.
        bounds : tuple of two ndarrays of shape (n_features,)
            Smallest and largest value of each feature. Others are clipped, and so are forecasts of variables, so that
            they do not grow without bound.
        inputs : ndarray of shape (n_rows, n_steps, n_features) or (n_steps, n_features), default=None
            What drivers add to the features.
        held : ndarray of shape (n_steps, n_variables), default=None
            Values that variables are held at; NaN where they are free.

        Returns
        -------
        ndarray of shape (n_rows, n_steps, n_variables)
        """
        F, G, C = lags.matrices
        paths = np.empty((len(memory), n_steps, len(self.bias)))
        now = lags.starts[:-1]
        low, high = (bound[lags.levels] for bound in bounds)
        for k in range(n_steps):
            features = memory @ C.T
            if inputs is not None:
                features = features + inputs[..., k, :]
            features = np.clip(features, *bounds)
            changes, _ = self.changes(features)
            values = np.clip(features[:, lags.levels] + changes, low, high)
            if held is not None:
                values = np.where(np.isnan(held[k]), values, held[k])
            memory = memory @ F.T + (values - memory[:, now]) @ G.T
            paths[:, k] = values
        return paths

    def blended(self, other: "Recurrence", share: float) -> "Recurrence":
        """Return the mean of this recurrence without hidden concepts and another, with the share of the other."""
        return Recurrence(
            (1.0 - share) * self.direct + share * other.direct,
            (1.0 - share) * self.bias + share * other.bias,
            other.into_hidden,
            other.hidden_bias,
            share * other.from_hidden,
        )

    def with_hidden(self, into_hidden: Array, hidden_bias: Array, from_hidden: Array) -> "Recurrence":
        """Return the recurrence with other hidden concepts."""
        return replace(self, into_hidden=into_hidden, hidden_bias=hidden_bias, from_hidden=from_hidden)
