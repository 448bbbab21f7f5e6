"""Changes made to a map by hand on its page, read from a file and kept in the next training.

A removed arrow stays removed. An arrow that was set or added keeps its sign, and its weight stays between half and
twice of what was set: within this range the data decide, with the set weight as prior. A concept that was held is a
column that shall not distinguish rows: it is left out.
"""

import json
import math
import os
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import cross_val_score

from cogmap._utils.params import param_error
from cogmap._utils.text import decoded, quoted
from cogmap.exceptions import DataError
from cogmap.explanation._answer import Answer
from cogmap.maps.map import FuzzyCognitiveMap

__all__ = ["Edit", "EditReport", "Edits", "read_edits"]

_FORMAT, _VERSION = "cogmap edits", 1
_MOST_BYTES = 2**22
_RANGE = 2.0  # a set weight may change by this factor
_AT_LIMIT = 0.02  # share of a limit within which a weight is at it
_STANDARD_ERRORS = 2.0


@dataclass(frozen=True)
class Edit:
    """A changed arrow.

    Attributes
    ----------
    source, target : str
        Concepts that it connects.
    weight : float
        Weight that was set; 0 for a removed arrow.
    was : float
        Weight before, 0 for an added arrow.
    slope : float
        Slope of the map at which these weights act.

    See Also
    --------
    Edits : All changes of a page.

    Examples
    --------
    >>> from cogmap.estimators.edits import Edit
    >>> edit = Edit("age", "ill", weight=0.4, was=-0.5, slope=2.0)
    >>> edit.bounds
    (0.2, 0.8)
    >>> edit.objection(0.2)
    'weaker'
    """

    source: str
    target: str
    weight: float
    was: float
    slope: float

    @property
    def bounds(self) -> tuple[float, float]:
        """Range of the weight in the next training."""
        low, high = sorted((self.weight / _RANGE, self.weight * _RANGE))
        return low, high

    def objection(self, learned: float) -> str:
        """Return what the data want instead.

        Parameters
        ----------
        learned : float
            Weight learned within `bounds`.

        Returns
        -------
        {"weaker", "stronger", ""}
            Empty if the data agree.
        """
        if self.weight == 0.0:
            return ""
        low, high = (abs(bound) for bound in sorted(self.bounds, key=abs))
        size = abs(learned)
        if size <= low * (1.0 + _AT_LIMIT):
            return "weaker"
        return "stronger" if size >= high * (1.0 - _AT_LIMIT) else ""


@dataclass(frozen=True)
class Edits:
    """Changes made to a map by hand.

    Attributes
    ----------
    arrows : tuple of Edit
        Changed arrows.
    held : dict of str to float
        Concepts that were held at a state.
    by, reason, day : str
        Who changed the map, why and when.
    title, target : str
        The page and the name of its target.
    structure : {"named", "full"}
        Structure of the map that was changed.

    See Also
    --------
    cogmap.read_edits : Read edits from a file.

    Examples
    --------
    >>> from cogmap.estimators.edits import Edit, Edits
    >>> edits = Edits((Edit("age", "ill", 0.4, -0.5, 2.0), Edit("mood", "ill", 0.0, 0.3, 2.0)), held={})
    >>> edits.weight_bounds
    {('age', 'ill'): (0.2, 0.8), ('mood', 'ill'): (0.0, 0.0)}
    >>> kept, others = edits.split(["age"], ["ill"])
    >>> len(kept.arrows), others[0].source, edits.to_dict()["arrows"][0]["weight"]
    (1, 'mood', 0.4)
    """

    arrows: tuple[Edit, ...]
    held: dict[str, float]
    by: str = ""
    reason: str = ""
    day: str = ""
    title: str = ""
    target: str = ""
    structure: str = "full"

    @property
    def prior(self) -> FuzzyCognitiveMap | str:
        """The set weights as a map, for the parameter `prior`; "memory" if arrows were only removed."""
        kept = [edit for edit in self.arrows if edit.weight != 0.0]
        if not kept:
            return "memory"
        slope = kept[0].slope
        edges = [(edit.source, edit.target, edit.weight * edit.slope / slope) for edit in kept]
        return FuzzyCognitiveMap.from_edges(edges, slope=slope)

    @property
    def weight_bounds(self) -> dict[tuple[str, str], tuple[float, float]] | None:
        """Ranges of the changed weights, for the parameter `weight_bounds`; None if there are none."""
        return {(edit.source, edit.target): edit.bounds for edit in self.arrows} or None

    def split(self, sources: Collection[str], targets: Collection[str]) -> tuple["Edits", tuple[Edit, ...]]:
        """Divide the edits into those of arrows between given concepts and the others.

        Parameters
        ----------
        sources, targets : collection of str
            Names of concepts that a map has.

        Returns
        -------
        edits : Edits
            The edits of arrows from `sources` to `targets`.
        others : tuple of Edit
            The other changed arrows.
        """
        kept = [edit for edit in self.arrows if edit.source in sources and edit.target in targets]
        return replace(self, arrows=tuple(kept)), tuple(edit for edit in self.arrows if edit not in kept)

    def to_dict(self) -> dict[str, Any]:
        """Convert the edits to JSON values.

        Returns
        -------
        dict
            Attributes by name; arrows are dicts.
        """
        return asdict(self) | {"arrows": [asdict(edit) for edit in self.arrows]}

    def judge(self, estimator: Any, X: Any, y: Any, cv: int = 5) -> "EditReport":
        """Compare a fitted estimator that keeps the edits with one that does not.

        Parameters
        ----------
        estimator : FCMClassifier or FCMRegressor
            Fitted with the `prior` and `weight_bounds` of these edits.
        X, y : array-like
            Training data.
        cv : int, default=5
            Number of folds.

        Returns
        -------
        EditReport
            Held-out losses with and without the edits, and arrows to which the data object.
        """
        if not hasattr(estimator, "map_"):
            raise param_error(
                "Edits.judge", "estimator", "a fitted FCMClassifier or FCMRegressor", estimator, "Fit it."
            )
        free = clone(estimator).set_params(prior="memory", weight_bounds=None)
        scoring = "neg_log_loss" if is_classifier(estimator) else "neg_mean_absolute_error"
        losses, without = (-cross_val_score(clone(one), X, y, cv=cv, scoring=scoring) for one in (estimator, free))
        return EditReport.of(self, estimator.map_, losses, without)


@dataclass(frozen=True, eq=False)
class EditReport(Answer):
    """What the data say about edits.

    Attributes
    ----------
    arrows : list of dict
        For each changed arrow: ``source``, ``target``, the weights ``asked``, ``was`` and ``learned``, and the
        ``objection`` of the data.
    loss, loss_without : float
        Mean held-out loss with and without the edits: log loss, or mean absolute error.
    cost, error : float
        Mean difference of the two over the folds, and its standard error.

    See Also
    --------
    Edits.judge : Returns this report.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap
    >>> from cogmap.estimators.edits import Edit, EditReport, Edits
    >>> edits = Edits((Edit("age", "ill", 0.4, -0.5, 2.0),), held={})
    >>> learned = FuzzyCognitiveMap.from_edges([("age", "ill", 0.2)], slope=2.0)
    >>> EditReport.of(edits, learned, losses=[0.5, 0.6, 0.6], without=[0.4, 0.5, 0.5])
    The data object: held-out loss with the changes 0.5667, without them 0.4667.
      age -> ill: asked 0.4, was -0.5, learned 0.2; the data want it weaker
    """

    arrows: list[dict[str, Any]]
    loss: float
    loss_without: float
    cost: float
    error: float

    @classmethod
    def of(cls, edits: Edits, fcm: FuzzyCognitiveMap, losses: Any, without: Any) -> "EditReport":
        """Make a report from a learned map and losses of folds.

        Parameters
        ----------
        edits : Edits
            Changes made by hand.
        fcm : FuzzyCognitiveMap
            Map learned with them.
        losses, without : array-like of shape (n_folds,)
            Held-out losses with and without the edits.

        Returns
        -------
        EditReport
            The report.
        """
        lines = []
        for edit in edits.arrows:
            learned = _weight(fcm, edit)
            entry = {"source": edit.source, "target": edit.target, "asked": edit.weight, "was": edit.was}
            lines.append(entry | {"learned": learned, "objection": edit.objection(learned)})
        difference = np.asarray(losses) - np.asarray(without)
        error = float(difference.std(ddof=1) / math.sqrt(len(difference))) if len(difference) > 1 else 0.0
        return cls(lines, float(np.mean(losses)), float(np.mean(without)), float(difference.mean()), error)

    @property
    def sentence(self) -> str:
        """Return the cost in words."""
        losses = f"with the changes {self.loss:.4g}, without them {self.loss_without:.4g}"
        if abs(self.cost) <= _STANDARD_ERRORS * self.error or self.cost == 0.0:
            return f"The changes cost nothing that counts: held-out loss {losses}."
        verdict = "The data object" if self.cost > 0.0 else "The data agree"
        return f"{verdict}: held-out loss {losses}."

    def __repr__(self) -> str:
        lines = [
            f"  {entry['source']} -> {entry['target']}: asked {entry['asked']:.3g}, was {entry['was']:.3g}, "
            f"learned {entry['learned']:.3g}" + f"; the data want it {entry['objection']}" * bool(entry["objection"])
            for entry in self.arrows
        ]
        return "\n".join([self.sentence, *lines])


def _weight(fcm: FuzzyCognitiveMap, edit: Edit) -> float:
    """Return the weight of an arrow at the slope of the edit; 0 if the map does not have the concepts."""
    if edit.source not in fcm.concepts or edit.target not in fcm.concepts:
        return 0.0
    target = fcm.concepts.index(edit.target)
    slope = float(np.broadcast_to(fcm.slope, fcm.n_concepts)[target])
    return float(fcm.weights[target, fcm.concepts.index(edit.source)]) * slope / edit.slope


def read_edits(path: str | os.PathLike[str]) -> Edits:
    """Read changes that were made to a map on its page.

    Parameters
    ----------
    path : str or path-like
        File saved by the page with "Save the changes (JSON)".

    Returns
    -------
    Edits
        Its `prior` and `weight_bounds` are parameters of `FCMClassifier` and `FCMRegressor`.

    See Also
    --------
    cogmap.table.FitOptions : Its `edits` train a model of a raw table with them.
    cogmap.estimators.edits.Edits.judge : What the data say about the edits.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_diabetes
    >>> from cogmap import FCMRegressor, read_edits
    >>> arrow = {"source": "age", "target": "target", "weight": 0.4, "was": -0.5, "slope": 2.0}
    >>> content = {"format": "cogmap edits", "version": 1, "structure": "named", "arrows": [arrow], "held": []}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "edits.json").write_text(json.dumps(content))
    ...     edits = read_edits(Path(folder, "edits.json"))
    >>> edits.weight_bounds
    {('age', 'target'): (0.2, 0.8)}
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> fcm = FCMRegressor(structure="additive", prior=edits.prior, weight_bounds=edits.weight_bounds, random_state=0)
    >>> report = edits.judge(fcm.fit(X, y), X, y)
    >>> report.arrows[0]["objection"]
    'weaker'
    """
    name = os.fspath(path)
    try:
        if Path(path).stat().st_size > _MOST_BYTES:
            raise DataError("it is too large")
        value = json.loads(decoded(Path(path).read_bytes()))
        return _edits(value)
    except OSError as problem:
        raise DataError(f"The edits {name} cannot be read: {problem.strerror or problem}.") from None
    except (DataError, ValueError, RecursionError) as problem:
        reason = "it is not JSON" if isinstance(problem, json.JSONDecodeError) else str(problem)
        raise DataError(
            f"{name} does not hold edits of a map: {reason}. The page of a model saves them (Save the changes)."
        ) from None


def _edits(value: Any) -> Edits:
    """Build edits from JSON; raise DataError with half a sentence if they are not valid."""
    if not isinstance(value, dict) or value.get("format") != _FORMAT:
        raise DataError(f'its "format" is not "{_FORMAT}"')
    if value.get("version") != _VERSION:
        raise DataError(f"its version is {quoted(value.get('version'))}, and this cogmap reads version {_VERSION}")
    arrows, held = value.get("arrows"), value.get("held", [])
    if not isinstance(arrows, list) or not isinstance(held, list):
        raise DataError('"arrows" and "held" must be lists')
    words = {name: value.get(name, "") for name in ("by", "reason", "day", "title", "target")}
    if not all(isinstance(word, str) for word in words.values()):
        raise DataError(f"{', '.join(words)} must be strings")
    structure = value.get("structure", "full")
    if structure not in ("named", "full"):
        raise DataError(f'its "structure" must be "named" or "full", not {quoted(structure)}')
    edits = tuple(_edit(entry, place) for place, entry in enumerate(arrows, start=1))
    if len({(edit.source, edit.target) for edit in edits}) < len(edits):
        raise DataError("an arrow occurs twice")
    states = {}
    for place, entry in enumerate(held, start=1):
        concept = entry.get("concept") if isinstance(entry, dict) else None
        if not isinstance(concept, str):
            raise DataError(f"held concept {place} has no name")
        states[concept] = _number(entry, "state", f"held concept {place}")
    if not edits and not states:
        raise DataError("it contains no change")
    return Edits(edits, states, **words, structure=structure)


def _edit(entry: Any, place: int) -> Edit:
    names = [entry.get(name) if isinstance(entry, dict) else None for name in ("source", "target")]
    if not all(isinstance(name, str) and name for name in names):
        raise DataError(f"arrow {place} lacks a source or a target")
    weight, was, slope = (_number(entry, name, f"arrow {place}") for name in ("weight", "was", "slope"))
    if slope <= 0.0:
        raise DataError(f"the slope of arrow {place} must be positive")
    return Edit(str(names[0]), str(names[1]), weight, was, slope)


def _number(entry: dict[str, Any], name: str, where: str) -> float:
    value = entry.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise DataError(f"the {name} of {where} must be a number, not {quoted(value)}")
    return float(value)
