"""``cogmap explain``: what led to the prediction of a row."""

import click

from cogmap.cli.common import command, example, json_option, on_table, tell


@click.command(epilog=example("cogmap explain flowers.cogmap new.csv --row 3"))
@on_table
@click.option("--row", type=click.IntRange(1), default=1, show_default=True, help="Which row, counted from 1.")
@json_option
def explain(model: str, table: str, row: int, as_json: bool) -> None:
    """Say what led to the prediction of a row.

    Each column of TABLE contributes something to what MODEL says. A row of mean values is what it is compared with, and
    contributions add up exactly to the difference.
    """
    import json

    import numpy as np

    from cogmap.maps._text import aligned, short
    from cogmap.table.model import TableModel
    from cogmap.table.preparation.columns import spans
    from cogmap.table.questions import contributions, told
    from cogmap.table.scanning import Scan

    with command():
        asked = TableModel.open(model)
        scan = Scan(asked, table)
        said = scan.row(row).said
        values, base = contributions(asked.preparer.columns_, asked.model, said.features)
        tell(scan.notes())
        columns = asked.preparer.columns_
        given = [told(column, said.features[0, span]) for column, span in zip(columns, spans(columns), strict=True)]
        names = [column.name for column in columns]
        label = said.labels[0] if asked.classes else float(said.labels[0])
        if as_json:
            answer = {
                "row": row,
                "prediction": label,
                "outputs": dict(zip(asked.outputs, said.outputs[0].tolist(), strict=True)),
                "base": dict(zip(asked.outputs, base.tolist(), strict=True)),
                "contributions": {
                    name: dict(zip(asked.outputs, of_column.tolist(), strict=True))
                    for name, of_column in zip(names, values[0], strict=True)
                },
            }
            text = json.dumps(answer, ensure_ascii=False, indent=2)
        else:
            number = asked.classes.index(str(label)) if asked.classes else 0
            of_output = values[0, :, number]
            order = np.argsort(-np.abs(of_output), kind="stable")
            lines = [[short(names[c]), given[c], f"{of_output[c]:+.4g}"] for c in order]
            what = f"P({label})" if asked.classes else asked.target.name
            mean = [f"a row of means: {what}", "", f"{base[number]:.4g}"]
            this = [f"this row: {what}", "", f"{said.outputs[0, number]:.4g}"]
            head = f"Row {row}: {label}" if asked.classes else f"Row {row}: {label:.6g}"
            table_lines = aligned([["column", "value", "contribution"], mean, *lines, this])
            text = "\n".join([head, *(line.rstrip() for line in table_lines)])
    click.echo(text)
