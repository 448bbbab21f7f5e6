"""What all tests of commands need."""

import signal

import pytest


@pytest.fixture(autouse=True)
def _signals_as_before():
    """Commands say what a signal does; after them it does what it did."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
