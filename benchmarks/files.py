"""Model files of 30 features: size, and time to load one and predict a row, compared with ONNX and pickle.

The targets are less than 20 kB, and less than 3 ms after the imports (``python -m benchmarks.files``).
"""

import pickle
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline

import cogmap
from benchmarks.timing import best_times, print_table
from cogmap import FCMClassifier, FCMRegressor, TablePreparer
from cogmap.integrations.onnx import to_inputs, to_onnx


def models():
    """Return fitted models of 30 features, each with a row; the raw table has 25 columns, which become 30 features."""
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, data.target
    row = X[:1]
    rng = np.random.default_rng(0)
    mixed = X.iloc[:, :22].assign(
        colour=rng.choice(["red", "green", "blue"], len(X)),
        member=rng.choice(["yes", "no"], len(X)),
        bought=pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 500, len(X)), "D"),
    )
    return {
        "FCMClassifier": (FCMClassifier(structure="full", random_state=0).fit(X, y), row),
        "the same, all weights different from 0": (
            _dense(FCMClassifier(structure="full", random_state=0).fit(X, y)),
            row,
        ),
        "FCMRegressor": (FCMRegressor(structure="full", random_state=0).fit(X, y), row),
        "pipeline of a raw table": (
            make_pipeline(TablePreparer(), FCMClassifier(structure="full", random_state=0)).fit(mixed, y),
            mixed[:1],
        ),
    }


def session(graph):
    """Return a single-threaded onnxruntime session; idle threads would busy-wait while other sessions are timed."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(graph, options)


def _dense(fcm):
    """Return the estimator with a map without zero weights, which would compress well."""
    weights = np.random.default_rng(0).normal(size=fcm.map_.weights.shape)
    fcm.model_ = type(fcm.model_)(
        fcm.map_.replace(weights=weights), fcm.model_.depth, fcm.model_.encoding, fcm.model_.link
    )
    return fcm


def main():
    """Print sizes and times."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (model, row) in models().items():
            path, pickled = Path(folder, "model.cogmap"), pickle.dumps(model)
            cogmap.save(model, path)
            graph = to_onnx(model).SerializeToString()
            inputs = to_inputs(model, row)
            loaded, opened = cogmap.load(path), session(graph)
            times = best_times(
                {
                    "load": lambda path=path, row=row: cogmap.load(path).predict(row),
                    "pickle": lambda pickled=pickled, row=row: pickle.loads(pickled).predict(row),
                    "open": lambda graph=graph, inputs=inputs: session(graph).run(None, inputs),
                    "predict": lambda loaded=loaded, row=row: loaded.predict(row),
                    "run": lambda opened=opened, inputs=inputs: opened.run(None, inputs),
                },
                rounds=300,
                seconds=20.0,
            )
            sizes = [path.stat().st_size, len(pickled), len(graph)]
            rows.append(
                [
                    name,
                    *(f"{size / 1000:.1f} kB" for size in sizes),
                    *(f"{1000 * time:.2f} ms" for time in times.values()),
                ]
            )
    header = [
        "model",
        "file",
        "pickle",
        "ONNX",
        "load, predict",
        "unpickle, predict",
        "ONNX, from bytes",
        "predict",
        "ONNX",
    ]
    print_table("Model files of 30 features (target: under 20 kB, under 3 ms), one row", header, rows)


if __name__ == "__main__":
    main()
