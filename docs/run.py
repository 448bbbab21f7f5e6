"""Run the Python and shell blocks of a guide, and put what they print below: ``python docs/run.py docs/tables.md``."""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

_BLOCKS = r"```(?P<language>python|sh)\n(?P<code>.*?)```\n(\n```text\n.*?```\n)?"


def with_output(text):
    """Return the guide with the text block below each block of code replaced by what it prints now.

    Shell commands are run in a folder of their own, in which Python blocks are run as well.
    """
    names = {}

    def run(match):
        printed = _shell(match["code"]) if match["language"] == "sh" else _python(match["code"], names)
        output = f"\n```text\n{printed.rstrip()}\n```\n" if printed.strip() else ""
        return f"```{match['language']}\n{match['code']}```\n{output}"

    return re.sub(_BLOCKS, run, text, flags=re.DOTALL)


def _python(code, names):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue()


def _shell(code):
    commands = os.path.dirname(sys.executable)
    environment = os.environ | {"PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
    run = subprocess.run(
        ["sh", "-e", "-c", code],
        env=environment,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return run.stdout


def main():
    """Run all guides that are named."""
    paths = [Path(name).resolve() for name in sys.argv[1:]]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder if "```sh" in text else "."):
            path.write_text(with_output(text), encoding="utf-8")


if __name__ == "__main__":
    main()
