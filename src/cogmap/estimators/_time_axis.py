"""Read time series and their dates from arrays, pandas and polars, and continue the dates."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.optional import import_or_raise
from cogmap._utils.params import shown
from cogmap._utils.text import quoted
from cogmap.exceptions import DataError

Array = NDArray[np.float64]

# Unit of time and usual number of steps in a season, by the letter that a frequency of pandas starts with.
_UNITS = {
    "Y": ("year", 1), "A": ("year", 1), "Q": ("quarter", 4), "M": ("month", 12), "W": ("week", 52),
    "D": ("day", 7), "B": ("day", 5), "h": ("hour", 24), "H": ("hour", 24), "min": ("minute", 60), "s": ("second", 60),
}  # fmt: skip
_FREQUENCIES = {  # and days of a step
    "YS": 365.0, "YE": 365.0, "QS": 91.0, "QE": 91.0, "MS": 30.0, "ME": 30.0, "W": 7.0, "B": 1.4, "D": 1.0,
    "h": 1 / 24, "min": 1 / 1440, "s": 1 / 86400,
}  # fmt: skip
_SEASON_NAMES = {
    ("month", 12): lambda time: time.strftime("%B"),
    ("quarter", 4): lambda time: f"quarter {time.quarter}",
    ("day", 7): lambda time: time.strftime("%A"),
    ("day", 5): lambda time: time.strftime("%A"),
    ("hour", 24): lambda time: f"{time.hour} o'clock",
}
_LARGEST = 1e150  # whose square is a number
_LARGEST_STEP = 1e15  # up to which floats are whole numbers without gaps
_WORKING_WEEK = 5  # days
_MOST_GAPS = 0.5  # of the steps between the first and the last date


@dataclass(frozen=True)
class TimeAxis:
    """The time of a run.

    Attributes
    ----------
    kind : {"number", "date", "period"}
        Whether steps are counted, or have dates, or periods.
    frequency : str
        Frequency of dates, as pandas writes it.
    last : int or str
        The last step.
    zone : str
        Time zone of dates; empty without one.
    """

    kind: str = "number"
    frequency: str = ""
    last: int | str = -1
    zone: str = ""

    @property
    def unit(self) -> str:
        """Unit of time, such as "month"."""
        return self._entry()[0]

    @property
    def pace(self) -> tuple[bool, str, tuple[str, int]]:
        """What the times of all series of a panel share; years, quarters and weeks may begin on different days."""
        return self.kind == "number", "".join(filter(str.isdigit, self.frequency)), self._entry()

    @property
    def period(self) -> int:
        """Usual number of steps in a season, 1 if there is none."""
        return self._entry()[1]

    def _entry(self) -> tuple[str, int]:
        letters = self.frequency
        if letters[:1] == "B" and letters[1:2] in ("M", "Q", "Y"):  # the first or last working day of a month
            letters = letters[1:]
        return _UNITS.get("min" if letters.startswith("min") else letters[:1], ("step", 1))

    def after(self, n_steps: int) -> Any:
        """Return the next steps: a range, or an index of pandas."""
        if self.kind == "number":
            return range(int(self.last) + 1, int(self.last) + 1 + n_steps)
        pandas = import_or_raise("pandas", "A time series with dates", "table")
        if self.kind == "period":
            return pandas.period_range(self.last, periods=n_steps + 1, freq=self.frequency)[1:]
        last = self._date(self.last, pandas)
        try:
            return pandas.date_range(last, periods=n_steps + 1, freq=self.frequency)[1:]
        except pandas.errors.OutOfBoundsDatetime:  # nanoseconds, the unit of pandas 2, end in 2262
            return pandas.date_range(last, periods=n_steps + 1, freq=self.frequency, unit="s")[1:]

    def _date(self, when: Any, pandas: Any) -> Any:
        """Return a date in the time zone of the series."""
        date = pandas.Timestamp(when)
        if not self.zone:
            return date
        return date.tz_localize(self.zone) if date.tzinfo is None else date.tz_convert(self.zone)

    def until(self, n_steps: int) -> Any:
        """Return the last steps, as `after` returns the next."""
        if self.kind == "number":
            return range(int(self.last) + 1 - n_steps, int(self.last) + 1)
        pandas = import_or_raise("pandas", "A time series with dates", "table")
        if self.kind == "period":
            return pandas.period_range(end=self.last, periods=n_steps, freq=self.frequency)
        return pandas.date_range(end=self._date(self.last, pandas), periods=n_steps, freq=self.frequency)

    def texts(self, steps: Any) -> tuple[str, ...]:
        """Return times as text; dates without the time of day, if there is none."""
        midnight = " 00:00:00"
        if self.zone and all(str(step.tz_localize(None)).endswith(midnight) for step in steps):
            steps = [step.tz_localize(None) for step in steps]
        texts = tuple(str(step) for step in steps)
        if self.kind == "date" and all(text.endswith(midnight) for text in texts):
            return tuple(text.removesuffix(midnight) for text in texts)
        return texts

    def season_names(self, period: int) -> list[str]:
        """Return the names of the seasons of the next `period` steps, such as "December"."""
        steps = self.after(period)
        if self.kind != "number" and (self.unit, period) in _SEASON_NAMES:
            return [_SEASON_NAMES[self.unit, period](step) for step in steps]
        return (
            [f"season {1 + int(step) % period}" for step in steps]
            if self.kind == "number"
            else [f"season {k + 1} of {period}" for k in range(period)]
        )

    def places(self, times: Collection[Any], n_steps: int, owner: str) -> list[tuple[int, Any]]:
        """Return the position of the first of the next steps that is not before each time, and the time, in order."""
        steps = self.after(n_steps)
        found = []
        for when in times:
            try:
                wanted = self._time(when)
                inside = [k for k, step in enumerate(steps) if step >= wanted]
            except (TypeError, ValueError):
                example = quoted(self.texts(steps[:1])[0])
                raise DataError(f"{owner}: {quoted(str(when))} is not a time such as {example}.") from None
            if not inside:
                raise DataError(
                    f"{owner}: {quoted(str(when))} is after the last of {n_steps} steps, "
                    f"{quoted(self.texts(steps[-1:])[0])}. Forecast more steps."
                )
            found.append((wanted, inside[0], when))
        return [(place, when) for _, place, when in sorted(found, key=lambda one: one[0])]

    def _time(self, when: Any) -> Any:
        """Return a time as a number, date or period that can be compared with those of the series."""
        if self.kind == "number":
            return int(when)
        pandas = import_or_raise("pandas", "A time series with dates", "table")
        if isinstance(when, int | np.integer):  # a year, which pandas would take for a count
            when = str(when)
        return pandas.Period(when, self.frequency) if self.kind == "period" else self._date(when, pandas)


@dataclass(frozen=True, eq=False)
class Runs:
    """Time series as arrays: one run, or one for each series of a panel."""

    values: list[Array]
    names: list[str]
    axes: list[TimeAxis]
    labels: list[str]  # of the runs of a panel; empty for one run
    index: list[Any]  # index of pandas of each run, also of counted steps; None for arrays


def read_runs(series: Any, owner: str, unnamed: str = "value") -> Runs:
    """Return time series as arrays, with names and dates; raise `DataError` for what cannot be read.

    Parameters
    ----------
    series : array-like, Series, DataFrame, or mapping from names to these
        One or several variables, or a panel.
    owner : str
        What reads, for messages.
    unnamed : str, default="value"
        Name of a variable without one.
    """
    if isinstance(series, Mapping):
        parts = {str(label): part for label, part in series.items()}
    elif (
        isinstance(series, list | tuple)
        and series
        and any(np.ndim(one) or hasattr(one, "index") for one in series if not isinstance(one, str))
        and not _is_table(series)
    ):
        parts = {str(number): part for number, part in enumerate(series)}
    elif (n_levels := getattr(getattr(series, "index", None), "nlevels", 1)) > 2:
        raise DataError(f"{owner}: a panel has an index of two levels, series and time, got {n_levels}. Join some.")
    elif n_levels == 2:
        parts = {str(label): part.droplevel(0) for label, part in series.groupby(level=0, sort=False)}
    else:
        one = _read_run(series, owner, unnamed)
        return Runs([one[0]], one[1], [one[2]], [], [one[3]])
    if not parts:
        raise DataError(f"{owner}: the panel has no series.")
    read = {}
    for label, part in parts.items():
        read[label] = _read_run(part, f"{owner}, series {quoted(label)}", unnamed)
    names = next(iter(read.values()))[1]
    if {tuple(run[1]) for run in read.values()} != {tuple(names)} and len(names) == 1:
        names = [unnamed]
    elif {tuple(run[1]) for run in read.values()} != {tuple(names)}:
        raise DataError(f"{owner}: all series of a panel must have the same variables, {shown(names)}.")
    runs = list(read.values())
    different = [label for label, run in read.items() if run[2].pace != runs[0][2].pace]
    if different:
        raise DataError(
            f"{owner}: all series of a panel must have times of one frequency, but those of {quoted(different[0])} are "
            f"unlike those of {quoted(next(iter(read)))}. Resample one of them, or fit two forecasters."
        )
    return Runs([run[0] for run in runs], names, [run[2] for run in runs], list(read), [run[3] for run in runs])


def _is_table(series: Any) -> bool:
    """Return whether a list is a table of numbers, row by row."""
    try:
        array = np.asarray(series)
    except ValueError:
        return False
    return array.ndim == 2 and array.dtype.kind in "fiub" and array.shape[0] > array.shape[1]


def _read_run(series: Any, owner: str, unnamed: str) -> tuple[Array, list[str], TimeAxis, Any]:
    """Return values, names, times and index of one run."""
    index, names = None, None
    if type(series).__module__.startswith("polars"):
        series = _from_polars(series, owner)
    if hasattr(series, "index") and hasattr(series, "to_numpy"):
        index = series.index
        names = (
            [str(name) for name in series.columns]
            if series.ndim == 2
            else [unnamed if series.name is None else str(series.name)]
        )
    values = _numbers(series, names, owner)
    names = names or [f"{unnamed}{k + 1}" if values.shape[1] > 1 else unnamed for k in range(values.shape[1])]
    repeated = [name for k, name in enumerate(names) if name in names[:k]]
    if repeated:
        raise DataError(f"{owner}: the variable {quoted(repeated[0])} occurs twice. Rename one of them.")
    if index is None:
        return values, names, TimeAxis(last=len(values) - 1), None
    if index.dtype.kind == "f" and (np.mod(index, 1.0) == 0.0).all() and np.abs(index).max() < _LARGEST_STEP:
        index = index.astype(np.int64)
    if index.dtype.kind in "iu":
        return _with_numbers(values, names, index, owner)
    return _with_dates(values, names, index, owner)


def _numbers(series: Any, names: list[str] | None, owner: str) -> Array:
    """Return the values as a table of floats."""
    array = series.to_numpy() if hasattr(series, "to_numpy") else np.asarray(series, dtype=object)
    try:
        if array.dtype.kind in "mM":
            raise TypeError
        values = np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        dated = array.dtype.kind in "mM"
        table = np.asarray(array, dtype=object)
        place = next((place for place in np.ndindex(table.shape) if not _is_number(table[place])), (0,) * table.ndim)
        bad = str(array[place]) if dated else table[place]
        column = names[place[1]] if names is not None and table.ndim == 2 else None
        where = "" if column is None else f" in column {quoted(column)}"
        if column is not None and (dated or hasattr(bad, "isoformat")):
            raise DataError(
                f"{owner}: a time series has numbers, got the date {quoted(str(bad))}{where}. Make this column the "
                f"index: set_index({column!r})."
            ) from None
        raise DataError(
            f"{owner}: a time series has numbers, got {quoted(bad)}{where}. Convert text first, or leave the column "
            "out."
        ) from None
    if values.ndim not in (1, 2) or values.size == 0:
        raise DataError(f"{owner}: expected one column of numbers, or one per variable, got shape {values.shape}.")
    values = values[:, None] if values.ndim == 1 else values
    if np.isinf(values).any():
        raise DataError(f"{owner}: the values include infinity. Replace it, or leave it out as missing (NaN).")
    if (np.abs(values) > _LARGEST).any():
        raise DataError(f"{owner}: the values include {np.nanmax(np.abs(values)):.3g}. Use a larger unit.")
    return values.astype(np.float64, copy=True)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return value is None
    return True


def _check_order(index: Any, owner: str) -> None:
    if index.has_duplicates:
        raise DataError(f"{owner}: {quoted(str(index[index.duplicated()][0]))} occurs twice. Keep one value per time.")
    if not index.is_monotonic_increasing:
        place = int(np.flatnonzero(np.diff(index.argsort()) != 1)[0])
        raise DataError(f"{owner}: times are not in order, near {quoted(str(index[place]))}. Sort them first.")


def _with_numbers(values: Array, names: list[str], index: Any, owner: str) -> tuple[Array, list[str], TimeAxis, Any]:
    """Return values at all steps from the first to the last; steps that are left out become missing values."""
    _check_order(index, owner)
    steps = index.to_numpy(dtype=np.int64) - int(index[0])
    n = int(steps[-1]) + 1
    if len(steps) < (1.0 - _MOST_GAPS) * n:
        raise DataError(
            f"{owner}: steps are counted by ones, and {n - len(steps)} of {n} from {index[0]} to {index[-1]} are left "
            "out. Count the rows (reset_index(drop=True)) if they follow each other."
        )
    filled = np.full((n, values.shape[1]), np.nan)
    filled[steps] = values
    pandas = import_or_raise("pandas", "A time series with an index", "table")
    return filled, names, TimeAxis(last=int(index[-1])), pandas.RangeIndex(int(index[0]), int(index[-1]) + 1)


def _with_dates(values: Array, names: list[str], index: Any, owner: str) -> tuple[Array, list[str], TimeAxis, Any]:
    """Return values at regular times; times that are left out become missing values."""
    pandas = import_or_raise("pandas", "A time series with dates", "table")
    if index.hasnans:
        raise DataError(f"{owner}: a time is missing. Leave out rows without a time.")
    if isinstance(index, pandas.PeriodIndex):
        _check_order(index, owner)
        whole = pandas.period_range(index[0], index[-1], freq=index.freq)
        axis = TimeAxis("period", index.freqstr, str(index[-1]))
    elif isinstance(index, pandas.DatetimeIndex):
        _check_order(index, owner)
        frequency = _frequency(index, pandas)
        if frequency is None:
            raise DataError(
                f"{owner}: the time between values changes, and no frequency (year, quarter, month, week, day, hour, "
                "minute, second) fits all of them. Resample to one first, or take periods: index.to_period('M')."
            )
        whole = pandas.date_range(index[0], index[-1], freq=frequency)
        axis = TimeAxis("date", frequency, str(index[-1]), "" if index.tz is None else str(index.tz))
    else:
        raise DataError(
            f"{owner}: times must be whole numbers, dates or periods, got {quoted(str(index[0]))}. Use "
            "pandas.to_datetime."
        )
    if len(whole) > len(index):
        filled = np.full((len(whole), values.shape[1]), np.nan)
        filled[whole.get_indexer(index)] = values
        values = filled
    return values, names, axis, whole


def _frequency(index: Any, pandas: Any) -> str | None:
    """Return the frequency of dates; None if they have none."""
    if index.freqstr or len(index) < 3:
        return index.freqstr or _common_frequency(index, pandas)
    try:
        inferred = pandas.DatetimeIndex(index, freq="infer").freqstr
    except ValueError:
        inferred = None
    # pandas also takes months that begin on a working day by chance for months of working days.
    if inferred and index.isin(pandas.date_range(index[0], index[-1], freq=inferred)).all():
        return str(inferred)
    return _common_frequency(index, pandas)


def is_regular(index: Any) -> bool:
    """Return whether dates are in order and have one frequency, with gaps at most."""
    pandas = import_or_raise("pandas", "A time series with dates", "table")
    return bool(index.is_unique and index.is_monotonic_increasing and _frequency(index, pandas) is not None)


def _common_frequency(index: Any, pandas: Any) -> str | None:
    """Return a frequency that contains all dates of an index with gaps."""
    days = (index[-1] - index[0]).total_seconds() / 86400.0
    for frequency, length in _FREQUENCIES.items():
        if days / length > 2 * len(index) / (1.0 - _MOST_GAPS):
            continue  # far more steps than dates, too many to list
        try:
            whole = pandas.date_range(index[0], index[-1], freq=frequency)
        except (ValueError, OverflowError):
            continue
        if frequency == "B" and len(index) <= _WORKING_WEEK:
            continue  # too few dates to say that weekends are left out, and not these two days
        if len(whole) and len(index) >= (1.0 - _MOST_GAPS) * len(whole) and index.isin(whole).all():
            return str(frequency)
    return None


def _from_polars(series: Any, owner: str) -> Any:
    """Return a series or data frame of polars as one of pandas, with its column of dates as index."""
    pandas = import_or_raise("pandas", "A time series of polars", "table")
    if hasattr(series, "collect"):
        series = series.collect()
    if not hasattr(series, "columns"):
        return pandas.Series(series.to_list(), name=series.name or None)
    times = [name for name in series.columns if series.schema[name].is_temporal()]
    if len(times) > 1:
        raise DataError(f"{owner}: several columns have dates, {shown(times)}. Select one of them.")
    columns = {name: series.get_column(name).to_list() for name in series.columns if name not in times}
    index = pandas.DatetimeIndex(series.get_column(times[0]).to_list()) if times else None
    return pandas.DataFrame(columns, index=index)
