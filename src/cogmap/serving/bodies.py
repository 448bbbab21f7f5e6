"""Request bodies: read within size limits and parsed from JSON or CSV into rows."""

import csv
import io
import json
import re
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from cogmap.maps._text import short
from cogmap.table.columns.texts import repeated

JSON, CSV = "application/json", "text/csv"

JSONObject = dict[str, Any]

_CHARSET = re.compile(r"charset\s*=\s*\"?([^\s\";]*)", flags=re.IGNORECASE)

_MAX_BRACKETS, _MAX_BRACKETS_PER_ROW = 10_000, 10  # opening brackets: one per row, and some in strings
_MAX_BUFFERED_BYTES = 2**28  # of all bodies that are being received or processed


class RequestError(HTTPException):
    """Rejected request: an HTTP status and one line with the problem, its location and the expected value."""


@dataclass(frozen=True)
class Limits:
    """Limits of a request.

    Attributes
    ----------
    n_bytes : int
        Maximum size of the body in bytes.
    n_rows : int
        Maximum number of rows to predict.
    n_explained : int
        Maximum number of rows to explain, which takes about fifty times as long.
    n_changed : int
        Maximum number of rows to find counterfactuals for, which takes some milliseconds each.
    """

    n_bytes: int = 10_000_000
    n_rows: int = 10_000
    n_explained: int = 200
    n_changed: int = 20


class BodyReader:
    """Read request bodies, and limit the size of each one and of all in memory together."""

    def __init__(self, n_bytes: int) -> None:
        self._limit = n_bytes
        self._buffered = 0

    async def read(self, request: Request) -> bytearray:
        """Return the body of a request, to be passed to `release` after use.

        A body that is too large is rejected before it is in memory.
        """
        if int(request.headers.get("content-length", 0)) > self._limit:
            raise self._too_large()
        body = bytearray()
        try:
            async for chunk in request.stream():
                body += chunk
                self._buffered += len(chunk)
                if len(body) > self._limit:
                    raise self._too_large()
                if self._buffered > _MAX_BUFFERED_BYTES:
                    raise RequestError(
                        503, "The server is busy with other requests; retry later.", {"Retry-After": "1"}
                    )
        except BaseException:
            self.release(body)
            raise
        return body

    def release(self, body: bytearray) -> None:
        """Stop counting a body as buffered."""
        self._buffered -= len(body)

    def _too_large(self) -> RequestError:
        return RequestError(413, f"The body must have at most {self._limit:,} bytes. Send several requests.")


def media_type(request: Request) -> str:
    """Return the media type of the body, JSON or CSV; reject other types, charsets and encodings."""
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    kind = kind.strip().lower()
    if kind not in (JSON, CSV):
        got = repr(kind[:80]) if kind else "none"
        raise RequestError(415, f"The Content-Type header must be {JSON} or {CSV}, got {got}.")
    charset = _CHARSET.search(parameters)
    if charset and charset[1].lower() not in ("utf-8", "utf8", "us-ascii"):
        raise RequestError(415, f"The body must be UTF-8 text, got the charset {short(charset[1])!r}.")
    coding = request.headers.get("content-encoding", "identity")
    if coding.lower() != "identity":
        raise RequestError(415, f"The body must not be compressed, got the Content-Encoding {short(coding)!r}.")
    return kind


def parse_rows(body: bytearray, kind: str, max_rows: int) -> tuple[list[Any], JSONObject]:
    """Parse a body into its rows and, for JSON, its other fields.

    There are 1 to `max_rows` rows. Rows of CSV are dicts; rows of JSON are validated later.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = f"byte {error.start} is {body[error.start]:#04x}"
        raise RequestError(400, f"The body is not valid UTF-8: {byte}.") from None
    rows, fields = _json_rows(text, max_rows) if kind == JSON else (_csv_rows(text, max_rows), {})
    if not rows:
        raise RequestError(422, "The body must have at least one row, got none.")
    if len(rows) > max_rows:
        raise RequestError(
            422, f"The body must have at most {max_rows:,} rows, got {len(rows):,}. Send several requests."
        )
    return rows, fields


def describe_value(value: object) -> str:
    """Return a JSON value as text for a message, short for objects and lists."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return short(json.dumps(value))


def _reject_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not allowed in JSON")


_decoder = json.JSONDecoder(parse_constant=_reject_constant)


def _json_rows(text: str, max_rows: int) -> tuple[list[Any], JSONObject]:
    # Parsing millions of empty objects would hold the interpreter lock, and block all threads, for seconds.
    if text.count("{") + text.count("[") > _MAX_BRACKETS + _MAX_BRACKETS_PER_ROW * max_rows:
        raise RequestError(413, f"The body has too many objects and lists for at most {max_rows:,} rows.")
    try:
        content = _decoder.decode(text)
    except json.JSONDecodeError as error:
        reason = f"{error.msg[0].lower()}{error.msg[1:]} at line {error.lineno}, column {error.colno}"
        raise RequestError(400, f"The body cannot be parsed as JSON: {reason}.") from None
    except RecursionError:
        raise RequestError(400, "The body cannot be parsed as JSON: it is nested too deeply.") from None
    except ValueError as error:  # NaN and infinities, or an integer of thousands of digits
        reason = str(error) if str(error).endswith("JSON") else "a number has too many digits"
        raise RequestError(400, f"The body cannot be parsed as JSON: {reason}.") from None
    if not isinstance(content, dict) or "rows" not in content:
        got = "an object without rows" if isinstance(content, dict) else describe_value(content)
        raise RequestError(422, f'The body must be an object {{"rows": [...]}}, got {got}.')
    rows = content.pop("rows")
    if not isinstance(rows, list):
        raise RequestError(422, f"rows must be a list of objects, got {describe_value(rows)}.")
    return rows, content


def _csv_rows(text: str, max_rows: int) -> list[dict[str, str]]:
    """Return the lines below the header as dicts."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[dict[str, str]] = []
    try:
        header = [name.strip() for name in next(reader, [])]
        _check_header(header)
        for line in reader:
            if not line:  # an empty line, as at the end
                continue
            if len(line) != len(header):
                raise RequestError(
                    422, f"Line {reader.line_num} has {len(line)} cells, but the header has {len(header)}."
                )
            rows.append(dict(zip(header, line, strict=True)))
            if len(rows) > max_rows:
                raise RequestError(422, f"The body must have at most {max_rows:,} rows. Send several requests.")
    except csv.Error as error:
        raise RequestError(400, f"The body cannot be parsed as CSV: {error} in line {reader.line_num}.") from None
    return rows


def _check_header(header: list[str]) -> None:
    if not header:
        raise RequestError(422, "The body must be CSV with column names in the first line, got no header.")
    if duplicates := repeated(header):
        raise RequestError(422, f"The header has the column {short(duplicates[0])!r} more than once.")
    if len(header) == 1 and (";" in header[0] or "\t" in header[0]):
        raise RequestError(
            422, f"The header has a single column, {short(header[0])!r}: columns must be separated by commas."
        )
