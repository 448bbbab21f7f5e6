"""Ctrl-C, SIGTERM and SIGHUP end the command with one line, and with 128 plus the number of the signal as exit code.

This module imports next to nothing: until `leave_at_once` is called, Ctrl-C gives a traceback.
"""

import os
import signal
from contextlib import suppress

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]

_PATIENCE = 5.0  # seconds that cleaning up may take


class Stopped(KeyboardInterrupt):
    """The command was told to stop."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


def leave_at_once() -> None:
    """From now on a signal ends the process on the spot.

    While modules are imported there is nothing to clean up, and an exception could be lost or turned into another on
    its way.
    """
    _handle(_leave)


class stoppable:
    """Within it the first signal raises `Stopped`, so that processes are ended and files closed; the second leaves."""

    def __enter__(self) -> None:
        _handle(_stop)

    def __exit__(self, *exception: object) -> None:
        _handle(_leave)


def _handle(handler: object) -> None:
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup: what is ignored stays so
            signal.signal(number, handler)  # type: ignore[arg-type]


def _leave(number: int, frame: object = None) -> None:
    say("Stopped.")
    os._exit(128 + number)


_said: list[str] = []


def say(words: str) -> None:
    """Write the one line about the stop, unless it has been written."""
    if not _said:
        _said.append(words)
        with suppress(OSError):  # standard error is closed, or its reader is gone
            os.write(2, words.encode("utf-8", "backslashreplace") + b"\n")


def _stop(number: int, frame: object) -> None:
    import threading  # not before: see above
    import warnings

    _handle(_leave)
    warnings.simplefilter("ignore")  # what libraries say about work that was broken off, we say in one line
    # An exception can come at a moment at which a library is not ready for it, and its cleaning up never end.
    last = threading.Timer(_PATIENCE, _leave, (number,))
    last.daemon = True
    last.start()
    raise Stopped(number)
