"""Writing the page: its contents, its omissions, and errors."""

import base64
import json
import re
import zlib
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from cogmap import FCMClassifier, FCMForecaster, FCMRegressor, FuzzyCognitiveMap, TablePreparer, fit_table, page
from cogmap.exceptions import DataError, ParameterError
from cogmap.models.encoding import Encoding, FeatureSpread
from cogmap.models.features import FeatureStatistics
from cogmap.models.links import LogOddsLink
from cogmap.models.model import MapModel
from cogmap.page.sample import by_class, by_value, rows_shown
from cogmap.page.subject import page_subject
from cogmap.table import FitOptions

X, y = load_iris(return_X_y=True)
IMG = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def iris_map():
    """A small classifier, fitted quickly."""
    return FCMClassifier(n_teachers=0, random_state=0).fit(X, y)


def unpacked(text, part="payload"):
    """Return the decompressed payload or script of a page."""
    content = zlib.decompress(base64.b64decode(re.search(rf'id="{part}">([^<]*)</script>', text)[1]))
    return json.loads(content) if part == "payload" else content.decode()


def test_page_is_written_to_the_path(iris_map, tmp_path):
    """One file with the text of `html`; estimators write it too."""
    file = page.write(iris_map, X, y, tmp_path / "map.html")
    assert file.read_text(encoding="utf-8") == page.html(iris_map, X, y)
    assert iris_map.explore(X, y, tmp_path / "map.html") == file
    assert [each.name for each in tmp_path.iterdir()] == ["map.html"]


def test_numbers_of_the_map_are_bitwise_equal(iris_map):
    """Weights, biases and rows survive the round trip."""
    payload = unpacked(page.html(iris_map, X, y))
    weights = np.frombuffer(base64.b64decode(payload["weights"]), "<f8")
    assert np.array_equal(weights, iris_map.map_.weights.ravel())
    assert np.array_equal(payload["bias"], iris_map.map_.bias)
    assert np.array_equal(np.array(payload["sample"]["columns"]).T, X[payload["sample"]["numbers"]])
    assert payload["sample"]["answers"] == y[payload["sample"]["numbers"]].tolist()


def test_sparse_weights_are_listed_without_zeros():
    """The size of a sparse hand-made map depends on its edges only."""
    weights = np.zeros((100, 100))
    weights[3, 7] = 0.1
    payload = unpacked(page.html(FuzzyCognitiveMap(weights)))
    assert payload["weights"][3] == [[7, 0.1]]
    assert sum(map(len, payload["weights"])) == 1


def test_policy_allows_only_the_content_of_the_file(iris_map):
    """Nothing may be loaded, and only our scripts and style are allowed."""
    text = page.html(iris_map, X, y)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src &#x27;none&#x27;;")
    assert "unsafe" not in policy
    assert len(re.findall("sha256-", policy)) == 3
    assert not re.search(r"""(src|href|url)\s*[=(]\s*["']?(https?:)?//""", text + unpacked(text, "script"))


@pytest.mark.parametrize("name", [IMG, "</script><script>alert(1)</script>", "'\"&{{payload}}", "x" * 500])
def test_names_are_text_never_markup(name, tmp_path):
    """Names of columns, classes and targets never create markup, and are preserved."""
    table = pd.DataFrame(X, columns=[name, "b", "c", "d"])
    labels = pd.Series(np.where(y == 0, name, "other"), name=name)
    estimator = FCMClassifier(n_teachers=0, random_state=0).fit(table, labels)
    estimator.explore(table, labels, tmp_path / "map.html")
    text = (tmp_path / "map.html").read_text(encoding="utf-8")
    payload = unpacked(text)
    assert payload["columns"][0]["name"] == name
    assert name in payload["outputs"]
    assert payload["concepts"][0] == name
    assert markup(text) == markup(page.html(FuzzyCognitiveMap([[0.0]])))


def test_names_with_lone_surrogates_are_preserved():
    """UTF-8 cannot encode them, so they are escaped."""
    assert unpacked(page.html(FuzzyCognitiveMap([[0.0]], concepts=["a\ud800"])))["concepts"] == ["a\ud800"]


def markup(text):
    """Return the elements of a page, without the policy, whose hashes are of the style and scripts."""
    parsed = Elements()
    parsed.feed(text)
    return parsed.elements


class Elements(HTMLParser):
    """Collect the elements that a browser would see."""

    def __init__(self):
        super().__init__()
        self.elements = []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, attributes))


def test_rows_shown_are_stratified_and_their_number_is_stated():
    """Of many rows 500 are shown, stratified by class, including a rare one."""
    labels = np.array([0] * 1900 + [1] * 95 + [2] * 5)
    table = np.random.default_rng(0).normal(size=(2000, 3)) + labels[:, None]
    payload = unpacked(page.html(FCMClassifier(n_teachers=0, random_state=0).fit(table, labels), table, labels))
    counts = np.bincount(payload["sample"]["answers"])
    assert counts.sum() == 500
    assert np.abs(counts - [475, 23.75, 1.25]).max() < 1
    assert payload["notes"][0] == "500 of 2,000 rows are shown, drawn so that each class keeps its share."


@pytest.mark.parametrize("n_shown", [1, 2, 3, 7, 50])
def test_every_class_is_in_the_sample_if_possible(n_shown):
    """The sample has the requested size, no row twice, and a row of every class if possible."""
    codes = np.array([0] * 90 + [3] * 8 + [-1] * 2)
    chosen = by_class(codes, n_shown)
    assert len(set(chosen.tolist())) == len(chosen) == n_shown
    assert len(set(codes[chosen])) == min(n_shown, 3)


def test_rows_of_values_cover_their_range():
    """Rows are taken at even distances in the order of the values."""
    values = np.random.default_rng(0).normal(size=1000) ** 3
    ranks = np.argsort(np.argsort(values))[by_value(values, 100)]
    assert np.abs(np.sort(ranks) - np.arange(5, 1000, 10)).max() == 0


def test_pages_of_many_columns_show_fewer_rows():
    """The number of values is limited, so that the page stays small."""
    assert [rows_shown(10_000, n) for n in (4, 30, 1000, 10**6)] == [500, 500, 20, 10]
    assert rows_shown(7, 4) == 7


def test_omissions_of_a_thousand_features_are_stated():
    """Concepts and rows are omitted, and notes state it; the map itself is complete."""
    random = np.random.default_rng(0)
    table = random.normal(size=(60, 1000))
    encoding = Encoding(1000, scaling=FeatureSpread(FeatureStatistics.of(table)))
    fcm = FuzzyCognitiveMap(random.normal(size=(1001, 1001)))
    payload = unpacked(page.html(MapModel(fcm, 2, encoding, LogOddsLink(np.array([0, 1]))), table))
    rows, concepts, drawn = payload["notes"]
    assert rows == "20 of 60 rows are shown, drawn so that each class keeps its share."
    assert re.match(r"The picture leaves out \d+ of 1,001 concepts", concepts)
    assert re.search(r"Drawn influences alone reproduce its decisions with an R² (of|below)", drawn)
    assert len(payload["columns"]) == 1000
    assert len(payload["graph"]["boxes"]) + payload["graph"]["left_out"] == 1001


def test_constant_and_always_missing_features_are_named():
    """A constant feature is shown, has a range of one value, and is named in a note."""
    table = np.column_stack([X, np.full(len(X), 3.0), np.full(len(X), np.nan)])
    estimator = FCMClassifier(n_teachers=0, random_state=0).fit(table, y)
    payload = unpacked(page.html(estimator, table, y))
    assert [(column["low"], column["high"]) for column in payload["columns"][4:]] == [(3, 3), (0, 0)]
    assert payload["notes"][-1] == "Constant in the training data, so the effect of other values is unknown: x4, x5."


def test_gaps_are_kept_as_gaps(iris_map):
    """Missing values are null, and the columns state that values may be missing."""
    table = X.copy()
    table[5] = np.nan
    payload = unpacked(page.html(iris_map, table, y))
    assert all(column[5] is None for column in payload["sample"]["columns"])
    assert all(column["missing"] for column in payload["columns"])


def test_a_model_without_rows_has_a_page(iris_map):
    """Ranges are those of the scaling."""
    payload = unpacked(page.html(iris_map.model_))
    assert payload["sample"]["numbers"] == []
    assert [column["low"] for column in payload["columns"]] == X.min(axis=0).tolist()
    assert [column["high"] for column in payload["columns"]] == X.max(axis=0).tolist()


def test_answers_of_unknown_classes_do_not_count(iris_map):
    """A label unknown to the map is null."""
    payload = unpacked(page.html(iris_map, X[:3], [0, 9, 1]))
    assert payload["sample"]["answers"] == [0, None, 1]


def test_rows_of_a_forecaster_are_the_steps_of_its_forecast():
    """Drivers, whose future a page does not know, keep their last values, as in the forecast that it draws."""
    rng = np.random.default_rng(0)
    driver = rng.normal(size=80)
    series = 100 + np.arange(80) + 5 * driver + rng.normal(size=80)
    forecaster = FCMForecaster(hidden=False).fit(series, driver)
    subject = page_subject("page.write", forecaster, None, None)
    expected = forecaster.forecast(drivers=np.repeat(driver[-1], forecaster.horizon_))
    values = forecaster.sequence_.ends[0].transforms[0].restored(subject.model.outputs(subject.table)[:, 0])
    np.testing.assert_allclose(values, expected.values[:, 0])


def test_answers_of_raw_tables_are_read_as_by_the_fit():
    """The classes of a table are texts, also of a column of numbers."""
    table = pd.DataFrame({"length": X[:, 0], "width": X[:, 3], "kind": y + 1})
    model = fit_table(table, "kind", FitOptions(time_limit=1e-9))
    payload = unpacked(page.html(model, table.drop(columns="kind"), table["kind"]))
    assert payload["sample"]["answers"] == y[payload["sample"]["numbers"]].tolist()


def test_several_targets_and_gaps_in_them():
    """A data frame of targets, one of which is called "name"; rows with a missing target are null."""
    targets = pd.DataFrame({"name": X[:, 0], "width": X[:, 3]})
    estimator = FCMRegressor(n_teachers=0, random_state=0).fit(X, targets)
    payload = unpacked(page.html(estimator, X, targets.mask(targets["name"] > 7.0)))
    assert payload["outputs"] == ["name", "width"]
    assert payload["target"] == ""
    gaps = [answer is None for answer in payload["sample"]["answers"]]
    assert gaps == (X[:, 0] > 7.0).tolist()


def test_layout_is_that_of_the_drawn_map():
    """Boxes have the positions of the drawn map, and its edges are drawn initially."""
    fcm = FuzzyCognitiveMap.from_edges([("a", "b", 0.5), ("b", "c", -0.3), ("c", "a", 1.0), ("b", "b", 0.2)])
    payload = unpacked(page.html(fcm))
    boxes = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)"', fcm._repr_html_())
    assert sorted((float(x), float(y)) for x, y in boxes) == sorted((b["x"], b["y"]) for b in payload["graph"]["boxes"])
    assert {(edge["source"], edge["target"]) for edge in payload["edges"] if edge["drawn"]} == {(0, 1), (1, 2), (2, 0)}


UNWRITABLE = {
    "a folder": lambda folder: folder,
    "in no folder": lambda folder: folder / "none" / "map.html",
    "in a file": lambda folder: folder / "file" / "map.html",
    "a name that is too long": lambda folder: folder / ("x" * 300 + ".html"),
}


@pytest.mark.parametrize("where", UNWRITABLE)
def test_unwritable_paths_are_rejected_in_one_line(iris_map, tmp_path, where):
    """The error names the file and the reason, and nothing is left behind."""
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match=r"^The page cannot be written to .*\.$"):
        page.write(iris_map, X, y, UNWRITABLE[where](tmp_path))
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


unfitted = FCMClassifier()
BAD_INPUT = [
    (lambda m: (m, X, y), ParameterError, "path"),
    (lambda m: (m, X, y, ""), ParameterError, "path"),
    (lambda m: (m, X, y, 5), ParameterError, "path"),
    (lambda m: (m, X, y, "a\0b"), ParameterError, "path"),
    (lambda m: (unfitted, X, y, "map.html"), NotFittedError, "not fitted"),
    (lambda m: (unfitted, None, None, "map.html"), NotFittedError, "not fitted"),
    (lambda m: (make_pipeline(TablePreparer(), unfitted), X, y, "map.html"), NotFittedError, "not fitted"),
    (lambda m: (FCMClassifier, X, y, "map.html"), ParameterError, "call FCMClassifier"),
    (lambda m: (make_pipeline(StandardScaler(), m), X, y, "map.html"), ParameterError, "last step"),
    (lambda m: (StandardScaler(), X, y, "map.html"), ParameterError, "fitted estimator"),
    (lambda m: (None, None, None, "map.html"), ParameterError, "fitted estimator"),
    (lambda m: (m, X[:, :3], y, "map.html"), ValueError, "expecting 4 features"),
    (lambda m: (m, X[:0], y[:0], "map.html"), ValueError, "0 sample"),
    (lambda m: (m, X, y[:9], "map.html"), ParameterError, "150"),
    (lambda m: (m, X, 1, "map.html"), ParameterError, "150"),
    (lambda m: (m, X, np.column_stack([y, y]), "map.html"), ParameterError, "one class per row"),
    (lambda m: (m, X, y.astype(str), "map.html"), ParameterError, r"classes of the map \(0, 1, 2\)"),
    (lambda m: (m, None, y, "map.html"), ParameterError, "None if X is None"),
    (lambda m: (m, X * np.inf, y, "map.html"), ValueError, "infinity"),
    (lambda m: (m, [["a"] * 4], None, "map.html"), DataError, "text"),
    (lambda m: (m.map_, X, None, "map.html"), ParameterError, "no rows"),
    (lambda m: (FuzzyCognitiveMap([[1e200]]), None, None, "map.html"), ParameterError, "at most 1e"),
    (lambda m: (FuzzyCognitiveMap(np.eye(2001)), None, None, "map.html"), ParameterError, "at most 2,000 concepts"),
]


@pytest.mark.parametrize(("arguments", "kind", "words"), BAD_INPUT)
def test_invalid_arguments_are_rejected(iris_map, tmp_path, monkeypatch, arguments, kind, words):
    """The error is one line, and no file is written."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=words) as error:
        page.write(*arguments(iris_map))
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []
