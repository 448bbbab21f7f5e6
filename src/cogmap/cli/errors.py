"""Errors of the command line: one clear line, exit code 2, no traceback."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from cogmap.exceptions import CogmapError


class Problem(click.ClickException):
    """What is shown to the user when something is wrong with the input."""

    exit_code = 2


@contextmanager
def told_in_one_line() -> Iterator[None]:
    """Turn our own exceptions into one line for the user."""
    try:
        yield
    except CogmapError as problem:
        raise Problem(str(problem)) from problem
