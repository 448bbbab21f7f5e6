"""Keep the tables that a benchmark prints, as the source of figures in the guides.

``python -m benchmarks.record explaining`` runs ``python -m benchmarks.explaining`` and writes its tables to
``results/guides/explaining.json``; further arguments are the benchmark's own. Tables of parts that were not run stay.
``docs/figures.py`` inserts them into the pages.
"""

import argparse
import importlib
import json
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import scipy
import sklearn

import cogmap
from benchmarks import timing
from cogmap._utils.files import write_whole

FOLDER = Path(__file__).parents[1] / "results" / "guides"


def run(name, arguments):
    """Run a benchmark as its command does, and return the tables that it printed."""
    timing.PRINTED.clear()
    module = importlib.import_module(f"benchmarks.{name}")
    sys.argv = [f"benchmarks.{name}", *arguments]
    module.main()
    return dict(timing.PRINTED)


def record(name, arguments, tables):
    """Write tables beside those that the file has already, each with its command, date and versions."""
    path = FOLDER / f"{name}.json"
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"tables": {}, "sentences": []}
    source = {
        "command": " ".join(["python -m", f"benchmarks.{name}", *arguments]),
        "measured": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.system()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
        "versions": f"cogmap {cogmap.__version__}, Python {platform.python_version()}, NumPy {np.__version__}, "
        f"SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}",
    }
    for title, (header, rows) in tables.items():
        kept["tables"][title] = {**source, "header": header, "rows": rows}
    FOLDER.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def main():
    """Run a benchmark, and keep its tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.record", description=main.__doc__)
    parser.add_argument("name", help="module of benchmarks with a function main")
    name, arguments = parser.parse_known_args()
    record(name.name, arguments, run(name.name, arguments))


if __name__ == "__main__":
    main()
