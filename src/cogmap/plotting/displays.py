"""Displays in the style of scikit-learn: ``from_estimator`` computes and draws, ``plot`` redraws on other Axes."""

from collections.abc import Callable
from typing import Any, Self

from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from cogmap.explanation import explain, influence, pruning_curve, story, what_if
from cogmap.explanation._subject import one_row
from cogmap.plotting.canvas import View, map_of
from cogmap.plotting.contributions import contributions_view, draw_contributions
from cogmap.plotting.graph import draw_map, map_view
from cogmap.plotting.influence import draw_influence, influence_view
from cogmap.plotting.pruning import draw_pruning, pruning_view
from cogmap.plotting.states import draw_states, states_view
from cogmap.plotting.story import story_view
from cogmap.plotting.weights import draw_weights, weights_view
from cogmap.plotting.what_if import draw_what_if, what_if_view


class _Display:
    """Base class of figures that can be redrawn.

    Attributes
    ----------
    view : dict
        Data of the figure, as numbers and strings.
    ax_ : matplotlib Axes
        Axes of the last drawing.
    figure_ : matplotlib Figure
        Figure of the last drawing.
    """

    _draw: Callable[[View, Axes | None], Axes]

    def __init__(self, view: View) -> None:
        self.view = view

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the figure.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on. If None, a new figure is created.

        Returns
        -------
        display : object
            The display, with ``ax_`` and ``figure_``.
        """
        self.ax_ = type(self)._draw(self.view, ax)
        self.figure_ = self.ax_.figure
        return self


class MapDisplay(_Display):
    """The learned map as a graph, see `plot_map`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.plotting import MapDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> display = MapDisplay.from_estimator(FCMClassifier(random_state=0).fit(X, y), X)
    >>> display.figure_.savefig("map.svg")  # doctest: +SKIP
    """

    _draw = staticmethod(draw_map)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike | None = None, *, n_edges: int | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw the map of a fitted estimator.

        Parameters
        ----------
        estimator : FCMClassifier, FCMClassifierCV or FCMRegressor
            Fitted estimator.
        X : array-like of shape (n_rows, n_features), default=None
            Data on which influences are measured. If None, edges are ranked by weight.
        n_edges : int, default=None
            Number of edges to draw, see `plot_map`.
        ax : matplotlib Axes, default=None
            Axes to draw on. If None, a new figure is created.

        Returns
        -------
        display : MapDisplay
        """
        influences = None if X is None else influence(estimator, X)
        return cls(map_view(estimator, influences, n_edges)).plot(ax)


class WeightsDisplay(_Display):
    """The weights of the learned map as a matrix, see `plot_weights`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.
    """

    _draw = staticmethod(draw_weights)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Draw the weights of a fitted estimator.

        Parameters
        ----------
        estimator : FCMClassifier, FCMClassifierCV or FCMRegressor
            Fitted estimator.
        ax : matplotlib Axes, default=None
            Axes to draw on. If None, a new figure is created.

        Returns
        -------
        display : WeightsDisplay
        """
        return cls(weights_view(estimator)).plot(ax)


class StatesDisplay(_Display):
    """The states of one row over the steps of the map, see `plot_states`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.
    """

    _draw = staticmethod(draw_states)

    @classmethod
    def from_estimator(cls, estimator: Any, row: ArrayLike, *, ax: Axes | None = None) -> Self:
        """Draw the states of a row.

        Parameters
        ----------
        estimator : FCMClassifier, FCMClassifierCV or FCMRegressor
            Fitted estimator.
        row : array-like of shape (n_features,), or a table of one row
            Row to explain.
        ax : matplotlib Axes, default=None
            Axes to draw on. If None, a new figure is created.

        Returns
        -------
        display : StatesDisplay
        """
        owner = "StatesDisplay.from_estimator"
        fcm = map_of(owner, estimator)
        trajectory = estimator.trajectory(one_row(owner, row))[:, 0]
        return cls(states_view(trajectory, fcm.concepts, fcm.kinds)).plot(ax)


class ContributionsDisplay(_Display):
    """Contribution of each feature to an output of one row, see `plot_contributions`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.
    """

    _draw = staticmethod(draw_contributions)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        row: ArrayLike,
        *,
        output: Any = None,
        baseline: ArrayLike | None = None,
        scale: str = "probability",
        ax: Axes | None = None,
    ) -> Self:
        """Explain a row and draw its contributions.

        Parameters
        ----------
        estimator : FCMClassifier, FCMClassifierCV or FCMRegressor
            Fitted estimator.
        row : array-like of shape (n_features,), or a table of one row
            Row to explain.
        output : object, default=None
            A class, or the name of an output. If None, the largest output of the row.
        baseline : array-like of shape (n_features,), default=None
            Row to compare with, see `cogmap.explain`.
        scale : {"probability", "decision"}, default="probability"
            Scale of the output, see `cogmap.explain`.
        ax : matplotlib Axes, default=None
            Axes to draw on. If None, a new figure is created.

        Returns
        -------
        display : ContributionsDisplay
        """
        table = one_row("ContributionsDisplay.from_estimator", row)
        explanation = explain(estimator, table, baseline, scale)
        return cls(contributions_view(explanation, 0, output)).plot(ax)


class InfluenceDisplay(_Display):
    """The influence of features on the outputs, see `plot_influence`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.
    """

    _draw = staticmethod(draw_influence)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike, *, output: Any = None, scale: str = "probability", ax: Axes | None = None
    ) -> Self:
        """Measure influences on data and draw them.

        Parameters
        ----------
        estimator : FCMClassifier, FCMClassifierCV or FCMRegressor
            Fitted estimator.
        X : array-like of shape (n_rows, n_features)
            Data on which influences are measured.
        output : object, default=None
            A class, or the name of an output. If None, all outputs, or the last one if there are at most two.
        scale : {"probability", "decision"}, default="probability"
            Scale of the outputs, see `cogmap.influence`.
        ax : matplotlib Axes, default=None
            Axes to draw on. If None, a new figure is created.

        Returns
        -------
        display : InfluenceDisplay
        """
        return cls(influence_view(influence(estimator, X, scale), output)).plot(ax)


class StoryDisplay(_Display):
    """How a map computes the output of one row, step by step, see `plot_story`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.
    """

    _draw = staticmethod(draw_map)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        row: ArrayLike,
        *,
        output: Any = None,
        baseline: ArrayLike | None = None,
        scale: str = "probability",
        ax: Axes | None = None,
    ) -> Self:
        """Trace one row through the map and draw the flow.

        Parameters
        ----------
        estimator : FCMClassifier, FCMClassifierCV or FCMRegressor
            Fitted estimator.
        row : array-like of shape (n_features,), or a table of one row
            Row to explain.
        output : object, default=None
            A class, or the name of an output. If None, the most probable class, or the first target.
        baseline : array-like of shape (n_features,), default=None
            Row to compare with, see `cogmap.story`.
        scale : {"probability", "decision"}, default="probability"
            Scale of the output, see `cogmap.story`.
        ax : matplotlib Axes, default=None
            Axes to draw on. If None, a new figure is created.

        Returns
        -------
        display : StoryDisplay
        """
        return cls(story_view(story(estimator, row, output, baseline, scale))).plot(ax)


class WhatIfDisplay(_Display):
    """Counterfactual of one row, see `plot_what_if`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.
    """

    _draw = staticmethod(draw_what_if)

    @classmethod
    def from_estimator(
        cls, estimator: Any, row: ArrayLike, to: Any = None, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Find the smallest change of a row that changes the prediction, and draw it.

        Parameters
        ----------
        estimator : FCMClassifier, FCMClassifierCV or FCMRegressor
            Fitted estimator.
        row : array-like of shape (n_features,), or a table of one row
            The row to change.
        to : object, default=None
            Desired prediction, see `cogmap.what_if`.
        ax : matplotlib Axes, default=None
            Axes to draw on. If None, a new figure is created.
        **options
            Further parameters of `cogmap.what_if`, such as `fixed` and `ranges`.

        Returns
        -------
        display : WhatIfDisplay
        """
        return cls(what_if_view(what_if(estimator, row, to, **options))).plot(ax)


class PruningDisplay(_Display):
    """Score against the number of edges, see `plot_pruning`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.
    """

    _draw = staticmethod(draw_pruning)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike, y: ArrayLike, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Cross-validate maps with fewer and fewer edges and draw the curve.

        Parameters
        ----------
        estimator : FCMClassifier, FCMClassifierCV or FCMRegressor
            Fitted or unfitted estimator; only its parameters are used.
        X : array-like of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Labels or target values.
        ax : matplotlib Axes, default=None
            Axes to draw on. If None, a new figure is created.
        **options
            Further parameters of `cogmap.pruning_curve`: `keep` and `n_folds`.

        Returns
        -------
        display : PruningDisplay
        """
        return cls(pruning_view(pruning_curve(estimator, X, y, **options))).plot(ax)
