"""A cluster as the fit sees it: work is handed out, results come back, and nobody is waited for without end."""

import time
from collections.abc import Callable
from typing import Any

from cogmap._utils.optional import import_or_raise
from cogmap.exceptions import ClusterError, CogmapError

dask, da, dd, distributed = (
    import_or_raise(name, "cogmap.integrations.dask", "dask")
    for name in ("dask", "dask.array", "dask.dataframe", "distributed")
)

_LOOK = 2.0  # seconds after which it is looked whether anybody is still at work
_MOVE = 60.0  # seconds in which results come from workers, or are asked for again


class Cluster:
    """A client that does not wait for ever, and says in one sentence what became of a cluster."""

    def __init__(self, owner: str, timeout: float) -> None:
        self._owner, self._timeout = owner, timeout
        try:
            self.client = distributed.get_client()
        except ValueError:
            raise ClusterError(
                f"`{owner}` needs a Dask cluster, and there is no client. Make one first: from dask.distributed import "
                "Client; client = Client()."
            ) from None
        try:
            self.client.wait_for_workers(1, timeout=timeout)
        except TimeoutError:
            raise self._gone("has no worker") from None
        self.n_threads = sum(self.client.nthreads().values())

    def _gone(self, what: str) -> ClusterError:
        return ClusterError(
            f"`{self._owner}`: the cluster {what}, and the fit was given up; an earlier fitted model stays as it was. "
            f"Nobody at work is waited for {self._timeout:g} seconds (timeout)."
        )

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Have something computed."""
        try:
            return self.client.submit(function, *arguments, pure=False)
        except Exception:
            if self.client.status == "running":
                raise
            raise self._gone("has gone away") from None

    def results(self, futures: list[Any]) -> list[Any]:
        """Wait for results; a cluster without workers is given some time to come back."""
        alone_since: float | None = None
        while True:
            try:
                distributed.wait(futures, timeout=_LOOK)
                # Not `gather`, which would wait for ever for a result whose worker is lost just now.
                return list(self.client.sync(self.client._gather, futures, callback_timeout=_MOVE))
            except (TimeoutError, distributed.TimeoutError):
                pass
            except distributed.KilledWorker as error:
                raise self._gone(
                    f"lost a worker again and again at the same work, most probably for lack of memory ({error.task}); "
                    "make partitions smaller, or give workers more memory"
                ) from None
            except MemoryError:
                raise self._gone("has a worker without enough memory; make partitions smaller") from None
            except CogmapError:
                raise
            except (distributed.CancelledError, OSError) as error:
                if self.client.status == "running" and not isinstance(error, distributed.CancelledError):
                    raise  # the error of a task, such as a file that is not there
                raise self._gone("has gone away") from None
            if self.client.status == "running" and self.client.scheduler_info(n_workers=-1)["workers"]:
                alone_since = None
                continue
            alone_since = alone_since or time.monotonic()
            if self.client.status in ("closed", "closing") or time.monotonic() - alone_since > self._timeout:
                raise self._gone("has gone away" if self.client.status != "running" else "has no worker left")
