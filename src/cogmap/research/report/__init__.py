"""Report on a folder of results: tables, figures and a self-contained HTML page."""

from cogmap.research.report.html import write_report
from cogmap.research.report.summary import make_summary

__all__ = ["make_summary", "write_report"]
