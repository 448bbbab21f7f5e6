"""The store validates every byte: lines that are not results of this run are rejected and counted."""

import contextlib
import json
import os

import pytest

from cogmap._utils import files as _files
from cogmap.research.experiments import store as store_module
from cogmap.research.experiments.store import (
    ResultStore,
    StoreError,
    read_results,
    read_run,
    with_checksum,
    without_checksum,
)

GOOD = {
    "dataset": "iris",
    "fold": 0,
    "method": "gnb",
    "protocol": "strict",
    "seed": 123,
    "accuracy": 0.5,
    "error": None,
}


def row(**changes):
    return {**GOOD, **changes}


@pytest.fixture
def folder(tmp_path):
    """A folder with two results of seed 123."""
    with ResultStore(tmp_path, "strict", 123) as store:
        store.append([row(), row(method="mnb", accuracy=0.25)])
    return tmp_path


def changed(row, **changes):
    """Return a row with its checksum, changed afterwards."""
    text = with_checksum(row).decode()
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    return text.encode()


NO_ROWS = {
    "not UTF-8": b"\xff\xfe",
    "empty object": b"{}",
    "null": b"null",
    "a valid checksum without a key": with_checksum({"accuracy": 1.0}),
    "without a checksum": json.dumps(row(method="evil", accuracy=1.0)).encode(),
    "a figure changed": changed(row(method="evil"), figure=("0.5", "0.9")),
    "a checksum changed": changed(row(method="evil"), check=('"check": "', '"check": "0')),
    "half a line": with_checksum(row(method="evil"))[:40],
    "NaN": with_checksum(row(method="evil")).replace(b"0.5", b"NaN"),
    "another protocol": with_checksum(row(method="evil", protocol="author")),
    "another seed": with_checksum(row(method="evil", seed=7)),
    "a fold that is none": with_checksum(row(method="evil", fold="0")),
    "no score and no error": with_checksum(row(method="evil", accuracy=None)),
    "a score in words": with_checksum(row(method="evil", accuracy="high")),
    "deeply nested": b"[" * 100_000,
    "zeros": b"\0" * 1000,
}


@pytest.mark.parametrize("name", NO_ROWS)
def test_what_is_no_result_of_this_run_is_set_aside(name, folder):
    """They are moved unchanged to another file and counted; the other results are kept."""
    path = folder / "results.jsonl"
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + NO_ROWS[name] + b"\n" + second)
    assert [found["method"] for found in read_results(folder)] == ["gnb", "mnb"]
    with ResultStore(folder, "strict", 123) as store:
        assert store.n_rejected == 1
    assert path.read_bytes() == first + second
    assert (folder / "results.rejected").read_bytes() == NO_ROWS[name] + b"\n"
    with ResultStore(folder, "strict", 123) as store:
        assert store.n_rejected == 0


def test_a_number_that_is_none_is_not_written(folder):
    """Neither NaN nor infinity is JSON."""
    with ResultStore(folder, "strict", 123) as store, pytest.raises(StoreError, match="finite"):
        store.append([row(method="knn3", accuracy=float("nan"))])
    assert len(read_results(folder)) == 2


def test_the_checksum_covers_every_byte_of_a_line():
    """A change anywhere is noticed, and nothing else is."""
    line = with_checksum(row(error='so "check": "it'))
    assert without_checksum(line) == row(error='so "check": "it')
    for place in range(len(line)):
        for bit in (0, 3, 7):
            assert without_checksum(line[:place] + bytes([line[place] ^ 1 << bit]) + line[place + 1 :]) is None


@pytest.mark.parametrize("content", [b"", b"{", b"{}", b"null", b"\xff", b'{"protocol": "strict", "seed": 7}', None])
def test_a_damaged_run_file_is_told_and_the_results_survive_it(content, folder):
    """A damaged run.json is an error; without the file, the run is inferred from the results."""
    path = folder / "run.json"
    path.write_bytes(path.read_bytes()[:-30] if content is None else content)
    for use in (ResultStore(folder, "strict", 123).__enter__, lambda: read_results(folder)):
        with pytest.raises(StoreError, match=r"run.json is damaged.*Delete it"):
            use()
    path.unlink()
    with ResultStore(folder, "strict", 123):
        assert len(read_results(folder)) == 2
    assert read_run(folder)["seed"] == 123


def test_without_the_run_file_another_seed_does_not_take_the_results(folder):
    """The rows say whose they are."""
    (folder / "run.json").unlink()
    for protocol, seed in (("strict", 7), ("author", 123)):
        with pytest.raises(StoreError, match="holds results of"):
            ResultStore(folder, protocol, seed).__enter__()
    assert not (folder / "run.json").exists()
    assert len((folder / "results.jsonl").read_bytes().splitlines()) == 2


@pytest.mark.parametrize("make", [os.symlink, os.link], ids=["symbolic link", "hard link"])
@pytest.mark.parametrize("name", [".lock", ".run.json.part", ".results.jsonl.part", "results.rejected"])
def test_a_link_in_the_place_of_our_files_harms_no_other(name, make, folder, tmp_path_factory):
    """Whatever it leads to keeps its content: the link is replaced, or refused with one line."""
    precious = tmp_path_factory.mktemp("user") / "precious"
    precious.write_text("of the user\n")
    (folder / name).unlink(missing_ok=True)
    make(precious, folder / name)
    if name != "results.rejected" or make is os.symlink:
        with (folder / "results.jsonl").open("ab") as file:
            file.write(b"{}\n")
    with contextlib.suppress(StoreError), ResultStore(folder, "strict", 123):
        pass
    assert precious.read_text() == "of the user\n"
    assert len(read_results(folder)) == 2


def test_files_are_on_the_disk_before_they_get_their_names(tmp_path, monkeypatch):
    """The file is synced, then renamed, then its folder is synced."""
    happened = []
    sync, replace = os.fsync, os.replace

    def note_sync(number):
        happened.append("folder" if os.path.isdir(f"/proc/self/fd/{number}") else "file")
        sync(number)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(type(tmp_path), "replace", lambda self, to: (happened.append("rename"), replace(self, to)))
    _files.write_whole(tmp_path / "a", "text")
    assert (tmp_path / "a").read_text() == "text"
    if os.path.isdir("/proc/self/fd"):
        assert happened == ["file", "rename", "folder"]


@pytest.mark.parametrize("name", ["results.jsonl", "run.json"])
def test_a_giant_in_the_place_of_a_file_is_not_read(name, folder):
    """4 GB without content: the size is looked at first."""
    with (folder / name).open("r+b") as file:
        file.truncate(4 * 2**30)
    with pytest.raises(StoreError, match=r"4,294,967,296 bytes.*--out"):
        ResultStore(folder, "strict", 123).__enter__()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names on this system")
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(folder):
    """Reading it would never end."""
    (folder / "results.jsonl").unlink()
    os.mkfifo(folder / "results.jsonl")
    with pytest.raises(StoreError, match="not a regular file"):
        ResultStore(folder, "strict", 123).__enter__()


def test_a_write_that_fails_leaves_no_half_line(folder, monkeypatch):
    """A disk that fills up in the middle of a line."""

    class Filling:
        def __init__(self, file):
            self.file, self.fileno = file, file.fileno

        def write(self, content):
            if len(content) < 100:
                raise OSError(28, "No space left on device")
            return self.file.write(content[:100])

    before = (folder / "results.jsonl").read_bytes()
    with ResultStore(folder, "strict", 123) as store:
        store._file = Filling(store._file)
        with pytest.raises(StoreError, match=r"No space left.*is safe"):
            store.append([row(method="knn3")])
    assert (folder / "results.jsonl").read_bytes() == before


def test_committed_results_are_intact():
    """Every line of the full runs under results/ has its checksum."""
    root = store_module.Path(__file__).parents[3] / "results"
    for name, n_least in (("author", 2625), ("printed", 2625), ("strict", 2625), ("accuracy", 6000)):
        n_results = len(read_results(root / name))
        assert n_results >= n_least
        assert (root / name / "results.jsonl").read_bytes().count(b"\n") == n_results
