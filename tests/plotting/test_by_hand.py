"""Figures of scenarios, random weights, basins and disagreement show the computed values."""

import io

import numpy as np
import pytest

from cogmap import FuzzyCognitiveMap
from cogmap.exceptions import ParameterError
from cogmap.maps.dynamics import FOUR_FIXED_POINTS, ONE_CYCLE, attractors
from cogmap.maps.experts import disagreement
from cogmap.maps.monte_carlo import monte_carlo
from cogmap.maps.scenarios import scenario, scenarios

matplotlib = pytest.importorskip("matplotlib")

from matplotlib.colors import to_rgb  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from cogmap import plotting  # noqa: E402
from cogmap.plotting.basins import basins_view, draw_basins  # noqa: E402

LAKE = FuzzyCognitiveMap(
    [[0, 0, 0], [-0.5, 0, 0.8], [0, -0.6, 0]], concepts=["fishing", "fish", "weed $"], slope=2, activation="logistic"
)
LARGE = FuzzyCognitiveMap(np.random.default_rng(0).uniform(-1, 1, (40, 40)), activation="logistic")


def render(ax):
    """Render the figure; pytest turns warnings into errors."""
    ax.figure.savefig(io.BytesIO(), format="png", dpi=60)
    return ax


def names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


FIGURES = {
    "scenarios": lambda ax=None: plotting.plot_scenarios(scenario(LAKE, {"fishing": 0}), ax),
    "monte_carlo": lambda ax=None: plotting.plot_monte_carlo(monte_carlo(LAKE, {"fishing": 0}, n_samples=20), ax),
    "disagreement": lambda ax=None: plotting.plot_disagreement(disagreement([LAKE, LAKE]), ax),
    "basins": lambda ax=None: plotting.plot_basins(LAKE, ["fish", "weed $"], ax=ax),
}


@pytest.mark.parametrize("plot", FIGURES.values(), ids=FIGURES)
def test_figures_are_drawn_on_the_axes_given_or_on_new_ones(plot):
    """And can be rendered; dollar signs in names are escaped."""
    ax = Figure(layout="constrained").add_subplot()
    assert render(plot(ax)) is ax
    render(plot())


def test_bars_are_changes_and_clamped_concepts_have_a_note():
    """The largest change is on top, clamped concepts are at the bottom, without a bar."""
    result = scenario(LAKE, {"fishing": 0})
    ax = render(plotting.plot_scenarios(result))
    order = np.argsort(-np.abs(result.change[1:])) + 1
    assert names(ax)[:2] == [LAKE.concepts[i].replace("$", r"\$") for i in order]
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], [*result.change[order], 0])
    assert "held at 0" in [text.get_text() for text in ax.texts]


def test_several_scenarios_have_a_colour_each():
    """As many bars as changes, and a legend with their names."""
    several = scenarios(LAKE, {"ban": {"fishing": 0}, "harvest": {"weed $": 0}})
    ax = render(plotting.plot_scenarios(several))
    assert len(ax.patches) == 6
    assert len({bar.get_facecolor() for bar in ax.patches}) == 2
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["ban", "harvest"]
    render(plotting.plot_scenarios(scenarios(LAKE, {f"{i}": {"fishing": i / 10} for i in range(9)})))


def test_large_maps_show_what_changes_most():
    """And state the number of concepts."""
    ax = render(plotting.plot_scenarios(scenario(LARGE, {"C1": 1})))
    assert len(names(ax)) == 24
    assert ax.get_ylabel() == "24 of 40 concepts"
    ax = render(plotting.plot_monte_carlo(monte_carlo(LARGE, {"C1": 1}, n_samples=20)))
    assert ax.get_ylabel() == "24 of 39 concepts"


def test_a_scenario_that_changes_nothing_can_be_drawn():
    """Without bars and without a legend."""
    ax = render(plotting.plot_scenarios(scenario(LAKE, {})))
    assert ax.get_legend() is None


def test_dots_of_random_weights_are_medians():
    """Lines span the quantiles; clamped concepts are not shown."""
    result = monte_carlo(LAKE, {"fishing": 0}, n_samples=50)
    ax = render(plotting.plot_monte_carlo(result))
    shown = [LAKE.concepts.index(name.replace(r"\$", "$")) for name in names(ax)]
    assert sorted(shown) == [1, 2]
    np.testing.assert_allclose(ax.collections[2].get_offsets()[:, 0], np.median(result.change, axis=0)[shown])
    thin = np.array([segment[:, 0] for segment in ax.collections[0].get_segments()])
    np.testing.assert_allclose(thin.T, np.quantile(result.change, [0.05, 0.95], axis=0)[:, shown])


def test_basins_show_the_attractor_of_each_start():
    """Also for a larger map, with the given initial states of the other concepts."""
    view = basins_view(FOUR_FIXED_POINTS, ["C1", "C2"], pixels=20)
    steps = (np.arange(20) + 0.51) / 20
    result = attractors(FOUR_FIXED_POINTS, [[x, y] for y in steps for x in steps])
    pairs = set(zip(view["ground"].ravel().tolist(), result.basin.tolist(), strict=True))
    assert len(pairs) == 4
    np.testing.assert_allclose(sorted(view["shares"]), sorted(result.shares))
    W = np.zeros((3, 3))
    W[1:, 1:] = FOUR_FIXED_POINTS.weights
    larger = FuzzyCognitiveMap(W, [0.5, *FOUR_FIXED_POINTS.bias], 8, ["a", "b", "c"])
    np.testing.assert_array_equal(basins_view(larger, ["b", "c"], pixels=20)["ground"], view["ground"])
    assert basins_view(ONE_CYCLE, ["C2", "C1"], pixels=5)["periods"] == [8]


def test_more_basins_than_colours():
    """The largest have colours; the others share one, and the legend states their number."""
    view = basins_view(FOUR_FIXED_POINTS, ["C1", "C2"], pixels=5)
    many = view | {"ground": np.arange(25).reshape(5, 5) - 1, "periods": [1] * 24, "shares": [0.04] * 24, "n_lost": 1}
    legend = [text.get_text() for text in render(draw_basins(many)).get_legend().get_texts()]
    assert legend == ["fixed point, 4%"] * 8 + ["16 others, 64%", "none, 4%"]


def test_disagreement_shows_edges_and_opposite_signs():
    """The most disputed edge is on top; edges with opposite signs have their own colour."""
    other = LAKE.replace(weights=[[0, 0, 0], [0.9, 0, 0.7], [0, -0.6, 0]])
    ax = render(plotting.plot_disagreement(disagreement([LAKE, other])))
    assert names(ax)[0] == "fishing → fish"
    colors = [tuple(color[:3]) for color in ax.collections[0].get_colors()]
    assert colors[0] == to_rgb("#D55E00")
    assert set(colors[1:]) == {to_rgb("#7A7F87")}
    many = [LARGE, LARGE.replace(weights=-LARGE.weights)]
    assert render(plotting.plot_disagreement(disagreement(many))).get_ylabel() == "24 of 1600 edges"
    nothing = render(plotting.plot_disagreement(disagreement([FuzzyCognitiveMap(np.zeros((2, 2)))])))
    assert nothing.texts[0].get_text() == "no edges"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plotting.plot_scenarios(LAKE), "scenarios.*a Scenario or Scenarios"),
        (lambda: plotting.plot_monte_carlo(None), "result.*a MonteCarlo"),
        (lambda: plotting.plot_disagreement([LAKE]), "disagreement.*a Disagreement"),
        (lambda: plotting.plot_basins(None, ["a", "b"]), "fcm.*a FuzzyCognitiveMap"),
        (lambda: plotting.plot_basins(LAKE, "fish"), "concepts.*two names of concepts, got 'fish'"),
        (lambda: plotting.plot_basins(LAKE, ["fish", "fish"]), "concepts.*two names"),
        (lambda: plotting.plot_basins(LAKE, ["fish", "fich"]), "concepts.*Did you mean 'fish'"),
        (lambda: plotting.plot_basins(LAKE, ["fish", "fishing"], {"fish": np.nan}), "start.*finite numbers"),
    ],
)
def test_invalid_arguments_are_rejected(call, message):
    """The message names the argument and the expected value."""
    with pytest.raises(ParameterError, match=message):
        call()
