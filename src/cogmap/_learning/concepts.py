"""The concepts of a map that is learned: which are inputs, which are hidden, which are outputs, and their names."""

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
        How many there are of each kind.
    labels : list of str
        The same before names that occur twice are numbered. Empty: `names` are all there are.
    """

    names: list[str]
    n_inputs: int
    n_hidden: int
    n_outputs: int
    labels: Sequence[str] = ()

    @classmethod
    def of(cls, inputs: Sequence[str], n_hidden: int, outputs: Sequence[str]) -> "Concepts":
        """Name the concepts."""
        labels = [*inputs, *hidden_names(n_hidden), *outputs]
        return cls(concept_names(inputs, n_hidden, outputs), len(inputs), n_hidden, len(outputs), labels)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def inputs(self) -> slice:
        """Where the inputs stand."""
        return slice(0, self.n_inputs)

    @property
    def hidden(self) -> slice:
        """Where the hidden concepts stand."""
        return slice(self.n_inputs, self.n_inputs + self.n_hidden)

    @property
    def outputs(self) -> slice:
        """Where the outputs stand."""
        return slice(self.n_inputs + self.n_hidden, len(self))

    def place(self, name: Any, owner: str, parameter: str, among: slice = slice(None)) -> int:
        """Return the number of the concept with a name, or complain, with the nearest name.

        Parameters
        ----------
        name : object
            The name that a user gave.
        owner, parameter : str
            Whose parameter it is, for messages.
        among : slice, default=slice(None)
            Which concepts can be meant, where others have the same name.
        """
        places = self._meant(name)
        if not places:
            visible = (shown(self.names[kind]) for kind in (self.inputs, self.outputs))
            cure = nearest_concept(name, self.names) or "The features are {}, the outputs {}.".format(*visible)
            raise param_error(owner, parameter, "made of names of concepts", name, cure)
        can_be = range(len(self))[among]
        places = [place for place in places if place in can_be] or places
        if len(places) > 1:
            raise self._ambiguous(name, places, owner, parameter)
        return places[0]

    def check_clear(self, names: Collection[str], owner: str, parameter: str) -> None:
        """Complain about a name in a map that several concepts have, unless the map tells these apart."""
        for name in names:
            places = self._meant(name)
            if any(self.names[place] not in names for place in places):
                raise self._ambiguous(name, places, owner, parameter)

    def _meant(self, name: Any) -> list[int]:
        """Return the numbers of the concepts that may be meant by a name."""
        known = (place for names in (self.names, self.labels) for place, own in enumerate(names) if own == name)
        return sorted(set(known)) if isinstance(name, str) else []

    def _ambiguous(self, name: str, places: Sequence[int], owner: str, parameter: str) -> ParameterError:
        kinds = ["feature"] * self.n_inputs + ["hidden concept"] * self.n_hidden + ["output"] * self.n_outputs
        found = Counter(kinds[place] for place in places)
        both = " and ".join(count(times, kind) for kind, times in found.items())
        cure = f"{both} are called so: rename the column."
        return param_error(owner, parameter, "made of names that mean one concept each", name, cure)


def nearest_concept(name: object, names: Sequence[str]) -> str:
    """Say which concept was probably meant: that of a class by its label, or one with a similar name."""
    of_class = f"class={name}"
    return f"Did you mean {of_class!r}?" if of_class in names else suggestion(name, names)
