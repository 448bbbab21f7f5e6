"""The OpenAPI document, generated from the columns and outputs of the model."""

import csv
import io
import json
from typing import Any

from cogmap import __version__
from cogmap.serving.answers import ServedModel
from cogmap.serving.bodies import CSV, JSON, JSONObject, Limits
from cogmap.serving.columns import MAX_FLOAT
from cogmap.serving.metrics import MEDIA_TYPE as METRICS

_ERRORS = {
    400: "The body cannot be parsed as JSON or CSV.",
    401: "The token is missing or wrong.",
    408: "The request did not arrive in time.",
    413: "The body is too large.",
    415: "The media type of the body is not supported.",
    422: "A row or an option is invalid, or there are too many rows; the message gives the location.",
    431: "The request headers are too large.",
    503: "The server is busy; retry later.",
}

_SUMMARIES = {
    "predict": "Predict rows.",
    "explain": "Compute the contribution of each column to the predictions of rows.",
    "what-if": "Find the smallest change of each row that changes its prediction (counterfactuals).",
}
_CSV_TEXT = {"type": "string", "description": "Separated by commas, semicolons or tabs; names in the first line."}
_TEXT = {"type": "string"}
_LEVEL = {
    "name": "level",
    "in": "query",
    "required": False,
    "description": "Add to each prediction an interval of values, or a set of classes, which contains the truth for "
    "about this share of the rows.",
    "schema": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    "example": 0.9,
}
_NUMBER = {"type": "number"}
_PROBABILITY = {"type": "number", "minimum": 0, "maximum": 1}
_NOTES = {
    "type": "array",
    "items": {"type": "string"},
    "description": "Notes on the rows, such as unused columns and unseen categories.",
}


def openapi(served: ServedModel, limits: Limits, title: str, token: bool, root_path: str = "") -> JSONObject:
    """Return the OpenAPI document.

    Parameters
    ----------
    served : ServedModel
        The model.
    limits : Limits
        Limits of a request.
    title : str
        Name of the model.
    token : bool
        Whether requests need a token.
    root_path : str, default=""
        Path under which a proxy makes the server available.

    Returns
    -------
    dict
        The document as a JSON object.
    """
    document: JSONObject = {
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "version": __version__,
            "description": f"A {served.kind}: a fuzzy cognitive map learned from a table. "
            f"The body of a request is limited to {limits.n_bytes:,} bytes.",
        },
        **({"servers": [{"url": root_path}]} if root_path else {}),
        "paths": {
            "/predict": {"post": _question(served, "predict", limits.n_rows, token)},
            "/explain": {"post": _question(served, "explain", limits.n_explained, token)},
            "/what-if": {"post": _question(served, "what-if", limits.n_changed, token)},
            "/health": {
                "get": {**_get("health", "Check that the server is running.", JSON, _ref("Health")), "security": []}
            },
            "/ready": {
                "get": {**_get("ready", "Check that the server takes requests.", JSON, _ref("Health")), "security": []}
            },
            "/models": {"get": _get("models", "All models of the server.", JSON, {"type": "object"}, token=token)},
            "/metrics": {"get": _get("metrics", "Metrics in the Prometheus text format.", METRICS, token=token)},
            "/openapi.json": {
                "get": _get("openapi", "This API description as OpenAPI.", JSON, {"type": "object"}, token=token)
            },
            "/docs": {"get": _get("docs", "This API description as a web page.", "text/html", token=token)},
            "/": {"get": _get("page", "The map as an interactive page.", "text/html", token=token)},
        },
        "components": {"schemas": _schemas(served, limits)},
    }
    if token:
        schemes = {"bearer": {"type": "http", "scheme": "bearer"}, "basic": {"type": "http", "scheme": "basic"}}
        document["components"]["securitySchemes"] = schemes
        document["security"] = [{"bearer": []}, {"basic": []}]
    return document


def _example_csv(row: JSONObject) -> str:
    """Return a row as CSV with a header."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([row.keys(), row.values()])
    return text.getvalue()


def _question(served: ServedModel, name: str, max_rows: int, token: bool) -> JSONObject:
    """Describe ``/predict``, ``/explain`` or ``/what-if``, with an example request and its real response."""
    example, options = served.columns.example, {} if name != "what-if" else {"to": _example_goal(served), "fixed": []}
    body = bytearray(json.dumps({"rows": [example], **options}).encode())
    answer = json.loads(served.answer(name, body, JSON, max_rows).content)
    schema = name.title().replace("-", "")
    errors = {status: text for status, text in _ERRORS.items() if token or status != 401}
    return {
        "operationId": name,
        "summary": _SUMMARIES[name],
        **({"parameters": [_LEVEL]} if name == "predict" and served.knows_errors else {}),
        "requestBody": {
            "required": True,
            "description": f"1 to {max_rows:,} rows. A missing value is null, or an empty cell in CSV.",
            "content": {
                JSON: {"schema": _ref(f"{schema}Request"), "example": {"rows": [example], **options}},
                **({} if name == "what-if" else {CSV: {"schema": _CSV_TEXT, "example": _example_csv(example)}}),
            },
        },
        "responses": {
            "200": {
                "description": "One answer per row, in the order of the rows.",
                "content": {JSON: {"schema": _ref(f"{schema}Response"), "example": answer}},
            },
            **{str(status): _error(text) for status, text in errors.items()},
        },
    }


def _get(
    name: str, summary: str, media_type: str, schema: JSONObject | None = None, *, token: bool = False
) -> JSONObject:
    success = {"description": summary, "content": {media_type: {"schema": schema or {"type": "string"}}}}
    errors = {"401": _error(_ERRORS[401])} if token else {}
    return {"operationId": name, "summary": summary, "responses": {"200": success, **errors}}


def _error(text: str) -> JSONObject:
    return {"description": text, "content": {JSON: {"schema": _ref("Error")}}}


def _schemas(served: ServedModel, limits: Limits) -> JSONObject:
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
        "PredictResponse": _object({"predictions": _list(_object(prediction, **_sure(served))), "notes": _NOTES}),
        "ExplainResponse": _object(
            {
                "explanations": _list(_object({**prediction, "contributions": contributions})),
                "base_values": {
                    **by_output,
                    "description": "Outputs at the mean of the training data. "
                    "Adding the contributions of all columns gives the outputs for a row.",
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
        "Health": _object({"status": {"enum": ["ok", "stopping"]}, "version": _TEXT, "models": {"type": "object"}}),
        "Error": _object({"error": {"type": "string", "description": "The problem and its location, in one line."}}),
    }


def _prediction(served: ServedModel) -> JSONObject:
    """Return the schemas of the prediction for a row."""
    if served.kind == "classifier":
        probabilities = dict.fromkeys(served.outputs, _PROBABILITY)
        return {"prediction": {"enum": served.labels}, "probabilities": _object(probabilities)}
    return {"prediction": _NUMBER if served.one_value else _object(dict.fromkeys(served.outputs, _NUMBER))}


def _sure(served: ServedModel) -> JSONObject:
    """Return the schema of the set or interval of a prediction, which it has if a level is given."""
    if not served.knows_errors:
        return {}
    if served.labels:
        return {"set": {**_list({"enum": served.labels}), "description": "Classes, the likeliest first."}}
    ends = {**_list(_NUMBER), "minItems": 2, "maxItems": 2, "description": "Lower and upper end."}
    return {"interval": ends if served.one_interval else _object(dict.fromkeys(served.outputs, ends))}


def _goal(served: ServedModel) -> JSONObject:
    """Return the schema of ``to``: a class, null for any other class, or a number."""
    if served.labels:
        return {"enum": [*served.labels, None]}
    number = {**_NUMBER, "minimum": -MAX_FLOAT, "maximum": MAX_FLOAT}
    if served.one_value:
        return number
    one_target = {"type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": False}
    return {**one_target, "properties": dict.fromkeys(served.outputs, number)}


def _example_goal(served: ServedModel) -> Any:
    """Return an example of ``to``."""
    if served.labels:
        return None
    link: Any = served.model.model.link
    mean = float(f"{link.mean[0]:.3g}")
    return mean if served.one_value else {served.outputs[0]: mean}


def _request(max_rows: int, **options: JSONObject) -> JSONObject:
    rows = {"type": "array", "items": _ref("Row"), "minItems": 1, "maxItems": max_rows}
    required = ["rows", *(["to"] if "to" in options and "enum" not in options["to"] else [])]
    return {"type": "object", "properties": {"rows": rows, **options}, "required": required}


def _object(properties: JSONObject, **optional: JSONObject) -> JSONObject:
    return {
        "type": "object",
        "properties": {**properties, **optional},
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: JSONObject) -> JSONObject:
    return {"type": "array", "items": items}


def _ref(name: str) -> JSONObject:
    return {"$ref": f"#/components/schemas/{name}"}
