"""Displays of one row in the style of scikit-learn: ``from_estimator`` computes and draws, ``plot`` redraws."""

from typing import Any, Self

from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from cogmap.explanation import explain, story, what_if
from cogmap.explanation._subject import one_row
from cogmap.plotting._display import Display
from cogmap.plotting.canvas import map_of
from cogmap.plotting.contributions import contributions_view, draw_contributions
from cogmap.plotting.graph import draw_map
from cogmap.plotting.states import draw_states, states_view
from cogmap.plotting.story import story_view
from cogmap.plotting.what_if import draw_what_if, what_if_view


class StatesDisplay(Display):
    """The states of one row over the steps of the map, see `plot_states`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.

    See Also
    --------
    plot_states : Plot the states of concepts over the steps of a map.
    cogmap.FCMClassifier.trajectory : Return the states at every step.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.plotting import StatesDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y)
    >>> display = StatesDisplay.from_estimator(fcm, X.iloc[[0]])
    >>> display.ax_.get_xlabel()
    'step'
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
            The display, already drawn.
        """
        owner = "StatesDisplay.from_estimator"
        fcm = map_of(owner, estimator)
        trajectory = estimator.trajectory(one_row(owner, row))[:, 0]
        return cls(states_view(trajectory, fcm.concepts, fcm.kinds)).plot(ax)


class ContributionsDisplay(Display):
    """Contribution of each feature to an output of one row, see `plot_contributions`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.

    See Also
    --------
    plot_contributions : Plot the contribution of each feature to an output of a row as a waterfall from the baseline.
    cogmap.explain : Compute the contribution of each feature to the outputs of each row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.plotting import ContributionsDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y)
    >>> display = ContributionsDisplay.from_estimator(fcm, X.iloc[[0]], output=2)
    >>> display.figure_.savefig("contributions.svg")  # doctest: +SKIP
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
            The display, already drawn.
        """
        table = one_row("ContributionsDisplay.from_estimator", row)
        explanation = explain(estimator, table, baseline, scale)
        return cls(contributions_view(explanation, 0, output)).plot(ax)


class StoryDisplay(Display):
    """How a map computes the output of one row, step by step, see `plot_story`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.

    See Also
    --------
    plot_story : Plot how a map computes one output of one row.
    cogmap.story : Trace how a map computes the output of one row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.plotting import StoryDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y)
    >>> display = StoryDisplay.from_estimator(fcm, X.iloc[[0]])
    >>> display.figure_.savefig("story.svg")  # doctest: +SKIP
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
            The display, already drawn.
        """
        return cls(story_view(story(estimator, row, output, baseline, scale))).plot(ax)


class WhatIfDisplay(Display):
    """Counterfactual of one row, see `plot_what_if`.

    Parameters
    ----------
    view : dict
        Data of the figure, created by `from_estimator`.

    See Also
    --------
    plot_what_if :
        Plot the change of a row that changes the prediction: a bar for each changed feature, with its values.
    cogmap.what_if : Find the smallest change of a row that changes the prediction: a counterfactual.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from cogmap import FCMClassifier
    >>> from cogmap.plotting import WhatIfDisplay
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fcm = FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y)
    >>> display = WhatIfDisplay.from_estimator(fcm, X.iloc[[100]], to=1, fixed=["sepal width (cm)"])
    >>> display.figure_.savefig("what_if.svg")  # doctest: +SKIP
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
            The display, already drawn.
        """
        return cls(what_if_view(what_if(estimator, row, to, **options))).plot(ax)
