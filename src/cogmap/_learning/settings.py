"""Settings of training, with every "auto" resolved from the shape of the data."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from cogmap._learning.solvers import RULES, SOLVERS
from cogmap.maps.map import FuzzyCognitiveMap

# Tables with more values than this are trained in float32, which is twice as fast and accurate enough, whether
# or not they are float64, and their equal rows are not merged.
LARGE = 2**20

# Maps with more concepts than this, or structured maps with more weights, are large: they are trained in float32 and
# for few iterations, because each iteration is slow.
_LARGE_MAP_CONCEPTS = 200
_LARGE_MAP_WEIGHTS = 20_000

_EDGES_ONLY_ITER = 150  # iterations of a structured map without hidden concepts
_MAX_HIDDEN_WEIGHTS = 2**18  # weights into hidden concepts of a structured map

_MAX_DENSE = 100  # features and outputs; larger maps are slow to train with hidden concepts, unless structured


@dataclass(frozen=True)
class Defaults:
    """Constants behind the "auto" values that differ between classification and regression.

    Maps have a minimum number of concepts: one of two features and an output cannot separate a disc from its
    surroundings. With many rows, more concepts can be trained: one per `rows_per_concept` rows.
    """

    min_concepts: int = 7
    # With memory, features keep their values and hidden concepts do the computing: one for two features. A large map
    # has enough features that compute besides keeping their values.
    min_hidden: int = 16
    max_hidden: int = 32
    max_concepts_by_rows: int = 30
    rows_per_concept: int = 160
    min_iter: int = 100
    min_iter_large: int = 20  # for large maps
    max_taught: int = _MAX_DENSE  # largest number of features and outputs for which the map is distilled from teachers
    max_teacher_concepts: int = 300  # sum over all teachers
    rows_per_teacher: int = 50
    output_start: float = 1.0  # factor on the initial weights of outputs, with init="balanced"
    # From this number of rows on, mini-batches converge faster than L-BFGS, and more hidden concepts improve the map.
    many_rows: int = 3000
    max_hidden_many_rows: int = 100
    hidden_per_other: int = 4  # hidden concepts per feature and output
    rows_per_hidden: int = 100
    teachers_many_rows: int = 2


CLASSIFICATION = Defaults()
# A net input that is read directly needs smaller weights than a state.
REGRESSION = Defaults(
    min_concepts=15,
    min_iter=150,
    min_iter_large=40,
    max_taught=1000,
    max_teacher_concepts=1000,
    rows_per_teacher=1,
    output_start=0.5,
    many_rows=20_000,
)


@dataclass(frozen=True)
class DataShape:
    """Sizes of the data, from which "auto" is resolved; it never depends on values.

    Attributes
    ----------
    n_rows : int
        Number of distinct rows: repeated or weighted rows do not make a table larger.
    n_features, n_outputs : int
        Number of features and of output concepts.
    n_values : int
        Number of values in the original table.
    dtype : dtype
        Dtype of the table.
    filled : float
        Fraction of the values that are stored; less than 1 for a sparse table.
    """

    n_rows: int
    n_features: int
    n_outputs: int
    n_values: int = 0
    dtype: Any = np.float64
    filled: float = 1.0


@dataclass(frozen=True)
class Settings:
    """Settings of training, without any "auto"."""

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
    teacher_iter: int  # maximum number of iterations of a teacher
    prior: str | FuzzyCognitiveMap | None
    init: str | FuzzyCognitiveMap
    start_width: float  # of the initial weights, with init="balanced" and no prior
    output_start: float  # factor on the initial weights of outputs
    edges: Any
    weight_bounds: Any
    monotonic_cst: Any
    learn: str  # "weights" or "slopes"
    step_units: bool  # whether some hidden concepts start as steps of single features
    max_iter_is_auto: bool  # whether max_iter was "auto"
    dtype: Any  # computation dtype
    structured: bool = False  # whether features influence only themselves, hidden concepts and outputs
    n_threads: int = 1
    owner: str = "FCMClassifier"  # class name in messages


# Values of the parameters that constrain single edges, or all of them, if they constrain nothing.
_UNCONSTRAINED = {
    "edges": None,
    "weight_bounds": None,
    "monotonic_cst": None,
    "prior": "memory",
    "init": "balanced",
    "learn": "weights",
}


def resolve(parameters: Mapping[str, Any], shape: DataShape, defaults: Defaults = CLASSIFICATION) -> Settings:
    """Return the settings with every "auto" resolved.

    Parameters
    ----------
    parameters : mapping of str to value
        Validated parameters of an estimator; optionally also ``structured``, ``n_threads`` and ``owner``.
    shape : DataShape
        Sizes of the data.
    defaults : Defaults, default=CLASSIFICATION
        Constants behind the "auto" values.
    """
    params = {field.name: parameters[field.name] for field in fields(Settings) if field.name in parameters}
    structured = params.get("structured", False)
    params["slope"] = _slope(params)
    # Large maps are slow as it is.
    many = shape.n_rows >= defaults.many_rows and shape.n_features + shape.n_outputs <= _MAX_DENSE
    if params["solver"] == "auto":
        params["solver"] = "adam" if many else "lbfgs"
    many = many and params["solver"] == "adam"
    n_hidden = _n_hidden(params, shape, many, defaults) if params["n_hidden"] == "auto" else params["n_hidden"]
    small = shape.n_features + shape.n_outputs < _min_concepts(shape, defaults)
    n_concepts = shape.n_features + n_hidden + shape.n_outputs
    large = n_concepts > _LARGE_MAP_CONCEPTS
    if structured:
        large = (n_concepts - shape.n_features) * n_concepts > _LARGE_MAP_WEIGHTS
    # Without hidden concepts there is one optimum, whose weights are the effects: no distillation needed.
    edges_only = structured and n_hidden == 0
    auto = {
        "n_hidden": n_hidden,
        # Another step, so that hidden concepts influence each other.
        "depth": 3 if n_hidden and (small or many or params["prior"] is None) else 2,
        "max_iter": _EDGES_ONLY_ITER if edges_only else _max_iter(params, shape, large, defaults),
        "n_teachers": 0 if edges_only else _n_teachers(params, shape, n_hidden, many, defaults),
        "batch_size": _batch_size(shape) if many else 200,
    }
    batch_size = auto["batch_size"] if params["batch_size"] == "auto" else params["batch_size"]
    rule = RULES.get(params["solver"])
    auto["learning_rate"] = rule.usual_rate(n_concepts, batch_size) if rule else 0.0
    return Settings(
        **params | {name: value for name, value in auto.items() if params[name] == "auto"},
        teacher_iter=_teacher_iter(params, shape, large, defaults),
        output_start=defaults.output_start,
        step_units=many and params["prior"] == "memory" and params["init"] == "balanced",
        # Many correlated features, such as pixels, would saturate concepts. A few features hardly move a concept, and
        # hidden concepts with small weights would stay nearly linear.
        start_width=2.0 if large else 8.0 if n_hidden else 4.0,
        max_iter_is_auto=params["max_iter"] == "auto",
        dtype=np.dtype(np.float32 if large or many or shape.n_values > LARGE else shape.dtype),
    )


def _slope(params: Mapping[str, Any]) -> float:
    """Return the slope: with learn="slopes" that of the map whose weights are kept, so that they need no rescaling."""
    slopes = [params[name].slope for name in ("init", "prior") if isinstance(params[name], FuzzyCognitiveMap)]
    same = params["learn"] == "slopes" and slopes and np.ndim(slopes[0]) == 0
    return float(slopes[0] if same else params["slope"])


def _n_hidden(params: Mapping[str, Any], shape: DataShape, many: bool, defaults: Defaults) -> int:
    """Return the default number of hidden concepts; 0 if parameters refer to all concepts."""
    others = shape.n_features + shape.n_outputs
    if isinstance(params["init"], FuzzyCognitiveMap):
        return max(params["init"].n_concepts - others, 0)
    if params["depth"] == 1 or params["init"] != "balanced":
        return 0
    if params["edges"] is not None or params["learn"] == "slopes" or _has_array_bounds(params["weight_bounds"]):
        return 0
    additional = _min_concepts(shape, defaults) - others
    if many:
        for_others = defaults.min_hidden + defaults.hidden_per_other * others
        additional = min(for_others, shape.n_rows // defaults.rows_per_hidden, defaults.max_hidden_many_rows)
    if params["prior"] is None:
        return max(additional, 0)
    in_prior = params["prior"].n_concepts - others if isinstance(params["prior"], FuzzyCognitiveMap) else 0
    # In a structured map only hidden concepts compute, however few features were selected. With too many features,
    # interactions cannot be learned.
    for_features = defaults.max_hidden if params.get("structured") else shape.n_features // 2
    computing = max(min(for_features, shape.n_rows // 20, defaults.max_hidden), defaults.min_hidden)
    if params.get("structured") and computing * shape.n_features > _MAX_HIDDEN_WEIGHTS:
        computing = 0
    return max(additional, in_prior, computing if others <= _MAX_DENSE or params.get("structured") else 0)


def is_high_dimensional(parameters: Mapping[str, Any], n_columns: int) -> bool:
    """Return whether the map should be structured: many columns, and no constraint on single edges.

    A prior or initial map other than the default constrains all edges, too.
    """
    # Arrays and maps are compared by `is`: their == is elementwise, or slow.
    return n_columns > _MAX_DENSE and all(
        parameters[name] is default or (isinstance(parameters[name], str) and parameters[name] == default)
        for name, default in _UNCONSTRAINED.items()
    )


def refers_to_concepts(parameters: Mapping[str, Any]) -> bool:
    """Return whether parameters refer to single concepts, which must then exist."""
    maps = (parameters.get(name) for name in ("prior", "init"))
    bounds = parameters.get("weight_bounds")
    by_name = parameters.get("edges") is not None or isinstance(bounds, Mapping) or _has_array_bounds(bounds)
    return by_name or any(isinstance(value, FuzzyCognitiveMap) for value in maps)


def _has_array_bounds(weight_bounds: Any) -> bool:
    """Return whether bounds are arrays, whose size determines the number of concepts."""
    return isinstance(weight_bounds, list | tuple) and any(np.ndim(bound) for bound in weight_bounds)


def _min_concepts(shape: DataShape, defaults: Defaults) -> int:
    """Return the minimum number of concepts of a map."""
    return min(max(shape.n_rows // defaults.rows_per_concept, defaults.min_concepts), defaults.max_concepts_by_rows)


def _n_teachers(params: Mapping[str, Any], shape: DataShape, n_hidden: int, many: bool, defaults: Defaults) -> int:
    """Return the default number of teachers; 0 for many features, few rows, or an explicit number of iterations."""
    if params["solver"] == "rmsprop" or params["max_iter"] != "auto" or params["early_stopping"]:
        return 0
    others = shape.n_features + shape.n_outputs
    if shape.n_rows < 20 or (others > defaults.max_taught and not params.get("structured")):
        return 0
    if many:
        return defaults.teachers_many_rows
    affordable = max(defaults.max_teacher_concepts // (others + n_hidden), 2)
    return min(5, affordable, max(shape.n_rows // defaults.rows_per_teacher, 2))


def _max_iter(params: Mapping[str, Any], shape: DataShape, large: bool, defaults: Defaults) -> int:
    """Return the default number of iterations; with effect bounds, convergence takes more of them."""
    if not SOLVERS[params["solver"]].all_rows:
        return 500 if params["solver"] == "rmsprop" else _n_passes(shape, defaults)
    n_iter = _lbfgs_iter(shape, large, defaults)
    return n_iter if large or params["prior"] is None else n_iter * 3 // 2


def _teacher_iter(params: Mapping[str, Any], shape: DataShape, large: bool, defaults: Defaults) -> int:
    """Return the maximum number of iterations of a teacher."""
    if not SOLVERS[params["solver"]].all_rows:
        return -(-_n_passes(shape, defaults) // 2)
    return _lbfgs_iter(shape, large, defaults) if large else 200


def _n_passes(shape: DataShape, defaults: Defaults) -> int:
    """Return the default number of passes in mini-batches, such that steps grow with the square root of the rows."""
    most = 80 if shape.n_rows >= defaults.many_rows else 500
    return min(max(round(7600 / math.sqrt(max(shape.n_rows, 1))), 5), most)


def _batch_size(shape: DataShape) -> int:
    """Return the size of a mini-batch for many rows; large batches can be shared between threads."""
    return min(max(shape.n_rows // 50, 500), 2000)


def _lbfgs_iter(shape: DataShape, large: bool, defaults: Defaults) -> int:
    """Return the default number of L-BFGS iterations: one per 15 rows, up to 200; one per 200, up to 50, if large."""
    if large:
        return min(max(shape.n_rows // 200, defaults.min_iter_large), 50)
    return min(max(shape.n_rows // 15, defaults.min_iter), 200)
