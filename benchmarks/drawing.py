"""Time to draw a map, relative to an empty figure, for 7, 40 and 100 concepts.

The target is at most one second for 100 concepts, from the map to the file (``python -m benchmarks.drawing``).
``python -m benchmarks.drawing FOLDER`` also stores the pictures.
"""

import io
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from benchmarks.timing import best_times, print_table
from cogmap import FuzzyCognitiveMap
from cogmap.models.encoding import Encoding
from cogmap.models.links import SoftmaxLink
from cogmap.models.model import MapModel
from cogmap.plotting import plot_map, plot_weights

SIZES = {7: (4, 0, 3), 40: (25, 8, 7), 100: (70, 20, 10)}  # features, hidden concepts, outputs


def example(n_features, n_hidden, n_outputs):
    """Return a model with weights of very different sizes between all concepts, the hardest case to draw."""
    rng = np.random.default_rng(0)
    n_concepts = n_features + n_hidden + n_outputs
    weights = rng.normal(size=(n_concepts, n_concepts)) * np.exp(rng.normal(size=(n_concepts, n_concepts)))
    weights[:n_features] *= 0.3
    names = [
        *(f"feature {i + 1}" for i in range(n_features)),
        *(f"hidden {i + 1}" for i in range(n_hidden)),
        *(f"class={i}" for i in range(n_outputs)),
    ]
    fcm = FuzzyCognitiveMap(weights, concepts=names)
    return MapModel(fcm, 2, Encoding(n_features, n_hidden), SoftmaxLink(np.arange(n_outputs), 1.0))


def written(ax):
    """Write a figure as a PNG file in memory."""
    file = io.BytesIO()
    ax.figure.savefig(file, format="png")
    return file.getvalue()


def main():
    """Print the times."""
    folder, rows = next(iter(sys.argv[1:]), None), []
    for n_concepts, sizes in SIZES.items():
        model = example(*sizes)
        contestants = {
            "graph": lambda model=model: written(plot_map(model)),
            "svg": lambda model=model: model.map._repr_html_(),
            "matrix": lambda model=model: written(plot_weights(model)),
            "empty": lambda: written(Figure().add_subplot()),
        }
        times = best_times(contestants, rounds=3, seconds=4.0)
        ratio = f"{times['graph'] / times['empty']:.1f}"
        rows.append([n_concepts, *(f"{times[name]:.3f} s" for name in contestants), ratio])
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            Path(folder, f"map_{n_concepts}.png").write_bytes(written(plot_map(model)))
    header = ["concepts", "graph (target: 1 s)", "SVG for a notebook", "matrix", "empty figure", "graph / empty"]
    print_table("Drawing a map", header, rows)


if __name__ == "__main__":
    main()
