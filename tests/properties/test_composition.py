"""The classifier inside scikit-learn's own tools, fitted for real."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from cogmap import FCMClassifier

FCM = FCMClassifier(structure="full", random_state=0)

COMPOSITIONS = {
    "pipeline with the map last": make_pipeline(StandardScaler(), FCM),
    "pipeline with the map as transformer": make_pipeline(FCM, MinMaxScaler(), SVC()),
    "grid search": GridSearchCV(FCM, {"depth": [1, 2], "alpha": [0.1, 1.0]}, cv=3, n_jobs=2),
    "grid search in a pipeline": GridSearchCV(make_pipeline(FCM, SVC()), {"fcmclassifier__depth": [1, 3]}, cv=3),
    "bagging": BaggingClassifier(FCM, n_estimators=4, n_jobs=2, random_state=0),
    "boosting": AdaBoostClassifier(FCM, n_estimators=3, random_state=0),
    "stacking": StackingClassifier([("fcm", FCM), ("svc", SVC())], LogisticRegression(), cv=3),
    "calibration": CalibratedClassifierCV(FCM, cv=3),
    "isotonic calibration": CalibratedClassifierCV(FCM, method="isotonic", cv=3, n_jobs=2),
}


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_composition_learns_and_predicts(wine, name):
    """It fits, predicts well, and gives the same again."""
    X, y = wine
    model = clone(COMPOSITIONS[name]).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > 0.93
    assert np.array_equal(clone(model).fit(X[::2], y[::2]).predict(X), model.predict(X))


def test_cross_validation_in_two_processes_is_that_in_one(wine):
    """Scores do not depend on who computes them."""
    X, y = wine
    one, two = (
        cross_validate(FCM, X, y, cv=4, n_jobs=n_jobs, scoring=["accuracy", "neg_log_loss"]) for n_jobs in (1, 2)
    )
    for score in ("test_accuracy", "test_neg_log_loss"):
        assert np.array_equal(one[score], two[score])
    assert one["test_accuracy"].mean() > 0.95


def test_transformed_features_help_a_linear_classifier():
    """On moons, a linear classifier after the map is as good as the map; without it, it is not."""
    from sklearn.datasets import make_moons

    X, y = make_moons(400, noise=0.1, random_state=0)
    fcm = FCMClassifier(depth=3, alpha=0.01, max_iter=5000, output="one_hot", random_state=0)
    after = cross_val_predict(make_pipeline(fcm, MinMaxScaler(), LogisticRegression()), X, y, cv=4)
    alone = cross_val_predict(LogisticRegression(), X, y, cv=4)
    assert (after == y).mean() > 0.97
    assert (alone == y).mean() < 0.9


def test_pandas_flows_through_a_pipeline(wine):
    """Names of concepts reach the next step."""
    from sklearn.datasets import load_wine

    X, y = load_wine(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(FCM, SVC()).set_output(transform="pandas").fit(X, y)
    hidden = [f"hidden {i + 1}" for i in range(pipeline[0].n_hidden_)]
    assert list(pipeline[-1].feature_names_in_) == [*X.columns, *hidden, "class=0", "class=1", "class=2"]
    assert list(pipeline[:-1].get_feature_names_out()) == list(pipeline[-1].feature_names_in_)
