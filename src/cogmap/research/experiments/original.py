"""Training as in the author's program, used only to reproduce the published numbers.

In the paper, outputs start at 0.5 and the loss is the mean over the rows. The author's program differs:

- During training, outputs start at random values, redrawn for each row in each epoch. For prediction, they start at
  0.5.
- There is one output for each label from 0 to the largest, whether it occurs or not: two extra for glass, one for
  seeds.
- Two datasets with one output per class were trained with the log loss of each output, without a softmax.
- Computations are in float32.
- The optimizers are those of TensorFlow 1: `RMSprop` and `Adam` below. Adam uses its default rate of 0.001.
- The rows left over when an epoch is split into batches are not used in that epoch.
- The loss must be the sum over the rows. We inferred this: RMSprop divides by the root of a mean square plus 1e-10.
  With a mean loss, the gradients of outputs that start far from 0.5 are smaller than that, and these outputs are never
  trained. On the faces, 4 to 10 of 40 classes were then never predicted, but only 1 to 3 in the author's file. With
  the sum, the numbers agree.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_X_y

from cogmap._learning.initialization import uniform
from cogmap._learning.solvers import Outcome
from cogmap.estimators._labels import class_link
from cogmap.estimators._prediction import ClassPredictor
from cogmap.estimators._validation import input_names
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.encoding import Encoding
from cogmap.models.model import MapModel, concept_names
from cogmap.research.experiments.published import paper_tables

States = NDArray[Any]


class RMSprop:
    """RMSprop of TensorFlow 1: not centred, the mean square starts at 1, epsilon is added inside the root."""

    def __init__(self, learning_rate: float) -> None:
        self._rate = learning_rate
        self._mean_square: Any = 1.0  # an array over all parameters from the first step on

    def step(self, theta: States, gradient: States) -> None:
        """Update the parameters in place."""
        self._mean_square += 0.1 * (gradient * gradient - self._mean_square)
        theta -= self._rate * gradient / np.sqrt(self._mean_square + 1e-10)


class Adam:
    """Adam of TensorFlow 1, with its default decays and epsilon and a constant learning rate."""

    def __init__(self, learning_rate: float) -> None:
        self._rate = learning_rate
        self._n_steps = 0
        self._mean: Any = 0.0  # like the next, an array over all parameters from the first step on
        self._mean_square: Any = 0.0

    def step(self, theta: States, gradient: States) -> None:
        """Update the parameters in place."""
        self._n_steps += 1
        self._mean += 0.1 * (gradient - self._mean)
        self._mean_square += 0.001 * (gradient * gradient - self._mean_square)
        rate = self._rate * math.sqrt(1.0 - 0.999**self._n_steps) / (1.0 - 0.9**self._n_steps)
        theta -= rate * self._mean / (np.sqrt(self._mean_square) + 1e-8)


OPTIMIZERS: dict[str, type[RMSprop] | type[Adam]] = {"rmsprop": RMSprop, "adam": Adam}


class OriginalFCM(ClassPredictor, BaseEstimator):
    """A map trained as in the author's program.

    Parameters
    ----------
    depth : int
        Number of steps.
    slope : float
        Steepness of the sigmoid.
    output : {"single", "one_hot"}
        One output for two classes, or one per class.
    loss : {"softmax", "logloss"}
        Cross-entropy of the softmax of the outputs, or the log loss of each output.
    solver : {"rmsprop", "adam"}
        Optimizer of TensorFlow 1.
    learning_rate : float
        Learning rate.
    batch_size : int
        Batch size.
    max_iter : int
        Number of epochs.
    random_state : int
        Seed of the initial weights, the batches and the random outputs.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import minmax_scale
    >>> from cogmap.research.experiments.original import OriginalFCM
    >>> X, y = load_iris(return_X_y=True)
    >>> model = OriginalFCM(depth=4, slope=3.0, output="one_hot", loss="softmax", solver="rmsprop",
    ...                     learning_rate=0.0005, batch_size=150, max_iter=3000, random_state=123)
    >>> bool(model.fit(minmax_scale(X), y).score(minmax_scale(X), y) > 0.9)
    True
    """

    def __init__(
        self,
        *,
        depth: int,
        slope: float,
        output: str,
        loss: str,
        solver: str,
        learning_rate: float,
        batch_size: int,
        max_iter: int,
        random_state: int = 123,
    ) -> None:
        self.depth = depth
        self.slope = slope
        self.output = output
        self.loss = loss
        self.solver = solver
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "OriginalFCM":
        """Fit a map to features in [0, 1] and labels 0, 1, ..."""
        X, y = check_X_y(X, y, dtype=np.float32)
        classes = np.arange(y.max() + 1)
        self.n_features_in_ = X.shape[1]
        one_hot = np.eye(len(classes), dtype=np.float32)[y]
        targets = one_hot[:, 1:] if self.output == "single" else one_hot

        random = np.random.RandomState(self.random_state)
        n_concepts = X.shape[1] + targets.shape[1]
        theta = np.concatenate([part.ravel() for part in uniform(n_concepts, random)]).astype(np.float32)
        W, b = _weights_and_bias(theta, n_concepts)
        optimizer = OPTIMIZERS[self.solver](self.learning_rate)
        self.loss_curve_ = []
        for _ in range(self.max_iter):
            total, n_rows = 0.0, 0
            for rows in self._batches(len(X), random):
                outputs = random.uniform(size=targets[rows].shape).astype(np.float32)
                loss, gradient = self._loss_and_gradient(W, b, np.hstack([X[rows], outputs]), targets[rows])
                optimizer.step(theta, gradient)
                total += loss
                n_rows += len(outputs)
            self.loss_curve_.append(total / n_rows)
        self.n_iter_, self.outcome_ = self.max_iter, Outcome.ALL_ITERATIONS
        self.model_ = self._model(W, b, classes)
        return self

    def _model(self, W: States, b: States, classes: NDArray[Any]) -> MapModel:
        link = class_link(self.output, classes, 1.0, "OriginalFCM")
        names = concept_names(input_names(self), 0, link.names)
        fcm = FuzzyCognitiveMap(W.astype(np.float64), b.astype(np.float64), self.slope, names)
        return MapModel(fcm, self.depth, Encoding(self.n_features_in_), link)

    def _batches(self, n_rows: int, random: np.random.RandomState) -> Iterator[Any]:
        """Yield the rows of each batch of an epoch; a full batch is not shuffled."""
        if self.batch_size >= n_rows:
            yield slice(None)
            return
        order = random.permutation(n_rows)
        for start in range(0, n_rows - self.batch_size + 1, self.batch_size):
            yield order[start : start + self.batch_size]

    def _loss_and_gradient(self, W: States, b: States, first: States, targets: States) -> tuple[float, States]:
        """Return the summed loss and its gradient: weights row by row, then bias."""
        n_concepts, n_features = len(b), self.n_features_in_
        states = [first]
        for _ in range(self.depth - 1):
            states.append(self._sigmoid(states[-1] @ W.T + b))
        outputs = self._sigmoid(states[-1] @ W[n_features:].T + b[n_features:])
        loss, net_gradient = self._output_loss(outputs, targets)
        net_gradient *= np.float32(self.slope)

        gradient = np.zeros(n_concepts**2 + n_concepts, dtype=W.dtype)
        dW, db = _weights_and_bias(gradient, n_concepts)
        dW[n_features:] = net_gradient.T @ states[-1]
        db[n_features:] = net_gradient.sum(axis=0)
        outgoing = W[n_features:]
        for previous, state in zip(states[-2::-1], states[:0:-1], strict=True):
            net_gradient = (net_gradient @ outgoing) * state * (1.0 - state) * np.float32(self.slope)
            dW += net_gradient.T @ previous
            db += net_gradient.sum(axis=0)
            outgoing = W
        return loss, gradient

    def _output_loss(self, outputs: States, targets: States) -> tuple[float, States]:
        """Return the summed loss, and its gradient with respect to ``slope`` times the net inputs of the outputs."""
        if self.output == "single" or self.loss == "logloss":
            likelihood = np.where(targets > 0.5, outputs, 1.0 - outputs)
            return float(-np.log(np.maximum(likelihood, 1e-15)).sum()), outputs - targets
        softmax = np.exp(outputs)  # no overflow: outputs are in [0, 1]
        softmax /= softmax.sum(axis=1, keepdims=True)
        return float(-np.log((softmax * targets).sum(axis=1)).sum()), (softmax - targets) * outputs * (1.0 - outputs)

    def _sigmoid(self, net: States) -> States:
        return 0.5 + 0.5 * np.tanh(np.float32(0.5 * self.slope) * (net - 0.5))


def printed_moons() -> dict[str, OriginalFCM]:
    """Return the two maps of the paper's example (Table 1), for unscaled `sklearn.datasets.make_moons`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from cogmap.research.experiments.original import printed_moons
    >>> X, y = make_moons(300, noise=0.05, random_state=0)
    >>> {name: round(fcm.score(X, y), 2) for name, fcm in printed_moons().items()}
    {'FCMB': 1.0, 'FCMMC': 0.99}
    """
    maps = {}
    for name, output in (("FCMB", "single"), ("FCMMC", "one_hot")):
        printed = paper_tables()["example_moons"][name]
        fcm = OriginalFCM(
            depth=printed["depth"], slope=printed["lambda"], output=output, loss="softmax", solver="rmsprop",
            learning_rate=0.0, batch_size=10**9, max_iter=0,
        )  # fmt: skip
        fcm.n_features_in_ = 2
        fcm.model_ = fcm._model(np.array(printed["W"]), np.array(printed["b"]), np.arange(2))
        maps[name] = fcm
    return maps


def _weights_and_bias(theta: States, n_concepts: int) -> tuple[States, States]:
    """Return views of the weights and the bias in a parameter vector."""
    return theta[: n_concepts**2].reshape(n_concepts, n_concepts), theta[n_concepts**2 :]
