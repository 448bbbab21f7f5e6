"""Timing on a shared machine: contestants take turns, and the best of many turns counts."""

import time

PRINTED = {}  # tables by title, for `benchmarks.record`


def best_times(contestants, rounds=7, seconds=8.0):
    """Return the shortest time of each function.

    Parameters
    ----------
    contestants : dict of callable
        Functions to time. They take turns, so that a slow period of the machine affects all of them.
    rounds : int, default=7
        Maximum number of turns, at least 3.
    seconds : float, default=8.0
        Time limit, after which no further turn starts once there were three.

    Returns
    -------
    dict of float
    """
    best = dict.fromkeys(contestants, float("inf"))
    for function in contestants.values():
        function()
    start = time.perf_counter()
    for turn in range(max(rounds, 3)):
        if turn >= 3 and time.perf_counter() - start > seconds:
            break
        for name, function in contestants.items():
            begin = time.perf_counter()
            function()
            best[name] = min(best[name], time.perf_counter() - begin)
    return best


def keep(title, header, rows):
    """Keep a table for `benchmarks.record`."""
    PRINTED[title] = [[str(cell) for cell in header], [[str(cell) for cell in row] for row in rows]]


def print_table(title, header, rows):
    """Print rows of strings in columns."""
    keep(title, header, rows)
    print(f"\n{title}")
    widths = [max(len(str(row[i])) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, ["-" * width for width in widths], *rows]:
        cells = [
            str(cell).ljust(width) if i == 0 else str(cell).rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  " + "  ".join(cells), flush=True)
