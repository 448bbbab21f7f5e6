"""The paper's 21 datasets.

>>> from cogmap.research.datasets import DATASETS, EMBEDDED, load_dataset
>>> len(DATASETS), EMBEDDED
(21, ('iris', 'wine', 'breast_cancer', 'digits'))
"""

from cogmap.research.datasets.loading import FORMS, LoadedDataset, load_dataset, missing_files
from cogmap.research.datasets.registry import DATASETS, EMBEDDED, Dataset, get_dataset

__all__ = ["DATASETS", "EMBEDDED", "FORMS", "Dataset", "LoadedDataset", "get_dataset", "load_dataset", "missing_files"]
