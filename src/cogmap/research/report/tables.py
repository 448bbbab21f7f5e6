"""Rendering of summary tables as CSV, Markdown and LaTeX."""

import csv
import io
from typing import Any

from cogmap._utils.files import write_whole

_LATEX = {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
          "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}  # fmt: skip


def new_table(id_: str, title: str, columns: list[str], rows: list[list[Any]], note: str = "") -> dict[str, Any]:
    """Return a table as a dict of the summary."""
    return {"id": id_, "title": title, "columns": columns, "rows": rows, "note": note}


def number(value: Any) -> str:
    """Format a number with its significant digits; small p-values in scientific notation."""
    if value is None:
        return ""
    if isinstance(value, float):
        if value == 0:
            return "0.000"
        if 0.001 <= abs(value) < 100:
            return f"{value:.3f}"
        return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.1e}"
    return str(value)


def signed(value: float) -> str:
    """Format a difference; one that rounds to 0 has no sign."""
    text = f"{value:+.3f}"
    return text if float(text) else "0.000"


def cell_text(cell: Any) -> str:
    """Format a cell: a number followed by its difference from the published one, or any other value."""
    if not isinstance(cell, dict):
        return number(cell)
    if cell["difference"] is None:
        return number(cell["ours"]) or "-"
    return f"{number(cell['ours'])} ({signed(cell['difference'])})"


def as_csv(table: dict[str, Any]) -> str:
    """Format a table with full precision; a comparison with a published number takes three columns."""
    compared = [any(isinstance(row[i], dict) for row in table["rows"]) for i in range(len(table["columns"]))]
    header: list[str] = []
    for name, is_compared in zip(table["columns"], compared, strict=True):
        header += [name, f"{name} published", f"{name} difference"] if is_compared else [name]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    for row in table["rows"]:
        line: list[Any] = []
        for cell, is_compared in zip(row, compared, strict=True):
            if isinstance(cell, dict):
                line += [cell["ours"], cell["published"], cell["difference"]]
            else:
                line += [cell, "", ""] if is_compared else [cell]
        writer.writerow(line)
    return text.getvalue()


def as_markdown(table: dict[str, Any]) -> str:
    """Format a table as Markdown."""
    lines = [table["columns"], ["---"] * len(table["columns"])]
    lines += [[cell_text(cell).replace("|", r"\|") for cell in row] for row in table["rows"]]
    body = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    note = f"\n{table['note']}\n" if table["note"] else ""
    return f"# {table['title']}\n{note}\n{body}\n"


def as_latex(table: dict[str, Any]) -> str:
    """Format a table as a LaTeX tabular environment."""

    def line(cells: list[str]) -> str:
        return " & ".join("".join(_LATEX.get(sign, sign) for sign in cell) for cell in cells) + r" \\"

    columns = "l" + "r" * (len(table["columns"]) - 1)
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\hline", line(table["columns"]), r"\hline"]
    lines += [line([cell_text(cell) for cell in row]) for row in table["rows"]]
    return "\n".join([*lines, r"\hline", r"\end{tabular}", ""])


WRITERS = {"csv": as_csv, "md": as_markdown, "tex": as_latex}


def write_tables(tables: list[dict[str, Any]], folder: Any) -> None:
    """Write every table in every format."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        for suffix, write in WRITERS.items():
            write_whole(folder / f"{table['id']}.{suffix}", write(table))
