"""Files that are no models, or hostile: one clear error that names the file, and nothing is lost or run."""

import copy
import gzip
import io
import json
import pickle
import random
import resource
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pytest

import cogmap
from cogmap.exceptions import ModelFileError, ParameterError
from cogmap.persistence import read_card


@pytest.fixture(scope="module")
def valid(small, tmp_path_factory):
    """Return the bytes of a valid file."""
    path = tmp_path_factory.mktemp("valid") / "model.cogmap"
    cogmap.save(small, path, card={"title": "valid"})
    return path.read_bytes()


def parts(content):
    """Return the parts of a file by name."""
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        return {name: package.read(name) for name in package.namelist()}


def zipped(members, compression=zipfile.ZIP_DEFLATED):
    """Return a zip of parts with names, of which some may occur twice."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as package:
        for name, content in members.items() if isinstance(members, dict) else members:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # names that are there already
                package.writestr(zipfile.ZipInfo(name), content, compression)
    return file.getvalue()


def with_head(content, change):
    """Return a file whose JSON was changed in some way."""
    members = parts(content)
    head = json.loads(members["model.json"])
    return zipped(members | {"model.json": json.dumps(change(head) or head)})


def entries(number):
    """Make the weights claim so many entries."""

    def change(head):
        head["arrays"][0]["shape"] = [number]

    return change


def put(value, *path):
    """Put a value somewhere in the JSON."""

    def change(head):
        place = head
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


MODEL = ("value", "FCMClassifier", "learned", "dict", "model_", "model")
PARAMETERS = ("value", "FCMClassifier", "parameters", "dict")


class Mine:
    """What a hostile pickle would run."""

    def __reduce__(self):
        return print, ("run!",)


def claiming(content, size):
    """Return a file whose directory claims another size of the arrays."""
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        part = package.getinfo("arrays")
    fields = part.compress_size.to_bytes(4, "little") + part.file_size.to_bytes(4, "little")
    return content.replace(fields, fields[:4] + size.to_bytes(4, "little"))


HOSTILE = {
    "empty": (lambda valid: b"", "it is empty"),
    "text": (lambda valid: b"age,height\n3,4\n", "does not begin like a model file"),
    "a pickle": (lambda valid: pickle.dumps(Mine()), "it is a pickle, which cogmap does not read"),
    "a gzip file": (lambda valid: gzip.compress(valid), "it is a gzip file"),
    "an array": (lambda valid: b"\x93NUMPY\x01\x00", "it is a NumPy array"),
    "JSON": (lambda valid: b"{}", "read by cogmap.read_map"),
    "another zip": (lambda valid: zipped({"mimetype": b"x"}), "a zip file without 'model.json'"),
    "an empty zip": (lambda valid: zipped({}), "does not begin like a model file"),
    "a half": (lambda valid: valid[: len(valid) // 2], "it is cut off or damaged"),
    "a byte too few": (lambda valid: valid[:-1], "it is cut off or damaged"),
    "a pickle inside": (
        lambda valid: zipped(parts(valid) | {"model.pkl": pickle.dumps(Mine())}),
        "it has an unknown member 'model.pkl'",
    ),
    "a pickle for JSON": (
        lambda valid: zipped(parts(valid) | {"model.json": pickle.dumps(Mine())}),
        "'model.json' is not valid JSON",
    ),
    "a path upwards": (
        lambda valid: zipped(parts(valid) | {"../../evil.py": b"x"}),
        "it has an unknown member '../../evil.py'",
    ),
    "an absolute path": (
        lambda valid: zipped(parts(valid) | {"/etc/passwd": b""}),
        "it has an unknown member '/etc/passwd'",
    ),
    "a part twice": (
        lambda valid: zipped([*parts(valid).items(), ("arrays", b"")]),
        "it has missing or duplicate members",
    ),
    "no arrays": (
        lambda valid: zipped({"model.json": parts(valid)["model.json"]}),
        "it has missing or duplicate members",
    ),
    "packed otherwise": (lambda valid: zipped(parts(valid), zipfile.ZIP_LZMA), "its compression unsupported"),
    "a bomb of JSON": (
        lambda valid: zipped(parts(valid) | {"model.json": b" " * (2**24 + 1)}),
        "its member 'model.json' would unpack to 16,777,217 bytes",
    ),
    "a bomb of arrays": (
        lambda valid: claiming(valid, 2**32 - 2),
        "it would unpack to 4,29.* bytes",
    ),
    "a size that is wrong": (
        lambda valid: claiming(valid, 10_000_000),
        "its arrays should have .* bytes, but have 10,000,000",
    ),
    "10^12 entries": (
        lambda valid: with_head(valid, put([10**6, 10**6], "arrays", 0, "shape")),
        "its arrays should have 8,000,0.* bytes, but have .*",
    ),
    "10^12 entries in a row": (lambda valid: with_head(valid, entries(10**12)), "an array of an invalid shape"),
    "fewer entries than none": (lambda valid: with_head(valid, entries(-1)), "an array of an invalid shape"),
    "no entries of too many": (
        lambda valid: with_head(valid, put([0] + [2**30] * 7, "arrays", 0, "shape")),
        "its arrays should have",
    ),
    "an array of objects": (
        lambda valid: with_head(valid, put("|O", "arrays", 0, "dtype")),
        "an array of an unsupported dtype or shape",
    ),
    "an array of dates": (
        lambda valid: with_head(valid, put("<M8[ns]", "arrays", 0, "dtype")),
        "an array of an unsupported dtype or shape",
    ),
    "an array that is not there": (
        lambda valid: with_head(valid, put({"array": 99}, *MODEL, "map", "map", "bias")),
        "it refers to a missing array",
    ),
    "another format": (lambda valid: with_head(valid, put("other", "format")), "is not marked as a cogmap model"),
    "a list": (lambda valid: with_head(valid, lambda head: [head]), "is not marked as a cogmap model"),
    "no version": (lambda valid: with_head(valid, put(None, "version")), "has no valid format version"),
    "a newer version": (
        lambda valid: with_head(valid, put(99, "version")),
        "it has version 99 of the format, written by cogmap .*reads versions up to 2; install a newer cogmap",
    ),
    "a number that is none": (
        lambda valid: zipped(parts(valid) | {"model.json": b'{"format": NaN}'}),
        "'model.json' is not valid JSON .NaN is not a number",
    ),
    "brackets without end": (
        lambda valid: zipped(parts(valid) | {"model.json": b"[" * 1_000_000}),
        "'model.json' would take far more memory",
    ),
    "digits without end": (
        lambda valid: zipped(parts(valid) | {"model.json": b"1" * 1_000_000}),
        "'model.json' is not valid JSON",
    ),
    "nested deeply": (
        lambda valid: with_head(valid, put(json.loads("[" * 900 + "]" * 900), "value")),
        "its content is not a valid model|it contains no model",
    ),
    "an unknown kind": (
        lambda valid: with_head(valid, put({"os.system": {"command": "ls"}}, *PARAMETERS, "prior")),
        "of the kind 'os.system', which this cogmap does not know",
    ),
    "a kind with members of another": (
        lambda valid: with_head(valid, put({"map": {"command": "ls"}}, "value")),
        "its content is not a valid model .TypeError",
    ),
    "a part instead of a model": (
        lambda valid: with_head(valid, put({"random": {"name": "MT19937"}}, "value")),
        "it contains 'random', which this cogmap does not know",
    ),
    "another generator": (
        lambda valid: with_head(valid, put({"random": {"name": "PCG64"}}, *PARAMETERS, "random_state")),
        "it has an invalid value for the random state",
    ),
    "text instead of a model": (lambda valid: with_head(valid, put("hello", "value")), "it contains no model"),
    "an unknown parameter": (
        lambda valid: with_head(valid, put(1, *PARAMETERS, "magic")),
        "its FCMClassifier has 'magic', which this cogmap does not know",
    ),
    "a wrong parameter": (
        lambda valid: with_head(valid, put(-1, *PARAMETERS, "max_iter")),
        "FCMClassifier.max_iter=.*must be an integer",
    ),
    "a method for an attribute": (
        lambda valid: with_head(valid, put(1, *MODEL[:4], "predict")),
        "its FCMClassifier has 'predict', which this cogmap does not know",
    ),
    "another number of features": (
        lambda valid: with_head(valid, put(7, *MODEL[:4], "n_features_in_")),
        "it has an invalid value for the number of features",
    ),
    "a depth without end": (
        lambda valid: with_head(valid, put(10**12, *MODEL, "depth")),
        "it has an invalid value for the depth",
    ),
    "too many hidden concepts": (
        lambda valid: with_head(valid, put(10**12, *MODEL, "encoding", "encoding", "n_hidden")),
        "a map of 1000000000005 concepts",
    ),
    "names twice": (
        lambda valid: with_head(valid, lambda head: put(["a"] * 21, *MODEL, "map", "map", "concepts")(head)),
        "unique names",
    ),
    "a card that is none": (lambda valid: zipped(parts(valid) | {"card.json": b"[1]"}), "'card.json' is not a mapping"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_are_refused(case, valid, tmp_path, capsys):
    """In one line that names the file; nothing is printed, so nothing was run, and nothing is made."""
    make, message = HOSTILE[case]
    path = tmp_path / "hostile.cogmap"
    path.write_bytes(make(valid))
    with pytest.raises(ModelFileError, match=message) as refused:
        cogmap.load(path)
    assert str(refused.value).startswith(f"The model {path} cannot be loaded: ")
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 600
    assert list(tmp_path.iterdir()) == [path]
    assert capsys.readouterr().out == ""


def test_a_bomb_takes_no_memory(valid, tmp_path):
    """A few hundred kilobytes that would unpack to a gigabyte are refused by a process that may not have it."""
    path = tmp_path / "bomb.cogmap"
    head = json.loads(parts(valid)["model.json"])
    head["arrays"] = [{"dtype": "<f8", "shape": [10**9, 1000]}]
    path.write_bytes(zipped({"model.json": json.dumps(head), "arrays": bytes(2**28)}))
    code = (
        "import resource, cogmap, cogmap.persistence\n"
        "used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        f"try: cogmap.load({str(path)!r})\n"
        "except cogmap.exceptions.ModelFileError as refused: print(refused)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - used)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    message, used = ran.stdout.strip().splitlines()
    assert "its arrays should have 8,000,000,000,000 bytes, but have 268,435,456" in message
    assert int(used) * 1024 < 2**27


@pytest.mark.parametrize("seed", range(4))
def test_damaged_bytes_give_an_error_or_the_same_predictions(seed, valid, small, tmp_path):
    """Bytes changed, cut out, put in, or cut off, at a hundred random places."""
    path, generator = tmp_path / "damaged.cogmap", random.Random(seed)
    expected = small.predict_proba(small.table)
    for _ in range(100):
        damaged = bytearray(valid)
        at = generator.randrange(len(valid))
        kind = generator.choice(["change", "flip", "remove", "insert", "cut off"])
        if kind == "change":
            damaged[at] = generator.randrange(256)
        elif kind == "flip":
            damaged[at] ^= 1 << generator.randrange(8)
        elif kind == "remove":
            del damaged[at : at + generator.randrange(1, 50)]
        elif kind == "insert":
            damaged[at:at] = generator.randbytes(generator.randrange(1, 50))
        else:
            del damaged[at:]
        path.write_bytes(damaged)
        try:
            back = cogmap.load(path)
        except ModelFileError:
            continue
        assert np.array_equal(back.predict_proba(small.table), expected)


def places(value, path=()):
    """Return the way to every place in a JSON value."""
    yield path
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(item, (*path, key))


STRANGE = [None, True, -1, 0, 10**30, 0.5, 1e308, "", "x", [], [[]], {}, {"tuple": []}, {"number": "nan"}, {"array": 0}]


def test_strange_content_gives_an_error_or_a_model_that_answers(valid, small, tmp_path):
    """Something else in every single place of the JSON, in a zip that is sound."""
    path, generator = tmp_path / "strange.cogmap", random.Random(0)
    head = json.loads(parts(valid)["model.json"])
    for where in list(places(head))[1:]:
        changed = copy.deepcopy(head)
        put(generator.choice(STRANGE), *where)(changed)
        path.write_bytes(zipped(parts(valid) | {"model.json": json.dumps(changed)}, zipfile.ZIP_STORED))
        try:
            back = cogmap.load(path)
        except ModelFileError:
            continue
        if hasattr(back, "predict"):
            names = getattr(back, "feature_names_in_", None)
            answers = back.predict(small.table.to_numpy() if names is None else small.table.set_axis(names, axis=1))
            assert len(answers) == len(small.table)


@pytest.mark.parametrize("read", [cogmap.load, read_card])
def test_what_is_no_file(read, tmp_path):
    """What is not there is Python's error, which names it; the rest is ours."""
    with pytest.raises(FileNotFoundError, match=r"nothing\.cogmap"):
        read(tmp_path / "nothing.cogmap")
    with pytest.raises(ModelFileError, match=f"{tmp_path} cannot be loaded: it is not a regular file"):
        read(tmp_path)
    with pytest.raises(ParameterError, match="must be the path of a file, got None"):
        read(None)


def test_a_card_is_read_from_a_model_file_only(valid, tmp_path):
    """The same checks as for a model."""
    path = tmp_path / "other.zip"
    path.write_bytes(zipped({"card.json": b"{}"}))
    with pytest.raises(ModelFileError, match=r"a zip file without 'model\.json'"):
        read_card(path)


@pytest.mark.skipif(sys.platform == "win32", reason="the limit is POSIX")
def test_a_full_disk_leaves_the_file_that_was_there(small, valid, tmp_path):
    """A process whose files may not grow fails with Python's error, and leaves nothing else behind."""
    path = tmp_path / "model.cogmap"
    path.write_bytes(valid)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    code = (
        "import resource, signal, cogmap\n"
        f"model = cogmap.load({str(path)!r})\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (1000, {limits[1]}))\n"
        f"try: cogmap.save(model, {str(path)!r})\n"
        "except OSError as error: print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "File too large" in ran.stdout
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == valid
