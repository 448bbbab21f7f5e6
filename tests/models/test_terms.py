"""Numbers read as words: how true they are, what a map makes of them, and when they are chosen."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_iris

from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor
from cogmap.exceptions import ParameterError
from cogmap.models.terms import WORDS, find_terms


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


def ring(n_rows):
    """Two classes of which the middle values of the first feature are one."""
    X = np.random.RandomState(0).uniform(-1, 1, (n_rows, 3))
    return X, (np.abs(X[:, 0]) < 0.5).astype(int)


def words_of(X, terms, weight=None):
    return find_terms(terms, X, weight, [f"x{j}" for j in range(X.shape[1])], [], "FCMClassifier")


class TestTruth:
    @settings(max_examples=50, deadline=None)
    @given(st.integers(2, 7), st.integers(0, 2**31))
    def test_words_share_the_truth(self, n_words, seed):
        """At every value, seen or not, the words of a feature add up to 1, and at most two are true."""
        random = np.random.RandomState(seed)
        X = random.standard_normal((50, 2)) * 10.0 ** random.randint(-3, 4)
        terms = words_of(X, n_words)
        other = 3 * random.standard_normal((20, 2)) * X.std(axis=0)
        states = terms.states(other, np.full((20, 2), np.nan))
        for j in range(2):
            truths = states[:, terms.columns == j]
            np.testing.assert_allclose(truths.sum(axis=1), 1.0)
            assert ((truths > 0).sum(axis=1) <= 2).all()
            assert (truths >= 0).all()

    def test_the_outer_words_are_true_for_a_twentieth_each(self):
        """Low is fully true of the lowest rows, high of the highest, medium in the middle."""
        X = np.arange(1000.0)[:, None]
        low, medium, high = words_of(X, 3).states(X, X).T
        assert (low == 1).sum() == pytest.approx(50, abs=2)
        assert (high == 1).sum() == pytest.approx(50, abs=2)
        assert medium.argmax() == pytest.approx(500, abs=2)

    def test_the_derivative_is_that_of_the_truth(self):
        """Against finite differences, away from the corners."""
        X = np.random.RandomState(0).standard_normal((200, 3))
        terms = words_of(X, 4)
        zeros = np.zeros((200, 3))
        step = 1e-6
        numeric = (terms.states(X + step, zeros) - terms.states(X - step, zeros)) / (2 * step)
        wrong = np.abs(terms.derivative(X, zeros) - numeric) > 1e-4
        assert wrong.mean() < 0.03  # rows that are corners themselves

    def test_weight_is_repetition(self):
        """A row of weight 3 is the same as three rows."""
        X = np.random.RandomState(0).standard_normal((40, 2))
        weight = np.random.RandomState(1).randint(1, 4, 40)
        weighted, repeated = words_of(X, 5, weight.astype(float)), words_of(np.repeat(X, weight, axis=0), 5)
        for ours, theirs in zip(weighted.values, repeated.values, strict=True):
            np.testing.assert_array_equal(ours, theirs)

    def test_few_values_get_few_words(self):
        """One or two values stay a number, three get at most three words; missing values do not count."""
        X = np.column_stack(
            [np.zeros(60), np.arange(60) % 2, np.arange(60) % 3, np.where(np.arange(60) % 2, np.nan, np.arange(60) % 4)]
        ).astype(float)
        terms = words_of(X, 6)
        assert [len(words) for words in terms.words] == [0, 0, 3, 0]
        assert terms.words[2] == WORDS[3]

    def test_a_missing_value_leaves_all_words_undecided(self):
        """As it leaves a number."""
        X = np.arange(30.0)[:, None]
        assert (words_of(X, 3).states(np.array([[np.nan]]), np.array([[0.5]])) == 0.5).all()


class TestMaps:
    def test_concepts_are_words(self, iris):
        """Named after their features, before the hidden ones; `terms_` lists them."""
        terms = {"petal width (cm)": ["thin", "wide"], "sepal width (cm)": 3}
        fcm = FCMClassifier(structure="full", terms=terms, random_state=0).fit(*iris)
        assert fcm.map_.concepts[3:7] == (
            "sepal width (cm) is high",
            "petal length (cm)",
            "petal width (cm) is thin",
            "petal width (cm) is wide",
        )
        assert fcm.terms_ == {"sepal width (cm)": WORDS[3], "petal width (cm)": ("thin", "wide")}
        assert list(fcm.get_feature_names_out()) == list(fcm.map_.concepts)
        assert fcm.score(*iris) > 0.95

    @pytest.mark.parametrize("estimator", [FCMClassifier, FCMRegressor])
    def test_derivatives_are_with_respect_to_features(self, estimator):
        """One per column of the table, however many words it has."""
        X, y = load_diabetes(return_X_y=True)
        y = y > 140 if estimator is FCMClassifier else y
        model = estimator(terms=3, random_state=0).fit(X, y).model_
        rows = X[:40] + 1e-4  # values that occur may be corners
        exact = model.derivative(rows)
        assert exact.shape[2] == 10
        step = 1e-7
        for j, there in enumerate(step * np.eye(10)):
            numeric = (model.outputs(rows + there) - model.outputs(rows - there)) / (2 * step)
            np.testing.assert_allclose(exact[:, :, j], numeric, rtol=1e-3, atol=1e-3 * np.abs(numeric).max())

    def test_words_are_chosen_where_they_pay(self):
        """Of a class in the middle of a feature, and not where a straight line says all."""
        X, y = ring(600)
        straight = X @ [1, 2, -1] + np.random.RandomState(1).logistic(scale=0.3, size=600) > 0
        assert FCMClassifierCV(depths=(1,), alphas=(0.2,), random_state=0).fit(X, y).terms_
        assert not FCMClassifier(terms="auto", random_state=0).fit(X, straight).terms_

    def test_a_fit_goes_on_with_its_words(self, iris):
        """warm_start keeps the number of words, partial_fit the words themselves."""
        X, y = iris
        fcm = FCMClassifier(terms=3, warm_start=True, random_state=0).fit(X, y)
        concepts = fcm.map_.concepts
        assert fcm.fit(X[::2], y[::2]).map_.concepts == concepts
        parts = FCMClassifier(terms=3, random_state=0).partial_fit(X[::2], y[::2], classes=[0, 1, 2])
        values = parts.model_.encoding.terms.values
        parts.partial_fit(X[1::2], y[1::2])
        assert parts.model_.encoding.terms.values is values

    def test_a_monotone_feature_stays_a_number(self, iris):
        """A word is true of a range, which is not monotone."""
        X, y = iris
        fcm = FCMClassifier(terms=3, monotonic_cst={"petal width (cm)": 1}, random_state=0).fit(X, y > 0)
        assert set(fcm.terms_) == {*X.columns} - {"petal width (cm)"}


class TestBadInput:
    def test_a_feature_with_two_values_is_told(self, iris):
        """It is left alone, and said so, where it was named."""
        X = iris[0].assign(large=(iris[0].iloc[:, 0] > 5).astype(float))
        with pytest.warns(UserWarning, match="'large' has too few distinct values for terms and stays numeric"):
            fcm = FCMClassifier(terms={"large": 3}, random_state=0).fit(X, iris[1])
        assert fcm.terms_ == {}

    def test_more_words_than_rows(self):
        """A feature gets at most as many words as it has values."""
        X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [0.0, 1.0, 0.0, 1.0]})
        fcm = FCMClassifier(terms=7, random_state=0).fit(X, [0, 0, 1, 1])
        assert {name: len(words) for name, words in fcm.terms_.items()} == {"a": 4}

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"terms": 1}, "an integer >= 2, got 1"),
            ({"terms": 8}, "<= 7, got 8"),
            ({"terms": "words"}, "an integer >= 2"),
            ({"terms": {"petal width": 3}}, "Did you mean 'petal width (cm)'"),
            ({"terms": {"petal width (cm)": ["thin"]}}, "2 to 7 different terms"),
            ({"terms": {"petal width (cm)": ["thin", "thin"]}}, "2 to 7 different terms"),
            ({"terms": {"petal width (cm)": ["thin", 3]}}, "2 to 7 different terms"),
            (
                {"terms": {"petal width (cm)": 3}, "monotonic_cst": {("petal width (cm)", "class=0"): -1}},
                "about other features than monotonic_cst",
            ),
        ],
    )
    def test_wrong_words(self, iris, parameters, message):
        """One sentence each, before learning."""
        with pytest.raises(ParameterError) as caught:
            FCMClassifier(**parameters).fit(*iris)
        assert message in str(caught.value)

    def test_parts_cannot_choose(self, iris):
        """How to read features is chosen with all rows at hand."""
        with pytest.raises(ParameterError, match="None, a number or a dict"):
            FCMClassifier(terms="auto").partial_fit(*iris, classes=[0, 1, 2])
