"""Settings: every parameter of learning with its "auto" settled, once, from the shape of the data."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from cogmap._learning.solvers import RULES, SOLVERS
from cogmap.maps.map import FuzzyCognitiveMap

# With more values than this a table counts as large: learning computes in float32 whatever the data are, which is
# twice as fast and accurate enough, and equal rows are not looked for.
LARGE = 2**20

# A map of more concepts than this is wide: it is learned in float32, without teachers and in few iterations, which for
# so many weights are already long.
_WIDE = 200
_OF_ARROWS = 150  # iterations, where features influence outputs only
_MOST_WEIGHTS_OF_HIDDEN = 2**18
_MANY_WEIGHTS = 20_000  # the same of a structured map, whose weights are fewer and less work

_MANY = 100  # features and outputs; maps of more than these and hidden concepts take long to learn, unless structured


@dataclass(frozen=True)
class Rules:
    """What pays, as far as it differs between kinds of targets.

    Hidden concepts make a map at least so large: one of two features and an output cannot bend its boundary enough to
    tell a disc from what surrounds it. Many rows tell more than few concepts can learn: one for so many rows pays.
    """

    fewest_concepts: int = 7
    # Where features remember themselves, and leave it to others to compute: one hidden concept for two features. A wide
    # map has features enough that compute beside remembering.
    fewest_hidden: int = 16
    most_hidden: int = 32
    most_for_rows: int = 30
    rows_per_concept: int = 160
    fewest_iterations: int = 100
    fewest_of_wide: int = 20  # iterations of a wide map
    teachers_up_to: int = _MANY  # features and outputs of a map that is taught
    concepts_of_teachers: int = 300  # teachers are as many as have so many concepts together
    rows_per_teacher: int = 50
    output_start: float = 1.0  # share of a "balanced" start that the weights of outputs get
    # From so many rows on, mini-batches learn more in the same time, and so much that many hidden concepts pay.
    many_rows: int = 3000
    hidden_for_many: int = 100  # at the most
    hidden_per_other: int = 4  # for each feature and output
    rows_per_hidden: int = 100
    teachers_for_many: int = 2


CLASSES = Rules()
# An output whose net input is read needs smaller weights than one whose state is.
VALUES = Rules(
    fewest_concepts=15,
    fewest_iterations=150,
    fewest_of_wide=40,
    teachers_up_to=1000,
    concepts_of_teachers=1000,
    rows_per_teacher=1,
    output_start=0.5,
    many_rows=20_000,
)


@dataclass(frozen=True)
class DataShape:
    """What settings depend on: sizes of the data, never their values.

    Attributes
    ----------
    n_rows : int
        Number of rows that differ: weights or repetition of rows do not make a table larger.
    n_features, n_outputs : int
        Number of features and of output concepts.
    n_values : int
        Number of values in the table as it was given.
    dtype : dtype
        Of the table.
    filled : float
        Share of the values that are stored, less than 1 in a sparse table.
    """

    n_rows: int
    n_features: int
    n_outputs: int
    n_values: int = 0
    dtype: Any = np.float64
    filled: float = 1.0


@dataclass(frozen=True)
class Settings:
    """What learning needs to know besides the data; nothing in it is "auto"."""

    depth: int
    slope: float
    n_hidden: int
    alpha: float
    l1_ratio: float
    solver: str
    max_iter: int
    tol: float
    learning_rate: float
    batch_size: int
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    n_teachers: int
    teacher_iter: int  # largest number of iterations of a teacher
    prior: str | FuzzyCognitiveMap | None
    init: str | FuzzyCognitiveMap
    start_width: float  # of a "balanced" start
    output_start: float  # by what its weights of outputs are multiplied
    edges: Any
    weight_bounds: Any
    monotonic_cst: Any
    learn: str  # "weights" or "slopes"
    step_units: bool  # whether some hidden concepts start as steps of single features
    max_iter_is_auto: bool  # whether max_iter is what usually pays, not what was asked for
    dtype: Any  # in what is computed
    structured: bool = False  # whether features remember themselves and influence hidden concepts and outputs only
    n_threads: int = 1
    owner: str = "FCMClassifier"  # the class that messages name


# What parameters say about single influences, or about all of them, if they say nothing.
_NOTHING_SAID = {
    "edges": None,
    "weight_bounds": None,
    "monotonic_cst": None,
    "prior": "memory",
    "init": "balanced",
    "learn": "weights",
}


def resolve(parameters: Mapping[str, Any], shape: DataShape, rules: Rules = CLASSES) -> Settings:
    """Settle every "auto".

    Parameters
    ----------
    parameters : mapping of str to value
        Parameters of an estimator, checked; perhaps also ``structured``, ``n_threads`` and ``owner``.
    shape : DataShape
        Sizes of the data.
    rules : Rules, default=CLASSES
        How many hidden concepts pay.
    """
    given = {field.name: parameters[field.name] for field in fields(Settings) if field.name in parameters}
    structured = given.get("structured", False)
    given["slope"] = _slope(given)
    # Wide maps take long as it is.
    many = shape.n_rows >= rules.many_rows and shape.n_features + shape.n_outputs <= _MANY
    if given["solver"] == "auto":
        given["solver"] = "adam" if many else "lbfgs"
    many = many and given["solver"] == "adam"
    n_hidden = _n_hidden(given, shape, many, rules) if given["n_hidden"] == "auto" else given["n_hidden"]
    small = shape.n_features + shape.n_outputs < _fewest_concepts(shape, rules)
    n_concepts = shape.n_features + n_hidden + shape.n_outputs
    wide = n_concepts > _WIDE
    if structured:
        wide = (n_concepts - shape.n_features) * n_concepts > _MANY_WEIGHTS
    # Features that influence outputs only have one best map, and arrows that are their effects: nobody need teach it.
    arrows_only = structured and n_hidden == 0
    settled = {
        "n_hidden": n_hidden,
        # A step more, so that hidden concepts influence each other.
        "depth": 3 if n_hidden and (small or many or given["prior"] is None) else 2,
        "max_iter": _OF_ARROWS if arrows_only else _enough(given, shape, wide, rules),
        "n_teachers": 0 if arrows_only else _n_teachers(given, shape, n_hidden, many, rules),
        "batch_size": _batch_size(shape) if many else 200,
    }
    batch_size = settled["batch_size"] if given["batch_size"] == "auto" else given["batch_size"]
    rule = RULES.get(given["solver"])
    settled["learning_rate"] = rule.usual_rate(n_concepts, batch_size) if rule else 0.0
    return Settings(
        **given | {name: value for name, value in settled.items() if given[name] == "auto"},
        teacher_iter=_teacher_iter(given, shape, wide, rules),
        # Pixels and their like move together, and many together would drive concepts to where they are flat. A few
        # features alone hardly move a concept, and hidden ones would learn only what a straight line tells.
        output_start=rules.output_start,
        step_units=many and given["prior"] == "memory" and given["init"] == "balanced",
        start_width=2.0 if wide else 8.0 if n_hidden else 4.0,
        max_iter_is_auto=given["max_iter"] == "auto",
        dtype=np.dtype(np.float32 if wide or many or shape.n_values > LARGE else shape.dtype),
    )


def _slope(given: Mapping[str, Any]) -> float:
    """Return the slope: that of the map whose weights stay as they are, if it has one, so that they are the same."""
    slopes = [given[name].slope for name in ("init", "prior") if isinstance(given[name], FuzzyCognitiveMap)]
    same = given["learn"] == "slopes" and slopes and np.ndim(slopes[0]) == 0
    return float(slopes[0] if same else given["slope"])


def _n_hidden(given: Mapping[str, Any], shape: DataShape, many: bool, rules: Rules) -> int:
    """Return how many hidden concepts pay: some beside few others, none where an expert speaks of all concepts."""
    others = shape.n_features + shape.n_outputs
    if isinstance(given["init"], FuzzyCognitiveMap):
        return max(given["init"].n_concepts - others, 0)
    if given["depth"] == 1 or given["init"] != "balanced":
        return 0
    if given["edges"] is not None or given["learn"] == "slopes" or _is_of_each_weight(given["weight_bounds"]):
        return 0
    beside = _fewest_concepts(shape, rules) - others
    if many:
        for_others = rules.fewest_hidden + rules.hidden_per_other * others
        beside = min(for_others, shape.n_rows // rules.rows_per_hidden, rules.hidden_for_many)
    if given["prior"] is None:
        return max(beside, 0)
    named = given["prior"].n_concepts - others if isinstance(given["prior"], FuzzyCognitiveMap) else 0
    # In a structured map nothing else computes, however few features are left of many; if too many are left, no map can
    # learn what they have to do with each other.
    for_features = rules.most_hidden if given.get("structured") else shape.n_features // 2
    computing = max(min(for_features, shape.n_rows // 20, rules.most_hidden), rules.fewest_hidden)
    if given.get("structured") and computing * shape.n_features > _MOST_WEIGHTS_OF_HIDDEN:
        computing = 0
    return max(beside, named, computing if others <= _MANY or given.get("structured") else 0)


def is_high_dimensional(parameters: Mapping[str, Any], n_columns: int) -> bool:
    """Whether a map is to be structured: the table has many columns, and nothing is said about single influences.

    Another prior or start is about all influences, too.
    """
    # Arrays and maps are compared by `is`: they have no one answer to ==, or take long.
    return n_columns > _MANY and all(
        parameters[name] is usual or (isinstance(parameters[name], str) and parameters[name] == usual)
        for name, usual in _NOTHING_SAID.items()
    )


def speaks_of_concepts(parameters: Mapping[str, Any]) -> bool:
    """Whether an expert has said something about single concepts, which then must be there."""
    maps = (parameters.get(name) for name in ("prior", "init"))
    bounds = parameters.get("weight_bounds")
    by_name = parameters.get("edges") is not None or isinstance(bounds, Mapping) or _is_of_each_weight(bounds)
    return by_name or any(isinstance(given, FuzzyCognitiveMap) for given in maps)


def _is_of_each_weight(weight_bounds: Any) -> bool:
    """Whether bounds are arrays, whose size says how many concepts there are."""
    return isinstance(weight_bounds, list | tuple) and any(np.ndim(bound) for bound in weight_bounds)


def _fewest_concepts(shape: DataShape, rules: Rules) -> int:
    """Return how many concepts a map has at least."""
    return min(max(shape.n_rows // rules.rows_per_concept, rules.fewest_concepts), rules.most_for_rows)


def _n_teachers(given: Mapping[str, Any], shape: DataShape, n_hidden: int, many: bool, rules: Rules) -> int:
    """Return how many teachers pay: none for maps that are wide, for few rows, or if it was said how long to learn."""
    if given["solver"] == "rmsprop" or given["max_iter"] != "auto" or given["early_stopping"]:
        return 0
    others = shape.n_features + shape.n_outputs
    if shape.n_rows < 20 or (others > rules.teachers_up_to and not given.get("structured")):
        return 0
    if many:
        return rules.teachers_for_many
    affordable = max(rules.concepts_of_teachers // (others + n_hidden), 2)
    return min(5, affordable, max(shape.n_rows // rules.rows_per_teacher, 2))


def _enough(given: Mapping[str, Any], shape: DataShape, wide: bool, rules: Rules) -> int:
    """Return how many iterations a map makes: arrows that are tied to effects come forward in smaller steps."""
    if not SOLVERS[given["solver"]].all_rows:
        return 500 if given["solver"] == "rmsprop" else _passes(shape, rules)
    pays = _pays(shape, wide, rules)
    return pays if wide or given["prior"] is None else pays * 3 // 2


def _teacher_iter(given: Mapping[str, Any], shape: DataShape, wide: bool, rules: Rules) -> int:
    """Return how many iterations a teacher makes at the most."""
    if not SOLVERS[given["solver"]].all_rows:
        return -(-_passes(shape, rules) // 2)
    return _pays(shape, wide, rules) if wide else 200


def _passes(shape: DataShape, rules: Rules) -> int:
    """Return how many passes over the rows, in mini-batches, usually pay: fewer of more rows, so that time grows less.

    The number of steps grows with the root of the number of rows.
    """
    most = 80 if shape.n_rows >= rules.many_rows else 500
    return min(max(round(7600 / math.sqrt(max(shape.n_rows, 1))), 5), most)


def _batch_size(shape: DataShape) -> int:
    """Return how many rows a mini-batch has where there are many: more of more rows, so that threads can share it."""
    return min(max(shape.n_rows // 50, 500), 2000)


def _pays(shape: DataShape, wide: bool, rules: Rules) -> int:
    """Return how many iterations usually pay: one for 15 rows, up to 200, but for a wide map one for 200, up to 50."""
    if wide:
        return min(max(shape.n_rows // 200, rules.fewest_of_wide), 50)
    return min(max(shape.n_rows // 15, rules.fewest_iterations), 200)
