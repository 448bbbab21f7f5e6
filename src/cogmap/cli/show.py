"""``cogmap show``: print the card of a model."""

import click

from cogmap.cli.common import command, example, json_option, model_argument, open_model

_NO_CARD = "This model was saved without a card."


@click.command(epilog=example("cogmap show flowers.cogmap"))
@model_argument
@json_option
def show(model: str, as_json: bool) -> None:
    """Show the card of a model.

    The card lists the target, the scores, the importance of columns, and the columns left out.
    """
    import json

    from cogmap.table.model import TableModel
    from cogmap.table.series import forecast_card_text

    with command():
        subject = open_model(model)
        if not isinstance(subject, TableModel):
            card = subject.card
            if "backtest" in card:
                text = json.dumps(card, ensure_ascii=False, indent=2) if as_json else forecast_card_text(card)
            else:
                sentence = subject.model.sentence_
                text = json.dumps({"sentence": sentence}) if as_json else f"{_NO_CARD}\n{sentence}"
        elif subject.card:
            text = json.dumps(subject.card, ensure_ascii=False, indent=2) if as_json else str(subject.card)
        else:
            description = repr(subject.model.map)
            text = json.dumps({"map": description}) if as_json else f"{_NO_CARD}\n{description}"
    click.echo(text)
