"""The report: from a folder of results to tables, figures and one self-contained page."""

from cogmap.research.report.html import write_report
from cogmap.research.report.summary import make_summary

__all__ = ["make_summary", "write_report"]
