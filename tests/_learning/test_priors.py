"""The map to which the penalty pulls: nothing, memory, or what an expert says."""

import numpy as np
import pytest

from cogmap import FCMClassifier, FuzzyCognitiveMap
from cogmap._learning import initialization
from cogmap._learning.concepts import Concepts
from cogmap._learning.plan import Plan
from cogmap._learning.priors import make_prior
from cogmap._learning.settings import DataShape, resolve
from cogmap._learning.spec import ModelSpec
from cogmap._learning.structure import weight_limits
from cogmap._learning.table import Table
from cogmap._learning.targets import ClassTargets
from cogmap.exceptions import ParameterError
from cogmap.models.encoding import Encoding
from cogmap.models.links import LogOddsLink

CONCEPTS = Concepts.of(["rain", "mood"], 1, ["class=yes"])
RAIN_TO_YES = (3, 0)  # places in W: to, from


def prior(given, slope=2.0, edges=None, bounds=None):
    limits = weight_limits(edges, bounds, CONCEPTS, "FCMClassifier")
    return make_prior(given, CONCEPTS, slope, limits, "FCMClassifier")


def test_no_prior_pulls_all_weights_to_0_alike():
    """As before there were priors."""
    none = prior(None)
    assert not none.weights.any()
    assert (none.pull == 1.0).all()
    assert not none.from_expert.any()


@pytest.mark.parametrize("slope", [0.5, 2.0, 5.0])
def test_memory_keeps_values_and_does_nothing_else(slope):
    """A feature of 0.5 stays, one of 0.7 stays on its side, at any slope; nothing else is influenced."""
    memory = prior("memory", slope)
    assert np.array_equal(memory.weights != 0.0, np.diag([True, True, False, False]))
    fcm = FuzzyCognitiveMap(memory.weights, 0.5 - 0.5 * memory.weights.sum(axis=1), slope)
    states = fcm.run(np.array([0.7, 0.5, 0.5, 0.5]), 3)
    np.testing.assert_allclose(states[:, 1:], 0.5)
    assert (states[:, 0] >= 0.7).all()
    np.testing.assert_allclose(states, FuzzyCognitiveMap(prior("memory").weights, [-1, -1, 0.5, 0.5], 2.0).run(
        np.array([0.7, 0.5, 0.5, 0.5]), 3))  # fmt: skip


def test_what_comes_into_features_and_between_outputs_is_pulled_harder():
    """But not what a feature remembers, nor what hidden concepts do."""
    pull = make_prior("memory", Concepts.of(["a", "b"], 1, ["c", "d"]), 2.0, None, "FCMClassifier").pull
    assert pull.tolist() == [
        [1, 3, 3, 3, 3],
        [3, 1, 3, 3, 3],
        [1, 1, 1, 1, 1],
        [1, 1, 1, 10, 10],
        [1, 1, 1, 10, 10],
    ]


def test_memory_gives_way_to_edges_and_bounds():
    """It is as near to itself as they allow."""
    edges = np.ones((4, 4), dtype=bool)
    edges[0, 0] = False
    assert np.diag(prior("memory", edges=edges).weights).tolist() == [0, 3, 0, 0]
    assert np.diag(prior("memory", bounds={("mood", "mood"): (-1, 1)}).weights).tolist() == [3, 1, 0, 0]


def test_an_experts_map_adds_to_memory_what_it_says():
    """Concepts by name, in any order, of which some may be missing; weights at our slope."""
    expert = FuzzyCognitiveMap([[0.0, -1.0], [0.0, 0.5]], slope=5.0, concepts=["class=yes", "rain"])
    said = prior(expert)
    expected = prior("memory").weights.copy()
    expected[RAIN_TO_YES], expected[0, 0] = -2.5, 1.25
    assert np.array_equal(said.weights, expected)
    assert np.argwhere(said.from_expert).tolist() == [[0, 0], [3, 0]]
    assert np.array_equal(said.pull, prior("memory").pull)


def test_a_map_without_names_is_of_features_and_outputs_or_of_all_concepts():
    """In our order."""
    W = np.zeros((3, 3))
    W[2, 0] = 1.0
    assert np.argwhere(prior(FuzzyCognitiveMap(W)).from_expert).tolist() == [list(RAIN_TO_YES)]
    W = np.zeros((4, 4))
    W[2, 0] = 1.0  # into the hidden concept
    assert np.argwhere(prior(FuzzyCognitiveMap(W)).from_expert).tolist() == [[2, 0]]


def expert(weight, **details):
    """A map with one influence, of rain on yes."""
    return FuzzyCognitiveMap.from_edges([("rain", "class=yes", weight)], **details)


@pytest.mark.parametrize(
    ("given", "edges", "bounds", "message"),
    [
        (FuzzyCognitiveMap.from_edges([("rian", "class=yes", 1)]), None, None, r"with \['rian'\]. Did you mean 'rain'"),
        (FuzzyCognitiveMap.from_edges([("rain", "yes", 1)]), None, None, r"with \['yes'\]. Did you mean 'class=yes'"),
        (FuzzyCognitiveMap(np.eye(2)), None, None, r"all of 4 concepts.*got a map of 2 concepts, with \['C1', 'C2'\]"),
        (FuzzyCognitiveMap(np.eye(7)), None, None, r"a map of 7 concepts, with \['C1'"),
        (expert(1, activation="tanh"), None, None, r"states in \[0, 1\].*got a map with activation 'tanh'.*Build"),
        (expert(1, slope=2), None, {("rain", "class=yes"): "-"}, r"'rain' -> 'class=yes' allow \[-inf, 0\], got 1"),
        (
            expert(-1, slope=2),
            {("rain", "class=yes"): "+"},
            None,
            r"allow \[0, inf\], got -1 \(at slope 2\). Change one",
        ),
        (expert(1, slope=2), [("mood", "class=yes")], None, "'rain' -> 'class=yes' allow no influence, got 1"),
        (expert(9, slope=2), None, (-3, 3), r"allow \[-3, 3\], got 9"),
    ],
)
def test_what_an_expert_cannot_mean_is_told(given, edges, bounds, message):
    """Unknown concepts, with the nearest name; other sizes and activations; what contradicts edges or bounds."""
    with pytest.raises(ParameterError, match=rf"`FCMClassifier\(prior=...\)` must be .*{message}"):
        prior(given, edges=edges, bounds=bounds)


def make_spec(**parameters):
    rng = np.random.default_rng(0)
    X = rng.random((30, 2))
    targets = ClassTargets((X[:, 0] > 0.5).astype(np.intp), LogOddsLink(np.array(["no", "yes"])))
    table = Table(X, targets, features=("rain", "mood"))
    shape = DataShape(30, 2, 1)
    settings = resolve(FCMClassifier(**parameters).get_params(deep=False), shape)
    return ModelSpec.for_table(table, Plan(Encoding(2), settings, table.features, shape)), table


@pytest.mark.parametrize("n_hidden", [0, 3])
def test_without_a_prior_learning_starts_balanced(n_hidden):
    """With the same random numbers, to the last bit, as the start alone would be; nothing limits the weights."""
    spec, table = make_spec(prior=None, n_hidden=n_hidden)
    W, b = initialization.balanced(3 + n_hidden, np.random.RandomState(7), None, 8.0 if n_hidden else 4.0)
    assert np.array_equal(spec.start(table, np.random.RandomState(7)), np.concatenate([W.ravel(), b]))
    assert spec.limits is None


def test_around_a_prior_only_hidden_concepts_start_at_random():
    """What they are influenced by, and what they say to outputs; all else is the prior, whatever the seed."""
    spec, table = make_spec(prior=expert(1.0, slope=2), n_hidden=3)
    starts = [spec.start(table, np.random.RandomState(seed))[:36].reshape(6, 6) for seed in (0, 1)]
    random = starts[0] != starts[1]
    expected = np.zeros((6, 6), dtype=bool)
    expected[2:5], expected[5, 2:5] = True, True
    assert np.array_equal(random, expected)
    assert np.array_equal(starts[0][~random], spec.prior.weights[~random])


def test_features_that_must_not_remember_start_at_random_too():
    """Otherwise all weights would be 0, from where no gradient leads anywhere."""
    edges = np.ones((3, 3), dtype=bool)
    edges[range(2), range(2)] = False
    spec, table = make_spec(edges=edges)
    W = spec.start(table, np.random.RandomState(0))[:9].reshape(3, 3)
    assert W[0, 1] != 0.0 != W[1, 0]
    assert not W[~edges].any()


def test_departures_are_those_of_the_expert_with_the_largest_first():
    """Only what the expert drew; what is gone is a departure to 0, what stays one of nothing."""
    drawn = FuzzyCognitiveMap.from_edges([("rain", "class=yes", 1), ("mood", "class=yes", -1), ("rain", "mood", 0.5)])
    spec, _ = make_spec(prior=drawn, slope=1.0, n_hidden=0)
    theta = np.zeros(12)
    theta[spec.prior.weights.ravel().nonzero()] = 9.0  # memory changed too
    theta[[6, 7, 3]] = -0.5, 0.0, 0.5
    prior_deviations = spec.prior_deviations(spec.model(theta))
    assert [tuple(departure) for departure in prior_deviations] == [
        ("rain", "class=yes", 1.0, -0.5),
        ("mood", "class=yes", -1.0, 0.0),
        ("rain", "mood", 0.5, 0.5),
    ]
    assert make_spec()[0].prior_deviations(make_spec()[0].model(np.zeros(19 * 20))) == []
