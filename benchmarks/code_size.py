"""Lines of code in the package, without blank lines, comments and docstrings.

``python -m benchmarks.code_size`` prints them by package, with the lines of JavaScript and the largest modules;
``python -m benchmarks.code_size FOLDER`` counts in another folder, such as that of an earlier commit.
"""

import ast
import io
import re
import sys
import tokenize
from pathlib import Path

from benchmarks.timing import print_table

SOURCE = Path(__file__).parents[1] / "src" / "cogmap"
LONGEST = 400  # lines of a module, including comments and docstrings
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def lines_of_python(text):
    """Return the number of lines of code, without docstrings."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            docstring = node.body[0]
            lines.difference_update(range(docstring.lineno, docstring.end_lineno + 1))
    return len(lines)


def lines_of_script(text):
    """Return the number of lines of JavaScript code; assumes that comments start their line."""
    text = re.sub(r"^\s*/\*.*?\*/", "", text, flags=re.DOTALL | re.MULTILINE)
    return sum(bool(line.strip()) and not line.strip().startswith("//") for line in text.splitlines())


def main():
    """Print the numbers."""
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE
    totals, long, scripts = {}, [], 0
    for path in sorted(source.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        part = path.relative_to(source).parts
        package = part[0] if len(part) > 1 else "(modules)"
        modules, lines = totals.get(package, (0, 0))
        totals[package] = (modules + 1, lines + lines_of_python(text))
        if text.count("\n") > LONGEST:
            long.append([str(path.relative_to(source)), text.count("\n")])
    for path in source.rglob("*.js"):
        scripts += lines_of_script(path.read_text(encoding="utf-8"))
    rows = [[name, *counts] for name, counts in sorted(totals.items(), key=lambda item: -item[1][1])]
    rows.append(["all", sum(row[1] for row in rows), sum(row[2] for row in rows)])
    print_table("Python, without blank lines, comments and docstrings", ["package", "modules", "lines"], rows)
    print(f"\nJavaScript, without blank lines and comments: {scripts} lines")
    if long:
        print_table(
            f"Modules of more than {LONGEST} lines, including comments and docstrings", ["module", "lines"], long
        )
    else:
        print(f"No module has more than {LONGEST} lines.")


if __name__ == "__main__":
    main()
