"""StepUnits: hidden concepts that start as steps of single features."""

import numpy as np
import pytest

from cogmap import FCMClassifier, FCMRegressor
from cogmap._learning.plan import Plan
from cogmap._learning.settings import DataShape, resolve
from cogmap._learning.spec import ModelSpec
from cogmap._learning.step_units import find_step_units
from cogmap._learning.table import Table
from cogmap._learning.targets import ClassTargets
from cogmap.models.encoding import Encoding
from cogmap.models.links import LogOddsLink

RANDOM = np.random.RandomState(0)
N = 4000
STATES = RANDOM.uniform(size=(N, 5))
NARROW = (STATES[:, 2] > 0.4) & (STATES[:, 2] < 0.5)


def table(classes, states=STATES, weight=None):
    link = LogOddsLink(np.array([0, 1]))
    return Table(states, ClassTargets(np.asarray(classes, dtype=np.intp), link), weight, tuple("abcde"))


def planned(**parameters):
    shape = DataShape(N, 5, 1)
    return Plan(Encoding(5), resolve(FCMClassifier(**parameters).get_params(deep=False), shape), tuple("abcde"), shape)


def test_they_are_where_an_effect_is():
    """Steps up and down around the part in which the class is another."""
    step_units = find_step_units(table(NARROW), n_hidden=40, slope=2.0)
    assert step_units.feature[0] == 2
    strongest = step_units.middle[step_units.feature == 2][:2]
    assert strongest.min() < 0.45 < strongest.max()


def test_a_straight_effect_has_none():
    """Nor has chance."""
    straight = RANDOM.uniform(size=N) < STATES[:, 1]
    assert find_step_units(table(straight), n_hidden=40, slope=2.0) is None
    assert find_step_units(table(RANDOM.randint(0, 2, N)), n_hidden=40, slope=2.0) is None
    assert (
        find_step_units(table(NARROW, (STATES > 0.5).astype(float)), n_hidden=40, slope=2.0) is None
    )  # two values only


def test_a_value_that_most_rows_have_leaves_parts_for_the_others():
    """As 0 among capital gains: nine of ten rows have it, and the step is among the rest."""
    rare = np.where(RANDOM.uniform(size=(N, 5)) < 0.9, 0.0, STATES)
    step_units = find_step_units(table((rare[:, 3] > 0.45) & (rare[:, 3] < 0.65), rare), n_hidden=40, slope=2.0)
    assert set(step_units.feature) == {3}
    assert len(step_units.middle) >= 4
    assert (step_units.middle > 0).all()


def test_rows_without_weight_do_not_count():
    """The weight of a row says how often it is there."""
    weight = np.where(np.arange(N) % 2, 1.0, 1e-9)
    noisy = np.where(np.arange(N) % 2, NARROW, RANDOM.randint(0, 2, N))
    assert find_step_units(table(noisy, weight=weight), n_hidden=40, slope=2.0).feature[0] == 2


@pytest.mark.parametrize("light", [1e-12, 1e-200, 5e-308])
def test_a_feature_that_only_light_rows_vary_does_not_bend(light):
    """Its variance may be too small for a number; nothing is divided by it."""
    states = np.column_stack([np.where(np.arange(N) % 2, 0.3, STATES[:, 0]), STATES[:, 1:]])
    weight = np.where(np.arange(N) % 2, 1.0, light)
    step_units = find_step_units(table(NARROW, states, weight), n_hidden=40, slope=2.0)
    assert set(step_units.feature) == {2}


def test_they_start_on_the_step_and_are_not_pulled_flat():
    """A bend is undecided in the middle of its part, and the penalty leaves it there."""
    plan = planned()
    assert plan.settings.step_units
    given = table(NARROW)
    spec = ModelSpec.for_table(given, plan)
    first, n = spec.concepts.n_inputs, len(spec.concepts)
    theta = spec.start(given, np.random.RandomState(1))
    W, b = theta[: n * n].reshape(n, n), theta[n * n :]
    rows = first + np.arange(len(spec.step_units.feature))
    np.testing.assert_array_equal(W[rows], spec.prior.weights[rows])
    np.testing.assert_array_equal((W[rows] != 0).sum(axis=1), 1)
    undecided = W[rows, spec.step_units.feature] * spec.step_units.middle + b[rows]
    np.testing.assert_allclose(undecided, 0.5)
    assert len(rows) <= spec.concepts.n_hidden // 2


@pytest.mark.parametrize(
    "said", [{"prior": None}, {"init": "uniform"}, {"solver": "lbfgs"}, {"weight_bounds": (-1.0, 1.0)}]
)
def test_who_says_how_weights_are_gets_none(said):
    """StepUnits are for the default of many rows."""
    assert ModelSpec.for_table(table(NARROW), planned(**said)).step_units is None


def waves(X, often=12.0):
    """Return a sum in which every feature goes up and down, nearly twice or more often."""
    return np.sin(often * X).sum(axis=1)


def test_the_default_learns_waves():
    """Without bends it has 0.84 of new rows right."""
    new = np.random.RandomState(1).uniform(size=(2000, 5))
    fcm = FCMClassifier(random_state=0).fit(STATES, waves(STATES) > 0)
    assert fcm.score(new, waves(new) > 0) > 0.93


def test_the_regressor_learns_waves():
    """From 20,000 rows on; without bends it explains 0.23 of the variance."""
    random = np.random.RandomState(0)
    X, new = random.uniform(size=(20_000, 3)), random.uniform(size=(2000, 3))
    assert FCMRegressor(random_state=0).fit(X, waves(X, 20.0)).score(new, waves(new, 20.0)) > 0.97
