"""``cogmap evaluate``: how good predictions are on a table whose truth is known."""

import click

from cogmap.cli.common import command, example, json_option, on_table, progress, tell
from cogmap.exceptions import DataError


@click.command(epilog=example("cogmap evaluate flowers.cogmap held_out.csv"))
@on_table
@click.option("--target", metavar="COLUMN", help="The column with the truth; that of `cogmap fit` by default.")
@json_option
def evaluate(model: str, table: str, target: str | None, as_json: bool) -> None:
    """Say how good predictions are where the truth is known.

    What MODEL predicts is compared with a column of TABLE. Of classes: accuracy, F1, log loss, calibration (how far
    probabilities are from how often they are right), precision and recall of each class, and which is taken for which.
    Of numbers: R², mean absolute and root mean squared error.
    """
    import json

    import numpy as np

    from cogmap.table.evaluation import evaluation_text
    from cogmap.table.files.sources import name_of
    from cogmap.table.model import TableModel
    from cogmap.table.scanning import Scan
    from cogmap.table.targets import column_of, known_rows

    with command():
        subject = TableModel.load(model)
        scan = Scan(subject, table)
        name = target or subject.target.name
        truths, labels, outputs = [], [], []
        with progress() as done:
            for part in scan.parts():
                truth = subject.target.read(column_of(part.frame, name, name_of(table)), part.first)
                kept = known_rows(truth)
                kept[list(part.predictions.faults)] = False
                truths.append(truth[kept])
                labels.append(part.predictions.labels[kept])
                outputs.append(part.predictions.outputs[kept])
                done("Rows", part.first + len(part.frame), 0)
        y, predicted = np.concatenate(truths), np.concatenate(labels)
        if not len(y):
            raise DataError(f"{name_of(table)} has no row with a known {name!r} that can be predicted.")
        found = subject.scores(y, predicted, np.concatenate(outputs))
        tell(note for note in scan.notes() if "`note`" not in note)
        if len(y) < scan.n_rows:
            tell([f"{scan.n_rows - len(y):,} of {scan.n_rows:,} rows have no known truth or no prediction."])
    click.echo(json.dumps(found, ensure_ascii=False, indent=2) if as_json else evaluation_text(found))
