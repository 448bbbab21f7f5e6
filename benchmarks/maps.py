"""Maps by hand: times of attractors, certificates, total effects and Monte Carlo, relative to their minimal arithmetic.

Certificates use the published maps in ``../shared/maps``, or in the folder COGMAP_MAPS; without it they are omitted.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks.timing import best_times, print_table
from cogmap import FuzzyCognitiveMap
from cogmap._utils.threads import one_blas_thread
from cogmap.exceptions import DataError
from cogmap.maps.dynamics import attractors, certificate
from cogmap.maps.effects import total_effects
from cogmap.maps.formats import read_map, read_maps
from cogmap.maps.monte_carlo import monte_carlo

MAPS = Path(os.environ.get("COGMAP_MAPS") or Path(__file__).parents[2] / "shared" / "maps")
NAMES_OF = {"osoba_clot_names.csv": "osoba_clot_edges.csv", "fsdm_ozesmi_concepts.json": "fsdm_ozesmi_relations.json"}
SLOPE = 5.0

MEMORY = """
import json, re
from pathlib import Path
from benchmarks.maps import large_map, starts
from cogmap.maps.dynamics import attractors

def memory(which):  # of this process, in MB: VmRSS is now, VmHWM the peak (Linux only)
    return int(re.search(which + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

fcm, A = large_map(), starts()
attractors(fcm, A[:100])  # everything is loaded and warm
before = memory("VmRSS")
Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
attractors(fcm, A)
print(json.dumps(memory("VmHWM") - before))
"""


def large_map():
    """Return a map of 50 concepts that converges after about 50 steps."""
    W = np.random.default_rng(0).normal(size=(50, 50)) / np.sqrt(50)
    return FuzzyCognitiveMap(W, 0.5 - W.sum(axis=1) / 2, slope=3.0)


def starts():
    """Return 10,000 random initial states."""
    return np.random.default_rng(1).random((10_000, 50))


def steps_until_rest(fcm, A, tol=1e-6):
    """Return the number of steps until no state changes by more than `tol`."""
    for step in range(1, 10_000):
        A, before = fcm.step(A), A
        if np.abs(A - before).max() <= tol:
            return step
    raise RuntimeError("the map does not rest")


def bare_steps(fcm, A, steps):
    """Run steps without convergence checks."""
    for _ in range(steps):
        A = fcm.step(A)
    return A


def bare_products(W, A, steps):
    """Repeatedly multiply many matrices by vectors."""
    for _ in range(steps):
        W @ A


def maps_of_others():
    """Return the published maps by file name, and the names of all files."""
    files = sorted(path for path in MAPS.iterdir() if path.name != "README.md")
    maps = {}
    for path in files:
        if path.name in NAMES_OF.values() or path.name in NAMES_OF:
            continue
        try:
            maps[path.name] = read_map(path)
        except DataError:  # a file of several experts
            maps |= {f"{path.name}: {name}": fcm for name, fcm in read_maps(path).items()}
    for names, edges in NAMES_OF.items():
        maps[edges] = read_map(MAPS / edges, concepts=MAPS / names)
    return maps, [path.name for path in files]


def speed():
    """Print times relative to the bare arithmetic, and memory."""
    fcm, A = large_map(), starts()
    steps = steps_until_rest(fcm, A)
    with one_blas_thread():
        best = best_times(
            {"bare": lambda: bare_steps(fcm, A, steps), "attractors": lambda: attractors(fcm, A)}, rounds=5
        )
    extra = json.loads(
        subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True).stdout
    )
    rng = np.random.default_rng(2)
    large = FuzzyCognitiveMap(rng.uniform(-1, 1, (500, 500)))
    sparse = FuzzyCognitiveMap(large.weights * (rng.random((500, 500)) < 0.05))
    effects = best_times({"full": lambda: total_effects(large), "sparse": lambda: total_effects(sparse)}, rounds=3)
    W = rng.uniform(-1, 1, (40, 40)) * (rng.random((40, 40)) < 0.2)
    drawn = FuzzyCognitiveMap(W, activation="logistic")
    restless = FuzzyCognitiveMap(rng.uniform(-1, 1, (40, 40)), slope=SLOPE, activation="logistic")
    many, vectors = np.repeat(W[np.newaxis], 1000, axis=0), rng.random((1000, 40, 1))
    with one_blas_thread():
        random = best_times(
            {
                "bare": lambda: bare_products(many, vectors, 100),
                "drawn": lambda: monte_carlo(drawn, {"C1": 1}),
                "restless": lambda: monte_carlo(restless, {"C1": 1}),
            }
        )
    bare, at_rest, restless_time = (random[name] for name in ("bare", "drawn", "restless"))
    rows = [
        [
            f"attractors, 50 concepts x 10,000 starts / {steps} bare steps until rest",
            best["attractors"] / best["bare"],
            "3 x",
        ],
        ["the same, memory beyond the starts", extra, "300 MB"],
        ["total effects, 500 concepts, all edges", effects["full"], "1 s"],
        ["total effects, 500 concepts, a twentieth of the edges", effects["sparse"], "1 s"],
        ["Monte Carlo, 1,000 samples x 40 concepts / 100 bare products", at_rest / bare, "3 x"],
        ["the same, maps that never converge / the 200 products of their steps", restless_time / bare / 2, "3 x"],
    ]
    shown = [[name, f"{value:.2f} {target.split()[-1]}", target] for name, value, target in rows]
    print_table("Maps by hand, one thread", ["what", "measured", "at most"], shown)


def proofs():
    """Print the certificates of the published maps."""
    if not MAPS.is_dir():
        print(f"\nNo maps of others in {MAPS}: set COGMAP_MAPS.")
        return
    maps, files = maps_of_others()
    rows, counts = [], {}
    for name, fcm in maps.items():
        for activation in ("logistic", "sigmoid"):
            known = certificate(fcm.replace(activation=activation, slope=SLOPE))
            several = known.found is not None and len(known.found.cycles) > 1
            kind = {True: "one fixed point", False: "several fixed points", None: "not known"}[known.unique]
            held = [proof.name for proof in known.proofs if proof.holds]
            rows.append([name, activation, fcm.n_concepts, kind, ", ".join(held) or "-", "yes" if several else ""])
            for proof in held:
                counts[proof] = counts.get(proof, 0) + 1
            counts["open"] = counts.get("open", 0) + (known.unique is None)
            counts["several"] = counts.get("several", 0) + several
    header = ["map", "activation", "concepts", "proved", "by", "several attractors"]
    print_table(f"Certificates at slope {SLOPE:g}; {len(files)} files, {len(maps)} maps", header, rows)
    by = ", ".join(f"{name} {counts.get(name, 0)}" for name in ("frobenius", "row sums", "radius", "box"))
    print(f"  of {len(rows)}: {by}; {counts['several']} have several attractors; {counts['open']} undecided")


def main():
    """Print everything."""
    speed()
    proofs()


if __name__ == "__main__":
    main()
