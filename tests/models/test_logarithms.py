"""Features with a long tail on a logarithmic scale."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from cogmap import FCMClassifier, FCMRegressor
from cogmap.models.encoding import FeatureSpread
from cogmap.models.features import FeatureStatistics
from cogmap.models.logarithms import find_logarithms

RANDOM = np.random.default_rng(0)
SKEWED = np.exp(1.5 * RANDOM.normal(size=(300, 2)))
TABLE = np.column_stack([SKEWED, RANDOM.normal(size=300)])


def found(X, weight=None):
    return find_logarithms(X, weight, FeatureStatistics.of(X, weight))


def test_skewed_features_are_found_and_others_left_alone():
    """Also skewed by negative numbers; a normal, a lower tail, and a feature of few values are unchanged."""
    few = np.where(np.arange(300) % 50 == 0, 9.0, np.arange(300) % 3.0)
    scale = found(np.column_stack([TABLE, -SKEWED[:, 0], SKEWED[:, 0] - 50.0, few]))
    assert scale.bent.tolist() == [True, True, False, False, True, False]
    assert found(RANDOM.normal(size=(100, 3))) is None


def test_values_are_logarithms_above_the_origin_and_linear_below():
    scale = found(TABLE)
    assert_array_equal(scale.origin[:2], SKEWED.min(axis=0))
    above = TABLE + 1.0
    expected = np.log(1.0 + (above[:, :2] - scale.origin[:2]) / scale.unit[:2])
    assert_allclose(scale.values(above)[:, :2], expected, rtol=1e-12)
    assert_array_equal(scale.values(above)[:, 2], above[:, 2])
    below = np.vstack([scale.origin, scale.origin - scale.unit, scale.origin - 2.0 * scale.unit])
    assert_allclose(scale.values(below)[:, 0], [0.0, -1.0, -2.0], atol=1e-12)
    values = scale.values(TABLE)
    assert_allclose(scale.mean, values.mean(axis=0))
    assert_allclose(scale.deviation, values.std(axis=0))


@pytest.mark.parametrize("shift", [-3.0, 0.0, 3.0])
def test_derivatives_agree_with_central_differences(shift):
    """Of the scale and of the states, on both sides of the origin."""
    scaling = FeatureSpread(FeatureStatistics.of(TABLE), found(TABLE))
    rows, h = TABLE[:50] + shift, 1e-6
    for function in (scaling.logarithms.values, scaling.scale):
        owner = function.__self__
        expected = (function(rows + h) - function(rows - h)) / (2.0 * h)
        assert_allclose(owner.derivative(rows), expected, rtol=1e-5, atol=1e-8)


def test_a_value_on_the_scale_leads_back_to_the_feature():
    scale = found(TABLE)
    for row in (TABLE[0], TABLE.min(axis=0) - 5.0, TABLE.max(axis=0) * 100.0):
        assert_allclose(scale.features(scale.values(row)), row, rtol=1e-12)


def test_the_center_of_a_scale_is_typical():
    """Features with a long tail are undecided there, and about half of the rows are below."""
    scaling = FeatureSpread(FeatureStatistics.of(TABLE), found(TABLE))
    bent = scaling.logarithms.bent
    assert_allclose(scaling.scale(scaling.center[None]), 0.5)
    assert_allclose(scaling.center[~bent], TABLE[:, ~bent].mean(axis=0))
    below = (scaling.center > TABLE).mean(axis=0)[bent]
    assert (np.abs(below - 0.5) < np.abs((TABLE.mean(axis=0) > TABLE).mean(axis=0)[bent] - 0.5)).all()


def test_missing_values_are_ignored():
    """In the search and in the states, which are undecided."""
    gaps = np.vstack([TABLE, np.full((7, 3), np.nan)])
    scale, expected = found(gaps), found(TABLE)
    for name in ("bent", "origin", "unit", "mean", "deviation"):
        assert_allclose(getattr(scale, name), getattr(expected, name), rtol=1e-12)
    scaling = FeatureSpread(FeatureStatistics.of(gaps), scale)
    assert (scaling.scale(gaps)[-7:] == 0.5).all()
    assert (scaling.derivative(gaps)[-7:] == 0.0).all()


def test_a_column_that_is_always_missing_or_constant_has_no_logarithm():
    X = np.column_stack([TABLE, np.full(300, np.nan), np.full(300, 4.0), np.full(300, 1e300)])
    scale = found(X)
    assert scale.bent.tolist() == [True, True, False, False, False, False]
    assert np.isfinite(FeatureSpread(FeatureStatistics.of(X), scale).scale(X)).all()


@pytest.mark.parametrize("factor", [1e-310, 5e-324, 1e-200, 1e200, 1e305])
def test_huge_and_denormal_values_neither_overflow_nor_warn(factor):
    """The scale is that of the values without the factor wherever they can be represented."""
    X = factor * TABLE
    scaling = FeatureSpread(FeatureStatistics.of(X), found(X))
    rows = np.vstack([X[:20], np.full((2, 3), 1.7e308), np.full((2, 3), -1.7e308), np.zeros((1, 3))])
    states = scaling.scale(rows)
    assert ((states >= 0.0) & (states <= 1.0)).all()
    if factor < 1e-300:  # derivatives of a logarithm would overflow
        assert scaling.logarithms is None
        return
    expected = FeatureSpread(FeatureStatistics.of(TABLE), found(TABLE))
    assert_allclose(states[:20], expected.scale(TABLE[:20]), rtol=1e-9)
    assert np.isfinite(scaling.derivative(rows)).all()


def test_float32_rows_get_nearly_the_same_states():
    scaling = FeatureSpread(FeatureStatistics.of(TABLE), found(TABLE))
    states = scaling.scale(TABLE.astype(np.float32))
    assert states.dtype == np.float32
    assert_allclose(states, scaling.scale(TABLE), atol=1e-6)


def test_weights_count_as_repeated_rows():
    times = 1 + np.arange(300) % 4
    weighted, repeated = found(TABLE, times.astype(float)), found(np.repeat(TABLE, times, axis=0))
    assert weighted.bent.tolist() == repeated.bent.tolist() == [True, True, False]
    for name in ("origin", "unit", "mean", "deviation"):
        assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-12)


@pytest.mark.parametrize("structure", ["additive", "named"])
def test_estimators_take_logarithms_in_small_maps(structure):
    """Repeated, weighted and reordered rows give the same bits, and the scale can be turned off."""
    y = (np.log(SKEWED).sum(axis=1) > 0.0).astype(int)
    fcm = FCMClassifier(structure=structure, random_state=0)
    learned = fcm.fit(TABLE, y, np.full(300, 2.0)).model_
    assert learned.encoding.scaling.logarithms.bent.tolist() == [True, True, False]
    again = np.random.default_rng(1).permutation(np.repeat(np.arange(300), 2))
    repeated = fcm.fit(TABLE[again], y[again]).model_
    assert repeated.map == learned.map
    assert_array_equal(repeated.outputs(TABLE), learned.outputs(TABLE))
    for scale in ("logistic", True):
        plain = FCMClassifier(structure="additive", scale=scale, random_state=0).fit(TABLE, y)
        assert getattr(plain.model_.encoding.scaling, "logarithms", None) is None


def test_full_maps_take_no_logarithms():
    fcm = FCMRegressor(structure="full", random_state=0).fit(TABLE, np.log(SKEWED[:, 0]))
    assert fcm.model_.encoding.scaling.logarithms is None


def test_a_cut_is_named_in_the_unit_of_the_feature():
    """Of the name "x0 > 2.0", not its logarithm."""
    x = np.exp(RANDOM.normal(size=(400, 1)))
    fcm = FCMRegressor(structure="named", random_state=0).fit(x, (x[:, 0] > 3.0).astype(float))
    assert fcm.model_.encoding.scaling.logarithms.bent.all()
    cuts = [name.split()[-1] for name in fcm.map_.concepts if name.startswith(("x0 >", "x0 <"))]
    assert cuts
    assert any(abs(float(cut) - 3.0) < 0.4 for cut in cuts)
