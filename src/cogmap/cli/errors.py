"""Errors of the command line: one clear line, exit code 2, no traceback."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import click

from cogmap.exceptions import CogmapError

# A parameter in a message of the library: `fit_table(task=...)`, or `sheet` alone.
_PARAMETER = re.compile(r"`(?:[\w.]+\()?(\w+)(?:=\.\.\.\))?`")
_SETTING = re.compile(r"\b(\w+)='([\w-]+)'")  # a parameter with a value: structure='full'


class Problem(click.ClickException):
    """A user error, shown in one line."""

    exit_code = 2


@contextmanager
def told_in_one_line() -> Iterator[None]:
    """Convert exceptions of cogmap to one-line errors that name options instead of Python parameters."""
    try:
        yield
    except CogmapError as problem:
        raise Problem(_with_options(str(problem))) from problem


def _with_options(message: str) -> str:
    """Replace the names of Python parameters in a message by options of the running command."""
    context = click.get_current_context(silent=True)
    parameters = context.command.params if context else []
    options = {parameter.name: parameter.opts[0] for parameter in parameters if isinstance(parameter, click.Option)}
    message = _PARAMETER.sub(lambda match: options.get(match[1], match[0]), message)
    return _SETTING.sub(lambda match: f"{options[match[1]]} {match[2]}" if match[1] in options else match[0], message)
