"""Dask client with timeouts and clear errors."""

import time
from collections.abc import Callable
from typing import Any

from cogmap._utils.optional import import_or_raise
from cogmap.exceptions import ClusterError, CogmapError

dask, da, dd, distributed = (
    import_or_raise(name, "cogmap.integrations.dask", "dask")
    for name in ("dask", "dask.array", "dask.dataframe", "distributed")
)

_POLL_SECONDS = 2.0  # interval between checks for live workers
_GATHER_SECONDS = 60.0  # time to transfer results from workers before they are requested again


class Cluster:
    """Dask client that gives up after a timeout and raises `ClusterError` with the reason.

    Parameters
    ----------
    owner : str
        Name of the calling method, for messages.
    timeout : float
        Seconds to wait for a cluster without workers.
    """

    def __init__(self, owner: str, timeout: float) -> None:
        self._owner, self._timeout = owner, timeout
        try:
            self.client = distributed.get_client()
        except ValueError:
            raise ClusterError(
                f"`{owner}` needs a Dask cluster, but there is no client. Create one first: from dask.distributed "
                "import Client; client = Client()."
            ) from None
        try:
            self.client.wait_for_workers(1, timeout=timeout)
        except TimeoutError:
            raise self._error("has no worker") from None
        self.n_threads = sum(self.client.nthreads().values())

    def _error(self, problem: str) -> ClusterError:
        return ClusterError(
            f"`{self._owner}`: the cluster {problem}. The fit was abandoned; a previously fitted model is unchanged. "
            f"The fit waits {self._timeout:g} seconds for a cluster without workers (timeout)."
        )

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Submit a task and return its future."""
        try:
            return self.client.submit(function, *arguments, pure=False)
        except Exception:
            if self.client.status == "running":
                raise
            raise self._error("has disconnected") from None

    def results(self, futures: list[Any]) -> list[Any]:
        """Return the results of futures; wait up to the timeout for a cluster that has lost its workers."""
        no_worker_since: float | None = None
        while True:
            try:
                distributed.wait(futures, timeout=_POLL_SECONDS)
                # Not `gather`, which would wait indefinitely for a result whose worker has just been lost.
                return list(self.client.sync(self.client._gather, futures, callback_timeout=_GATHER_SECONDS))
            except (TimeoutError, distributed.TimeoutError):
                pass
            except distributed.KilledWorker as error:
                raise self._error(
                    f"repeatedly lost a worker on the same task, probably for lack of memory ({error.task}); make "
                    "partitions smaller, or give workers more memory"
                ) from None
            except MemoryError:
                raise self._error("has a worker that ran out of memory; make partitions smaller") from None
            except CogmapError:
                raise
            except (distributed.CancelledError, OSError) as error:
                if self.client.status == "running" and not isinstance(error, distributed.CancelledError):
                    raise  # an error of the task itself, such as a missing file
                raise self._error("has disconnected") from None
            if self.client.status == "running" and self.client.scheduler_info(n_workers=-1)["workers"]:
                no_worker_since = None
                continue
            no_worker_since = no_worker_since or time.monotonic()
            if self.client.status in ("closed", "closing") or time.monotonic() - no_worker_since > self._timeout:
                raise self._error("has disconnected" if self.client.status != "running" else "has no worker left")
