"""Run the Python and shell blocks of guides and update their output: ``python docs/run.py docs/guide/tables.md``."""

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
    """Return the guide with the text block below each code block replaced by its current output.

    Python blocks share one namespace, and shell and Python blocks the current directory.
    """
    namespace = {}

    def run_block(match):
        printed = _shell(match["code"]) if match["language"] == "sh" else _python(match["code"], namespace)
        output = f"\n```text\n{printed.rstrip()}\n```\n" if printed.strip() else ""
        return f"```{match['language']}\n{match['code']}```\n{output}"

    return re.sub(_BLOCKS, run_block, text, flags=re.DOTALL)


def _python(code, namespace):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)
    return printed.getvalue()


def _shell(code):
    scripts = os.path.dirname(sys.executable)  # so that `cogmap` is the one of this environment
    environment = os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"}
    completed = subprocess.run(
        ["sh", "-e", "-c", code],
        env=environment,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return completed.stdout


def main():
    """Update the guides named on the command line; those with shell blocks run in a temporary directory."""
    paths = [Path(name).resolve() for name in sys.argv[1:]]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder if "```sh" in text else "."):
            path.write_text(with_output(text), encoding="utf-8")


if __name__ == "__main__":
    main()
