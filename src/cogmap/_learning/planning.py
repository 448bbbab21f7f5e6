"""Make plans: candidate encodings and settings, and the inputs to use."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from cogmap._learning import initialization
from cogmap._learning.concepts import Concepts
from cogmap._learning.monotone import constrained_features, without_free_features
from cogmap._learning.plan import Plan
from cogmap._learning.priors import memory_weight
from cogmap._learning.screening import relevant
from cogmap._learning.search import MAX_SEARCH_INPUTS
from cogmap._learning.settings import DataShape, Defaults, is_high_dimensional, refers_to_concepts, resolve
from cogmap._learning.size import check_size
from cogmap._learning.solvers import RULES, Theta
from cogmap._learning.spec import ModelSpec
from cogmap._learning.splits import make_splits
from cogmap._learning.table import Table
from cogmap._learning.teachers import train_teacher
from cogmap._utils.params import shown
from cogmap._utils.threads import one_blas_thread
from cogmap.exceptions import DataError
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.maps.structured import StructuredMap
from cogmap.models.encoding import Encoding, Scaling
from cogmap.models.links import Link
from cogmap.models.model import MapModel
from cogmap.models.terms import CHOICES, find_terms

_N_FOLDS = 4  # one fold is held out to decide whether to train on all columns

Parameters = Mapping[str, Any]


def make_plans(
    sample: Table,
    scaling: Scaling | None,
    n_rows: int,
    parameters: Parameters,
    defaults: Defaults,
    random: np.random.RandomState,
    earlier: MapModel | None = None,
    named: bool = False,
    grid: Sequence[Parameters] = ({},),
) -> list[Plan]:
    """Return the candidate plans, the preferred one first.

    Parameters
    ----------
    sample : Table
        Rows in memory, with unscaled features.
    scaling : Scaling or None
        Scaling of the features.
    n_rows : int
        Total number of rows.
    parameters : mapping of str to value
        Validated parameters of the estimator, with ``n_threads`` and ``owner``.
    defaults : Defaults
        Constants behind the "auto" values.
    random : RandomState
        Determines the rows held out to select columns.
    earlier : MapModel, default=None
        The model that training resumes from.
    named : bool, default=False
        Whether features of the earlier model are matched by name.
    grid : sequence of mapping, default=({},)
        Candidate parameters, the preferred ones first; other encodings are combined with the first only.
    """
    preferred, *others = make_encodings(sample, scaling, parameters, earlier)

    def plan(encoding: Encoding, changes: Parameters, inputs: NDArray[np.intp] | None = None) -> Plan:
        return make_plan(sample, encoding, n_rows, {**parameters, **changes}, defaults, earlier, inputs)

    if not is_structured(parameters, sample, earlier):
        return [plan(preferred, changes) for changes in grid] + [plan(other, grid[0]) for other in others]
    if earlier is None:
        all_inputs = plan(preferred, grid[0], np.arange(preferred.n_inputs))
        inputs = _select_inputs(sample, all_inputs, lambda columns: plan(preferred, grid[0], columns), random)
    else:
        inputs = _influential(earlier, preferred.input_names(sample.features), named)
    return [plan(preferred, changes, inputs) for changes in grid]


def make_plan(
    sample: Table,
    encoding: Encoding,
    n_rows: int,
    parameters: Parameters,
    defaults: Defaults,
    earlier: MapModel | None = None,
    inputs: NDArray[np.intp] | None = None,
) -> Plan:
    """Return the plan for one encoding; resumed training keeps the number of hidden concepts and needs no teachers."""
    X, params = sample.X, dict(parameters)
    n_inputs = encoding.n_inputs if inputs is None else len(inputs)
    filled = X.nnz / (X.shape[0] * X.shape[1]) if issparse(X) else 1.0
    shape = DataShape(n_rows, n_inputs, sample.targets.link.n_outputs, sample.n_values, X.dtype, filled)
    if params["terms"] is not None:
        params["monotonic_cst"] = without_free_features(params["monotonic_cst"], sample.features)
    if earlier is not None:
        resumed = {"n_hidden": earlier.n_hidden, "n_teachers": 0}
        params |= {name: value for name, value in resumed.items() if params[name] == "auto"}
    settings = resolve({**params, "structured": inputs is not None}, shape, defaults)
    return Plan(encoding, settings, tuple(encoding.input_names(sample.features)), shape, inputs)


def plan_one_pass(
    table: Table, scaling: Scaling | None, parameters: Parameters, defaults: Defaults, earlier: MapModel | None
) -> Plan:
    """Return the plan for one pass over a batch of rows, where the number of batches is unknown."""
    if earlier is None:
        encoding = make_encodings(table, scaling, parameters, None)[0]
    else:
        encoding = Encoding(table.X.shape[1], scaling=scaling, terms=earlier.encoding.terms)
    inputs = np.arange(encoding.n_inputs) if is_structured(parameters, table, earlier) else None
    plan = make_plan(table, encoding, table.n_rows, parameters, defaults, earlier, inputs)
    settings = plan.settings
    rate = settings.learning_rate
    if parameters["learning_rate"] == "auto":
        n_concepts = encoding.n_inputs + settings.n_hidden + plan.shape.n_outputs
        rate = RULES[settings.solver].usual_rate(n_concepts, settings.batch_size, planned=False)
    return plan.with_settings(learning_rate=rate, step_units=False)  # finding step units needs all rows


def is_structured(parameters: Parameters, sample: Table, earlier: MapModel | None) -> bool:
    """Return whether the map is structured: like the earlier one, or if there are many columns."""
    if earlier is not None:
        return isinstance(earlier.map, StructuredMap)
    return is_high_dimensional(parameters, sample.X.shape[1])


def make_encodings(
    sample: Table, scaling: Scaling | None, parameters: Parameters, earlier: MapModel | None
) -> list[Encoding]:
    """Return the candidate encodings, the preferred one first."""
    n_columns = sample.X.shape[1]
    candidates = [parameters["terms"]]
    if isinstance(candidates[0], str):  # "auto"
        candidates = [None, *CHOICES] if earlier is None else [earlier.encoding.most_words]
        # Concepts that parameters refer to must exist, and many features would have too many terms.
        if refers_to_concepts(parameters) or n_columns > MAX_SEARCH_INPUTS:
            candidates = candidates[:1]
    encodings: list[Encoding] = []
    for candidate in candidates:
        terms = None
        if candidate is not None:
            without = constrained_features(parameters["monotonic_cst"], sample.features)
            terms = find_terms(candidate, sample.X, sample.weight, sample.features, without, parameters["owner"])
        encoding = Encoding(n_columns, scaling=scaling, terms=terms)
        # Skip candidates without any term, or with too many inputs to search.
        if not encodings or (encoding.most_words and encoding.n_inputs <= MAX_SEARCH_INPUTS):
            encodings.append(encoding)
    return encodings


def _select_inputs(
    sample: Table, of_all: Plan, plan_for: Callable[[NDArray[np.intp]], Plan], random: np.random.RandomState
) -> NDArray[np.intp]:
    """Return the inputs to train on.

    Columns with effects too weak for a test may still matter together. A map of all columns, without hidden concepts,
    is therefore compared with one of the selected columns by held-out loss; for a fair comparison, the columns are
    selected without the held-out rows.
    """
    of_all = of_all.with_settings(n_hidden=0)
    check_size(of_all, most_rows=sample.n_rows)
    table = of_all.encoded(sample)
    all_inputs, selected = np.arange(table.X.shape[1]), relevant(table)
    if len(selected) == 0:
        return all_inputs
    split = next(make_splits(table, _N_FOLDS, random), None) if 2 * len(selected) < len(all_inputs) else None
    if split is None:
        return selected
    without_held_out = relevant(split[0])
    if len(without_held_out) == 0:
        return all_inputs

    def loss(plan: Plan) -> float:
        train_rows, held_out = (part.narrowed(cast(Any, plan.inputs)) for part in split)
        spec = ModelSpec.for_table(train_rows, plan)
        return train_teacher(spec, (train_rows, held_out), spec.start(train_rows, random)).loss

    with one_blas_thread():
        better = loss(plan_for(without_held_out)) < loss(of_all)
    return selected if better else all_inputs


def _influential(earlier: MapModel, features: Sequence[str], named: bool) -> NDArray[np.intp]:
    """Return the inputs with outgoing edges in an earlier structured map; all inputs if the features differ."""
    influential = cast(StructuredMap, earlier.map).influential
    names = earlier.map.concepts[: earlier.n_inputs]
    if len(features) != len(names) or (named and set(features) != set(names)) or not influential.any():
        return np.arange(len(features))
    if not named:
        return np.flatnonzero(influential)
    of_name = dict(zip(names, influential, strict=True))
    return np.flatnonzero([of_name[name] for name in features])


def earlier_parameters(earlier: MapModel, plan: Plan, link: Link, named: bool) -> Theta:
    """Return the parameters of an earlier model; raise if the plan has other concepts.

    A small map is resumed as a full one.

    Parameters
    ----------
    earlier : MapModel
        The model that training resumes from.
    plan : Plan
        Plan of the training.
    link : Link
        Link of the outputs.
    named : bool
        Whether features are matched by name; otherwise by position.
    """
    settings = plan.settings
    resumed = _as_full(earlier) if earlier.map.held else earlier.map
    concepts = Concepts.of(plan.features, settings.n_hidden, link.names)
    now = len(concepts), settings.n_hidden, link.output, link.names
    before = resumed.n_concepts, earlier.n_hidden, earlier.link.output, earlier.link.names
    if now != before:
        described, got = (
            f"{concepts} concepts ({hidden} of them hidden), outputs {shown(names)} ({output})"
            for concepts, hidden, output, names in (before, now)
        )
        raise DataError(
            f"`{settings.owner}` can resume an earlier fit (warm_start or partial_fit) only with the same features, "
            f"targets and hidden concepts: {described}; got {got}. Fit a new estimator, or set warm_start=False."
        )
    if isinstance(resumed, StructuredMap):
        fcm = resumed
        if named:
            places = initialization.matched(fcm, concepts.names, settings.owner, "init")
            fcm = fcm.narrowed(np.argsort(places[: concepts.n_inputs]))
        inputs = np.arange(concepts.n_inputs) if plan.inputs is None else plan.inputs
        W, b = initialization.from_structured(fcm.narrowed(inputs), settings.slope)
    else:
        names = resumed.concepts if named else None
        plain = FuzzyCognitiveMap(resumed.weights, resumed.bias, resumed.slope, names)
        W, b = initialization.from_map(plain, concepts.names, settings.slope, settings.owner)
    return np.concatenate([W.ravel(), b])


def _as_full(small: MapModel) -> FuzzyCognitiveMap:
    """Return a full map that predicts nearly as a small one: all inputs are concepts, and memory replaces holding."""
    encoding = small.encoding
    columns = encoding.column_names(small.map.concepts[: small.n_inputs])
    concepts = Concepts.of(replace(encoding, used=None).input_names(columns), small.n_hidden, small.link.names)
    used = np.arange(small.n_inputs) if encoding.used is None else encoding.used
    places = np.concatenate([used, np.arange(concepts.n_inputs, len(concepts))])
    memory = memory_weight(float(np.max(small.map.slope)))
    W, b = np.zeros((len(concepts), len(concepts))), np.zeros(len(concepts))
    W[np.ix_(places, places)], b[places] = small.map.weights, small.map.bias
    inputs = np.arange(concepts.n_inputs)
    W[inputs, inputs], b[inputs] = memory, 0.5 - 0.5 * memory
    return FuzzyCognitiveMap(W, b, small.map.slope, concepts.names)
