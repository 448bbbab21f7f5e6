"""Bitwise comparison of fitted models between this commit and an earlier one, on this machine.

``python -m benchmarks.same_predictions --against REV`` checks out REV beside this tree, fits the same estimators in
both, each in a process of its own, and compares the bits of predictions, transformed features, maps and loss curves.
Both are computed here, because results depend on the BLAS of the machine.

The exit status is 1 if a case differs that no ``--allow`` names. ``--quick`` skips slow cases, ``--only wide`` selects
cases whose names contain "wide", and ``--reference FILE`` stores the results of REV for the next run.
"""

import argparse
import io
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.model_cases import CASES

ROOT = Path(__file__).resolve().parents[1]
SLOW = 2.0  # seconds


def described(fcm, X):
    """Return everything in a fitted estimator that must not change, as arrays."""
    found = {
        "predictions": fcm.predict(X),
        "transformed": fcm.transform(X),
        "weights": _weights(fcm.map_),
        "bias": fcm.map_.bias,
        "slope": np.asarray(fcm.map_.slope),
        "concepts": np.array(fcm.map_.concepts),
        "depth": np.array(fcm.model_.depth),
        "outcome": np.array(fcm.outcome_.name),
        "loss curve": np.array(fcm.loss_curve_),
    }
    if hasattr(fcm, "predict_proba"):
        found["probabilities"] = fcm.predict_proba(X)
    for name in ("teacher_losses_", "feature_importances_", "validation_loss_curve_", "alpha_"):
        if hasattr(fcm, name):
            found[name] = np.array(getattr(fcm, name))
    return {name: array.astype(str) if array.dtype == object else array for name, array in found.items()}


def _weights(fcm):
    """Return the weights; for a structured map only the trainable ones, because the full matrix is large."""
    return fcm.rows if hasattr(fcm, "rows") else fcm.weights


def record(path, names):
    """Fit the cases and write their results."""
    import cogmap

    print(f"  {cogmap.__file__}", file=sys.stderr)
    arrays = {}
    for name in names:
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = described(*CASES[name][0]())
            except Exception as error:
                found = {"error": np.array(f"{type(error).__name__}: {error}")}
        seconds = time.perf_counter() - start
        if seconds > SLOW:
            print(f"  {name}: {seconds:.1f} s", file=sys.stderr)
        arrays |= {f"{name}/{what}": array for what, array in found.items()}
    np.savez(path, **arrays)


def recorded(tree, path, names):
    """Fit the cases in another process with the package of a source tree."""
    paths = os.pathsep.join([str(tree / "src"), str(ROOT)])  # the package of that tree, the cases of this one
    command = [sys.executable, "-P", "-m", "benchmarks.same_predictions", "--record", str(path)]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": paths, "COGMAP_CASES": "\n".join(names)})
    with np.load(path) as arrays:
        return dict(arrays)


def differences(ours, theirs):
    """Return the differences of each case, and their sizes."""
    found = {}
    for key in sorted(ours.keys() | theirs.keys()):
        name, what = key.split("/")
        a, b = ours.get(key), theirs.get(key)
        if a is None or b is None:
            found.setdefault(name, []).append(f"{what}: only {'before' if a is None else 'now'}")
        elif a.dtype != b.dtype or a.shape != b.shape or a.tobytes() != b.tobytes():
            found.setdefault(name, []).append(f"{what}: {_distance(a, b)}")
    return found


def _distance(a, b):
    if a.shape == b.shape and a.dtype.kind == b.dtype.kind == "f":
        return f"up to {np.nanmax(np.abs(a - b)):.3g}"
    return f"{b} before, {a} now" if a.size == b.size == 1 else f"shape {b.shape} before, {a.shape} now"


def compare(options, names, folder):
    """Record both trees and print the differences; return the names of cases that differ without permission."""
    reference = options.reference or folder / "before.npz"
    if options.reference and options.reference.exists():
        with np.load(reference) as arrays:
            before = dict(arrays)
    else:
        before = _at_revision(options.against, reference, names, folder)
    before = {key: array for key, array in before.items() if key.split("/")[0] in names}
    found = differences(recorded(ROOT, folder / "now.npz", names), before)
    for name, what in found.items():
        print(f"{name}\n    " + "\n    ".join(what))
    failed = [key for key, array in before.items() if key.endswith("/error")]
    for key in failed:
        print(f"{key}: {before[key]}")
    bad = [name for name in found if not any(pattern in name for pattern in options.allow)]
    print(f"{len(names) - len(found)} of {len(names)} models are equal to the last bit; {len(bad)} must not differ.")
    return bad


def _at_revision(revision, path, names, folder):
    tree = folder / "tree"
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(tree), revision], check=True)
    try:
        return recorded(tree, path, names)
    finally:
        subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def main():
    """Compare both trees, or record one in the subprocess."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", metavar="REV", help="commit to compare with")
    parser.add_argument("--only", metavar="TEXT", default="", help="take cases whose names contain this")
    parser.add_argument("--quick", action="store_true", help="leave out cases that take long")
    parser.add_argument("--allow", metavar="TEXT", action="append", default=[], help="cases that may differ")
    parser.add_argument("--reference", metavar="FILE", type=Path, help="file that keeps the results of REV")
    parser.add_argument("--record", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.record:
        record(options.record, os.environ["COGMAP_CASES"].split("\n"))
        return
    if options.against is None:
        parser.error("--against is needed")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)
    names = [name for name, (_, slow) in CASES.items() if options.only in name and not (slow and options.quick)]
    with tempfile.TemporaryDirectory(prefix="cogmap-") as folder:
        sys.exit(bool(compare(options, names, Path(folder))))


if __name__ == "__main__":
    main()
