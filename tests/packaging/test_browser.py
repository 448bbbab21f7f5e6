"""The base package where there are neither threads nor processes, as in Pyodide, the Python of browsers.

Pyodide itself is not run: its builds of NumPy, SciPy and scikit-learn come neither with its npm package nor from PyPI.
The test emulates it: a new thread or process is an error, and only the packages that cogmap requires can be imported.
"""

import subprocess
import sys

PROGRAM = """
import importlib.abc, multiprocessing.process, os, subprocess, sys, tempfile, threading

OPTIONAL = {"click", "dask", "jinja2", "keras", "matplotlib", "networkx", "onnx", "pandas", "polars", "shap", "uvicorn"}

class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in OPTIONAL:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

def refuse(*args, **kwargs):
    raise RuntimeError("can't start new thread")

sys.meta_path.insert(0, Absent())
threading.Thread.start = refuse
subprocess.Popen.__init__ = refuse
del os.fork, os.posix_spawn
multiprocessing.process.BaseProcess.start = refuse

import numpy as np
from sklearn.datasets import load_diabetes, load_iris
from cogmap import (FCMClassifier, FCMForecaster, FCMRegressor, FuzzyCognitiveMap, explain, learn_map, load, save,
                    story, what_if)

for X, y, fcm in [
    (*load_iris(return_X_y=True), FCMClassifier(random_state=0)),
    (*load_iris(return_X_y=True), FCMClassifier(structure="full", random_state=0)),
    (*load_diabetes(return_X_y=True), FCMRegressor(random_state=0)),
]:
    fcm.fit(X, y)
    assert fcm.score(X, y) > 0.4
    explanation = explain(fcm, X[:3])
    total = explanation.contributions.sum(axis=1) + explanation.base_values
    outputs = fcm.model_.outputs(X[:3])
    assert np.allclose(total, outputs, atol=1e-3 * np.ptp(y))
    assert repr(story(fcm, X[0]))
    with tempfile.TemporaryDirectory() as folder:
        fcm.explore(X, y, path=os.path.join(folder, "page.html"))
        save(fcm, os.path.join(folder, "map.cogmap"))
        assert np.array_equal(load(os.path.join(folder, "map.cogmap")).predict(X), fcm.predict(X))
assert what_if(FCMClassifier(random_state=0).fit(*load_iris(return_X_y=True)), [[5.1, 3.5, 1.4, 0.2]], to=1).changes
assert FCMForecaster(season=4).fit(np.tile([1.0, 2.0, 3.0, 2.0], 10)).forecast(4).values.shape == (4, 1)
true = FuzzyCognitiveMap([[0, 0.4], [-0.7, 0]], slope=5, activation="logistic")
assert learn_map([true.run([0.1, 0.9], depth=5), true.run([0.8, 0.2], depth=5)], slope=5).loss < 1e-3
print("works")
"""


def test_the_base_package_works_without_threads_and_processes():
    """Import, fit, predict, explain, save, load and page need only NumPy, SciPy and scikit-learn, and one thread."""
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "works\n"
