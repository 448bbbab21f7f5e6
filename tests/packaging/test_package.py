"""Packaging: the wheel, imports, dependencies, docstrings and the README."""

import inspect
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest
from numpydoc.docscrape import FunctionDoc, NumpyDocString
from packaging.version import Version

import cogmap
from cogmap import (
    FCMClassifier,
    FCMClassifierCV,
    FCMRegressor,
    FuzzyCognitiveMap,
    TablePreparer,
    load,
    read_map,
    read_maps,
    save,
    write_map,
)
from cogmap._learning.objective import DenseObjective
from cogmap.models.model import MapModel
from cogmap.research.experiments.rivals import GaussianMixtureClassifier

ROOT = Path(__file__).parents[2]


def run_python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_loads_no_extra_packages():
    """A plain import loads no package that scikit-learn and SciPy do not load themselves."""

    def loaded(names):
        code = f"import {names}, sys; print(*{{name.split('.')[0] for name in sys.modules}})"
        return {name for name in run_python(code).split() if name not in sys.stdlib_module_names}

    extra = loaded("cogmap.estimators.classifier") - loaded("sklearn.base, sklearn.utils.multiclass, scipy.optimize")
    assert {name for name in extra if not name.startswith("_")} == {"cogmap"}


def test_public_names_are_imported_lazily():
    """All public names resolve, unknown ones raise, and a plain import does not load scikit-learn."""
    for name in cogmap.__all__:
        assert getattr(cogmap, name) is not None
        assert name in dir(cogmap)
    with pytest.raises(AttributeError, match="'cogmap' has no attribute 'FCM'"):
        cogmap.FCM  # noqa: B018
    assert "sklearn" not in run_python("import cogmap, sys; print(*sys.modules)").split()


def test_wheel_contains_the_package_and_its_licence(tmp_path):
    """The wheel has all modules, the type marker and the licence, and no tests."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--quiet",
        "-w",
        tmp_path,
        ROOT,
    ]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    modules = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src" / "cogmap").rglob("*.py")}
    assert modules <= set(names)
    assert "cogmap/py.typed" in names
    assert any(name.endswith("LICENSE") for name in names)
    assert not any(name.startswith("tests") for name in names)


def test_version_matches_the_metadata():
    """The version attribute equals that of the installed distribution."""
    assert Version(cogmap.__version__) == Version(version("cogmap"))


def test_dependencies_have_lower_bounds_and_no_caps():
    """Only PyTorch, for benchmarks and tests, is pinned; uvicorn is capped: the server uses a private class of it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = settings["project"]
    groups = [*project["optional-dependencies"].values(), *settings["dependency-groups"].values()]
    for requirement in [
        *project["dependencies"],
        *(entry for group in groups for entry in group if isinstance(entry, str)),
    ]:
        assert ">=" in requirement or requirement.startswith(("cogmap[", "torch=="))
        assert "<" not in requirement or requirement.startswith("uvicorn>=")
        assert "==" not in requirement or requirement.startswith("torch==")


PUBLIC = [
    FCMClassifier,
    FCMClassifierCV,
    FCMRegressor,
    FuzzyCognitiveMap,
    GaussianMixtureClassifier,
    MapModel,
    TablePreparer,
]


@pytest.mark.parametrize("cls", [*PUBLIC, DenseObjective, read_map, read_maps, write_map, load, save])
def test_documented_parameters_match_the_signature(cls):
    """Every parameter is documented, in order, with its default."""
    described = {
        name: parameter.type
        for parameter in NumpyDocString(inspect.getdoc(cls))["Parameters"]
        for name in parameter.name.split(", ")
    }
    signature = inspect.signature(cls).parameters
    assert list(described) == list(signature)
    for name, parameter in signature.items():
        if parameter.default is not inspect.Parameter.empty:
            default = described[name].rpartition("default=")[2]
            assert repr(parameter.default).replace("'", '"') == default or eval(default) == parameter.default, name


@pytest.mark.parametrize("cls", PUBLIC)
def test_public_methods_are_documented(cls):
    """Every public method has a summary and documents its parameters."""
    for name, method in inspect.getmembers(cls, inspect.isfunction):
        if name.startswith("_") or not method.__module__.startswith("cogmap"):
            continue
        doc = FunctionDoc(method)
        assert doc["Summary"], name
        described = [part.lstrip("*") for entry in doc["Parameters"] for part in entry.name.split(", ")]
        assert described == [p for p in inspect.signature(method).parameters if p != "self"], name


def test_readme_examples_run(tmp_path, monkeypatch):
    """All Python blocks run in order, in one namespace, and the first fit converges."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    assert blocks
    namespace = {}
    for block in blocks:
        exec(block, namespace)
    assert namespace["fcm"].outcome_.converged


def test_missing_package_error_names_the_feature_and_the_extra():
    """The error is an ImportError that says how to install the package."""
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "try:\n    import cogmap.plotting\nexcept ImportError as error:\n    print(error)"
    )
    assert run_python(code) == (
        "cogmap.plotting needs the package 'matplotlib'. Install it with: pip install 'cogmap[plot]'\n"
    )
