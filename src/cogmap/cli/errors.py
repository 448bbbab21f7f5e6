"""Errors of the command line: one clear line, exit code 2, no traceback."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import click

from cogmap.exceptions import CogmapError

# A parameter in a message of the library: `fit_table(task=...)`, or `sheet` alone.
_PARAMETER = re.compile(r"`(?:[\w.]+\()?(\w+)(?:=\.\.\.\))?`")


class Problem(click.ClickException):
    """An error of the user, shown in one line."""

    exit_code = 2


@contextmanager
def told_in_one_line() -> Iterator[None]:
    """Turn our own exceptions into one line for the user, with options in place of Python parameters."""
    try:
        yield
    except CogmapError as problem:
        raise Problem(_with_options(str(problem))) from problem


def _with_options(message: str) -> str:
    """Name the options of the running command where the library names its parameters."""
    context = click.get_current_context(silent=True)
    given = context.command.params if context else []
    options = {parameter.name: parameter.opts[0] for parameter in given if isinstance(parameter, click.Option)}
    return _PARAMETER.sub(lambda found: options.get(found[1], found[0]), message)
