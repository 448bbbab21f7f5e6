"""Names and positions of the inputs, hidden concepts and outputs of a map to train."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from cogmap._utils.params import param_error, shown, suggestion
from cogmap.exceptions import ParameterError
from cogmap.maps._text import count
from cogmap.models.model import concept_names, hidden_names


@dataclass(frozen=True)
class Concepts:
    """Names of the inputs, the hidden concepts and the outputs, in this order.

    Attributes
    ----------
    names : list of str
        Name of each concept.
    n_inputs, n_hidden, n_outputs : int
        Number of concepts of each kind.
    labels : list of str
        Names before duplicates are numbered; empty if they are the same as `names`.
    """

    names: list[str]
    n_inputs: int
    n_hidden: int
    n_outputs: int
    labels: Sequence[str] = ()

    @classmethod
    def of(cls, inputs: Sequence[str], n_hidden: int, outputs: Sequence[str]) -> "Concepts":
        """Return the concepts with unique names."""
        labels = [*inputs, *hidden_names(n_hidden), *outputs]
        return cls(concept_names(inputs, n_hidden, outputs), len(inputs), n_hidden, len(outputs), labels)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def inputs(self) -> slice:
        """Positions of the inputs."""
        return slice(0, self.n_inputs)

    @property
    def hidden(self) -> slice:
        """Positions of the hidden concepts."""
        return slice(self.n_inputs, self.n_inputs + self.n_hidden)

    @property
    def outputs(self) -> slice:
        """Positions of the outputs."""
        return slice(self.n_inputs + self.n_hidden, len(self))

    def position(self, name: Any, owner: str, parameter: str, among: slice = slice(None)) -> int:
        """Return the position of the concept with a name; raise unless exactly one concept has it.

        Parameters
        ----------
        name : object
            Name passed by the user.
        owner, parameter : str
            Estimator and parameter named in messages.
        among : slice, default=slice(None)
            Positions to prefer if several concepts have the name.
        """
        positions = self._positions(name)
        if not positions:
            visible = (shown(self.names[kind]) for kind in (self.inputs, self.outputs))
            cure = nearest_concept(name, self.names) or "The features are {}, the outputs {}.".format(*visible)
            raise param_error(owner, parameter, "made of names of concepts", name, cure)
        preferred = range(len(self))[among]
        positions = [position for position in positions if position in preferred] or positions
        if len(positions) > 1:
            raise self._ambiguous(name, positions, owner, parameter)
        return positions[0]

    def check_unambiguous(self, names: Collection[str], owner: str, parameter: str) -> None:
        """Raise if several concepts have a name in a map, unless the map contains all of them."""
        for name in names:
            positions = self._positions(name)
            if any(self.names[position] not in names for position in positions):
                raise self._ambiguous(name, positions, owner, parameter)

    def _positions(self, name: Any) -> list[int]:
        """Return the positions of the concepts to which a name may refer."""
        matches = (i for names in (self.names, self.labels) for i, own in enumerate(names) if own == name)
        return sorted(set(matches)) if isinstance(name, str) else []

    def _ambiguous(self, name: str, positions: Sequence[int], owner: str, parameter: str) -> ParameterError:
        kinds = ["feature"] * self.n_inputs + ["hidden concept"] * self.n_hidden + ["output"] * self.n_outputs
        counts = Counter(kinds[position] for position in positions)
        both = " and ".join(count(times, kind) for kind, times in counts.items())
        cure = f"{both} have this name: rename the column."
        return param_error(owner, parameter, "made of names that mean one concept each", name, cure)


def nearest_concept(name: object, names: Sequence[str]) -> str:
    """Return "Did you mean ...?" with the concept of a class label or the closest name, or an empty string."""
    of_class = f"class={name}"
    return f"Did you mean {of_class!r}?" if of_class in names else suggestion(name, names)
