"""One file from many: shell, style, script modules and payload, with a policy that allows just these.

The script is written as modules, so that each can be read and tested alone. A page opened from a disk may not import
files, so they become one: each module becomes a function that returns what it exports, those that it imports first.
The script is packed, comments and all, and a few lines unpack and start it: so it can be read in a browser's tools, and
the file stays small. The policy knows the hashes of both.

A module imports and exports by name, ``import { a, b as c } from "./x.js";``, or all, ``import * as x from "./x.js";``.
"""

import base64
import hashlib
import html
import json
import re
import zlib
from importlib.resources import files
from typing import Any

_FOLDER = files("cogmap.page")
_ENTRY = "main.js"
_LARGE = 2**21  # bytes: beyond, packing them tightly takes too long

_IMPORT = re.compile(r'^import\s+(\{[^}]*\}|\* as \w+)\s+from\s+"\./([\w]+\.js)";\n', re.MULTILINE)
_PASSED_ON = re.compile(r'^export\s+(\{[^}]*\})\s+from\s+"\./([\w]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function\*?|class|const|let) (\w+))", re.MULTILINE)


def assembled(title: str, payload: dict[str, Any]) -> str:
    """Return the page: one file that asks nobody for anything."""
    style, starter, script = _read("style.css"), _read("starter.js"), script_of(_ENTRY)
    parts = {
        "policy": html.escape(_policy(style, [starter, script]), quote=True),
        "title": html.escape(title),
        "style": style,
        "payload": packed(json.dumps(payload, ensure_ascii=False, separators=(",", ":"), allow_nan=False)),
        "script": packed(script),
        "starter": starter,
    }
    for name, text in (("style", style), ("script", starter)):  # it would end its element in the middle
        if f"</{name}" in text.lower():
            raise ValueError(f"the {name} of the page contains its own end")
    # In one pass: what is put in is not looked at again.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _read("page.html"))


def packed(text: str) -> str:
    """Return a text deflated and in base64: small, and never markup. `unpacked` in the page undoes it."""
    # A lone half of a surrogate pair cannot be encoded; in JSON it can be spelled out.
    content = text.encode("utf-8", "backslashreplace")
    return base64.b64encode(zlib.compress(content, 9 if len(content) < _LARGE else 6)).decode("ascii")


def script_of(entry: str) -> str:
    """Return a module with all that it imports as one script; the module itself comes last, as it is."""
    modules: dict[str, str] = {}
    _collect(entry, modules, ())
    return "\n".join(modules.values())


def _collect(name: str, modules: dict[str, str], importing: tuple[str, ...]) -> None:
    """Add a module after those that it imports."""
    if name in importing:
        raise ValueError(f"modules of the page import each other: {' -> '.join([*importing, name])}")
    if name in modules:
        return
    text = _read(f"script/{name}")
    exported: list[str] = []

    def taken(found: re.Match[str]) -> str:
        _collect(found[2], modules, (*importing, name))
        wanted, module = found[1].replace(" as ", ": "), _variable(found[2])
        return f"const {wanted.removeprefix('*: ')} = {module};\n"

    def passed_on(found: re.Match[str]) -> str:
        exported.extend(re.findall(r"\w+", found[1]))
        return taken(found)

    def kept(found: re.Match[str]) -> str:
        exported.append(found[2])
        return found[1]

    text = _EXPORT.sub(kept, _IMPORT.sub(taken, _PASSED_ON.sub(passed_on, text)))
    if re.search(r"^(import|export)\b", text, re.MULTILINE):
        raise ValueError(f"{name} imports or exports in a way that the page is not assembled from")
    if importing:
        text = f"const {_variable(name)} = (() => {{\n{text}return {{ {', '.join(exported)} }};\n}})();"
    modules[name] = f"// {name}\n{text}"


def _variable(name: str) -> str:
    return "$" + name.removesuffix(".js")


def _policy(style: str, scripts: list[str]) -> str:
    """Allow nothing but our own style and scripts."""
    allowed = " ".join(hash_of(script) for script in scripts)
    return f"default-src 'none'; style-src {hash_of(style)}; script-src {allowed}; base-uri 'none'; form-action 'none'"


def hash_of(text: str) -> str:
    """Return a text as a Content-Security-Policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
