"""Invalid parameters of the comparators, and guarantees that all of them share."""

import numpy as np
import pytest

from cogmap import FuzzyCognitiveMap
from cogmap.comparators import FCMperClassifier, FRCNClassifier, HebbianFCMClassifier, LTCNClassifier
from cogmap.exceptions import DataError, ParameterError

X = np.random.default_rng(0).random((30, 3))
Y = np.arange(30) % 3
COMPARATORS = (LTCNClassifier, FRCNClassifier, FCMperClassifier, HebbianFCMClassifier)

# Wrong values of every parameter: the value, and what the message says besides class and parameter.
WRONG = {
    LTCNClassifier: [
        ("depth", 0, "an integer >= 1, got 0"),
        ("depth", 2.0, "an integer >= 1"),
        ("phi", 1.1, "a number >= 0 and <= 1, got 1.1"),
        ("phi", "much", "a number >= 0 and <= 1"),
        ("activation", "tan", "Did you mean 'tanh'"),
        ("alpha", 0.0, "a number > 0"),
        ("alpha", np.nan, "a number > 0"),
    ],
    FRCNClassifier: [
        ("similarity", "liner", "Did you mean 'linear'"),
        ("membership", None, "one of 'hard', 'soft'"),
        ("t_norm", "godel", "one of 'lukasiewicz', 'product', 'minimum'"),
        ("gamma", 0, "a number > 0"),
        ("nominal_features", [3], "numbers below 3 or names of columns, or 3 booleans"),
        ("nominal_features", ["x00"], "got 'x00'. Did you mean 'x0'?"),
        ("nominal_features", ["colour"], "The columns are ['x0', 'x1', 'x2']"),
        ("nominal_features", [True, False], "or 3 booleans"),
        ("nominal_features", 1, "numbers below 3"),
        ("nominal_features", [[0]], "numbers below 3"),
        ("nominal_features", [0.5], "numbers below 3"),
    ],
    FCMperClassifier: [
        ("structure", 4, "an integer >= 1 and <= 3, got 4"),
        ("output", "one-hot", "Did you mean 'one_hot'"),
        ("output", "both", "one of 'one_hot', 'single'"),
        ("reading", "max", "one of 'argmax', 'comd', 'byt'"),
        ("reading", "byt", "'comd' or 'argmax' with output='one_hot', got 'byt'. Thresholds need a single output."),
        ("rule", "kosco", "Did you mean 'kosko'"),
        ("bias", 1, "True or False"),
        ("depth", 0, "an integer >= 1"),
        ("slope", 0, "a number > 0"),
        ("slope", np.inf, "a number > 0"),
        ("solver", "adam", "one of 'lbfgs', 'rcga', 'pso', 'de', 'cma', got 'adam'"),
        ("max_evaluations", 0, "an integer >= 1"),
        ("max_evaluations", 1e4, "an integer >= 1"),
        ("max_seconds", 0, "a number > 0, got 0. Or None, for no limit."),
    ],
    HebbianFCMClassifier: [
        ("learning", "hebb", "one of 'dd_nhl', 'nhl'"),
        ("eta", 0, "a number > 0 and <= 1"),
        ("gamma", 1.5, "a number >= 0 and <= 1"),
        ("slope", -1, "a number > 0"),
        ("depth", 0, "an integer >= 1"),
        ("init", "corelation", "Did you mean 'correlation'"),
        ("init", np.eye(6), "or a FuzzyCognitiveMap"),
        ("init", FuzzyCognitiveMap(np.eye(6)), "a map of the 6 concepts ['x0', 'x1', 'x2', 'class=0', 'class=1', "),
        ("desired", 0.5, "(low, high) with low <= high"),
        ("desired", (0.8, 0.2), "(low, high) with low <= high"),
        ("desired", (0, np.nan), "(low, high) with low <= high"),
        ("desired", (1.2, 1.5), "All states are between 0 and 1, so no output can reach this range."),
        ("tol", -1, "a number >= 0"),
        ("max_iter", 0, "an integer >= 1"),
    ],
}
ROWS = [(estimator, *row) for estimator, rows in WRONG.items() for row in rows]


@pytest.mark.parametrize(("estimator", "name", "value", "message"), ROWS, ids=lambda value: str(value)[:30])
def test_wrong_parameters(estimator, name, value, message):
    """The message has class, parameter, expectation, value and cure; both ValueError and TypeError catch it."""
    model = estimator(**{name: value})
    with pytest.raises(ParameterError) as caught:
        model.fit(X, Y)
    text = str(caught.value)
    assert text.startswith(f"`{estimator.__name__}({name}=...)` must be ")
    assert message in text
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, TypeError)
    assert not hasattr(model, "classes_")


def test_the_largest_of_one_output_is_no_class():
    """Parameters that contradict each other."""
    with pytest.raises(ParameterError, match=r"reading=.*'comd' or 'byt' with output='single', got 'argmax'"):
        FCMperClassifier(output="single", reading="argmax").fit(X, Y)


@pytest.mark.parametrize("estimator", COMPARATORS)
def test_every_parameter_is_in_the_table(estimator):
    """No parameter escapes; random_state is checked by scikit-learn."""
    assert {row[0] for row in WRONG[estimator]} == set(estimator().get_params()) - {"random_state"}


@pytest.mark.parametrize("estimator", COMPARATORS)
def test_a_parameter_changed_after_fit_changes_no_prediction(estimator):
    """A fitted model is used with the parameters it was fitted with."""
    model = estimator().fit(X, Y)
    before = model.predict_proba(X)
    changes = {"depth": 7, "phi": 0.1, "slope": 1.3, "similarity": "exponential", "structure": 3}
    model.set_params(**{name: value for name, value in changes.items() if name in model.get_params()})
    np.testing.assert_array_equal(model.predict_proba(X), before)


@pytest.mark.parametrize("estimator", COMPARATORS)
def test_a_missing_value_counts_as_the_middle_of_its_range(estimator):
    """To fit and to predict."""
    whole = np.vstack([X, [0.0] * 3, [1.0] * 3])
    y = np.append(Y, [0, 1])
    missing, middle = whole.copy(), whole.copy()
    missing[::7, 1], middle[::7, 1] = np.nan, 0.5
    with_nan, with_middle = estimator().fit(missing, y), estimator().fit(middle, y)
    np.testing.assert_allclose(with_nan.predict_proba(missing), with_middle.predict_proba(middle), atol=1e-8)


@pytest.mark.parametrize("estimator", COMPARATORS)
def test_one_row_per_class_is_enough(estimator):
    """It is little, but it can be learned."""
    model = estimator().fit([[0.0], [1.0]], ["a", "b"])
    assert model.predict([[0.0], [1.0]]).tolist() == ["a", "b"]


@pytest.mark.parametrize("estimator", COMPARATORS)
def test_what_no_memory_is_there_for_is_told_before_it_is_taken(estimator, monkeypatch):
    """The message has the required and the free memory, and how to reduce the table."""
    monkeypatch.setattr("cogmap.comparators._scoring.free_memory", lambda: 100.0)
    model = estimator()
    with pytest.raises(DataError, match=r"would need about .* GB of memory for 30 rows of 3 features.*Choose columns"):
        model.fit(X, Y)
    assert not hasattr(model, "classes_")
