"""What all answers share."""

import numpy as np
import pytest

from cogmap import FCMClassifier, explain, feature_importances, influence, pruning_curve, story, what_if


@pytest.fixture(scope="module")
def answers(learned):
    """One of each kind."""
    fcm, X, y = learned("iris")
    return [
        explain(fcm, X),
        influence(fcm, X),
        feature_importances(fcm, X),
        story(fcm, X.iloc[0]),
        what_if(fcm, X.iloc[0]),
        pruning_curve(FCMClassifier(max_iter=5), X, y, keep=[0.5], n_folds=2),
    ]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_answers_are_tables_json_and_text(answers):
    """Each has rows, plain values, and lines that fit a screen; none can be changed."""
    for answer in answers:
        assert len(answer.to_frame()) > 0
        assert answer.to_json() == type(answer).to_json(answer)
        assert all(not isinstance(value, np.ndarray) for value in answer.to_dict().values())
        assert max(map(len, repr(answer).splitlines())) <= 100
        with pytest.raises(AttributeError):
            answer.scale = 3


def test_answers_that_have_a_picture_draw_it(answers):
    """By the function of `cogmap.plotting` that is made for it."""
    plotting = pytest.importorskip("cogmap.plotting")
    for answer in answers:
        if hasattr(answer, "_picture"):
            assert hasattr(plotting, answer._picture)
            assert answer.plot().figure is not None


@pytest.mark.parametrize("scale", ["probability", "decision"])
def test_what_a_regressor_says_is_on_the_scale_of_values(random_model, scale):
    """Whichever scale of classes was asked for: of values there is one only, and its name is "value"."""
    model, row = random_model("one value"), np.zeros((1, 4))
    for answer in (explain(model, row, scale=scale), influence(model, row, scale), story(model, row, scale=scale)):
        assert answer.scale == answer.to_dict()["scale"] == "value"
        assert "scale 'value'" in repr(answer)
    assert np.isfinite(explain(model, row + 1.0, scale=scale).relevance).all()
