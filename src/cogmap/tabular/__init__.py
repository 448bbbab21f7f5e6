"""Maps of raw tables: trained with an honest score, asked about new rows, and described on a card."""

from cogmap.tabular.model import TableModel
from cogmap.tabular.training import Wishes, train

__all__ = ["TableModel", "Wishes", "train"]
