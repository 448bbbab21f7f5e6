"""``cogmap what-if``: find the smallest change to a row that changes its prediction."""

from typing import TYPE_CHECKING, Any

import click

from cogmap._utils.text import quoted
from cogmap.cli.common import command, example, json_option, on_table, reliability, tell
from cogmap.exceptions import DataError

if TYPE_CHECKING:
    from cogmap.table.model import TableModel


@click.command(
    "what-if", epilog=example('cogmap what-if flowers.cogmap new.csv --row 3 --to virginica --fixed "sepal width"')
)
@on_table
@click.option("--row", type=click.IntRange(1), default=1, show_default=True, help="Number of the row, from 1.")
@click.option("--to", metavar="VALUE", help="Class or number to reach; by default any other class.")
@click.option(
    "--fixed", multiple=True, metavar="COLUMN", help="Column that must not change. May be given several times."
)
@json_option
def what_if(model: str, table: str, row: int, to: str | None, fixed: tuple[str, ...], as_json: bool) -> None:
    """Find the smallest change to a row that changes its prediction.

    The result is a counterfactual of a row of TABLE for MODEL: few columns change, and these as little as possible.
    Categories change as a whole, dates do not change.
    """
    import json

    from cogmap.explanation._answer import value_text
    from cogmap.maps._text import aligned, short
    from cogmap.table.model import TableModel
    from cogmap.table.scanning import Scan
    from cogmap.table.sentences import class_name, decimals_of, percent, value_words

    with command():
        subject = TableModel.load(model)
        goal = _goal(subject, to)
        _check_fixed(subject, fixed)
        scan = Scan(subject, table)
        answer = subject.what_if(scan.row(row).frame, goal, fixed=fixed)
        tell(scan.notes() + reliability(subject))
        before, after = (
            dict(zip(subject.outputs, map(float, outputs), strict=True))
            for outputs in (answer.outputs_before, answer.outputs)
        )
        if as_json:
            changes = {name: {"before": b, "after": a} for name, (b, a) in answer.changes.items()}
            result = {"row": row, "to": goal, "found": answer.found, "changes": changes}
            text = json.dumps({**result, "before": before, "after": after}, ensure_ascii=False, indent=2)
        elif not answer.found:
            text = f"No change to row {row} was found that leads to {to or 'another class'}."
        elif not answer.changes:
            text = f"No change is needed: the prediction of row {row} is already {to}."
        else:
            units = subject.card.get("units", {})
            lines = [
                [
                    short(name),
                    *(
                        value_text(value, digits, units.get(name, ""))
                        for value, digits in zip(values, (6, 4), strict=True)  # a computed value needs fewer
                    ),
                ]
                for name, values in answer.changes.items()
            ]
            decimals = decimals_of(subject.card, max(map(abs, before.values())))
            # As many decimals as tell two nearly equal probabilities apart.
            nearly = sorted(after.values())[-2:]
            places = next((n for n in range(1, 5) if len({percent(value, n) for value in nearly}) == len(nearly)), 1)

            def said(value: float) -> str:
                return percent(value, places) if subject.classes else value_words(value, decimals, subject.target.unit)

            outputs = [["", "before", "after"]] + [
                [
                    f"probability of {class_name(name)}" if subject.classes else subject.target.name,
                    said(before[name]),
                    said(after[name]),
                ]
                for name in subject.outputs
            ]
            was, becomes = (max(of, key=of.__getitem__) for of in (before, after))
            head = [f"Row {row}: {subject.target.name} {was} becomes {becomes}", ""] if subject.classes else []
            text = "\n".join([*head, *aligned([["change", "from", "to"], *lines]), "", *aligned(outputs)])
    click.echo(text)


def _goal(model: "TableModel", to: str | None) -> Any:
    """Parse the goal: a class, None for any other class, or a number in the notation of the training table."""
    from cogmap._utils.params import shown, suggestion

    if model.classes is not None:
        if to is not None and to not in model.classes:
            hint = suggestion(to, model.classes)
            raise DataError(
                f"--to must be one of the classes {shown(model.classes)}, got {quoted(to)}. {hint}".rstrip()
            )
        return to
    if to is None:
        raise DataError(
            f"--to is required, because the model predicts numbers: give the value of {quoted(model.target.name)} to "
            "reach."
        )
    column: Any = model.target.numbers
    value = column.value(to.strip())
    if not isinstance(value, tuple) or value[0] != value[0]:
        raise DataError(f"--to must be a number, the value to reach, got {quoted(to)}.")
    return value[0]


def _check_fixed(model: "TableModel", fixed: tuple[str, ...]) -> None:
    """Raise DataError if a fixed column is not a column of the model."""
    from cogmap._utils.params import suggestion

    for name in fixed:
        if name not in model.columns:
            hint = suggestion(name, model.columns)
            raise DataError(f"--fixed must be a column of the model, got {quoted(name)}. {hint}".rstrip())
