"""Population methods on functions with a known minimum, and recovery of known maps."""

import sys

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from cogmap import FuzzyCognitiveMap, learn_map
from cogmap.comparators import search_map
from cogmap.comparators.population import METHODS, minimise
from cogmap.exceptions import MissingPackageError, ParameterError

LOW, HIGH = np.array([-1.0, -2.0, 0.5, -1.0]), np.array([1.0, 0.0, 2.0, 1.0])


@pytest.fixture(params=METHODS)
def method(request):
    """Each method, CMA-ES where its package is installed."""
    if request.param == "cma":
        pytest.importorskip("cma", reason="the package cma comes with cogmap[cma]")
    return request.param


def test_the_minimum_of_a_bowl_is_found_within_the_box(method):
    """Also where the box excludes it; every candidate is inside, and evaluations are counted."""
    centre = np.array([0.3, -1.5, 0.0, 3.0])  # two of them outside
    seen = []

    def bowl(x):
        seen.append(x.copy())
        return float(np.square(x - centre).sum())

    found = minimise(bowl, LOW, HIGH, method, 6000, None, np.random.RandomState(0))
    np.testing.assert_allclose(found.x, np.clip(centre, LOW, HIGH), atol=0.05)
    assert len(seen) == found.n_evaluations == 6000
    assert (np.array(seen) >= LOW).all()
    assert (np.array(seen) <= HIGH).all()
    assert found.value == min(bowl(x) for x in seen[:6000])


def test_the_seed_decides_everything(method):
    """The same candidates for the same seed, others for another."""

    def best(seed):
        random = np.random.RandomState(seed)
        return minimise(lambda x: float(np.sin(9 * x).sum()), LOW, HIGH, method, 500, None, random).x

    np.testing.assert_array_equal(best(1), best(1))
    assert not np.array_equal(best(1), best(2))


def test_one_evaluation_is_made_however_little_time_there_is(method):
    """There is always a best candidate."""
    found = minimise(lambda x: 1.0, LOW, HIGH, method, 10, 1e-12, np.random.RandomState(0))
    assert found.n_evaluations == 1
    assert found.x.shape == (4,)


def test_without_its_package_cma_says_what_to_install(monkeypatch):
    """The message names the extra."""
    monkeypatch.setitem(sys.modules, "cma", None)
    with pytest.raises(MissingPackageError, match=r"CMA-ES.*pip install 'cogmap\[cma\]'"):
        minimise(lambda x: 1.0, LOW, HIGH, "cma", 10, None, np.random.RandomState(0))


def test_a_population_comes_close_to_the_observations():
    """And gradients come closer."""
    rng = np.random.default_rng(0)
    weights = rng.uniform(-1, 1, (5, 5))
    np.fill_diagonal(weights, 0.0)
    true = FuzzyCognitiveMap(weights, slope=2.0, concepts=list("abcde"), activation="logistic")
    runs = [true.run(start, 3) for start in rng.random((20, 5))]
    swarm = search_map(runs, "pso", slope=2.0, max_evaluations=3000, random_state=0, concepts=list("abcde"))
    assert swarm.map.concepts == true.concepts
    assert learn_map(runs, slope=2.0).loss < swarm.loss < 1e-2


WRONG = [
    ({"observed": [[0.5, 0.5]]}, "observed", "at least 2 of each"),
    ({"observed": [[0.5], [0.5]]}, "observed", "at least 2 of each"),
    ({"observed": [[0.5, 2.0], [0.5, 0.1]]}, "observed", r"in \[0, 1\].*got 2.0. Scale the states first"),
    ({"observed": [[0.5, np.nan], [0.5, 0.1]]}, "observed", "got nan"),
    ({"observed": [np.ones((3, 2)), np.ones((3, 4))]}, "observed", r"one of shape \(3, 4\)"),
    ({"observed": "states"}, "observed", "got 'states'"),
    ({"observed": []}, "observed", "got "),
    ({"solver": "pos"}, "solver", "Did you mean 'pso'"),
    ({"slope": 0}, "slope", "a number > 0"),
    ({"max_evaluations": 0}, "max_evaluations", "an integer >= 1"),
    ({"max_seconds": -1}, "max_seconds", "Or None, for no limit"),
    ({"concepts": ["a"]}, "concepts", ""),
]


@pytest.mark.parametrize(("arguments", "name", "message"), WRONG, ids=str)
def test_wrong_arguments_are_told(arguments, name, message):
    """The message has the parameter, the expectation and the value."""
    with pytest.raises(ParameterError, match=rf"\({name}=.*{message}"):
        search_map(**{"observed": np.full((3, 2), 0.5), **arguments})


def test_more_evaluations_than_time_keep_the_best_map():
    """With a sentence."""
    with pytest.warns(ConvergenceWarning, match="max_seconds passed before"):
        search_map(np.full((3, 2), 0.3), "rcga", max_evaluations=10**9, max_seconds=0.01, random_state=0)
