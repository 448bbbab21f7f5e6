"""The concepts of a map that is learned: which are inputs, which are hidden, which are outputs, and their names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cogmap._params import shown, suggestion, wrong
from cogmap.model import concept_names


@dataclass(frozen=True)
class Concepts:
    """Names of the inputs, the hidden concepts and the outputs, in this order.

    Attributes
    ----------
    names : list of str
        Name of each concept.
    n_inputs, n_hidden, n_outputs : int
        How many there are of each kind.
    """

    names: list[str]
    n_inputs: int
    n_hidden: int
    n_outputs: int

    @classmethod
    def of(cls, inputs: Sequence[str], n_hidden: int, outputs: Sequence[str]) -> "Concepts":
        """Name the concepts."""
        return cls(concept_names(inputs, n_hidden, outputs), len(inputs), n_hidden, len(outputs))

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

    def place(self, name: Any, owner: str, parameter: str) -> int:
        """Return the number of the concept with a name, or complain, with the nearest name."""
        if not isinstance(name, str) or name not in self.names:
            visible = (shown(self.names[kind]) for kind in (self.inputs, self.outputs))
            cure = nearest_concept(name, self.names) or "The features are {}, the outputs {}.".format(*visible)
            raise wrong(owner, parameter, "made of names of concepts", name, cure)
        return self.names.index(name)


def nearest_concept(name: object, names: Sequence[str]) -> str:
    """Say which concept was probably meant: that of a class by its label, or one with a similar name."""
    of_class = f"class={name}"
    return f"Did you mean {of_class!r}?" if of_class in names else suggestion(name, names)
