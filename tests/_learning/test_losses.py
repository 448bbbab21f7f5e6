"""Losses and penalties by themselves, against formulas written out."""

import numpy as np
import pytest
from scipy.special import expit, log_softmax
from sklearn.metrics import log_loss as mean_log_loss
from sklearn.metrics import mean_pinball_loss, mean_tweedie_deviance

from cogmap._learning.losses import (
    DevianceLoss,
    HuberLoss,
    LabelsLoss,
    LogLoss,
    OrderedLoss,
    PinballLoss,
    SoftmaxCrossEntropy,
    SquaredLoss,
)
from cogmap._learning.penalties import ElasticNet
from cogmap.models.links import LogOddsLink, OrderedLink, SoftmaxLink

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


def labels(net, y):
    p = expit(2.0 * net)
    return -np.log(np.where(y.T == 1.0, p, 1.0 - p)).sum(axis=0)


ORDERED = OrderedLink(np.arange(3), np.arange(3), np.array([-0.4, 0.7]))


def ordered(net, codes):
    above = expit(2.0 * (net[0] - np.array([[-np.inf], [-0.4], [0.7], [np.inf]])))
    return -np.log((above[:-1] - above[1:])[codes, np.arange(len(codes))])


def huber(net, values):
    far = np.abs(net - values.T)
    return np.where(far <= 0.5, 0.5 * far**2, 0.5 * (far - 0.25)).sum(axis=0)


QUANTILES = (0.1, 0.5, 0.8)


def pinball(net, values):
    """The mean of the pinball loss over a uniform distribution around the target, by its integral."""
    far, level = values.T - net, np.array(QUANTILES)[:, None]
    high, low = (np.where(x > 0, level, level - 1.0) * x**2 / 2 for x in (far + 0.02, far - 0.02))
    return ((high - low) / 0.04).sum(axis=0)


SPREAD = (0.7, 1.0, 1.3)
COUNTS = np.random.default_rng(2).poisson(1.5, (8, 3)) / 1.5


def half_deviance(power):
    def losses(net, values):
        mu, factor = np.exp(np.array(SPREAD)[:, None] * net), 0.5 / np.square(SPREAD)
        cells = [mean_tweedie_deviance([y], [m], power=power) for y, m in zip(values.T.flat, mu.flat, strict=True)]
        return factor @ np.reshape(cells, mu.shape)

    return losses


def deviance(power, targets):
    return DevianceLoss(3, power, SPREAD), half_deviance(power), NET, targets


CASES = {
    "ordered": (OrderedLoss(ORDERED), ordered, NET[:1], CODES),
    "labels": (LabelsLoss(3), labels, NET, np.random.default_rng(3).integers(0, 2, (8, 3)).astype(float)),
    "Huber": (HuberLoss(3), huber, NET, np.random.default_rng(1).normal(size=(8, 3))),
    "pinball": (PinballLoss(3, QUANTILES), pinball, NET, np.random.default_rng(1).normal(size=(8, 3))),
    "Poisson": deviance(1.0, COUNTS),
    "Gamma": deviance(2.0, COUNTS + 0.1),
    "Tweedie": deviance(1.4, COUNTS),
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


def test_pinball_loss_is_scikit_learns_up_to_the_smoothing():
    """The parabola at the kink adds at most a quarter of its half width."""
    loss, _, net, targets = CASES["pinball"]
    levels = zip(targets.T, net, QUANTILES, strict=True)
    exact = 8 * sum(mean_pinball_loss(y, p, alpha=level) for y, p, level in levels)
    assert 0.0 <= loss(net.copy(), targets, None) - exact <= 24 * 0.25 * loss.smoothing


def test_ordered_loss_is_that_of_the_link():
    """With labels and with probabilities, the mixture that teachers make of them."""
    p = ORDERED.outputs(NET[:1])
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert OrderedLoss(ORDERED)(NET[:1].copy(), CODES, None) == pytest.approx(8 * mean_log_loss(CODES, p))
    one_hot, soft = NET[:1].copy(), NET[:1].copy()
    assert OrderedLoss(ORDERED)(one_hot, CODES, WEIGHT) == pytest.approx(
        OrderedLoss(ORDERED)(soft, np.eye(3)[CODES], WEIGHT)
    )
    np.testing.assert_allclose(one_hot, soft)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["Poisson", "Gamma", "Tweedie", "ordered"])
def test_huge_outputs_have_finite_losses(name, dtype):
    """The exponential does not overflow: far out, a deviance continues along its tangent."""
    loss, _, net, targets = CASES[name]
    net = (1e4 * net).astype(dtype)
    assert np.isfinite(loss(net, targets if name == "ordered" else targets.astype(dtype), None))
    assert np.isfinite(net).all()


@pytest.mark.parametrize("name", ["log loss", "cross-entropy", "ordered", "labels"])
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


@pytest.mark.parametrize("loss", [HuberLoss(2), DevianceLoss(2, 1.0, (1.0, 1.0)), PinballLoss(2, (0.1, 0.9))])
def test_of_a_table_the_scale_of_the_noise_does_not_matter(loss):
    """A loss of values is a logarithm: a factor of all losses is a constant."""
    ratios = [loss.overall(10.0 * mean)[0] - loss.overall(mean)[0] for mean in (0.1, 1.0, 10.0)]
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-4)
    value, derivative = loss.overall(0.3)
    assert derivative == pytest.approx((loss.overall(0.3 + 1e-6)[0] - value) / 1e-6, rel=1e-4)


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
