"""Atomic files: a reader sees the old file or the new one, however many write; links are followed, devices refused."""

import os
import subprocess
import sys
import threading

import pytest

import cogmap
from cogmap import FuzzyCognitiveMap
from cogmap._utils.files import output_path, whole_file, write_whole

SAVING = """
import sys, cogmap
path, number, n_saves = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for i in range(n_saves):
    fcm = cogmap.FuzzyCognitiveMap([[0.0, number], [i, 0.0]], concepts=["a" * (1 + 50 * number), "b"])
    cogmap.save(fcm, path)
"""


def save_beside_a_reader(folder, n_saves):
    """Four processes save models to one file while another loads it; return how often it was loaded."""
    path = folder / "model.cogmap"
    cogmap.save(FuzzyCognitiveMap([[0.0, 1.0], [1.0, 0.0]]), path)
    command = [sys.executable, "-c", SAVING, path]
    writers = [
        subprocess.Popen([*command, str(number), str(n_saves)], stderr=subprocess.PIPE, text=True)
        for number in range(4)
    ]
    n_loaded = 0
    while any(writer.poll() is None for writer in writers):
        cogmap.load(path)
        n_loaded += 1
    assert [(writer.wait(), writer.communicate()[1]) for writer in writers] == [(0, "")] * 4
    assert list(folder.iterdir()) == [path]
    return n_loaded


def test_processes_that_save_to_one_file_leave_a_whole_one(tmp_path):
    """No writer fails, and no reader sees a part."""
    assert save_beside_a_reader(tmp_path, 10) > 10


@pytest.mark.slow
def test_a_thousand_saves_by_four_processes_beside_a_reader(tmp_path):
    """The figure that was asked for: 0 errors, 0 bad reads."""
    assert save_beside_a_reader(tmp_path, 250) > 250


def test_writers_at_the_same_time_do_not_share_a_temporary_file(tmp_path):
    """The last to finish wins, with all that it wrote."""
    path = tmp_path / "out"
    with whole_file(path, "w") as first:
        first.write("first, " * 1000)
        with whole_file(path, "w") as second:
            second.write("second")
        assert path.read_text() == "second"
        first.write("end")
    assert path.read_text() == "first, " * 1000 + "end"


def test_threads_that_write_one_file_never_fail(tmp_path):
    """Each text is whole."""
    path, failed = tmp_path / "out", []

    def write(text):
        for _ in range(20):
            try:
                write_whole(path, text * 5000)
            except OSError as problem:
                failed.append(problem)

    threads = [threading.Thread(target=write, args=(text,)) for text in "abcd"]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if path.exists():
            content = path.read_text()
            assert content == content[0] * 5000
    for thread in threads:
        thread.join()
    assert failed == []
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="links are POSIX")
@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_and_the_file_behind_it_is_written(exists, tmp_path):
    """Also if that file does not exist yet, and through several links in other folders."""
    (tmp_path / "far").mkdir()
    file, near, link = tmp_path / "far" / "file", tmp_path / "far" / "near", tmp_path / "link"
    if exists:
        file.write_text("before")
    near.symlink_to("file")
    link.symlink_to(near)
    write_whole(link, "after")
    assert link.is_symlink()
    assert near.is_symlink()
    assert file.read_text() == "after"


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="devices are POSIX")
def test_devices_pipes_and_folders_are_refused(tmp_path):
    """Nothing is put in their place, not even through a link, nor in the place of an open file of the process."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    (tmp_path / "loop").symlink_to("loop")
    for name in ("pipe", "link", "loop", "nowhere/file", "."):
        with pytest.raises(OSError, match=r"device or a pipe|too many levels|Too many levels|no folder|a folder"):
            write_whole(tmp_path / name, "x")
    with open(tmp_path / "open", "w") as file:
        for path in ("/dev/stdout", f"/proc/self/fd/{file.fileno()}", f"/dev/fd/{file.fileno()}"):
            with pytest.raises(OSError, match="device or a pipe"):
                output_path(type(tmp_path)(path))
    assert not list(tmp_path.glob(".*"))
