"""Base class of displays in the style of scikit-learn."""

from collections.abc import Callable
from typing import Self

from matplotlib.axes import Axes

from cogmap.plotting.canvas import View


class Display:
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

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from sklearn.datasets import load_iris
        >>> from cogmap import FCMClassifier
        >>> from cogmap.plotting import WeightsDisplay
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> display = WeightsDisplay.from_estimator(FCMClassifier(structure="full", n_hidden=0, n_teachers=0).fit(X, y))
        >>> left, right = Figure().subplots(1, 2)
        >>> display.plot(ax=right).ax_ is right
        True
        """
        self.ax_ = type(self)._draw(self.view, ax)
        self.figure_ = self.ax_.figure
        return self
