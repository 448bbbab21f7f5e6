"""Inference rules, permanent clamps and readable versions of a map, expressed as changes of weights and biases.

Functions of a map therefore need no parameters for rules or clamps: pass them the rewritten map.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from cogmap._utils.params import Literal, check_choice, param_error
from cogmap.maps._arguments import check_map
from cogmap.maps._checks import renamed_details
from cogmap.maps._states import by_name
from cogmap.maps.activations import get_activation
from cogmap.maps.drawing.view import graph_view
from cogmap.maps.map import FuzzyCognitiveMap

__all__ = ["for_people", "with_clamp", "with_rule"]

RULES = ("kosko", "modified", "rescaled")


def with_rule(fcm: FuzzyCognitiveMap, rule: str) -> FuzzyCognitiveMap:
    """Return a map whose steps are those of `fcm` under another inference rule.

    With ``f`` the activation function, ``W`` the weights, ``I`` the identity and ``1`` a vector of ones:

    ========== ======================================== ============================================
    rule       a step                                   weights and bias
    ========== ======================================== ============================================
    kosko      ``f(W A)``                               unchanged
    modified   ``f(A + W A)``                           ``W + I``
    rescaled   ``f((2 A - 1) + W (2 A - 1))``           ``2 (W + I)``, bias plus ``-(W + I) 1``
    ========== ======================================== ============================================

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The original map.
    rule : {"kosko", "modified", "rescaled"}
        The rule. ``"rescaled"`` requires states in [0, 1].

    Returns
    -------
    FuzzyCognitiveMap
        The rewritten map. Use it for dynamics; compute indices from `fcm`, whose weights are the original ones.

    See Also
    --------
    with_clamp : Return the map of the free concepts, with the influence of clamped concepts added to the bias.
    cogmap.FuzzyCognitiveMap.replace : Return a copy with some parameters replaced.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.rewriting import with_rule
    >>> rain = FuzzyCognitiveMap([[0, 0], [2, 0]], concepts=["rain", "umbrellas"], activation="logistic")
    >>> with_rule(rain, "rescaled")
    FuzzyCognitiveMap: 2 concepts, logistic, slope 1
    influence on  of rain  of umbrellas   bias
    rain             2.00          0.00  -1.00
    umbrellas        4.00          2.00  -3.00
    """
    check_map(fcm, "with_rule")
    rule = check_choice("with_rule", "rule", rule, RULES)
    if rule == "kosko":
        return fcm
    W = fcm.weights + np.diag([float(name not in fcm.held) for name in fcm.concepts])
    if rule == "modified":
        return fcm.replace(weights=W)
    if np.any(get_activation(fcm.activation).low != 0.0):
        got = Literal(f"'rescaled' for a map with activation {fcm.activation!r}")
        raise param_error("with_rule", "rule", "'kosko' or 'modified' for states in [-1, 1]", got)
    with np.errstate(over="ignore"):  # the map rejects infinite weights
        return fcm.replace(weights=2.0 * W, bias=fcm.bias - W.sum(axis=1))


def with_clamp(fcm: FuzzyCognitiveMap, clamp: Mapping[str, float]) -> FuzzyCognitiveMap:
    """Return the map of the free concepts, with the influence of clamped concepts added to the bias.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    clamp : mapping
        States, by name, at which concepts are held. At least one concept must remain free.

    Returns
    -------
    FuzzyCognitiveMap
        A map whose steps are those of the free concepts in ``fcm.run(..., clamp=clamp)``.

    See Also
    --------
    with_rule : Return a map whose steps are those of `fcm` under another inference rule.
    cogmap.maps.scenarios.scenario : Clamp some concepts and compute the states that the map converges to.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.rewriting import with_clamp
    >>> rain = FuzzyCognitiveMap([[0, 0], [2, 0]], concepts=["rain", "umbrellas"], slope=5)
    >>> with_clamp(rain, {"rain": 0.5})
    FuzzyCognitiveMap: 1 concept, sigmoid, slope 5
    influence on  of umbrellas  bias
    umbrellas             0.00  1.00
    """
    check_map(fcm, "with_clamp")
    clamped = by_name(clamp, fcm.concepts, "with_clamp", "clamp")
    free = [i for i in range(fcm.n_concepts) if i not in clamped]
    if not free:
        raise param_error(
            "with_clamp", "clamp", "a mapping that leaves at least one concept free", Literal("all concepts of the map")
        )
    columns, states = list(clamped), np.array(list(clamped.values()))
    per_concept = {
        name: [value[i] for i in free]
        for name, value in (("activation", fcm.activation), ("slope", fcm.slope))
        if isinstance(value, tuple | np.ndarray)
    }
    concepts = [fcm.concepts[i] for i in free]
    return fcm.replace(
        weights=fcm.weights[np.ix_(free, free)],
        bias=fcm.bias[free] + fcm.weights[np.ix_(free, columns)] @ states,
        concepts=concepts,
        details=renamed_details(fcm.details, {name: name for name in concepts}),
        held=[name for name in fcm.held if name not in clamp],
        **per_concept,
    )


def for_people(fcm: FuzzyCognitiveMap, kinds: Sequence[str] | None = None) -> FuzzyCognitiveMap:
    """Return a map with only the arrows that its drawing shows, and weights in [-1, 1].

    Drawing tools show every edge, and a learned map has an edge between almost any two concepts. If a weight is larger
    than 1, all are divided by the largest; slopes and biases are adapted, so that the dynamics differ only by the
    omitted edges.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map, such as a learned one.
    kinds : sequence of {"feature", "hidden", "output"}, default=None
        Kind of each concept. None means those of the map.

    Returns
    -------
    FuzzyCognitiveMap
        A map of the same concepts with fewer arrows.

    See Also
    --------
    cogmap.write_map : Write a map to a file, atomically.
    cogmap.prune : Remove the edges with the least flow on the data and refit the map.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.rewriting import for_people
    >>> rain = FuzzyCognitiveMap([[0, 0], [2, 0]], concepts=["rain", "umbrellas"], slope=5, activation="logistic")
    >>> for_people(rain)
    FuzzyCognitiveMap: 2 concepts, logistic, slope 10
    influence on  of rain  of umbrellas  bias
    rain             0.00          0.00  0.00
    umbrellas        1.00          0.00  0.00
    """
    check_map(fcm, "for_people")
    view = graph_view(fcm.concepts, fcm.weights, fcm.kinds if kinds is None else kinds)
    index = {name: i for i, name in enumerate(fcm.concepts)}
    weights = np.zeros(fcm.weights.shape)
    for edge in [*view["edges"], *view["rings"]]:
        ends = index[view["names"][edge["target"]]], index[view["names"][edge["source"]]]
        weights[ends] = fcm.weights[ends]
    largest = max(1.0, float(np.abs(weights).max()))
    center = get_activation(fcm.activation).center
    return FuzzyCognitiveMap(
        weights / largest,
        (fcm.bias - center) / largest + center,
        fcm.slope * largest,
        fcm.concepts,
        fcm.activation,
        fcm.details,
        fcm.kinds,
        fcm.held,
    )
