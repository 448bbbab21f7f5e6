"""Making plans: which ways to read features and which settings there are to choose from, and which inputs to use."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from cogmap._learning import initialization
from cogmap._learning.concepts import Concepts
from cogmap._learning.monotone import by_name, constrained
from cogmap._learning.plan import Plan
from cogmap._learning.screening import relevant
from cogmap._learning.search import MOST_INPUTS
from cogmap._learning.settings import DataShape, Rules, is_high_dimensional, resolve, speaks_of_concepts
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

_PARTS = 4  # of the rows, one of which decides whether to train on all columns

Parameters = Mapping[str, Any]


def make_plans(
    sample: Table,
    scaling: Scaling | None,
    n_rows: int,
    parameters: Parameters,
    rules: Rules,
    random: np.random.RandomState,
    earlier: MapModel | None = None,
    named: bool = False,
    grid: Sequence[Parameters] = ({},),
) -> list[Plan]:
    """Return the plans to choose from, the preferred one first.

    Parameters
    ----------
    sample : Table
        Rows in memory, with features as they were given.
    scaling : Scaling or None
        How features become states.
    n_rows : int
        Number of all rows.
    parameters : mapping of str to value
        Parameters of the estimator, checked, with ``n_threads`` and ``owner``.
    rules : Rules
        What pays for this kind of targets.
    random : RandomState
        Decides which rows are held out, where columns are chosen.
    earlier : MapModel, default=None
        The model that training resumes from.
    named : bool, default=False
        Whether features of the earlier model are matched by name.
    grid : sequence of mapping, default=({},)
        Parameters to try instead, the preferred ones first; other ways to read features are tried with the first.
    """
    preferred, *others = _encodings(sample, scaling, parameters, earlier)

    def plan(encoding: Encoding, changes: Parameters, inputs: NDArray[np.intp] | None = None) -> Plan:
        return make_plan(sample, encoding, n_rows, {**parameters, **changes}, rules, earlier, inputs)

    if not is_structured(parameters, sample, earlier):
        return [plan(preferred, changes) for changes in grid] + [plan(other, grid[0]) for other in others]
    if earlier is None:
        everything = plan(preferred, grid[0], np.arange(preferred.n_inputs))
        inputs = _worth_learning(sample, everything, lambda columns: plan(preferred, grid[0], columns), random)
    else:
        inputs = _influential(earlier, preferred.input_names(sample.features), named)
    return [plan(preferred, changes, inputs) for changes in grid]


def make_plan(
    sample: Table,
    encoding: Encoding,
    n_rows: int,
    parameters: Parameters,
    rules: Rules,
    earlier: MapModel | None = None,
    inputs: NDArray[np.intp] | None = None,
) -> Plan:
    """Return the plan for one way to read features; where training resumes, concepts are known, without teachers."""
    X, given = sample.X, dict(parameters)
    n_inputs = encoding.n_inputs if inputs is None else len(inputs)
    filled = X.nnz / (X.shape[0] * X.shape[1]) if issparse(X) else 1.0
    shape = DataShape(n_rows, n_inputs, sample.targets.link.n_outputs, sample.n_values, X.dtype, filled)
    if given["terms"] is not None:
        given["monotonic_cst"] = by_name(given["monotonic_cst"], sample.features)
    if earlier is not None:
        known = {"n_hidden": earlier.n_hidden, "n_teachers": 0}
        given |= {name: value for name, value in known.items() if given[name] == "auto"}
    settings = resolve({**given, "structured": inputs is not None}, shape, rules)
    return Plan(encoding, settings, tuple(encoding.input_names(sample.features)), shape, inputs)


def plan_one_pass(
    table: Table, scaling: Scaling | None, parameters: Parameters, rules: Rules, earlier: MapModel | None
) -> Plan:
    """Return the plan for one pass over a part of the rows: no one knows how many parts there will be."""
    if earlier is None:
        encoding = _encodings(table, scaling, parameters, None)[0]
    else:
        encoding = Encoding(table.X.shape[1], scaling=scaling, terms=earlier.encoding.terms)
    inputs = np.arange(encoding.n_inputs) if is_structured(parameters, table, earlier) else None
    plan = make_plan(table, encoding, table.n_rows, parameters, rules, earlier, inputs)
    settings = plan.settings
    rate = settings.learning_rate
    if parameters["learning_rate"] == "auto":
        n_concepts = encoding.n_inputs + settings.n_hidden + plan.shape.n_outputs
        rate = RULES[settings.solver].usual_rate(n_concepts, settings.batch_size, planned=False)
    return plan.changed(learning_rate=rate, step_units=False)  # bends are found with all rows at hand


def is_structured(parameters: Parameters, sample: Table, earlier: MapModel | None) -> bool:
    """Whether the map is to be structured: one of many columns, or like an earlier one."""
    if earlier is not None:
        return isinstance(earlier.map, StructuredMap)
    return is_high_dimensional(parameters, sample.X.shape[1])


def _encodings(
    sample: Table, scaling: Scaling | None, parameters: Parameters, earlier: MapModel | None
) -> list[Encoding]:
    """Return the ways to read features that there are to choose from, the preferred one first."""
    n_columns = sample.X.shape[1]
    asked = [parameters["terms"]]
    if isinstance(asked[0], str):  # "auto"
        asked = [None, *CHOICES] if earlier is None else [earlier.encoding.most_words]
        # Features of which an expert speaks must not become words, and of many there would be too many words.
        if speaks_of_concepts(parameters) or n_columns > MOST_INPUTS:
            asked = asked[:1]
    encodings: list[Encoding] = []
    for terms in asked:
        found = None
        if terms is not None:
            without = constrained(parameters["monotonic_cst"], sample.features)
            found = find_terms(terms, sample.X, sample.weight, sample.features, without, parameters["owner"])
        encoding = Encoding(n_columns, scaling=scaling, terms=found)
        # Words that nothing is read as, or so many that a choice takes too long, are none to choose.
        if not encodings or (encoding.most_words and encoding.n_inputs <= MOST_INPUTS):
            encodings.append(encoding)
    return encodings


def _worth_learning(
    sample: Table, of_all: Plan, plan_for: Callable[[NDArray[np.intp]], Plan], random: np.random.RandomState
) -> NDArray[np.intp]:
    """Return the inputs to train on.

    Many columns may each say so little that no test finds them, and together much. So a map of all of them, without
    hidden concepts, is compared with one of those found, by the loss on held-out rows; to be fair, columns are found
    without these rows then.
    """
    of_all = of_all.changed(n_hidden=0)
    check_size(of_all, most_rows=sample.n_rows)
    table = of_all.encoded(sample)
    everything, found = np.arange(table.X.shape[1]), relevant(table)
    if len(found) == 0:
        return everything
    split = next(make_splits(table, _PARTS, random), None) if 2 * len(found) < len(everything) else None
    if split is None:
        return found
    few = relevant(split[0])
    if len(few) == 0:
        return everything

    def loss(plan: Plan) -> float:
        learning, held_out = (part.narrowed(cast(Any, plan.inputs)) for part in split)
        spec = ModelSpec.for_table(learning, plan)
        return train_teacher(spec, (learning, held_out), spec.start(learning, random)).loss

    with one_blas_thread():
        better = loss(plan_for(few)) < loss(of_all)
    return found if better else everything


def _influential(earlier: MapModel, features: Sequence[str], named: bool) -> NDArray[np.intp]:
    """Return the inputs that influence something in an earlier structured map; all if those of a table are others."""
    influential = cast(StructuredMap, earlier.map).influential
    names = earlier.map.concepts[: earlier.n_inputs]
    if len(features) != len(names) or (named and set(features) != set(names)) or not influential.any():
        return np.arange(len(features))
    if not named:
        return np.flatnonzero(influential)
    of_name = dict(zip(names, influential, strict=True))
    return np.flatnonzero([of_name[name] for name in features])


def earlier_parameters(earlier: MapModel, plan: Plan, link: Link, named: bool) -> Theta:
    """Return the parameters of an earlier model, if the plan is of the same concepts; features may be matched by name.

    Parameters
    ----------
    earlier : MapModel
        The model that training resumes from.
    plan : Plan
        How to train.
    link : Link
        What the outputs mean.
    named : bool
        Whether features are matched by name; otherwise in order.
    """
    settings = plan.settings
    concepts = Concepts.of(plan.features, settings.n_hidden, link.names)
    now = len(concepts), settings.n_hidden, link.output, link.names
    before = earlier.map.n_concepts, earlier.n_hidden, earlier.link.output, earlier.link.names
    if now != before:
        described, got = (
            f"{concepts} concepts ({hidden} of them hidden), outputs {shown(names)} ({output})"
            for concepts, hidden, output, names in (before, now)
        )
        raise DataError(
            f"`{settings.owner}` can go on from an earlier fit (warm_start or partial_fit) only with its features, "
            f"targets and hidden concepts: {described}; got {got}. Fit a new one, or with warm_start=False."
        )
    if isinstance(earlier.map, StructuredMap):
        fcm = earlier.map
        if named:
            places = initialization.matched(fcm, concepts.names, settings.owner, "init")
            fcm = fcm.narrowed(np.argsort(places[: concepts.n_inputs]))
        inputs = np.arange(concepts.n_inputs) if plan.inputs is None else plan.inputs
        W, b = initialization.from_structured(fcm.narrowed(inputs), settings.slope)
    else:
        plain = earlier.map
        plain = FuzzyCognitiveMap(plain.weights, plain.bias, plain.slope, plain.concepts if named else None)
        W, b = initialization.from_map(plain, concepts.names, settings.slope, settings.owner)
    return np.concatenate([W.ravel(), b])
