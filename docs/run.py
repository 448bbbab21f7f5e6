"""Run the pages of the documentation: ``python docs/run.py docs/guide/tables.md`` updates the output of its examples.

The text block below a Python or shell block is its output. ``--check`` compares instead and names the pages that
differ: in words, or in numbers by more than their last digits, which change with versions of dependencies. Without
pages, all run.
"""

import argparse
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

DOCS = Path(__file__).parent
_BLOCKS = r"```(?P<language>python|sh)\n(?P<code>.*?)```\n(\n```text\n.*?```\n)?"


def pages():
    """Return all pages with examples, but for those with ``>>>``, which tests run as doctests."""
    found = sorted(path for pattern in ("index.md", "[!_]*/**/*.md") for path in DOCS.glob(pattern))
    return [path for path in found if re.search(r"```(python|sh)\n(?!>>>)", path.read_text(encoding="utf-8"))]


def with_output(text):
    """Return the page with the text block below each code block replaced by its current output.

    Python blocks share one namespace, and shell and Python blocks an empty current directory.
    """
    namespace = {}

    def run_block(match):
        printed = _shell(match["code"]) if match["language"] == "sh" else _python(match["code"], namespace)
        output = f"\n```text\n{printed.rstrip()}\n```\n" if printed.strip() else ""
        return f"```{match['language']}\n{match['code']}```\n{output}"

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
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


def _words(line):
    """Return a line with 0 in place of each number and hash."""
    line = re.sub(r"\b(hash|model)=[0-9a-f]{12,}", r"\1=0", line)
    return " ".join(re.sub(r"[+-]?\d[\d.,]*(e-?\d+)?", "0", line).split())


def differences(shown, current):
    """Return the lines that only one of two versions of a page has; numbers count as one word.

    The order of lines does not count: processors round differently, which decides among rules of nearly equal strength.
    """
    old, new = (Counter(map(_words, text.splitlines())) for text in (shown, current))
    return [f"-{line}" for line in (old - new).elements()] + [f"+{line}" for line in (new - old).elements()]


_NUMBER = r"(?<![\w.-])[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w-])"
_VARYING = re.compile(r"^(saved|hash)=|/health|model=[0-9a-f]{12}")  # times, hashes and counts of polls


def stale_numbers(shown, current, tolerance=0.05):
    """Return pairs of lines whose numbers differ by more than a share of them and two units of the last digit shown.

    Lines with other words are left to `differences`. Rounding errors, below 1e-6, may differ.
    """
    found = []
    for old, new in zip(*(sorted(text.splitlines(), key=_words) for text in (shown, current)), strict=False):
        pairs = list(zip(re.findall(_NUMBER, old), re.findall(_NUMBER, new), strict=False))
        if old != new and not _VARYING.search(old) and not all(_close(*pair, tolerance) for pair in pairs):
            found.append((old, new))
    return found


def _close(shown, current, tolerance):
    digits, _, exponent = shown.replace(",", "").partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))
    a, b = (float(text.replace(",", "")) for text in (shown, current))
    return abs(a - b) <= max(tolerance * max(abs(a), abs(b)) + 2 * unit * (unit < 1), 1e-6)


def main():
    """Update or check the pages named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, and change nothing")
    parser.add_argument("pages", nargs="*", type=Path)
    arguments = parser.parse_args()
    failed = False
    for path in [page.resolve() for page in arguments.pages or pages()]:
        started = time.monotonic()
        shown = path.read_text(encoding="utf-8")
        current = with_output(shown)
        if not arguments.check:
            path.write_text(current, encoding="utf-8")
        elif changed := differences(shown, current) or stale_numbers(shown, current):
            failed = True
            print(f"{path.name} shows other output than its examples print:", *changed, sep="\n  ")
        print(f"{path.relative_to(DOCS.resolve())}: {time.monotonic() - started:.0f} s", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
