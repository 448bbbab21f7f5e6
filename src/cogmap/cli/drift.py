"""``cogmap drift``: compare a table with the training rows of a model."""

import click

from cogmap.cli.common import command, example, json_option, on_table, progress, tell


@click.command(epilog=example("cogmap drift flowers.cogmap recent.csv"))
@on_table
@json_option
def drift(model: str, table: str, as_json: bool) -> None:
    """Compare a table with the training rows of a model.

    MODEL is a file saved by `cogmap fit`, which contains statistics of its training rows. The output says which columns
    of TABLE have changed: higher or lower values, other frequencies of categories, more missing values, values that
    were not seen in training or are outside its range. The probability of any false alarm is at most 5 %.
    """
    import json
    from dataclasses import asdict

    import numpy as np

    from cogmap.table.drift import find_drift
    from cogmap.table.model import TableModel
    from cogmap.table.preparation import Reading
    from cogmap.table.scanning import Scan

    with command():
        subject = TableModel.load(model)
        scan = Scan(subject, table)
        features, unseen = [], dict[str, dict[str, int]]()
        with progress() as done:
            for part in scan.parts():
                features.append(part.predictions.features)
                for name, counts in part.predictions.unseen.items():
                    of_column = unseen.setdefault(name, {})
                    for value, number in counts.items():
                        of_column[value] = of_column.get(value, 0) + number
                done("Rows", part.first + len(part.frame), 0)
        result = find_drift(subject, Reading(np.concatenate(features), unseen, {}))
        tell(note for note in scan.notes() if "not seen in training" not in note)
    click.echo(json.dumps(asdict(result), ensure_ascii=False, indent=2) if as_json else str(result))
