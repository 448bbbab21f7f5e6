"""HTML page of the report: a single file that works offline."""

import base64
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment

from cogmap._utils.files import write_whole
from cogmap.research.experiments.store import StoreError
from cogmap.research.report.figures import write_figures
from cogmap.research.report.summary import make_summary
from cogmap.research.report.tables import number, signed, write_tables


def write_report(folder: Path, data_dir: str | None = None) -> Path:
    """Write tables, figures, ``summary.json`` and ``report.html`` into a folder of results.

    Parameters
    ----------
    folder : Path
        Folder of `cogmap reproduce`.
    data_dir : str, default=None
        Folder with the data files, from which the author's published results are read.

    Returns
    -------
    Path
        The HTML page.

    See Also
    --------
    make_summary : What the report shows, as a dict.

    Examples
    --------
    >>> from pathlib import Path
    >>> from cogmap.research.report import write_report
    >>> write_report(Path("reproduction"))  # doctest: +SKIP
    PosixPath('reproduction/report.html')
    """
    try:
        summary = make_summary(folder, data_dir)
        write_tables(summary["tables"], folder / "tables")
        summary["figures"] = write_figures(summary, folder / "figures")
        write_whole(folder / "summary.json", as_text(summary))
        path = folder / "report.html"
        write_whole(path, render(summary, folder / "figures"))
    except OSError as problem:
        raise StoreError(f"The report cannot be written to {folder}: {problem.strerror or problem}.") from problem
    return path


def as_text(summary: dict[str, Any]) -> str:
    """Return the summary as JSON, one value per line except for the many points of pictures."""
    indented = json.dumps({name: value for name, value in summary.items() if name != "pictures"}, indent=1)
    pictures = json.dumps(summary["pictures"], separators=(",", ":"))
    return indented.removesuffix("\n}") + f',\n "pictures": {pictures}\n}}\n'


def render(summary: dict[str, Any], figures: Path) -> str:
    """Render the page; names that come from data are escaped."""
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"number": number, "signed": signed}
    environment.globals["image"] = lambda name: base64.b64encode((figures / f"{name}.svg").read_bytes()).decode()
    page = (files("cogmap.research.report") / "templates" / "report.html").read_text(encoding="utf-8")
    template = environment.from_string(page)
    return template.render(summary=summary, is_cell=lambda value: isinstance(value, dict))
