"""Run the Python blocks of a guide, and put what they print below them: ``python docs/run.py docs/explaining.md``."""

import contextlib
import io
import re
import sys
from pathlib import Path


def with_output(text):
    """Return the guide with the text block below each Python block replaced by what it prints now."""
    names = {}

    def run(match):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(match["code"], names)
        output = f"\n```text\n{printed.getvalue().rstrip()}\n```\n" if printed.getvalue() else ""
        return f"```python\n{match['code']}```\n{output}"

    blocks = r"```python\n(?P<code>.*?)```\n(\n```text\n.*?```\n)?"
    return re.sub(blocks, run, text, flags=re.DOTALL)


for path in map(Path, sys.argv[1:]):
    path.write_text(with_output(path.read_text(encoding="utf-8")), encoding="utf-8")
