"""Assemble the page: HTML shell, style, script modules and payload in one file, with a Content-Security-Policy.

The script is written as ES modules, so that each can be read and tested alone. A page opened from disk cannot import
files, so the modules are bundled: each becomes a function that returns its exports, dependencies first. The bundle is
compressed without comments and indentation, and a short starter unpacks and runs it: this keeps the file small. The
policy allows only the hashes of starter and bundle.

Modules import by name, ``import { a, b as c } from "./x.js";``, or as a namespace, ``import * as x from "./x.js";``.
"""

import base64
import hashlib
import html
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from cogmap._utils.files import write_whole
from cogmap._utils.params import param_error
from cogmap.exceptions import DataError

_FOLDER = files("cogmap.page")
# Entry module, style sheets and further sources of the page of a model and of the drawing board.
_PAGES = {
    "page": ("main.js", ["style.css"], ""),
    "board": ("board_main.js", ["style.css", "board.css"], "; img-src data:"),
}
_LARGE = 2**21  # bytes above which the best compression takes too long

_COMMENT = re.compile(
    r"^ *(?://[^\n]*|/\*\*.*?\*/)\n", re.MULTILINE | re.DOTALL
)  # whole lines, which take a tenth of a page
_INDENT = re.compile(r"^ +", re.MULTILINE)  # of code only: no text of the scripts goes over lines
_STYLE_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_STYLE_BLANKS = re.compile(r"\s*([{};,])\s*")  # around marks of style sheets, whose texts have none of these
_IMPORT = re.compile(r'^import\s+(\{[^}]*\}|\* as \w+)\s+from\s+"\./([\w]+\.js)";\n', re.MULTILINE)
_REEXPORT = re.compile(r'^export\s+(\{[^}]*\})\s+from\s+"\./([\w]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function\*?|class|const|let) (\w+))", re.MULTILINE)


def assemble_page(title: str, payload: dict[str, Any], kind: str = "page", language: str = "en") -> str:
    """Return the page of a model, or the drawing board, as one self-contained HTML document."""
    entry, styles, sources = _PAGES[kind]
    style = _STYLE_BLANKS.sub(r"\1", _STYLE_COMMENT.sub("", "".join(map(_read, styles)))).strip()
    starter, script = _read("starter.js"), bundle(entry)
    parts = {
        "policy": html.escape(_policy(style, [starter, script]) + sources, quote=True),
        "language": html.escape(language, quote=True),
        "title": html.escape(title),
        "style": style,
        "payload": packed(json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False)),
        "script": packed(script),
        "starter": starter,
    }
    for name, text in (("style", style), ("script", starter)):
        if f"</{name}" in text.lower():
            raise ValueError(f"the {name} of the page contains its own closing tag")
    # In one pass: inserted text is not searched for placeholders.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _read(f"{kind}.html"))


def packed(text: str) -> str:
    """Return text compressed and in base64: small, and free of markup. `unpacked` in the page reverses it."""
    # UTF-8 cannot encode a lone surrogate; JSON can escape it.
    content = text.encode("utf-8", "backslashreplace")
    return base64.b64encode(zlib.compress(content, 9 if len(content) < _LARGE else 6)).decode("ascii")


def bundle(entry: str) -> str:
    """Return a module and everything it imports as one script; the module itself comes last, unwrapped."""
    modules: dict[str, str] = {}
    _collect(entry, modules, ())
    return "\n".join(modules.values())


def _collect(name: str, modules: dict[str, str], importing: tuple[str, ...]) -> None:
    """Add a module after the modules it imports."""
    if name in importing:
        raise ValueError(f"circular import in the modules of the page: {' -> '.join([*importing, name])}")
    if name in modules:
        return
    text = _INDENT.sub("", _COMMENT.sub("", _read(f"script/{name}")))
    exported: list[str] = []

    def replace_import(match: re.Match[str]) -> str:
        _collect(match[2], modules, (*importing, name))
        names, module = match[1].replace(" as ", ": "), _variable(match[2])
        return f"const {names.removeprefix('*: ')} = {module};\n"

    def replace_reexport(match: re.Match[str]) -> str:
        exported.extend(re.findall(r"\w+", match[1]))
        return replace_import(match)

    def replace_export(match: re.Match[str]) -> str:
        exported.append(match[2])
        return match[1]

    text = _EXPORT.sub(replace_export, _IMPORT.sub(replace_import, _REEXPORT.sub(replace_reexport, text)))
    if re.search(r"^(import|export)\b", text, re.MULTILINE):
        raise ValueError(f"{name} has an import or export of a form that is not supported")
    if importing:
        text = f"const {_variable(name)} = (() => {{\n{text}return {{ {', '.join(exported)} }};\n}})();"
    modules[name] = f"// {name}\n{text}"


def _variable(name: str) -> str:
    return "$" + name.removesuffix(".js")


def _policy(style: str, scripts: list[str]) -> str:
    """Return a Content-Security-Policy that allows only our own style and scripts."""
    allowed = " ".join(hash_of(script) for script in scripts)
    return f"default-src 'none'; style-src {hash_of(style)}; script-src {allowed}; base-uri 'none'; form-action 'none'"


def hash_of(text: str) -> str:
    """Return the hash of a text in the form of a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def write_page(owner: str, what: str, example: str, path: Any, make: Callable[[], str]) -> Path:
    """Write what `make` returns to a file, and raise before calling it if the file cannot be written."""
    if not isinstance(path, str | os.PathLike) or not os.fspath(path) or "\0" in str(path):
        raise param_error(owner, "path", f"the path of a file, such as {example!r}", path)
    target = Path(path)
    with _refusals(what, target):
        if target.is_dir():
            raise OSError("it is a directory")
        if not target.parent.is_dir():
            raise OSError(f"the directory {target.parent} does not exist")
    text = make()
    with _refusals(what, target):
        write_whole(target, text)
    return target


@contextmanager
def _refusals(what: str, target: Path) -> Iterator[None]:
    """Say in one sentence why a file cannot be written."""
    try:
        yield
    except OSError as error:
        raise DataError(f"The {what} cannot be written to {target}: {error.strerror or error}.") from None
