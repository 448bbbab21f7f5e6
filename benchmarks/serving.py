"""Speed of the server, and its behavior under load: ``python -m benchmarks.serving`` (speed, batches, load).

Servers run in separate processes on loopback. The client is one process that writes plain HTTP, to keep its share of
the measured time small.
"""

import asyncio
import json
import multiprocessing
import os
import sys
import time
from functools import partial

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import Pipeline

from benchmarks.timing import print_table
from cogmap import FCMClassifier, TablePreparer
from cogmap.table import TableModel

ROUNDS, SECONDS, CONNECTIONS = 15, 0.7, 8
LOAD_CONNECTIONS, LOAD_SECONDS = 200, 60.0
N_ROWS, N_TURNS = 1_000, 200


def echo():
    """Return a minimal application of the bare framework, which echoes request bodies."""
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route

    async def same(request):
        return Response(await request.body(), media_type="application/json")

    return Starlette(routes=[Route("/predict", same, methods=["POST"])])


def run(make, ready):
    """Serve an application in a separate process, and send its port."""
    from cogmap.serving.server import Server, open_listener

    listener = open_listener("127.0.0.1", 0)
    ready.send(listener.getsockname()[1])
    Server(make()).run_on(listener)


class Served:
    """A server in a separate process."""

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

    def seconds(self):
        """Return the CPU time of the process."""
        with open(f"/proc/{self._process.pid}/stat") as file:
            return sum(map(int, file.read().rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Return the memory of the process in MB."""
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
    """Return an HTTP request as bytes."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def rows(X, n_rows=1):
    """Return rows as a JSON body."""
    known = X[:n_rows].astype(object)
    return json.dumps({"rows": known.where(known.notna(), None).to_dict("records")}).encode()


def plain(load):
    """Return an estimator and a table of numbers."""
    X, y = load(return_X_y=True, as_frame=True)
    return FCMClassifier(random_state=0).fit(X, y), X


def mixed():
    """Return a pipeline and its table: numbers, categories, booleans and a date, with missing values."""
    rng = np.random.default_rng(0)
    n_rows = 500
    table = pd.DataFrame({f"number {i}": rng.normal(size=n_rows) for i in range(10)})
    for i in range(5):
        table[f"category {i}"] = rng.choice(["red", "green", "blue", None], n_rows)
        table[f"boolean {i}"] = rng.choice(["yes", "no"], n_rows)
    table["date"] = pd.date_range("2020-01-01", periods=n_rows).strftime("%Y-%m-%d")
    y = table["number 0"] + (table["category 0"] == "red") > 0
    return Pipeline([("prepare", TablePreparer()), ("map", FCMClassifier(random_state=0))]).fit(table, y), table


MODELS = {
    "iris, 4 numbers": lambda: plain(load_iris),
    "breast cancer, 30 numbers": lambda: plain(load_breast_cancer),
    "mixed, 21 columns": mixed,
}


def speed():
    """Print single-row predictions per second beside echoes of the same body, in turns."""
    from cogmap.serving import application

    table = []
    for name, make in MODELS.items():
        model, X = make()
        request = post("/predict", rows(X))
        best, costs = {"echo": 0.0, "predict": 0.0}, {"echo": [], "predict": []}
        with Served(echo) as bare, Served(lambda model=model: application(model)) as ours:
            for _ in range(ROUNDS):
                for kind, server in (("echo", bare), ("predict", ours)):
                    begin = server.seconds()
                    n_good, n_bad = asyncio.run(hammer(server.port, [request], CONNECTIONS, SECONDS))
                    assert not n_bad, f"{n_bad} failures"
                    best[kind] = max(best[kind], n_good / SECONDS)
                    costs[kind].append((server.seconds() - begin) / n_good)
        cost = {kind: 1e6 * float(np.median(times)) for kind, times in costs.items()}
        rates = [f"{best['echo']:,.0f}", f"{best['predict']:,.0f}", f"{best['predict'] / best['echo']:.2f}"]
        times = [f"{cost['echo']:.0f}", f"{cost['predict']:.0f}", f"{cost['echo'] / cost['predict']:.2f}"]
        table.append([name, *rates, *times])
    title = (
        "Single rows per second (target: at least 0.6 of echoes of the bare framework), and microseconds of CPU each"
    )
    head = ["model", "echoes per second", "predictions", "ratio", "CPU of an echo", "of a prediction", "ratio"]
    print_table(title, head, table)


def batches():
    """Print the time of a request of 1,000 rows beside that of `TableModel.predict` of the same rows as dicts."""
    from cogmap.serving import application

    table = []
    for name, make in MODELS.items():
        model, X = make()
        X = pd.concat([X] * (N_ROWS // len(X) + 1), ignore_index=True)
        body = rows(X, N_ROWS)
        given, subject = json.loads(body)["rows"], TableModel.of(model)
        seconds, costs = {"predict": [], "request": []}, {"predict": 0.0, "request": 0.0}
        with Served(lambda model=model: application(model)) as server:
            turns = partial(ask_in_turns, server, post("/predict", body), partial(subject.predict, given))
            asyncio.run(turns({"predict": [], "request": []}, {"predict": 0.0, "request": 0.0}))  # until all is warm
            asyncio.run(turns(seconds, costs))
        best = {kind: 1e3 * min(times) for kind, times in seconds.items()}
        cost = {kind: 1e3 * total / N_TURNS for kind, total in costs.items()}
        numbers = [f"{times[kind]:.1f}" for times in (best, cost) for kind in ("predict", "request")]
        ratios = [f"{times['request'] / times['predict']:.2f}" for times in (best, cost)]
        table.append([name, *numbers[:2], ratios[0], *numbers[2:], ratios[1]])
    title = (
        f"Milliseconds for {N_ROWS:,} rows, the best of {N_TURNS}, and of CPU "
        "(target: a request takes at most 1.3 of TableModel.predict)"
    )
    print_table(title, ["model", "predict", "request", "ratio", "CPU of predict", "of a request", "ratio"], table)


async def ask_in_turns(server, request, compute, seconds, costs):
    """Time requests on one connection and calls of a function, in turns."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    at_first = server.seconds()
    for _ in range(N_TURNS):
        begin, cost = time.perf_counter(), time.process_time()
        compute()
        seconds["predict"].append(time.perf_counter() - begin)
        costs["predict"] += time.process_time() - cost
        begin = time.perf_counter()
        status, _ = await ask(reader, writer, request)
        seconds["request"].append(time.perf_counter() - begin)
        assert status == 200
    costs["request"] = server.seconds() - at_first
    writer.close()


def load():
    """Print failures and memory during a minute of requests on many connections."""
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


def main():
    """Run the named parts, or all."""
    for part in sys.argv[1:] or ["speed", "batches", "load"]:
        {"speed": speed, "batches": batches, "load": load}[part]()


if __name__ == "__main__":
    main()
