"""Docstrings of everything public: parameters, returns, examples and related objects, checked by numpydoc.

Public is what a module promises in its `__all__`, and the methods and properties of these classes that are defined in
cogmap and have no underscore. Not public are modules whose path has an underscore, `cli`, and the parts of `table` that
ARCHITECTURE.md calls internal. What is required:

- Functions and classes: a summary, all parameters with type, default and description, a description of what is returned
  or yielded, an example, and related objects under See Also.
- Classes of results (dataclasses and named tuples): the same, with their fields as parameters or as attributes.
- Methods: the same without See Also. The example may be in the docstring of the class, of another of its methods, of a
  base class, or of a function of the same module.
- Properties: a summary.

A constructor that is inherited is documented where it is defined, and a method that overrides one of another package,
such as Keras's `Layer.call`, there.

Examples run as doctests. See Also names an object by the path that imports it, the shortest one; an object of the same
module may go without.
"""

import ast
import dataclasses
import functools
import importlib
import inspect
import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import Validator, validate

import cogmap
from cogmap.exceptions import MissingPackageError

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "cogmap"
INTERNAL = ("cogmap.cli", "cogmap.table.columns", "cogmap.table.files", "cogmap.table.preparation")
OTHER_ENVIRONMENT = ("cogmap.integrations.sktime",)  # tested by `make test-sktime`, named in docs/reference/api.md
CODES = {"GL06", "GL07", "GL08", "SS01", "SS02", "SS03", "SA01", "SA02", "SA03", "SA04", "EX01", "YD01"}
CODES |= {f"PR{number:02}" for number in range(1, 11)} | {"RT01", "RT03", "RT04", "RT05"}


@functools.cache
def public_names():
    """Return the names in `__all__` of each public module, without importing it, the shortest module path first."""
    found = {}
    for file in SOURCE.rglob("*.py"):
        path = file.relative_to(SOURCE.parent).with_suffix("").parts
        path = path[:-1] if path[-1] == "__init__" else path
        if any(part.startswith("_") for part in path) or ".".join(path).startswith(INTERNAL):
            continue
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                found[".".join(path)] = ast.literal_eval(node.value)
    return dict(sorted(found.items(), key=lambda item: (item[0].count("."), item[0])))


def public_objects(module):
    """Yield the path and the object of each function and class that is public in a module, and in none before it."""
    before = list(public_names())[: list(public_names()).index(module)]
    for name in public_names()[module]:
        thing = getattr(importlib.import_module(module), name)
        again = [other for other in before if name in public_names()[other]]
        known = any(getattr(importlib.import_module(other), name) is thing for other in again)
        if not known and (inspect.isclass(thing) or inspect.isfunction(thing)):
            yield f"{module}.{name}", thing


def members(cls):
    """Yield the names of public methods and properties that are defined in cogmap and in no other package."""
    others = [base for base in cls.__mro__ if base.__module__.partition(".")[0] != "cogmap"]
    for name in dir(cls):
        if any(name in vars(base) for base in others):
            continue
        attribute = inspect.getattr_static(cls, name)
        if isinstance(attribute, property | functools.cached_property):
            function = attribute.fget if isinstance(attribute, property) else attribute.func
        else:
            function = getattr(attribute, "__func__", attribute)
        if name[0] != "_" and inspect.isfunction(function) and function.__module__.startswith("cogmap."):
            yield name, attribute


class FieldValidator(Validator):
    """Validator that takes the fields of a class of results from its attributes, if it documents no parameters."""

    def __init__(self, obj_name):
        super().__init__(get_doc_object(obj_name))

    @property
    def doc_all_parameters(self):
        """Documented parameters."""
        if self.doc["Parameters"] or not self._fields():
            return super().doc_all_parameters
        return {name: entry for name, entry in self._doc_parameters(["Attributes"]).items() if name in self._fields()}

    @property
    def signature_parameters(self):
        """Parameters of the signature, without private fields and those of a constructor that is inherited."""
        if inspect.isclass(self.obj) and not (self._fields() or "__init__" in vars(self.obj)):
            return tuple(name for name in super().signature_parameters if name in self.doc_all_parameters)
        return tuple(name for name in super().signature_parameters if name[0] != "_")

    def _fields(self):
        if dataclasses.is_dataclass(self.obj):
            return [field.name for field in dataclasses.fields(self.obj) if field.init]
        return getattr(self.obj, "_fields", ())


def defaults(doc, thing):
    """Yield parameters whose documented default is not that of the signature."""
    try:
        parameters = inspect.signature(thing).parameters.items()
    except ValueError:  # of exceptions
        return
    factories = {field.name: field.default_factory for field in getattr(thing, "__dataclass_fields__", {}).values()}
    for name, parameter in parameters:
        if parameter.default is inspect.Parameter.empty or name not in doc.doc_parameters:
            continue
        factory = factories.get(name, dataclasses.MISSING)
        default = parameter.default if factory is dataclasses.MISSING else factory()
        written = doc.doc_parameters[name][0].rpartition("default=")[2]
        if repr(default).replace("'", '"') == written:
            continue
        try:
            same = eval(written) == default
        except (NameError, SyntaxError):
            same = False
        if not same:
            yield f"default of {name} is {default!r}, not {written!r}"


def related(doc, path):
    """Yield entries of See Also that are not the first public path of an object."""
    for name in doc.see_also:
        places = [name, f"{home(path)}.{name}", f"{path.rpartition('.')[0]}.{name}"]  # the last one in the same class
        elsewhere = "." in name and not name.startswith("cogmap.") and find_spec(name.partition(".")[0])
        if not elsewhere and not any(is_public(place) for place in places):
            yield f"See Also names {name}, which is not the path of a public object"


def home(path):
    """Return the module of a public object."""
    return max((module for module in public_names() if path.startswith(f"{module}.")), key=len, default="")


def is_public(path):
    """Return whether this is the first public path of an object, or that of a member of it."""
    name, *member = path.removeprefix(f"{home(path)}.").split(".")
    if name not in public_names().get(home(path), ()):
        return False
    thing = dict(public_objects(home(path))).get(f"{home(path)}.{name}")
    return thing is not None and all(hasattr(thing, part) for part in member)


def check(path, thing, required):
    """Return what a docstring lacks."""
    doc = FieldValidator(thing)
    faults = [text for code, text in validate(thing, FieldValidator)["errors"] if code in required]
    return [*faults, *defaults(doc, thing), *related(doc, path)]


def check_members(path, cls):
    """Return what the docstrings of the members of a class lack."""
    found = dict(members(cls))
    methods = [vars(base)[name] for base in cls.__mro__ for name in found if name in vars(base)]
    functions = [thing for _, thing in inspect.getmembers(sys.modules[cls.__module__], inspect.isfunction)]
    texts = [inspect.getdoc(thing) or "" for thing in [*cls.__mro__, *methods, *functions]]
    examples = "\n".join(line for text in texts for line in re.findall(r"^\s*(?:>>>|\.\.\.) .*", text, re.MULTILINE))
    faults = {}
    for name, attribute in found.items():
        if isinstance(attribute, property | functools.cached_property):
            faults[name] = [] if inspect.getdoc(attribute) else ["no summary"]
        else:
            faults[name] = check(f"{path}.{name}", getattr(attribute, "__func__", attribute), CODES - {"SA01", "EX01"})
            if not re.search(rf"\.{name}\b", examples):
                faults[name].append("no example calls it")
    return {f"{path}.{name}": texts for name, texts in faults.items()}


def lacking(module):
    """Return what the docstrings of the public objects of a module lack."""
    faults = {}
    for path, thing in public_objects(module):
        faults[path] = check(path, thing, CODES)
        if inspect.isclass(thing):
            faults |= check_members(path, thing)
    return {path: texts for path, texts in faults.items() if texts}


@pytest.mark.parametrize("module", list(public_names()))
def test_public_objects_are_documented(module):
    """Nothing lacks a parameter, a return value, an example or related objects, as the docstring of this file says."""
    if module.startswith("cogmap.integrations.keras"):  # in its own process: JAX's threads and forks do not go together
        code = f"import json, runpy; print(json.dumps(runpy.run_path({__file__!r})['lacking']({module!r})))"
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        if "MissingPackageError" in result.stderr:
            pytest.skip("Keras is not installed")
        assert json.loads(result.stdout) == {}
        return
    try:
        assert lacking(module) == {}
    except MissingPackageError as error:
        pytest.skip(str(error))


def test_documented_objects_are_those_of_the_reference():
    """The pages of the API list what is checked here, and nothing else."""
    checked, listed = set(), set()
    for module in (module for module in public_names() if module not in OTHER_ENVIRONMENT):
        if module.startswith("cogmap.integrations.keras"):
            checked |= {f"{module}.{name}" for name in public_names()[module]}
        else:
            checked |= {path for path, _ in public_objects(module)}
    for page in (ROOT / "docs" / "reference" / "api").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for module, names in re.findall(r"currentmodule:: (\S+)\n.*?:nosignatures:\n\n(.*?)```", text, flags=re.DOTALL):
            listed |= {f"{module}.{name}" for name in names.split()}
    assert listed == checked


@pytest.mark.parametrize("section", ["Parameters", "Returns", "See Also", "Examples"])
def test_a_missing_section_is_found(section, monkeypatch):
    """A docstring without one of the sections does not pass."""
    assert check("cogmap.explain", cogmap.explain, CODES) == []
    rest = rf"\n    {section}\n    -+\n.*?(?=\n    [A-Z][\w ]+\n    ---|\Z)"
    monkeypatch.setattr(cogmap.explain, "__doc__", re.sub(rest, "", cogmap.explain.__doc__, flags=re.DOTALL))
    assert check("cogmap.explain", cogmap.explain, CODES)
