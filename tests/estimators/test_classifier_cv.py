"""Depth and penalty chosen on rows that the teachers did not learn from."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_moons
from sklearn.metrics import log_loss

from cogmap import FCMClassifier, FCMClassifierCV
from cogmap._learning.search import _clearly_best
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
    frame = pd.DataFrame(results)
    assert frame.shape == (9 + 2, 5 + 4)  # depths with penalties, and the first of both with words
    assert frame["rank_loss"][best] == 1
    np.testing.assert_allclose(fcm.teacher_losses_, frame.filter(like="split").to_numpy()[best])
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
    assert _clearly_best(np.array(losses), np.mean(losses, axis=1)) == chosen


def test_processes_do_not_change_a_bit(wine):
    """The same number gives the same model, however many processes choose."""
    fcm = FCMClassifierCV(depths=(1, 2), alphas=(0.2, 2.0), random_state=0)
    one, two = clone(fcm).fit(*wine), clone(fcm).set_params(n_jobs=2).fit(*wine)
    assert one.map_ == two.map_
    np.testing.assert_array_equal(one.cv_results_["mean_loss"], two.cv_results_["mean_loss"])


def test_weights_count_in_the_choice():
    """A row of weight 2 is the same as two rows."""
    X, y = make_classification(80, 5, random_state=0)
    fcm = FCMClassifierCV(depths=(1, 2), alphas=(0.2,), random_state=0)
    weighted = clone(fcm).fit(X, y, np.full(80, 2.0))
    twice = clone(fcm).fit(np.vstack([X, X]), np.hstack([y, y]))
    assert weighted.map_ == twice.map_


def test_maps_of_many_concepts_keep_one_part_aside():
    """Five would take too long: one part chooses, and there are no teachers."""
    X, y = make_classification(60, 201, n_informative=10, random_state=0)
    fcm = FCMClassifierCV(depths=(1, 2), alphas=(0.2,), terms=None, random_state=0).fit(X, y)
    assert [name for name in fcm.cv_results_ if name.startswith("split")] == ["split0_loss"]
    assert fcm.teacher_losses_ == []


def test_one_step_has_no_hidden_concepts():
    """They cannot matter there, and each choice has the concepts that suit it."""
    X, y = make_moons(60, noise=0.2, random_state=0)
    assert FCMClassifierCV(depths=(1,), alphas=(0.2,), random_state=0).fit(X, y).n_hidden_ == 0
    assert FCMClassifierCV(depths=(2,), alphas=(0.2,), random_state=0).fit(X, y).n_hidden_ == 16


def test_defaults_are_those_of_the_classifier():
    """What both have is the same, and the first choice is the classifier's."""
    ours, theirs = FCMClassifierCV().get_params(), FCMClassifier().get_params()
    shared = ours.keys() & theirs.keys()
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared} | {"terms": "auto"}
    assert ours["alphas"][0] == theirs["alpha"]
    assert ours["depths"][0] == 2  # that of a map without hidden concepts
    assert ours.keys() - theirs.keys() == {"depths", "alphas", "n_folds"}


def test_one_row_per_class_leaves_nothing_to_choose_by():
    """The first choice is taken, and there are no teachers."""
    fcm = FCMClassifierCV(random_state=0, alphas=(0.01,)).fit([[0.0], [1.0]], ["a", "b"])
    assert (fcm.depth_, fcm.alpha_, fcm.teacher_losses_) == (2, 0.01, [])
    assert fcm.predict([[0.0], [1.0]]).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("depths", (), "a list of at least one number"),
        ("depths", 2, "a list of at least one number, got 2"),
        ("depths", "123", "a list of at least one number"),
        ("depths", (1, 0), "an integer >= 1, got 0"),
        ("alphas", (0.1, -1), "a number >= 0, got -1"),
        ("alphas", None, "a list of at least one number, got None"),
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
