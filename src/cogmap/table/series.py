"""Time series from tables: the columns of a file as series with dates, and the card of a forecast."""

import re
from collections.abc import Sequence
from datetime import date
from textwrap import wrap
from typing import Any

import numpy as np

from cogmap._utils.params import shown, suggestion
from cogmap._utils.text import quoted
from cogmap.estimators._time_axis import is_regular
from cogmap.exceptions import DataError
from cogmap.table.columns.dates import date_styles, dates
from cogmap.table.columns.numbers import number_styles
from cogmap.table.columns.texts import pandas

_PERIODS = {r"\d{4}[- ]?Q[1-4]": "Q", r"\d{4}[-/](0?[1-9]|1[0-2])": "M", r"\d{4}": "Y"}
_MONTHS = {
    r"(0?[1-9]|1[0-2])[-/.]\d{4}": ("%m/%Y",),
    r"[A-Za-z]{3,9}[-/ ]\d{4}": ("%b/%Y", "%B/%Y"),
}  # 11/2026, Nov 2026
_WEEK = r"(\d{4})-?W(\d\d)"  # of ISO 8601
_MOST_RULES = 8


def series_of(frame: Any, time: str | None, columns: Sequence[str]) -> Any:
    """Return columns of a table as a frame of numbers, indexed by time.

    Parameters
    ----------
    frame : DataFrame
        The table.
    time : str or None
        Column of dates or numbers; None if the rows are in order.
    columns : sequence of str
        Columns to return.
    """
    names = [str(name) for name in frame.columns]
    for name in [*columns, *([] if time is None else [time])]:
        if name not in names:
            raise DataError(
                f"The table has no column {quoted(name)}. {suggestion(name, names) or f'It has {shown(names)}.'}"
            )
    result = pandas.DataFrame({name: _numbers(frame[name], name) for name in columns})
    result.index = pandas.RangeIndex(len(frame)) if time is None else _times(frame[time], time)
    return result


def _numbers(column: Any, name: str) -> Any:
    """Return numbers; those of text may have a decimal comma, a unit, or separated thousands."""
    numbers = pandas.to_numeric(column, errors="coerce")
    unread = numbers.isna().to_numpy() & column.notna().to_numpy()
    if unread.any():
        texts = [str(value).strip() for value in column[column.notna()]]
        styles = number_styles(texts, asked=True)
        if len(styles) > 1 and not any("." in text for text in texts):
            example = next(text for text in texts if styles[0].parse(text) != styles[1].parse(text))
            raise DataError(
                f"Column {quoted(name)}: {quoted(example)} may be {styles[0].parse(example):g} or "
                f"{styles[1].parse(example):g}. Write numbers with a decimal point and without separators."
            )
        read = {text: styles[0].parse(text) if styles else None for text in texts}
        numbers = column.map(lambda value: read.get(str(value).strip()), na_action="ignore").astype(np.float64)
        unread = numbers.isna().to_numpy() & column.notna().to_numpy()
    if unread.any():
        row = int(unread.argmax())
        raise DataError(
            f"Column {quoted(name)}, row {row + 1}: {quoted(str(column.iloc[row]))} is not a number. "
            "Correct the file, or leave the cell empty for a missing value."
        )
    return numbers.to_numpy(dtype=np.float64)


def _times(column: Any, name: str) -> Any:
    """Return an index of periods, dates or numbers."""
    if column.isna().any():
        row = int(np.flatnonzero(column.isna().to_numpy())[0]) + 1
        raise DataError(f"Column {quoted(name)}, row {row}: the time is missing. Leave out rows without a time.")
    if column.dtype.kind == "M":
        return pandas.DatetimeIndex(column)
    texts = [_text(value) for value in column]
    if all(re.fullmatch(r"[+-]?\d{1,15}\.0+", text) for text in texts):  # floats of pandas
        texts = [text.partition(".")[0] for text in texts]
    for pattern, frequency in _PERIODS.items():
        if all(re.fullmatch(pattern, text) for text in texts):
            return pandas.PeriodIndex([text.replace(" ", "").replace("/", "-") for text in texts], freq=frequency)
    if all(re.fullmatch(r"[+-]?\d{1,15}", text) for text in texts):
        return pandas.Index([int(text) for text in texts])
    special = _months(texts) if texts else None
    if special is None and all(re.fullmatch(_WEEK, text) for text in texts):
        special = _weeks(texts)
    if special is not None:
        return special
    bad, read = 0, []
    for style in date_styles(texts, asked=True):
        when = dates(texts, style)
        if np.isnat(when).any():
            bad = int(np.flatnonzero(np.isnat(when))[0])
        else:
            read.append(pandas.DatetimeIndex(when))
    if read:
        # Where the day may be the month, dates in order and in equal steps are those that were meant.
        return next((index for index in read if is_regular(index)), read[0])
    raise DataError(
        f"Column {quoted(name)}, row {bad + 1}: {quoted(texts[bad])} is not a date such as 2026-11-18, 2026-11, 2026Q4 "
        "or 2026, nor a whole number that counts steps."
    )


def _months(texts: Sequence[str]) -> Any:
    """Return periods of months written as 11/2026 or Nov 2026; None if they are not."""
    for pattern, styles in _MONTHS.items():
        if all(re.fullmatch(pattern, text) for text in texts):
            plain = pandas.Series([re.sub("[-. ]", "/", text) for text in texts], dtype=object)
            for style in styles:
                when = pandas.to_datetime(plain, format=style, errors="coerce")
                if when.notna().all():
                    return pandas.PeriodIndex(when, freq="M")
    return None


def _weeks(texts: Sequence[str]) -> Any:
    """Return the Mondays of weeks written as 2026-W47; None if a year has no such week."""
    try:
        parts = [re.fullmatch(_WEEK, text).groups() for text in texts]  # type: ignore[union-attr]
        return pandas.DatetimeIndex([date.fromisocalendar(int(year), int(week), 1) for year, week in parts])
    except ValueError:
        return None


def column_of_dates(frame: Any, used: Sequence[str]) -> str | None:
    """Return the name of the first column, except those in `used`, that has dates or periods in order."""
    for name in frame.columns:
        column = frame[name]
        if str(name) in used or column.dtype.kind in "fiub" or not len(column):
            continue
        try:
            index = _times(column, str(name))
        except DataError:
            continue
        if index.dtype.kind not in "iu" and index.is_monotonic_increasing and index.is_unique:
            return str(name)
    return None


def _text(value: Any) -> str:
    return (
        str(int(value)) if isinstance(value, float | np.floating) and float(value).is_integer() else str(value).strip()
    )


def forecast_card(forecaster: Any, tested: dict[str, Any] | None, name: str) -> dict[str, Any]:
    """Return the card of a forecaster: what was chosen, and errors of forecasts from past origins, None if too few."""
    fcm = forecaster.map_
    return {
        "table": name,
        "variables": list(forecaster.variables_),
        "drivers": list(forecaster.drivers_),
        "season": forecaster.season_,
        "sentence": forecaster.sentence_,
        "map": {"concepts": fcm.n_concepts, "arrows": fcm.n_arrows},
        "backtest": tested,
        "arrows": [
            {"from": source, "to": target, "weight": weight} for source, target, weight in _strongest(forecaster)
        ],
    }


def _strongest(forecaster: Any) -> list[tuple[str, str, float]]:
    """Return the arrows with the largest effect on outputs: the weight times the deviation of the source."""
    model = forecaster.model_
    n, outputs = model.n_inputs, slice(-model.n_outputs, None)
    known = model.encoding.scaling.known
    spread = (known.deviation / np.where(known.high > known.low, known.high - known.low, 1.0))[model.encoding.columns]
    effects = np.abs(model.map.weights[outputs, :n]) * spread
    order = np.argsort(-effects, axis=None, kind="stable")[:_MOST_RULES]
    names = model.map.concepts
    result = []
    for place in order:
        i, j = np.unravel_index(place, effects.shape)
        result.append((names[j], names[len(names) - model.n_outputs + int(i)], float(model.map.weights[outputs][i, j])))
    return result


def _tested(tested: dict[str, Any]) -> list[str]:
    """Return the lines of the card about forecasts from past origins."""
    width = max(len(name) for name in tested["errors"]) + 2
    best = min(tested["errors"].values())
    n_forecasts = f"{tested['origins']} forecast{'s' * (tested['origins'] > 1)}"
    n_steps = f"{tested['steps']} step{'s' * (tested['steps'] > 1)}"
    return [
        f"Errors of {n_forecasts} of {n_steps}, learned from earlier values only (MASE)",
        *(f"  {name:<{width}}{error:8.3f}{'  *' if error == best else ''}" for name, error in tested["errors"].items()),
        f"  {100 * tested['coverage']:.0f} % of the values were within the intervals of {100 * tested['level']:g} %",
    ]


def forecast_card_text(card: dict[str, Any]) -> str:
    """Return the card as text."""
    lines = [f"{', '.join(card['variables'])}, from {card['table']}"]
    lines += wrap(card["sentence"], 100, initial_indent="  ", subsequent_indent="  ")
    lines.append(f"  a map of {card['map']['concepts']} concepts and {card['map']['arrows']} arrows")
    if card["backtest"] is not None:
        lines += ["", *_tested(card["backtest"])]
    lines += ["", "Strongest arrows"]
    lines += [f"  {entry['from']} -> {entry['to']}  {entry['weight']:+.2f}" for entry in card["arrows"]]
    return "\n".join(lines)
