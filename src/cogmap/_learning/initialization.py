"""Weights to start learning from."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cogmap._encoding import UNDECIDED
from cogmap._learning.structure import Bounds
from cogmap._params import Words, shown, suggestion, wrong
from cogmap.activations import get_activation
from cogmap.map import FuzzyCognitiveMap

Weights = tuple[NDArray[np.float64], NDArray[np.float64]]

NAMES = ("uniform", "balanced", "correlation")


def uniform(n_concepts: int, random: np.random.RandomState) -> Weights:
    """Weights and bias uniform in [-1, 1]: the paper's."""
    return random.uniform(-1.0, 1.0, (n_concepts, n_concepts)), random.uniform(-1.0, 1.0, n_concepts)


def balanced(
    n_concepts: int,
    random: np.random.RandomState,
    limits: Bounds | None,
    largest: float | NDArray[np.float64] = 4.0,
) -> Weights:
    """Uniform weights over the root of the number of concepts, and a bias that starts every concept in the middle.

    However many concepts there are, the weights are small enough that none starts where its activation is flat and
    learning is slow, and large enough that the concepts differ. `largest` is the largest weight times that root, for
    all concepts or in a column, one per concept.
    """
    W = random.uniform(-largest, largest, (n_concepts, n_concepts)) / np.sqrt(n_concepts)
    return _centred(W, np.full(n_concepts, UNDECIDED), limits)


def _centred(W: NDArray[np.float64], middle: NDArray[np.float64], limits: Bounds | None) -> Weights:
    """Put the weights within their limits, and add the bias with which `middle` leads every concept to 0.5."""
    if limits is not None:
        W = np.clip(W, *limits)
    return W, UNDECIDED - W @ middle


def correlation(
    X: NDArray[np.floating],
    targets: NDArray[np.floating],
    sample_weight: NDArray[np.floating] | None,
    limits: Bounds | None,
) -> Weights:
    """Correlations of the features with each other and with the labels, over the root of the number of concepts.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Scaled features.
    targets : ndarray of shape (n_samples, n_outputs)
        What the outputs should be.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights of the rows.
    limits : pair of ndarray or None
        Smallest and largest weight allowed.
    """
    weight = np.ones(len(X)) if sample_weight is None else sample_weight
    share = weight / weight.sum()
    columns = np.hstack([X, targets]).astype(np.float64, copy=False)
    mean = share @ columns
    columns = (columns - mean) * np.sqrt(share)[:, None]
    largest = np.abs(columns).max(axis=0)
    columns /= np.where(largest > 1e100, largest, 1.0)  # lest their squares overflow
    covariance = columns.T @ columns
    deviation = np.sqrt(np.diag(covariance))
    deviation[deviation == 0.0] = np.inf  # a constant column is correlated with nothing
    W = covariance / np.outer(deviation, deviation) / np.sqrt(len(mean))
    middle = np.concatenate([mean[: X.shape[1]], np.full(targets.shape[1], UNDECIDED)])
    return _centred(W, middle, limits)


def from_map(expert: FuzzyCognitiveMap, concepts: Sequence[str], slope: float, owner: str) -> Weights:
    """Weights and bias that make the same trajectories as an expert's map, at our slope.

    The expert's concepts are matched by name, in any order. A map whose concepts were never named (C1, C2, ...) is
    taken to have ours, in our order.
    """
    activation = get_activation(expert.activation)
    if expert.activation not in ("sigmoid", "logistic"):
        raise wrong(
            owner,
            "init",
            "a map with states in [0, 1] (activation 'sigmoid' or 'logistic')",
            Words(f"a map with activation {expert.activation!r}"),
            "Build the map with activation='sigmoid'.",
        )
    if sorted(expert.concepts) == sorted(concepts):
        order = [expert.concepts.index(name) for name in concepts]
    elif expert.concepts == tuple(f"C{i + 1}" for i in range(len(concepts))):
        order = list(range(len(concepts)))
    else:
        missing = [name for name in concepts if name not in expert.concepts]
        unknown = [name for name in expert.concepts if name not in concepts]
        raise wrong(
            owner,
            "init",
            f"a map of the {len(concepts)} concepts of this problem, features first, then classes",
            Words(f"a map of {expert.n_concepts} concepts, without {shown(missing)}, with {shown(unknown)}"),
            suggestion(unknown[0], missing) if unknown else "",
        )
    # slope_e (W_e A + b_e - center_e) = slope (W A + b - 0.5), row by row
    factor = np.broadcast_to(expert.slope, expert.n_concepts)[order] / slope
    W = expert.weights[np.ix_(order, order)] * factor[:, None]
    b = (expert.bias[order] - activation.center) * factor + 0.5
    return W, b
