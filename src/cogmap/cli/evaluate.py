"""``cogmap evaluate``: score predictions on a table with known targets."""

import click

from cogmap._utils.text import quoted
from cogmap.cli.common import command, example, json_option, on_table, progress, tell
from cogmap.exceptions import DataError


@click.command(epilog=example("cogmap evaluate flowers.cogmap held_out.csv"))
@on_table
@click.option("--target", metavar="COLUMN", help="Column with the true values; by default the target of `cogmap fit`.")
@json_option
def evaluate(model: str, table: str, target: str | None, as_json: bool) -> None:
    """Score predictions on a table with known targets.

    The predictions of MODEL are compared with a column of TABLE. Classification: accuracy, F1, log loss, calibration
    error (mean difference between predicted probabilities and observed frequencies), precision and recall per class,
    and the confusion matrix. Regression: R², mean absolute error and root mean squared error.
    """
    import json

    import numpy as np

    from cogmap.table.evaluation import evaluation_text, score_predictions
    from cogmap.table.files.sources import name_of
    from cogmap.table.model import TableModel
    from cogmap.table.scanning import Scan
    from cogmap.table.targets import column_of, known_rows

    with command():
        subject = TableModel.load(model)
        scan = Scan(subject, table)
        name = target or subject.target.name
        targets, labels, outputs = [], [], []
        with progress() as done:
            for part in scan.parts():
                true = subject.target.read(column_of(part.frame, name, name_of(table)), part.first)
                kept = known_rows(true)
                kept[list(part.predictions.faults)] = False
                targets.append(true[kept])
                labels.append(part.predictions.labels[kept])
                outputs.append(part.predictions.outputs[kept])
                done("Rows", part.first + len(part.frame), 0)
        y, predicted = np.concatenate(targets), np.concatenate(labels)
        if not len(y):
            raise DataError(f"{name_of(table)} has no row with a known {quoted(name)} that can be predicted.")
        scores = score_predictions(subject.classes, y, predicted, np.concatenate(outputs))
        tell(note for note in scan.notes() if "`note`" not in note)
        if len(y) < scan.n_rows:
            tell([f"{scan.n_rows - len(y):,} of {scan.n_rows:,} rows have no true value or no prediction."])
    click.echo(json.dumps(scores, ensure_ascii=False, indent=2) if as_json else evaluation_text(scores))
