"""Explanations converted to shap, and its plots."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from cogmap import FCMClassifier, FCMRegressor, explain
from cogmap.exceptions import ParameterError

pytest.importorskip("shap")


@pytest.fixture(scope="module")
def explanation():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return explain(FCMClassifier(structure="additive", random_state=0).fit(X, y), X)


def test_all_outputs_are_three_dimensional_and_one_is_two(explanation):
    """Values, base values, data and names, in the shapes that shap's plots take."""
    several = explanation.to_shap()
    assert several.shape == (178, 13, 3)
    assert several.base_values.shape == (178, 3)
    assert several.output_names == ["class=0", "class=1", "class=2"]
    one = explanation.to_shap(output=1)
    assert one.shape == (178, 13)
    assert one.base_values.shape == (178,)
    assert one.feature_names == list(explanation.feature_names)
    np.testing.assert_array_equal(one.values, several[..., 1].values)
    np.testing.assert_array_equal(one.data, explanation.values)
    np.testing.assert_allclose(one.base_values + one.values.sum(axis=1), explanation.outputs[:, 1], atol=1e-9)


def test_a_single_output_is_two_dimensional():
    """Regression values and log-odds of two classes need no `output`."""
    for estimator, load, scale in (
        (FCMRegressor(structure="additive", random_state=0), load_diabetes, "probability"),
        (FCMClassifier(structure="additive", random_state=0), load_breast_cancer, "decision"),
    ):
        X, y = load(return_X_y=True, as_frame=True)
        fcm = estimator.fit(X, y)
        assert explain(fcm, X, scale=scale).to_shap().shape == X.shape


@pytest.mark.filterwarnings("default")  # shap and matplotlib warn of their own matters
@pytest.mark.parametrize("plot", ["waterfall", "beeswarm", "bar", "heatmap", "scatter", "violin", "force", "decision"])
def test_plots_of_shap_work(explanation, plot):
    """All that the issue of three dimensions made stumble."""
    import matplotlib

    matplotlib.use("Agg")
    import shap
    from matplotlib import pyplot

    one = explanation.to_shap(output=2)
    draw = getattr(shap.plots, plot)
    if plot == "waterfall":
        draw(one[0], show=False)
    elif plot == "scatter":
        draw(one[:, "proline"], show=False)
    elif plot == "force":
        draw(one[0], matplotlib=True, show=False)
    elif plot == "decision":
        draw(one.base_values[0], one.values, feature_names=one.feature_names, show=False)
    else:
        draw(one, show=False)
    assert pyplot.gcf().axes
    pyplot.close("all")


def test_an_output_that_does_not_exist(explanation):
    """The error lists the valid names."""
    with pytest.raises(ParameterError, match=r"to_shap\(output=.*got 7. The outputs are \['class=0'"):
        explanation.to_shap(output=7)
