"""Figures of explanations and pruning, and displays in the style of scikit-learn."""

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
    """Render the figure; pytest turns warnings into errors."""
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
    """Each starts where the one below ends; the largest have a bar each, the others share one."""
    fcm, X = fitted
    result = explain(fcm, X[:3])
    ax = render(plotting.plot_contributions(result, row=2))
    drawn = bars(ax)
    assert len(drawn) == min(X.shape[1], 12)
    k = int(np.argmax(result.outputs[2]))
    at = result.base_values[k]
    for bar in reversed(drawn):
        assert bar.get_x() == pytest.approx(at, abs=1e-9)
        at += bar.get_width()
    assert at == pytest.approx(result.outputs[2, k], abs=1e-9)
    sizes = [abs(bar.get_width()) for bar in (drawn if X.shape[1] <= 12 else drawn[:-1])]
    assert sizes == sorted(sizes, reverse=True)
    assert ax.get_xlabel() == result.output_names[k]


def test_outputs_are_selected_by_class_or_name(flowers):
    """By the class, or by the name of its concept."""
    result = explain(flowers[0], flowers[1][:1])
    assert plotting.plot_contributions(result, output=1).get_xlabel() == "class=1"
    assert plotting.plot_contributions(result, output="class=2").get_xlabel() == "class=2"


def test_influence_is_signed_for_one_output_and_stacked_for_all(fitted):
    """The largest is on top, and bars have the lengths of the effects."""
    fcm, X = fitted
    result = influence(fcm, X)
    ax = render(plotting.plot_influence(result))
    n_outputs = len(result.output_names)
    n_features = min(X.shape[1], 20)
    assert len(bars(ax)) == n_features * (n_outputs if n_outputs > 2 else 2)
    names = [label.get_text() for label in ax.get_yticklabels()]
    size = result.magnitude[: X.shape[1]].sum(axis=1) if n_outputs > 2 else result.magnitude[: X.shape[1], -1]
    assert names[0] == result.concepts[int(np.argmax(size))]
    last = result.output_names[-1]
    signed = bars(plotting.plot_influence(result, output=last))[n_features:]
    effect = result.effect[: X.shape[1], -1]
    assert sorted(bar.get_width() for bar in signed) == pytest.approx(
        sorted(effect[np.argsort(-result.magnitude[: X.shape[1], -1])[:n_features]])
    )


def test_a_story_has_a_column_per_step_and_the_states_in_its_boxes(fitted):
    """From the start to the last step; edges only lead to the next step."""
    fcm, X = fitted
    trace = story(fcm, X.iloc[0])
    view = plotting.story.story_view(trace)
    assert view["headings"] == ["start", *(f"step {i + 1}" for i in range(fcm.depth_))]
    for edge in view["edges"]:
        assert view["columns"][edge["target"]] == view["columns"][edge["source"]] + 1
    ax = render(plotting.plot_story(trace))
    words = {text.get_text() for text in ax.texts}
    assert {"start", "step 1", f"raises {trace.output_name}", f"lowers {trace.output_name}"} <= words
    for name, step in zip(view["names"], view["columns"], strict=True):
        concept, _, state = name.rpartition(" ")
        assert state == f"{trace.states[step, trace.concepts.index(concept)]:.2f}"
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))


def test_drawn_edges_carry_most_of_the_flow_of_every_step(flowers):
    """Nine tenths of it, unless there are very many edges."""
    trace = story(flowers[0], flowers[1].iloc[0])
    view = plotting.story.story_view(trace)
    for step, carried in enumerate(np.abs(trace.flow)):
        of_step = [edge for edge in view["edges"] if view["columns"][edge["source"]] == step]
        assert sum(abs(edge["weight"]) for edge in of_step) >= 0.9 * carried.sum() - 1e-12 or len(of_step) == 14


def test_a_change_is_a_bar_per_feature_with_both_values(flowers):
    """In deviations, with the outputs before and after."""
    fcm, X = flowers
    result = what_if(fcm, X.iloc[0], to=1)
    ax = render(plotting.plot_what_if(result))
    assert [bar.get_width() for bar in bars(ax)] == pytest.approx(list(result.sizes.values()))
    assert "class=1" in ax.get_title()
    before, after = next(iter(result.changes.values()))
    assert any(f"{before:.3g} → {after:.3g}" == text.get_text() for text in ax.texts)


def test_figure_states_that_no_change_was_found(flowers):
    """In the sentence of the result."""
    fcm, X = flowers
    result = what_if(fcm, X.iloc[0], to=2, fixed=list(X.columns[1:]), ranges={X.columns[0]: (5.0, 5.2)})
    assert not result.found
    ax = render(plotting.plot_what_if(result))
    assert " ".join(ax.texts[0].get_text().split()) == result.sentence
    assert not bars(ax)


def test_a_pruning_curve_shows_means_and_the_whole_map():
    """A point per size, and a line at the score of the full map."""
    ax = render(plotting.plot_pruning(curve()))
    np.testing.assert_allclose(ax.lines[0].get_ydata(), curve().scores.mean(axis=0))
    np.testing.assert_allclose(ax.lines[0].get_xdata(), curve().n_edges)
    assert ax.lines[1].get_ydata()[0] == pytest.approx(curve().full_scores.mean())
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("edges", "accuracy")


def test_pruning_display_fits_and_draws(iris):
    """The requested sizes, and the full map."""
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


def test_displays_can_be_redrawn(fitted):
    """`from_estimator` draws on the given Axes; `plot` draws on others and returns the display."""
    for draw in displays(*fitted):
        ax = new_axes()
        display = draw(ax)
        assert display.ax_ is ax
        assert display.figure_ is ax.figure
        assert display.plot() is display
        assert display.ax_ is not ax
        render(display.ax_)


def test_names_like_formulas_are_written_as_they_are(iris):
    """Two dollar signs do not start a formula."""
    names = ["cost ($) of a $", "x_1^2", "a\\b", "100 %"]
    X = pd.DataFrame(iris[0], columns=names)
    fcm = FCMClassifier(random_state=0, max_iter=20, n_teachers=0)
    with pytest.warns(match="iterations"):
        fcm.fit(X, np.array(["$a$", "b", "$c"])[iris[1]])
    for draw in displays(fcm, X):
        render(draw(None).ax_)


@pytest.mark.parametrize("name", ["contributions", "influence", "story", "what_if", "pruning"])
def test_other_objects_are_rejected(name):
    """With the name of the function that creates the expected object."""
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
def test_unknown_rows_and_outputs_are_rejected(flowers, arguments, message):
    """The message names the argument."""
    result = explain(flowers[0], flowers[1][:2])
    with pytest.raises(ParameterError, match=message):
        plotting.plot_contributions(result, *arguments)


def test_displays_reject_unfitted_estimators(flowers):
    """All displays do."""
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
