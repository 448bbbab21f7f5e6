"""``cogmap show``: the card of a model."""

import click

from cogmap.cli.common import command, example, json_option, model_argument


@click.command(epilog=example("cogmap show flowers.cogmap"))
@model_argument
@json_option
def show(model: str, as_json: bool) -> None:
    """Show the card of a model.

    It says what was learned, how good it is, what matters and what was left out.
    """
    import json

    from cogmap.table.cards import card_text
    from cogmap.table.model import TableModel

    with command():
        asked = TableModel.open(model)
        if asked.card:
            text = json.dumps(asked.card, ensure_ascii=False, indent=2) if as_json else card_text(asked.card)
        else:
            text = json.dumps({"map": repr(asked.model.map)}) if as_json else f"No card was saved.\n{asked.model.map!r}"
    click.echo(text)
