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
    """The flows of a step add up to the difference from the baseline; those of the first, feature by feature."""
    model = random_model(link, depth)
    trace = story(model, ROW, baseline=BASELINE, scale=scale)
    assert trace.flow.shape == (depth, model.map.n_concepts, model.map.n_concepts)
    np.testing.assert_allclose(trace.flow.sum(axis=(1, 2)), trace.output - trace.base_value, atol=1e-9)
    explanation = explain(model, ROW[None], BASELINE, scale)
    k = explanation.output_names.index(trace.output_name)
    np.testing.assert_allclose(trace.contributions, explanation.contributions[0, :, k], atol=1e-12)
    np.testing.assert_allclose(trace.flow[0].sum(axis=0)[:4], trace.contributions, atol=1e-12)
    assert (trace.output, trace.base_value) == (explanation.outputs[0, k], explanation.base_values[k])
    assert not trace.flow[-1, : -model.n_outputs].any()  # the last step only has edges into outputs


def test_states_are_those_of_the_map(random_model):
    """For the row and for the baseline."""
    model = random_model("three outputs", depth=3)
    trace = story(model, ROW, baseline=BASELINE)
    np.testing.assert_array_equal(trace.states, model.trajectory(ROW[None])[:, 0])
    np.testing.assert_array_equal(trace.baseline_states, model.trajectory(BASELINE[None])[:, 0])


def test_the_story_is_about_the_most_probable_class_unless_another_is_asked_for(learned):
    """By its label or by the name of its output."""
    fcm, X, _ = learned("iris")
    for i in (0, 60, 120):
        assert story(fcm, X.iloc[i]).output_name == f"class={fcm.predict(X.iloc[[i]])[0]}"
    for output in (1, "class=1"):
        trace = story(fcm, X.iloc[0], output=output)
        assert trace.output == pytest.approx(fcm.predict_proba(X.iloc[[0]])[0, 1])


@pytest.mark.parametrize("structure", ["auto", "full"])
def test_tables(learned, structure):
    """Concepts with their states, and edges; both, with what held features keep, add up to the difference."""
    fcm, X, _ = learned("iris", structure)
    trace = story(fcm, X.iloc[70])
    concepts, edges = trace.to_frame(), trace.edges_to_frame()
    assert list(concepts.columns) == ["concept", "kind", "step 0", "step 1", "step 2", "contribution"]
    assert concepts["contribution"].sum() == pytest.approx(trace.output - trace.base_value, abs=1e-9)
    carried = edges.groupby("step")["carried"].sum()
    assert fcm.model_.n_hidden > 0
    n_held = len(fcm.map_.held)
    carried[1] += trace.flow[0].diagonal()[:n_held].sum()
    assert not trace.flow[1].diagonal()[:n_held].any()
    assert carried.tolist() == pytest.approx([trace.output - trace.base_value] * 2, abs=1e-9)
    assert max(map(len, repr(trace).splitlines())) <= 100
    assert json.loads(trace.to_json())["output_name"] == trace.output_name


def test_a_row_comes_in_many_forms(learned):
    """An array, a list, a series and a table of one row give the same story."""
    fcm, X, _ = learned("iris")
    expected = story(fcm, X.iloc[[3]]).contributions
    np.testing.assert_array_equal(story(fcm, X.iloc[3]).contributions, expected)
    values = X.to_numpy()[3]
    for row in (values, values[None], values.tolist()):
        np.testing.assert_array_equal(story(fcm.model_, row).contributions, expected)
