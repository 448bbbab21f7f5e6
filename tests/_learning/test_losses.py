"""Losses and penalties by themselves, against formulas written out."""

import numpy as np
import pytest
from scipy.special import log_softmax

from cogmap._learning.losses import LogLoss, SoftmaxCrossEntropy, SquaredLoss
from cogmap._learning.penalties import ElasticNet
from cogmap.models.links import LogOddsLink, SoftmaxLink

NET = np.random.default_rng(0).normal(size=(3, 8))
CODES = np.array([0, 1, 2, 0, 1, 2, 0, 1])
WEIGHT = np.linspace(0.5, 2.0, 8)


def log_loss(net, codes):
    p = 1.0 / (1.0 + np.exp(-2.0 * net[0]))
    return -np.log(np.where(codes == 1, p, 1.0 - p))


def cross_entropy(net, codes, gain=4.0):
    return -log_softmax(gain * (0.5 + 0.5 * np.tanh(net)), axis=0)[codes, np.arange(len(codes))]


def squared(net, values):
    return 0.5 * np.square(net - values.T).sum(axis=0)


CASES = {
    "log loss": (LogLoss(), log_loss, NET[:1], CODES % 2),
    "cross-entropy": (SoftmaxCrossEntropy(3, 4.0), cross_entropy, NET, CODES),
    "squared loss": (SquaredLoss(3), squared, NET, np.random.default_rng(1).normal(size=(8, 3))),
}


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", CASES)
def test_value_and_gradient_are_those_of_the_formula(name, weight):
    """One call gives the weighted sum and, in place of what entered the outputs, its gradient."""
    loss, formula, net, targets = CASES[name]
    factor = np.ones(8) if weight is None else weight
    gradient = net.copy()
    assert loss(gradient, targets, weight) == pytest.approx(float(factor @ formula(net, targets)))
    for i in range(len(net)):
        moved = [formula(net + sign * 1e-6 * np.eye(len(net))[i][:, None], targets) for sign in (1, -1)]
        np.testing.assert_allclose(gradient[i], factor * (moved[0] - moved[1]) / 2e-6, atol=1e-7)


def test_losses_are_those_of_what_the_links_say():
    """The mean log loss of the probabilities that a link gives is the loss."""
    p = LogOddsLink(np.array([0, 1])).outputs(NET[:1])
    expected = -np.log(p[np.arange(8), CODES % 2]).sum()
    assert LogLoss()(NET[:1].copy(), CODES % 2, None) == pytest.approx(expected)
    p = SoftmaxLink(np.arange(3), 4.0).outputs(NET)
    assert SoftmaxCrossEntropy(3, 4.0)(NET.copy(), CODES, None) == pytest.approx(-np.log(p[np.arange(8), CODES]).sum())


@pytest.mark.parametrize("name", ["log loss", "cross-entropy"])
def test_of_a_table_it_is_the_mean(name):
    """Nothing is done to the mean over the rows."""
    assert CASES[name][0].overall(0.37) == (0.37, 1.0)


def test_of_a_table_squared_loss_is_half_a_logarithm():
    """Saying the mean of standardised targets, all of them, is 0; the derivative is that of the logarithm."""
    loss = SquaredLoss(2)
    assert loss.overall(1.0)[0] == pytest.approx(0.0, abs=1e-6)  # half of two squares of 1
    for mean in (1e-9, 0.1, 3.0):
        value, derivative = loss.overall(mean)
        higher, lower = loss.overall(mean * (1 + 1e-6))[0], loss.overall(mean * (1 - 1e-6))[0]
        assert value == pytest.approx(0.5 * np.log(mean + 1e-6))
        assert derivative == pytest.approx((higher - lower) / (2e-6 * mean), rel=1e-4)


class TestElasticNet:
    """The penalty around a prior, on weights, never on the bias."""

    THETA = np.array([1.0, -2.0, 0.0, 0.5, 100.0, -100.0])  # four weights, two of the bias
    NOWHERE, ALIKE = np.zeros(4), np.ones(4)
    PRIOR, PULL = np.array([1.5, -2.0, 0.2, -0.5]), np.array([1.0, 3.0, 2.0, 0.5])

    def test_alpha_is_shared_between_the_two_parts(self):
        """Divided by the rows, so that it goes with a mean loss."""
        penalty = ElasticNet.from_alpha(3.0, 0.25, 10, self.NOWHERE, self.ALIKE)
        assert (penalty.l1, penalty.l2, penalty.n_weights) == pytest.approx((0.075, 0.225, 4))

    def test_square_part_and_its_gradient(self):
        """Half the sum of squares of the weights."""
        gradient = np.ones(6)
        value = ElasticNet(0.0, 0.2, self.NOWHERE, self.ALIKE).add_smooth_part(self.THETA, gradient)
        assert value == pytest.approx(0.1 * (1 + 4 + 0.25))
        np.testing.assert_allclose(gradient, [1.2, 0.6, 1.0, 1.1, 1.0, 1.0])

    def test_square_part_around_a_prior(self):
        """Half the sum of squares of what weights are away from the prior, each times its pull."""
        gradient = np.ones(6)
        value = ElasticNet(0.0, 0.2, self.PRIOR, self.PULL).add_smooth_part(self.THETA, gradient)
        assert value == pytest.approx(0.1 * (0.25 + 2 * 0.04 + 0.5 * 1.0))
        np.testing.assert_allclose(gradient, [0.9, 1.0, 0.92, 1.1, 1.0, 1.0])

    def test_absolute_part_and_its_step(self):
        """Weights move towards 0 by what their rate says, and not past it."""
        penalty = ElasticNet(0.5, 0.0, self.NOWHERE, self.ALIKE)
        assert penalty.absolute_part(self.THETA) == pytest.approx(0.5 * 3.5)
        W = self.THETA[:4].copy()
        penalty.shrink(W, self.NOWHERE, np.array([1.0, 1.0, 1.0, 2.0]))
        assert W.tolist() == [0.5, -1.5, 0.0, 0.0]

    def test_absolute_part_around_a_prior(self):
        """Weights move towards the prior by pull times rate, from either side, and end exactly there."""
        penalty = ElasticNet(0.5, 0.0, self.PRIOR, self.PULL)
        assert penalty.absolute_part(self.THETA) == pytest.approx(0.5 * (0.5 + 2 * 0.2 + 0.5 * 1.0))
        W = self.THETA[:4].copy()
        penalty.shrink(W, self.PRIOR, np.array([0.5, 1.0, 1.0, 2.0]))
        np.testing.assert_allclose(W, [1.25, -2.0, 0.2, 0.0], atol=1e-15)
        assert (W == self.PRIOR).tolist() == [False, True, True, False]
