"""Bodies of requests: read within limits, and taken apart into rows of columns and values."""

import csv
import io
import json
import re
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from cogmap.maps._text import short
from cogmap.table.preparation.texts import repeated

JSON, CSV = "application/json", "text/csv"

_CHARSET = re.compile(r"charset\s*=\s*\"?([^\s\";]*)", flags=re.IGNORECASE)

_NESTED_AT_LEAST, _NESTED_PER_ROW = 10_000, 10  # brackets that open: a row has one, and texts may have some
_HELD_AT_MOST = 2**28  # bytes of all bodies together, while they arrive and are worked on


class Problem(HTTPException):
    """A request that is refused: a status of HTTP and one line that says what was wrong, where, what was expected."""


@dataclass(frozen=True)
class Limits:
    """How much a request may ask for.

    Attributes
    ----------
    n_bytes : int
        Bytes of its body.
    n_rows : int
        Rows to predict.
    n_explained : int
        Rows to explain, which takes some fifty times as long.
    n_changed : int
        Rows to find counterfactuals for, which takes some milliseconds each.
    """

    n_bytes: int = 10_000_000
    n_rows: int = 10_000
    n_explained: int = 200
    n_changed: int = 20


class Bodies:
    """Reads bodies, and knows how many bytes it holds."""

    def __init__(self, n_bytes: int) -> None:
        self._limit = n_bytes
        self._held = 0

    async def read(self, request: Request) -> bytearray:
        """Return the body; refuse one that is too large before it is in memory. Call `release` when done with it."""
        if int(request.headers.get("content-length", 0)) > self._limit:
            raise self._too_large()
        body = bytearray()
        try:
            async for chunk in request.stream():
                body += chunk
                self._held += len(chunk)
                if len(body) > self._limit:
                    raise self._too_large()
                if self._held > _HELD_AT_MOST:
                    raise Problem(503, "The server is busy with other requests; try again.", {"Retry-After": "1"})
        except BaseException:
            self.release(body)
            raise
        return body

    def release(self, body: bytearray) -> None:
        """Forget a body."""
        self._held -= len(body)

    def _too_large(self) -> Problem:
        return Problem(413, f"A body may have at most {self._limit:,} bytes. Send the rows in several requests.")


def media_type(request: Request) -> str:
    """Return what the body is said to be, if it is one that is read."""
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    kind = kind.strip().lower()
    if kind not in (JSON, CSV):
        got = repr(kind[:80]) if kind else "none"
        raise Problem(415, f"The header Content-Type must be {JSON} or {CSV}, got {got}.")
    charset = _CHARSET.search(parameters)
    if charset and charset[1].lower() not in ("utf-8", "utf8", "us-ascii"):
        raise Problem(415, f"The body must be text in UTF-8, got the charset {short(charset[1])!r}.")
    coding = request.headers.get("content-encoding", "identity")
    if coding.lower() != "identity":
        raise Problem(415, f"The body must not be compressed, got the Content-Encoding {short(coding)!r}.")
    return kind


def rows_in(body: bytearray, kind: str, most: int) -> tuple[list[Any], dict[str, Any]]:
    """Return the rows in a body, from one to `most`, each a dict unless JSON says otherwise, and what else JSON has."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Problem(400, f"The body is not text in UTF-8: byte {error.start} is {body[error.start]:#04x}.") from None
    rows, others = _json_rows(text, most) if kind == JSON else (_csv_rows(text, most), {})
    if not rows:
        raise Problem(422, "There must be at least one row, got none.")
    if len(rows) > most:
        raise Problem(422, f"A request may have at most {most:,} rows, got {len(rows):,}. Send several requests.")
    return rows, others


def described(value: object) -> str:
    """Say in the words of JSON what a value is."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return short(json.dumps(value))


def _no_number(constant: str) -> None:
    raise ValueError(f"{constant} is no number in JSON")


_decoder = json.JSONDecoder(parse_constant=_no_number)


def _json_rows(text: str, most: int) -> tuple[list[Any], dict[str, Any]]:
    # Millions of empty objects would be read for seconds in one go, in which no other thread does anything.
    if text.count("{") + text.count("[") > _NESTED_AT_LEAST + _NESTED_PER_ROW * most:
        raise Problem(413, f"The body has too many objects and lists: a request may have at most {most:,} rows.")
    try:
        content = _decoder.decode(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Problem(400, f"The body is not JSON: {error.msg[0].lower()}{error.msg[1:]} at {where}.") from None
    except RecursionError:
        raise Problem(400, "The body is not JSON that can be read: it is nested too deep.") from None
    except ValueError as error:  # NaN and its like, or an integer of thousands of digits
        message = str(error) if str(error).endswith("JSON") else "a number has too many digits"
        raise Problem(400, f"The body is not JSON that can be read: {message}.") from None
    if not isinstance(content, dict) or "rows" not in content:
        got = "an object without it" if isinstance(content, dict) else described(content)
        raise Problem(422, f'The body must be an object {{"rows": [...]}}, got {got}.')
    rows = content.pop("rows")
    if not isinstance(rows, list):
        raise Problem(422, f"rows must be a list of rows, got {described(rows)}.")
    return rows, content


def _csv_rows(text: str, most: int) -> list[dict[str, str]]:
    """Return the lines below the header."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[dict[str, str]] = []
    try:
        header = [name.strip() for name in next(reader, [])]
        _check_header(header)
        for line in reader:
            if not line:  # an empty line, as at the end
                continue
            if len(line) != len(header):
                raise Problem(422, f"Line {reader.line_num} has {len(line)} cells, but the header has {len(header)}.")
            rows.append(dict(zip(header, line, strict=True)))
            if len(rows) > most:
                raise Problem(422, f"A request may have at most {most:,} rows. Send several requests.")
    except csv.Error as error:
        raise Problem(400, f"The body is not CSV: {error} in line {reader.line_num}.") from None
    return rows


def _check_header(header: list[str]) -> None:
    if not header:
        raise Problem(422, "The body must be CSV with the names of the columns in its first line, got nothing.")
    if twice := repeated(header):
        raise Problem(422, f"The header has the column {short(twice[0])!r} more than once.")
    if len(header) == 1 and (";" in header[0] or "\t" in header[0]):
        raise Problem(422, f"The header is one column, {short(header[0])!r}: columns must be separated by commas.")
