"""The documentation as a page: the OpenAPI document, laid out for reading. It has no script and loads nothing."""

import json
from html import escape
from importlib.resources import files
from typing import Any

from cogmap.page.assemble import hash_of
from cogmap.serving.bodies import CSV, JSON

_STYLE = (files("cogmap.serving") / "documentation.css").read_text(encoding="utf-8")

POLICY = f"default-src 'none'; style-src {hash_of(_STYLE)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

Plain = dict[str, Any]


def documentation(document: Plain) -> str:
    """Return the page of an OpenAPI document that `openapi` has made."""
    info = document["info"]
    paths = [(path, method, what) for path, methods in document["paths"].items() for method, what in methods.items()]
    parts = [
        f"<h1>{escape(info['title'])}</h1>",
        f"<p>{escape(info['description'])}</p>",
        f"<p>{_token(document)}<a href='./'>Play with the map</a>, or read this page as a program does: "
        "<a href='openapi.json'>openapi.json</a>.</p>",
        "<h2>Columns</h2>",
        _columns(document["components"]["schemas"]["Row"], document["paths"]["/predict"]["post"]),
        *(_question(path, what) for path, method, what in paths if method == "post"),
        "<h2>Other paths</h2>",
        _table(
            ["path", "what it gives"],
            [[f"<a href='.{path}'>{path}</a>", escape(what["summary"])] for path, how, what in paths if how == "get"],
        ),
    ]
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(info['title'])}</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _token(document: Plain) -> str:
    if "security" not in document:
        return ""
    return "All paths but /health ask for the token: <code>Authorization: Bearer &lt;token&gt;</code>. "


def _columns(row: Plain, question: Plain) -> str:
    """Return the table of the columns, with a value of each as an example."""
    (example,) = question["requestBody"]["content"][JSON]["example"]["rows"]
    lines = []
    for name, schema in row["properties"].items():
        shown = json.dumps(example[name], ensure_ascii=False)
        lines.append([_code(name), schema["title"], escape(schema.get("description", "")), _code(shown)])
    return _table(["column", "kind", "values", "example"], lines)


def _question(path: str, what: Plain) -> str:
    """Return the section of a path that takes rows."""
    content = what["requestBody"]["content"]
    answer = what["responses"]["200"]["content"][JSON]["example"]
    refusals = [[status, escape(how["description"])] for status, how in what["responses"].items() if status != "200"]
    return "\n".join(
        [
            f"<h2><span class='method'>POST</span> {path}</h2>",
            f"<p>{escape(what['summary'])} {escape(what['requestBody']['description'])}</p>",
            f"<h3>Request, <code>Content-Type: {JSON}</code></h3>",
            _block(json.dumps(content[JSON]["example"], indent=2, ensure_ascii=False)),
            *(
                [f"<h3>Request, <code>Content-Type: {CSV}</code></h3>", _block(content[CSV]["example"])]
                if CSV in content
                else []
            ),
            "<h3>Answer</h3>",
            _block(json.dumps(answer, indent=2, ensure_ascii=False)),
            "<h3>What is refused, with one line that says why</h3>",
            _table(["status", "when"], refusals),
        ]
    )


def _table(head: list[str], lines: list[list[str]]) -> str:
    heads = "".join(f"<th scope='col'>{text}</th>" for text in head)
    rows = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in line) + "</tr>" for line in lines)
    return (
        f"<div class='table' tabindex='0'><table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table></div>"
    )


def _block(text: str) -> str:
    return f"<pre tabindex='0'>{escape(text)}</pre>"


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"
