"""Metrics of the server in the Prometheus text format, added up over worker processes."""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate
from pathlib import Path

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # upper bounds of the buckets

# Type and meaning of each family of samples. Samples of several workers are added, except those in `_LARGEST`.
_FAMILIES = {
    "cogmap_model_info": ("gauge", "Identity of each model: file, hash, training rows, held-out score, version."),
    "cogmap_requests_total": ("counter", "Requests by model, path and status."),
    "cogmap_requests_in_flight": ("gauge", "Requests that are being answered."),
    "cogmap_request_seconds": ("histogram", "Time from the arrival of a request to its response, with waiting."),
    "cogmap_waiting_seconds_total": ("counter", "Time until the computation began: for the body and for a thread."),
    "cogmap_computing_seconds_total": ("counter", "Time of the computation."),
    "cogmap_rows_total": ("counter", "Rows in successful requests."),
    "cogmap_connections": ("gauge", "Open connections."),
    "cogmap_connections_closed_total": ("counter", "Connections closed because there were too many, by kind."),
    "cogmap_reloads_total": ("counter", "Loads of a replaced model file, by result."),
    "cogmap_predictions_total": ("counter", "Predictions by class."),
    "cogmap_prediction": ("histogram", "Probability of the predicted class, or predicted values by target."),
    "cogmap_observed_rows_total": ("counter", "Rows that were counted in the metrics of columns and predictions."),
    "cogmap_missing_values_total": ("counter", "Missing values by column."),
    "cogmap_unseen_values_total": ("counter", "Categories that were not seen in training, by column."),
    "cogmap_outside_values_total": ("counter", "Values below or above the range of the training rows, by column."),
    "cogmap_strange_rows_total": ("counter", "Rows unlike the training data, by their novelty p-value."),
    "process_start_time_seconds": ("gauge", "Start time of the server in seconds since the epoch."),
    "process_resident_memory_bytes": ("gauge", "Resident memory of all processes of the server in bytes."),
    "cogmap_workers": ("gauge", "Worker processes that have answered."),
}
_LARGEST = ("cogmap_model_info", "process_start_time_seconds")

Samples = dict[str, float]


class Metrics:
    """Counters of requests, rows and seconds. Not thread-safe: update it in the thread of the event loop only."""

    def __init__(self) -> None:
        self._start = time.time()
        self._totals: Counter[str] = Counter()
        self._keys: dict[tuple[str, ...], str] = {}
        self._buckets: dict[tuple[str, str], list[int]] = {}
        self._seconds: dict[tuple[str, str], list[float]] = {}
        self.n_in_flight = 0

    def count_request(
        self, model: str, path: str, status: str, seconds: float, computing: float = 0.0, n_rows: int = 0
    ) -> None:
        """Count a request; the status is ``"closed"`` if the client disconnected."""
        where = model, path
        self._totals[self._key("cogmap_requests_total", model, path, status)] += 1
        if where not in self._buckets:
            self._buckets[where], self._seconds[where] = [0] * (len(_SECONDS) + 1), [0.0, 0.0]
        self._buckets[where][bisect_left(_SECONDS, seconds)] += 1
        sums = self._seconds[where]
        sums[0] += seconds
        sums[1] += computing
        if n_rows:
            self._totals[self._key("cogmap_rows_total", model, path)] += n_rows

    def count(self, name: str, **labels: str) -> None:
        """Add 1 to a counter."""
        self._totals[sample(name, **labels)] += 1

    def samples(self) -> Samples:
        """Return the samples of this process."""
        result: Samples = {"cogmap_workers": 1, "cogmap_requests_in_flight": self.n_in_flight, **self._totals}
        for (model, path), counts in self._buckets.items():
            labels = {"model": model, "path": path}
            total, computing = self._seconds[model, path]
            result |= histogram("cogmap_request_seconds", _SECONDS, counts, total, labels)
            result[sample("cogmap_waiting_seconds_total", **labels)] = max(total - computing, 0.0)
            result[sample("cogmap_computing_seconds_total", **labels)] = computing
        result["process_start_time_seconds"] = self._start
        if (memory := _resident_bytes()) is not None:
            result["process_resident_memory_bytes"] = memory
        return result

    def _key(self, name: str, model: str, path: str, status: str = "") -> str:
        """Return a sample name, made only once, because that takes a microsecond."""
        labels = name, model, path, status
        if labels not in self._keys:
            more = {"status": status} if status else {}
            self._keys[labels] = sample(name, model=model, path=path, **more)
        return self._keys[labels]


def sample(name: str, **labels: str) -> str:
    """Return the name of a sample with its labels."""
    if not labels:
        return name
    pairs = ",".join(f'{key}="{_escaped(value)}"' for key, value in labels.items())
    return f"{name}{{{pairs}}}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def histogram(
    name: str, bounds: Iterable[float], counts: Iterable[int], total: float, labels: Mapping[str, str]
) -> Samples:
    """Return the samples of a histogram, given the number of values in each bucket and the sum of all values."""
    totals = list(accumulate(counts))
    ends = [*map(repr, bounds), "+Inf"]
    result: Samples = {
        sample(f"{name}_bucket", **labels, le=end): count for end, count in zip(ends, totals, strict=True)
    }
    return result | {sample(f"{name}_sum", **labels): total, sample(f"{name}_count", **labels): totals[-1]}


def merged(parts: Iterable[Samples]) -> Samples:
    """Return the samples of all workers together."""
    result: Samples = {}
    for part in parts:
        for name, value in part.items():
            largest = name.startswith(_LARGEST)
            result[name] = max(result.get(name, value), value) if largest else result.get(name, 0) + value
    return result


def text(samples: Samples) -> str:
    """Return samples in the Prometheus text format, by family."""
    families: dict[str, list[str]] = {}
    for name, value in samples.items():
        family = name.partition("{")[0]
        if family not in _FAMILIES:  # a sample of a histogram
            family = family.rpartition("_")[0]
        families.setdefault(family, []).append(f"{name} {value!r}")
    lines = []
    for family, (kind, meaning) in _FAMILIES.items():
        if family in families:
            lines += [f"# HELP {family} {meaning}", f"# TYPE {family} {kind}", *families[family]]
    return "\n".join(lines) + "\n"


def _resident_bytes() -> int | None:
    """Return the resident memory of the process, or None on systems without ``/proc``."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    kilobytes = next((line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")), None)
    return None if kilobytes is None else 1024 * int(kilobytes)
