"""``cogmap show``: print the card of a model."""

import click

from cogmap.cli.common import command, example, json_option, model_argument


@click.command(epilog=example("cogmap show flowers.cogmap"))
@model_argument
@json_option
def show(model: str, as_json: bool) -> None:
    """Show the card of a model.

    The card lists the target, the scores, the importance of columns, and the columns left out.
    """
    import json

    from cogmap.table.model import TableModel

    with command():
        subject = TableModel.load(model)
        if subject.card:
            text = json.dumps(subject.card, ensure_ascii=False, indent=2) if as_json else str(subject.card)
        else:
            description = repr(subject.model.map)
            no_card = "This model was saved without a card."
            text = json.dumps({"map": description}) if as_json else f"{no_card}\n{description}"
    click.echo(text)
