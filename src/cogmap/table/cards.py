"""The card of a model as a dict, as text and as HTML."""

import html
from functools import reduce
from textwrap import fill
from typing import Any

from cogmap.table.card_blocks import Block, blocks_of, title_of
from cogmap.table.sentences import Figure, Sentence, text_of

_WIDTH = 100  # of a line of text
_JOINED = "\0"  # a space at which lines do not break


class Card(dict[str, Any]):
    """Description of a model: a dict of JSON values, printed as text and shown as HTML in notebooks.

    Every number in the text is at some place of the dict, so that it can be recomputed from the table.
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the card as a plain dict."""
        return dict(self)

    def without_scores(self) -> "Card":
        """Return the card of another map of the same table."""
        of_scores = ("scores", "comparisons", "certainty", "errors", "sets", "intervals", "edits")
        return Card({name: part for name, part in self.items() if name not in of_scores})

    def at(self, key: str) -> Any:
        """Return the entry at a JSON pointer, such as "/scores/this map/accuracy/mean".

        Parameters
        ----------
        key : str
            Place in the card.

        Returns
        -------
        object
        """
        steps = [step.replace("~1", "/").replace("~0", "~") for step in key.split("/")[1:]]
        return reduce(lambda entry, step: entry[int(step) if isinstance(entry, list) else step], steps, self.to_dict())

    def __str__(self) -> str:
        return card_text(self)

    def _repr_html_(self) -> str:
        return card_html(self)


def card_text(card: dict[str, Any]) -> str:
    """Return a card as text."""
    title, lines = title_of(card)
    head = [text_of(title), *(f"  {text_of(line)}" for line in lines)]
    return "\n\n".join("\n".join(lines) for lines in [head, *map(_block_text, blocks_of(card))])


def _block_text(block: Block) -> list[str]:
    lead = [*(_paragraph(sentence) for sentence in block.lead), ""] if block.lead else []
    notes = [_paragraph(sentence) for sentence in block.notes]
    if len(block.heading) == 1:  # paragraphs, which may be long
        lines = [fill(text_of(row[0]), _WIDTH, initial_indent="  ", subsequent_indent="    ") for row in block.rows]
        return [*lead, *block.heading, *lines, *notes]
    return [*lead, *_table(block), *notes]


def _paragraph(sentence: Sentence) -> str:
    # A number stays on one line with its unit.
    parts = (part.text.replace(" ", _JOINED) if isinstance(part, Figure) else part for part in sentence)
    text = "".join(parts).replace(" %", f"{_JOINED}%")
    return fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ").replace(_JOINED, " ")


def _table(block: Block) -> list[str]:
    """Return aligned lines below a heading."""
    texts = [[text_of(cell) for cell in row] for row in block.rows]
    cells = [block.heading, *([f"  {row[0]}", *row[1:]] for row in texts)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(block.heading))]
    return [
        "   ".join(
            cell.rjust(width) if place in block.right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def card_html(card: dict[str, Any]) -> str:
    """Return a card as HTML, with the place of each number in ``data-key``."""
    title, lines = title_of(card)
    parts = [f"<h3>{_sentence_html(title)}</h3>", *(f"<p>{_sentence_html(line)}</p>" for line in lines)]
    parts += [_block_html(block) for block in blocks_of(card)]
    return f'<div class="cogmap-card">{"".join(parts)}</div>'


def _block_html(block: Block) -> str:
    head, *others = block.heading
    heads = "".join(_cell_html("th", html.escape(name), place + 1 in block.right) for place, name in enumerate(others))
    rows = "".join(
        f"<tr>{''.join(_cell_html('td', _sentence_html(cell), place in block.right) for place, cell in enumerate(row))}"
        "</tr>"
        for row in block.rows
    )
    lead, notes = ("".join(f"<p>{_sentence_html(one)}</p>" for one in part) for part in (block.lead, block.notes))
    names = f"<tr>{_cell_html('th', html.escape(head), False)}{heads}</tr>"
    return f"{lead}<table>{names}{rows}</table>{notes}"


def _cell_html(tag: str, content: str, right: bool) -> str:
    return f'<{tag} style="text-align: {"right" if right else "left"}">{content}</{tag}>'


def _sentence_html(sentence: Sentence) -> str:
    return "".join(
        f'<b data-key="{html.escape(part.key, quote=True)}">{html.escape(part.text)}</b>'
        if isinstance(part, Figure)
        else html.escape(part)
        for part in sentence
    )
