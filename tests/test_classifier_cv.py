"""Depth and penalty chosen on rows that the teachers did not learn from."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_moons
from sklearn.metrics import log_loss

from cogmap import FCMClassifier, FCMClassifierCV
from cogmap.classifier_cv import clearly_best
from cogmap.exceptions import ParameterError


def test_a_curved_boundary_asks_for_more_than_one_step():
    """One step is a straight line; the table of losses says so."""
    X, y = make_moons(300, noise=0.15, random_state=0)
    fcm = FCMClassifierCV(random_state=0).fit(X, y)
    assert fcm.depth_ > 1
    results = fcm.cv_results_
    best = results["mean_loss"].argmin()
    assert (fcm.depth_, fcm.alpha_) == (results["depth"][best], results["alpha"][best])
    assert results["mean_loss"][results["depth"] == 1].min() > 2 * results["mean_loss"][best]
    assert results["losses"].shape == (9, 4)
    np.testing.assert_allclose(fcm.teacher_losses_, results["losses"][best])
    assert len(fcm.trajectory(X)) == fcm.depth_ + 1


def test_one_choice_learns_as_well_as_the_classifier():
    """With nothing to choose it does what FCMClassifier does, from other random parts."""
    X, y = make_classification(600, 8, n_informative=5, n_classes=3, random_state=0)
    one = FCMClassifierCV(depths=[2], alphas=[0.2], random_state=0).fit(X[:300], y[:300])
    plain = FCMClassifier(random_state=0).fit(X[:300], y[:300])
    losses = [log_loss(y[300:], fcm.predict_proba(X[300:])) for fcm in (one, plain)]
    assert abs(losses[0] - losses[1]) < 0.1


@pytest.mark.parametrize(
    ("losses", "chosen"),
    [
        ([[1.0, 1.1, 0.9, 1.0], [0.9, 1.0, 0.8, 0.9]], 1),  # always better
        ([[1.0, 1.0, 1.0, 1.0], [0.5, 1.2, 1.1, 1.1]], 0),  # better on average by one part alone
        ([[1.0, 1.0], [1.2, 1.2], [0.8, 0.9]], 2),
        ([[1.0], [0.99]], 1),  # one part: nothing tells chance from merit
        ([[0.5, 0.5], [0.5, 0.5]], 0),
    ],
)
def test_the_first_choice_is_kept_unless_another_is_clearly_better(losses, chosen):
    """By more than one standard error of the difference over the parts."""
    assert clearly_best(np.array(losses), np.mean(losses, axis=1)) == chosen


def test_processes_do_not_change_a_bit(wine):
    """The same number gives the same model, however many processes choose."""
    fcm = FCMClassifierCV(depths=(1, 2), alphas=(0.2, 2.0), random_state=0)
    one, two = clone(fcm).fit(*wine), clone(fcm).set_params(n_jobs=2).fit(*wine)
    assert one.map_ == two.map_
    np.testing.assert_array_equal(one.cv_results_["losses"], two.cv_results_["losses"])


def test_weights_count_in_the_choice():
    """A row of weight 2 is the same as two rows."""
    X, y = make_classification(80, 5, random_state=0)
    fcm = FCMClassifierCV(depths=(1, 2), alphas=(0.2,), random_state=0)
    weighted = clone(fcm).fit(X, y, np.full(80, 2.0))
    twice = clone(fcm).fit(np.vstack([X, X]), np.hstack([y, y]))
    assert weighted.map_ == twice.map_


def test_maps_of_many_concepts_keep_one_part_aside():
    """Five would take too long: one part chooses, and there are no teachers."""
    X, y = make_classification(60, 120, n_informative=10, random_state=0)
    fcm = FCMClassifierCV(depths=(1, 2), alphas=(0.2,), random_state=0).fit(X, y)
    assert fcm.cv_results_["losses"].shape == (2, 1)
    assert fcm.teacher_losses_ == []


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("depths", (), "a sequence of at least one number"),
        ("depths", 2, "a sequence of at least one number, got 2"),
        ("depths", "123", "a sequence of at least one number"),
        ("depths", (1, 0), "an integer >= 1, got 0"),
        ("alphas", (0.1, -1), "a number >= 0, got -1"),
        ("alphas", None, "a sequence of at least one number, got None"),
        ("n_folds", 1, "an integer >= 2, got 1"),
        ("slope", 0, "a number > 0"),
    ],
)
def test_wrong_parameters(iris, name, value, message):
    """Told by the name of the class and of the parameter."""
    with pytest.raises(ParameterError) as caught:
        FCMClassifierCV(**{name: value}).fit(*iris)
    assert str(caught.value).startswith(f"`FCMClassifierCV({name}=...)` must be ")
    assert message in str(caught.value)
