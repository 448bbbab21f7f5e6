"""Who is told about learning: stages, each of some iterations."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cogmap._learning.solvers import Theta
from cogmap.model import MapModel

Report = Callable[[Theta, int, float], bool]  # parameters, number of the iteration, loss; True asks to stop


class Monitor:
    """Hears of every stage and iteration of learning; this one keeps it to itself."""

    def begin(self, n_stages: int) -> None:
        """Hear how many stages there will be at the most."""

    @contextmanager
    def stage(self, name: str, n_iter: int, model: Callable[[Theta], MapModel]) -> Iterator[Report]:
        """Hear of a stage of at most so many iterations; what it gives is called after each of them.

        Parameters
        ----------
        name : str
            What is learned.
        n_iter : int
            Largest number of iterations.
        model : callable
            Makes a model of parameters.
        """
        yield lambda theta, number, loss: False
