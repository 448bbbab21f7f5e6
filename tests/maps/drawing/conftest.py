"""Views of maps to draw."""

import numpy as np
import pytest

from cogmap.maps.drawing.view import graph_view


def _names_of(n_concepts, long=False):
    end = " that a survey of all households in the province has asked for in spring" if long else ""
    return [f"concept {i}{end}" for i in range(n_concepts)]


def _learned_view(n_features, n_hidden, n_outputs, seed=0, long=False, density=1.0, feedback=0.3, **options):
    """Return the view of a map with random weights of very different sizes."""
    rng = np.random.default_rng(seed)
    n_concepts = n_features + n_hidden + n_outputs
    shape = (n_concepts, n_concepts)
    weights = rng.normal(size=shape) * np.exp(rng.normal(size=shape)) * (rng.random(shape) < density)
    weights[:n_features] *= feedback
    weights[:, n_features + n_hidden :] *= feedback
    if options.pop("faint_output", False):
        weights[-1] *= 0.01
    kinds = ["feature"] * n_features + ["hidden"] * n_hidden + ["output"] * n_outputs
    return graph_view(_names_of(n_concepts, long), weights, kinds, **options)


def _loose_view(n_concepts, seed=0, density=0.15, placed=False, long=False):
    """Return the view of a map without kinds, perhaps laid out by its author."""
    rng = np.random.default_rng(seed)
    shape = (n_concepts, n_concepts)
    weights = rng.choice([-1, -0.5, 0.5, 1], shape) * (rng.random(shape) < density)
    positions = rng.uniform(0, 800, (n_concepts, 2)) if placed else None
    return graph_view(_names_of(n_concepts, long), weights, positions=positions)


def _small_view(n_features, n_hidden, n_outputs, seed=0, n_direct=0, long=False, **options):
    """Return the view of a layered map whose hidden concepts are named after their two or three inputs."""
    rng = np.random.default_rng(seed)
    names, r = _names_of(n_features, long), n_features + n_hidden + n_outputs
    weights = np.zeros((r, r))
    for i in range(n_features, n_features + n_hidden):
        inputs = np.sort(rng.choice(n_features, rng.integers(2, min(n_features, 3) + 1), replace=False))
        weights[i, inputs] = rng.choice([-1, 1], len(inputs)) * rng.uniform(2, 20, len(inputs))
        name = rng.choice([" + ", " and ", " or "]).join(
            f"{'high' if weights[i, j] > 0 else 'low'} {names[j]}" for j in inputs
        )
        names.append(name if name not in names else f"{name} ({i})")
        weights[n_features + n_hidden + i % n_outputs, i] = rng.normal()
    for j in range(n_direct):
        weights[r - 1 - j % n_outputs, j] = rng.normal()
    kinds = ["feature"] * n_features + ["hidden"] * n_hidden + ["output"] * n_outputs
    return graph_view([*names, *(f"output {i}" for i in range(n_outputs))], weights, kinds, **options)


_SMALL_VIEWS = {
    "combinations": lambda: _small_view(6, 8, 3),
    "combinations, long names": lambda: _small_view(6, 8, 3, long=True),
    "combinations and direct arrows": lambda: _small_view(15, 10, 2, n_direct=15),
    "150 arrows": lambda: _small_view(20, 30, 3, n_direct=20),
    "additive": lambda: _small_view(30, 0, 1, n_direct=30),
    "additive, 140 features": lambda: _small_view(140, 0, 4, n_direct=140),
}
_VIEWS = _SMALL_VIEWS | {
    "7 concepts": lambda: _learned_view(4, 0, 3),
    "2 classes": lambda: _learned_view(30, 0, 1),
    "10 classes": lambda: _learned_view(64, 0, 10),
    "hidden": lambda: _learned_view(20, 8, 12, density=0.5),
    "many hidden": lambda: _learned_view(5, 30, 2),
    "100 concepts": lambda: _learned_view(70, 20, 10),
    "much feedback": lambda: _learned_view(10, 5, 5, feedback=2.0),
    "long names": lambda: _learned_view(8, 3, 3, long=True),
    "many long names": lambda: _learned_view(40, 0, 5, long=True),
    "800 concepts": lambda: _learned_view(790, 0, 10),
    "loose": lambda: _loose_view(25),
    "loose, dense": lambda: _loose_view(40, density=0.8),
    "placed": lambda: _loose_view(25, placed=True),
    "placed, long names": lambda: _loose_view(30, placed=True, long=True),
    "one": lambda: _loose_view(1),
    "two": lambda: _loose_view(2, density=1.0),
    "none drawn": lambda: _learned_view(4, 0, 3, n_edges=0),
}


@pytest.fixture(scope="session")
def names_of():
    """Return a function that makes concept names."""
    return _names_of


@pytest.fixture(scope="session")
def learned_view():
    """Return a function that makes the view of a map with features, hidden concepts and outputs."""
    return _learned_view


@pytest.fixture(scope="session")
def loose_view():
    """Return a function that makes the view of a map without kinds of concepts."""
    return _loose_view


@pytest.fixture(scope="session", params=_VIEWS)
def any_view(request):
    """Return one view of each kind."""
    return _VIEWS[request.param]()


@pytest.fixture(scope="session", params=_SMALL_VIEWS)
def small_view(request):
    """Return one view of each kind of small layered map."""
    return _SMALL_VIEWS[request.param]()
