"""The OpenAPI document, made from the columns of the model: what a request has to look like, and what is answered."""

import csv
import io
import sys
from typing import Any

from cogmap import __version__
from cogmap.serving.answers import JSON as Plain
from cogmap.serving.answers import Served
from cogmap.serving.bodies import CSV, JSON, Limits
from cogmap.serving.metrics import MEDIA_TYPE as METRICS

_REFUSALS = {
    400: "The body is not JSON or CSV.",
    401: "The token is missing or wrong.",
    408: "The request has not arrived in time.",
    413: "The body is too large.",
    415: "The body is of another kind than JSON or CSV.",
    422: "There are too many rows, or not those that the model reads; the message says where.",
    503: "The server is busy; try again.",
}

_SUMMARIES = {
    "predict": "Predict rows.",
    "explain": "Return the contribution of each column to the prediction of rows.",
    "what-if": "Find the smallest change of each row that changes its prediction.",
}
_CSV_TEXT = {"type": "string", "description": "In UTF-8, with commas, and the names of the columns in the first line."}
_NUMBER = {"type": "number"}
_PROBABILITY = {"type": "number", "minimum": 0, "maximum": 1}
_NOTES = {
    "type": "array",
    "items": {"type": "string"},
    "description": "What there is to say about the rows, such as columns that are not used.",
}


def openapi(served: Served, limits: Limits, title: str, token: bool) -> Plain:
    """Return the document.

    Parameters
    ----------
    served : Served
        The model.
    limits : Limits
        How much a request may ask for.
    title : str
        How the model is called.
    token : bool
        Whether a token is asked for.
    """
    document: Plain = {
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "version": __version__,
            "description": f"A {served.kind}: a fuzzy cognitive map that was learned from a table. "
            f"The body of a request may have at most {limits.n_bytes:,} bytes.",
        },
        "paths": {
            "/predict": {"post": _question(served, "predict", limits.n_rows, token)},
            "/explain": {"post": _question(served, "explain", limits.n_explained, token)},
            "/what-if": {"post": _question(served, "what-if", limits.n_changed, token)},
            "/health": {"get": {**_get("health", "Say that the server runs.", JSON, _ref("Health")), "security": []}},
            "/metrics": {"get": _get("metrics", "What the server has counted, for Prometheus.", METRICS, token=token)},
            "/openapi.json": {"get": _get("openapi", "This document.", JSON, {"type": "object"}, token=token)},
            "/docs": {"get": _get("docs", "This document as a page.", "text/html", token=token)},
            "/": {"get": _get("page", "The map as an interactive page.", "text/html", token=token)},
        },
        "components": {"schemas": _schemas(served, limits)},
    }
    if token:
        schemes = {"bearer": {"type": "http", "scheme": "bearer"}, "basic": {"type": "http", "scheme": "basic"}}
        document["components"]["securitySchemes"] = schemes
        document["security"] = [{"bearer": []}, {"basic": []}]
    return document


def _example_csv(row: Plain) -> str:
    """Return a row as a table of one line."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([row.keys(), row.values()])
    return text.getvalue()


def _question(served: Served, name: str, most: int, token: bool) -> Plain:
    """Describe ``/predict``, ``/explain`` or ``/what-if``, with an example that the model has answered."""
    example, options = served.columns.example, {} if name != "what-if" else {"to": _example_goal(served), "fixed": []}
    answer = served.answer(name, [example], options)
    schema = name.title().replace("-", "")
    refusals = {status: text for status, text in _REFUSALS.items() if token or status != 401}
    return {
        "operationId": name,
        "summary": _SUMMARIES[name],
        "requestBody": {
            "required": True,
            "description": f"At least one row and at most {most:,}. A value that is not known is null, in CSV empty.",
            "content": {
                JSON: {"schema": _ref(f"{schema}Request"), "example": {"rows": [example], **options}},
                **({} if name == "what-if" else {CSV: {"schema": _CSV_TEXT, "example": _example_csv(example)}}),
            },
        },
        "responses": {
            "200": {
                "description": "One answer per row, in their order.",
                "content": {JSON: {"schema": _ref(f"{schema}Response"), "example": answer}},
            },
            **{str(status): _refusal(text) for status, text in refusals.items()},
        },
    }


def _get(name: str, summary: str, media_type: str, schema: Plain | None = None, *, token: bool = False) -> Plain:
    answer = {"description": summary, "content": {media_type: {"schema": schema or {"type": "string"}}}}
    refused = {"401": _refusal(_REFUSALS[401])} if token else {}
    return {"operationId": name, "summary": summary, "responses": {"200": answer, **refused}}


def _refusal(text: str) -> Plain:
    return {"description": text, "content": {JSON: {"schema": _ref("Error")}}}


def _schemas(served: Served, limits: Limits) -> Plain:
    names = list(served.columns.names)
    row = {"type": "object", "properties": served.columns.schemas, "required": names}
    by_output = _object(dict.fromkeys(served.outputs, _NUMBER))
    by_column = _object(dict.fromkeys(names, _NUMBER))
    prediction = _prediction(served)
    contributions = _object(dict.fromkeys(served.outputs, by_column))
    return {
        "Row": row,
        "PredictRequest": _request(limits.n_rows),
        "ExplainRequest": _request(limits.n_explained),
        "PredictResponse": _object({"predictions": _list(_object(prediction)), "notes": _NOTES}),
        "ExplainResponse": _object(
            {
                "explanations": _list(_object({**prediction, "contributions": contributions})),
                "base_values": {
                    **by_output,
                    "description": "What the model says about the mean of the training data. "
                    "With the contributions of all columns it is what the model says about a row.",
                },
                "notes": _NOTES,
            }
        ),
        "WhatIfRequest": _request(limits.n_changed, to=_goal(served), fixed=_list({"enum": names})),
        "WhatIfResponse": _object(
            {
                "answers": _list(
                    _object(
                        {
                            "found": {"type": "boolean"},
                            "changes": {"type": "object", "additionalProperties": _object({"before": {}, "after": {}})},
                            "before": by_output,
                            "after": by_output,
                        }
                    )
                ),
                "notes": _NOTES,
            }
        ),
        "Health": _object({"status": {"const": "ok"}, "version": {"type": "string"}, "kind": {"const": served.kind}}),
        "Error": _object({"error": {"type": "string", "description": "One line: what was wrong, and where."}}),
    }


def _prediction(served: Served) -> Plain:
    """Return the schemas of what is predicted about a row."""
    if served.kind == "classifier":
        probabilities = dict.fromkeys(served.outputs, _PROBABILITY)
        return {"prediction": {"enum": served.labels}, "probabilities": _object(probabilities)}
    return {"prediction": _NUMBER if served.one_value else _object(dict.fromkeys(served.outputs, _NUMBER))}


def _goal(served: Served) -> Plain:
    """Return the schema of ``to``: a class, null for any other class, or a number."""
    if served.labels:
        return {"enum": [*served.labels, None]}
    number = {**_NUMBER, "minimum": -sys.float_info.max, "maximum": sys.float_info.max}
    if served.one_value:
        return number
    one_of = {"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": False}
    return {**one_of, "properties": dict.fromkeys(served.outputs, number)}


def _example_goal(served: Served) -> Any:
    """Return an example of ``to``."""
    if served.labels:
        return None
    link: Any = served.model.model.link
    mean = float(f"{link.mean[0]:.3g}")
    return mean if served.one_value else {served.outputs[0]: mean}


def _request(most: int, **options: Plain) -> Plain:
    rows = {"type": "array", "items": _ref("Row"), "minItems": 1, "maxItems": most}
    required = ["rows", *(["to"] if "to" in options and "enum" not in options["to"] else [])]
    return {"type": "object", "properties": {"rows": rows, **options}, "required": required}


def _object(properties: Plain) -> Plain:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: Plain) -> Plain:
    return {"type": "array", "items": items}


def _ref(name: str) -> Plain:
    return {"$ref": f"#/components/schemas/{name}"}
