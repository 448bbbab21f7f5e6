"""Text formats of the page, tested by Node.js."""

import shutil
import subprocess
from pathlib import Path

import pytest


def test_text_of_the_page():
    """The JavaScript tests of numbers, tables, addresses and edits pass."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node.js on this machine")
    test = Path(__file__).with_name("text.test.js")
    ran = subprocess.run([node, "--test", test], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout
