"""Metrics of the server in the Prometheus text format."""

import time
from bisect import bisect_left
from collections import Counter
from itertools import accumulate
from pathlib import Path

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # upper bounds of the buckets

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counters of requests, rows and seconds. Not thread-safe: update it in the thread of the event loop only."""

    def __init__(self, version: str, kind: str) -> None:
        self._model = f'version="{version}",kind="{kind}"'
        self._start = time.time()
        self._requests: Counter[tuple[str, str]] = Counter()
        self._rows: Counter[str] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}

    def count_request(self, path: str, status: str, seconds: float) -> None:
        """Count a request by path and status; the status is ``"closed"`` if the client disconnected."""
        self._requests[path, status] += 1
        self._buckets.setdefault(path, [0] * (len(_SECONDS) + 1))[bisect_left(_SECONDS, seconds)] += 1
        self._seconds[path] = self._seconds.get(path, 0.0) + seconds

    def count_rows(self, path: str, n_rows: int) -> None:
        """Count rows for which an answer was computed."""
        self._rows[path] += n_rows

    def text(self) -> str:
        """Return all metrics as text."""
        lines = [
            *_head("cogmap_info", "gauge", "Version of cogmap and kind of model."),
            f"cogmap_info{{{self._model}}} 1",
            *_head("cogmap_requests_total", "counter", "Requests by path and status."),
            *(
                f'cogmap_requests_total{{path="{path}",status="{status}"}} {count}'
                for (path, status), count in sorted(self._requests.items())
            ),
            *_head("cogmap_rows_total", "counter", "Rows in successful requests, by path."),
            *(f'cogmap_rows_total{{path="{path}"}} {count}' for path, count in sorted(self._rows.items())),
            *_head("cogmap_request_seconds", "histogram", "Time from request headers to response headers."),
        ]
        for path, counts in sorted(self._buckets.items()):
            totals = list(accumulate(counts))
            for end, total in zip([*map(repr, _SECONDS), "+Inf"], totals, strict=True):
                lines.append(f'cogmap_request_seconds_bucket{{path="{path}",le="{end}"}} {total}')
            lines.append(f'cogmap_request_seconds_sum{{path="{path}"}} {self._seconds[path]!r}')
            lines.append(f'cogmap_request_seconds_count{{path="{path}"}} {totals[-1]}')
        lines += _head("process_start_time_seconds", "gauge", "Start time of the server in seconds since the epoch.")
        lines.append(f"process_start_time_seconds {self._start!r}")
        if (memory := _resident_bytes()) is not None:
            lines += _head("process_resident_memory_bytes", "gauge", "Resident memory of the process in bytes.")
            lines.append(f"process_resident_memory_bytes {memory}")
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str, meaning: str) -> list[str]:
    return [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]


def _resident_bytes() -> int | None:
    """Return the resident memory of the process, or None on systems without ``/proc``."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    kilobytes = next((line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")), None)
    return None if kilobytes is None else 1024 * int(kilobytes)
