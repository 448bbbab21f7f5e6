"""Steps of single features and pairs of them, proposed by small boosted trees."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

_N_TREES = 20
_RATE = 0.25
_MAX_STEPS = 12
_MAX_PAIRS = 12
_ROWS_PER_PAIR, _FEW_ROWS = 100, 250  # tables of few rows have no pairs
_APART = 0.05  # quantiles between two steps of a feature; nearer ones are merged
_MAX_ROWS = 5000

Array = NDArray[np.float64]
Condition = tuple[int, float, int]  # feature, state, and 1 for above or -1 for below


def propose_conditions(
    T: Array, targets: Array, weight: Array, random: np.random.RandomState, output: str = "one_hot"
) -> list[tuple[Condition, ...]]:
    """Return the conditions, single and in pairs, by which boosted trees of depth 2 split most, weighted by their gain.

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
    list of tuples of (feature, state, sign)
        At most twelve single conditions, and from 250 rows on at most twelve pairs, one per hundred rows, the strongest
        first. Features with two values have no single conditions: they are steps already.
    """
    from sklearn import config_context
    from sklearn.tree import DecisionTreeRegressor  # lazy: full maps do not need it

    if len(T) > _MAX_ROWS:
        rows = random.permutation(len(T))[:_MAX_ROWS]
        T, targets, weight = T[rows], targets[rows], weight[rows]
    n_rows, classes = len(T), output in ("single", "one_hot", "labels")
    weight = weight / weight.mean()
    is_weighted = (weight != 1.0).any()
    T = np.ascontiguousarray(T, dtype=np.float32)  # as trees need it
    scores = np.zeros(targets.shape)
    gains: dict[tuple[Condition, ...], float] = {}
    smallest = max(5, n_rows // 100)
    of_tree = np.random.RandomState(0)  # seeded again for each tree: making one takes as long as a small tree
    for _ in range(_N_TREES):
        predicted = scores if not classes else softmax(scores, axis=1) if output == "one_hot" else expit(scores)
        residual = targets - predicted
        chosen = random.random_sample(n_rows) < 0.8
        if chosen.sum() < 2 * smallest:
            break
        of_tree.seed(random.randint(2**31))
        tree = DecisionTreeRegressor(max_depth=2, min_samples_leaf=smallest, random_state=of_tree)
        with config_context(skip_parameter_validation=True, assume_finite=True):  # they take longer than a small tree
            of_rows = weight[chosen] if is_weighted else None
            tree.fit(T[chosen], residual[chosen], sample_weight=of_rows, check_input=False)
        leaf = tree.tree_.apply(T)
        curvature = predicted * (1.0 - predicted) if classes else np.ones(targets.shape)
        of_leaf = np.equal.outer(np.unique(leaf), leaf) * weight
        scores += _RATE * (of_leaf > 0.0).T @ ((of_leaf @ residual) / (of_leaf @ curvature + 1.0))
        _add_gains(tree.tree_, gains)
    return _strongest(T, gains)


def _add_gains(tree: Any, gains: dict[tuple[Condition, ...], float]) -> None:
    """Add the gain of every split of a tree, and that of the second splits as pairs with the first."""
    left, right = tree.children_left, tree.children_right
    mass = tree.weighted_n_node_samples * tree.impurity

    def condition(node: int, child: int) -> Condition:
        return int(tree.feature[node]), float(tree.threshold[node]), 1 if child == right[node] else -1

    for node in np.flatnonzero(left >= 0).tolist():
        gain = float(mass[node] - mass[left[node]] - mass[right[node]])
        keys: list[tuple[Condition, ...]] = [(condition(node, right[node]),)]
        if node and tree.feature[node] != tree.feature[0]:
            smaller = min(left[node], right[node], key=lambda child: tree.weighted_n_node_samples[child])
            keys.append((condition(0, node), condition(node, smaller)))
        for key in keys:
            gains[key] = gains.get(key, 0.0) + gain


def _strongest(T: NDArray[np.floating], gains: dict[tuple[Condition, ...], float]) -> list[tuple[Condition, ...]]:
    """Merge conditions that are near each other and return the strongest."""
    sorted_columns = {j: np.sort(T[:, j]) for j in {j for key in gains for j, _, _ in key}}
    merged: list[tuple[Condition, ...]] = []
    total: list[float] = []
    alike: dict[tuple[tuple[int, int], ...], list[tuple[int, list[float]]]] = {}  # numbers in `merged`, quantiles
    for key, gain in sorted(gains.items(), key=lambda item: -item[1]):
        if len(key) == 1 and _two_values(sorted_columns[key[0][0]]):
            continue
        place = [float(np.searchsorted(sorted_columns[j], cut)) / len(T) for j, cut, _ in key]
        others = alike.setdefault(tuple((j, sign) for j, _, sign in key), [])
        for i, there in others:
            if max(abs(a - b) for a, b in zip(place, there, strict=True)) < _APART:
                total[i] += gain
                break
        else:
            others.append((len(merged), place))
            merged.append(key)
            total.append(gain)
    keys = [merged[i] for i in np.argsort(-np.array(total), kind="stable")]
    n_pairs = min(_MAX_PAIRS, len(T) // _ROWS_PER_PAIR) if len(T) >= _FEW_ROWS else 0
    return [key for key in keys if len(key) == 1][:_MAX_STEPS] + [key for key in keys if len(key) == 2][:n_pairs]


def _two_values(column: NDArray[np.floating]) -> bool:
    """Return whether a sorted column has at most two values."""
    return bool(np.searchsorted(column, column[0], side="right") >= np.searchsorted(column, column[-1]))
