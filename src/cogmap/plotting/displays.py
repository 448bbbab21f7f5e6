"""Displays of a model in the style of scikit-learn: ``from_estimator`` computes and draws, ``plot`` redraws."""

from typing import Any, Self

from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from cogmap.explanation import influence, pruning_curve
from cogmap.plotting._display import Display
from cogmap.plotting.graph import draw_map, map_view
from cogmap.plotting.influence import draw_influence, influence_view
from cogmap.plotting.pruning import draw_pruning, pruning_view
from cogmap.plotting.weights import draw_weights, weights_view


class MapDisplay(Display):
    """The learned map as a graph, see `plot_map`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.

    See Also
    --------
    plot_map : Plot a map as a graph.
    WeightsDisplay : The weights of the learned map as a matrix, see `plot_weights`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.plotting import MapDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y)
    >>> display = MapDisplay.from_estimator(fcm, X)
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
            The display, already drawn.
        """
        influences = None if X is None else influence(estimator, X)
        return cls(map_view(estimator, influences, n_edges)).plot(ax)


class WeightsDisplay(Display):
    """The weights of the learned map as a matrix, see `plot_weights`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.

    See Also
    --------
    plot_weights : Plot the weights of a map as a matrix: the influence of the column concept on the row concept.
    MapDisplay : The learned map as a graph, see `plot_map`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.plotting import WeightsDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y)
    >>> display = WeightsDisplay.from_estimator(fcm)
    >>> display.ax_.get_xlabel()
    'influence of'
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
            The display, already drawn.
        """
        return cls(weights_view(estimator)).plot(ax)


class InfluenceDisplay(Display):
    """The influence of features on the outputs, see `plot_influence`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.

    See Also
    --------
    plot_influence : Plot the influence of each feature on the outputs of a map through all steps, the largest on top.
    cogmap.influence : Compute the influence of each concept on each output on data, and the edges that carry it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.plotting import InfluenceDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y)
    >>> display = InfluenceDisplay.from_estimator(fcm, X)
    >>> display.figure_.savefig("influence.svg")  # doctest: +SKIP
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
            The display, already drawn.
        """
        return cls(influence_view(influence(estimator, X, scale), output)).plot(ax)


class PruningDisplay(Display):
    """Score against the number of edges, see `plot_pruning`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.

    See Also
    --------
    plot_pruning : Plot the held-out score of maps with fewer and fewer edges.
    cogmap.pruning_curve : Compute cross-validated scores of maps with fewer and fewer edges.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.plotting import PruningDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0)
    >>> display = PruningDisplay.from_estimator(fcm, X, y, keep=[0.5], n_folds=2)
    >>> display.ax_.get_ylabel()
    'accuracy'
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
            The display, already drawn.
        """
        return cls(pruning_view(pruning_curve(estimator, X, y, **options))).plot(ax)
