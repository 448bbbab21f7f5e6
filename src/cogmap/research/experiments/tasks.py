"""Tasks of the experiment: one method on one fold of a dataset."""

import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import (
    accuracy_score,
    calinski_harabasz_score,
    davies_bouldin_score,
    f1_score,
    silhouette_score,
)

from cogmap._utils.params import suggestion
from cogmap.exceptions import DataError
from cogmap.explanation import influence
from cogmap.maps.drawing.view import edge_strength, graph_view
from cogmap.models.model import MapModel
from cogmap.research.datasets import DATASETS, get_dataset, load_dataset
from cogmap.research.experiments.protocols import N_FOLDS, PROTOCOLS
from cogmap.research.experiments.rivals import PAPER_RIVALS, RIVALS
from cogmap.research.experiments.store import Key, Row
from cogmap.statistics import expected_calibration_error

METHODS = ("fcm", *RIVALS)
_VIEW_ROWS = 200  # rows on which the influences in a map view are measured

_SCORES = ("accuracy", "f1_macro", "train_accuracy", "train_f1_macro", "log_loss", "calibration_error")

# Lower is better for the first, higher for the others.
CLUSTERING_SCORES = {
    "davies_bouldin": davies_bouldin_score,
    "silhouette": silhouette_score,
    "calinski_harabasz": calinski_harabasz_score,
}


@dataclass(frozen=True)
class Task:
    """One method on one fold of a dataset.

    The task of the map also computes clustering scores of the transformed features, the states A(d-1), and fits each of
    the paper's other methods to them, unscaled, so that the map is fitted only once.
    """

    dataset: str
    fold: int
    method: str
    protocol: str
    seed: int = 123
    data_dir: str | None = None

    @property
    def keys(self) -> list[Key]:
        """Keys of the rows that the task returns."""
        pipelines = [f"fcm_{name}" for name in PAPER_RIVALS] if self.method == "fcm" else []
        return [(self.dataset, self.fold, method) for method in (self.method, *pipelines)]

    def run(self) -> list[Row]:
        """Run the task; a failure is returned as a row with its error."""
        protocol = PROTOCOLS[self.protocol]
        data = _load_cached(self.dataset, protocol.form, self.data_dir, protocol.resizing)
        fold = protocol.fold(data.X, data.y, self.fold)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # methods that do not converge, folds without a rare class
            if self.method == "fcm":
                results = list(_map_rows(self, data.feature_names, *fold))
            else:
                results = [_rival_row(self, self.method, *fold)]
        for row in results:
            row.update(dataset=self.dataset, protocol=self.protocol, fold=self.fold, seed=self.seed)
        return results

    @property
    def cost(self) -> float:
        """Rough estimate of the duration, used to run the longest tasks first and to estimate the remaining time."""
        dataset = get_dataset(self.dataset)
        work = dataset.n_rows * (dataset.n_features + dataset.n_classes) ** 2
        if self.method != "fcm":
            return 1.0 + work / 1e8
        if not PROTOCOLS[self.protocol].published_fcm:
            return 2.0 + work / 1e7
        fcm = PROTOCOLS[self.protocol].fcm(self.dataset, 0)
        microseconds = int(fcm.max_iter) * (200 + work * (3 * int(fcm.depth) - 4) / 50_000)
        return 2.0 + PROTOCOLS[self.protocol].starts(self.dataset) * microseconds / 10**5


def make_tasks(
    datasets: Sequence[str], methods: Sequence[str], protocol: str, seed: int = 123, data_dir: str | None = None
) -> list[Task]:
    """Return all tasks of an experiment, longest first; unknown names raise an error with a suggestion."""
    for method in methods:
        if method not in METHODS:
            hint = suggestion(method, METHODS)
            raise DataError(f"Unknown method {method!r}. {hint or 'The methods are ' + ', '.join(METHODS) + '.'}")
    names = dict.fromkeys(get_dataset(name).name for name in datasets)  # without duplicates
    tasks = [
        Task(name, fold, method, protocol, seed, data_dir)
        for name in names
        for fold in range(N_FOLDS)
        for method in dict.fromkeys(methods)
    ]
    return sorted(tasks, key=lambda task: -task.cost)


def dataset_names(text: str) -> list[str]:
    """Parse ``"all"`` or comma-separated names."""
    return list(DATASETS) if text.strip() == "all" else _names(text)


def method_names(text: str) -> list[str]:
    """Parse ``"paper"``, ``"all"`` or comma-separated names."""
    return {"paper": ["fcm", *PAPER_RIVALS], "all": list(METHODS)}.get(text.strip()) or _names(text)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


_load_cached = lru_cache(maxsize=2)(load_dataset)


def _rival_row(task: Task, name: str, X_train, X_test, y_train, y_test) -> Row:
    rival = RIVALS[name.removeprefix("fcm_")](PROTOCOLS[task.protocol].rival_options(task.seed), X_train)
    return evaluate(name, rival.fit, X_train, X_test, y_train, y_test)[0]


def _map_rows(task: Task, names: Sequence[str], X_train, X_test, y_train, y_test) -> Iterator[Row]:
    fit = partial(PROTOCOLS[task.protocol].fit_fcm, task.dataset, task.seed)
    row, fcm = evaluate("fcm", fit, X_train, X_test, y_train, y_test)
    if fcm is None:
        yield row
        for name in PAPER_RIVALS:
            yield {**row, "method": f"fcm_{name}"}
        return
    train, test = fcm.transform(X_train), fcm.transform(X_test)
    row["clustering"] = {
        score: {
            "train_original": _cluster_score(score, X_train, y_train),
            "train_transformed": _cluster_score(score, train, y_train),
            "test_original": _cluster_score(score, X_test, y_test),
            "test_transformed": _cluster_score(score, test, y_test),
        }
        for score in CLUSTERING_SCORES
    }
    row["n_iter"] = fcm.n_iter_
    row["outcome"] = fcm.outcome_.name
    row["loss_curve"] = _thinned(fcm.loss_curve_)
    if task.fold == 0:
        row["map"] = _map_view(fcm.model_, X_train, names)
    yield row
    for name in PAPER_RIVALS:
        yield _rival_row(task, f"fcm_{name}", train, test, y_train, y_test)


def evaluate(name: str, fit: Callable[..., Any], X_train, X_test, y_train, y_test) -> tuple[Row, Any]:
    """Fit and score a model; return its row, and the fitted model or None if it failed."""
    row: Row = {"method": name, **dict.fromkeys(_SCORES), "fit_seconds": None, "error": None}
    try:
        start = time.perf_counter()
        model = fit(X_train, y_train)
        row["fit_seconds"] = round(time.perf_counter() - start, 6)
        predicted = model.predict(X_test)
        row["accuracy"] = float(accuracy_score(y_test, predicted))
        row["f1_macro"] = float(f1_score(y_test, predicted, average="macro"))
        train_predicted = model.predict(X_train)
        row["train_accuracy"] = float(accuracy_score(y_train, train_predicted))
        row["train_f1_macro"] = float(f1_score(y_train, train_predicted, average="macro"))
        if hasattr(model, "predict_proba"):
            row["log_loss"], row["calibration_error"] = _probability_scores(model, X_test, y_test)
        if getattr(model, "notes_", None):
            row["notes"] = model.notes_
    except Exception as problem:  # a failed method is recorded as a result and does not stop the run
        row.update(dict.fromkeys(_SCORES))
        row["error"] = f"{type(problem).__name__}: {problem}"
        return row, None
    return row, model


def _probability_scores(model: BaseEstimator, X: NDArray[np.float64], y: NDArray[np.generic]) -> tuple[float, float]:
    """Return the log loss, with probabilities clipped to [1e-15, 1], and the calibration error.

    Rows of classes not seen in training get the smallest probability.
    """
    probability = model.predict_proba(X)
    known = np.isin(y, model.classes_)
    label_probability = np.zeros(len(y))
    label_probability[known] = probability[known, np.searchsorted(model.classes_, y[known])]
    correct = model.classes_[probability.argmax(axis=1)] == y
    log_loss = -np.log(np.clip(label_probability, 1e-15, 1.0)).mean()
    return float(log_loss), expected_calibration_error(probability.max(axis=1), correct)


def _cluster_score(score: str, X: NDArray[np.float64], y: NDArray[np.generic]) -> float | None:
    try:
        value = float(CLUSTERING_SCORES[score](X, y))
    except ValueError:  # fewer than two classes in the fold, or as many as rows
        return None
    return value if np.isfinite(value) else None


def _map_view(model: MapModel, X: NDArray[np.float64], names: Sequence[str]) -> dict[str, Any]:
    """Return the view of the map that figures draw: the edges with the largest flow, with the column names."""
    sample = X[:: -(-len(X) // _VIEW_ROWS)]
    columns = {f"x{i}": name for i, name in enumerate(names)}
    concepts = [re.sub(r"^x\d+\b", lambda match: columns.get(match[0], match[0]), name) for name in model.map.concepts]
    view = graph_view(concepts, model.map.weights, model.kinds, edge_strength(influence(model, sample).flow))
    for edge in (*view["edges"], *view["rings"]):
        edge.update(weight=round(edge["weight"], 4), strength=round(edge["strength"], 4))
    return view


def _thinned(curve: list[float]) -> list[list[float]]:
    """Return up to 60 points (iteration, loss) of a curve, denser at its beginning."""
    places = np.unique(np.geomspace(1, len(curve), min(60, len(curve))).astype(int))
    return [[int(place), round(curve[place - 1], 6)] for place in places]
