"""``cogmap explain``: show the contributions of columns to the prediction of a row."""

import click

from cogmap.cli.common import command, example, json_option, on_table, reliability, tell


@click.command(epilog=example("cogmap explain flowers.cogmap new.csv --row 3"))
@on_table
@click.option("--row", type=click.IntRange(1), default=1, show_default=True, help="Number of the row, from 1.")
@json_option
def explain(model: str, table: str, row: int, as_json: bool) -> None:
    """Explain the prediction of a row by the contributions of its columns.

    The baseline is a typical row: the mean of each column, or of its logarithm if it is skewed. The contributions of
    the columns of TABLE add up exactly to the difference between the prediction of MODEL for the row and for the
    baseline.
    """
    import json

    import numpy as np

    from cogmap.explanation._answer import value_text
    from cogmap.maps._text import aligned, short
    from cogmap.table.model import TableModel
    from cogmap.table.scanning import Scan
    from cogmap.table.sentences import class_name, decimals_of, percent, points, value_words

    with command():
        subject = TableModel.load(model)
        scan = Scan(subject, table)
        part = scan.row(row)
        label, outputs = part.predictions.labels[0], part.predictions.outputs[0]
        explanation = subject.explain(part.frame)
        tell(scan.notes() + reliability(subject))
        contributions, base, names = explanation.contributions[0], explanation.base_values, explanation.feature_names
        if as_json:
            answer = {
                "row": row,
                "prediction": str(label) if subject.classes else float(label),
                "outputs": dict(zip(subject.outputs, outputs.tolist(), strict=True)),
                "base": dict(zip(subject.outputs, base.tolist(), strict=True)),
                "contributions": {
                    name: dict(zip(subject.outputs, of_column.tolist(), strict=True))
                    for name, of_column in zip(names, contributions, strict=True)
                },
            }
            text = json.dumps(answer, ensure_ascii=False, indent=2)
        else:
            number = subject.classes.index(str(label)) if subject.classes else 0
            of_output = contributions[:, number]
            order = np.argsort(-np.abs(of_output), kind="stable")
            unit, units = subject.target.unit, subject.card.get("units", {})
            decimals = decimals_of(subject.card, float(outputs[number]))
            lines = [
                [
                    short(names[c]),
                    value_text(explanation.values[0, c], 6, units.get(names[c], "")),
                    points(of_output[c]) if subject.classes else value_words(of_output[c], decimals, unit, "+"),
                ]
                for c in order
            ]
            output = f"probability of {class_name(str(label))}" if subject.classes else subject.target.name
            base_line, this = (
                [f"{which}: {output}", "", percent(value) if subject.classes else value_words(value, decimals, unit)]
                for which, value in (("a typical row", base[number]), ("this row", outputs[number]))
            )
            head = f"Row {row}: {subject.target.name} {label}" if subject.classes else f"Row {row}: {this[2]}"
            table_lines = aligned([["column", "value", "contribution"], base_line, *lines, this])
            text = "\n".join([head, *(line.rstrip() for line in table_lines)])
            if subject.classes:
                text += "\nA point is one percent of probability."
    click.echo(text)
