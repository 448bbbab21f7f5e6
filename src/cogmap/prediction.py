"""What a fitted map says about new rows: labels, probabilities, transformed features, trajectories."""

import numpy as np
from sklearn.base import ClassifierMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from cogmap._params import shown
from cogmap.encoding import first_states, row_blocks
from cogmap.exceptions import DataError
from cogmap.learning import before_last, outputs_net
from cogmap.losses import make_loss
from cogmap.table import concept_names

FLOATS = (np.float64, np.float32)


def validated(estimator, *data, reset):
    """Let scikit-learn check `X` and perhaps `y`; say what to do about text among the features."""
    try:
        return validate_data(estimator, *data, dtype=FLOATS, reset=reset)
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        names = _text_columns(data[0])
        where = f" (columns {shown(names)})" if names else ""
        raise DataError(
            f"`{type(estimator).__name__}` takes features that are numbers, but X has text{where}: {error}. Turn "
            "categories into columns of 0 and 1 (sklearn.preprocessing.OneHotEncoder, pandas.get_dummies), or leave "
            "them out."
        ) from None


def _text_columns(X):
    """Return the names of the columns of a data frame that are not numbers."""
    names = []
    for name in getattr(X, "columns", []):
        try:
            np.asarray(X[name]).astype(np.float64)
        except (ValueError, TypeError):
            names.append(name)
    return names


class MapPredictor(ClassifierMixin, TransformerMixin):
    """Mixin for estimators that have learned a map.

    It needs the fitted attributes ``map_``, ``n_hidden_``, ``classes_``, ``output_``, ``depth_``, ``gain_`` and
    ``scaling_``.
    """

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _first_states(self, X):
        """Validate and scale `X`; return an iterator over the first states of blocks of rows, to need little memory."""
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        n_undecided = self.map_.n_concepts - self.n_features_in_
        scale = (lambda block: block) if self.scaling_ is None else self.scaling_.scale
        return (first_states(scale(X[rows]), n_undecided) for rows in row_blocks(len(X)))

    def _loss(self):
        return make_loss(self.output_, len(self.classes_), self.gain_)

    def _net_outputs(self, X):
        """Return what enters the outputs in the last step, in the form in which a loss wants it."""
        states = self._first_states(X)
        n_outputs = self._loss().n_outputs
        blocks = (outputs_net(self.map_, self.depth_, n_outputs, block) for block in states)
        return np.concatenate(list(blocks), axis=1)

    def decision_function(self, X):
        """Return what is compared to decide for a class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, else (n_samples, n_classes)
            One output: its log-odds, as in logistic regression. One output a class: `gain` times the outputs, and for
            two classes the second minus the first.
        """
        net = self._net_outputs(X)
        return self._loss().decision(net)

    def predict_proba(self, X):
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        net = self._net_outputs(X)
        return self._loss().probabilities(net)

    def predict(self, X):
        """Return the predicted class labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        return self.classes_[(scores >= 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    def transform(self, X):
        """Return the states before the last step: the features that the map has learned.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_concepts)
            Columns are named by `get_feature_names_out`.
        """
        return np.concatenate([before_last(self.map_, self.depth_, states) for states in self._first_states(X)])

    def trajectory(self, X):
        """Return the states at every step.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (depth + 1, n_samples, n_concepts)
        """
        return np.concatenate([self.map_.run(states, self.depth_) for states in self._first_states(X)], axis=1)

    def get_feature_names_out(self, input_features=None):
        """Return the names of the concepts: the features, ``hidden 1`` and so on, then ``class=...`` for each output.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the features; only those seen in fit, if it saw any.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = self._input_names()
        if input_features is not None:
            given = [str(name) for name in input_features]
            if len(given) != self.n_features_in_:
                raise ValueError(
                    f"input_features should have length equal to number of features ({self.n_features_in_}), "
                    f"got {len(given)}"
                )
            if hasattr(self, "feature_names_in_") and given != names:
                raise ValueError("input_features is not equal to feature_names_in_")
            names = given
        return np.asarray(concept_names(names, self.classes_, self.output_, self.n_hidden_), dtype=object)

    def _input_names(self):
        if hasattr(self, "feature_names_in_"):
            return [str(name) for name in self.feature_names_in_]
        return [f"x{i}" for i in range(self.n_features_in_)]
