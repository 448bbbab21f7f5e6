"""Figures of maps: graph, weights and states, with legible text."""

import io
from itertools import combinations

import numpy as np
import pytest

from cogmap import FCMClassifier, FuzzyCognitiveMap, influence
from cogmap.exceptions import ParameterError
from cogmap.maps.drawing.picture import NEGATIVE, POSITIVE

matplotlib = pytest.importorskip("matplotlib")

from matplotlib import pyplot, style  # noqa: E402
from matplotlib.collections import PathCollection, PolyCollection  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.patches import FancyBboxPatch  # noqa: E402
from matplotlib.text import Text  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402

from cogmap import plotting  # noqa: E402
from cogmap.plotting.canvas import spread_out  # noqa: E402

DOLLARS = FuzzyCognitiveMap([[0, 1], [-1, 0]], concepts=["cost ($) and price ($)", "profit_1 ^ {x} \\frac"])


def new_axes(size=(6.4, 4.8)):
    return Figure(figsize=size, layout="constrained").add_subplot()


def render(ax):
    """Render the figure; pytest turns warnings into errors."""
    ax.figure.savefig(io.BytesIO(), format="png", dpi=60)
    return ax


def random_map(n_concepts, seed=0, **options):
    rng = np.random.default_rng(seed)
    return FuzzyCognitiveMap(rng.normal(size=(n_concepts, n_concepts)), **options)


@pytest.fixture(scope="module")
def flowers(iris):
    return FCMClassifier(random_state=0).fit(*iris)


def draw(name, fcm, ax=None):
    if name == "states":
        return plotting.plot_states(fcm.run(np.full(fcm.n_concepts, 0.6), 5), fcm.concepts, ax=ax)
    return getattr(plotting, f"plot_{name}")(fcm, ax=ax)


@pytest.mark.parametrize("given", [False, True], ids=["own axes", "axes given"])
@pytest.mark.parametrize("name", ["map", "weights", "states"])
@pytest.mark.parametrize(
    "fcm",
    [random_map(1), random_map(2), random_map(7), random_map(40), random_map(100), DOLLARS,
     FuzzyCognitiveMap(np.zeros((3, 3)))],
    ids=["1", "2", "7", "40", "100", "dollars", "no influences"],
)  # fmt: skip
def test_every_figure_is_drawn_on_its_axes_and_returns_it(name, fcm, given):
    """Maps of all sizes, with names like formulas; no setting is changed and no figure stays open."""
    ax = new_axes() if given else None
    settings = dict(matplotlib.rcParams)
    drawn = draw(name, fcm, ax)
    assert drawn is ax if given else drawn.figure is not None
    render(drawn)
    assert dict(matplotlib.rcParams) == settings
    assert pyplot.get_fignums() == []


def text_boxes(ax):
    """Return the bounding boxes of all texts, without their leader lines."""
    render(ax)
    return [Text.get_window_extent(text) for text in ax.texts if text.get_text()]


@pytest.mark.parametrize("size", [None, (4, 3), (6.4, 4.8), (12, 5)])
@pytest.mark.parametrize("n_concepts", [7, 40, 100])
def test_no_text_of_a_drawn_map_overlaps_or_leaves_the_figure(n_concepts, size):
    """As measured by matplotlib, in a new figure and in Axes of any shape."""
    names = [f"a concept with quite a long name, number {i}" for i in range(n_concepts)]
    ax = plotting.plot_map(random_map(n_concepts, concepts=names), ax=None if size is None else new_axes(size))
    boxes = text_boxes(ax)
    for one, other in combinations(boxes, 2):
        assert not one.overlaps(other)
    for box in boxes:
        assert ax.figure.bbox.x0 <= box.x0 < box.x1 <= ax.figure.bbox.x1
        assert ax.figure.bbox.y0 <= box.y0 < box.y1 <= ax.figure.bbox.y1


def test_names_stay_inside_their_boxes_as_matplotlib_draws_them(flowers):
    """The width of text is only estimated when the picture is laid out."""
    ax = render(plotting.plot_map(flowers))
    boxes = [patch.get_window_extent() for patch in ax.patches]
    parts = [text for text in ax.texts if any(text.get_text() in name for name in flowers.map_.concepts)]
    lines = [[] for _ in boxes]  # a name of several parts has one line for each of them
    for text in parts:
        word = text.get_window_extent()
        inside = [box.x0 <= word.x0 and word.x1 <= box.x1 and box.y0 <= word.y0 <= box.y1 for box in boxes]
        lines[inside.index(True)].append(text.get_text())
    assert sorted(map(" ".join, lines)) == sorted(flowers.map_.concepts)


def test_text_scales_with_its_axes():
    """Later drawings in the same figure may shrink the Axes; the resolution has no effect."""
    figure = Figure(figsize=(10, 5), layout="constrained")
    left, right = figure.subplots(1, 2)
    fcm = random_map(12, concepts=[f"a concept with a long name {i}" for i in range(12)])
    plotting.plot_map(fcm, ax=left)
    right.set_yticks([0, 1], ["a very long label that takes half of the figure away", "another"], fontsize=14)
    for dpi in (200, 300):
        figure.set_dpi(dpi)
        figure.savefig(io.BytesIO(), format="png", dpi="figure")
        boxes = [text.get_window_extent() for text in left.texts]
        assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
        inside = left.get_window_extent()
        assert all(inside.x0 <= box.x0 and box.x1 <= inside.x1 for box in boxes)


def test_colours_and_widths_follow_signs_and_sizes():
    """Blue is positive, vermilion negative; twice the weight is a wider line."""
    fcm = FuzzyCognitiveMap([[0, 0, 0], [4, 0, 0], [-2, 0, 0]], concepts=["a", "b", "c"])
    ax = plotting.plot_map(fcm)
    lines, heads = (
        next(artist for artist in ax.collections if type(artist) is kind) for kind in (PathCollection, PolyCollection)
    )
    # The strongest is drawn last.
    assert [to_hex(color).upper() for color in lines.get_edgecolors()] == [NEGATIVE, POSITIVE]
    assert [to_hex(color).upper() for color in heads.get_facecolors()] == [NEGATIVE, POSITIVE]
    assert lines.get_linewidths()[0] < lines.get_linewidths()[1]


def test_widths_follow_the_influence_on_data(iris, flowers):
    """Edges with the largest flow are drawn; the influence of another map is rejected."""
    influences = influence(flowers, iris[0])
    words = [text.get_text() for text in plotting.plot_map(flowers, influences).texts]
    assert any("influence on the data" in word for word in words)
    assert any("the weight" in text.get_text() for text in plotting.plot_map(flowers).texts)
    carried = influences.flow.sum(axis=2)
    np.fill_diagonal(carried, 0)
    target, source = np.unravel_index(np.argmax(carried), carried.shape)
    display = plotting.MapDisplay.from_estimator(flowers, iris[0], n_edges=1)
    (edge,) = display.view["edges"]
    names = display.view["names"]
    assert (names[edge["source"]], names[edge["target"]]) == (
        flowers.map_.concepts[source], flowers.map_.concepts[target],
    )  # fmt: skip
    with pytest.raises(ParameterError, match=r"influence.*the Influence of this map"):
        plotting.plot_map(random_map(3), influences)


def test_concepts_are_at_the_positions_of_the_author():
    """The x axis points right, the y axis down as on a screen."""
    places = {"a": (300, 0), "b": (0, 200), "c": (300, 200)}
    details = {"concepts": {name: {"x": x, "y": y} for name, (x, y) in places.items()}}
    ax = render(plotting.plot_map(random_map(3, concepts=list("abc"), details=details)))
    middle = {text.get_text(): text.get_window_extent() for text in ax.texts[:3]}
    assert middle["b"].x1 < middle["a"].x0
    assert middle["b"].y1 < middle["a"].y0
    assert abs(middle["a"].x0 - middle["c"].x0) < 5


def test_weights_are_a_matrix_of_targets_and_sources(flowers):
    """The direction is written on the axes; signs have their colours, and small matrices their numbers."""
    ax = plotting.plot_weights(flowers)
    np.testing.assert_array_equal(ax.images[0].get_array(), flowers.map_.weights)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("influence of", "on")
    assert [label.get_text() for label in ax.get_yticklabels()] == list(flowers.map_.concepts)
    assert len(ax.texts) == (np.count_nonzero(flowers.map_.weights) if flowers.map_.n_concepts <= 14 else 0)
    low, high = (to_hex(ax.images[0].cmap(ax.images[0].norm(end))) for end in (-100, 100))
    assert (low.upper(), high.upper()) == (NEGATIVE, POSITIVE)
    assert len(plotting.plot_weights(random_map(40)).texts) == 0


def test_states_of_outputs_are_named_and_the_rest_is_grey():
    """With many concepts, the outputs and those that change most are named."""
    rng = np.random.default_rng(0)
    states = np.column_stack([np.full((6, 30), 0.5), rng.random((6, 10)), np.full((6, 5), 0.4)])
    kinds = ["feature"] * 40 + ["output"] * 5
    ax = render(plotting.plot_states(states, [f"c{i}" for i in range(45)], kinds))
    named = {text.get_text() for text in ax.texts}
    assert len(ax.lines) == 45
    assert {f"c{i}" for i in range(40, 45)} <= named
    assert named <= {f"c{i}" for i in range(30, 45)}
    assert not any(one.overlaps(other) for one, other in combinations(text_boxes(ax), 2))


def test_lines_of_states_all_look_different():
    """After the colours come other dashes."""
    states = np.random.default_rng(0).random((4, 12))
    lines = plotting.plot_states(states, [f"c{i}" for i in range(12)]).lines
    assert len({(line.get_color(), line.get_linestyle()) for line in lines}) == 12


def test_labels_are_spread_out_near_where_they_belong():
    """At the minimum distance, in order, within the range; labels with enough space are not moved."""
    ideal = np.array([0.0, 0.01, 0.02, 0.5, 0.99, 1.0])
    positions = spread_out(ideal, 0.1, 0.0, 1.0)
    assert (np.diff(positions) >= 0.1 - 1e-12).all()
    assert positions.min() >= 0.05 - 1e-12
    assert positions.max() <= 0.95 + 1e-12
    assert positions[3] == pytest.approx(0.5)


@pytest.mark.parametrize("name", ["map", "weights", "states"])
def test_figures_can_be_read_in_a_dark_style(name):
    """No text is dark on the dark background of a user style."""
    with matplotlib.rc_context():
        style.use("dark_background")
        ax = draw(name, random_map(6))
        render(ax)
        labels = [*ax.get_xticklabels(), *ax.get_yticklabels(), ax.xaxis.label, ax.yaxis.label]
        words = [text for text in (*ax.texts, *labels) if text.get_text() and text.get_visible()]
        grounded = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
        for word in words:
            extent = word.get_window_extent()
            on_box = any(patch.get_window_extent().containsx(extent.x0) for patch in grounded)
            in_cell = bool(ax.images) and ax.get_window_extent().contains(extent.x0, extent.y0)
            brightness = np.mean(matplotlib.colors.to_rgb(word.get_color()))
            assert on_box or in_cell or brightness > 0.4


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("map", ("rain",), "fcm.*a fitted estimator of cogmap, a MapModel or a FuzzyCognitiveMap, got 'rain'"),
        ("map", (None,), "fcm.*got None"),
        ("map", (DOLLARS, "x"), "influence.*Influence of this map"),
        ("map", (DOLLARS, None, -1), "n_edges.*integer >= 0, got -1"),
        ("map", (DOLLARS, None, 2.5), "n_edges.*integer >= 0, got 2.5"),
        ("weights", (np.eye(2),), "fcm.*FuzzyCognitiveMap"),
        ("states", (np.zeros((3, 2)), ["a"]), r"states.*\(n_steps, 1\).*got shape \(3, 2\)"),
        ("states", (np.zeros((3, 4, 2)), ["a", "b"]), r"states.*got shape \(3, 4, 2\).*trajectory\[:, 0\]"),
        ("states", (np.empty((0, 2)), ["a", "b"]), "states.*n_steps"),
        ("states", ("no", ["a", "b"]), "states.*n_steps"),
        ("states", ([[1, np.nan]], ["a", "b"]), "states.*finite"),
        ("states", ([[1, 2]], ["a", "b"], ["output"]), "kinds.*2, one per concept"),
    ],
)
def test_invalid_arguments_are_rejected(name, arguments, message):
    """The message names the argument and the expected value."""
    with pytest.raises(ParameterError, match=message) as caught:
        getattr(plotting, f"plot_{name}")(*arguments)
    assert str(caught.value).startswith(f"`plot_{name}(")


@pytest.mark.parametrize("name", ["map", "weights"])
def test_an_estimator_has_to_be_fitted(name):
    """scikit-learn's NotFittedError is raised."""
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(plotting, f"plot_{name}")(FCMClassifier())
