"""The story of one row: each step carries the whole difference."""

import json

import numpy as np
import pytest

from cogmap import explain, story

ROW = np.array([0.9, 0.2, 0.7, 0.4])
BASELINE = np.array([0.3, 0.3, 0.1, 0.4])


@pytest.mark.parametrize("scale", ["probability", "decision"])
@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("link", ["one output", "two outputs", "three outputs", "values"])
def test_every_step_carries_the_whole_difference(random_model, link, depth, scale):
    """What all edges carry in a step is the difference from the baseline; in the first, feature by feature."""
    model = random_model(link, depth)
    told = story(model, ROW, baseline=BASELINE, scale=scale)
    assert told.flow.shape == (depth, model.map.n_concepts, model.map.n_concepts)
    np.testing.assert_allclose(told.flow.sum(axis=(1, 2)), told.output - told.base_value, atol=1e-9)
    explanation = explain(model, ROW[None], BASELINE, scale)
    k = explanation.output_names.index(told.output_name)
    np.testing.assert_allclose(told.contributions, explanation.contributions[0, :, k], atol=1e-12)
    np.testing.assert_allclose(told.flow[0].sum(axis=0)[:4], told.contributions, atol=1e-12)
    assert (told.output, told.base_value) == (explanation.outputs[0, k], explanation.base_values[k])
    assert not told.flow[-1, : -model.n_outputs].any()  # the last step is read at the outputs


def test_states_are_those_of_the_map(random_model):
    """Step by step, of the row and of the baseline."""
    model = random_model("three outputs", depth=3)
    told = story(model, ROW, baseline=BASELINE)
    np.testing.assert_array_equal(told.states, model.trajectory(ROW[None])[:, 0])
    np.testing.assert_array_equal(told.baseline_states, model.trajectory(BASELINE[None])[:, 0])


def test_the_story_is_about_the_most_probable_class_unless_another_is_asked_for(learned):
    """By its label or by the name of its output."""
    fcm, X, _ = learned("iris")
    for i in (0, 60, 120):
        assert story(fcm, X.iloc[i]).output_name == f"class={fcm.predict(X.iloc[[i]])[0]}"
    for output in (1, "class=1"):
        told = story(fcm, X.iloc[0], output=output)
        assert told.output == pytest.approx(fcm.predict_proba(X.iloc[[0]])[0, 1])


def test_tables(learned):
    """One of concepts with their states, one of edges; both add up to the difference in every step."""
    fcm, X, _ = learned("iris")
    told = story(fcm, X.iloc[70])
    concepts, edges = told.to_frame(), told.edges_to_frame()
    assert list(concepts.columns) == ["concept", "kind", "step 0", "step 1", "step 2", "contribution"]
    assert concepts["contribution"].sum() == pytest.approx(told.output - told.base_value, abs=1e-9)
    carried = edges.groupby("step")["carried"].sum()
    assert carried.tolist() == pytest.approx([told.output - told.base_value] * 2, abs=1e-9)
    assert max(map(len, repr(told).splitlines())) <= 100
    assert json.loads(told.to_json())["output_name"] == told.output_name


def test_a_row_comes_in_many_forms(learned):
    """An array, a list, a series, a table of one row: one story."""
    fcm, X, _ = learned("iris")
    expected = story(fcm, X.iloc[[3]]).contributions
    np.testing.assert_array_equal(story(fcm, X.iloc[3]).contributions, expected)
    values = X.to_numpy()[3]
    for row in (values, values[None], values.tolist()):
        np.testing.assert_array_equal(story(fcm.model_, row).contributions, expected)
