"""Numbers published in the paper and in the author's results file."""

import json
import os
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from cogmap.research.datasets import get_dataset
from cogmap.research.datasets.loading import checked_content

_RESULTS_SHA256 = "8d505860d5fb41dfcb6f641100eeef6461688e87e7e17986dbb00d7b916d4b11"

# Parameters of the author's results file that differ from the table printed in the paper.
_FILE_DIFFERS: dict[str, dict[str, Any]] = {
    "breast_cancer": {"classifier": "FCMMC", "loss": "logloss"},
    "vehicle": {"classifier": "FCMMC", "loss": "logloss"},
    "glass": {"learning_rate": 0.125892541179417},
}


@cache
def paper_tables() -> dict[str, Any]:
    """Return all tables printed in the paper, keyed by the paper's dataset names."""
    path = files("cogmap.research.experiments") / "data" / "paper_tables.json"
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return result


@cache
def author_results(data_dir: str | None = None) -> dict[str, Any] | None:
    """Return the author's results per fold, keyed by the paper's dataset names; None if the data folder lacks them."""
    folder = data_dir or os.environ.get("COGMAP_DATA")
    path = Path(folder) / "paper_results.json" if folder else None
    if path is None or not path.exists():
        return None
    result: dict[str, Any] = json.loads(checked_content(path, _RESULTS_SHA256))["datasets"]
    return result


def author_folds(results: dict[str, Any], dataset: str, method: str, metric: str) -> list[float]:
    """Return the fold scores in the author's file; empty if it lacks the method or the metric."""
    name = metric if metric.startswith("train_") else f"test_{metric}"
    methods = results.get(get_dataset(dataset).paper_name, {}).get("methods", {})
    return list(methods.get(method, {}).get(name, []))


def published_score(dataset: str, method: str, metric: str, protocol: str, data_dir: str | None = None) -> float | None:
    """Return the published mean of a metric, or None if it was not published.

    The source is the author's file for the protocol ``"author"``, if the data folder contains it; otherwise the paper,
    which has only ``"accuracy"`` and ``"f1_macro"``, not ``"train_accuracy"`` and ``"train_f1_macro"``.
    """
    results = author_results(data_dir) if protocol == "author" else None
    if results is not None:
        folds = author_folds(results, dataset, method, metric)
        return float(np.mean(folds)) if folds else None
    if metric not in paper_tables():
        return None
    name = get_dataset(dataset).paper_name
    for table in (paper_tables()[metric], paper_tables()[f"preprocess_{metric}"]):
        value = table["values"].get(name, {}).get(method)
        if value is not None:
            return float(value)
    return None


def published_clustering(
    dataset: str, score: str, place: str, protocol: str, data_dir: str | None = None
) -> float | None:
    """Return the published mean clustering score for a place such as ``"test_transformed"``, or None."""
    name = get_dataset(dataset).paper_name
    results = author_results(data_dir) if protocol == "author" else None
    if results is not None:
        folds = results.get(name, {}).get("clustering", {}).get(score, {}).get(place)
        return None if folds is None else float(np.mean(folds))
    value = paper_tables()["clustering_scores"].get(name, {}).get(score, {}).get(place)
    return None if value is None else float(value)


def fcm_parameters(dataset: str, source: str) -> dict[str, Any]:
    """Return the published parameters of the map for a dataset, as parameters of `OriginalFCM`.

    Parameters
    ----------
    dataset : str
        Name of the dataset.
    source : {"printed", "author"}
        The table in the paper, or the author's results file.
    """
    description = get_dataset(dataset)
    row = dict(paper_tables()["fcm_params"][description.paper_name])
    # The printed table has "FCMB" for vehicle, but a single output cannot distinguish its four classes.
    if source == "author":
        row.update(_FILE_DIFFERS.get(description.name, {}))
    elif description.n_classes > 2:
        row["classifier"] = "FCMMC"
    return {
        "depth": row["depth"],
        "slope": row["lambda"],
        "output": "single" if row["classifier"] == "FCMB" else "one_hot",
        "loss": row.get("loss", "softmax"),
        "solver": row["optimizer"],
        # The author's Adam ignores the given rate and uses 0.001.
        "learning_rate": 0.001 if row["optimizer"] == "adam" else row["learning_rate"],
        "batch_size": 10**9 if row["batch_size"] == -1 else row["batch_size"],
        "max_iter": row["epochs"],
    }
