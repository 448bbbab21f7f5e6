"""How fast models are served, and whether serving wears out: ``python -m benchmarks.serving`` (speed, load).

Servers are processes of their own on loopback; the client is one process that writes HTTP by hand, so that as little as
possible of what is measured is the client's.
"""

import asyncio
import json
import multiprocessing
import sys
import time

from sklearn.datasets import load_breast_cancer, load_iris

from benchmarks.timing import print_table
from cogmap import FCMClassifier

ROUNDS, SECONDS, CONNECTIONS = 15, 0.7, 8
LOAD_CONNECTIONS, LOAD_SECONDS = 200, 60.0


def echo():
    """Return the bare framework: an application that gives back what it gets."""
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route

    async def same(request):
        return Response(await request.body(), media_type="application/json")

    return Starlette(routes=[Route("/predict", same, methods=["POST"])])


def run(make, ready):
    """Serve an application, in a process of its own, and send the port."""
    from cogmap.serving.server import Server, listening

    listener = listening("127.0.0.1", 0)
    ready.send(listener.getsockname()[1])
    Server(make()).run_on(listener)


class Served:
    """A server in a process of its own."""

    def __init__(self, make):
        ours, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.Process(target=run, args=(make, theirs), daemon=True)
        self._process.start()
        self.port = ours.recv()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._process.terminate()
        self._process.join()

    def memory(self):
        """Return the megabytes that the process has."""
        with open(f"/proc/{self._process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


async def ask(reader, writer, request):
    """Ask once on an open connection; return the status and the body."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].partition(b"\r")[0])
    return int(head[9:12]), await reader.readexactly(length)


async def hammer(port, requests, n_connections, seconds):
    """Ask on many connections, each as soon as it has its answer; return how many answers there were, and failures."""
    end = time.perf_counter() + seconds
    counts = [0, 0]

    async def client(i):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        k = i
        while time.perf_counter() < end:
            try:
                status, _ = await asyncio.wait_for(ask(reader, writer, requests[k % len(requests)]), 30)
                counts[status != 200] += 1
            except (OSError, EOFError, TimeoutError):
                counts[1] += 1
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            k += 1
        writer.close()

    await asyncio.gather(*(client(i) for i in range(n_connections)))
    return counts


def post(path, body, kind="application/json"):
    """Return a request as bytes."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def rows(X, n_rows=1):
    """Return rows as a body of JSON."""
    return json.dumps({"rows": X[:n_rows].to_dict("records")}).encode()


def plain(load):
    """Return an estimator and a table of numbers."""
    X, y = load(return_X_y=True, as_frame=True)
    return FCMClassifier(random_state=0).fit(X, y), X


MODELS = {
    "iris, 4 numbers": lambda: plain(load_iris),
    "breast cancer, 30 numbers": lambda: plain(load_breast_cancer),
}


def speed():
    """Print single-row predictions per second beside echoes of the same body, in turns."""
    from cogmap.serving import application

    table = []
    for name, make in MODELS.items():
        model, X = make()
        request = post("/predict", rows(X))
        best = {}
        with Served(echo) as bare, Served(lambda model=model: application(model)) as ours:
            for _ in range(ROUNDS):
                for who, server in (("echo", bare), ("predict", ours)):
                    n_good, n_bad = asyncio.run(hammer(server.port, [request], CONNECTIONS, SECONDS))
                    assert not n_bad, f"{n_bad} failures"
                    best[who] = max(best.get(who, 0.0), n_good / SECONDS)
        ratio = f"{best['predict'] / best['echo']:.2f}"
        table.append([name, f"{best['echo']:,.0f}", f"{best['predict']:,.0f}", ratio])
    title = "Requests per second of one row (asked for: at least 0.5 of the echo of the bare framework)"
    print_table(title, ["model", "echo", "predict", "ratio"], table)


def load():
    """Print what becomes of failures and memory while many connections ask for a minute."""
    from cogmap.serving import application

    model, X = plain(load_breast_cancer)
    requests = [
        *[post("/predict", rows(X))] * 20,
        post("/predict", rows(X, 100)),
        post("/predict", X[:100].to_csv(index=False).encode(), "text/csv"),
        post("/explain", rows(X, 2)),
    ]
    table = []
    with Served(lambda: application(model)) as server:
        asyncio.run(hammer(server.port, requests, LOAD_CONNECTIONS, LOAD_SECONDS / 6))  # until all is warm
        for part in range(1, 5):
            n_good, n_bad = asyncio.run(hammer(server.port, requests, LOAD_CONNECTIONS, LOAD_SECONDS / 4))
            seconds = f"{part * LOAD_SECONDS / 4:.0f} s"
            table.append([seconds, f"{n_good:,}", str(n_bad), f"{server.memory():.1f} MB"])
    print_table(f"{LOAD_CONNECTIONS} connections", ["until", "answers", "failures", "memory"], table)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or ["speed", "load"]:
        {"speed": speed, "load": load}[wanted]()
