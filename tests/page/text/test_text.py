"""What the page reads and writes as text, tested by Node's own test runner."""

import shutil
import subprocess
from pathlib import Path

import pytest


def test_text_of_the_page():
    """Numbers, tables, addresses and edits."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node.js on this machine")
    test = Path(__file__).with_name("text.test.js")
    ran = subprocess.run([node, "--test", test], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout
