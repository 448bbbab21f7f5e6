"""What all estimators share: validate, prepare, learn, store; no formula."""

import os
import warnings
from abc import ABC, abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Self, cast

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from cogmap._allowed import check_parameters
from cogmap._callbacks import CallbackSupport, with_callbacks
from cogmap._encoding import Encoding, FeatureRange, FeatureSpread, Scaling
from cogmap._features import FeatureStatistics
from cogmap._learning import initialization
from cogmap._learning.concepts import Concepts
from cogmap._learning.learn import Learned, learn
from cogmap._learning.monotone import by_name, constrained
from cogmap._learning.narrowing import worth_learning
from cogmap._learning.recipe import Departure
from cogmap._learning.search import MOST_INPUTS, Candidate, choose
from cogmap._learning.settings import (
    CLASSES,
    DEFAULTS,
    LARGE,
    Rules,
    Settings,
    Shape,
    is_wide,
    resolve,
    speaks_of_concepts,
)
from cogmap._learning.size import check_size
from cogmap._learning.solvers import RULES, Outcome, Theta
from cogmap._learning.table import Table
from cogmap._learning.targets import Targets
from cogmap._links import Link
from cogmap._monitor import FitMonitor
from cogmap._params import shown
from cogmap._prediction import FittedMap
from cogmap._refitting import Refitting
from cogmap._structured_map import StructuredMap
from cogmap._terms import CHOICES, Terms, find_terms
from cogmap._validation import check_sample_weight, input_names, too_large_to_be_dense
from cogmap.exceptions import DataError
from cogmap.explanation.influences import learned_importances, sample_of
from cogmap.map import FuzzyCognitiveMap
from cogmap.model import MapModel

_PARTS = 4  # of the rows, by which it is chosen how to read features


class Reading(NamedTuple):
    """How features become states, the table of the features, not yet states, and which inputs are learned from."""

    encoding: Encoding
    table: Table
    inputs: NDArray[np.intp] | None = None  # None: all, in a map of all influences


Data = tuple[NDArray[np.floating], NDArray[Any], NDArray[np.float64] | None]  # features, targets, weights


class BaseFCM(CallbackSupport, Refitting, FittedMap, BaseEstimator, ABC):
    """A map that learns from a table, with the parameters of learning as attributes."""

    _rules: Rules = CLASSES

    # Set in fit.
    _outcome: str
    loss_curve_: list[float]
    n_iter_: int
    teacher_losses_: list[float]
    departures_: list[Departure]
    feature_importances_: NDArray[np.floating]

    @property
    def _owner(self) -> str:
        return type(self).__name__

    @property
    def outcome_(self) -> Outcome:
        """How learning ended; kept by its name, because not every way to store an estimator knows enumerations."""
        return Outcome[self._outcome]

    @with_callbacks
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn a map from data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features: numbers in an array, a pandas or polars data frame, or a sparse matrix. A missing value (NaN) is
            a state that is undecided.
        y : array-like of shape (n_samples,)
            What to learn: class labels, which are numbers, strings or booleans; or values, perhaps of several targets
            in columns.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, at least 0. A weight of 0 is the same as no row. A weight of 2 is the same as the row
            twice if the solver is ``"lbfgs"`` and there are at most a million values; otherwise it counts as much, but
            the model is another one: mini-batches are drawn by row, and more rows make a larger table.

        Returns
        -------
        self : object
            The fitted estimator. If fitting fails, an earlier fitted model stays as it was.
        """
        check_parameters(self._owner, self.get_params(deep=False))
        self._replace_learned(lambda fitted: fitted._fit(X, y, sample_weight, self))
        self._warn_unless_converged()
        return self

    def _warn_unless_converged(self) -> None:
        if not self.outcome_.converged:
            warnings.warn(
                f"{self._owner}: {self.outcome_.sentence} {self.outcome_.cure} "
                f"({self.n_iter_} iterations, last loss {self.loss_curve_[-1]:.6g})",
                ConvergenceWarning,
                stacklevel=4,
            )

    def explore(self, X: ArrayLike, y: ArrayLike | None = None, path: str | os.PathLike[str] | None = None) -> Path:
        """Write a page in which anyone can play with the learned map, without Python.

        It is one file that computes the map itself and asks nobody for anything.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to choose from in the page: at most 500 of them, in which every class or part of the range has its
            share.
        y : array-like of shape (n_samples,), default=None
            Their answers, by which the page says how well the map does, also after it is edited.
        path : str or path-like
            The file, such as ``map.html``. If it exists, it is replaced.

        Returns
        -------
        pathlib.Path
            The file.
        """
        from cogmap.page import write  # who only learns need not wait for it

        return write(self, X, y, path)

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, shown_as: "BaseFCM") -> None:
        """Validate, prepare, learn, store; callbacks see the estimator `shown_as`."""
        earlier = getattr(self, "model_", None) if getattr(self, "warm_start", False) else None
        names_before = getattr(self, "feature_names_in_", None)
        self._forget()
        self._learn_from(*self._validated(X, y, sample_weight, reset=True), earlier, names_before, shown_as)

    def _learn_from(
        self,
        X: NDArray[np.floating],
        y: NDArray[Any],
        weight: NDArray[np.float64] | None,
        earlier: MapModel | None,
        names_before: Any,
        shown_as: "BaseFCM",
    ) -> None:
        """Prepare, learn, store: rows are checked."""
        random = check_random_state(self.random_state)
        known = None if earlier is None else earlier.link
        n_values = X.shape[0] * X.shape[1]
        table = Table(X, self._targets(y, known), weight, tuple(input_names(self)), n_values=n_values)
        if self._parameter("solver") not in RULES and n_values <= LARGE:
            table = table.merged()
        table = self._settled(table, known)
        wide = self._is_wide(table, earlier)
        some_rows = sample_of(table.X, table.weight)
        readings = self._readings(table, earlier)
        if wide:
            readings = [self._narrowed(readings[0], earlier, names_before is not None, random)]
        candidates = self._candidates(readings, earlier)
        self._check_size(candidates)
        candidates = _with_states(candidates)
        settings = candidates[0].settings
        encodings = {candidate.encoding.n_inputs: candidate.encoding for candidate in candidates}
        inputs = readings[0].inputs

        def finished(model: MapModel) -> MapModel:
            if inputs is not None and isinstance(model.map, StructuredMap):
                names = Concepts.of(readings[0].table.features, model.n_hidden, model.link.names).names
                encoding = replace(readings[0].encoding, n_hidden=model.n_hidden)
                return replace(model, map=model.map.widened(inputs, names), encoding=encoding)
            return replace(model, encoding=replace(encodings[model.n_inputs], n_hidden=model.n_hidden))

        monitor = FitMonitor(shown_as, X, y, weight, finished)
        start = None
        if earlier is not None:
            start = self._continued(earlier, names_before is not None, readings[0], settings)
        learned = self._learn(candidates, random, monitor, start)
        self._take_over(learned, finished(learned.model), some_rows)
        if settings.early_stopping:
            self.validation_loss_curve_ = learned.validation_curve
        monitor.end(self.model_)

    def _take_over(self, learned: Learned, model: MapModel, some_rows: NDArray[np.floating]) -> None:
        """Keep what was learned."""
        self.model_ = model
        self._outcome = learned.outcome.name
        self.loss_curve_ = learned.loss_curve
        self.n_iter_ = len(learned.loss_curve)
        self.teacher_losses_ = learned.teacher_losses
        self.departures_ = learned.departures
        self.feature_importances_ = learned_importances(self.model_, some_rows)

    @abstractmethod
    def _checked_target(self, X: Any, y: Any, reset: bool) -> tuple[NDArray[np.floating], NDArray[Any]]:
        """Return features and targets as arrays, or complain."""

    @abstractmethod
    def _targets(self, y: NDArray[Any], known: Link | None) -> Targets:
        """Return the targets coded; where learning goes on, what they mean is known already."""

    @abstractmethod
    def _settled(self, table: Table, known: Link | None) -> Table:
        """Return the table with what depends on all its targets and weights, once equal rows are merged."""

    def _readings(self, table: Table, earlier: MapModel | None) -> list[Reading]:
        """Return the ways to read features that there are to choose from, the preferred one first."""
        scaling = self._scaling(table)
        asked = [self.terms]
        if isinstance(self.terms, str):  # "auto"
            asked = [None, *CHOICES] if earlier is None else [earlier.encoding.most_words]
            # Features of which an expert speaks must not become words, and of many there would be too many words.
            if speaks_of_concepts(self.get_params(deep=False)) or table.X.shape[1] > MOST_INPUTS:
                asked = asked[:1]
        readings: list[Reading] = []
        for terms in asked:
            found = self._found_terms(terms, table)
            encoding = Encoding(table.X.shape[1], scaling=scaling, terms=found)
            # Words that nothing is read as, or so many that a choice takes too long, are none to choose.
            if not readings or (encoding.most_words and encoding.n_inputs <= MOST_INPUTS):
                features = tuple(encoding.input_names(table.features))
                readings.append(Reading(encoding, replace(table, features=features)))
        return readings

    def _narrowed(
        self, reading: Reading, earlier: MapModel | None, named: bool, random: np.random.RandomState
    ) -> Reading:
        """Return a way to read many features, with the inputs that are worth learning."""
        if earlier is not None:
            in_names = named and hasattr(self, "feature_names_in_")
            return reading._replace(inputs=_influential(earlier, reading.table.features, in_names))

        def first(n_inputs: int) -> Candidate:
            return self._candidates([reading._replace(inputs=np.arange(n_inputs))], None)[0]

        everything = first(reading.encoding.n_inputs)
        check_size(everything.shape, replace(everything.settings, n_hidden=0))
        states = _with_states([everything])[0].table
        return reading._replace(inputs=worth_learning(states, lambda n_inputs: first(n_inputs).settings, random))

    def _is_wide(self, table: Table, earlier: MapModel | None) -> bool:
        """Whether the map is to be structured: one of many columns, or such an earlier one."""
        wide = is_wide(self.get_params(deep=False), table.X.shape[1])
        if earlier is not None:
            wide = isinstance(earlier.map, StructuredMap)
        if issparse(table.X) and not (wide and self.terms is None and self.scale == "logistic"):
            raise too_large_to_be_dense(table.X, self._owner)
        return wide

    def _found_terms(self, terms: Any, table: Table) -> Terms | None:
        """Return where the words that are asked for are true, by the rows of a table."""
        if terms is None:
            return None
        without = constrained(self.monotonic_cst, table.features)
        return find_terms(terms, table.X, table.weight, table.features, without, self._owner)

    def _candidate(self, reading: Reading, earlier: MapModel | None = None, **changes: Any) -> Candidate:
        """Return a candidate that reads features in some way; they are not states yet."""
        encoding, table, inputs = reading
        n_inputs = encoding.n_inputs if inputs is None else len(inputs)
        n_outputs, X = table.targets.link.n_outputs, table.X
        filled = X.nnz / (X.shape[0] * X.shape[1]) if issparse(X) else 1.0
        shape = Shape(table.n_rows, n_inputs, n_outputs, table.n_values, X.dtype, filled)
        settings = self._settings(shape, earlier, structured=inputs is not None, **changes)
        return Candidate(settings, encoding, shape, table, inputs)

    def _candidates(self, readings: list[Reading], earlier: MapModel | None) -> list[Candidate]:
        """Return what there is to choose from: all is given, but perhaps not how to read features."""
        return [self._candidate(reading, earlier) for reading in readings]

    def _check_size(self, candidates: list[Candidate]) -> None:
        """Complain about what is too large to learn, before anything large is made."""
        for candidate in candidates:
            check_size(candidate.shape, candidate.settings)

    def _learn(
        self,
        candidates: list[Candidate],
        random: np.random.RandomState,
        monitor: FitMonitor,
        start: Theta | None,
    ) -> Learned:
        """Learn, after choosing how to read features if that is to be chosen."""
        if len(candidates) == 1:
            return learn(candidates[0].table, candidates[0].settings, random, monitor, start)
        choice = choose(candidates, _PARTS, random, monitor, self.n_jobs)
        best = candidates[choice.number]
        wanted = best.settings.n_teachers > 0 or self._parameter("n_teachers") == "auto"
        return learn(best.table, best.settings, random, monitor, teachers=choice.teachers if wanted else None)

    def _parameter(self, name: str) -> Any:
        """Return a parameter, or its default if this estimator does not have it."""
        return getattr(self, name, DEFAULTS.get(name))

    def _validated(self, X: Any, y: Any, sample_weight: Any, reset: bool, method: str = "fit") -> Data:
        """Return features, targets and weights of the rows that have any weight."""
        X, y = self._checked_target(X, y, reset)
        weight = check_sample_weight(sample_weight, len(y), f"{self._owner}.{method}")
        if weight is not None and not weight.all():
            kept = weight > 0
            X, y, weight = X[kept], y[kept], weight[kept]
        return X, y, weight

    def _settings(self, shape: Shape, earlier: MapModel | None = None, **changes: Any) -> Settings:
        """Settle every "auto". Where learning goes on, the concepts are known, and there are no teachers."""
        parameters = self.get_params(deep=False) | changes
        if self.terms is not None:
            parameters["monotonic_cst"] = by_name(self.monotonic_cst, input_names(self))
        if earlier is not None:
            known = {"n_hidden": earlier.n_hidden, "n_teachers": 0}
            parameters |= {name: value for name, value in known.items() if self._parameter(name) == "auto"}
        parameters |= {"n_threads": effective_n_jobs(self.n_jobs), "owner": self._owner}
        return resolve(parameters, shape, self._rules)

    def _scaling(self, table: Table, earlier: Scaling | None = None) -> Scaling | None:
        """Learn the scaling from a table, and from what an earlier one has learned from."""
        if not self.scale:
            return None
        known = FeatureStatistics.of(table.X, table.weight)
        return self._scaling_by(known if earlier is None else earlier.known.merged(known))

    def _scaling_by(self, known: FeatureStatistics) -> Scaling | None:
        """Return the scaling that statistics make."""
        if not self.scale:
            return None
        return FeatureSpread(known) if self.scale == "logistic" else FeatureRange(known)

    def _continued(self, earlier: MapModel, named: bool, reading: Reading, settings: Settings) -> Theta:
        """Return the parameters of an earlier model, if the table is of the same kind; features are matched by name."""
        link = reading.table.targets.link
        concepts = Concepts.of(reading.table.features, settings.n_hidden, link.names)
        now = len(concepts), settings.n_hidden, link.output, link.names
        before = earlier.map.n_concepts, earlier.n_hidden, earlier.link.output, earlier.link.names
        if now != before:
            described, got = (
                f"{concepts} concepts ({hidden} of them hidden), outputs {shown(names)} ({output})"
                for concepts, hidden, output, names in (before, now)
            )
            raise DataError(
                f"`{self._owner}` can go on from an earlier fit (warm_start or partial_fit) only with its features, "
                f"targets and hidden concepts: {described}; got {got}. Fit a new one, or with warm_start=False."
            )
        in_order = not (named and hasattr(self, "feature_names_in_"))  # without names features are taken in order
        if isinstance(earlier.map, StructuredMap):
            fcm = earlier.map
            if not in_order:
                places = initialization.matched(fcm, concepts.names, self._owner, "init")
                fcm = fcm.narrowed(np.argsort(places[: concepts.n_inputs]))
            inputs = np.arange(concepts.n_inputs) if reading.inputs is None else reading.inputs
            W, b = initialization.from_structured(fcm.narrowed(inputs), settings.slope)
        else:
            plain = earlier.map
            plain = FuzzyCognitiveMap(plain.weights, plain.bias, plain.slope, None if in_order else plain.concepts)
            W, b = initialization.from_map(plain, concepts.names, settings.slope, self._owner)
        return np.concatenate([W.ravel(), b])


def _with_states(candidates: list[Candidate]) -> list[Candidate]:
    """Return candidates whose tables hold states; those that read features alike share them."""
    tables: dict[int, Table] = {}
    for candidate in candidates:
        key = id(candidate.encoding)
        if key not in tables:
            table = candidate.table
            states = replace(table, X=candidate.encoding.learned_from(table.X, candidate.settings.dtype))
            tables[key] = states if candidate.inputs is None else states.narrowed(candidate.inputs)
    return [replace(candidate, table=tables[id(candidate.encoding)]) for candidate in candidates]


def _influential(earlier: MapModel, features: tuple[str, ...], named: bool) -> NDArray[np.intp]:
    """Return the inputs that influence something in an earlier structured map; all if those of a table are others."""
    influential = cast(StructuredMap, earlier.map).influential
    names = earlier.map.concepts[: earlier.n_inputs]
    if len(features) != len(names) or (named and set(features) != set(names)) or not influential.any():
        return np.arange(len(features))
    if not named:
        return np.flatnonzero(influential)
    by_name = dict(zip(names, influential, strict=True))
    return np.flatnonzero([by_name[name] for name in features])
