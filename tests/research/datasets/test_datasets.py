"""The registry and the loaders."""

import os
import shutil
import urllib.error
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits

from cogmap.exceptions import DataError
from cogmap.research.datasets import DATASETS, EMBEDDED, FORMS, get_dataset, load_dataset, missing_files
from cogmap.research.datasets.images import bicubic, stretched
from cogmap.research.datasets.loading import fashion_subset


@pytest.mark.parametrize("name", EMBEDDED)
def test_embedded_datasets_need_no_folder_and_no_network(name, monkeypatch):
    """Four tables come with scikit-learn, the same in both forms."""
    monkeypatch.delenv("COGMAP_DATA", raising=False)
    for form in FORMS:
        rows = load_dataset(name, form)
        assert rows.X.shape == (DATASETS[name].n_rows, DATASETS[name].n_features)
        assert len(np.unique(rows.y)) == DATASETS[name].n_classes
        assert len(rows.feature_names) == rows.X.shape[1]


def test_all_21_datasets_have_the_shapes_of_the_registry(data_dir):
    """Every file is read in both forms; identifiers are never among the features."""
    assert len(DATASETS) == 21
    for name, facts in DATASETS.items():
        if facts.source == "fashion":
            continue  # large; it has a test of its own
        uci, paper = load_dataset(name, "uci", data_dir), load_dataset(name, "paper", data_dir)
        genuine = {column.split("=")[0] for column in uci.feature_names}
        assert len(genuine) == facts.n_features
        assert not genuine & set(facts.identifiers)
        assert paper.X.shape == (facts.n_rows, facts.n_features - bool(facts.paper_drops))
        assert len(np.unique(uci.y)) == len(np.unique(paper.y)) == facts.n_classes
        assert np.isfinite(uci.X).all()


def test_paper_form_has_the_authors_codes(data_dir):
    """As his loader makes them: tic-tac-toe by a fixed table, German credit by first appearance, glass as it is."""
    squares = load_dataset("tic_tac_toe", "paper", data_dir)
    raw = [line.split(",") for line in (Path(data_dir) / "tic_tac_toe.csv").read_text().split()[1:]]
    codes = {"x": 0, "b": 1, "o": 2}
    assert np.array_equal(squares.X, [[codes[value] for value in line[1:-1]] for line in raw])
    assert squares.y[0] == 0  # positive
    credit = load_dataset("german_credit", "paper", data_dir)
    purpose = [line.split(",")[3] for line in (Path(data_dir) / "german_credit.csv").read_text().split()[1:]]
    first_seen = list(dict.fromkeys(purpose))
    assert np.array_equal(credit.X[:, credit.feature_names.index("purpose")], [first_seen.index(p) for p in purpose])
    assert sorted(set(load_dataset("glass", "paper", data_dir).y)) == [1, 2, 3, 5, 6, 7]
    assert load_dataset("heart", "paper", data_dir).y.mean() == pytest.approx(150 / 270)  # absent is 1


def test_uci_form_has_categories_as_columns_of_0_and_1(data_dir):
    """One column a category, one for two categories; numbers stay numbers."""
    heart = load_dataset("heart", "uci", data_dir)
    of_thal = [name for name in heart.feature_names if name.startswith("thal=")]
    assert len(of_thal) == 3
    columns = heart.X[:, [heart.feature_names.index(name) for name in of_thal]]
    assert np.array_equal(columns.sum(axis=1), np.ones(270))
    credit = load_dataset("german_credit", "uci", data_dir)
    assert sum(name.startswith("telephone=") for name in credit.feature_names) == 1


def test_fashion_is_read_by_its_fixed_indices(data_dir):
    """1000 images of each class, always the same."""
    rows = load_dataset("fashion10000", data_dir=data_dir)
    assert rows.X.shape == (10_000, 784)
    assert np.array_equal(np.bincount(rows.y), np.full(10, 1000))


def test_without_indices_a_thousand_of_each_class_are_chosen():
    """Each once, in their order, and not simply the first; the same at every call."""
    labels = np.random.default_rng(0).permutation(np.arange(10).repeat(1500))
    chosen = fashion_subset(labels)
    assert np.array_equal(np.bincount(labels[chosen]), np.full(10, 1000))
    assert (np.diff(chosen) > 0).all()
    assert chosen[-1] > 14_900
    assert np.array_equal(chosen, fashion_subset(labels))


def test_resizing_keeps_what_images_show():
    """Both ways shrink; bicubic keeps the scale of values, stretching uses all of 0..255."""
    images = load_digits().images.repeat(4, axis=1).repeat(4, axis=2)[:20]
    for resize, scale in ((bicubic, 1.0), (stretched, 255 / 16)):
        small = resize(images, 8)
        assert small.shape == (20, 8, 8)
        original = load_digits().images[:20]
        assert np.corrcoef(small.ravel(), scale * original.ravel())[0, 1] > 0.95
    assert stretched(images, 8).max() > 200


def test_names_of_the_paper_are_known_and_others_are_told():
    """The paper's spelling works; a slip gets a suggestion."""
    assert get_dataset("brest_cancer").name == "breast_cancer"
    with pytest.raises(DataError, match=r"Unknown dataset 'irs'. Did you mean 'iris'"):
        load_dataset("irs")
    with pytest.raises(DataError, match=r"Unknown dataset 'Tic_Tac_Toe'. Did you mean 'tic_tac_toe'"):
        load_dataset("Tic_Tac_Toe")
    with pytest.raises(DataError, match=r"Unknown dataset 'xyz'. The datasets are iris, wine"):
        load_dataset("xyz")
    with pytest.raises(ValueError, match=r"form.*'uci', 'paper'"):
        load_dataset("iris", "raw")


def test_a_damaged_file_is_told(data_dir, tmp_path):
    """The checksum shows it."""
    shutil.copy(Path(data_dir) / "seeds.csv", tmp_path)
    assert load_dataset("seeds", data_dir=tmp_path).X.shape == (210, 7)
    with (tmp_path / "seeds.csv").open("a") as file:
        file.write("\n")
    with pytest.raises(DataError, match=r"seeds.csv has an unexpected checksum.*SHA-256"):
        load_dataset("seeds", data_dir=tmp_path)


def test_a_missing_folder_and_a_missing_file_are_told(tmp_path):
    """By name."""
    with pytest.raises(DataError, match=r"data folder .*nowhere does not exist"):
        load_dataset("seeds", data_dir=tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"'seeds' is not in the data folder: the file .*seeds.csv"):
        load_dataset("seeds", data_dir=tmp_path)


def test_all_missing_files_are_known(tmp_path, monkeypatch):
    """Each once; none if there is no folder, since then they are fetched."""
    monkeypatch.delenv("COGMAP_DATA", raising=False)
    (tmp_path / "glass.csv").touch()
    names = ["iris", "glass", "seeds", "olivetti_faces_8", "olivetti_faces_16"]
    assert missing_files(names, tmp_path) == ["seeds.csv", "olivetti_faces.npz"]
    assert missing_files(names) == []


@pytest.mark.filterwarnings("ignore:A network error occurred")
@pytest.mark.filterwarnings("ignore:Retry downloading")
@pytest.mark.parametrize("name", ["seeds", "olivetti_faces_8", "fashion10000"])
def test_without_folder_and_network_both_ways_are_told(name, monkeypatch, tmp_path):
    """scikit-learn's real fetchers are called; a refused connection becomes one message with both ways out."""
    monkeypatch.delenv("COGMAP_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", os.fspath(tmp_path))

    def refuse(*args, **kwargs):
        raise urllib.error.URLError("no network here")

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", refuse)
    monkeypatch.setattr("sklearn.datasets._base.urlretrieve", refuse)
    monkeypatch.setattr("sklearn.datasets._openml.time.sleep", lambda seconds: None)
    with pytest.raises(DataError) as caught:
        load_dataset(name)
    message = str(caught.value)
    assert f"Dataset '{name}' is not available" in message
    assert "no network here" in message
    assert "--data-dir or COGMAP_DATA" in message
    assert "connect to the network" in message
