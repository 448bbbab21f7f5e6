"""The error of forecasts of several steps, and its gradient through all of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.optimize
from numpy.typing import NDArray

from cogmap.models.lags import Lags
from cogmap.models.recurrence import Recurrence

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Rollout:
    """Squared error of forecasts from many origins.

    Attributes
    ----------
    lags : Lags
        Meaning of memories and features.
    memory : ndarray of shape (n_origins, n_memory)
        Memory at each origin.
    targets : ndarray of shape (n_origins, n_steps, n_variables)
        Values of the steps after each origin.
    weight : ndarray of the shape of `targets`
        Weight of each target; 0 where it is not known.
    inputs : ndarray of shape (n_origins, n_steps, n_features) or None
        What drivers add to the features.
    """

    lags: Lags
    memory: Array
    targets: Array
    weight: Array
    inputs: Array | None = None

    def loss_and_gradient(self, recurrence: Recurrence) -> tuple[float, Array]:
        """Return half the weighted sum of squared errors, and its gradient with respect to `recurrence.theta`."""
        F, G, C = self.lags.matrices
        now, n_steps = self.lags.starts[:-1], self.targets.shape[1]
        memory, trace = self.memory, []
        errors = np.empty_like(self.targets)
        for k in range(n_steps):
            features = memory @ C.T
            if self.inputs is not None:
                features = features + self.inputs[:, k]
            changes, hidden = recurrence.changes(features)
            trace.append((features, hidden))
            memory = memory @ F.T + changes @ G.T
            errors[:, k] = memory[:, now] - self.targets[:, k]
        loss = 0.5 * float((self.weight * np.square(errors)).sum())
        slopes = Recurrence(*(np.zeros_like(part) for part in vars(recurrence).values()))
        upstream = np.zeros_like(self.memory)
        for k in range(n_steps - 1, -1, -1):
            features, hidden = trace[k]
            upstream[:, now] += self.weight[:, k] * errors[:, k]
            of_changes = upstream @ G
            slopes.direct[:] += of_changes.T @ features
            slopes.bias[:] += of_changes.sum(axis=0)
            of_features = of_changes @ recurrence.direct
            if recurrence.n_hidden:
                slopes.from_hidden[:] += of_changes.T @ hidden
                of_net = (of_changes @ recurrence.from_hidden) * (1.0 - np.square(hidden))
                slopes.into_hidden[:] += of_net.T @ features
                slopes.hidden_bias[:] += of_net.sum(axis=0)
                of_features += of_net @ recurrence.into_hidden
            upstream = upstream @ F + of_features @ C
        return loss, slopes.theta


def train(
    rollout: Rollout,
    start: Recurrence,
    anchor: Recurrence,
    pull: Array,
    free: NDArray[np.bool_],
    bounds: tuple[Array, Array] | None = None,
    max_iter: int = 60,
) -> Recurrence:
    """Minimize the error of forecasts plus a penalty for the distance from `anchor`, by L-BFGS-B.

    Parameters
    ----------
    rollout : Rollout
        The error.
    start : Recurrence
        Where to start.
    anchor : Recurrence
        Towards which the penalty pulls.
    pull : ndarray of the shape of ``start.theta``
        Strength of the penalty of each parameter.
    free : ndarray of bool of the shape of ``start.theta``
        Parameters to train; the others keep their start.
    bounds : tuple of two ndarrays, default=None
        Smallest and largest value of each parameter.
    max_iter : int, default=60
        Maximum number of iterations.
    """
    whole, wanted = start.theta, anchor.theta

    def objective(part: Array) -> tuple[float, Array]:
        theta = whole.copy()
        theta[free] = part
        with np.errstate(over="ignore", invalid="ignore"):
            loss, gradient = rollout.loss_and_gradient(start.with_theta(theta))
        if not np.isfinite(loss):  # an unstable recurrence: the line search shortens its step
            return 1e300, np.zeros(len(part))
        distance = theta - wanted
        loss += 0.5 * float((pull * np.square(distance)).sum())
        return loss, (gradient + pull * distance)[free]

    limits: Any = None
    if bounds is not None:
        limits = scipy.optimize.Bounds(bounds[0][free], bounds[1][free])
        whole = np.clip(whole, *bounds)
    result = scipy.optimize.minimize(
        objective, whole[free], jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": max_iter}
    )
    theta = whole.copy()
    theta[free] = result.x
    return start.with_theta(theta)
