"""Invalid arguments of explanations raise errors that name the argument."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cogmap import (
    FCMClassifier,
    FCMRegressor,
    explain,
    feature_importances,
    influence,
    prune,
    pruning_curve,
    story,
    what_if,
)
from cogmap.exceptions import ParameterError

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(40, 3)), columns=["height", "weight", "age"])
Y = np.where(X["height"] > 0, "tall", "short")
ROW = X.iloc[[0]]
FCM = FCMClassifier(structure="full", random_state=0).fit(X, Y)
VALUES = FCMRegressor(structure="additive", random_state=0).fit(X, X["height"] - X["age"])
TWO_VALUES = FCMRegressor(structure="additive", random_state=0).fit(X, np.column_stack([X["height"], X["age"]]))
PIPELINE = make_pipeline(StandardScaler(), FCMClassifier(structure="additive", random_state=0)).fit(X, Y)
QUESTIONS = {
    "explain": explain,
    "influence": influence,
    "feature_importances": feature_importances,
    "story": lambda model, X: story(model, X[:1]),
    "what_if": lambda model, X: what_if(model, X[:1]),
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    ("model", "table", "error", "message"),
    [
        (FCMClassifier(), X, NotFittedError, "FCMClassifier instance is not fitted yet"),
        (FCM, X.iloc[:, :2], ValueError, "feature names should match"),
        (FCM, X.rename(columns={"age": "years"}), ValueError, "feature names should match"),
        (FCM.model_, X.iloc[:, :2].to_numpy(), ParameterError, "3 columns, one per feature, got shape"),
        (FCM.model_, [["a", "b", "c"]], ParameterError, "a table of numbers"),
        (FCM.model_, np.full((2, 3), np.inf), ParameterError, "finite numbers"),
        (FCM, np.full((2, 3), np.inf), ValueError, "infinity"),
        (FCM.map_, X, ParameterError, "its `model_`, or a pipeline .* got Fuzzy.*A map alone does not"),
        (FCMClassifier, X, ParameterError, "That is a class: call FCMClassifier\\(\\) and fit it"),
        (PIPELINE, X, ParameterError, "Give the last step of the pipeline"),
        (GridSearchCV(FCM, {"alpha": [0.2]}, cv=2).fit(X, Y), X, ParameterError, "Take its `best_estimator_`"),
        (None, X, ParameterError, "got None"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value[:30],
)
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_invalid_models_and_tables(question, model, table, error, message):
    """Unfitted, other columns, not numeric, not a model: all functions raise the same error."""
    with pytest.raises(error, match=message):
        QUESTIONS[question](model, table)


@pytest.mark.parametrize("question", ["explain", "influence", "feature_importances"])
def test_an_empty_table(question):
    """For an estimator and for a model."""
    with pytest.raises(ValueError, match="0 sample"):
        QUESTIONS[question](FCM, X[:0])
    with pytest.raises(ParameterError, match="at least one row, got shape \\(0, 3\\)"):
        QUESTIONS[question](FCM.model_, X[:0].to_numpy())


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: explain(FCM, X, scale="odds"), r"`explain\(scale=...\)` must be one of 'probability', 'decision'"),
        (lambda: explain(FCM, X, [0.0, 1.0]), r"explain\(baseline=.* a row of 3 numbers, .*got shape \(2,\)"),
        (lambda: explain(FCM, X, np.zeros((2, 4))), r"a row of 3 numbers, one per feature, or a table of such rows"),
        (lambda: explain(FCM, X, []), r"a row of 3 numbers, .*got shape \(0,\)"),
        (lambda: explain(FCM, X, ["a", "b", "c"]), r"a row of 3 numbers"),
        (lambda: explain(FCM, X, [0.0, np.inf, 1.0]), "finite numbers, or NaN"),
        (lambda: explain(FCM, X).to_frame("huge"), r"a class, or the name of an output, got 'huge'. The outputs are"),
        (lambda: explain(FCM, X).to_frame("tal"), "Did you mean 'class=tall'|The outputs are"),
        (lambda: influence(FCM, X, scale=None), "must be one of 'probability', 'decision', got None"),
        (lambda: feature_importances(FCM, X, n_repeats=0), r"importances\(n_repeats=...\)` must be an integer >= 1"),
        (lambda: story(FCM, X), r"story\(row=.* one row: .* got shape \(40, 3\). Take one of its rows"),
        (lambda: story(FCM, ROW, output="huge"), r"story\(output=.* a class, or the name of an output, got 'huge'"),
        (lambda: story(FCM, ROW, baseline=X), r"story\(baseline=.* one row, got 40 rows"),
        (lambda: what_if(FCM, X), r"what_if\(row=.* one row"),
        (lambda: what_if(FCM, ROW, to="huge"), r"what_if\(to=.* the map knows, \['short', 'tall'\], got 'huge'"),
        (lambda: what_if(FCM, ROW, to="tal"), "Did you mean 'tall'"),
        (lambda: what_if(FCM, ROW, to=["tall"]), "a class that the map knows"),
        (lambda: what_if(FCM, ROW, fixed=["hight"]), r"what_if\(fixed=.* got 'hight'. Did you mean 'height'"),
        (lambda: what_if(FCM, ROW, fixed=[0]), r"got 0. The features are \['height', 'weight', 'age'\]"),
        (lambda: what_if(FCM, ROW, fixed="height"), "a list of names of features, got 'height'"),
        (lambda: what_if(FCM, ROW, ranges={"age": (100, 200)}), r"'age' with the row in it, got \(100, 200\), but"),
        (lambda: what_if(FCM, ROW, ranges={"old": (0, 1)}), "names of features, got 'old'"),
        (lambda: what_if(FCM, ROW, ranges={"age": (2, 1)}), r"\(low, high\) for 'age', two finite numbers"),
        (lambda: what_if(FCM, ROW, ranges={"age": (0, np.inf)}), "two finite numbers"),
        (lambda: what_if(FCM, ROW, ranges={"age": 3}), "two finite numbers"),
        (lambda: what_if(FCM, ROW, ranges=[(0, 1)]), r"a dict of names of features to \(low, high\)"),
        (lambda: what_if(FCM, ROW, max_features=0), r"what_if\(max_features=...\)` must be an integer >= 1, got 0"),
        (lambda: what_if(FCM, ROW, n_answers=0), r"what_if\(n_answers=...\)` must be an integer >= 1, got 0"),
        (lambda: what_if(VALUES, ROW), r"what_if\(to=.* a finite number, got None\. .* FCMRegressor .* to=-?[\d.]+\."),
        (lambda: what_if(VALUES.model_, ROW), "the value that MapModel should predict"),
        (lambda: what_if(TWO_VALUES, ROW), r"got None\. .* FCMRegressor .* to=\{'target 1': -?[\d.]+\}\."),
        (lambda: what_if(TWO_VALUES, ROW, to={"target 2": None}), r"must be a finite number, .* to=\{'target 2': "),
        (lambda: what_if(VALUES, ROW, to="high"), "got 'high'"),
        (lambda: what_if(TWO_VALUES, ROW, to=1.0), r"one of the targets \['target 1', 'target 2'\], got 1.0"),
        (lambda: what_if(TWO_VALUES, ROW, to={"target 3": 1.0}), "one of the targets"),
        (lambda: prune(FCM, X, Y, keep=0.0), r"`prune\(keep=...\)` must be a number > 0 and <= 1, got 0.0"),
        (lambda: prune(FCM, X, Y, keep=2), "a number > 0 and <= 1, got 2"),
        (lambda: prune(FCM.model_, X, Y), r"`prune\(estimator=.* an estimator of cogmap, .*A model alone cannot be"),
        (lambda: prune(FCMClassifier, X, Y), "an estimator of cogmap"),
        (lambda: pruning_curve(FCM, X, Y, keep=[]), "a sequence of shares of the edges"),
        (lambda: pruning_curve(FCM, X, Y, keep=0.1), "a sequence of shares of the edges, got 0.1"),
        (lambda: pruning_curve(FCM, X, Y, keep=[0.5, -1]), "a number > 0 and <= 1, got -1"),
        (lambda: pruning_curve(FCM, X, Y, n_folds=1), "an integer >= 2, got 1"),
        (lambda: pruning_curve(FCM, X, Y, n_folds=41), "at most the number of rows, 40, got 41"),
    ],
)  # fmt: skip
def test_invalid_parameters(ask, message):
    """Messages give function, parameter, expectation, actual value and cure."""
    with pytest.raises(ParameterError, match=message) as caught:
        ask()
    assert len(str(caught.value)) < 400


def test_prune_needs_a_fitted_estimator():
    """The flow is not known before fitting."""
    with pytest.raises(NotFittedError, match="not fitted yet"):
        prune(FCMClassifier(), X, Y)
    with pytest.raises(ValueError, match="feature names should match"):
        prune(FCM, X.iloc[:, :2], Y)


def test_a_sparse_row_is_a_row():
    """As in `predict`."""
    fcm = FCMClassifier(structure="full", random_state=0).fit(X.to_numpy(), Y)
    row = csr_matrix(X.to_numpy()[:1])
    assert story(fcm, row).output == story(fcm, X.to_numpy()[0]).output
    assert what_if(fcm, row).found
