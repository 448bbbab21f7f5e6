"""Steps of single features, proposed by small boosted trees."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

_N_TREES = 20
_RATE = 0.25
_MAX_STEPS = 12
_APART = 0.05  # quantiles between two steps of a feature; nearer ones are merged
_MAX_ROWS = 5000

Array = NDArray[np.float64]


def propose_steps(
    T: Array, targets: Array, weight: Array, random: np.random.RandomState, output: str = "one_hot"
) -> list[tuple[int, float]]:
    """Return the steps at which boosted trees of depth 2 split most often, weighted by their gain.

    Parameters
    ----------
    T : ndarray of shape (n_rows, n_features)
        States of the features.
    targets : ndarray of shape (n_rows, n_outputs)
        Targets: 0 and 1 for classes and labels, or standardized values.
    weight : ndarray of shape (n_rows,)
        Weights of the rows.
    random : RandomState
        Determines which rows each tree sees.
    output : {"single", "one_hot", "labels", "ordered", "values"}, default="one_hot"
        Kind of outputs.

    Returns
    -------
    list of (feature, state)
        At most twelve steps, the strongest first. Features with two values have none: they are steps already.
    """
    from sklearn.tree import DecisionTreeRegressor  # lazy: full maps do not need it

    if len(T) > _MAX_ROWS:
        rows = random.permutation(len(T))[:_MAX_ROWS]
        T, targets, weight = T[rows], targets[rows], weight[rows]
    n_rows, classes = len(T), output in ("single", "one_hot", "labels")
    weight = weight / weight.mean()
    T = np.ascontiguousarray(T, dtype=np.float32)  # as trees need it
    scores = np.zeros(targets.shape)
    gains: dict[tuple[int, float], float] = {}
    smallest = max(5, n_rows // 100)
    for _ in range(_N_TREES):
        predicted = scores if not classes else softmax(scores, axis=1) if output == "one_hot" else expit(scores)
        residual = targets - predicted
        chosen = random.random_sample(n_rows) < 0.8
        if chosen.sum() < 2 * smallest:
            break
        tree = DecisionTreeRegressor(max_depth=2, min_samples_leaf=smallest, random_state=random.randint(2**31))
        tree.fit(T[chosen], residual[chosen], sample_weight=weight[chosen], check_input=False)
        leaf = tree.tree_.apply(T)
        curvature = predicted * (1.0 - predicted) if classes else np.ones(targets.shape)
        of_leaf = np.equal.outer(np.unique(leaf), leaf) * weight
        scores += _RATE * (of_leaf > 0.0).T @ ((of_leaf @ residual) / (of_leaf @ curvature + 1.0))
        _add_gains(tree.tree_, gains)
    return _strongest(T, gains)


def _add_gains(tree: object, gains: dict[tuple[int, float], float]) -> None:
    """Add the gain of every split of a tree."""
    left, right = tree.children_left, tree.children_right  # type: ignore[attr-defined]
    mass = tree.weighted_n_node_samples * tree.impurity  # type: ignore[attr-defined]
    for node in np.flatnonzero(left >= 0):
        key = int(tree.feature[node]), float(tree.threshold[node])  # type: ignore[attr-defined]
        gains[key] = gains.get(key, 0.0) + float(mass[node] - mass[left[node]] - mass[right[node]])


def _strongest(T: NDArray[np.floating], gains: dict[tuple[int, float], float]) -> list[tuple[int, float]]:
    """Merge steps that are near each other and return the strongest."""
    merged: list[list[float]] = []  # feature, state, quantile, gain
    sorted_columns: dict[int, NDArray[np.floating]] = {}
    for (feature, cut), gain in sorted(gains.items(), key=lambda item: -item[1]):
        if feature not in sorted_columns:
            sorted_columns[feature] = np.sort(T[:, feature])
        column = sorted_columns[feature]
        if np.searchsorted(column, column[0], side="right") == np.searchsorted(column, column[-1]):
            continue  # two values
        quantile = float(np.searchsorted(column, cut)) / len(column)
        near = [step for step in merged if step[0] == feature and abs(step[2] - quantile) < _APART]
        if near:
            near[0][3] += gain
        else:
            merged.append([feature, cut, quantile, gain])
    merged.sort(key=lambda step: -step[3])
    return [(int(feature), float(cut)) for feature, cut, _, _ in merged[:_MAX_STEPS]]
