"""Initial weights and biases."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.concepts import Concepts, nearest_concept
from cogmap._learning.structure import Bounds
from cogmap._utils.params import Literal, param_error, shown
from cogmap.maps.activations import get_activation
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.maps.structured import StructuredMap
from cogmap.models.encoding import UNDECIDED

Weights = tuple[NDArray[np.float64], NDArray[np.float64]]

NAMES = ("uniform", "balanced", "correlation")

_HIDDEN = 4.0  # largest initial weight of a hidden concept, times the square root of the number of concepts


def uniform(n_concepts: int, random: np.random.RandomState) -> Weights:
    """Return weights and bias uniform in [-1, 1], as in the paper."""
    return random.uniform(-1.0, 1.0, (n_concepts, n_concepts)), random.uniform(-1.0, 1.0, n_concepts)


def balanced(
    n_concepts: int,
    random: np.random.RandomState,
    limits: Bounds | None,
    largest: float | NDArray[np.float64] = 4.0,
) -> Weights:
    """Return uniform weights divided by the square root of the number of concepts, and a centring bias.

    For any number of concepts, the weights are small enough that no concept starts saturated, where training is slow,
    and large enough that concepts differ. `largest` is the largest weight times that root, for all concepts or as a
    column with one value per concept.
    """
    W = random.uniform(-largest, largest, (n_concepts, n_concepts)) / np.sqrt(n_concepts)
    return centred(W, np.full(n_concepts, UNDECIDED), limits)


def around(
    prior: NDArray[np.float64], concepts: Concepts, random: np.random.RandomState, limits: Bounds | None, scale: float
) -> Weights:
    """Return the weights of a prior plus random weights into hidden concepts, and a centring bias.

    No noise is added to edges from features to features and outputs: these concepts differ already. Features without
    memory would be identical, so they get random weights like hidden concepts. The weights from hidden concepts to
    outputs are multiplied by `scale`.
    """
    n = len(concepts)
    noise = np.zeros((n, n))
    noise[concepts.hidden] = _HIDDEN / np.sqrt(n)
    noise[np.flatnonzero(np.diag(prior)[concepts.inputs] == 0.0)] = _HIDDEN / np.sqrt(n)
    noise[concepts.outputs, concepts.hidden] = scale * _HIDDEN / np.sqrt(n)
    return centred(prior + random.uniform(-noise, noise), np.full(n, UNDECIDED), limits)


def structured(concepts: Concepts, random: np.random.RandomState, scale: float) -> Weights:
    """Return initial weights and bias of hidden concepts and outputs of a structured map, as `around` memory."""
    n, n_hidden = len(concepts), concepts.n_hidden
    largest = _HIDDEN / np.sqrt(n)
    W = np.zeros((n_hidden + concepts.n_outputs, n))
    W[:n_hidden] = random.uniform(-largest, largest, (n_hidden, n))
    W[n_hidden:, concepts.hidden] = scale * random.uniform(-largest, largest, (concepts.n_outputs, n_hidden))
    return centred(W, np.full(n, UNDECIDED), None)


def centred(W: NDArray[np.float64], middle: NDArray[np.float64], limits: Bounds | None) -> Weights:
    """Clip the weights to their bounds, and add the bias with which states `middle` lead every concept to 0.5."""
    if limits is not None:
        W = np.clip(W, *limits)
    return W, UNDECIDED - W @ middle


def correlation(
    X: NDArray[np.floating],
    targets: NDArray[np.floating],
    sample_weight: NDArray[np.floating] | None,
    limits: Bounds | None,
) -> Weights:
    """Return correlations of features and targets, divided by the square root of the number of concepts.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Scaled features.
    targets : ndarray of shape (n_samples, n_outputs)
        Targets, one column per output.
    sample_weight : ndarray of shape (n_samples,) or None
        Weights of the rows.
    limits : pair of ndarray or None
        Lower and upper bounds of the weights.
    """
    weight = np.ones(len(X)) if sample_weight is None else sample_weight
    share = weight / weight.sum()
    columns = np.hstack([X, targets]).astype(np.float64, copy=False)
    mean = share @ columns
    columns = (columns - mean) * np.sqrt(share)[:, None]
    largest = np.abs(columns).max(axis=0)
    columns /= np.where(largest > 1e100, largest, 1.0)  # so that their squares do not overflow
    covariance = columns.T @ columns
    deviation = np.sqrt(np.diag(covariance))
    deviation[deviation == 0.0] = np.inf  # a constant column is correlated with nothing
    W = covariance / np.outer(deviation, deviation) / np.sqrt(len(mean))
    middle = np.concatenate([mean[: X.shape[1]], np.full(targets.shape[1], UNDECIDED)])
    return centred(W, middle, limits)


def from_map(expert: FuzzyCognitiveMap, concepts: Sequence[str], slope: float, owner: str) -> Weights:
    """Return weights and bias that, at `slope`, give the same trajectories as an expert's map.

    Concepts are matched by name, in any order. A map with default names (C1, C2, ...) is matched by position.
    """
    positions = matched(expert, concepts, owner, "init")
    # slope_e (W_e A + b_e - center_e) = slope (W A + b - 0.5), row by row
    factor = weight_factors(expert, slope, owner, "init")
    W, b = np.empty_like(expert.weights), np.empty_like(expert.bias)
    W[np.ix_(positions, positions)] = expert.weights * factor[:, None]
    b[positions] = (expert.bias - get_activation(expert.activation).center) * factor + 0.5
    return W, b


def from_structured(earlier: StructuredMap, slope: float) -> Weights:
    """Return weights and bias of hidden concepts and outputs that, at `slope`, give the same trajectories."""
    factor = float(earlier.slope) / slope
    b = earlier.bias[-len(earlier.rows) :]
    return earlier.rows * factor, (b - 0.5) * factor + 0.5


def weight_factors(expert: FuzzyCognitiveMap, slope: float, owner: str, parameter: str) -> NDArray[np.float64]:
    """Return the factor on the weights into each concept that gives the same influence at `slope`."""
    if expert.activation not in ("sigmoid", "logistic"):
        raise param_error(
            owner,
            parameter,
            "a map with states in [0, 1] (activation 'sigmoid' or 'logistic')",
            Literal(f"a map with activation {expert.activation!r}"),
            "Build the map with activation='sigmoid'.",
        )
    return np.broadcast_to(expert.slope, expert.n_concepts) / slope


def matched(
    expert: FuzzyCognitiveMap, concepts: Sequence[str], owner: str, parameter: str, partly: bool = False
) -> list[int]:
    """Return the position in `concepts` of each concept of a map; `partly` allows a map of some of them."""
    positions = {name: position for position, name in enumerate(concepts)}
    in_map = set(expert.concepts)
    missing = [name for name in concepts if name not in in_map]
    unknown = [name for name in expert.concepts if name not in positions]
    if not unknown and (partly or not missing):
        return [positions[name] for name in expert.concepts]
    if expert.concepts == tuple(f"C{i + 1}" for i in range(len(concepts))):
        return list(range(len(concepts)))
    some = "some or all of" if partly else "the"
    without = "" if partly else f" without {shown(missing)},"
    raise param_error(
        owner,
        parameter,
        f"a map of {some} {len(concepts)} concepts of this problem, features first, then classes",
        Literal(f"a map of {expert.n_concepts} concepts,{without} with {shown(unknown)}"),
        nearest_concept(unknown[0], missing) if unknown else "",
    )
