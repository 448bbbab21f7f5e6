"""Figures of answers: contributions, influence, stories, changes, pruning; and displays as scikit-learn's."""

import io
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import NotFittedError

from cogmap import FCMClassifier, FCMRegressor, explain, influence, story, what_if
from cogmap.exceptions import ParameterError
from cogmap.explanation import PruningCurve

matplotlib = pytest.importorskip("matplotlib")

from matplotlib.figure import Figure  # noqa: E402

from cogmap import plotting  # noqa: E402


def new_axes():
    return Figure(figsize=(6.4, 4.8), layout="constrained").add_subplot()


def render(ax):
    """Draw as for a file; pytest makes an error of every warning."""
    ax.figure.savefig(io.BytesIO(), format="png", dpi=60)
    return ax


def table(load):
    X, y = load(return_X_y=True, as_frame=True)
    return X, y


@pytest.fixture(scope="module")
def flowers():
    X, y = table(load_iris)
    return FCMClassifier(random_state=0).fit(X, y), X


@pytest.fixture(scope="module")
def tumours():
    X, y = table(load_breast_cancer)
    return FCMClassifier(random_state=0, n_teachers=0).fit(X, np.where(y, "benign", "malignant")), X


@pytest.fixture(scope="module")
def patients():
    X, y = table(load_diabetes)
    return FCMRegressor(random_state=0, n_teachers=0).fit(X, y), X


@pytest.fixture(params=["flowers", "tumours", "patients"])
def fitted(request):
    """Three classes, two classes, and a value."""
    return request.getfixturevalue(request.param)


def curve():
    rng = np.random.default_rng(0)
    keep = np.array([1.0, 0.5, 0.1, 0.02])
    return PruningCurve(keep, 500 * keep, 0.9 + 0.02 * rng.random((5, 4)), "accuracy")


def bars(ax):
    return [patch for patch in ax.patches if isinstance(patch, matplotlib.patches.Rectangle)]


def test_bars_of_contributions_lead_from_the_baseline_to_the_output(fitted):
    """Each begins where the one below ends; few features have a bar each, the others one together."""
    fcm, X = fitted
    found = explain(fcm, X[:3])
    ax = render(plotting.plot_contributions(found, row=2))
    drawn = bars(ax)
    assert len(drawn) == min(X.shape[1], 12)
    k = int(np.argmax(found.outputs[2]))
    at = found.base_values[k]
    for bar in reversed(drawn):
        assert bar.get_x() == pytest.approx(at, abs=1e-9)
        at += bar.get_width()
    assert at == pytest.approx(found.outputs[2, k], abs=1e-9)
    sizes = [abs(bar.get_width()) for bar in (drawn if X.shape[1] <= 12 else drawn[:-1])]
    assert sizes == sorted(sizes, reverse=True)
    assert ax.get_xlabel() == found.output_names[k]


def test_an_output_is_asked_for_by_its_class(flowers):
    """Or by the name of its concept."""
    found = explain(flowers[0], flowers[1][:1])
    assert plotting.plot_contributions(found, output=1).get_xlabel() == "class=1"
    assert plotting.plot_contributions(found, output="class=2").get_xlabel() == "class=2"


def test_influence_is_signed_for_one_output_and_stacked_for_all(fitted):
    """The largest is on top, and bars have the lengths that were found."""
    fcm, X = fitted
    found = influence(fcm, X)
    ax = render(plotting.plot_influence(found))
    n_outputs = len(found.output_names)
    n_features = min(X.shape[1], 20)
    assert len(bars(ax)) == n_features * (n_outputs if n_outputs > 2 else 2)
    names = [label.get_text() for label in ax.get_yticklabels()]
    size = found.magnitude[: X.shape[1]].sum(axis=1) if n_outputs > 2 else found.magnitude[: X.shape[1], -1]
    assert names[0] == found.concepts[int(np.argmax(size))]
    last = found.output_names[-1]
    signed = bars(plotting.plot_influence(found, output=last))[n_features:]
    effect = found.effect[: X.shape[1], -1]
    assert sorted(bar.get_width() for bar in signed) == pytest.approx(
        sorted(effect[np.argsort(-found.magnitude[: X.shape[1], -1])[:n_features]])
    )


def test_a_story_has_a_column_per_step_and_the_states_in_its_boxes(fitted):
    """From the start to the last step, and no influence goes anywhere but to the next step."""
    fcm, X = fitted
    told = story(fcm, X.iloc[0])
    view = plotting.story.story_view(told)
    assert view["headings"] == ["start", *(f"step {i + 1}" for i in range(fcm.depth_))]
    for edge in view["edges"]:
        assert view["columns"][edge["target"]] == view["columns"][edge["source"]] + 1
    ax = render(plotting.plot_story(told))
    words = {text.get_text() for text in ax.texts}
    assert {"start", "step 1", f"raises {told.output_name}", f"lowers {told.output_name}"} <= words
    for name, step in zip(view["names"], view["columns"], strict=True):
        concept, _, state = name.rpartition(" ")
        assert state == f"{told.states[step, told.concepts.index(concept)]:.2f}"
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_most_of_what_moves_the_output_is_drawn_in_every_step(flowers):
    """The influences that are drawn carry nine tenths of it, unless there are very many."""
    told = story(flowers[0], flowers[1].iloc[0])
    view = plotting.story.story_view(told)
    for step, carried in enumerate(np.abs(told.flow)):
        of_step = [edge for edge in view["edges"] if view["columns"][edge["source"]] == step]
        assert sum(abs(edge["weight"]) for edge in of_step) >= 0.9 * carried.sum() - 1e-12 or len(of_step) == 14


def test_a_change_is_a_bar_per_feature_with_both_values(flowers):
    """In deviations, with what the map says before and after."""
    fcm, X = flowers
    found = what_if(fcm, X.iloc[0], to=1)
    ax = render(plotting.plot_what_if(found))
    assert [bar.get_width() for bar in bars(ax)] == pytest.approx(list(found.sizes.values()))
    assert "class=1" in ax.get_title()
    before, after = next(iter(found.changes.values()))
    assert any(f"{before:.3g} → {after:.3g}" == text.get_text() for text in ax.texts)


def test_where_no_change_was_found_the_figure_says_so(flowers):
    """In the words of the answer."""
    fcm, X = flowers
    found = what_if(fcm, X.iloc[0], to=2, fixed=list(X.columns[1:]), ranges={X.columns[0]: (5.0, 5.2)})
    assert not found.found
    ax = render(plotting.plot_what_if(found))
    assert " ".join(ax.texts[0].get_text().split()) == found.sentence
    assert not bars(ax)


def test_a_pruning_curve_shows_means_and_the_whole_map():
    """A point per size, and a line at the score of the map with all its edges."""
    ax = render(plotting.plot_pruning(curve()))
    np.testing.assert_allclose(ax.lines[0].get_ydata(), curve().scores.mean(axis=0))
    np.testing.assert_allclose(ax.lines[0].get_xdata(), curve().n_edges)
    assert ax.lines[1].get_ydata()[0] == pytest.approx(curve().full_scores.mean())
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("edges", "accuracy")


def test_the_display_of_pruning_learns_and_draws(iris):
    """The sizes asked for, and the whole map."""
    fcm = FCMClassifier(random_state=0, n_teachers=0)
    display = plotting.PruningDisplay.from_estimator(fcm, *iris, keep=(0.3,), n_folds=2)
    assert display.view["keep"] == [1.0, 0.3]
    assert len(display.ax_.lines[0].get_xdata()) == 2


def displays(fcm, X):
    """Return functions that draw every kind of display."""
    row = X.iloc[[0]]
    to = 200.0 if isinstance(fcm, FCMRegressor) else None
    return [
        lambda ax: plotting.MapDisplay.from_estimator(fcm, ax=ax),
        lambda ax: plotting.MapDisplay.from_estimator(fcm, X, n_edges=5, ax=ax),
        lambda ax: plotting.WeightsDisplay.from_estimator(fcm, ax=ax),
        lambda ax: plotting.StatesDisplay.from_estimator(fcm, row, ax=ax),
        lambda ax: plotting.ContributionsDisplay.from_estimator(fcm, row, scale="decision", ax=ax),
        lambda ax: plotting.InfluenceDisplay.from_estimator(fcm, X, ax=ax),
        lambda ax: plotting.StoryDisplay.from_estimator(fcm, row, ax=ax),
        lambda ax: plotting.WhatIfDisplay.from_estimator(fcm, row, to, ax=ax),
    ]


def test_displays_draw_and_draw_again(fitted):
    """`from_estimator` has drawn already, on the Axes given; `plot` draws elsewhere and returns the display."""
    for draw in displays(*fitted):
        ax = new_axes()
        display = draw(ax)
        assert display.ax_ is ax
        assert display.figure_ is ax.figure
        assert display.plot() is display
        assert display.ax_ is not ax
        render(display.ax_)


def test_names_like_formulas_are_written_as_they_are(iris):
    """Two dollars do not make a formula, nor do they end in an error."""
    names = ["cost ($) of a $", "x_1^2", "a\\b", "100 %"]
    X = pd.DataFrame(iris[0], columns=names)
    fcm = FCMClassifier(random_state=0, max_iter=20, n_teachers=0)
    with pytest.warns(match="iterations"):
        fcm.fit(X, np.array(["$a$", "b", "$c"])[iris[1]])
    for draw in displays(fcm, X):
        render(draw(None).ax_)


@pytest.mark.parametrize("name", ["contributions", "influence", "story", "what_if", "pruning"])
def test_what_is_no_answer_is_refused(name):
    """With the name of the function that makes one."""
    with pytest.raises(ParameterError, match=f"`plot_{name}.*as cogmap.explanation"):
        getattr(plotting, f"plot_{name}")([1, 2])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5,), "row.*integer >= 0 and <= 1, got 5"),
        ((-1,), "row.*integer >= 0"),
        ((0, "setosa"), "output.*a class, or the name of an output, got 'setosa'"),
        ((0, 7), "output.*a class, or the name of an output, got 7"),
    ],
)
def test_rows_and_outputs_that_do_not_exist_are_told(flowers, arguments, message):
    """Each by the name of its argument."""
    found = explain(flowers[0], flowers[1][:2])
    with pytest.raises(ParameterError, match=message):
        plotting.plot_contributions(found, *arguments)


def test_a_display_of_an_estimator_that_is_not_fitted_says_so(flowers):
    """Whichever display it is."""
    X = flowers[1]
    row = X.iloc[[0]]
    for display, arguments in [
        (plotting.MapDisplay, ()),
        (plotting.MapDisplay, (X,)),
        (plotting.WeightsDisplay, ()),
        (plotting.StatesDisplay, (row,)),
        (plotting.ContributionsDisplay, (row,)),
        (plotting.InfluenceDisplay, (X,)),
        (plotting.StoryDisplay, (row,)),
        (plotting.WhatIfDisplay, (row,)),
    ]:
        with pytest.raises(NotFittedError):
            display.from_estimator(FCMClassifier(), *arguments)
