"""The log: one line per request and per event, as JSON or text, written by a thread of its own.

Lines never contain values of rows. If the reader of the log is too slow, lines are dropped and counted, so that a full
disk or pipe does not stop the server.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import msgspec

FORMATS = ("json", "text", "off")

_MAX_LINES = 50_000  # waiting to be written
_SECONDS_BETWEEN_WRITES = 0.2
_ATOMIC = 4_096  # bytes that a pipe takes at once, so that lines of several workers do not mix
_MAX_TEXT = 300  # characters of a text in a line

Fields = dict[str, Any]


class Log:
    """Writer of lines to a file descriptor.

    Parameters
    ----------
    form : {"json", "text", "off"}
        Format of the lines. "off" writes events, but no requests.
    file : int, default=2
        File descriptor to write to, by default standard error.
    """

    def __init__(self, form: str = "off", file: int = 2) -> None:
        self.has_requests = form != "off"
        self._format: Callable[[Fields], bytes] = _as_json if form == "json" else _as_text
        self._file = file
        self._lines: deque[tuple[float, Fields]] = deque()
        self._n_dropped = 0
        self._writing = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def write(self, **fields: Any) -> None:
        """Write a line with these fields; None and empty fields are left out."""
        if len(self._lines) >= _MAX_LINES:
            self._n_dropped += 1
            return
        self._lines.append((time.time(), fields))
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="cogmap log", daemon=True)
            self._thread.start()

    def flush(self, timeout: float = 2.0) -> None:
        """Write all lines now, unless the reader does not read for `timeout` seconds."""
        if self._thread is not None:
            end = time.monotonic() + timeout
            self._wake.set()
            while (self._lines or self._writing.locked()) and time.monotonic() < end:
                time.sleep(0.005)

    def _run(self) -> None:
        while True:
            self._wake.wait(_SECONDS_BETWEEN_WRITES)
            with self._writing:
                self._write_lines()
            self._wake.clear()

    def _write_lines(self) -> None:
        if self._n_dropped:
            self._lines.append((time.time(), {"event": "log", "error": f"{self._n_dropped} lines were dropped."}))
            self._n_dropped = 0
        content = b""
        while self._lines or content:
            line = self._line(self._lines.popleft()) if self._lines else b""
            if not line or len(content) + len(line) > _ATOMIC:
                with suppress(OSError):  # the file is closed, or its reader is gone
                    while content:
                        content = content[os.write(self._file, content) :]
                content = b""
            content += line

    def _line(self, line: tuple[float, Fields]) -> bytes:
        seconds, fields = line
        when = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        kept = {name: _limited(value) for name, value in fields.items() if value is not None and value != ""}
        return self._format({"time": when} | kept) + b"\n"


def _limited(value: Any) -> Any:
    return value[: _MAX_TEXT - 3] + "..." if isinstance(value, str) and len(value) > _MAX_TEXT else value


def _as_json(fields: Fields) -> bytes:
    return msgspec.json.encode(fields)


def _as_text(fields: Fields) -> bytes:
    """Return ``2026-01-31T12:00:00.000Z status=200 path=/predict ...``; texts with spaces are quoted as in JSON."""
    parts = [fields.pop("time")]
    for name, value in fields.items():
        text = str(value)
        if isinstance(value, str) and (not text.isascii() or not text.isprintable() or any(c in text for c in ' "=\\')):
            text = msgspec.json.encode(text).decode()
        parts.append(f"{name}={text}")
    return " ".join(parts).encode("utf-8", "backslashreplace")
