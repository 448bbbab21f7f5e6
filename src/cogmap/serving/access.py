"""Who may send requests: bearer tokens, from an option or a file, and checks of the request head."""

import base64
import binascii
import hmac
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path

from cogmap.exceptions import ParameterError
from cogmap.serving.bodies import RequestError

MIN_TOKEN_LENGTH = 16
MAX_HEAD_BYTES = 65_536  # of the request line and all headers

# Values of the Host header that are accepted without a token.
_LOOPBACK_HOST = re.compile(rb"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
_SECONDS_BETWEEN_CHECKS = 1.0  # of the token file

_CLOSE = {"Connection": "close"}


class Access:
    """Access by token, or without one from the same machine only.

    Parameters
    ----------
    token : str, default=None
        Secret that clients must send. If None and there is no file, the Host header must name the loopback interface,
        so that web pages cannot send requests through a browser (DNS rebinding).
    file : str or path-like, default=None
        File with one token per line, all of which are accepted. It is read again when it changes, so that a new token
        can be added before the old one is removed.
    """

    def __init__(self, token: str | None = None, file: str | os.PathLike[str] | None = None) -> None:
        self.needs_token = token is not None or file is not None
        self._given = [] if token is None else [_checked(token, "`token`")]
        self._tokens = self._given
        self._file = None if file is None else Path(file)
        self._signature: tuple[int, int, int] | None = None
        self._next_check = 0.0
        if self._file is not None:
            self._tokens = self._read(self._file)

    def is_allowed(self, headers: Mapping[bytes, bytes]) -> bool:
        """Return whether a request has a valid token, or needs none; raise if it comes through a foreign name."""
        if not self.needs_token:
            if not _LOOPBACK_HOST.fullmatch(headers.get(b"host", b"")):
                raise RequestError(403, "The Host header must be 127.0.0.1 or localhost for a server without a token.")
            return True
        self._refresh()
        given = _credentials(headers.get(b"authorization", b""))
        return any(hmac.compare_digest(given, token) for token in self._tokens)  # in constant time for each

    def _refresh(self) -> None:
        """Read the token file again if it has changed; keep the old tokens if it is invalid."""
        if self._file is None or time.monotonic() < self._next_check:
            return
        self._next_check = time.monotonic() + _SECONDS_BETWEEN_CHECKS
        try:
            if _signature(self._file) != self._signature:
                self._tokens = self._read(self._file)
        except (OSError, ParameterError):
            pass

    def _read(self, file: Path) -> list[bytes]:
        try:
            self._signature = _signature(file)
            lines = file.read_text(encoding="ascii").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not ASCII text"
            raise ParameterError(f"The token file {file} cannot be read: {reason}.") from None
        tokens = [_checked(line.strip(), f"Each line of the token file {file}") for line in lines if line.strip()]
        if not tokens:
            raise ParameterError(f"The token file {file} must have a token in each line, and is empty.")
        return [*self._given, *tokens]


def check_head(headers: Mapping[bytes, bytes], n_bytes: int) -> int:
    """Return the Content-Length of a request; reject heads that are too large or whose length is ambiguous."""
    if n_bytes > MAX_HEAD_BYTES:
        raise RequestError(431, f"The request headers must have at most {MAX_HEAD_BYTES:,} bytes.", headers=_CLOSE)
    length = headers.get(b"content-length")
    if length is None:
        return 0
    if b"transfer-encoding" in headers:
        raise RequestError(
            400, "A request must not have both a Content-Length and a Transfer-Encoding header.", headers=_CLOSE
        )
    if not length.isdigit() or len(length) > 18:
        raise RequestError(400, "The Content-Length header must be a number.", headers=_CLOSE)
    return int(length)


def _checked(token: str, what: str) -> bytes:
    if len(token) < MIN_TOKEN_LENGTH or not token.isascii() or not token.isprintable() or " " in token:
        cure = "Generate one with: python -c 'import secrets; print(secrets.token_urlsafe())'"
        raise ParameterError(
            f"{what} must be {MIN_TOKEN_LENGTH} or more printable ASCII characters without spaces. {cure}"
        )
    return token.encode()


def _credentials(authorization: bytes) -> bytes:
    """Return the token in an Authorization header, empty if there is none."""
    scheme, _, credentials = authorization.partition(b" ")
    if scheme.lower() == b"bearer":
        return credentials.strip()
    if scheme.lower() == b"basic":  # browsers ask for a user and a password
        try:
            return base64.b64decode(credentials, validate=True).partition(b":")[2].strip()
        except binascii.Error:
            pass
    return b""


def _signature(file: Path) -> tuple[int, int, int]:
    status = file.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns
