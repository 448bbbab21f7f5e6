"""Scaling: cluster workers, files larger than memory, many rows, and the cost model of docs/guide/scale.md.

`make bench-scale` uses a million rows; `python -m benchmarks.scale --rows 10000000` the ten million of the guide.
Times are compared within one run, because the machine may be shared.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.scaling import run as run_in_memory
from benchmarks.timing import print_table
from cogmap._learning.losses import LogLoss
from cogmap._learning.objective import DenseObjective
from cogmap._utils.threads import one_blas_thread

FEATURES = 20
SHORT = {"solver": "lbfgs", "n_teachers": 0, "tol": 0, "random_state": 0}

MEMORY = """
import re
from pathlib import Path

def memory(which):  # of this process, in MB: VmRSS is now, VmHWM the peak (Linux only)
    return int(re.search(which + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
"""

OUT_OF_CORE = (
    MEMORY
    + """
import json, sys, time, warnings
from cogmap import FCMClassifier
from cogmap.integrations.chunks import parquet_chunks
warnings.simplefilter("ignore")
before = memory("VmRSS")
start = time.perf_counter()
fcm = FCMClassifier(n_teachers=0, tol=0, random_state=0, max_iter=int(sys.argv[2]))
fcm.fit_chunks(parquet_chunks(sys.argv[1], "y"))
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "peak": memory("VmHWM"), "before": before, "loss": fcm.loss_curve_[-1]}))
"""
)


def rows_of(start, stop):
    """Return a block of rows of the table, identical in every process."""
    random = np.random.default_rng(start)
    X = random.standard_normal((stop - start, FEATURES), dtype=np.float32)
    return X, (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(np.int64)


def write_parquet(folder, n_rows, a_file=1_000_000):
    """Write the table to files, one part at a time."""
    import pandas as pd

    for start in range(0, n_rows, a_file):
        X, y = rows_of(start, min(start + a_file, n_rows))
        frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(FEATURES)]).assign(y=y)
        frame.to_parquet(Path(folder) / f"{start:012d}.parquet", row_group_size=2**17)


def out_of_core(n_rows, iterations):
    """Print the peak memory of a fit from files."""
    with tempfile.TemporaryDirectory() as folder:
        write_parquet(folder, n_rows)
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 2**20
        command = [sys.executable, "-c", OUT_OF_CORE, folder, str(iterations)]
        result = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    rows = [
        ["Parquet files", f"{size:.0f} MB", ""],
        ["the table as float64", f"{n_rows * FEATURES * 8 / 2**20:.0f} MB", ""],
        ["peak of the whole process", f"{result['peak']:.0f} MB", "400 MB"],
        ["of it the program before the fit", f"{result['before']:.0f} MB", ""],
        [f"seconds, {iterations} iterations", f"{result['seconds']:.1f}", ""],
    ]
    print_table(f"Out of core, {n_rows:,} x {FEATURES} from Parquet", ["what", "measured", "at most"], rows)


def timed_on(n_workers, n_rows, iterations):
    """Return the fit time on a cluster with the given number of workers, without creating the table, and the map.

    Also returns CPU times of the busiest worker and of the client, which are more reliable on a shared machine.
    """
    import dask
    import dask.array as da
    from dask.distributed import Client, LocalCluster, wait

    from cogmap.integrations.dask import DaskFCMClassifier

    a_chunk = max(n_rows // 20 // 65_536, 1) * 65_536
    edges = [*range(0, n_rows, a_chunk), n_rows]
    cluster = LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0)
    with cluster, Client(cluster) as client:
        parts = [dask.delayed(rows_of)(start, stop) for start, stop in pairwise(edges)]
        sizes = [stop - start for start, stop in pairwise(edges)]
        X = da.concatenate(
            [da.from_delayed(part[0], (size, FEATURES), np.float32) for part, size in zip(parts, sizes, strict=True)]
        )
        y = da.concatenate(
            [da.from_delayed(part[1], (size,), np.int64) for part, size in zip(parts, sizes, strict=True)]
        )
        X, y = dask.persist(X, y)
        wait([X, y])
        fcm = DaskFCMClassifier(max_iter=1, **SHORT).fit(X[:200_000], y[:200_000])  # all is loaded and warm
        before, led, start = client.run(time.process_time), time.process_time(), time.perf_counter()
        fcm = DaskFCMClassifier(max_iter=iterations, **SHORT).fit(X, y)
        seconds, led = time.perf_counter() - start, time.process_time() - led
        busiest = max(after - before[worker] for worker, after in client.run(time.process_time).items())
        return seconds, busiest + led, fcm.map_


def on_workers(n_rows, iterations, compare_up_to=2_000_000):
    """Print the speedup of a second worker, and the difference of its map from the local one."""
    one, one_busy, _ = timed_on(1, n_rows, iterations)
    two, two_busy, fcm = timed_on(2, n_rows, iterations)
    rows = [
        [f"seconds, 1 worker, {iterations} iterations", f"{one:.1f}", ""],
        ["seconds, 2 workers", f"{two:.1f}", ""],
        ["2 workers / 1", f"{two / one:.2f}", ".6"],
        ["2 workers / 1, processor time", f"{two_busy / one_busy:.2f}", ".6"],
    ]
    if n_rows <= compare_up_to:
        from cogmap import FCMClassifier

        a_chunk = max(n_rows // 20 // 65_536, 1) * 65_536
        chunks = [rows_of(start, min(start + a_chunk, n_rows)) for start in range(0, n_rows, a_chunk)]
        X, y = (np.concatenate(column) for column in zip(*chunks, strict=True))
        start = time.perf_counter()
        local = FCMClassifier(max_iter=iterations, **SHORT).fit(X, y)
        rows.append(["seconds, local fit", f"{time.perf_counter() - start:.1f}", ""])
        rows.append(["largest difference of a weight", f"{np.abs(local.map_.weights - fcm.weights).max():.1g}", "1e-8"])
    print_table(f"Dask, {n_rows:,} x {FEATURES}, one thread a worker", ["what", "measured", "at most"], rows)


def many_rows():
    """Print time and memory by the number of rows in memory."""
    small, large = (run_in_memory(n_rows) for n_rows in (100_000, 1_000_000))
    rows = [
        ["time at 1,000,000 rows / at 100,000, ten iterations", f"{large['seconds'] / small['seconds']:.1f}", "8"],
        ["peak beyond the data at 1,000,000", f"{large['extra']:.0f} MB", "150 MB"],
    ]
    print_table("Many rows in memory, one thread", ["what", "measured", "at most"], rows)


def one_chunk(n_rows):
    """Print the cost of a pass over one long chunk, relative to the same rows in chunks of one segment."""
    from cogmap import FCMClassifier
    from cogmap.estimators._chunks import Chunks

    X, y = rows_of(0, n_rows)
    parts = [(X[i : i + 65_536], y[i : i + 65_536]) for i in range(0, n_rows, 65_536)]
    seconds = [[], []]
    for _ in range(3):  # in turn, because other programs may use the machine too
        for times, chunks in zip(seconds, ([(X, y)], parts), strict=True):
            times.append(_timed(lambda c=chunks: sum(len(s[0]) for s in Chunks(c, FCMClassifier()).segments())))
    long, short = (min(times) for times in seconds)
    rows = [
        ["seconds, one chunk", f"{long:.2f}", ""],
        ["seconds, chunks of 65,536 rows", f"{short:.2f}", ""],
        ["one chunk / many", f"{long / short:.2f}", "1.2"],
    ]
    print_table(f"A pass over {n_rows:,} x {FEATURES} in chunks", ["what", "measured", "at most"], rows)


def cost_model():
    """Print the time of one gradient beside a cost model with two terms: matrix products and activations."""
    random = np.random.default_rng(0)
    n_rows = 131_072
    shapes, terms, measured = [], [], []
    for n_features, n_hidden, depth in [(20, 16, 2), (20, 16, 3), (20, 60, 2), (100, 32, 2), (5, 16, 3), (50, 50, 4)]:
        X = random.random((n_rows, n_features), dtype=np.float32)
        y = (X[:, 0] > 0.5).astype(np.int64)
        objective = DenseObjective(X, y, LogLoss(), depth=depth, slope=2.0, n_hidden=n_hidden)
        theta = random.normal(size=objective.n_parameters) / 10
        with one_blas_thread():
            objective.sums(theta)
            seconds = min(_timed(lambda o=objective, t=theta: o.sums(t)) for _ in range(5))
        r = objective.n_concepts
        shapes.append([n_features, n_hidden, depth])
        # Products of the first step and of those between; the last one has a single output, hence few.
        terms.append([2 * r * n_features + 3 * (depth - 2) * r * r, r * (depth - 1)])
        measured.append(1e9 * seconds / n_rows)
    costs, *_ = np.linalg.lstsq(np.divide(terms, np.array(measured)[:, None]), np.ones(len(terms)))
    rows = [
        [*shape, products, states, f"{ns:.0f}", f"{costs @ [products, states]:.0f}"]
        for shape, (products, states), ns in zip(shapes, terms, measured, strict=True)
    ]
    header = ["features", "hidden", "depth", "products", "states", "ns a row", "model"]
    title = f"One gradient, float32, one thread; model: {costs[0]:.3f} ns a product, {costs[1]:.2f} ns a state"
    print_table(title, header, rows)


def _timed(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main():
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--only", choices=["cost", "memory", "dask", "many", "chunk"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    parts = {
        "cost": cost_model,
        "memory": lambda: out_of_core(options.rows, options.iterations),
        "dask": lambda: on_workers(options.rows, options.iterations),
        "many": many_rows,
        "chunk": lambda: one_chunk(8 * options.rows),
    }
    for name, part in parts.items():
        if options.only in (None, name):
            part()


if __name__ == "__main__":
    main()
