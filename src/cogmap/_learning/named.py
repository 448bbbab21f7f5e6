"""Training a small map of named concepts: teachers of several sizes, selection of the size, and one joined map.

Each teacher is trained without a part of the rows, with early stopping on that part. It starts as a dense network,
keeps the strongest inputs of each hidden concept, receives proposed steps and combinations of them, and is then pruned
arrow by arrow. The held-out losses of its sizes select the number of arrows. The teachers are joined into one network,
which computes the mean of their net inputs; it is pruned to the selected size and trained on a mixture of the targets
and the teachers' mean prediction.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._learning.arrow_selection import (
    ADDITIVE,
    ADDITIVE_SIZES,
    DENSE,
    NAMED,
    SIZES,
    Key,
    Selection,
    Teacher,
    select_size,
)
from cogmap._learning.concepts import Concepts
from cogmap._learning.held_out import HeldOut
from cogmap._learning.monotone import monotone_limits
from cogmap._learning.network import Array, Network, NetworkFit, deviations, joined
from cogmap._learning.plan import Plan
from cogmap._learning.priors import check_allowed, expert_weights
from cogmap._learning.solvers import SILENT, Monitor, Outcome, StoppingRule, Theta
from cogmap._learning.splits import Split, make_splits
from cogmap._learning.structure import weight_limits
from cogmap._learning.table import Table
from cogmap._utils.params import Literal, param_error
from cogmap._utils.threads import one_blas_thread
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.links import Link, SoftmaxLink, ValueLink
from cogmap.models.model import MapModel, concept_names
from cogmap.models.names import combination_names

# A condition is a feature, a state, and the sign 1 (above the state) or -1 (below); a proposal has one, or is a
# combination of several. Called with states, targets as numbers, row weights and a random state.
Proposals = list[tuple[tuple[int, float, int], ...]]
Propose = Callable[[Array, Array, NDArray[np.float64], np.random.RandomState], Proposals]

_N_TEACHERS = 5
_N_HIDDEN = 24  # of the dense network from which a teacher starts
_MIN_NAMED = 8  # arrows per output; with fewer, a map has no hidden concepts
_JOINED_SIZES = (1200, 700)  # further sizes of the joined map
_N_ITER = 150  # of a teacher before it is pruned
_PRUNED_ITER = 60  # after each pruning
_CHECK_EVERY = 3  # iterations between two held-out losses, each of which takes as long as an iteration
_FINAL_TOL = 1e-5  # entries of the gradient at which the joined map has converged
_PATIENCE, _PRUNED_PATIENCE, _TOL = 20, 8, 1e-4  # training stops when so many iterations reduced the loss by less
_TEACHER_ROWS = 5000  # rows that a teacher is trained on, and that the joined map is pruned with, at most
_HELD_OUT_ROWS = 2000  # held-out rows by which a teacher stops, at most
_CLASS_SHARE, _VALUE_SHARE = 0.5, 0.35  # weight of true classes or values in the targets of the joined map
_STEEPNESS = 1.0 / 0.15  # of a proposed step, in units of T
_AND = 1.5  # weights of the conditions of a proposed combination
_EFFECT_ROWS = 2000
_STEADY = 0.5  # share of the mean size of an effect that its mean must exceed to have a sign
_FULL = "Set structure='full'."


@dataclass(frozen=True)
class NamedResult:
    """The trained model, how its size was selected, and the held-out predictions of its teachers."""

    model: MapModel
    outcome: Outcome
    loss_curve: list[float]
    selection: Selection
    held_out: HeldOut | None


@dataclass(frozen=True)
class _Trainer:
    """What the teachers and the joined map share."""

    fit: NetworkFit
    free: NDArray[np.bool_]  # features that may influence hidden concepts
    propose: Propose
    additive_only: bool
    max_arrows: int
    max_iter: int  # of each training

    def start_bias(self, table: Table) -> Array:
        """Return the net inputs of the outputs that predict the mean of the targets."""
        link = self.fit.link
        mean = table.row_weights @ table.targets.columns / table.total_weight
        if link.output in ("single", "labels"):
            return np.asarray(0.5 * np.log((mean + 1e-3) / (1.0 - mean + 1e-3)))
        if isinstance(link, SoftmaxLink):
            scores = np.log(mean + 1e-3)
            return np.asarray(np.arctanh(np.clip((scores - scores.mean()) / (0.5 * link.gain), -0.9, 0.9)))
        return np.asarray(mean)

    def teacher(self, split: Split, random: np.random.RandomState) -> Teacher:
        """Return the networks of a teacher, from the most arrows to the fewest, with their held-out losses."""
        rows, held_out = split[0].subsample(_TEACHER_ROWS), split[1].subsample(_HELD_OUT_ROWS)
        T, share = states_of(rows), rows.row_weights / rows.total_weight
        found: Teacher = {}

        def train(key: Key, network: Network, n_iter: int, patience: int = _PATIENCE) -> Network:
            loss = self.fit.objective(network, held_out).value
            network, _ = self.fit(network, rows, StoppingRule(n_iter, _TOL, patience, loss, every=_CHECK_EVERY))
            found[key] = network, loss(network.theta(self.fit.slope))
            return network

        def prune(key: Key, sizes: Sequence[int]) -> None:
            for size in sizes:
                network = found[key][0]
                if size < network.n_arrows:
                    n_iter = min(_PRUNED_ITER, self.max_iter)
                    train((key[0], size), self.fit.pruned(network, T, share, size), n_iter, _PRUNED_PATIENCE)
                else:
                    found[key[0], size] = found[key]
                key = key[0], size

        bias, n_iter = self.start_bias(rows), min(_N_ITER, self.max_iter)
        network = train(ADDITIVE, Network.additive(T.shape[1], bias), n_iter)
        prune(ADDITIVE, [size for size in ADDITIVE_SIZES if size >= len(bias)])
        if self.additive_only or not self.free.any():
            return found
        network = train(DENSE, network.with_random_hidden(_N_HIDDEN, random), n_iter)
        network = network.reduced(deviations(T, share), self.free)
        proposals = self.propose(T, rows.targets.columns, rows.row_weights, random)
        network = network.with_hidden(*_proposed(proposals, self.free, T))
        train(NAMED, network, n_iter)
        prune(NAMED, SIZES)
        return found


def train_named(
    table: Table,
    plan: Plan,
    propose: Propose,
    structure: str = "named",
    max_arrows: int | None = None,
    monitor: Monitor = SILENT,
) -> NamedResult:
    """Train a small map. The same table always gives the same map: splits and initial weights are fixed.

    Parameters
    ----------
    table : Table
        Rows as states.
    plan : Plan
        Encoding and settings.
    propose : callable
        Proposes steps of single features and combinations of them.
    structure : {"named", "additive"}, default="named"
        ``"additive"`` has no hidden concepts.
    max_arrows : int, default=None
        Largest number of arrows.
    monitor : Monitor, default=SILENT
        Receives progress reports.
    """
    settings, link = plan.settings, table.targets.link
    concepts = Concepts.of(table.features, 0, link.names)
    limits = monotone_limits(settings.monotonic_cst, concepts, link, settings.owner)
    constrained = np.zeros((link.n_outputs, concepts.n_inputs))
    if limits is not None:
        low, high = (bound[concepts.outputs, concepts.inputs] for bound in limits)
        constrained = (low == 0.0).astype(float) - (high == 0.0)
    bounds, prior = _wishes(settings, concepts)
    fit = NetworkFit(
        settings.slope, settings.alpha, link, constrained if limits is not None else None, limits=bounds, prior=prior
    )
    max_iter = _N_ITER if settings.max_iter_is_auto else settings.max_iter
    most = 2**31 if max_arrows is None else max_arrows
    free = np.logical_not(constrained.any(axis=0))
    if bounds is not None:  # what is asked of an arrow must not be undone through a hidden concept
        free &= ~(np.isfinite(bounds[0]) | np.isfinite(bounds[1])).any(axis=0)
    trainer = _Trainer(fit, free, propose, structure == "additive", most, max_iter)
    with one_blas_thread():
        splits = list(make_splits(table, _N_TEACHERS, np.random.RandomState(0), counts=True))
        monitor.begin(2)
        teachers: list[Teacher] = []
        latest = Network.additive(concepts.n_inputs, trainer.start_bias(table))

        def model(theta: Theta) -> MapModel:
            return _model(latest.with_theta(theta, settings.slope), table, plan)

        with monitor.stage("teachers", len(splits), model) as report:
            for split in splits:
                teachers.append(trainer.teacher(split, np.random.RandomState(len(teachers))))
                latest, loss = teachers[-1][NAMED if NAMED in teachers[-1] else ADDITIVE]
                if report(latest.theta(settings.slope), len(teachers), loss):
                    break
        rows = table.subsample(_TEACHER_ROWS)
        T, share = states_of(rows), rows.row_weights / rows.total_weight
        selection, stages = _plan_stages(table, T, trainer, teachers)
        targets = _mixed_targets(rows, fit.link, stages, teachers)
        latest = stages.start
        effects, steady = _effects(latest, T, fit)
        signs = np.where(constrained != 0.0, constrained, np.sign(effects))
        fit = replace(fit, signs=signs, step_signs=np.where(steady, signs, 0.0))
        curve: list[float] = []
        outcome = Outcome.ENOUGH
        n_iter = min(_PRUNED_ITER, max_iter)
        with monitor.stage("map", n_iter * len(stages.sizes), model) as report:

            def after_iteration(theta: Theta, number: int, loss: float) -> bool:
                return report(theta, len(curve) + number, loss)

            for number, size in enumerate(stages.sizes, 1):
                latest = fit.pruned(joined([latest], T), T, share, size)
                stopping = StoppingRule(n_iter, _FINAL_TOL, _PATIENCE, after_iteration=after_iteration)
                if number == len(stages.sizes) and rows is not table:  # only the last training needs all rows
                    rows, targets = table, _mixed_targets(table, fit.link, stages, teachers)
                latest, outcome = fit(latest, rows, stopping, targets)
                curve += stopping.loss_curve
                if outcome is Outcome.CALLBACK:
                    break
        latest = latest.alive()  # an arrow at a bound of 0 is none
    if outcome is not Outcome.CALLBACK and settings.max_iter_is_auto:
        outcome = Outcome.ENOUGH
    pairs = zip((rows for _, rows in splits), teachers, strict=False)
    held_out = HeldOut.joined([_held_out(rows, [teacher[key][0] for key in stages.keys]) for rows, teacher in pairs])
    return NamedResult(_model(latest, table, plan), outcome, curve, selection, held_out)


def _wishes(settings: Any, concepts: Concepts) -> tuple[tuple[Array, Array] | None, Array | None]:
    """Return bounds and prior of the arrows from features to outputs; raise if others are bounded."""
    owner = settings.owner
    limits = weight_limits(None, settings.weight_bounds, concepts, owner)
    expert, prior = settings.prior if isinstance(settings.prior, FuzzyCognitiveMap) else None, None
    direct = np.zeros((len(concepts), len(concepts)), dtype=bool)
    direct[concepts.outputs, concepts.inputs] = True
    expected = "about arrows from features to outputs: other concepts of a small map are not known before it is trained"
    if expert is not None:
        weights = expert_weights(expert, concepts, settings.slope, owner)
        check_allowed(weights, limits, concepts, settings.slope, owner)
        if weights[~direct].any():
            raise param_error(owner, "prior", expected, Literal("a map with other arrows"), _FULL)
        prior = weights[concepts.outputs, concepts.inputs]
    if limits is None:
        return None, prior
    if np.isfinite(np.where(direct, np.inf, limits[0])).any() or np.isfinite(np.where(direct, np.inf, limits[1])).any():
        raise param_error(owner, "weight_bounds", expected, settings.weight_bounds, _FULL)
    low, high = (bound[concepts.outputs, concepts.inputs] for bound in limits)
    return (low, high), prior


@dataclass(frozen=True)
class _Stages:
    """The network from which the map starts, and the numbers of arrows to which it is pruned, one after the other."""

    start: Network
    sizes: list[int]
    keys: list[Key] = field(default_factory=list)  # keys of the teachers' networks whose mean prediction is distilled


def _plan_stages(table: Table, T: Array, trainer: _Trainer, teachers: list[Teacher]) -> tuple[Selection, _Stages]:
    """Select a size and join the teachers."""
    link, most = trainer.fit.link, trainer.max_arrows
    if not teachers:
        network = Network.additive(T.shape[1], trainer.start_bias(table))
        return Selection(), _Stages(network, [min(most, network.n_arrows)])
    n_rows = max(table.n_rows, table.total_weight)
    selection, best, chosen = select_size(teachers, most, n_rows, table.targets.loss.is_mean)
    keys: list[Key] = [DENSE, NAMED] if DENSE in teachers[0] else [ADDITIVE]
    keys += [best] if best[0] == "named" and best not in keys else []
    if chosen[0] == "named" and most < _MIN_NAMED * link.n_outputs:
        chosen = ADDITIVE
    source = ADDITIVE if chosen[0] == "additive" else best if best[0] == "named" else NAMED
    start = joined([teacher[source][0] for teacher in teachers], T)
    size = min(start.n_arrows if chosen[1] is None else chosen[1], most)
    larger = [step for step in (*_JOINED_SIZES, *SIZES) if size < step < start.n_arrows]
    # Concepts that training has made alike are merged before each pruning, so also after the last one.
    return selection, _Stages(start, [*larger, size, size], keys)


def _mixed_targets(rows: Table, link: Link, stages: _Stages, teachers: list[Teacher]) -> NDArray[np.floating] | None:
    """Return the targets mixed with the teachers' mean prediction, on which the joined network is trained."""
    networks = [teacher[key][0] for key in stages.keys for teacher in teachers]
    if not networks:
        return None
    T, share = states_of(rows), _VALUE_SHARE if isinstance(link, ValueLink) else _CLASS_SHARE
    mixed = rows.targets.mixture(share, np.float64)
    for network in networks:
        mixed += (1.0 - share) / len(networks) * rows.targets.predictions(link.outputs(network.net(T)))
    return mixed


def _held_out(rows: Table, networks: list[Network]) -> HeldOut:
    """Return the mean prediction of a teacher's networks for the rows that it left out."""
    T = states_of(rows)
    return HeldOut.of(rows, np.mean([network.net(T) for network in networks], axis=0))


def _effects(network: Network, T: Array, fit: NetworkFit) -> tuple[Array, NDArray[np.bool_]]:
    """Return the average effect of each feature on each output through all paths, and whether its sign is steady.

    It is if the average is more than a share of the average size of the effect.
    """
    n = network.n_inputs
    T = T[np.linspace(0, len(T) - 1, min(len(T), _EFFECT_ROWS)).astype(np.intp)]
    response = fit.link.outputs_derivative(network.net(T))[:, fit.link.rising]
    slopes = 1.0 - np.square(network.hidden_states(T))[:, None]
    of_hidden = (response @ network.into_outputs[:, n:]) * slopes
    of_hidden += (of_hidden @ network.among) * slopes
    effects, sizes = [], []
    for k in range(len(network.bias)):  # one output after the other: effects of all rows on all outputs may be large
        of_rows = response[:, k] @ network.into_outputs[:, :n] + of_hidden[:, k] @ network.into_hidden
        effects.append(of_rows.mean(axis=0))
        sizes.append(np.abs(of_rows).mean(axis=0))
    return np.array(effects), np.abs(effects) > _STEADY * np.array(sizes)


def _proposed(proposals: Proposals, free: NDArray[np.bool_], T: Array) -> tuple[Array, Array, Array]:
    """Return weights from features, biases, and weights among the hidden concepts of proposed steps and combinations.

    A condition on a feature of two values needs no step: the feature is the step.
    """
    steps: dict[tuple[int, float], int] = {}
    combinations: list[list[tuple[int, int]]] = []  # of a step, with its sign, or (-1 - feature, sign)
    for conditions in proposals:
        if not all(free[j] for j, _, _ in conditions):
            continue
        inputs: list[tuple[int, int]] = []
        for j, cut, sign in conditions:
            low, high = T[:, j].min(), T[:, j].max()
            if ((T[:, j] == low) | (T[:, j] == high)).all():
                inputs.append((-1 - j, sign))
            else:
                inputs.append((steps.setdefault((j, cut), len(steps)), sign))
        if len(inputs) > 1:
            combinations.append(inputs)
    m = len(steps) + len(combinations)
    weights, bias, among = np.zeros((m, T.shape[1])), np.zeros(m), np.zeros((m, m))
    for (j, cut), i in steps.items():
        weights[i, j], bias[i] = _STEEPNESS, -_STEEPNESS * cut
    for i, inputs in enumerate(combinations, len(steps)):
        bias[i] = -_AND * (len(inputs) - 1)
        for place, sign in inputs:
            if place >= 0:
                among[i, place] = _AND * sign
            else:
                low, high = T[:, -1 - place].min(), T[:, -1 - place].max()
                weight = 2.0 * _AND * sign / (high - low)
                weights[i, -1 - place] = weight
                bias[i] -= 0.5 * weight * (low + high)
    return weights, bias, among


def states_of(table: Table) -> Array:
    """Return the states of the rows, from -1 to 1."""
    X = table.X if table.rows is None else table.X[table.rows]
    return np.asarray(2.0 * X - 1.0, dtype=np.float64)


def _model(network: Network, table: Table, plan: Plan) -> MapModel:
    """Return the model: only features with arrows have a concept, and hidden concepts have names."""
    slope, link = plan.settings.slope, table.targets.link
    n, m, k = network.n_inputs, network.n_hidden, len(network.bias)
    used = np.flatnonzero(network.into_hidden.any(axis=0) | network.into_outputs[:, :n].any(axis=0))
    network = replace(
        network,
        into_hidden=network.into_hidden[:, used],
        into_outputs=network.into_outputs[:, np.concatenate([used, n + np.arange(m)])],
    )
    theta = network.theta(slope)
    n_concepts = len(used) + m + k
    W = np.zeros((n_concepts, n_concepts))
    W[len(used) :] = theta[: -(m + k)].reshape(m + k, n_concepts)
    b = np.concatenate([np.zeros(len(used)), theta[-(m + k) :]])
    columns = tuple(plan.encoding.column_names(plan.features))
    encoding = replace(plan.encoding, n_hidden=m, used=used, features=columns)
    features = [plan.features[j] for j in used]
    into_hidden = np.concatenate([network.into_hidden, network.among], axis=1)
    hidden = combination_names(into_hidden, network.hidden_bias, features, encoding, table, used)
    concepts = concept_names(features, hidden, link.names)
    fcm = FuzzyCognitiveMap(W, b, slope, concepts, held=concepts[: len(used)])
    return MapModel(fcm, network.depth, encoding, link)
