"""The server under reloads, idle connections and fuzzing, and alarms of drift.

``python -m benchmarks.operations`` runs reload, idle, drift and a minute of fuzzing; with ``fuzz 1800``, 30 minutes
of fuzzing. Servers run in separate processes on loopback.
"""

import asyncio
import contextlib
import json
import os
import random
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.serving import ask, post
from benchmarks.timing import print_table
from cogmap import FCMClassifier, TablePreparer
from cogmap.table import TableModel, fit_table
from cogmap.table.drift import find_drift
from cogmap.table.training import _statistics as statistics_of

RELOADS, RELOAD_SECONDS, RELOAD_CONNECTIONS = 200, 60.0, 16
IDLE = 1_100
FUZZ_SECONDS = 60.0
FILES, DRIFT_ROWS = 200, 2_000


def people(n_rows=300, seed=0):
    """Return a table with all kinds of columns and a target."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n_rows).astype(float),
            "colour": rng.choice(["red", "green", "blue"], n_rows),
            "member": rng.choice(["yes", "no"], n_rows),
            "joined": pd.date_range("2022-01-01", periods=n_rows).strftime("%Y-%m-%d"),
        }
    )
    high = table["age"] + 20 * (table["colour"] == "red") + rng.normal(0, 8, n_rows) > 55
    return table.assign(target=np.where(high, "buys", "waits"))


ROW = {"age": 41, "colour": "red", "member": "yes", "joined": "2022-05-17"}
BODY = json.dumps({"rows": [ROW]}).encode()


@contextlib.contextmanager
def served(*arguments, limit=None):
    """Run ``cogmap serve``; yield its port, its process id and the file of its log."""
    with tempfile.NamedTemporaryFile() as log:
        command = [sys.executable, "-m", "cogmap", "serve", *map(str, arguments), "--port", "0"]
        if limit is not None:
            command = ["bash", "-c", f'ulimit -n {limit}; exec "$@"', "bash", *command]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            port = int(re.search(r"http://[\d.]+:(\d+)", process.stdout.readline())[1])
            yield port, process.pid, Path(log.name)
        finally:
            process.terminate()
            process.wait(30)
            process.stdout.close()


def memory(pid):
    """Return the memory of a process in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def reload(seconds=RELOAD_SECONDS):
    """Replace a model file 200 times in a minute under load; each answer must come from the model that it names."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expected = {}
        for seed in (0, 1):
            model = fit_table(people(seed=seed), "target")
            model.save(folder / f"{seed}.model")
            digest = subprocess.run(["sha256sum", folder / f"{seed}.model"], capture_output=True, text=True).stdout
            expected[digest.split()[0]] = model.predict_proba([ROW])[0]
        path = folder / "people.cogmap"
        shutil.copy(folder / "0.model", path)
        counts = {"answers": 0, "failures": 0, "mixed": 0}
        seen = dict.fromkeys(expected, 0)

        async def client(port, end):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            while time.perf_counter() < end:
                writer.write(post("/predict", BODY))
                try:
                    head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)).decode().lower()
                    text = await reader.readexactly(int(re.search(r"content-length: (\d+)", head)[1]))
                except (OSError, EOFError, TimeoutError):
                    counts["failures"] += 1
                    reader, writer = await asyncio.open_connection("127.0.0.1", port)
                    continue
                counts["answers"] += 1
                counts["failures"] += " 200 " not in head
                digest = re.search(r"hash=(\w+)", head)[1]
                seen[digest] += 1
                got = list(json.loads(text)["predictions"][0]["probabilities"].values())
                counts["mixed"] += not np.allclose(got, expected[digest], atol=1e-12)
            writer.close()

        async def replacer(end):
            pause = seconds / RELOADS
            for number in range(RELOADS):
                shutil.copy(folder / f"{(number + 1) % 2}.model", folder / "part")
                os.replace(folder / "part", path)
                os.kill(pid, 1)  # SIGHUP
                await asyncio.sleep(max(min(pause, end - time.perf_counter()), 0))

        async def both(port):
            end = time.perf_counter() + seconds
            await asyncio.gather(replacer(end), *(client(port, end) for _ in range(RELOAD_CONNECTIONS)))
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            _, text = await ask(reader, writer, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            writer.close()
            return text.decode()

        with served(path, "--log", "off") as (port, pid, _):
            metrics = asyncio.run(both(port))
        loaded = re.search(r'reloads_total{model="people",result="loaded"} (\d+)', metrics)[1]
    row = [str(RELOADS), loaded, f"{counts['answers']:,}", str(counts["failures"]), str(counts["mixed"])]
    head = ["replaced", "loaded", "answers", "failures", "mixed models"]
    print_table(f"Reload under load, in {seconds:.0f} s (target: 0 failures, 0 mixed)", head, [row])


def idle():
    """Open 1,100 idle connections at `ulimit -n 1024`; print how long a normal client waits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, 4_000), hard), hard))
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "people.cogmap")
        fit_table(people(), "target").save(path)
        with served(path, limit=1024) as (port, pid, log):
            connections = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(IDLE)]
            waits = []
            for _ in range(20):
                begin = time.perf_counter()
                with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
                    connection.sendall(post("/predict", BODY))
                    assert connection.recv(100).startswith(b"HTTP/1.1 200")
                waits.append(time.perf_counter() - begin)
            n_files = len(os.listdir(f"/proc/{pid}/fd"))
            for connection in connections:
                connection.close()
            time.sleep(1)
            size = log.stat().st_size
    row = [f"{IDLE:,}", f"{1e3 * max(waits):.0f} ms", str(n_files), f"{size:,} bytes"]
    head = ["idle connections", "longest wait", "open files", "log"]
    print_table("Idle connections at ulimit -n 1024 (target: below 1 s, log below 10 kB)", head, [row])


def mutated(request, rng):
    """Return a request with random mistakes."""
    data = bytearray(request)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        place = rng.randrange(len(data) + 1)
        kind = rng.randrange(6)
        if kind == 0:
            data[place : place + rng.randrange(1, 30)] = b""
        elif kind == 1:
            data[place:place] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 20)))
        elif kind == 2 and data:
            data[min(place, len(data) - 1)] ^= 1 << rng.randrange(8)
        elif kind == 3:
            data[place:place] = data[: rng.randrange(200)]
        elif kind == 4:
            words = [b"\r\n", b"\0", b'"', b"{", b"}", b"[", b"null", b"1e999", b"NaN", b"-", b"\xff", b";", b","]
            data[place:place] = rng.choice(words) * rng.choice([1, 1, 3, 1000])
        else:
            data[place:place] = b"x" * rng.choice([10, 1000, 70_000])
    return bytes(data)


def attacks(rng):
    """Yield raw requests without end: valid ones, mutated ones, and known tricks."""
    table = people(5).drop(columns="target").to_csv(index=False).encode()
    good = [
        post("/predict", BODY),
        post("/explain", BODY),
        post("/what-if", json.dumps({"rows": [ROW], "to": None, "fixed": ["age"]}).encode()),
        post("/predict", table, "text/csv"),
        post("/explain", table.replace(b",", b";"), "text/csv"),
        *(
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
            for path in ("/health", "/docs", "/metrics", "/models")
        ),
    ]
    head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    tricks = [
        head + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /admin HTTP/1.1\r\n\r\n",
        head + b"Content-Length: 99999999999999999999\r\n\r\n",
        head + b"Content-Length: -1\r\n\r\n",
        head + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        head + b"Expect: 100-continue\r\nContent-Length: 5\r\n\r\n",
        b"GET /%00%ff/../x HTTP/1.1\r\nHost: localhost:80.evil.com\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20_000 + b"\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        post("/predict", b"[" * 100_000),
        post("/predict", b'{"rows": [' + b"[]," * 200_000 + b"[]]}"),
        post("/predict", b'"' + b"a\n" * 100_000 + b'",b\n1,2\n', "text/csv"),
        post("/predict", b",".join(b"c%d" % i for i in range(30_000)) + b"\n1\n", "text/csv"),
    ]
    while True:
        kind = rng.random()
        if kind < 0.1:
            yield rng.choice(tricks)
        elif kind < 0.2:
            yield b"".join(rng.choice(good) for _ in range(rng.randrange(1, 8)))
        else:
            yield mutated(rng.choice(good), rng)


def exchange(port, request, rng):
    """Send bytes, in pieces at times, and return the statuses of the responses."""
    with socket.create_connection(("127.0.0.1", port), timeout=0.3) as connection:
        with contextlib.suppress(OSError):
            if rng.random() < 0.2:
                place = rng.randrange(len(request) + 1)
                connection.sendall(request[:place])
                time.sleep(0.001)
                connection.sendall(request[place:])
            else:
                connection.sendall(request)
            if rng.random() < 0.8:
                connection.shutdown(socket.SHUT_WR)
        answer = b""
        with contextlib.suppress(OSError):
            while part := connection.recv(65_536):
                answer += part
    return re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)


def schema_cases(port, seconds):
    """Send requests that match the OpenAPI document or not, for some seconds; return how often each status came."""
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis import GenerationMode

    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    schema = schemathesis.openapi.from_dict(json.loads(answer.partition(b"\r\n\r\n")[2]))
    schema.config.update(base_url=f"http://127.0.0.1:{port}")
    counts = {}
    end = time.perf_counter() + seconds
    paths = [("/predict", "POST"), ("/explain", "POST"), ("/what-if", "POST"), ("/health", "GET"), ("/metrics", "GET")]
    while time.perf_counter() < end:
        for path, method in paths:
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE) if method == "POST" else (None,):
                options = {} if mode is None else {"generation_mode": mode}

                @settings(max_examples=15, deadline=None, database=None, phases=[Phase.generate],
                          suppress_health_check=list(HealthCheck))  # fmt: skip
                @given(case=schema[path][method].as_strategy(**options))
                def send(case):
                    status = case.call().status_code
                    counts[status] = counts.get(status, 0) + 1

                send()
            if time.perf_counter() > end:
                break
    return counts


def fuzz(seconds=FUZZ_SECONDS):
    """Fuzz a server by schemathesis and by raw sockets, and print statuses, tracebacks and memory."""
    rng = random.Random(int(os.environ.get("SEED", "0")))
    counts, table, stream = {}, [], attacks(rng)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "people.cogmap")
        fit_table(people(), "target").save(path)
        with served(path) as (port, pid, log):
            n_parts = 6
            for part in range(n_parts + 1):  # the first part warms up
                half = seconds / n_parts / 2 if part else min(10.0, seconds / 6)
                for status, number in schema_cases(port, half).items():
                    counts[status] = counts.get(status, 0) + number
                end = time.perf_counter() + half
                while time.perf_counter() < end:
                    for status in exchange(port, next(stream), rng):
                        counts[int(status)] = counts.get(int(status), 0) + 1
                label = "warm-up" if not part else f"{part * seconds / n_parts:.0f} s"
                table.append([label, f"{sum(counts.values()):,}", f"{counts.get(500, 0)}", f"{memory(pid):.1f} MB"])
            time.sleep(0.5)
            text = log.read_text(errors="replace")
    print_table("Fuzzing (target: no 500, no traceback, no growth)", ["until", "responses", "500", "memory"], table)
    print(f"Tracebacks in the log: {text.count('Traceback')}; bugs: {text.count('A bug in cogmap')}.")
    print("Responses by status:", ", ".join(f"{status}: {number:,}" for status, number in sorted(counts.items())))


def columns(rng, n_rows):
    """Return 20 columns of many kinds: normal, skewed, heavy tails, integers, gaps, categories, a date."""
    table = {f"normal {i}": rng.normal(size=n_rows) for i in range(6)}
    table |= {"skewed": rng.exponential(size=n_rows), "heavy": rng.standard_cauchy(n_rows)}
    table |= {"number": rng.poisson(3, n_rows), "seldom": 1.0 * (rng.random(n_rows) < 0.03)}
    table |= {
        "age": rng.integers(18, 80, n_rows),
        "gaps": np.where(rng.random(n_rows) < 0.2, np.nan, rng.random(n_rows)),
    }
    table |= {f"category {i}": rng.choice(list("abcdefgh"[: 3 + i]), n_rows) for i in range(4)}
    table["words"] = [f"w{k}" for k in np.minimum(rng.zipf(1.7, n_rows), 400)]
    table["many"] = [f"m{k}" for k in rng.integers(0, 30, n_rows)]
    table["boolean"] = rng.choice(["yes", "no"], n_rows, p=[0.1, 0.9])
    table["date"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1500, n_rows), "D")
    return pd.DataFrame(table)


def with_statistics(train):
    """Return a model with the training statistics that `fit_table` keeps, without its teachers and held-out scores."""
    preparer = TablePreparer().fit(train)
    X, y = preparer.transform(train), np.where(train["normal 0"] > 0, "a", "b")
    fcm = FCMClassifier(n_teachers=0, n_hidden=0, max_iter=5, random_state=0).fit(X, y)
    return TableModel(preparer, fcm, {}, {"training_statistics": statistics_of(preparer, train)})


def drift():
    """Print how often a planted shift is found and named, and how often an unshifted file gives an alarm."""
    table = []
    for n_train in (300, 500, 2_000):
        found = alarms = others = 0
        rng = np.random.default_rng(n_train)
        for trial in range(FILES):
            model = with_statistics(columns(rng, n_train))
            new = columns(rng, DRIFT_ROWS)
            alarms += bool(find_drift(model, new).changes)
            name = f"normal {trial % 6}"
            new[name] += 0.5
            named = {change.column for change in find_drift(model, new).changes}
            found += name in named
            others += bool(named - {name})
        table.append([f"{n_train:,}", f"{found / FILES:.3f}", f"{alarms / FILES:.3f}", f"{others / FILES:.3f}"])
    head = ["training rows", "shift found and named", "unshifted: any alarm", "another column named"]
    print_table(f"{FILES} files of {DRIFT_ROWS:,} rows and 20 columns (target: .95 and .05)", head, table)


def main():
    """Run the named parts, or all; ``fuzz 60`` takes a minute."""
    if sys.argv[1:2] == ["fuzz"] and len(sys.argv) > 2:
        fuzz(float(sys.argv[2]))
    else:
        for part in sys.argv[1:] or ["reload", "idle", "drift", "fuzz"]:
            {"reload": reload, "idle": idle, "drift": drift, "fuzz": fuzz}[part]()


if __name__ == "__main__":
    main()
