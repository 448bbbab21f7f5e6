"""``cogmap forecast``: learn a map of time series and forecast them."""

import math
from collections.abc import Collection, Iterable
from typing import Any

import click

from cogmap._utils.text import quoted
from cogmap.cli.common import check_place, command, example, json_option, tell
from cogmap.exceptions import DataError


@click.command(
    epilog=example(
        "cogmap forecast sales.csv --time month --target sales --steps 12 --plot sales.svg",
        'cogmap forecast sales.csv --time month --target sales --driver price --hold "price=9.5@2027-03"',
    )
)
@click.argument("table", metavar="TABLE")
@click.option(
    "--target",
    "targets",
    multiple=True,
    required=True,
    metavar="COLUMN",
    help="Column to forecast. May be given several times.",
)
@click.option(
    "--time",
    metavar="COLUMN",
    help="Column of dates, periods (2026-11, Nov 2026, 2026-W47, 2026Q4) or numbers; by default rows are in order.",
)
@click.option(
    "--driver",
    "drivers",
    multiple=True,
    metavar="COLUMN",
    help="Column known in advance, also in rows after the last target.",
)
@click.option(
    "--steps",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="Number of steps; by default a season, or those for which the drivers are known.",
)
@click.option(
    "--season", type=click.IntRange(1, 10_000), metavar="N", help="Steps in a season; by default of the dates."
)
@click.option(
    "--hold",
    "holds",
    multiple=True,
    metavar="NAME=VALUE",
    help='Hold a target or driver: "price=9.5", or from a time on: "price=9.5@2027-03". May be given several times.',
)
@click.option(
    "--level", type=click.FloatRange(0.01, 0.999), default=0.9, show_default=True, help="Probability of intervals."
)
@click.option("--out", metavar="FILE", help="Write the forecast as CSV; - is standard output.")
@click.option("--plot", metavar="FILE", help="Draw the forecast, as .svg, .png or .pdf.")
@click.option("--save", "model", metavar="FILE", help="Save the model, such as sales.cogmap.")
@click.option("--page", metavar="FILE", help="Write an interactive page.")
@json_option
def forecast(
    table: str,
    targets: tuple[str, ...],
    time: str | None,
    drivers: tuple[str, ...],
    steps: int | None,
    season: int | None,
    holds: tuple[str, ...],
    level: float,
    out: str | None,
    plot: str | None,
    model: str | None,
    page: str | None,
    as_json: bool,
) -> None:
    """Forecast columns of a table.

    TABLE is a CSV, TSV, Excel (.xlsx) or Parquet file with one row per time, or - for CSV from standard input. Rows
    after the last known target have the drivers of the future. The card compares the map with simple forecasts, each
    learned only from values before those that it forecasts.
    """
    import json
    from pathlib import Path

    from cogmap._utils.files import whole_file
    from cogmap._utils.params import shown
    from cogmap.estimators.forecaster import FCMForecaster
    from cogmap.persistence import save
    from cogmap.table.files import csv_line, read_table, whole_output
    from cogmap.table.files.sources import name_of
    from cogmap.table.series import column_of_dates, forecast_card, forecast_card_text, series_of

    with command():
        for file in (out, plot, model, page):
            check_place(file, table)
        held = _holds(holds, [*targets, *drivers])
        kind = None if plot is None else _kind(plot)
        frame, notes = read_table(table, [time] if time else [])
        tell(notes)
        series = series_of(frame, time, targets)
        if time is None and (dated := column_of_dates(frame, [*targets, *drivers])) is not None:
            tell([f"Rows are taken in their order. For the dates of column {quoted(dated)}, add: --time {dated}"])
        known = series.notna().any(axis=1).to_numpy()
        if not known.any():
            raise DataError(f"Column {quoted(targets[0])} has no values.")
        last = len(series) - int(known[::-1].argmax())
        if last < len(series) and not drivers:
            n_rows = len(series) - last
            rows_have = "row has" if n_rows == 1 else f"{n_rows} rows have"
            tell([f"The last {rows_have} no values of {shown(targets)}: the forecast starts there."])
        inputs = series_of(frame, time, drivers) if drivers else None
        forecaster = FCMForecaster(season="auto" if season is None else season)
        forecaster.fit(series.iloc[:last], None if inputs is None else inputs.iloc[:last])
        later = None if inputs is None else inputs.iloc[last:]
        later = None if later is None or not len(later) else later
        first = forecaster.axes_[0].texts(forecaster.axes_[0].after(1))[0]
        hold = {name: {when or first: value for when, value in values.items()} for name, values in held.items()}
        steps = _known_steps(later, forecaster, steps, held)
        result = forecaster.forecast(steps, later, hold, level)
        try:
            past = None if inputs is None else inputs.iloc[:last]
            tested = forecaster.backtest(series.iloc[:last], past, level=level)
        except DataError as too_few:
            tested = None
            tell([str(too_few)])
        card = forecast_card(forecaster, tested, Path(name_of(table)).name)
        if model is not None:
            save(forecaster, model, card)
        if plot is not None and kind is not None:
            with whole_file(Path(plot), "wb") as picture:
                result.plot().figure.savefig(picture, format=kind)
        if page is not None:
            from cogmap.page import write

            write(forecaster, path=page)
        columns = result._columns()
        rows = zip(result.times, *(column.tolist() for column in columns.values()), strict=True)
        if out is not None:
            with whole_output(out) as output:
                output.write(csv_line([time or "step", *columns]))
                output.writelines(csv_line(row) for row in rows)
    if as_json:
        click.echo(json.dumps({**card, "forecast": result.to_dict()}, ensure_ascii=False, indent=2, allow_nan=False))
        return
    if out != "-":
        click.echo(forecast_card_text(card))
        click.echo(f"\n{result}")
        for what, file in (("forecast", out), ("picture", plot), ("model", model), ("page", page)):
            if file is not None:
                click.echo(f"The {what} is {file}.")


def _holds(texts: Iterable[str], names: list[str]) -> dict[str, dict[str, float]]:
    """Return the values of --hold by name and time; the time is empty for the first step."""
    from cogmap._utils.params import shown, suggestion

    result: dict[str, dict[str, float]] = {}
    for text in texts:
        name, _, rest = text.rpartition("=")
        number, _, when = rest.partition("@")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if not name or not math.isfinite(value):
            raise DataError(
                f'--hold must be a name with a value, such as "price=9.5" or "price=9.5@2027", got {quoted(text)}.'
            )
        if name not in names:
            cure = suggestion(name, names) or f"They are {shown(names)}."
            raise DataError(f"--hold: {quoted(name)} is neither a --target nor a --driver. {cure}")
        values = result.setdefault(name, {})
        if when in values:
            since = f"from {when} on" if when else "from the first step on"
            raise DataError(f"--hold gives {quoted(name)} two values {since}. Leave one of them out.")
        values[when] = value
    return result


def _known_steps(later: Any, forecaster: Any, steps: int | None, held: Collection[str]) -> int | None:
    """Return the number of steps, by default those for which the drivers are known; raise if they end before."""
    free = [name for name in forecaster.drivers_ if name not in held]
    if not free or not (later is None or later.index.is_unique):
        return steps
    known = dict.fromkeys(free, 0)
    if later is not None:
        rows = later[free].reindex(forecaster.axes_[0].after(len(later)))
        known = {name: int(column.notna().cummin().sum()) for name, column in rows.items()}
    name = min(known, key=lambda one: known[one])
    if known[name] < (steps or 1):
        fewer = f"ask for --steps {known[name]}, " if known[name] else ""
        raise DataError(
            f"The driver {quoted(name)} is known for {known[name]} of {steps or forecaster.horizon_} steps after the "
            f"last target. Add rows with its values, {fewer}or hold it: --hold {name}=VALUE."
        )
    return steps or known[name]


def _kind(file: str) -> str:
    """Return the kind of a picture."""
    from pathlib import Path

    from cogmap._utils.optional import import_or_raise

    import_or_raise("matplotlib", "--plot", "plot")
    kind = Path(file).suffix.lstrip(".").lower()
    if kind not in ("svg", "png", "pdf"):
        raise DataError(f"--plot writes .svg, .png or .pdf files, got {quoted(file)}.")
    return kind
