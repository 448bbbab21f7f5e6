"""Small networks of named concepts: features, hidden concepts with at most three inputs, and outputs.

Features are held: they keep their state. A hidden concept is a step of one feature, or a combination of up to three
features and steps; outputs are influenced by features and hidden concepts. In the form ``T = 2 A - 1`` of `objective`,

    T_hidden = tanh(V T_features + U T_hidden + c),    net = O (T_features, T_hidden) + d

where U has weights from steps to combinations only, so that two steps of the map compute all hidden concepts.

A network grows from a dense one, whose hidden concepts are then reduced to their strongest inputs, and shrinks arrow by
arrow. Networks of several teachers can be joined into one that computes the mean of their net inputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from cogmap._learning.penalties import ElasticNet
from cogmap._learning.solvers import Outcome, Problem, StoppingRule, Theta
from cogmap._learning.solvers.lbfgs import LBFGS
from cogmap._learning.solvers.spaces import Selected
from cogmap._learning.structured import StructuredObjective
from cogmap._learning.table import Table
from cogmap.models.links import Link, SoftmaxLink

Array = NDArray[np.float64]

MAX_INPUTS = 3  # of a hidden concept: more could not be named
_MIN_SHARE = 0.25  # weaker inputs of a hidden concept, relative to its strongest, are removed
_CONSTANT = 1e-9  # deviation of a concept that is constant up to rounding
_SAME = 0.85  # correlation of two hidden concepts that are merged
_DIRECT_PULL = (
    0.1  # penalty of direct arrows, relative to those from hidden concepts: effects are direct if they can be
)
_HIDDEN_PULL = 0.01  # penalty of weights into hidden concepts, relative to that of arrows into outputs


@dataclass(frozen=True)
class Network:
    """Weights in the form of ``T``; a weight of 0 is no arrow.

    Attributes
    ----------
    into_hidden : ndarray of shape (n_hidden, n_inputs)
        Weights from features to hidden concepts.
    hidden_bias : ndarray of shape (n_hidden,)
        Net input of hidden concepts if all features are undecided.
    into_outputs : ndarray of shape (n_outputs, n_inputs + n_hidden)
        Weights from features and hidden concepts to outputs.
    bias : ndarray of shape (n_outputs,)
        Net input of outputs if all other concepts are undecided.
    among : ndarray of shape (n_hidden, n_hidden), optional
        Weights from hidden concepts, which only features influence, to others. By default there are none.
    """

    into_hidden: Array
    hidden_bias: Array
    into_outputs: Array
    bias: Array
    among: Array = field(default_factory=lambda: np.zeros((0, 0)))

    def __post_init__(self) -> None:
        if not self.among.size:
            object.__setattr__(self, "among", np.zeros((self.n_hidden, self.n_hidden)))

    @classmethod
    def additive(cls, n_inputs: int, bias: Array) -> "Network":
        """Return a network without hidden concepts, whose arrows are about to be trained."""
        tiny = np.full((len(bias), n_inputs), 1e-3)
        return cls(np.zeros((0, n_inputs)), np.zeros(0), tiny, bias)

    def with_random_hidden(self, n_hidden: int, random: np.random.RandomState) -> "Network":
        """Return the network with further hidden concepts that all features influence, with random weights."""
        width = 4.0 / np.sqrt(self.n_inputs)
        into_hidden = random.uniform(-width, width, (n_hidden, self.n_inputs))
        network = self.with_hidden(into_hidden, random.uniform(-0.5, 0.5, n_hidden))
        network.into_outputs[:, -n_hidden:] = random.uniform(-0.05, 0.05, (len(self.bias), n_hidden))
        return network

    @property
    def n_inputs(self) -> int:
        """Number of features."""
        return int(self.into_hidden.shape[1])

    @property
    def n_hidden(self) -> int:
        """Number of hidden concepts."""
        return len(self.into_hidden)

    @property
    def n_arrows(self) -> int:
        """Number of arrows."""
        return sum(int(np.count_nonzero(part)) for part in (self.into_hidden, self.among, self.into_outputs))

    @property
    def depth(self) -> int:
        """Number of steps of the map after which the outputs are those of the network."""
        return 1 + (self.n_hidden > 0) + bool(self.among.any())

    def hidden_states(self, T: Array) -> Array:
        """Return the states of the hidden concepts, from -1 to 1."""
        net = T @ self.into_hidden.T + self.hidden_bias
        states = np.tanh(net)
        return np.tanh(net + states @ self.among.T) if self.among.any() else states

    def net(self, T: Array) -> Array:
        """Return the net inputs of the outputs, one row per output."""
        n = self.n_inputs
        net = self.into_outputs[:, :n] @ T.T + self.into_outputs[:, n:] @ self.hidden_states(T).T
        return net + self.bias[:, None]

    def with_hidden(self, into_hidden: Array, hidden_bias: Array, among: Array | None = None) -> "Network":
        """Return the network with further hidden concepts, whose arrows into outputs are about to be trained.

        Parameters
        ----------
        into_hidden, hidden_bias : ndarrays of shape (n_further, n_inputs) and (n_further,)
            Weights from features, and biases.
        among : ndarray of shape (n_further, n_further), optional
            Weights among the further ones.
        """
        tiny = np.full((len(self.bias), len(into_hidden)), 1e-3)
        return Network(
            np.concatenate([self.into_hidden, into_hidden]),
            np.concatenate([self.hidden_bias, hidden_bias]),
            np.concatenate([self.into_outputs, tiny], axis=1),
            self.bias,
            block_diag(self.among, np.zeros((len(into_hidden),) * 2) if among is None else among),
        )

    def reduced(self, deviation: Array, free: NDArray[np.bool_]) -> "Network":
        """Return the network with at most `MAX_INPUTS` inputs per hidden concept, the strongest, enlarged to match.

        Parameters
        ----------
        deviation : ndarray of shape (n_inputs,)
            Standard deviation of each feature.
        free : ndarray of bool of shape (n_inputs,)
            Features that may influence hidden concepts.
        """
        strength = np.abs(self.into_hidden) * deviation * free
        kept = np.zeros(strength.shape, dtype=bool)
        np.put_along_axis(kept, np.argsort(-strength, axis=1, kind="stable")[:, :MAX_INPUTS], True, axis=1)
        kept &= strength > 0.0
        before, after = np.square(strength).sum(axis=1), np.square(strength * kept).sum(axis=1)
        factor = np.sqrt(before / np.where(after == 0.0, 1.0, after))
        return replace(self, into_hidden=self.into_hidden * kept * factor[:, None]).alive()

    def pruned(self, T: Array, share: Array, n_arrows: int, kept: NDArray[np.bool_] | None = None) -> "Network":
        """Return the network without its weakest arrows, until at most `n_arrows` are left.

        Parameters
        ----------
        T : ndarray of shape (n_rows, n_inputs)
            States of the features, from -1 to 1.
        share : ndarray of shape (n_rows,)
            Share of each row in the total weight.
        n_arrows : int
            Largest number of arrows. A hidden concept that influences no output is removed with its inputs.
        kept : ndarray of bool of shape (n_outputs, n_inputs), optional
            Direct arrows that are not removed.
        """
        n = self.n_inputs
        states = np.concatenate([T, self.hidden_states(T)], axis=1)
        deviation = deviations(states, share)
        inputs = np.concatenate([self.into_hidden, self.among], axis=1)
        strength = np.abs(inputs) * deviation
        weak = strength < _MIN_SHARE * strength.max(axis=1, keepdims=True, initial=0.0)
        constant = deviation < _CONSTANT  # the influence of a constant concept is a bias
        network = Network(
            np.where(weak[:, :n], 0.0, self.into_hidden),
            self.hidden_bias + (inputs * weak) @ (share @ states),
            np.where(constant, 0.0, self.into_outputs),
            self.bias + (self.into_outputs * constant) @ states[0],
            np.where(weak[:, n:], 0.0, self.among),
        )
        into_outputs = network.into_outputs
        importance = np.abs(into_outputs) * deviation
        if kept is not None:
            importance[:, :n][kept] = np.inf
        inputs_of = np.count_nonzero(network.into_hidden, axis=1) + np.count_nonzero(network.among, axis=1)
        combined = network.among != 0.0
        uses = np.count_nonzero(into_outputs[:, n:], axis=0)
        combined &= (uses > 0)[:, None]  # a combination that influences nothing uses no steps
        uses = uses + combined.sum(axis=0)
        left = int(inputs_of[uses > 0].sum() + np.count_nonzero(into_outputs))
        places = np.argwhere(into_outputs)
        for i, j in places[np.argsort(importance[tuple(places.T)], kind="stable")]:
            if left <= n_arrows:
                break
            into_outputs[i, j] = 0.0
            left -= 1
            if j >= n:
                dead = [j - n]
                while dead:
                    h = dead.pop()
                    uses[h] -= 1
                    if uses[h] == 0:
                        left -= int(inputs_of[h])
                        dead += np.flatnonzero(combined[h]).tolist()
        return network.alive()

    def alive(self) -> "Network":
        """Return the network without hidden concepts that have no input or influence nothing.

        A hidden concept without inputs is constant: its influence moves into the biases.
        """
        n, among, hidden_bias = self.n_inputs, self.among, self.hidden_bias
        for _ in range(2):  # steps, then combinations of nothing but constant steps
            has_inputs = self.into_hidden.any(axis=1) | among.any(axis=1)
            constant = np.tanh(hidden_bias) * ~has_inputs
            hidden_bias = hidden_bias + among @ constant
            among = among * has_inputs
        used = has_inputs & self.into_outputs[:, n:].any(axis=0)
        kept = used | (has_inputs & among[used].any(axis=0))
        return Network(
            self.into_hidden[kept],
            hidden_bias[kept],
            np.concatenate([self.into_outputs[:, :n], self.into_outputs[:, n:][:, kept]], axis=1),
            self.bias + self.into_outputs[:, n:] @ constant,
            among[np.ix_(kept, kept)],
        )

    def theta(self, slope: float) -> Theta:
        """Return the parameters of `StructuredObjective`."""
        n, m, k = self.n_inputs, self.n_hidden, len(self.bias)
        V = np.zeros((m + k, n + m + k))
        V[:m, :n], V[:m, n : n + m], V[m:, : n + m] = self.into_hidden, self.among, self.into_outputs
        W = 4.0 / slope * V
        b = np.concatenate([self.hidden_bias, self.bias]) * (2.0 / slope) + 0.5 - 0.5 * W.sum(axis=1)
        return np.concatenate([W.ravel(), b])

    def with_theta(self, theta: Theta, slope: float) -> "Network":
        """Return the network with parameters of `StructuredObjective`."""
        n, m, k = self.n_inputs, self.n_hidden, len(self.bias)
        W, b = theta[: -(m + k)].reshape(m + k, -1), theta[-(m + k) :]
        V, c = 0.25 * slope * W, 0.5 * slope * (b - 0.5 + 0.5 * W.sum(axis=1))
        return Network(V[:m, :n], c[:m], V[m:, : n + m], c[m:], V[:m, n : n + m])


def joined(networks: Sequence[Network], T: Array) -> Network:
    """Return a network whose net inputs are the mean of those of several, with alike hidden concepts merged."""
    n, k = networks[0].n_inputs, len(networks)
    direct = sum(network.into_outputs[:, :n] for network in networks) / k
    from_hidden = np.concatenate([network.into_outputs[:, n:] / k for network in networks], axis=1)
    into_hidden = np.concatenate([network.into_hidden for network in networks])
    hidden_bias = np.concatenate([network.hidden_bias for network in networks])
    bias = np.asarray(sum(network.bias for network in networks)) / k
    among = block_diag(*(network.among for network in networks))
    network = Network(into_hidden, hidden_bias, np.concatenate([direct, from_hidden], axis=1), bias, among)
    states = network.hidden_states(T)
    states -= states.mean(axis=0)
    spread = np.sqrt(np.square(states).sum(axis=0))
    spread[spread == 0.0] = 1.0
    correlation = (states.T @ states) / np.outer(spread, spread)
    is_combined = among.any(axis=1)
    correlation[is_combined[:, None] != is_combined] = 0.0  # combinations of steps stay apart,
    is_step, is_used = np.count_nonzero(into_hidden, axis=1) == 1, among.any(axis=0)
    # and so do the steps that they combine and combinations of features.
    correlation[(is_step[:, None] != is_step) & (is_used[:, None] | is_used)] = 0.0
    merged = np.zeros(len(hidden_bias), dtype=bool)
    order = np.argsort(-np.abs(from_hidden).sum(axis=0) * spread, kind="stable")
    influences = np.concatenate([from_hidden, among])

    def merge(j: int, into: int, sign: float) -> None:
        influences[:, into] += sign * influences[:, j] * spread[j] / spread[into]
        merged[j] = True

    of_one_step = ~into_hidden.any(axis=1) & (np.count_nonzero(among, axis=1) == 1)
    for j in np.flatnonzero(of_one_step).tolist():
        step = int(np.flatnonzero(among[j])[0])
        merge(j, step, np.sign(among[j, step]))
    for place, i in enumerate(order):
        if merged[i]:
            continue
        for j in order[place + 1 :]:
            if not merged[j] and abs(correlation[i, j]) > _SAME:
                merge(j, i, np.sign(correlation[i, j]))
    kept = ~merged
    from_hidden, among = influences[: len(bias), kept], influences[len(bias) :][np.ix_(kept, kept)]
    return Network(into_hidden[kept], hidden_bias[kept], np.concatenate([direct, from_hidden], axis=1), bias, among)


def deviations(states: Array, share: Array) -> Array:
    """Return the standard deviation of each column, given the shares of the rows."""
    centred = states - share @ states
    return np.sqrt(share @ np.square(centred))


@dataclass(frozen=True)
class NetworkFit:
    """Trains networks on tables of states.

    Attributes
    ----------
    slope : float
        Slope of the map.
    alpha : float
        Strength of the penalty.
    link : Link
        Link of the outputs.
    signs : ndarray of shape (n_outputs, n_inputs), optional
        Sign that a direct arrow must have: 1, -1, or 0 for any.
    step_signs : ndarray of shape (n_outputs, n_inputs), optional
        Sign that the effect of a step of a feature must have.
    limits : tuple of two ndarrays of shape (n_outputs, n_inputs), optional
        Bounds of direct arrows, which take precedence over signs.
    prior : ndarray of shape (n_outputs, n_inputs), optional
        Weights towards which direct arrows are shrunk, 0 for none. Arrows with a prior are never pruned.
    """

    slope: float
    alpha: float
    link: Link
    signs: Array | None = None
    step_signs: Array | None = None
    limits: tuple[Array, Array] | None = None
    prior: Array | None = None

    def pruned(self, network: Network, T: Array, share: Array, n_arrows: int) -> Network:
        """Return the network without its weakest arrows, see `Network.pruned`."""
        return network.pruned(T, share, n_arrows, None if self.prior is None else self.prior != 0.0)

    def objective(self, network: Network, table: Table, targets: NDArray[Any] | None = None) -> StructuredObjective:
        """Return the loss of networks with these concepts on a table."""
        return StructuredObjective(
            table.X,
            table.targets.array if targets is None else targets,
            table.targets.loss,
            held=True,
            depth=network.depth,
            slope=self.slope,
            n_hidden=network.n_hidden,
            sample_weight=table.weight,
            rows=table.rows,
        )

    def __call__(
        self,
        network: Network,
        table: Table,
        stopping: StoppingRule,
        targets: NDArray[Any] | None = None,
    ) -> tuple[Network, Outcome]:
        """Train the arrows of a network; with held-out rows in the stopping rule, return the best on them."""
        objective = self.objective(network, table, targets)
        theta = network.theta(self.slope)
        n, m, k = network.n_inputs, network.n_hidden, len(network.bias)
        W = theta[: -(m + k)].reshape(m + k, n + m + k)
        pull = np.full(W.shape, _HIDDEN_PULL)
        # The penalty is for arrows that act on log-odds; one of a softmax acts with the gain.
        with np.errstate(over="ignore"):  # a gain so large makes the loss infinite, too
            pull[m:] = np.square(0.25 * self.link.gain) if isinstance(self.link, SoftmaxLink) else 1.0
        pull[m:, :n] *= _DIRECT_PULL
        n_rows = max(objective.n_rows, objective.total_weight)
        centre = np.zeros(W.shape)
        if self.prior is not None:
            centre[m:, :n] = self.prior
        penalty = ElasticNet.from_alpha(self.alpha, 0.0, n_rows, centre.ravel(), pull.ravel())
        bounds = None
        if self.signs is not None or self.limits is not None:
            low, high = np.full(W.shape, -np.inf), np.full(W.shape, np.inf)
            if self.signs is not None:
                low[m:, :n][self.signs > 0], high[m:, :n][self.signs < 0] = 0.0, 0.0
            if self.step_signs is not None and m:
                _bound_steps(low, high, W, n, self.step_signs)
            if self.limits is not None:
                given = np.isfinite(self.limits[0]) | np.isfinite(self.limits[1])
                low[m:, :n][given], high[m:, :n][given] = self.limits[0][given], self.limits[1][given]
            bounds = low, high
        problem = Problem(objective, penalty, bounds, space=Selected(W != 0.0))
        theta, outcome = LBFGS()(problem, problem.clip(theta), stopping)
        best = theta if stopping.best_theta is None else stopping.best_theta
        return network.with_theta(best, self.slope), outcome


def _bound_steps(low: Array, high: Array, W: Array, n_inputs: int, signs: Array) -> None:
    """Bound the arrows into and from steps of one feature, so that the effect through each has the given sign."""
    m = len(W) - len(signs)
    inputs = W[:m, : n_inputs + m] != 0.0
    for step in np.flatnonzero(inputs.sum(axis=1) == 1):
        source = int(np.flatnonzero(inputs[step])[0])
        if source >= n_inputs or not signs[:, source].any():
            continue
        way = np.sign(W[step, source])
        (low if way > 0 else high)[step, source] = 0.0
        low[m:, n_inputs + step][way * signs[:, source] > 0] = 0.0
        high[m:, n_inputs + step][way * signs[:, source] < 0] = 0.0
