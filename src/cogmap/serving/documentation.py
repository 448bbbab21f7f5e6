"""The API documentation as an HTML page, rendered from the OpenAPI document, with a form to try a row.

The page loads nothing: its style and its script are part of it, and the security policy allows only these two.
"""

import json
from html import escape
from importlib.resources import files

from cogmap.page.assemble import hash_of
from cogmap.serving.bodies import CSV, JSON, JSONObject

_STYLE = (files("cogmap.serving") / "documentation.css").read_text(encoding="utf-8")

_SCRIPT = (files("cogmap.serving") / "documentation.js").read_text(encoding="utf-8")

POLICY = (
    f"default-src 'none'; style-src {hash_of(_STYLE)}; script-src {hash_of(_SCRIPT)}; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

_MAX_CHOICES = 200  # of a list in the form; a column with more has a text field


def documentation(document: JSONObject) -> str:
    """Render an OpenAPI document, made by `openapi`, as an HTML page."""
    info = document["info"]
    operations = [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    parts = [
        f"<h1>{escape(info['title'])}</h1>",
        f"<p>{escape(info['description'])}</p>",
        f"<p>{_token(document)}<a href='./'>Explore the map</a> on an interactive page, or generate a client from "
        "<a href='openapi.json'>openapi.json</a>.</p>",
        "<h2>Try a row</h2>",
        _form(document["components"]["schemas"]["Row"], document["paths"]["/predict"]["post"]),
        "<h2>Columns</h2>",
        _columns(document["components"]["schemas"]["Row"], document["paths"]["/predict"]["post"]),
        *(_section(path, operation) for path, method, operation in operations if method == "post"),
        "<h2>Other paths</h2>",
        _table(
            ["path", "response"],
            [
                [f"<a href='.{path}'>{path}</a>", escape(operation["summary"])]
                for path, method, operation in operations
                if method == "get"
            ],
        ),
    ]
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(info['title'])}</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + f"\n<script>{_SCRIPT}</script>\n</body></html>\n"
    )


def _token(document: JSONObject) -> str:
    if "security" not in document:
        return ""
    return "All paths except /health need a token: <code>Authorization: Bearer &lt;token&gt;</code>. "


def _form(row: JSONObject, operation: JSONObject) -> str:
    """Return the form, with an example in each field."""
    (example,) = operation["requestBody"]["content"][JSON]["example"]["rows"]
    fields = [
        f"<label>{escape(name)}{_field(name, schema, example[name])}</label>"
        for name, schema in row["properties"].items()
    ]
    return (
        "<form id='try'><div class='fields'>\n"
        + "\n".join(fields)
        + "\n</div><p><button>Predict</button> An empty field is a missing value.</p></form>\n"
        "<div id='answer' role='status'></div>"
    )


def _field(name: str, schema: JSONObject, value: object) -> str:
    """Return the field of a column: a list if it has choices, else a number or text."""
    kind, choices = schema["title"], schema.get("examples", [])
    named = f"name='{escape(name)}' data-kind='{kind}'"
    if not choices or len(choices) > _MAX_CHOICES:
        types = "type='number' step='any'" if kind == "number" else "type='text'"
        return f"<input {named} {types} value='{escape(str(value))}'>"
    options = [
        f"<option value='{escape(json.dumps(choice))}'{' selected' if choice == value else ''}>{escape(str(choice))}"
        for choice in choices
    ]
    return f"<select {named}>{''.join(options)}<option value=''></select>"


def _columns(row: JSONObject, operation: JSONObject) -> str:
    """Return the table of columns, with an example of each."""
    (example,) = operation["requestBody"]["content"][JSON]["example"]["rows"]
    lines = []
    for name, schema in row["properties"].items():
        value = json.dumps(example[name], ensure_ascii=False)
        lines.append([_code(name), schema["title"], escape(schema.get("description", "")), _code(value)])
    return _table(["column", "kind", "values", "example"], lines)


def _section(path: str, operation: JSONObject) -> str:
    """Return the section about a path that takes rows."""
    content = operation["requestBody"]["content"]
    answer = operation["responses"]["200"]["content"][JSON]["example"]
    errors = [
        [status, escape(response["description"])]
        for status, response in operation["responses"].items()
        if status != "200"
    ]
    return "\n".join(
        [
            f"<h2><span class='method'>POST</span> {path}</h2>",
            f"<p>{escape(operation['summary'])} {escape(operation['requestBody']['description'])}</p>",
            f"<h3>Request, <code>Content-Type: {JSON}</code></h3>",
            _block(json.dumps(content[JSON]["example"], indent=2, ensure_ascii=False)),
            *(
                [f"<h3>Request, <code>Content-Type: {CSV}</code></h3>", _block(content[CSV]["example"])]
                if CSV in content
                else []
            ),
            "<h3>Response</h3>",
            _block(json.dumps(answer, indent=2, ensure_ascii=False)),
            "<h3>Errors</h3>",
            _table(["status", "meaning"], errors),
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
