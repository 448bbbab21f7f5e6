"""Memory and time with many rows; each fit runs in a separate process, which reports its peak."""

import json
import subprocess
import sys

from benchmarks.timing import print_table

FIT = """
import json, re, sys, time, warnings
from pathlib import Path
import numpy as np
from cogmap import FCMClassifier

def memory(which):  # of this process, in MB: VmRSS is now, VmHWM the peak (Linux only)
    return int(re.search(which + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

n_rows, kind = int(sys.argv[1]), sys.argv[2]
rng = np.random.default_rng(0)
X = rng.random((n_rows, 20), dtype=np.float32)
y = (X[:, :5].sum(axis=1) > 2.5).astype(np.int64)
fcm = FCMClassifier(random_state=0)
if kind != "default":
    fcm.set_params(solver="lbfgs", max_iter=10, tol=0, n_hidden=16)
warnings.simplefilter("ignore")
fcm.fit(X[:2000], y[:2000])  # everything is loaded and warm
before = memory("VmRSS")
Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
start = time.perf_counter()
fcm.fit(X, y)
print(json.dumps({"seconds": time.perf_counter() - start, "extra": memory("VmHWM") - before}))
"""


def run(n_rows, kind="ten iterations"):
    """Fit `n_rows` rows of 20 float32 features in a separate process."""
    command = [sys.executable, "-c", FIT, str(n_rows), kind]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main():
    """Print extra memory and the growth of time."""
    data = 1_000_000 * 20 * 4 / 2**20
    extra, extra_default = run(1_000_000)["extra"], run(1_000_000, "default")["extra"]
    small, large = (min(run(n_rows)["seconds"] for _ in range(3)) for n_rows in (100_000, 1_000_000))
    small_default, large_default = (run(n_rows, "default")["seconds"] for n_rows in (100_000, 1_000_000))
    rows = [
        ["data, 1,000,000 x 20 float32", f"{data:.0f} MB", ""],
        ["peak of 10 iterations of L-BFGS beyond the data and the program", f"{extra:.0f} MB", "150 MB"],
        ["the same, default fit", f"{extra_default:.0f} MB", "150 MB"],
        ["time at 1,000,000 rows / at 100,000, 10 iterations of L-BFGS", f"{large / small:.1f}", "11"],
        ["the same, default fit", f"{large_default / small_default:.1f}", "8"],
        ["seconds at 1,000,000 rows, 10 iterations of L-BFGS", f"{large:.2f}", ""],
        ["the same, default fit", f"{large_default:.1f}", ""],
    ]
    print_table("Many rows, one thread", ["what", "measured", "at most"], rows)


if __name__ == "__main__":
    main()
