"""The guide to files of maps, run from its first line to its last."""

import doctest
import re
from pathlib import Path

from click.testing import CliRunner

from cogmap.cli.group import cli

GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "map-files.md"


def test_the_guide_does_what_it_says(tmp_path, monkeypatch):
    """All examples in Python and in the shell."""
    monkeypatch.chdir(tmp_path)
    done = doctest.testfile(
        str(GUIDE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE, encoding="utf-8"
    )
    assert done.attempted > 20
    assert done.failed == 0
    (session,) = re.findall(r"```console\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    for command, shown in re.findall(r"^\$ cogmap (.*)\n((?:[^$].*\n)*)", session, re.MULTILINE):
        assert CliRunner().invoke(cli, command.split()).stdout == shown
