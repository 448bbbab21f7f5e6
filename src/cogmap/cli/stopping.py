"""How the command ends at Ctrl-C, SIGTERM or SIGHUP: with one line, and 128 and the number of the signal as exit code.

It imports next to nothing: until `leave_at_once` is called, Ctrl-C is a traceback.
"""

import os
import signal

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


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


def _leave(number: int, frame: object) -> None:
    os.write(2, b"Stopped.\n")
    os._exit(128 + number)


def _stop(number: int, frame: object) -> None:
    _handle(_leave)
    raise Stopped(number)
