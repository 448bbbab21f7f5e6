"""Common behaviour of all explanation results."""

import numpy as np
import pytest

from cogmap import FCMClassifier, explain, feature_importances, influence, pruning_curve, story, to_rules, what_if


@pytest.fixture(scope="module")
def answers(learned):
    """One result of each kind."""
    fcm, X, y = learned("iris")
    return [
        explain(fcm, X),
        influence(fcm, X),
        feature_importances(fcm, X),
        story(fcm, X.iloc[0]),
        what_if(fcm, X.iloc[0]),
        to_rules(fcm, X),
        pruning_curve(FCMClassifier(max_iter=5), X, y, keep=[0.5], n_folds=2),
    ]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_answers_are_tables_json_and_text(answers):
    """Each converts to a table, plain values and lines of at most 100 characters, and is immutable."""
    for answer in answers:
        assert len(answer.to_frame()) > 0
        assert answer.to_json() == type(answer).to_json(answer)
        assert all(not isinstance(value, np.ndarray) for value in answer.to_dict().values())
        assert max(map(len, repr(answer).splitlines())) <= 100
        with pytest.raises(AttributeError):
            answer.scale = 3


def test_answers_with_a_figure_plot_it(answers):
    """`plot` calls the matching function of `cogmap.plotting`."""
    plotting = pytest.importorskip("cogmap.plotting")
    for answer in answers:
        if hasattr(answer, "_picture"):
            assert hasattr(plotting, answer._picture)
            assert answer.plot().figure is not None


@pytest.mark.parametrize("scale", ["probability", "decision"])
def test_regressors_have_the_scale_value(random_model, scale):
    """Whatever `scale` is: it only applies to classifiers."""
    model, row = random_model("one value"), np.zeros((1, 4))
    for answer in (explain(model, row, scale=scale), influence(model, row, scale), story(model, row, scale=scale)):
        assert answer.scale == answer.to_dict()["scale"] == "value"
        assert "scale 'value'" in repr(answer)
    assert np.isfinite(explain(model, row + 1.0, scale=scale).relevance).all()
