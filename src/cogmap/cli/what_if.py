"""``cogmap what-if``: what would change the prediction of a row."""

import click

from cogmap.cli.common import command, example, json_option, on_table, tell


@click.command(
    "what-if", epilog=example('cogmap what-if flowers.cogmap new.csv --row 3 --to virginica --fixed "sepal width"')
)
@on_table
@click.option("--row", type=click.IntRange(1), default=1, show_default=True, help="Which row, counted from 1.")
@click.option("--to", metavar="VALUE", help="The class, or the number, to reach; by default any other class.")
@click.option(
    "--fixed", multiple=True, metavar="COLUMN", help="A column that must not change. May be given several times."
)
@json_option
def what_if(model: str, table: str, row: int, to: str | None, fixed: tuple[str, ...], as_json: bool) -> None:
    """Find what would change the prediction of a row.

    Of all changes of a row of TABLE after which MODEL says something else, a small one is looked for: few columns, and
    these by little. Categories change as a whole, dates not at all.
    """
    import json

    from cogmap.maps._text import aligned, short
    from cogmap.table.model import TableModel
    from cogmap.table.questions import change, checked_goal
    from cogmap.table.scanning import Scan

    with command():
        asked = TableModel.open(model)
        goal = checked_goal(asked, to)
        scan = Scan(asked, table)
        said = scan.row(row).said
        found = change(asked, said.features[0], goal, fixed)
        tell(scan.notes())
        before, after = (
            dict(zip(asked.outputs, map(float, outputs), strict=True))
            for outputs in (found.outputs_before, found.outputs)
        )
        if as_json:
            changes = {name: {"before": b, "after": a} for name, (b, a) in found.changes.items()}
            answer = {
                "row": row,
                "to": goal,
                "found": found.found,
                "changes": changes,
                "before": before,
                "after": after,
            }
            text = json.dumps(answer, ensure_ascii=False, indent=2)
        elif not found.found:
            text = f"No change of row {row} was found that leads to {to or 'another class'}."
        elif not found.changes:
            text = f"Nothing has to change: the model says {to} of row {row} already."
        else:
            lines = [[short(name), b, a] for name, (b, a) in found.changes.items()]
            says = [["", "before", "after"]] + [
                [f"P({name})" if asked.classes else asked.target.name, f"{before[name]:.4g}", f"{after[name]:.4g}"]
                for name in asked.outputs
            ]
            text = "\n".join([*aligned([["change", "from", "to"], *lines]), "", *aligned(says)])
    click.echo(text)
