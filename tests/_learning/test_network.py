"""Networks of named concepts: parameters, pruning, joining."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from cogmap._learning.network import MAX_INPUTS, Network, NetworkFit, deviations, joined
from cogmap._learning.solvers import StoppingRule
from cogmap._learning.solvers.spaces import Selected
from cogmap._learning.table import Table
from cogmap._learning.targets import ClassTargets
from cogmap.models.links import LogOddsLink, SoftmaxLink


def random_network(seed, n_inputs=5, n_hidden=6, n_outputs=2):
    random = np.random.RandomState(seed)
    start = Network.additive(n_inputs, random.normal(size=n_outputs)).with_random_hidden(n_hidden, random)
    start = start.reduced(np.ones(n_inputs), np.ones(n_inputs, dtype=bool))
    weights, among = np.zeros((3, n_inputs)), np.zeros((3, 3))  # two steps, and a combination of both and a feature
    weights[[0, 1, 2], [0, 1, 2]], among[2, :2] = [4.0, 5.0, 0.5], [1.5, -1.2]
    network = start.with_hidden(weights, np.array([0.5, -1.0, -1.5]), among)
    network.into_outputs[:, -3:] = random.normal(size=(n_outputs, 3))
    return network


def states(seed=0, n_rows=40, n_inputs=5):
    return np.random.RandomState(seed).uniform(-0.9, 0.9, (n_rows, n_inputs))


def test_parameters_of_the_objective_are_those_of_the_network():
    network = random_network(0)
    again = network.with_theta(network.theta(2.0), 2.0)
    for name in ("into_hidden", "hidden_bias", "into_outputs", "bias", "among"):
        np.testing.assert_allclose(getattr(again, name), getattr(network, name), atol=1e-12)


@pytest.mark.parametrize(
    "link", [LogOddsLink(np.array([0, 1])), SoftmaxLink(np.array([0, 1, 2]), 10.0)], ids=["single", "softmax"]
)
def test_loss_and_gradient_are_those_of_the_network(link):
    n_classes = len(link.classes)
    network, T = random_network(1, n_outputs=link.n_outputs), states()
    codes = np.arange(len(T)) % n_classes
    table = Table(0.5 + 0.5 * T, ClassTargets(codes, link))
    objective = NetworkFit(2.0, 0.2, link).objective(network, table)
    theta = network.theta(2.0)
    probabilities = link.outputs(network.net(T))
    expected = -np.log(probabilities[np.arange(len(T)), codes]).mean()
    assert objective.value(theta) == pytest.approx(expected, rel=1e-12)
    n_learned = network.n_hidden + link.n_outputs
    space = Selected(theta[:-n_learned].reshape(n_learned, -1) != 0.0)
    x = space.from_theta(theta)
    np.testing.assert_allclose(space.to_theta(x), theta, atol=1e-12)

    def gradient(x):
        _, of_theta, weight = objective.sums(space.to_theta(x))
        return space.gradient(of_theta, x) / weight

    assert check_grad(lambda x: objective.value(space.to_theta(x)), gradient, x) < 1e-6


def test_hidden_concepts_keep_their_strongest_inputs():
    random = np.random.RandomState(0)
    network = Network.additive(8, np.zeros(1)).with_random_hidden(10, random)
    free = np.arange(8) != 3
    reduced = network.reduced(np.ones(8), free)
    assert (np.count_nonzero(reduced.into_hidden, axis=1) == MAX_INPUTS).all()
    assert not reduced.into_hidden[:, 3].any()
    for before, after in zip(network.into_hidden, reduced.into_hidden, strict=True):
        weakest = np.abs(before[after != 0.0]).min()
        assert (np.abs(before[free & (after == 0.0)]) <= weakest).all()


@pytest.mark.parametrize("n_arrows", [30, 20, 11, 5, 1])
def test_pruning_keeps_at_most_so_many_arrows_and_nothing_dead(n_arrows):
    T = states()
    pruned = random_network(2).pruned(T, np.full(len(T), 1 / len(T)), n_arrows)
    assert pruned.n_arrows <= n_arrows
    assert (pruned.into_hidden.any(axis=1) | pruned.among.any(axis=1)).all()
    assert (pruned.into_outputs[:, pruned.n_inputs :].any(axis=0) | pruned.among.any(axis=0)).all()


def test_pruning_removes_the_weakest_direct_arrows_first():
    T = states()
    network = Network(np.zeros((0, 5)), np.zeros(0), np.array([[5.0, 1.0, 4.0, 2.0, 3.0]]), np.zeros(1))
    pruned = network.pruned(T, np.full(len(T), 1 / len(T)), 3)
    assert np.flatnonzero(pruned.into_outputs[0]).tolist() == [0, 2, 4]


def test_pruning_moves_the_influence_of_constants_into_the_bias():
    T = states()
    T[:, 1] = 0.4
    network = random_network(3)
    pruned = network.pruned(T, np.full(len(T), 1 / len(T)), 100)
    assert not pruned.into_outputs[:, 1].any()
    np.testing.assert_allclose(pruned.net(T), network.net(T), atol=0.5)  # weak inputs of hidden concepts are gone


def test_a_joined_network_computes_the_mean():
    T = states(n_rows=200)
    networks = [random_network(seed) for seed in range(3)]
    mean = np.mean([network.net(T) for network in networks], axis=0)
    np.testing.assert_allclose(joined(networks, T).net(T), mean, atol=0.2)  # alike concepts were merged


def test_joining_a_network_with_itself_changes_nothing():
    T = states(n_rows=200)
    network = random_network(4)
    same = joined([network, network], T)
    assert same.n_hidden <= network.n_hidden
    np.testing.assert_allclose(same.net(T), network.net(T), atol=0.3)


def test_a_combination_of_one_step_is_merged_into_the_step():
    into_hidden, among = np.array([[4.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [-2.0, 0.0]])
    network = Network(into_hidden, np.zeros(2), np.array([[0.0, 1.0, 0.0, 1.0]]), np.zeros(1), among)
    assert (network.depth, network.n_arrows) == (3, 4)
    again = joined([network], states(n_inputs=2))
    assert (again.depth, again.n_arrows) == (2, 3)
    assert again.into_outputs[0, 2] < 0.0


def test_a_combination_without_influence_takes_its_steps_along():
    network = random_network(3)
    network.into_outputs[:, -3:] = 0.0
    T = states()
    assert network.pruned(T, np.full(len(T), 1.0 / len(T)), 1000).depth == 2


def test_opposite_concepts_are_merged():
    T = states(n_rows=100)
    network = Network(np.array([[3.0, 0, 0, 0, 0]]), np.zeros(1), np.array([[0, 0, 0, 0, 0, 1.0]]), np.zeros(1))
    opposite = Network(-network.into_hidden, np.zeros(1), -network.into_outputs, np.zeros(1))
    both = joined([network, opposite], T)
    assert both.n_hidden == 1
    np.testing.assert_allclose(both.net(T), network.net(T), atol=1e-12)


def test_deviations_are_weighted():
    column = np.array([[0.0], [0.0], [1.0]])
    assert deviations(column, np.array([0.25, 0.25, 0.5]))[0] == pytest.approx(0.5)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_step_gets_the_sign_of_its_feature(way):
    """Whatever the rows say, and in whichever direction the step goes."""
    link, T = LogOddsLink(np.array([0, 1])), states(n_rows=200, n_inputs=2)
    table = Table(0.5 + 0.5 * T, ClassTargets((T[:, 0] > 0.2).astype(int), link))
    start = Network.additive(2, np.zeros(1)).with_hidden(np.array([[3.0 * way, 0.0]]), np.array([-0.6]))

    def effect(signs):
        fit = NetworkFit(2.0, 0.2, link, signs=np.zeros((1, 2)), step_signs=np.array([signs]))
        trained, _ = fit(start, table, StoppingRule(60, 1e-5, 20))
        return float(trained.into_outputs[0, 2] * trained.into_hidden[0, 0])

    assert effect([0.0, 0.0]) > 0.1
    assert effect([1.0, 0.0]) > 0.1
    assert effect([-1.0, 0.0]) == 0.0
