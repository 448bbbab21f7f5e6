"""Request bodies: read within size limits and parsed from JSON or CSV into rows."""

import csv
import io
import json
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

import msgspec

from cogmap._utils.text import long_cells
from cogmap.exceptions import DataError
from cogmap.maps._text import short
from cogmap.table.columns.texts import pandas
from cogmap.table.files.delimited import read_delimited

JSON, CSV = "application/json", "text/csv"

JSONObject = dict[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]

_CHARSET = re.compile(r"charset\s*=\s*\"?([^\s\";]*)", flags=re.IGNORECASE)

_MAX_BRACKETS, _MAX_BRACKETS_PER_ROW = 10_000, 10  # opening brackets: one per row, and some in strings
_MIN_COLUMNS_ALLOWED = 2_000  # in the header of CSV, or twice as many as the model has
_MAX_BUFFERED_BYTES = 2**28  # of all bodies that are being received or processed


class RequestError(Exception):
    """Rejected request: an HTTP status and one line with the problem, its location and the expected value.

    Parameters
    ----------
    status : int
        Status of the response.
    message : str
        The line for the client.
    reason : str, default=None
        The line for the log, which must not contain values of rows. If None, `message`.
    headers : dict, default=None
        Additional headers of the response.
    """

    def __init__(
        self, status: int, message: str, reason: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.reason = message if reason is None else reason
        self.headers = dict(headers or {})


class ClientDisconnect(Exception):
    """The client has closed the connection before its request was complete."""


@dataclass(frozen=True)
class Limits:
    """Limits of a request.

    Parameters
    ----------
    n_bytes : int, default=10_000_000
        Maximum size of the body in bytes.
    n_rows : int, default=10_000
        Maximum number of rows to predict.
    n_explained : int, default=200
        Maximum number of rows to explain, which takes about fifty times as long.
    n_changed : int, default=20
        Maximum number of rows to find counterfactuals for, which takes some milliseconds each.

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

    See Also
    --------
    application : Return an ASGI application that serves a model.

    Examples
    --------
    >>> from cogmap.serving import Limits
    >>> Limits(n_rows=100)
    Limits(n_bytes=10000000, n_rows=100, n_explained=200, n_changed=20)
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

    async def read(self, receive: Receive, length: int) -> bytearray:
        """Return the body of a request, to be passed to `release` after use.

        A body that is too large, by its Content-Length header or in fact, is rejected before it is in memory.
        """
        if length > self._limit:
            raise self._too_large()
        body = bytearray()
        try:
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                chunk, more = message.get("body", b""), message.get("more_body", False)
                body += chunk
                self._buffered += len(chunk)
                if len(body) > self._limit:
                    raise self._too_large()
                if self._buffered > _MAX_BUFFERED_BYTES:
                    busy = "The server is busy with other requests; retry later."
                    raise RequestError(503, busy, headers={"Retry-After": "1"})
        except BaseException:
            self.release(body)
            raise
        return body

    def release(self, body: bytearray) -> None:
        """Stop counting a body as buffered."""
        self._buffered -= len(body)

    def _too_large(self) -> RequestError:
        return RequestError(413, f"The body must have at most {self._limit:,} bytes. Send several requests.")


def media_type(headers: Mapping[bytes, bytes]) -> str:
    """Return the media type of the body, JSON or CSV; reject other types, charsets and encodings."""
    given = headers.get(b"content-type", b"")
    if given == b"application/json" and b"content-encoding" not in headers:
        return JSON
    kind, _, parameters = given.decode("latin-1").partition(";")
    kind = kind.strip().lower()
    if kind not in (JSON, CSV):
        got = repr(kind[:80]) if kind else "none"
        raise RequestError(415, f"The Content-Type header must be {JSON} or {CSV}, got {got}.")
    charset = _CHARSET.search(parameters)
    if charset and charset[1].lower() not in ("utf-8", "utf8", "us-ascii"):
        raise RequestError(415, f"The body must be UTF-8 text, got the charset {short(charset[1])!r}.")
    coding = headers.get(b"content-encoding", b"identity").decode("latin-1")
    if coding.lower() != "identity":
        raise RequestError(415, f"The body must not be compressed, got the Content-Encoding {short(coding)!r}.")
    return kind


def check_size(n_rows: int, max_rows: int) -> None:
    """Reject a body without rows, or with too many."""
    if not n_rows:
        raise RequestError(422, "The body must have at least one row, got none.")
    if n_rows > max_rows:
        raise RequestError(422, f"The body must have at most {max_rows:,} rows, got {n_rows:,}. Send several requests.")


def json_rows(body: bytearray, max_rows: int) -> tuple[list[Any], JSONObject]:
    """Parse a body of JSON into 1 to `max_rows` rows, which are validated later, and its other fields."""
    # Parsing millions of empty objects would hold the interpreter lock, and block all threads, for seconds.
    if body.count(b"{") + body.count(b"[") > _MAX_BRACKETS + _MAX_BRACKETS_PER_ROW * max_rows:
        raise RequestError(413, f"The body has too many objects and lists for at most {max_rows:,} rows.")
    try:
        content = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        content = _slowly_decoded(body)
    if not isinstance(content, dict) or "rows" not in content:
        got = "an object without rows" if isinstance(content, dict) else describe_value(content)
        expected = 'The body must be an object {"rows": [...]}'
        raise RequestError(422, f"{expected}, got {got}.", f"{expected}.")
    rows = content.pop("rows")
    if not isinstance(rows, list):
        expected = "rows must be a list of objects"
        raise RequestError(422, f"{expected}, got {describe_value(rows)}.", f"{expected}.")
    check_size(len(rows), max_rows)
    return rows, content


def csv_rows(body: bytearray, n_columns: int, texts: list[str], max_rows: int) -> tuple[Any, dict[int, str], list[str]]:
    """Parse a body of CSV as `cogmap predict` reads a file.

    Parameters
    ----------
    body : bytearray
        Delimited text with a header.
    n_columns : int
        Number of columns of the model.
    texts : list of str
        Columns to read as strings, without type inference.
    max_rows : int
        Maximum number of rows.

    Returns
    -------
    frame : pandas.DataFrame
        1 to `max_rows` rows.
    faults : dict of int to str
        Rows with more values than the header, with the reason.
    notes : list of str
        Notes on the body.
    """
    if not body.strip():
        raise RequestError(422, "The body must be CSV with column names in the first line, got no header.")
    _check_width(body, max(_MIN_COLUMNS_ALLOWED, 2 * n_columns))
    frames, notes, n_rows = [], list[str](), 0
    faults: dict[int, str] = {}
    try:
        for frame, faulty, remarks in read_delimited(io.BytesIO(body), None, texts, whole=False):
            faults |= {n_rows + row: reason for row, reason in faulty.items()}
            n_rows += len(frame)
            frames.append(frame)
            notes += [f"The body {remark}" for remark in remarks]
            remarks.clear()
            if n_rows > max_rows:
                break
    except (DataError, csv.Error) as error:
        reason = "The body cannot be parsed as CSV."
        raise RequestError(422, f"The body cannot be parsed as CSV: {str(error).rstrip('.?')}.", reason) from None
    check_size(n_rows, max_rows)
    return frames[0] if len(frames) == 1 else pandas.concat(frames, ignore_index=True), faults, notes


def level_of(query: bytes) -> float | None:
    """Return the level in a query string, such as ``level=0.9``; None if there is none."""
    given = parse_qs(query.decode("latin-1"), keep_blank_values=True).get("level")
    if given is None:
        return None
    try:
        level = float(given[-1])
    except ValueError:
        level = 0.0
    if not 0.0 < level < 1.0:
        raise RequestError(422, f"level must be a number above 0 and below 1, such as 0.9, got {short(given[-1])!r}.")
    return level


def describe_value(value: object) -> str:
    """Return a JSON value as text for a message, short for objects and lists."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return short(json.dumps(value))


def _reject_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not allowed in JSON")


_decoder = json.JSONDecoder(parse_constant=_reject_constant)


def _slowly_decoded(body: bytearray) -> Any:
    """Decode JSON by the standard library, which gives the position of an error and accepts more than msgspec does.

    Lone surrogates, numbers beyond the range of floats, and a byte order mark are accepted.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = f"byte {error.start} is {body[error.start]:#04x}"
        raise RequestError(400, f"The body is not valid UTF-8: {byte}.") from None
    try:
        return _decoder.decode(text)
    except json.JSONDecodeError as error:
        reason = f"{error.msg[0].lower()}{error.msg[1:]} at line {error.lineno}, column {error.colno}"
    except RecursionError:
        reason = "it is nested too deeply"
    except ValueError as error:  # NaN and infinities, or an integer of thousands of digits
        reason = str(error) if str(error).endswith("JSON") else "a number has too many digits"
    raise RequestError(400, f"The body cannot be parsed as JSON: {reason}.")


def _check_width(body: bytearray, max_columns: int) -> None:
    """Reject a header of very many columns, each of which takes pandas a tenth of a millisecond."""
    for delimiter in (",", ";", "\t", "|"):
        if body.count(delimiter.encode()) < max_columns:
            continue
        lines = io.TextIOWrapper(io.BytesIO(body), "latin-1", newline="")
        with long_cells(), suppress(csv.Error):
            if len(next(csv.reader(lines, delimiter=delimiter))) > max_columns:
                raise RequestError(413, f"The header must have at most {max_columns:,} columns.")
