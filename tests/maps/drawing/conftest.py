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


_VIEWS = {
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
