"""Random calls by the million, sensible and absurd: a result in range, or an error that says what is wrong.

``COGMAP_FUZZ_CALLS`` is the number of calls of the long run.
"""

import os
import pickle
import random
import warnings
from collections import Counter

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

from cogmap import FCMClassifier, FCMRegressor, FuzzyCognitiveMap
from cogmap import statistics as stats
from cogmap._learning.settings import CLASSIFICATION, REGRESSION, DataShape, resolve
from cogmap._learning.size import estimate
from cogmap.estimators._param_checks import check_parameters
from cogmap.exceptions import CogmapError
from cogmap.maps.dynamics import attractors
from cogmap.models.encoding import Encoding, FeatureRange, FeatureSpread
from cogmap.models.features import FeatureStatistics
from cogmap.models.links import LogOddsLink, SoftmaxLink, ValueLink
from cogmap.models.model import MapModel

N_CALLS = int(os.environ.get("COGMAP_FUZZ_CALLS", 10**6))
SEEDS = (0, 1, 2, 3)
ACTIVATIONS = ["sigmoid", "logistic", "tanh"]
ODD = [0, -1, 1, 0.5, 1e-300, 5e-324, 1e300, -1e300, 1.7e308, np.nan, np.inf, -np.inf, -(10**20), True, None,
       "a", "auto", 1j, b"x", [], {}, (), [1, [2]], {1, 2}, object(), np.float32(3e38), np.array(["a"]), np.int8(-1),
       np.datetime64("2026-01-01")]  # fmt: skip
SIZES = [1e-300, 1e-20, 1e-3, 1.0, 1.0, 1.0, 30.0, 1e20, 1e200, 1e300]


class Chance(random.Random):
    """What to try next."""

    def often(self, share=0.85):
        return self.random() < share

    def array(self, *shape, sound=0.8, missing=False):
        """Return an array of numbers of one size; sometimes of another shape or type, or with odd numbers in it."""
        rng = np.random.default_rng(self.getrandbits(32))
        if not self.often(0.95):
            shape = tuple(self.randint(0, 3) for _ in range(self.randint(0, 3)))
        array = self.choice([rng.random(shape), rng.normal(size=shape) * self.choice(SIZES)])
        if missing and self.often(0.3):
            array = np.where(rng.random(shape) < 0.2, np.nan, array)
        if self.often(sound) or not array.size:
            return array if self.often(0.8) else within(array, np.float32)
        kind = self.randrange(6)
        if kind == 0:
            return self.choice(ODD)
        if kind == 1:
            array.flat[self.randrange(array.size)] = self.choice([np.nan, np.inf, -np.inf, 1e308])
            return array
        if kind == 2:
            return array.astype(
                self.choice([complex, object, str, np.float16 if np.abs(array).max() < 1e4 else object])
            )
        if kind == 3:
            return array.tolist()
        if kind == 4:
            return np.asfortranarray(array)[..., ::-1]
        return rng.integers(-2, 3, array.shape).astype(self.choice([np.int8, np.int64, bool]))

    def or_odd(self, value, share=0.92):
        return value if self.often(share) else self.choice(ODD)


def within(array, dtype):
    """Return an array in another dtype, whose range it is held in."""
    most = float(np.finfo(dtype).max)
    return np.clip(array, -most, most).astype(dtype)


def finite(*arrays):
    for array in arrays:
        assert np.isfinite(array).all(), array


def a_map(chance, n=None):
    n = n or chance.randint(1, 5)
    arguments = {"weights": chance.array(n, n)}
    if chance.often(0.5):
        arguments["bias"] = chance.array(n)
    if chance.often(0.5):
        arguments["slope"] = chance.or_odd(chance.choice([*SIZES, 10**400]))
    elif chance.often(0.3):
        arguments["slope"] = chance.array(n)
    if chance.often(0.3):
        names = [chance.choice("abcdefgh") * chance.choice([1, 2, 40]) + str(i) for i in range(n)]
        arguments["concepts"] = chance.choice([names, tuple(names), names, set(names), names[1:], names[0], 3])
    arguments["activation"] = chance.or_odd(chance.choice(ACTIVATIONS), 0.98)
    return FuzzyCognitiveMap(**arguments)


def sound_map(chance, n):
    rng = np.random.default_rng(chance.getrandbits(32))
    slope = chance.choice([1.0, 2.0, 1e-3, 50.0, 1e200, rng.random(n) + 0.1])
    W = rng.normal(size=(n, n)) * chance.choice(SIZES)
    return FuzzyCognitiveMap(W, rng.normal(size=n), slope, activation=chance.choice(ACTIVATIONS))


def making_a_map(chance):
    fcm = a_map(chance)
    finite(fcm.weights, fcm.bias, fcm.slope)
    assert max(map(len, repr(fcm).splitlines())) <= 100
    if chance.often(0.1):
        assert pickle.loads(pickle.dumps(fcm)) == fcm
        assert hash(pickle.loads(pickle.dumps(fcm))) == hash(fcm)


def stepping(chance):
    n = chance.randint(1, 5)
    fcm = sound_map(chance, n)
    states = chance.array(*[chance.randint(0, 4)][: chance.often(0.5)], n)
    which = chance.randrange(4)
    if which == 0:
        after = fcm.step(states)
    elif which == 1:
        after = fcm.run(states, chance.or_odd(chance.randint(0, 5)))[1:]
    else:
        after = fcm.net_input(states) if which == 2 else fcm.excitation(states)
        finite(after)
        return
    finite(after)
    assert ((after >= (-1.0 if fcm.activation == "tanh" else 0.0)) & (after <= 1.0)).all()


def normalizing(chance):
    fcm = sound_map(chance, chance.randint(1, 4))
    normal = fcm.normalized()
    assert (np.abs(normal.weights) <= 1.0).all()


def finding_attractors(chance):
    n = chance.randint(1, 4)
    found = attractors(
        chance.or_odd(sound_map(chance, n), 0.98),
        chance.array(chance.randint(0, 3), n),
        max_steps=chance.or_odd(chance.randint(0, 20), 0.97),
        tol=chance.or_odd(chance.choice([1e-6, 1e-3, 1e300]), 0.97),
        max_period=chance.or_odd(chance.randint(1, 6), 0.97),
    )
    finite(*found.cycles)
    assert found.basin.min(initial=0) >= -1
    assert found.basin.max(initial=-1) == len(found.cycles) - 1


def a_scaling(chance, X):
    known = FeatureStatistics.of(X, np.random.default_rng(0).random(len(X)) + 0.1 if chance.often(0.3) else None)
    return chance.choice([FeatureRange, FeatureSpread])(known)


def a_table(chance, n_rows, n_features):
    rng = np.random.default_rng(chance.getrandbits(32))
    X = rng.normal(size=(n_rows, n_features)) * chance.choice(SIZES) + chance.choice([0.0, 1.0, 1e6])
    if chance.often(0.3):
        X[rng.random(X.shape) < 0.3] = np.nan
    if chance.often(0.2):
        X[:, 0] = X[0, 0]
    return within(X, np.float32) if chance.often(0.3) else X


def scaling(chance):
    n_features = chance.randint(1, 4)
    X = a_table(chance, chance.randint(1, 6), n_features)
    scaled = a_scaling(chance, X)
    if chance.often(0.3):
        scaled = type(scaled)(scaled.known.merged(FeatureStatistics.of(a_table(chance, 3, n_features))))
    states = Encoding(n_features, 1, scaled).first_states(a_table(chance, 4, n_features), 2)
    finite(states)
    assert states.min() >= -1.0
    assert states.max() <= 2.0
    with np.errstate(over="ignore", invalid="ignore"):  # a derivative with respect to a tiny unit may be infinite
        assert not np.isnan(scaled.derivative(X)).any()


def a_model(chance):
    n_features, n_hidden = chance.randint(1, 3), chance.randint(0, 2)
    n_outputs = chance.randint(1, 3)
    if chance.often(0.3):
        link = ValueLink(tuple("abc"[:n_outputs]), np.zeros(n_outputs), np.ones(n_outputs), n_outputs == 1)
    elif n_outputs == 1:
        link = LogOddsLink(np.array([0, 1]))
    else:
        link = SoftmaxLink(np.arange(n_outputs), chance.choice([1e-3, 1.0, 10.0, 1e3]))
    rng = np.random.default_rng(chance.getrandbits(32))
    n = n_features + n_hidden + n_outputs + (not chance.often(0.97))
    W = rng.normal(size=(n, n)) * chance.choice([1e-300, 1e-3, 1.0, 1.0, 30.0, 1e20])
    fcm = FuzzyCognitiveMap(W, rng.normal(size=n), chance.choice([0.1, 2.0, 9.0]))
    scaled = a_scaling(chance, rng.normal(size=(5, n_features))) if chance.often(0.8) else None
    return MapModel(fcm, chance.randint(1, 4), Encoding(n_features, n_hidden, scaled), link)


def asking_a_model(chance):
    model = a_model(chance)
    X = chance.array(chance.randint(1, 3), model.n_features, missing=True)
    method = chance.choice(["first_states", "trajectory", "transformed", "outputs", "decision", "derivative"])
    if method == "derivative":
        of = chance.or_odd(chance.choice(["outputs", "decision", "transformed", "trajectory"]), 0.97)
        with np.errstate(over="ignore", invalid="ignore"):  # weights of 1e20 in each of four steps
            model.derivative(X, of)
        return
    said = getattr(model, method)(X)
    finite(said)
    if method == "outputs" and not isinstance(model.link, ValueLink):
        np.testing.assert_allclose(said.sum(axis=1), 1.0, rtol=1e-5)
        assert said.min() >= 0.0


def comparing(chance):
    """Statistics of scores."""
    scores = chance.array(chance.randint(2, 6), chance.randint(2, 5))
    plain = isinstance(scores, np.ndarray) and scores.dtype == np.float64 and (np.abs(scores) < 1e9).all()
    if plain and chance.often(0.5):
        scores = np.round(scores, 1)  # ties
    which = chance.randrange(7)
    if which < 3:
        result = [stats.friedman, stats.anova_one_way, stats.anova_repeated_measures][which](scores)
        assert all(0.0 <= value <= 1.0 for name, value in vars(result).items() if name == "p" or name.endswith("_p"))
    elif which == 3:
        result = stats.nemenyi(scores, chance.or_odd(chance.choice([0.05, 0.1])))
        finite(result.mean_ranks)
    elif which == 4:
        n = chance.randint(1, 8)
        result = stats.paired_tests(chance.array(n), chance.array(n))
        assert all(0.0 <= p <= 1.0 for name, p in vars(result).items() if name.endswith("_p") and p == p)
    elif which == 5:
        adjusted = stats.holm(np.abs(np.clip(chance.array(3, sound=1.0), -1, 1)) if chance.often() else chance.array(3))
        assert ((adjusted >= 0.0) & (adjusted <= 1.0)).all()
    else:
        n = chance.randint(1, 8)
        error = stats.expected_calibration_error(
            np.abs(np.clip(chance.array(n, sound=1.0), -1, 1)) if chance.often() else chance.array(n),
            np.arange(n) % 2 == 0 if chance.often() else chance.array(n),
            chance.or_odd(chance.randint(1, 12)),
        )
        assert 0.0 <= error <= 1.0
        assert sum(stats.win_tie_loss(chance.array(n), chance.array(n), chance.or_odd(0.1))) == n


PARAMETERS = {
    "depth": ["auto", 1, 3, 100],
    "slope": [2.0, 1e-3, 50],
    "gain": [1.0, 10.0],
    "n_hidden": ["auto", 0, 2, 10**9],
    "alpha": [0.0, 0.2, 5.0],
    "l1_ratio": [0.0, 0.5, 1.0],
    "solver": ["lbfgs", "adam", "rmsprop"],
    "max_iter": ["auto", 1, 3],
    "tol": [0.0, 1e-4, 1e9],
    "learning_rate": ["auto", 0.01],
    "batch_size": ["auto", 1, 3],
    "early_stopping": [False, True],
    "validation_fraction": [0.1, 0.5],
    "n_teachers": ["auto", 0, 1, 2],
    "init": ["balanced", "uniform", "correlation"],
    "scale": ["logistic", True, False],
    "weight_bounds": [None, (-3, 3), (0, 0.5)],
    "warm_start": [False, True],
    "n_jobs": [None, 1, 2, -1],
}


def parameters(chance, share=0.97):
    chosen = chance.sample(sorted(PARAMETERS), chance.randint(0, 5))
    return {name: chance.or_odd(chance.choice(PARAMETERS[name]), share) for name in chosen}


def settling(chance):
    given = parameters(chance)
    check_parameters("FCMClassifier", given)
    n_rows, n_features = 10 ** chance.randint(0, 6), 10 ** chance.randint(0, 4)
    shape = DataShape(n_rows, n_features, chance.randint(1, 50), n_rows * n_features)
    settings = resolve(
        FCMClassifier().get_params(deep=False) | given, shape, chance.choice([CLASSIFICATION, REGRESSION])
    )
    settled = [value for name, value in vars(settings).items() if name not in ("edges", "weight_bounds")]  # unchecked
    assert not any(isinstance(value, str) and value == "auto" for value in settled)
    assert 0.0 < estimate(shape, settings) < np.inf


def fitting(chance):
    n_rows, n_features = chance.randint(2, 12), chance.randint(1, 3)
    given = {"max_iter": chance.randint(1, 3), "random_state": chance.randint(0, 9)} | parameters(chance)
    X = a_table(chance, n_rows, n_features) if chance.often() else chance.array(n_rows, n_features, missing=True)
    weight = chance.array(n_rows) if chance.often(0.2) else None
    if chance.often(0.6):
        classes = chance.choice([[0, 1], ["a", "b", "c"], [True, False], [1.5, 2.5]])
        y = np.array([classes[i % len(classes)] for i in range(n_rows)])
        fcm = FCMClassifier(**given).fit(X, y if chance.often(0.9) else chance.array(n_rows), weight)
        said = fcm.predict_proba(X)
        assert ((said >= 0.0) & (said <= 1.0)).all()
    else:
        given.pop("gain", None)
        fcm = FCMRegressor(**given).fit(X, chance.array(n_rows, sound=0.9), weight)
        said = fcm.predict(X)
    finite(said, fcm.map_.weights)


CALLS = [making_a_map, stepping, normalizing, finding_attractors, scaling, asking_a_model, comparing, settling]


def fuzz(seed, n_calls, a_fit_in=1000):
    """Make random calls; return how many of each gave a result, and how many an error."""
    chance, ends = Chance(seed), Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for wanted in (ConvergenceWarning, DataConversionWarning):  # said on purpose
            warnings.simplefilter("ignore", wanted)
        for number in range(n_calls):
            call = fitting if number % a_fit_in == 0 else CALLS[number % len(CALLS)]
            try:
                call(chance)
                ends[call.__name__, "results"] += 1
            except (CogmapError, ValueError, TypeError) as error:
                # scikit-learn checks tables before we do, and says so in its own words.
                deliberate = isinstance(error, CogmapError) or (call is fitting and in_scikit_learn(error))
                if not deliberate:
                    raise AssertionError(f"seed {seed}, call {number} ({call.__name__})") from error
                ends[call.__name__, "errors"] += 1
            except BaseException:
                print(f"seed {seed}, call {number} ({call.__name__})")
                raise
    return ends


def in_scikit_learn(error):
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return "sklearn" in trace.tb_frame.f_code.co_filename


def test_random_calls_give_results_in_range_or_say_what_is_wrong():
    """2,000 of them, and ten fits."""
    ends = fuzz(99, 2000, a_fit_in=200)
    for call in [*CALLS, fitting]:
        assert ends[call.__name__, "results"] > 0


@pytest.mark.faults
@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_million_random_calls_give_results_in_range_or_say_what_is_wrong(seed):
    """A quarter of them with each seed, one in a thousand a fit."""
    ends = fuzz(seed, N_CALLS // len(SEEDS))
    print(
        f"seed {seed}: {sum(ends.values())} calls, {sum(n for (_, end), n in ends.items() if end == 'errors')} errors"
    )
    print(*(f"{name}: {number} {end}" for (name, end), number in sorted(ends.items())), sep="\n")
