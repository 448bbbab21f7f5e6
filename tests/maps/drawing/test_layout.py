"""Layout of pictures: order, distances and bounds."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from cogmap.maps.drawing.layout import layout
from cogmap.maps.drawing.picture import WEIGHT_SIZE, weight_text
from cogmap.maps.drawing.text import names_in_lines, text_width
from cogmap.maps.drawing.view import graph_view


def rectangle_of_label(word, size):
    width = text_width(word.text, size)
    left = word.x if word.anchor == "start" else word.x - width / 2
    return left, word.y - 0.6 * size, left + width, word.y + 0.6 * size


def rectangle_of_box(box):
    return box.left, box.top, box.right, box.bottom


def overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def curve_points(arrow, n_points=60):
    """Return points along the cubic curves of an arrow."""
    t = np.linspace(0, 1, n_points)[:, None]
    chains = [arrow.points[i : i + 4] for i in range(0, len(arrow.points) - 1, 3)]
    return np.concatenate(
        [(1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d for a, b, c, d in chains]
    )


def box_of(picture, name):
    return next(box for box in picture.boxes if box.name == name)


@pytest.mark.parametrize("aspect", [None, 0.7, 2.5])
def test_nothing_overlaps_and_nothing_is_cut_off(any_view, aspect):
    """Boxes and labels do not overlap, and all lie inside the picture."""
    picture = layout(any_view, aspect)
    boxes = [rectangle_of_box(box) for box in picture.boxes]
    words = [rectangle_of_label(label, picture.small) for label in picture.labels]
    for one, other in combinations(boxes + words, 2):
        assert not overlap(one, other)
    for left, top, right, bottom in boxes + words:
        assert left >= 0
        assert top >= 0
        assert right <= picture.width
        assert bottom <= picture.height
    for arrow in picture.arrows:
        points = curve_points(arrow)
        assert (points >= 0).all()
        assert (points <= [picture.width, picture.height]).all()


def test_every_name_fits_into_its_box(any_view):
    """Next to the ring, if there is one, and without overlapping lines."""
    picture = layout(any_view)
    for box in picture.boxes:
        wide = max(text_width(line, picture.size) for line in box.lines)
        left = box.text_x if box.anchor == "start" else box.text_x - wide / 2
        assert left + wide <= box.right
        assert left >= (box.left if box.ring is None else box.ring.x + box.ring.radius)
        heights = box.heights_of_lines(picture.size)
        assert heights[0] - 0.6 * picture.size >= box.top
        assert heights[-1] + 0.6 * picture.size <= box.bottom


def test_every_edge_has_an_arrow_that_ends_at_its_target(any_view):
    """It starts at its source; the strongest comes last, so that it is drawn on top."""
    picture = layout(any_view)
    assert len(picture.arrows) == len(any_view["edges"])
    for arrow, edge in zip(picture.arrows, reversed(any_view["edges"]), strict=True):
        assert arrow.source == any_view["names"][edge["source"]]
        assert arrow.target == any_view["names"][edge["target"]]
        for (x, y), name in ((arrow.points[0], arrow.source), (arrow.head[0], arrow.target)):
            box = box_of(picture, name)
            assert box.left - 1e-6 <= x <= box.right + 1e-6
            assert box.top - 1e-6 <= y <= box.bottom + 1e-6
    widths = [arrow.width for arrow in picture.arrows]
    assert widths == sorted(widths)


@pytest.mark.parametrize("sizes", [(4, 0, 3), (10, 6, 4), (70, 20, 10)])
def test_features_are_left_hidden_concepts_in_the_middle_outputs_right(learned_view, sizes):
    """Columns do not touch."""
    view = learned_view(*sizes)
    picture = layout(view)
    by_kind = {kind: [box for box in picture.boxes if box.kind == kind] for kind in ("feature", "hidden", "output")}
    columns = [boxes for boxes in by_kind.values() if boxes]
    for left, right in pairwise(columns):
        assert max(box.right for box in left) < min(box.left for box in right)


def test_concepts_without_kinds_are_right_of_their_sources(names_of):
    """A chain becomes a row, for any order of its concepts."""
    order = np.random.default_rng(0).permutation(5)
    weights = np.zeros((5, 5))
    weights[order[1:], order[:-1]] = 1
    picture = layout(graph_view(names_of(5), weights))
    places = [box_of(picture, f"concept {i}").left for i in order]
    assert places == sorted(places)
    assert len(set(places)) == 5


def test_edges_do_not_cross_needlessly(names_of):
    """Each output has its own features, in random order."""
    rng = np.random.default_rng(3)
    weights = np.zeros((20, 20))
    for output, features in enumerate(np.split(rng.permutation(15), 5)):
        weights[15 + output, features] = 1
    picture = layout(graph_view(names_of(20), weights, ["feature"] * 15 + ["output"] * 5))
    ends = sorted((arrow.points[0][1], arrow.head[0][1]) for arrow in picture.arrows)
    arrivals = [end for _, end in ends]
    assert arrivals == sorted(arrivals)


def test_backward_edges_run_below_all_boxes(learned_view):
    """No other edge does: it runs to the right or bends out of a column."""
    view = learned_view(10, 5, 5, feedback=2.0)
    picture = layout(view)
    bottom = max(box.bottom for box in picture.boxes)
    n_back = 0
    for arrow in picture.arrows:
        source, target = box_of(picture, arrow.source), box_of(picture, arrow.target)
        goes_back = target.right < source.left
        n_back += goes_back
        assert (curve_points(arrow)[:, 1].max() > bottom) == goes_back
    assert n_back > 5


def test_edges_pass_a_column_between_its_boxes(learned_view):
    """An edge from a feature to an output does not cross hidden concepts."""
    picture = layout(learned_view(20, 8, 12, density=0.5))
    passing = [
        arrow
        for arrow in picture.arrows
        if (box_of(picture, arrow.source).kind, box_of(picture, arrow.target).kind) == ("feature", "output")
    ]
    assert len(passing) > 5
    for arrow in passing:
        points = curve_points(arrow)
        for box in (box for box in picture.boxes if box.kind == "hidden"):
            inside = (points > [box.left, box.top]) & (points < [box.right, box.bottom])
            assert not inside.all(axis=1).any()


def test_self_loops_are_rings_in_boxes():
    """The width shows the strength, the color the sign; there is no arrow."""
    picture = layout(graph_view("abc", np.diag([2.0, -1.0, 0.0])))
    assert picture.arrows == []
    rings = {box.name: box.ring for box in picture.boxes}
    assert rings["c"] is None
    assert rings["a"].weight > 0 > rings["b"].weight
    assert rings["a"].width > rings["b"].width


def test_author_positions_keep_their_order(loose_view):
    """Boxes clearly left of or above others remain so after being moved apart."""
    rng = np.random.default_rng(1)
    places = np.stack(np.meshgrid(np.arange(5), np.arange(4)), axis=-1).reshape(-1, 2) * [150.0, 90.0]
    places += rng.uniform(-15, 15, places.shape)
    view = graph_view([f"concept {i}" for i in range(20)], rng.normal(size=(20, 20)), positions=places)
    boxes = layout(view).boxes
    middles = np.array([[box.left + box.width / 2, box.middle] for box in boxes])
    for axis in (0, 1):
        before = np.subtract.outer(places[:, axis], places[:, axis])
        after = np.subtract.outer(middles[:, axis], middles[:, axis])
        assert (np.sign(before) == np.sign(after))[np.abs(before) > 50].all()


@pytest.mark.parametrize("seed", range(40))
def test_any_map_can_be_drawn(seed):
    """Of any size, density, layout and number of edges: nothing overlaps, nothing is missing."""
    rng = np.random.default_rng(seed)
    n_concepts = int(rng.choice([1, 2, 3, 7, 20, 21, 60, 130]))
    shape = (n_concepts, n_concepts)
    weights = rng.normal(size=shape) * (rng.random(shape) < rng.choice([0, 0.05, 0.3])) * 10.0 ** rng.integers(-5, 5)
    letters = list("abc déW中_-/ $<&ж")
    names = ["".join(rng.choice(letters, rng.integers(0, 80))) + f" {i}" for i in range(n_concepts)]
    kinds = sorted(rng.choice(["feature", "hidden", "output"], n_concepts)) if seed % 3 == 0 else None
    places = rng.choice([1, 1e6]) * rng.random((n_concepts, 2)).round(rng.integers(0, 3)) if seed % 3 == 1 else None
    view = graph_view(names, weights, kinds, positions=places, n_edges=rng.choice([None, 0, 5]))
    picture = layout(view)
    assert len(picture.arrows) == len(view["edges"])
    assert len(picture.boxes) + view["n_left_out"] == n_concepts
    drawn = [rectangle_of_box(box) for box in picture.boxes]
    drawn += [rectangle_of_label(label, picture.small) for label in picture.labels]
    assert not any(overlap(one, other) for one, other in combinations(drawn, 2))


@pytest.mark.parametrize("places", [np.zeros((6, 2)), np.array([[0.0, 0.0], [1e-6, 0.0]] * 3), np.eye(6, 2) * 1e9])
def test_concepts_at_the_same_position_are_moved_apart(places):
    """Also if all positions are equal, or nearly so."""
    view = graph_view("abcdef", np.ones((6, 6)), positions=places)
    boxes = [rectangle_of_box(box) for box in layout(view).boxes]
    assert not any(overlap(one, other) for one, other in combinations(boxes, 2))


def test_aspect_sets_the_shape_of_the_picture(learned_view):
    """The distance between columns changes within limits."""
    view = learned_view(20, 0, 5)
    for aspect in (1.0, 1.5, 2.0):
        picture = layout(view, aspect)
        assert picture.width / picture.height == pytest.approx(aspect, rel=0.1)


def test_the_same_map_has_the_same_picture(learned_view):
    """The layout is deterministic."""
    one, other = (layout(learned_view(20, 5, 3)) for _ in range(2))
    assert one.boxes == other.boxes
    for first, second in zip(one.arrows, other.arrows, strict=True):
        np.testing.assert_array_equal(first.points, second.points)


@pytest.mark.parametrize("n_lines", [1, 2, 3])
def test_names_that_differ_look_different(n_lines):
    """If they differ at the beginning, the end or in the middle, at any length."""
    filler = "x" * 30 + " " + "y" * 30
    for names in (
        [f"{i} {filler}" for i in range(20)],
        [f"{filler} {i}" for i in range(20)],
        [f"{filler[:40]}{i}{filler[40:]}" for i in range(20)],
        [f"a_long_name_without_spaces_{i}_that_goes_on" for i in range(20)],
    ):
        lines = names_in_lines(names, 14.0, n_lines)
        assert len(set(lines)) == 20
        assert all(1 <= len(name) <= n_lines for name in lines)


def test_short_names_are_unchanged():
    """Longer names are broken between words and after connecting characters."""
    assert names_in_lines(["petal width (cm)"], 20.0, 1) == [("petal width (cm)",)]
    assert names_in_lines(["od280/od315_of_diluted_wines"], 10.0, 3) == [("od280/od315_of_", "diluted_wines")]
    assert names_in_lines(["", " ", "a\nb"], 20.0, 2) == [("",), (" ",), (r"a\nb",)]


def test_small_maps_are_drawn_completely(small_view):
    """With every concept, every arrow, and no shortened name."""
    picture = layout(small_view)
    assert small_view["small"]
    assert not small_view["left_out"]
    assert "all of it is drawn" in small_view["note"]
    assert len(picture.arrows) == len(small_view["edges"]) <= 150
    assert not any("…" in line for box in picture.boxes for line in box.lines)
    for box in picture.boxes:
        assert "".join(box.lines).replace(" ", "") == box.name.replace(" ", "")


def test_weights_are_beside_their_arrows_and_overlap_nothing(small_view):
    """In the box where the arrow ends, at its height, and left of the name."""
    picture = layout(small_view)
    assert small_view["weights"] == (len(picture.arrows) <= 60)
    assert sum(len(box.weights) for box in picture.boxes) == len(picture.arrows) * small_view["weights"]
    size = WEIGHT_SIZE * picture.size
    ends = {(arrow.target, round(float(arrow.head[0][1]), 6)): arrow.weight for arrow in picture.arrows}
    for box in picture.boxes:
        for label in box.weights:
            assert label.text == weight_text(ends[box.name, round(label.y, 6)])
            assert box.left < label.x
            assert label.x + text_width(label.text, size) < box.text_x
            assert box.top <= label.y - 0.5 * size
            assert label.y + 0.5 * size <= box.bottom
        for one, other in pairwise(sorted(label.y for label in box.weights)):
            assert other - one >= size


def test_arrows_end_beside_the_part_of_the_name_that_they_are(small_view):
    """The line beside a weight names the source of the arrow."""
    picture = layout(small_view)
    combinations_drawn = [box for box in picture.boxes if box.kind == "hidden" and len(box.lines) > 1]
    for box in combinations_drawn:
        lines = dict(zip(map(round, box.heights_of_lines(picture.size)), box.lines, strict=True))
        for arrow in picture.arrows:
            if arrow.target == box.name and len(box.parts) > 1:
                line = lines[round(float(arrow.head[0][1]))]
                assert line.startswith(f"{'high' if arrow.weight > 0 else 'low'} {arrow.source[:9]}")
