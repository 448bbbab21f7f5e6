"""Predictions of a fitted map: states, transformed features, labels, probabilities."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from cogmap.estimators._validation import input_names, validated
from cogmap.explanation.rules import carried_share
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.maps.structured import SQUARE_UP_TO
from cogmap.models.encoding import Scaling
from cogmap.models.links import ClassLink, LabelsLink, decided
from cogmap.models.model import MapModel, concept_names

Array = NDArray[np.floating]


class FittedMap(TransformerMixin):
    """Mixin for estimators with a `MapModel` as ``model_``, from which all fitted attributes are read."""

    model_: MapModel

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def _fitted_model(self, X: ArrayLike) -> tuple[MapModel, Array]:
        """Return the model and the validated table."""
        snapshot, X = self._snapshot(X)
        return snapshot.model_, X

    def _snapshot(self, X: ArrayLike) -> tuple[Self, Array]:
        """Return a copy of the estimator and the validated table."""
        check_is_fitted(self, "model_")
        # A copy, because a fit in another thread may replace the attributes between two reads.
        snapshot = object.__new__(type(self))
        snapshot.__dict__ = self.__dict__.copy()
        return snapshot, validated(snapshot, X, reset=False)

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._drawn_map()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] += self._drawn_map()
        return bundle

    def _drawn_map(self) -> str:
        """Return the learned map as HTML, or an empty string if there is none or it is too large to draw."""
        model: MapModel | None = getattr(self, "model_", None)
        if model is None or model.map.n_concepts > SQUARE_UP_TO:
            return ""
        caption = f"The learned map, run for {model.depth} step{'s' if model.depth > 1 else ''}."
        return model.map._drawn(caption, partial(carried_share, model))

    @property
    def map_(self) -> FuzzyCognitiveMap:
        """The learned map: features, hidden concepts, then outputs."""
        return self.model_.map

    @property
    def depth_(self) -> int:
        """Number of steps of the map."""
        return self.model_.depth

    @property
    def n_hidden_(self) -> int:
        """Number of hidden concepts."""
        return self.model_.n_hidden

    @property
    def scaling_(self) -> Scaling | None:
        """Scaling of the features."""
        return self.model_.encoding.scaling

    @property
    def terms_(self) -> dict[str, tuple[str, ...]]:
        """Linguistic terms of each feature that has any."""
        terms = self.model_.encoding.terms
        if terms is None:
            return {}
        return {name: words for name, words in zip(input_names(self), terms.words, strict=True) if words}

    def transform(self, X: ArrayLike) -> Array:
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
        model, X = self._fitted_model(X)
        return model.transformed(X)

    def trajectory(self, X: ArrayLike) -> Array:
        """Return the states at every step.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (depth + 1, n_samples, n_concepts)
            States; the first step holds the initial states.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from cogmap import FCMClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> fcm = FCMClassifier(structure="additive", random_state=0).fit(X, y)
        >>> fcm.trajectory(X).shape  # four features and three classes
        (2, 150, 7)
        >>> bool((fcm.trajectory(X)[fcm.depth_ - 1] == fcm.transform(X)).all())
        True
        """
        model, X = self._fitted_model(X)
        return model.trajectory(X)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> NDArray[np.object_]:
        """Return the names of the concepts: the features, the hidden concepts, then the outputs.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the features. They must equal `feature_names_in_` if that is defined.

        Returns
        -------
        ndarray of str
            Names of the columns of `transform`.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from cogmap import FCMClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> FCMClassifier(structure="additive", random_state=0).fit(X, y).get_feature_names_out()[-4:].tolist()
        ['petal width (cm)', 'class=0', 'class=1', 'class=2']
        """
        check_is_fitted(self, "model_")
        names = input_names(self)
        if input_features is not None:
            new_names = [str(name) for name in input_features]
            if len(new_names) != len(names):
                raise ValueError(
                    f"input_features should have length equal to number of features ({len(names)}), "
                    f"got {len(new_names)}"
                )
            if hasattr(self, "feature_names_in_") and new_names != names:
                raise ValueError("input_features is not equal to feature_names_in_")
            names = new_names
        model = self.model_
        hidden = model.map.concepts[model.n_inputs : model.n_inputs + model.n_hidden]
        all_names = concept_names(model.encoding.input_names(names), hidden, model.link.names)
        return np.asarray(all_names, dtype=object)


class ClassPredictor(ClassifierMixin, FittedMap):
    """Mixin for classifiers with a `MapModel` as ``model_``."""

    @property
    def _link(self) -> ClassLink:
        return cast(ClassLink, self.model_.link)

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels; with several labels per row, the numbers of their columns."""
        link = self.model_.link
        return np.arange(link.n_outputs) if isinstance(link, LabelsLink) else self._link.classes

    @property
    def output_(self) -> str:
        """Kind of output: ``"single"``, ``"one_hot"``, ``"ordered"`` or ``"labels"``."""
        return self._link.output

    @property
    def gain_(self) -> float:
        """Factor on the outputs before the softmax; 1 without a softmax."""
        return getattr(self._link, "gain", 1.0)

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the confidence scores of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, else (n_samples, n_classes)
            With a single output, its log-odds, as in logistic regression. With one output per class, `gain` times the
            outputs; for two classes, the second minus the first. For ordered classes, the logarithms of their
            probabilities; for several labels, the log-odds of each.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from cogmap import FCMClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> fcm = FCMClassifier(structure="additive", random_state=0).fit(X, y)
        >>> bool((fcm.decision_function(X).argmax(axis=1) == fcm.predict(X)).all())
        True
        >>> fcm.predict_proba(X[:2]).round(1)
        array([[1., 0., 0.],
               [1., 0., 0.]])
        """
        model, X = self._fitted_model(X)
        return model.decision(X)

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of `classes_`. With several labels per row, the probability that each applies.
        """
        model, X = self._fitted_model(X)
        return model.outputs(X)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the predicted class labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,)
            With several labels per row, of shape (n_samples, n_labels): 1 where a label applies, 0 elsewhere.
        """
        model, X = self._fitted_model(X)
        if isinstance(model.link, LabelsLink):
            return (model.decision(X) >= 0.0).astype(np.intp)
        return cast(ClassLink, model.link).classes[decided(model.decision(X))]
