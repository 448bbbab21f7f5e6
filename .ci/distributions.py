"""Build wheel and sdist, and test them in empty environments: ``python .ci/distributions.py``.

Each given Python gets an environment with the wheel and the newest dependencies, one with the oldest where these have
wheels for it, and one per extra; the sdist is unpacked, and its own tests run against the package built from it.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Our dependencies, what scikit-learn and joblib bring, and what a new environment has.
BASE = {"cogmap", "numpy", "scipy", "scikit-learn", "joblib", "threadpoolctl"}
BASE |= {"cloudpickle", "narwhals", "pip", "setuptools"}
NEWEST_WITH_OLDEST = (3, 12)  # NumPy 1.26 has no wheels for later versions of Python
FIRST_FIT = """
from sklearn.datasets import load_iris
from cogmap import FCMClassifier, load, save
X, y = load_iris(return_X_y=True)
fcm = FCMClassifier(random_state=0).fit(X, y)
save(fcm, "iris.cogmap")
assert (load("iris.cogmap").predict_proba(X) == fcm.predict_proba(X)).all()
assert fcm.score(X, y) > 0.95, fcm.score(X, y)
"""
README = (ROOT / "README.md").read_text(encoding="utf-8")
README_EXTRAS = re.search(r"pip install 'cogmap(\[[\w,]+\])'", README)[1]
README_LINES = re.search(r"```python\n(.*?)```", README, flags=re.DOTALL)[1]
# Code that needs the packages of an extra, and no others.
EXTRAS = {
    "cli": "import runpy, sys; sys.argv[1:] = ['--help']; runpy.run_module('cogmap', run_name='__main__')",
    "cma": "import cogmap.comparators.population, cma",
    "dask": "import cogmap.integrations.dask",
    "excel": "from cogmap import FuzzyCognitiveMap, read_map, write_map; "
    "write_map(FuzzyCognitiveMap([[0, 0], [1, 0]]), 'map.xlsx'); read_map('map.xlsx')",
    "keras": "import importlib.util; assert importlib.util.find_spec('keras')",  # needs a backend as well
    "networkx": "import cogmap.integrations.networkx, networkx",
    "onnx": "import cogmap.integrations.onnx, onnx",
    "paper": "import cogmap.research.report, cogmap.cli.reproduce",
    "parquet": "import cogmap.table, pyarrow",
    "plot": "import cogmap.plotting",
    "serve": "import cogmap.serving.server",
    "shap": "import cogmap.integrations.shap, shap",
    "sktime": "import cogmap.integrations.sktime",
    "table": "import cogmap.table",
}


def run(*command, **options):
    """Run a command, and end with its output if it fails."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def environment(folder, python, *requirements):
    """Return the Python of a new environment with only these requirements."""
    run(python, "-m", "venv", "--clear", folder)
    inner = next(path for path in (folder / "bin" / "python", folder / "Scripts" / "python.exe") if path.exists())
    run(inner, "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1")
    run(inner, "-m", "pip", "install", "--quiet", *requirements)
    return inner


def built(folder):
    """Return wheel and sdist, which replace those in ``dist``."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    builder = environment(folder / "builder", sys.executable, "build", "twine")
    run(builder, "-m", "build", "--outdir", ROOT / "dist", ROOT)
    run(builder, "-m", "twine", "check", "--strict", *(ROOT / "dist").iterdir())
    (wheel,), (sdist,) = (ROOT / "dist").glob("*.whl"), (ROOT / "dist").glob("*.tar.gz")
    return wheel, sdist


def version_of(python):
    """Return (major, minor) of a Python."""
    return tuple(json.loads(run(python, "-c", "import sys; print(list(sys.version_info[:2]))")))


def oldest():
    """Return the oldest dependencies that pyproject.toml allows, as requirements."""
    pairs = (re.match(r"([\w-]+)>=([\d.]+)", requirement).groups() for requirement in PROJECT["dependencies"])
    # The first release of a series has a third number.
    return [f"{name}=={version}" + (".0" if version.count(".") == 1 else "") for name, version in pairs]


def main():
    """Build and test."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pythons", nargs="+", default=[sys.executable], help="commands that start Python")
    parser.add_argument("--extras", nargs="*", default=list(EXTRAS), choices=list(EXTRAS), metavar="EXTRA")
    parser.add_argument("--tests", nargs="*", default=["tests"], help="files and folders of the sdist to test")
    arguments = parser.parse_args()
    assert sorted(EXTRAS) == sorted(PROJECT["optional-dependencies"])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel, sdist = built(folder)
        print(f"built {wheel.name} and {sdist.name}", flush=True)
        for python in arguments.pythons:
            inner = environment(folder / "wheel", python, wheel)
            brought = {entry["name"] for entry in json.loads(run(inner, "-m", "pip", "list", "--format=json"))}
            assert brought <= BASE, f"the base package also brings {brought - BASE}"
            run(inner, "-W", "error", "-c", FIRST_FIT, cwd=folder)
            print(f"{python}: wheel, newest dependencies", flush=True)
            inner = environment(folder / "readme", python, f"{wheel}{README_EXTRAS}")
            run(inner, "-c", README_LINES, cwd=folder)
            run(inner, "-m", "cogmap", "--version", cwd=folder)
            print(f"{python}: the README's lines, cogmap{README_EXTRAS}", flush=True)
            if version_of(python) <= NEWEST_WITH_OLDEST:
                inner = environment(folder / "oldest", python, wheel, *oldest())
                run(inner, "-W", "error", "-c", FIRST_FIT, cwd=folder)
                print(f"{python}: wheel, oldest dependencies", flush=True)
        for extra in arguments.extras:
            inner = environment(folder / "extra", arguments.pythons[0], f"{wheel}[{extra}]")
            run(inner, "-c", EXTRAS[extra], cwd=folder)
            print(f"cogmap[{extra}]", flush=True)
        if arguments.tests:
            with tarfile.open(sdist) as archive:
                archive.extractall(folder, filter="data")
            source = folder / sdist.name.removesuffix(".tar.gz")
            group = f"{source}/pyproject.toml:test"
            inner = environment(folder / "tests", arguments.pythons[0], source, "--group", group)
            print(run(inner, "-m", "pytest", "-q", "-m", "not slow", *arguments.tests, cwd=source)[-300:])


if __name__ == "__main__":
    main()
