"""Names of concepts that mean the same in maps of several people: proposals, and maps with one name for each."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from cogmap._utils.params import check_number, param_error
from cogmap.exceptions import DataError
from cogmap.maps.map import FuzzyCognitiveMap

_NOT_WORDS = re.compile(r"[^\w]+|_+")
_SHORTEST = 4  # letters of names that are compared by spelling


class Match(NamedTuple):
    """Names that probably mean the same concept.

    Attributes
    ----------
    names : tuple of str
        The names, in order of first appearance.
    why : str
        ``"spelling"``, ``"plural"`` or ``"translation"``.

    See Also
    --------
    match_names : Propose which names of concepts mean the same.
    unify_names : Return the maps with one name, the first, for the names of each match.

    Examples
    --------
    >>> from cogmap.maps.experts import match_names
    >>> (match,) = match_names([["Rainfall"], ["rain fall"]])
    >>> match.names, match.why
    (('Rainfall', 'rain fall'), 'spelling')
    """

    names: tuple[str, ...]
    why: str


def match_names(
    maps: Iterable[FuzzyCognitiveMap | Sequence[str]],
    translations: Mapping[str, str] | None = None,
    cutoff: float = 0.8,
) -> list[Match]:
    """Propose which names of concepts mean the same.

    Names match if they differ only in case, accents, blanks and punctuation, in a plural, or in a few letters, or if a
    table translates one to the other. Two concepts of the same map never match, because their author distinguishes
    them, nor do names with different numbers. Review the proposals, and pass those that are right to `unify_names`.

    Parameters
    ----------
    maps : sequence of FuzzyCognitiveMap, or of sequences of str
        The maps, or the names of their concepts.
    translations : mapping, default=None
        Translation of names, such as ``{"Regen": "rain"}``.
    cutoff : float, default=0.8
        Smallest similarity of names that count as spellings of each other: 1 minus the number of letters to insert,
        delete, replace or swap, divided by the length of the longer name.

    Returns
    -------
    list of Match
        Sorted by first appearance.

    See Also
    --------
    unify_names : Return the maps with one name, the first, for the names of each match.
    combine : Combine several maps into one.

    Examples
    --------
    >>> from cogmap.maps.experts import match_names
    >>> match_names([["Rainfall", "fish"], ["rain fall", "Fishes"]])
    [Match(names=('Rainfall', 'rain fall'), why='spelling'), Match(names=('fish', 'Fishes'), why='plural')]
    """
    cutoff = check_number("match_names", "cutoff", cutoff, low=0, low_included=False)
    table = _folded_table(translations)
    owners: dict[str, set[int]] = {}
    for k, each in enumerate(maps):
        for name in each.concepts if isinstance(each, FuzzyCognitiveMap) else each:
            owners.setdefault(name, set()).add(k)
    plain = {name: fold(name) for name in owners}
    keys = {name: singular(table.get(text, text)) for name, text in plain.items()}
    groups = _Groups(owners)
    for a, b in combinations(owners, 2):
        if keys[a] == keys[b] and keys[a]:
            same = plain[a].replace(" ", "") == plain[b].replace(" ", "")
            plural = singular(plain[a]) == singular(plain[b])
            groups.join(a, b, "spelling" if same else "plural" if plural else "translation")
    near = [(likeness(keys[a], keys[b]), a, b) for a, b in combinations(owners, 2) if _comparable(keys[a], keys[b])]
    for share, a, b in sorted(near, key=lambda one: -one[0]):
        if share >= cutoff:
            groups.join(a, b, "spelling")
    return groups.matches()


def unify_names(maps: Iterable[FuzzyCognitiveMap], matches: Iterable[Match | Sequence[str]]) -> list[FuzzyCognitiveMap]:
    """Return the maps with one name, the first, for the names of each match.

    Parameters
    ----------
    maps : sequence of FuzzyCognitiveMap
        The maps.
    matches : sequence of Match, or of sequences of str
        Names that mean the same, such as the result of `match_names`.

    Returns
    -------
    list of FuzzyCognitiveMap
        The maps in the same order, with their other parameters unchanged.

    See Also
    --------
    match_names : Propose which names of concepts mean the same.
    combine : Combine several maps into one.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.maps.experts import unify_names
    >>> maps = [FuzzyCognitiveMap.from_edges([(name, "fish", 0.5)]) for name in ("rain", "Rainfall")]
    >>> [fcm.concepts for fcm in unify_names(maps, [("rain", "Rainfall")])]
    [('rain', 'fish'), ('rain', 'fish')]
    """
    new_names: dict[str, str] = {}
    for match in matches:
        names = match.names if isinstance(match, Match) else tuple(match)
        for name in names:
            if new_names.setdefault(name, names[0]) != names[0]:
                got = f"{name!r} in two matches"
                raise DataError(f"A name can be in one match only, got {got}. Join the matches.")
    renamed = []
    for fcm in maps:
        concepts = [new_names.get(name, name) for name in fcm.concepts]
        twice = next((name for name in concepts if concepts.count(name) > 1), None)
        if twice is not None:
            raise DataError(f"Two concepts of one map would be named {twice!r}. Leave that match out, or merge them.")
        renamed.append(fcm.replace(concepts=concepts))
    return renamed


def fold(name: str) -> str:
    """Return a name without case, accents, punctuation and repeated blanks."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    text = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(_NOT_WORDS.sub(" ", text).split())


def singular(text: str) -> str:
    """Return a folded name without blanks and English plural endings."""
    return "".join(_singular(word) for word in text.split())


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _folded_table(translations: Mapping[str, str] | None) -> dict[str, str]:
    if translations is None:
        return {}
    if not isinstance(translations, Mapping) or not all(isinstance(n, str) for p in translations.items() for n in p):
        expected = "a mapping from names to names, such as {'Regen': 'rain'}"
        raise param_error("match_names", "translations", expected, translations)
    return {fold(name): fold(other) for name, other in translations.items()}


def _comparable(a: str, b: str) -> bool:
    """Return whether two different names are long enough to compare, and have the same numbers."""
    if a == b or min(len(a), len(b)) < _SHORTEST:
        return False
    return re.findall(r"\d+", a) == re.findall(r"\d+", b)


def likeness(a: str, b: str) -> float:
    """Return 1 minus the edit distance (with swaps of neighbors) divided by the length of the longer string."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, start=1):
        older, before, row = before, row, [i]
        for j, other in enumerate(b, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return 1.0 - row[-1] / max(len(a), len(b), 1)


class _Groups:
    """Groups of names; names of the same map stay apart."""

    def __init__(self, owners: dict[str, set[int]]) -> None:
        self._owners = owners
        self._group = {name: [name] for name in owners}
        self._why: dict[str, str] = {}

    def join(self, a: str, b: str, why: str) -> None:
        one, other = self._group[a], self._group[b]
        if one is other:
            return
        owners = [owner for name in one + other for owner in self._owners[name]]
        if len(owners) > len(set(owners)):
            return
        one += other
        for name in one:
            self._group[name] = one
            self._why.setdefault(name, why)

    def matches(self) -> list[Match]:
        order = {name: k for k, name in enumerate(self._owners)}
        found = []
        for name, group in self._group.items():
            names = tuple(sorted(group, key=order.__getitem__))
            if len(names) > 1 and names[0] == name:
                found.append(Match(names, self._why[names[1]]))
        return found
