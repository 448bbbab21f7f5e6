"""Compare new rows with the training statistics in a model file, and say what has changed.

All tests compare two samples, the training rows and the new rows, and need no training row: the distance of
distributions (Kolmogorov-Smirnov) at the stored quantiles, frequencies of categories (chi-squared), shares of missing
and unseen values (Fisher), and the number of values beyond the training range (exact). Holm's correction over all tests
of all columns limits the probability of any false alarm to 5 %.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2_contingency, fisher_exact, kstwobign

from cogmap._utils.text import quoted
from cogmap.exceptions import DataError
from cogmap.maps._text import count, short
from cogmap.table.columns import spans
from cogmap.table.model import TableModel
from cogmap.table.preparation import Column, Reading

_LEVEL = 0.05  # probability of any false alarm
_MIN_SIZE = 0.02  # smaller changes of shares are not reported, however many rows show them
_MIN_EXPECTED = 5.0  # rows of a category in the smaller sample; rarer categories form a group
_MIN_SHIFT = 0.1  # of the median, in deviations, to be called a shift


@dataclass(frozen=True)
class Change:
    """A change of a column.

    Attributes
    ----------
    column : str
        Name of the column.
    what : {"values", "categories", "missing", "unseen", "range"}
        What has changed.
    size : float
        Difference of shares: the largest over all thresholds for "values" and over all categories for "categories".
    p_value : float
        Probability of a difference of this size or larger without a change, corrected for all tests.
    sentence : str
        The change in words.
    """

    column: str
    what: str
    size: float
    p_value: float
    sentence: str


@dataclass(frozen=True)
class Drift:
    """Changes of new rows, the largest first.

    Attributes
    ----------
    changes : tuple of Change
        The changes.
    n_rows, n_training_rows : int
        Number of new rows and of training rows.
    n_columns : int
        Number of columns compared.
    """

    changes: tuple[Change, ...]
    n_rows: int
    n_training_rows: int
    n_columns: int

    def __str__(self) -> str:
        head = (
            f"{count(self.n_rows, 'row')} and {count(self.n_columns, 'column')}, compared with "
            f"{count(self.n_training_rows, 'training row')}: "
        )
        if not self.changes:
            return f"{head}no change was found."
        changed = len({change.column for change in self.changes})
        verb = "column has" if changed == 1 else "columns have"
        return "\n".join([f"{head}{changed} {verb} changed.", *(f"  {change.sentence}" for change in self.changes)])


def find_drift(model: TableModel, rows: Any) -> Drift:
    """Compare new rows with the training rows of a model.

    Parameters
    ----------
    model : TableModel
        A model with `training_statistics_`.
    rows : data frame, list of dict, or Reading
        New rows. The target is not needed.

    Returns
    -------
    Drift

    Examples
    --------
    >>> import numpy as np, pandas
    >>> from cogmap.table import fit_table
    >>> from cogmap.table.drift import find_drift
    >>> rng = np.random.default_rng(0)
    >>> table = pandas.DataFrame({"age": rng.normal(40, 10, 500), "weight": rng.normal(70, 9, 500)})
    >>> model = fit_table(table.assign(ill=np.where(table["age"] > 45, "yes", "no")), "ill")
    >>> new = pandas.DataFrame({"age": rng.normal(46, 10, 500), "weight": rng.normal(70, 9, 500)})
    >>> print(find_drift(model, new))
    500 rows and 2 columns, compared with 500 training rows: 1 column has changed.
      age is higher: its median is 47.2, and was 39.5 in training (0.8 deviations).
    """
    known = model.training_statistics_
    if known is None:
        raise DataError("The model has no training statistics. Fit it again with `fit_table` or `cogmap fit`.")
    reading = model.read(rows)
    if not len(reading.features):
        raise DataError("There are no rows to compare with the training rows.")
    columns = model.preparer.columns_
    found = [
        change
        for column, span in zip(columns, spans(columns), strict=True)
        if column.name in known["columns"]
        for change in _changes(column, known["columns"][column.name], reading, span)
    ]
    return Drift(tuple(_significant(found)), len(reading.features), known["rows"], len(columns))


def _significant(found: Sequence[Change]) -> list[Change]:
    """Return the changes that remain after Holm's correction and are large enough, the largest first."""
    kept, highest = [], 0.0
    for place, change in enumerate(sorted(found, key=lambda change: change.p_value)):
        highest = max(highest, min(change.p_value * (len(found) - place), 1.0))
        if highest <= _LEVEL and change.size >= _MIN_SIZE:
            kept.append(Change(change.column, change.what, change.size, highest, change.sentence))
    return sorted(kept, key=lambda change: -change.size)


def _changes(column: Column, known: dict[str, Any], reading: Reading, span: slice) -> Iterator[Change]:
    """Yield a `Change` for each test of a column, whether significant or not."""
    features = reading.features[:, span]
    now = column.statistics(features)
    unseen = reading.unseen.get(column.name, {})
    yield _missing(column, known, now, sum(unseen.values()))
    if not known["count"]:
        return
    if "frequencies" in known:
        yield _unseen(column, known, len(features), unseen)
        if now["count"]:
            yield _categories(column, known, now, unseen)
        return
    parts = known.get("parts") or {"": known}
    of_now = now.get("parts") or {"": now}
    for place, (part, before) in enumerate(parts.items()):
        values = features[:, place]
        values = values[~np.isnan(values)]
        if len(values) and None not in (before["mean"], before["deviation"], *before["quantiles"]):
            name = f"{short(column.name)} ({part})" if part else short(column.name)
            yield _values(column.name, name, known["count"], before, of_now[part], values)
            yield from _beyond(column.name, name, known["count"], before["quantiles"], values)


def _values(
    column: str, name: str, n_before: int, before: dict[str, Any], now: dict[str, Any], values: NDArray[np.float64]
) -> Change:
    """Compare distributions at the stored quantiles.

    At a quantile q of training, at most the share q is below it and at least q is not above it; with ties both are
    inequalities, of which the distance takes what is violated.
    """
    quantiles = np.array(before["quantiles"])
    levels = np.linspace(0.0, 1.0, len(quantiles))
    ordered = np.sort(values)
    below = np.searchsorted(ordered, quantiles, "left") / len(values)
    up_to = np.searchsorted(ordered, quantiles, "right") / len(values)
    size = float(np.maximum(below - levels, levels - up_to)[1:-1].max(initial=0.0))
    effective = n_before * len(values) / (n_before + len(values))
    p_value = float(kstwobign.sf(math.sqrt(effective) * size))
    middle, deviation = len(quantiles) // 2, before["deviation"] or 1.0
    quarter = len(quantiles) // 4
    old, new = before["quantiles"], [math.nan if value is None else value for value in now["quantiles"]]
    shift = (new[middle] - old[middle]) / deviation
    if abs(shift) >= _MIN_SHIFT:
        direction = "higher" if shift > 0 else "lower"
        sentence = (
            f"{name} is {direction}: its median is {new[middle]:.3g}, and was {old[middle]:.3g} in training "
            f"({abs(shift):.1f} deviations)."
        )
    else:
        sentence = (
            f"{name} is distributed otherwise: half of its values are between {new[quarter]:.3g} and "
            f"{new[-quarter - 1]:.3g}, and were between {old[quarter]:.3g} and {old[-quarter - 1]:.3g} in training."
        )
    return Change(column, "values", size, p_value, sentence)


def _beyond(
    column: str, name: str, n_before: int, quantiles: Sequence[float], values: NDArray[np.float64]
) -> Iterator[Change]:
    """Count values below the lowest and above the highest training value.

    Without a change, the probability that the k highest of all values are new ones is that of drawing k new ones first.
    """
    n_now = len(values)
    for n_beyond, side, end in (
        (int((values < quantiles[0]).sum()), "below the lowest", quantiles[0]),
        (int((values > quantiles[-1]).sum()), "above the highest", quantiles[-1]),
    ):
        drawn = np.arange(n_beyond)
        p_value = float(np.exp(np.log((n_now - drawn) / (n_before + n_now - drawn)).sum()))
        share = n_beyond / n_now
        sentence = f"{name} is {side} value of training, {end:.3g}, in {_percent(share)} of the rows."
        yield Change(column, "range", share, p_value, sentence)


def _missing(column: Column, known: dict[str, Any], now: dict[str, Any], n_unseen: int) -> Change:
    n_missing = now["missing"] - n_unseen
    present = now["count"] + n_unseen
    p_value = _fisher([[n_missing, present], [known["missing"], known["count"]]], "two-sided")
    share, before = n_missing / (n_missing + present), known["missing"] / max(known["missing"] + known["count"], 1)
    sentence = (
        f"{short(column.name)} is missing in {_percent(share)} of the rows, and was in {_percent(before)} in training."
    )
    return Change(column.name, "missing", abs(share - before), p_value, sentence)


def _unseen(column: Column, known: dict[str, Any], n_rows: int, unseen: dict[str, int]) -> Change:
    """Compare the share of unseen categories with what is expected: the share of those that occurred once (Turing)."""
    n_unseen = sum(unseen.values())
    n_single = sum(number == 1 for number in known["frequencies"].values()) + len(getattr(column, "rare", ()))
    n_single = min(n_single, known["count"])
    p_value = _fisher([[n_unseen, n_rows - n_unseen], [n_single, known["count"] - n_single]], "greater")
    frequent = sorted(unseen.items(), key=lambda item: -item[1])[:3]
    listed = ", ".join(f"{quoted(value)} in {count(number, 'row')}" for value, number in frequent)
    share = n_unseen / n_rows
    sentence = (
        f"{short(column.name)} has values that were not seen in training in {_percent(share)} of the rows: {listed}."
    )
    return Change(column.name, "unseen", share, p_value, sentence)


def _categories(column: Column, known: dict[str, Any], now: dict[str, Any], unseen: dict[str, int]) -> Change:
    """Compare frequencies of categories, seen in training or not; rare ones form a group.

    What is rare is decided from both samples together: a choice from the training rows alone would prefer categories
    that are frequent there by chance. If training has pooled rare categories, which is such a choice, only categories
    far more frequent than its limit are compared.
    """
    choices = list(known["frequencies"])
    counts = np.array(
        [
            [now["frequencies"].get(choice, 0) for choice in choices] + list(unseen.values()),
            list(known["frequencies"].values()) + [0] * len(unseen),
        ]
    )
    totals = counts.sum(axis=1)
    shares = counts / totals[:, np.newaxis]
    place = int(np.abs(shares[0] - shares[1])[: len(choices)].argmax())
    sentence = (
        f"{short(column.name)} is {quoted(choices[place])} in {_percent(shares[0, place])} of the rows, and was in "
        f"{_percent(shares[1, place])} in training."
    )
    expected = counts.sum(axis=0) / totals.sum()
    frequent = expected * totals.min() >= _MIN_EXPECTED
    if getattr(column, "rare", ()):
        in_training = expected * totals[1]
        frequent &= in_training - 4 * np.sqrt(in_training) > counts[1, : len(choices) - 1].min(initial=0)
        frequent[len(choices) - 1] = False
    groups = np.column_stack([counts[:, frequent], totals - counts[:, frequent].sum(axis=1)])
    groups = groups[:, groups.sum(axis=0) > 0]
    p_value = float(chi2_contingency(groups, correction=False).pvalue) if groups.shape[1] > 1 else 1.0
    return Change(column.name, "categories", float(abs(shares[0, place] - shares[1, place])), p_value, sentence)


def _fisher(table: list[list[int]], alternative: str) -> float:
    return float(fisher_exact(table, alternative=alternative)[1])


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if 0 < share < 0.1 else f"{100 * share:.0f} %"
