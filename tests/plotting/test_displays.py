"""Figures of dynamics, classifiers and comparisons: Axes, contents and legible text."""

import io
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs, make_moons

from cogmap import FCMClassifier, FuzzyCognitiveMap
from cogmap.exceptions import ParameterError
from cogmap.maps.dynamics import FOUR_FIXED_POINTS, ONE_CYCLE, TWO_FIXED_POINTS, attractors

matplotlib = pytest.importorskip("matplotlib")

from matplotlib import pyplot  # noqa: E402
from matplotlib.collections import LineCollection, PathCollection  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # noqa: E402

from cogmap import plotting  # noqa: E402
from cogmap.plotting import comparisons  # noqa: E402
from cogmap.plotting.transformed import _hyperplanes, _plane_in_box  # noqa: E402


def new_axes(projection=None, size=(5, 4)):
    return Figure(figsize=size, layout="constrained").add_subplot(projection=projection)


def render(ax):
    """Render the figure; pytest turns warnings into errors."""
    ax.figure.savefig(io.BytesIO(), format="png", dpi=50)


def kinds(ax, kind):
    return [artist for artist in ax.get_children() if isinstance(artist, kind)]


@pytest.fixture(scope="module")
def moons():
    return make_moons(80, noise=0.1, random_state=0)


@pytest.fixture(scope="module")
def one_output(moons):
    return FCMClassifier(depth=3, slope=5, alpha=0.1, random_state=0).fit(*moons)


@pytest.fixture(scope="module")
def output_a_class(moons):
    return FCMClassifier(depth=3, slope=5, alpha=0.1, output="one_hot", random_state=0).fit(*moons)


@pytest.fixture(scope="module")
def three_classes():
    X, y = make_blobs(60, centers=3, random_state=0)
    return FCMClassifier(random_state=0).fit(X, y), X, y


@pytest.fixture(scope="module")
def flowers(iris):
    return FCMClassifier(n_hidden=0, random_state=0).fit(*iris)


def folds(n_methods=5):
    rng = np.random.default_rng(0)
    return {f"method {i}": rng.normal(0.8 - 0.1 * i, 0.01, 10) for i in range(n_methods)}


def comparison(n_methods):
    """Unsorted mean ranks, and the groups within a critical difference of a sixth of the ranks."""
    rng = np.random.default_rng(n_methods)
    ranks = rng.uniform(1, n_methods, n_methods)
    difference = n_methods / 6
    order = np.argsort(ranks)
    groups = [[i for i in order if 0 <= ranks[i] - ranks[first] <= difference] for first in order]
    names = [f"quite a long name of a method {i}" for i in range(n_methods)]
    return ranks, names, difference, [group for group in groups if len(group) > 1]


@pytest.mark.parametrize("given", [False, True], ids=["own axes", "axes given"])
@pytest.mark.parametrize(
    "name",
    ["attractors", "decision_regions", "transformed", "transformed_3d", "loss_curves", "box", "critical_difference"],
)
def test_every_figure_is_drawn_on_its_axes_and_returns_it(name, given, moons, one_output):
    """The given Axes are returned, or new ones; without warnings."""
    arguments = {
        "attractors": (TWO_FIXED_POINTS,),
        "decision_regions": (one_output, *moons),
        "transformed": (one_output, *moons),
        "transformed_3d": (one_output, *moons),
        "loss_curves": ({"one output": one_output.loss_curve_},),
        "box": (folds(),),
        "critical_difference": comparison(6),
    }[name]
    ax = new_axes("3d" if name == "transformed_3d" else None) if given else None
    settings = dict(matplotlib.rcParams)
    drawn = getattr(plotting, f"plot_{name}")(*arguments, ax=ax)
    assert drawn is ax if given else drawn.figure is not None
    render(drawn)
    assert dict(matplotlib.rcParams) == settings


def test_no_figure_is_left_open():
    """Figures are created without pyplot, which would keep them open."""
    plotting.plot_box(folds())
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize("fcm", [FOUR_FIXED_POINTS, ONE_CYCLE], ids=["four", "cycle"])
def test_attractors_and_trajectories_are_all_there(fcm):
    """A closed line through the states of each attractor, a trajectory from each start, and the basins."""
    ax = plotting.plot_attractors(fcm, grid=4)
    (trajectories,) = kinds(ax, LineCollection)
    assert len(trajectories.get_segments()) == 16
    assert len(ax.images) == 1
    expected = attractors(fcm, np.random.default_rng(0).random((100, 2))).cycles
    drawn = [line.get_xydata() for line in ax.lines]
    assert sorted(map(len, drawn)) == sorted(len(cycle) + 1 for cycle in expected)
    for line in drawn:
        np.testing.assert_allclose(line[0], line[-1])
        np.testing.assert_allclose(fcm.step(line[:-1]), line[1:], rtol=0, atol=1e-6)


def test_each_basin_has_a_colour():
    """Two fixed points: two colours, each of half of the background, since the map is symmetric."""
    picture = plotting.plot_attractors(TWO_FIXED_POINTS, grid=2).images[0].get_array()
    _, counts = np.unique(np.asarray(picture).reshape(-1, 3), axis=0, return_counts=True)
    np.testing.assert_allclose(counts / counts.sum(), 0.5, atol=0.01)


def test_states_of_a_tanh_map_lie_between_minus_one_and_one():
    """The axes are as wide as the range of the activation."""
    fcm = FuzzyCognitiveMap([[2, 0], [0, 2]], activation="tanh", concepts=["rain", "mood"])
    ax = plotting.plot_attractors(fcm, grid=2)
    assert ax.get_xlim() == ax.get_ylim() == (-1, 1)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rain", "mood")
    assert len(ax.lines) == 4


def test_decision_boundary_is_where_classes_are_equally_probable(moons, one_output):
    """Log-odds on the line are close to 0, and all points are drawn."""
    ax = plotting.plot_decision_regions(one_output, *moons)
    assert ax.lines
    for line in ax.lines:
        assert np.abs(one_output.predict_proba(line.get_xydata())[:, 0] - 0.5).max() < 0.05
    assert sum(len(points.get_offsets()) for points in kinds(ax, PathCollection)) == 80
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["class 0", "class 1"]


def test_background_has_the_colour_of_the_predicted_class(three_classes):
    """The hue under a row is that of its predicted class, for each of three."""
    classifier, X, y = three_classes
    ax = plotting.plot_decision_regions(classifier, X, y)
    picture = np.asarray(ax.images[0].get_array())
    left, right, bottom, top = ax.images[0].get_extent()
    column = ((X[:, 0] - left) / (right - left) * 200).astype(int)
    row = ((X[:, 1] - bottom) / (top - bottom) * 200).astype(int)
    paleness = 1 - picture[row, column]
    colors = 1 - np.array([matplotlib.colors.to_rgb(color) for color in plotting.COLORS[:3]])
    likeness = paleness @ (colors / np.linalg.norm(colors, axis=1, keepdims=True)).T
    assert (likeness.argmax(axis=1) == classifier.predict(X)).mean() > 0.95


def test_data_frames_keep_their_names(moons):
    """A classifier fitted with names receives them, so that it does not warn, and they label the axes."""
    X, y = pd.DataFrame(moons[0], columns=["height", "weight"]), np.array(["no", "yes"])[moons[1]]
    classifier = FCMClassifier(random_state=0).fit(X, y)
    ax = plotting.plot_decision_regions(classifier, X, y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("height", "weight")
    ax = plotting.plot_transformed(classifier, X, y)
    assert ax.get_xlabel() == "height, transformed"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["class no", "class yes"]


def test_transformed_points_are_those_of_transform(moons, one_output):
    """Each class is drawn at its first two transformed columns, and with two features there is a boundary."""
    X, y = moons
    ax = plotting.plot_transformed(one_output, X, y)
    for label, points in enumerate(kinds(ax, PathCollection)):
        np.testing.assert_allclose(points.get_offsets(), one_output.transform(X[y == label])[:, :2])
    assert ax.lines


def test_more_than_two_features_have_no_boundary(iris, flowers):
    """In two of four columns the boundary is not a line."""
    ax = plotting.plot_transformed(flowers, *iris)
    assert not ax.lines
    assert len(kinds(ax, PathCollection)) == 3


@pytest.mark.parametrize("fixture", ["one_output", "output_a_class"])
def test_hyperplanes_are_where_the_last_step_is_undecided(fixture, moons, request):
    """There is one per output. At its corners a step of the map leaves the output at 0.5.

    Other outputs are at 0.5 there, hidden concepts at their mean.
    """
    classifier = request.getfixturevalue(fixture)
    first = 2 + classifier.n_hidden_
    n_outputs = classifier.map_.n_concepts - first
    transformed = classifier.transform(moons[0])
    ax = plotting.plot_transformed_3d(classifier, *moons)
    assert sum(isinstance(artist, Poly3DCollection) for artist in ax.collections) == n_outputs
    box = np.array([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()])
    polygons = _hyperplanes(classifier, transformed, [0, 1, first], box)
    for output, polygon in enumerate(polygons, start=first):
        assert len(polygon) >= 3
        states = np.full((len(polygon), first + n_outputs), 0.5)
        states[:, 2:first] = transformed[:, 2:first].mean(axis=0)
        states[:, [0, 1, first]] = polygon
        np.testing.assert_allclose(classifier.map_.step(states)[:, output], 0.5, rtol=0, atol=1e-9)


def test_features_that_are_not_shown_are_held_at_their_mean(iris, flowers):
    """A step from the corners of the hyperplane leaves the output undecided."""
    box = np.array([[-5.0, 5.0]] * 3)
    states = flowers.transform(iris[0])
    for output, polygon in enumerate(_hyperplanes(flowers, states, [0, 1, 4], box), start=4):
        assert len(polygon) >= 3
        corners = np.full((len(polygon), 7), 0.5)
        corners[:, :4] = states[:, :4].mean(axis=0)
        corners[:, [0, 1, 4]] = polygon
        np.testing.assert_allclose(flowers.map_.step(corners)[:, output], 0.5, rtol=0, atol=1e-9)


def test_points_are_drawn_above_hyperplanes_that_can_be_seen_through(moons, output_a_class):
    """No point is hidden."""
    ax = plotting.plot_transformed_3d(output_a_class, *moons)
    render(ax)
    planes = [artist for artist in ax.collections if isinstance(artist, Poly3DCollection)]
    points = kinds(ax, PathCollection)
    assert len(planes) == len(points) == 2
    assert max(plane.get_zorder() for plane in planes) < min(group.get_zorder() for group in points)
    assert all(plane.get_alpha() < 0.3 for plane in planes)


def test_a_plane_cuts_a_box_in_a_polygon_or_not_at_all():
    """The middle plane of the cube has area 1, the diagonal one is a hexagon, one beside it is nothing."""
    cube = np.array([[0.0, 1.0]] * 3)
    middle = _plane_in_box(np.array([0.0, 0.0, 1.0]), -0.5, cube)
    around = np.roll(middle, -1, axis=0)
    assert abs((middle[:, 0] * around[:, 1] - around[:, 0] * middle[:, 1]).sum() / 2) == pytest.approx(1)
    hexagon = _plane_in_box(np.ones(3), -1.5, cube)
    np.testing.assert_allclose(np.linalg.norm(hexagon - np.roll(hexagon, 1, axis=0), axis=1), np.sqrt(0.5))
    assert _plane_in_box(np.ones(3), -4.0, cube).shape == (0, 3)


def test_all_features_of_iris_in_three_dimensions(iris, flowers):
    """Three classes of points; other features have no influence on the figure."""
    ax = plotting.plot_transformed_3d(flowers, *iris)
    assert ax.get_zlabel() == "class=0"
    assert len(kinds(ax, PathCollection)) == 3
    render(ax)


def test_losses_are_on_a_logarithmic_axis_if_they_can_be():
    """A loss of 0 has no logarithm."""
    ax = plotting.plot_loss_curves({"a": [3, 2, 1], "b": [1.0], "c": [2, 0.5]})
    assert ax.get_yscale() == "log"
    assert [len(line.get_xdata()) for line in ax.lines] == [3, 1, 2]
    assert ax.lines[0].get_xdata()[0] == 1
    assert plotting.plot_loss_curves({"a": [1, 0]}).get_yscale() == "linear"


def test_many_curves_all_look_different():
    """After the colours come other dashes."""
    ax = plotting.plot_loss_curves({f"curve {i}": [2, 1] for i in range(20)})
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.lines}) == 20


def test_boxes_are_sorted_by_median_and_one_is_highlighted():
    """The best is on top; only the highlighted one has a colour."""
    scores = {"good": [0.9, 0.8, 1.0], "fcm": [0.7, 0.8, 0.75], "bad": [0.1, 0.2, 0.3, 0.2]}
    ax = plotting.plot_box(scores)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["bad", "fcm", "good"]
    colors = [box.get_facecolor() for box in ax.patches]
    assert len(colors) == 3
    assert colors[0] == colors[2] != colors[1]
    same = {box.get_facecolor() for box in plotting.plot_box(scores, highlight="none of them").patches}
    assert len(same) == 1


@pytest.mark.parametrize("n_methods", [2, 13, 25])
@pytest.mark.parametrize("given", [False, True], ids=["own axes", "axes given"])
def test_no_text_of_a_critical_difference_diagram_overlaps(n_methods, given):
    """The boxes around all texts are apart from each other and inside the figure."""
    ax = plotting.plot_critical_difference(*comparison(n_methods), ax=new_axes(size=(9, 5)) if given else None)
    render(ax)
    boxes = [text.get_window_extent() for text in ax.texts]
    for one, other in combinations(boxes, 2):
        assert not one.overlaps(other)
    for box in boxes:
        assert ax.figure.bbox.x0 <= box.x0 < box.x1 <= ax.figure.bbox.x1
        assert ax.figure.bbox.y0 <= box.y0 < box.y1 <= ax.figure.bbox.y1
    assert all(text.get_fontsize() >= 6 for text in ax.texts)


def test_methods_are_attached_at_their_mean_ranks_and_the_best_is_on_the_left():
    """A leader line starts at each mean rank; rank 1 is left; the better half is named on the left."""
    ranks, names = [3.5, 1.25, 2.0, 3.25], ["d", "a", "b", "c"]
    ax = plotting.plot_critical_difference(ranks, names, 1.5, [[1, 2], [0, 2, 3], [1]])
    left, right = ax.get_xlim()
    assert left == 1 < right
    leaders = [line for line in ax.lines if len(line.get_xdata()) == 3]
    assert sorted(line.get_xdata()[0] for line in leaders) == sorted(ranks)
    sides = {text.get_text().replace(" ", ""): text.get_position()[0] < 1 for text in ax.texts}
    assert sides["a1.25"]
    assert sides["b2.00"]
    assert not sides["3.25c"]
    assert not sides["3.50d"]
    bars = [line.get_xdata() for line in ax.lines if line.get_linewidth() == 4]
    np.testing.assert_allclose(bars, [(1.25, 2.0), (2.0, 3.5)], atol=0.05)


def test_bars_of_one_level_do_not_touch():
    """Bars that would run into each other are on different levels."""
    ranks, _, _, groups = comparison(25)
    margin = 0.24
    bars = comparisons._bars(ranks, groups, margin)
    assert len(bars) == len(groups)
    for (level, left, right), (other_level, other_left, other_right) in combinations(bars, 2):
        assert level != other_level or right < other_left or other_right < left


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("attractors", (FuzzyCognitiveMap(np.eye(3)),), "fcm.*2 concepts, got '3 concepts'"),
        ("attractors", (TWO_FIXED_POINTS, None, 1), "grid.*integer >= 2, got 1"),
        ("loss_curves", ({},), "curves.*dict.*got {}"),
        ("loss_curves", ({"a": []},), "curves.*none of them empty"),
        ("box", ({"a": ["x"]},), "scores.*numbers"),
        ("box", ([1, 2],), "scores.*dict"),
        ("critical_difference", ([0.5, 2], ["a", "b"], 1, []), "mean_ranks.*>= 1"),
        ("critical_difference", ([1, 2], ["a"], 1, []), "names.*2 names.*got '1 names'"),
        ("critical_difference", ([1, 2], ["a", "b"], -1, []), "critical_difference.*>= 0, got -1"),
        ("critical_difference", ([1, 2], ["a", "b"], 1, [[0, 2]]), r"groups.*0 to 1, got \[0, 2\]"),
    ],
)
def test_invalid_arguments_are_rejected(name, arguments, message):
    """The message names the argument and the expected value."""
    with pytest.raises(ParameterError, match=message) as caught:
        getattr(plotting, f"plot_{name}")(*arguments)
    assert str(caught.value).startswith(f"`plot_{name}(")


@pytest.mark.parametrize("name", ["decision_regions", "transformed", "transformed_3d"])
def test_invalid_data_are_rejected(name, moons, one_output):
    """Rows and labels that do not match each other or the classifier."""
    plot = getattr(plotting, f"plot_{name}")
    X, y = moons
    for data, message in [
        ((X[:, 0], y), "X.*n_samples, n_features"),
        ((X[:0], y[:0]), "X.*n_samples, n_features"),
        ((X, y[:-1]), r"y.*\(80,\), one label per row of X, got 'shape \(79,\)'"),
        ((X, y + 1), r"y.*known to the classifier, \[0, 1\], got \[2\]"),
    ]:
        with pytest.raises(ParameterError, match=message):
            plot(one_output, *data)


def test_invalid_dimensions_are_rejected(iris, flowers, moons, one_output):
    """Regions need two features, and the 3D figure needs 3D Axes."""
    with pytest.raises(ParameterError, match=r"X.*2 columns, got '4 columns'"):
        plotting.plot_decision_regions(flowers, *iris)
    with pytest.raises(ParameterError, match=r"ax.*projection='3d'"):
        plotting.plot_transformed_3d(one_output, *moons, ax=new_axes())
