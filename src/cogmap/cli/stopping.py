"""Handle Ctrl-C, SIGTERM and SIGHUP: print one line, and exit with 128 plus the signal number.

This module imports next to nothing: until `leave_at_once` is called, Ctrl-C prints a traceback.
"""

import os
import signal
from contextlib import suppress

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

_PATIENCE = 5.0  # maximum seconds for cleanup


class Stopped(KeyboardInterrupt):
    """Raised when a signal stops the command."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


def leave_at_once() -> None:
    """Make signals end the process immediately.

    While modules are imported there is nothing to clean up, and an exception could be swallowed or replaced.
    """
    _handle(_leave)


class stoppable:
    """Context in which the first signal raises `Stopped`, and the second ends the process.

    The exception lets the command end child processes and close files.
    """

    def __enter__(self) -> None:
        _handle(_stop)

    def __exit__(self, *exception: object) -> None:
        _handle(_leave)


def _handle(handler: object) -> None:
    """Install a handler for all signals that are not ignored."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # keep ignoring it, as under nohup
            signal.signal(number, handler)  # type: ignore[arg-type]


def _leave(number: int, frame: object = None) -> None:
    """Signal handler that ends the process immediately."""
    say("Stopped.")
    os._exit(128 + number)


_messages: list[str] = []


def say(message: str) -> None:
    """Write a message about the stop to standard error, unless one was written before."""
    if not _messages:
        _messages.append(message)
        with suppress(OSError):  # standard error is closed, or its reader is gone
            os.write(2, message.encode("utf-8", "backslashreplace") + b"\n")


def _stop(number: int, frame: object) -> None:
    """Signal handler that raises `Stopped`, and ends the process if cleanup takes too long."""
    import threading  # imported late, see the module docstring
    import warnings

    _handle(_leave)
    warnings.simplefilter("ignore")  # libraries would warn of interrupted work
    # The exception may interrupt a library at a point where its cleanup never ends.
    timer = threading.Timer(_PATIENCE, _leave, (number,))
    timer.daemon = True
    timer.start()
    raise Stopped(number)
