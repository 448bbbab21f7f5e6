"""Contributions add up, agree with numerical integration, and convert to tables."""

import json

import numpy as np
import polars as pl
import pytest
from scipy.integrate import quad_vec

from cogmap import FCMClassifier, explain
from cogmap.explanation import Explanation

SCALES = ["probability", "decision"]
ROWS = np.random.default_rng(1).random((5, 4))


def total(explanation):
    return explanation.base_values + explanation.contributions.sum(axis=1)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", ["iris", "wine", "breast cancer", "digits", "diabetes"])
def test_contributions_add_up_on_the_embedded_tables(learned, name, scale):
    """To the outputs of the estimator, to 1e-9, for all rows, features and outputs."""
    fcm, X, _ = learned(name)
    explanation = explain(fcm, X, scale=scale)
    assert explanation.contributions.shape == (len(X), X.shape[1], len(explanation.output_names))
    assert np.abs(total(explanation) - explanation.outputs).max() < 1e-9
    if name == "diabetes":
        np.testing.assert_allclose(explanation.outputs[:, 0], fcm.predict(X), rtol=1e-12)
    else:
        expected = fcm.predict_proba(X) if scale == "probability" else fcm.decision_function(X).reshape(len(X), -1)
        np.testing.assert_allclose(explanation.outputs, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("link", ["one output", "two outputs", "three outputs", "values"])
def test_contributions_are_integrated_gradients(random_model, link, depth, scale):
    """SciPy integrates the exact derivative along the line to the same values."""
    model = random_model(link, depth, seed=depth)
    baseline = np.array([0.2, 0.9, 0.5, 0.1])
    explanation = explain(model, ROWS, baseline, scale)
    of = "outputs" if scale == "probability" else "decision"
    for row, contributions in zip(ROWS, explanation.contributions, strict=True):
        way = row - baseline
        integral, _ = quad_vec(lambda t, way=way: model.derivative((baseline + t * way)[None], of)[0] * way, 0, 1)
        np.testing.assert_allclose(contributions.T, integral, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("slope", [1.0, 20.0, 100.0])
def test_steep_maps_are_refined(random_model, slope):
    """If states change abruptly, the line is subdivided, and contributions still add up."""
    for seed in range(5):
        explanation = explain(random_model("three outputs", 3, slope=slope, seed=seed), ROWS, ROWS[0])
        assert np.abs(total(explanation) - explanation.outputs).max() < 1e-9


def test_step_functions_cause_a_warning(random_model):
    """A map whose states jump has no gradient to integrate: a warning states the error of the sum."""
    with pytest.warns(UserWarning, match=r"so steep that contributions add up only to within 0\.\d"):
        explain(random_model("three outputs", 3, slope=1e8), ROWS, ROWS[0])


def test_one_step_is_a_linear_model(random_model):
    """At depth 1 the log-odds are linear: the contribution is weight times slope times distance."""
    model = random_model(depth=1, n_hidden=0, slope=1.7)
    explanation = explain(model, ROWS, ROWS[0], "decision")
    expected = 1.7 * model.map.weights[4, :4] * (ROWS - ROWS[0])
    np.testing.assert_allclose(explanation.contributions[:, :, 0], expected, atol=1e-12)


def test_irrelevant_features_contribute_nothing(random_model):
    """A feature without influence, and a feature at its baseline."""
    W = np.random.default_rng(0).normal(size=(6, 6))
    W[:, 2] = 0.0
    explanation = explain(random_model(weights=W), ROWS, [*ROWS[0, :3], 0.7])
    assert not explanation.contributions[:, 2].any()
    assert not explanation.contributions[0, :3].any()
    assert explanation.contributions[0, 3].any()
    assert not explanation.relevance[:, 2].any()


def test_a_missing_value_is_undecided(random_model):
    """It contributes like the state 0.5; a baseline of missing values has all features undecided."""
    model = random_model("three outputs")
    missing, undecided = ROWS.copy(), ROWS.copy()
    missing[:, 1], undecided[:, 1] = np.nan, 0.5
    known = explain(model, undecided)
    np.testing.assert_array_equal(explain(model, missing).contributions, known.contributions)
    np.testing.assert_array_equal(explain(model, undecided, np.full(4, np.nan)).contributions, known.contributions)
    np.testing.assert_allclose(known.base_values, model.outputs(np.full((1, 4), 0.5))[0])


def test_a_table_of_baselines_gives_the_mean(random_model):
    """Contributions and base values are means, so that they still add up."""
    model, baselines = random_model("three outputs"), np.random.default_rng(2).random((3, 4))
    together = explain(model, ROWS, baselines)
    alone = [explain(model, ROWS, baseline) for baseline in baselines]
    np.testing.assert_allclose(
        together.contributions, np.mean([one.contributions for one in alone], axis=0), atol=1e-13
    )
    np.testing.assert_allclose(together.base_values, np.mean([one.base_values for one in alone], axis=0))
    np.testing.assert_allclose(total(together), together.outputs, atol=1e-9)


def test_the_default_baseline_is_the_mean_of_the_training_data(learned):
    """The mean stored in the scaling."""
    fcm, X, _ = learned("wine")
    np.testing.assert_allclose(explain(fcm, X).base_values, fcm.predict_proba(X.mean().to_frame().T)[0], rtol=1e-9)


def test_contributions_do_not_depend_on_blocks(random_model):
    """Many rows give the same result as one row at a time."""
    model, many = random_model("three outputs"), np.tile(ROWS, (6000, 1))
    np.testing.assert_allclose(
        explain(model, many).contributions[-5:], explain(model, ROWS).contributions, rtol=1e-12, atol=1e-15
    )


def test_relevance_ranks_features_whose_contribution_is_small_by_chance():
    """For a product of two features among noise, relevance ranks both first for nearly every row."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 5))
    fcm = FCMClassifier(structure="full", random_state=0).fit(X, X[:, 1] * X[:, 3] > rng.logistic(size=1500) / 3)
    explanation = explain(fcm, X[:200], X[:100])
    from_the_mean = explain(fcm, X[:200])  # its background is drawn from what the scaling knows

    def both_first(importance):
        first = np.argsort(-importance[:, :, 1], axis=1)[:, :2]
        return np.mean([set(row) == {1, 3} for row in first])

    assert (explanation.relevance >= 0.0).all()
    assert both_first(explanation.relevance) > 0.95
    assert both_first(from_the_mean.relevance) > 0.95
    assert both_first(np.abs(from_the_mean.contributions)) < 0.9


def test_tables(learned):
    """Long format for all outputs, wide format for one."""
    fcm, X, _ = learned("iris")
    explanation = explain(fcm, X)
    long = explanation.to_frame()
    assert list(long.columns) == ["row", "output", "feature", "value", "contribution"]
    one = long[(long["row"] == 7) & (long["output"] == "class=2")]
    assert one["feature"].tolist() == list(X.columns)
    np.testing.assert_array_equal(one["value"], X.iloc[7])
    np.testing.assert_array_equal(one["contribution"], explanation.contributions[7, :, 2])
    for output in (2, "2", "class=2"):
        wide = explanation.to_frame(output)
        assert wide.columns.tolist() == list(X.columns)
        np.testing.assert_array_equal(wide, explanation.contributions[:, :, 2])


def test_json_is_complete(random_model):
    """It has every array as lists, with null for missing values."""
    rows = ROWS.copy()
    rows[0, 1] = np.nan
    explanation = explain(random_model("three outputs"), rows)
    record = json.loads(explanation.to_json())
    np.testing.assert_array_equal(record["contributions"], explanation.contributions)
    assert record["values"][0][1] is None
    assert record["output_names"] == ["class=0", "class=1", "class=2"]
    assert not any(name.startswith("_") for name in record)


def test_text_fits_a_screen(learned):
    """`repr` has a header and the features with the largest contributions."""
    fcm, X, _ = learned("digits")
    lines = repr(explain(fcm, X[:20])).splitlines()
    assert lines[0].startswith("Explanation of 20 rows: 64 features, 10 outputs")
    assert repr(explain(fcm, X[:1])).startswith("Explanation of 1 row: 64 features")
    assert len(lines) == 12
    assert max(map(len, lines)) <= 100


def test_text_about_one_row_has_signs(learned):
    """`repr` shows whether a feature raises or lowers each output; means over rows are of absolute values."""
    fcm, X, _ = learned("iris")
    explanation = explain(fcm, X[:1])
    head, names, *lines = repr(explanation).splitlines()
    assert head.startswith("Explanation of 1 row: 4 features, 3 outputs")
    assert names.split()[0] == "contribution"
    for line in lines:
        name, *values = line.rsplit(maxsplit=3)
        expected = explanation.contributions[0, explanation.feature_names.index(name.strip())]
        np.testing.assert_allclose(np.array(values, float), expected, atol=6e-5)


def test_estimators_models_and_tables_of_all_kinds_agree(learned):
    """A model and its estimator; data frames of pandas and polars; float32 to its precision."""
    fcm, X, _ = learned("wine")
    expected = explain(fcm, X)
    assert isinstance(expected, Explanation)
    assert expected.feature_names == tuple(X.columns)
    for other in (explain(fcm.model_, X.to_numpy()), explain(fcm, pl.from_pandas(X))):
        np.testing.assert_array_equal(other.contributions, expected.contributions)
        assert other.feature_names == expected.feature_names
    nearly = explain(fcm.model_, X.to_numpy(np.float32))
    assert nearly.contributions.dtype == np.float64
    np.testing.assert_allclose(nearly.contributions, expected.contributions, atol=1e-4)
    assert np.abs(total(nearly) - nearly.outputs).max() < 1e-9
