"""Names of the classes of datasets whose labels are codes, for pictures."""

from cogmap.research.datasets.registry import DATASETS

_NAMES: dict[str, dict[str, str]] = {
    "iris": {"0": "setosa", "1": "versicolor", "2": "virginica"},
    "wine": {"0": "cultivar 1", "1": "cultivar 2", "2": "cultivar 3"},
    "breast_cancer": {"0": "malignant", "1": "benign"},
    "glass": {"1": "float windows", "2": "other windows", "3": "vehicle windows", "5": "containers", "6": "tableware",
              "7": "headlamps"},
    "seeds": {"1": "Kama", "2": "Rosa", "3": "Canadian"},
    "ionosphere": {"g": "good", "b": "bad"},
    "sonar": {"R": "rock", "M": "mine"},
    "blood_transfusion": {"0": "no donation", "1": "donation"},
    "heart": {"1": "no disease", "2": "disease"},
    "haberman": {"1": "survived", "2": "died"},
    "german_credit": {"1": "good", "2": "bad"},
    "diabetes": {"0": "no diabetes", "1": "diabetes"},
}  # fmt: skip


def class_name(dataset: str, label: str, coded: bool) -> str:
    """Return the name of a class; with `coded`, labels are the author's codes 0, 1, ... where the dataset has them."""
    labels = DATASETS[dataset].paper_labels
    if coded and labels and label.isdigit() and int(label) < len(labels):
        label = labels[int(label)]
    return _NAMES.get(dataset, {}).get(label, label)
