"""Registry of the paper's 21 datasets and their sources."""

from dataclasses import dataclass

from cogmap._utils.params import suggestion
from cogmap.exceptions import DataError


@dataclass(frozen=True)
class Dataset:
    """Description of a dataset.

    Attributes
    ----------
    name : str
        Name in this package.
    title : str
        Full title.
    n_rows, n_features, n_classes : int
        Size, with all genuine features before one-hot encoding.
    source : {"scikit-learn", "table", "olivetti", "fashion"}
        Source. All but the first are read from a data folder, or downloaded.
    paper_name : str
        Name in the paper.
    file, sha256 : str
        File name in a data folder, and its checksum.
    openml_id : int or None
        OpenML id of the dataset.
    identifiers : tuple of str
        Columns that identify a row; they are dropped.
    nominal : tuple of str
        Nominal columns.
    paper_drops : str
        First feature, which the author's loader drops by mistake, or "".
    paper_labels : tuple of str
        Labels in the order of the author's codes 0, 1, ...; empty if the labels are the codes themselves.
    paper_values : tuple of str
        Categories in the order of the author's codes; empty if the codes follow the order of first appearance.
    size : int
        Width and height to which images are resized.
    licence : str
        License of the data.

    See Also
    --------
    get_dataset : Description of a dataset by name.
    load_dataset : Its rows.

    Examples
    --------
    >>> from cogmap.research.datasets import get_dataset
    >>> wine = get_dataset("wine")
    >>> wine.n_rows, wine.n_features, wine.n_classes
    (178, 13, 3)
    """

    name: str
    title: str
    n_rows: int
    n_features: int
    n_classes: int
    source: str
    paper_name: str = ""
    file: str = ""
    sha256: str = ""
    openml_id: int | None = None
    identifiers: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    paper_drops: str = ""
    paper_labels: tuple[str, ...] = ()
    paper_values: tuple[str, ...] = ()
    size: int = 0
    licence: str = "CC BY 4.0 (UCI)"

    def __post_init__(self) -> None:
        if not self.paper_name:
            object.__setattr__(self, "paper_name", self.name)


_SQUARES = tuple(f"{row}_{column}" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right"))

_ALL = [
    Dataset("iris", "Iris", 150, 4, 3, "scikit-learn", openml_id=61),
    Dataset("wine", "Wine recognition", 178, 13, 3, "scikit-learn", openml_id=187),
    Dataset("breast_cancer", "Breast cancer Wisconsin", 569, 30, 2, "scikit-learn", "brest_cancer", openml_id=1510),
    Dataset(
        "glass", "Glass identification", 214, 9, 6, "table", file="glass.csv", openml_id=41, identifiers=("id",),
        sha256="f0679aa7ec1548e6c7ba995c71b2a8ab3de96c5ca4569feeb3551175c369061c",
    ),
    Dataset(
        "seeds", "Seeds", 210, 7, 3, "table", file="seeds.csv", openml_id=1499,
        sha256="11f3702c6c98525902cce52a6a1add38df1b67f9eab1db98cee1fb9d54b74ea0",
    ),
    Dataset(
        "ionosphere", "Ionosphere", 351, 34, 2, "table", file="ionosphere.csv", openml_id=59, paper_labels=("g", "b"),
        sha256="a9aadeed0d8bfcbbe3738de17771a11f13722a92a13c8ab12d446670a156903b",
    ),
    Dataset(
        "sonar", "Sonar, mines and rocks", 208, 60, 2, "table", file="sonar.csv", openml_id=40, paper_labels=("R", "M"),
        sha256="4f0f1d59c737f8efc3c12754360257972720397f172ee14a98892f8b41662923",
    ),
    Dataset(
        "blood_transfusion", "Blood transfusion service center", 748, 4, 2, "table", file="blood_transfusion.csv",
        openml_id=1464, sha256="4021ada64a65bf6bc093925621cac8a918f8951183de3b1805faebcdb6659dcb",
    ),
    Dataset(
        "vehicle", "Statlog vehicle silhouettes", 846, 18, 4, "table", file="vehicle.csv", openml_id=54,
        paper_drops="compactness", paper_labels=("van", "saab", "bus", "opel"),
        sha256="95e3ecee81d9c1bb502693e7c8cc4223980058962587b8b0d06b453a41e35f80",
    ),
    Dataset(
        "ecoli", "Ecoli, protein localisation", 336, 7, 8, "table", file="ecoli.csv", openml_id=39,
        identifiers=("sequence_name",), paper_drops="mcg",
        paper_labels=("cp", "im", "imS", "imL", "imU", "om", "omL", "pp"),
        sha256="1665556ef9d3da4555bd1853b34bccba05f35e6af3a901b32eb303de53abcb80",
    ),
    Dataset(
        "yeast", "Yeast, protein localisation", 1484, 8, 10, "table", file="yeast.csv", openml_id=181,
        identifiers=("sequence_name",), paper_drops="mcg",
        paper_labels=("MIT", "NUC", "CYT", "ME1", "EXC", "ME2", "ME3", "VAC", "POX", "ERL"),
        sha256="d03b3961f2f5a37e269aaa8373562cd1d98c8654177abb4fc840ef623f14b45c",
    ),
    Dataset(
        "tic_tac_toe", "Tic-tac-toe endgame", 958, 9, 2, "table", file="tic_tac_toe.csv", openml_id=50,
        nominal=_SQUARES, paper_drops="top_left", paper_labels=("positive", "negative"), paper_values=("x", "b", "o"),
        sha256="7ecd0d504119c4f8ddddcb9556a6f5b8b55c535a4120c4b32466e2674f3f49bc",
    ),
    Dataset(
        "heart", "Statlog heart", 270, 13, 2, "table", file="heart.csv", openml_id=53,
        nominal=("chest_pain_type", "resting_ecg", "thal"), paper_drops="age", paper_labels=("2", "1"),
        sha256="dabc7fcf6c44c71e625b35ad9accd8bcd58a8e2999a25f23d59e923fd0f3aae3",
    ),
    Dataset(
        "haberman", "Haberman's survival", 306, 3, 2, "table", file="haberman.csv", openml_id=43, paper_drops="age",
        paper_labels=("1", "2"), sha256="9b37e491fde2c6152eaf89e913895ef5378312f5e17440dff4233b95d2cb484c",
    ),
    Dataset(
        "german_credit", "Statlog German credit", 1000, 20, 2, "table", file="german_credit.csv", openml_id=31,
        nominal=(
            "checking_status", "credit_history", "purpose", "savings_status", "employment", "personal_status_sex",
            "other_debtors", "property", "other_installment_plans", "housing", "job", "telephone", "foreign_worker",
        ),
        paper_drops="checking_status", paper_labels=("1", "2"),
        sha256="61bd05492eee16322ec6a4efe682b9f608df7410f9c0e82450533ee9004326c4",
    ),
    Dataset(
        "diabetes", "Pima Indians diabetes", 768, 8, 2, "table", "diabets", file="diabetes.csv", openml_id=37,
        paper_drops="pregnancies", licence="none stated; withdrawn from UCI",
        sha256="d5d10555a9e99314dbf108e44738bb70555fcbb9234b89495bdb66da5265511a",
    ),
    *(
        Dataset(
            f"olivetti_faces_{size}", f"Olivetti faces, {size} x {size}", 400, size**2, 40, "olivetti", size=size,
            file="olivetti_faces.npz", openml_id=41083, licence="AT&T Laboratories Cambridge, credit required",
            sha256="1bc306c8729a0170c186c82adbabe9ca9b4f3a5bd8a01f37278c167a9f8e6404",
        )
        for size in (8, 16, 28)
    ),
    Dataset("digits", "Optical recognition of handwritten digits", 1797, 64, 10, "scikit-learn", openml_id=28),
    Dataset(
        "fashion10000", "Fashion-MNIST, 10000 images", 10_000, 784, 10, "fashion", file="fashion_mnist.npz",
        openml_id=40996, size=28, licence="MIT (Zalando SE)",
        sha256="4fe488b97f194b27d2039c8c2ec8c35d3a793ceafe2628857cb8ea4a3c2a2255",
    ),
]  # fmt: skip

DATASETS = {dataset.name: dataset for dataset in _ALL}

# Included in scikit-learn, so always available.
EMBEDDED = tuple(dataset.name for dataset in _ALL if dataset.source == "scikit-learn")


def get_dataset(name: str) -> Dataset:
    """Return the description of a dataset.

    Parameters
    ----------
    name : str
        Its name in this package or in the paper.

    Returns
    -------
    Dataset
        The description.

    See Also
    --------
    load_dataset : Rows of a dataset.

    Examples
    --------
    >>> from cogmap.research.datasets import get_dataset
    >>> get_dataset("heart").title
    'Statlog heart'
    """
    for dataset in _ALL:
        if name in (dataset.name, dataset.paper_name):
            return dataset
    hint = suggestion(name, DATASETS)
    raise DataError(f"Unknown dataset {name!r}. {hint or 'The datasets are ' + ', '.join(DATASETS) + '.'}")
