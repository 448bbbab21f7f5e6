"""Rows of a benchmark, kept in a file so that an interrupted run resumes and only what changed runs again."""

import ast
import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from cogmap._utils.files import write_whole

Row = dict[str, Any]


_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _code(source: str) -> str:
    """Return what a module computes: without comments, docstrings and its list of public names."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    tree.body = [line for line in tree.body if not ast.unparse(line).startswith("__all__ =")]
    return ast.unparse(tree)


def source_version(*paths: str | Path) -> str:
    """Return a short hash of the code of Python files and of those in folders: text about it does not change it."""
    total = hashlib.sha256()
    for path in map(Path, paths):
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            total.update(f"{file.name}\n{_code(file.read_text(encoding='utf-8'))}\n".encode())
    return total.hexdigest()[:12]


class KeptRows:
    """Rows in ``results.jsonl`` of a folder: each has a key, whose values say what was measured and by which version.

    Parameters
    ----------
    folder : Path
        Folder, which is made if there is none.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "results.jsonl"
        self._rows: dict[str, Row] = {}
        self._used: dict[str, None] = {}
        for line in self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else ():
            try:
                row = json.loads(line)
                self._rows[_text(row["key"])] = row
            except (ValueError, KeyError, TypeError):
                continue  # a line that an interrupt cut off

    def row(self, key: Row, measure: Callable[[], Row]) -> Row:
        """Return the row of a key, measured if it is not there."""
        text = _text(key)
        if text not in self._rows:
            self._rows[text] = {"key": key, **measure()}
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(self._rows[text]) + "\n")
        self._used[text] = None
        return self._rows[text]

    def missing(self, keys: Iterable[Row]) -> bool:
        """Return whether a key has no row."""
        return any(_text(key) not in self._rows for key in keys)

    def forget_others(self, sections: Iterable[str]) -> None:
        """Remove rows of these sections that were not asked for, such as those of earlier versions."""
        sections = set(sections)
        kept = [row for text, row in self._rows.items() if text in self._used or row["key"]["section"] not in sections]
        kept.sort(key=lambda row: _text(row["key"]))
        write_whole(self._path, "".join(json.dumps(row) + "\n" for row in kept).encode())


def _text(key: Row) -> str:
    return json.dumps(key, sort_keys=True)
