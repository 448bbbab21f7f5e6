"""Results of a run, and statistics that several tables or claims share."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap.research.datasets import DATASETS
from cogmap.research.experiments.protocols import N_FOLDS, PROTOCOLS
from cogmap.research.experiments.published import author_folds, author_results, published_score
from cogmap.research.experiments.rivals import PAPER_RIVALS
from cogmap.research.experiments.store import StoreError, read_results, read_run
from cogmap.research.experiments.tasks import CLUSTERING_SCORES, METHODS
from cogmap.statistics import nemenyi

METRICS = {"accuracy": "Accuracy", "f1_macro": "Macro F1"}
BLOCKS = {"datasets": "dataset means", "folds": "folds"}  # units on which methods are ranked and compared
AFTER_MAP = tuple(f"fcm_{name}" for name in PAPER_RIVALS)


class Scores:
    """Scores of methods on the folds of datasets."""

    datasets: list[str]
    methods: list[str]

    def folds(self, dataset: str, method: str, metric: str) -> list[float]:
        """Return the scores of the successful folds."""
        raise NotImplementedError

    def mean(self, dataset: str, method: str, metric: str) -> float | None:
        """Return the mean over all folds, or None if a fold is missing or failed."""
        values = self.folds(dataset, method, metric)
        return float(np.mean(values)) if len(values) == N_FOLDS else None

    def score_array(self, methods: list[str], metric: str, by: str) -> tuple[NDArray[np.float64], list[str]]:
        """Return scores (dataset means or folds) of the given methods on the datasets where all of them succeeded."""
        complete = [
            dataset for dataset in self.datasets if all(self.mean(dataset, m, metric) is not None for m in methods)
        ]
        per_dataset = [np.array([self.folds(dataset, m, metric) for m in methods]).T for dataset in complete]
        if not per_dataset:
            return np.empty((0, len(methods))), complete
        if by == "datasets":
            return np.array([folds.mean(axis=0) for folds in per_dataset]), complete
        return np.concatenate(per_dataset), complete


class AuthorScores(Scores):
    """Scores in the author's results file, for the datasets and methods of a run."""

    def __init__(self, file: dict[str, Any], datasets: list[str], methods: list[str]) -> None:
        self._file, self.datasets, self.methods = file, datasets, methods

    def folds(self, dataset: str, method: str, metric: str) -> list[float]:
        """Return the published fold scores; empty if the file lacks the method."""
        return author_folds(self._file, dataset, method, metric)


class Results(Scores):
    """Results of a run, indexed by dataset, method and fold."""

    def __init__(self, folder: Path, data_dir: str | None) -> None:
        run = read_run(folder)
        if run is None or run["protocol"] not in PROTOCOLS:
            raise StoreError(f"The folder {folder} holds no run of the experiment. Create one with `cogmap reproduce`.")
        self.run, self.protocol = run, run["protocol"]
        self.rows = read_results(folder)
        self.data_dir = data_dir
        present = {(row["dataset"], row["method"]) for row in self.rows}
        self.datasets = [name for name in DATASETS if any(name == dataset for dataset, _ in present)]
        order = (*METHODS, *AFTER_MAP)
        self.methods = [name for name in order if any(name == method for _, method in present)]
        self._by_key = {(row["dataset"], row["method"], row["fold"]): row for row in self.rows}
        file = author_results(data_dir) if self.protocol == "author" else None
        self.author = AuthorScores(file, self.datasets, self.methods) if file else None

    @property
    def bare(self) -> list[str]:
        """The map and the other methods, without pipelines."""
        return [method for method in self.methods if method not in AFTER_MAP]

    @property
    def pipelines(self) -> list[str]:
        """Pipelines: other methods fitted to the features transformed by the map."""
        return [method for method in self.methods if method in AFTER_MAP]

    @property
    def is_whole(self) -> bool:
        """Whether the datasets and methods are exactly those of the paper."""
        return self.datasets == list(DATASETS) and set(self.bare) == {"fcm", *PAPER_RIVALS}

    def row(self, dataset: str, method: str, fold: int) -> dict[str, Any]:
        """Return a row; empty if it is missing."""
        return self._by_key.get((dataset, method, fold), {})

    def folds(self, dataset: str, method: str, metric: str) -> list[float]:
        """Return the scores of the successful folds."""
        values = (self.row(dataset, method, fold).get(metric) for fold in range(N_FOLDS))
        return [value for value in values if value is not None]

    def published(self, dataset: str, method: str, metric: str) -> float | None:
        """Return the published mean, or None."""
        return published_score(dataset, method, metric, self.protocol, self.data_dir)


def clustering(results: Results, dataset: str, score: str, place: str) -> float | None:
    """Return the mean clustering score of the map's folds for a place such as ``"test_transformed"``."""
    rows = [results.row(dataset, "fcm", fold).get("clustering") for fold in range(N_FOLDS)]
    if not all(rows):  # no mean over fewer folds
        return None
    # A successful fold may have no score, for example with as many classes as rows.
    values = [row[score][place] for row in rows if row and row[score][place] is not None]
    return float(np.mean(values)) if values else None


def improved(results: Results, dataset: str, score: str, part: str) -> bool | None:
    """Return whether the transformation by the map improved a score; None if unknown."""
    before = clustering(results, dataset, score, f"{part}_original")
    after = clustering(results, dataset, score, f"{part}_transformed")
    if before is None or after is None:
        return None
    return after < before if score == "davies_bouldin" else after > before


def votes(results: Results, dataset: str, part: str) -> int:
    """Return the number of scores that the transformation improved."""
    return sum(bool(improved(results, dataset, score, part)) for score in CLUSTERING_SCORES)


def nemenyi_of(results: Scores, methods: list[str], metric: str, by: str) -> dict[str, Any] | None:
    """Return ranks and groups of the Nemenyi test on dataset means or folds; None with too few datasets or methods."""
    scores, datasets = results.score_array(methods, metric, by)
    if len(datasets) < 2 or len(methods) < 2:
        return None
    test = nemenyi(scores)
    return {
        "methods": methods,
        "mean_ranks": [float(rank) for rank in test.mean_ranks],
        "critical_difference": float(test.critical_difference),
        "groups": [list(group) for group in test.groups],
        "n_datasets": len(datasets),
        "n_blocks": len(scores),
    }
