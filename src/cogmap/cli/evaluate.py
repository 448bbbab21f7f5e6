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

    from cogmap.table.evaluation import Evaluation, evaluation_text
    from cogmap.table.files.sources import name_of
    from cogmap.table.model import TableModel
    from cogmap.table.scanning import Scan
    from cogmap.table.targets import column_of

    with command():
        subject = TableModel.load(model)
        scan = Scan(subject, table)
        name = target or subject.target.name
        evaluation = Evaluation(subject.classes, subject.sections.get("training_rows"))
        with progress() as done:
            for part in scan.parts():
                true = subject.target.read(column_of(part.frame, name, name_of(table)), part.first)
                evaluation.add(true, part.predictions)
                done("Rows", part.first + len(part.frame), 0)
        n_rows = evaluation.n_rows
        if not n_rows:
            raise DataError(f"{name_of(table)} has no row with a known {quoted(name)} that can be predicted.")
        scores = evaluation.scores()
        tell(note for note in scan.notes() if "`note`" not in note)
        tell(filter(None, [evaluation.overlap.note(n_rows)]))
        if n_rows < scan.n_rows:
            tell([f"{scan.n_rows - n_rows:,} of {scan.n_rows:,} rows have no true value or no prediction."])
    click.echo(json.dumps(scores, ensure_ascii=False, indent=2) if as_json else evaluation_text(scores))
