"""The summary, the tables, and the page in a real browser."""

import csv
import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from cogmap.experiments.store import ResultStore
from cogmap.report import make_summary, write_report
from cogmap.report.html import render
from cogmap.report.tables import as_csv, as_latex, as_markdown, cell_text, number

METHODS = ["fcm", "knn3", "svclin", "fcm_knn3", "fcm_svclin"]


def fake_rows(protocol="strict"):
    """Results of five methods on three datasets that look like those of a run; one method fails once."""
    rng = np.random.default_rng(0)
    for d, dataset in enumerate(["iris", "wine", "digits"]):
        for fold in range(5):
            for m, method in enumerate(METHODS):
                row = {"dataset": dataset, "protocol": protocol, "fold": fold, "method": method, "error": None,
                       "accuracy": 0.8 + 0.03 * m + 0.02 * d + 0.01 * rng.random(), "f1_macro": 0.7 + 0.01 * m,
                       "log_loss": 0.4 - 0.1 * m, "calibration_error": 0.05, "fit_seconds": 0.1}  # fmt: skip
                if method == "fcm":
                    places = {
                        "train_original": 1.0,
                        "train_transformed": 2.0,
                        "test_original": 1.0,
                        "test_transformed": 2.0,
                    }
                    row["clustering"] = {
                        score: dict(places) for score in ("davies_bouldin", "silhouette", "calinski_harabasz")
                    }
                    row["loss_curve"] = [[1, 1.0], [10, 0.5], [100, 0.1]]
                yield row


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with such results and their report."""
    path = tmp_path_factory.mktemp("report")
    with ResultStore(path, "strict", 123) as store:
        store.append(list(fake_rows()))
        store.append([{"dataset": "wine", "fold": 0, "method": "svclin", "error": "ValueError: <b>bad</b>",
                       "accuracy": None, "f1_macro": None, "fit_seconds": None, "protocol": "strict"}])  # fmt: skip
    write_report(path)
    return path


@pytest.fixture(scope="module")
def summary(folder):
    """What the report shows."""
    return json.loads((folder / "summary.json").read_text())


def table(summary, id_):
    return next(table for table in summary["tables"] if table["id"] == id_)


def test_scores_stand_beside_the_published_ones(summary):
    """Ours is the mean of the folds, the difference is ours minus theirs."""
    iris = next(row for row in table(summary, "accuracy")["rows"] if row[0] == "iris")
    ours = np.mean([row["accuracy"] for row in fake_rows() if (row["dataset"], row["method"]) == ("iris", "fcm")])
    assert iris[1]["ours"] == pytest.approx(ours)
    assert iris[1]["published"] == 0.97
    assert iris[1]["difference"] == pytest.approx(ours - 0.97)


def test_a_failed_fold_leaves_a_gap_and_is_listed(summary):
    """No mean is made of four folds, and the error is told."""
    wine = next(row for row in table(summary, "accuracy")["rows"] if row[0] == "wine")
    assert wine[3]["ours"] is None
    assert summary["errors"] == [{"dataset": "wine", "method": "svclin", "fold": 0, "error": "ValueError: <b>bad</b>"}]


def test_statistics_are_those_of_the_scores(summary):
    """The Friedman statistic in the table is SciPy's, on the datasets on which all methods went well."""
    scores = {
        method: [
            np.mean([row["accuracy"] for row in fake_rows() if (row["dataset"], row["method"]) == (dataset, method)])
            for dataset in ("iris", "digits")
        ]
        for method in METHODS[:3]
    }
    expected = stats.friedmanchisquare(*scores.values())
    row = next(
        row for row in table(summary, "omnibus")["rows"] if row[:2] == ["accuracy", "datasets"] and row[3] == "Friedman"
    )
    assert row[2] == 2
    assert row[5] == pytest.approx(expected.statistic)


def test_probabilities_are_compared_best_first(summary):
    """A method with a fold that failed has no mean."""
    assert [row[0] for row in table(summary, "probabilities")["rows"]] == ["knn3", "fcm"]
    assert table(summary, "probabilities")["rows"][1][1:] == pytest.approx([0.4, 0.05])


def test_conclusions_follow_from_the_results(summary):
    """In these results two of three clustering scores improve, and later methods are better."""
    passed = {conclusion["claim"].split()[0]: conclusion["passed"] for conclusion in summary["conclusions"]}
    assert passed == {"The": True, "Transformation": True, "A": True, "Support": True}


def test_tables_are_written_three_ways(folder):
    """CSV with full precision and the published figures, Markdown and LaTeX for reading."""
    rows = list(csv.DictReader(io.StringIO((folder / "tables" / "accuracy.csv").read_text())))
    assert float(rows[0]["fcm"]) - float(rows[0]["fcm published"]) == pytest.approx(float(rows[0]["fcm difference"]))
    assert "| iris |" in (folder / "tables" / "accuracy.md").read_text()
    assert r"\begin{tabular}" in (folder / "tables" / "accuracy.tex").read_text()


def test_numbers_are_written_to_be_read():
    """As many digits as mean something, and signs of LaTeX and Markdown escaped."""
    assert [number(value) for value in (None, 3, 0.12345, 1e-9, 1234.5678, 0.0)] == [
        "",
        "3",
        "0.123",
        "1.0e-09",
        "1234.6",
        "0.000",
    ]
    assert cell_text({"ours": 0.9, "published": 0.95, "difference": -0.05}) == "0.900 (-0.050)"
    odd = {"title": "t", "note": "", "columns": ["a_b"], "rows": [["50% & |more|"]]}
    assert r"a\_b" in as_latex(odd)
    assert r"50\% \& |more|" in as_latex(odd)
    assert r"\|more\|" in as_markdown(odd)
    assert as_csv(odd) == "a_b\n50% & |more|\n"


def test_the_same_results_give_the_same_page(folder, summary):
    """No date and no random number in figures or page."""
    again = make_summary(folder)
    assert again["tables"] == summary["tables"]
    before = (folder / "figures" / "box_accuracy.svg").read_bytes()
    write_report(folder)
    assert (folder / "figures" / "box_accuracy.svg").read_bytes() == before


@pytest.fixture(scope="module")
def browser():
    """A real browser, without a window and without a network."""
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("there is no chromium on this machine")
    flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync",
             "--disable-component-update"]  # fmt: skip
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=flags)
        yield browser
        browser.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_page_opens_from_disk_and_fits_the_screen(browser, folder, width):
    """On a phone and on a desk: nothing is asked from a network, nothing is wider than the screen, all images show."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    requests, problems = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text))
    page.goto((folder / "report.html").as_uri())
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
    assert problems == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 100)")
    assert page.evaluate("[...document.images].every(image => image.alt.length > 10)")
    links = page.evaluate("[...document.querySelectorAll('nav a')].every(a => document.querySelector(a.hash))")
    assert links
    assert page.locator("ul.conclusions li").count() == 4
    page.close()


def test_names_from_data_are_escaped(browser, folder, summary, tmp_path):
    """Markup in names and errors is shown, not run."""
    evil = "<img src=x onerror=document.title='gone'><script>document.title='gone'</script>"
    poisoned = json.loads(json.dumps(summary).replace("digits", "DIGITS"))
    poisoned["tables"][0]["rows"][0][0] = evil
    poisoned["conclusions"][0]["evidence"] = evil
    poisoned["run"]["sessions"][0]["command"] = [evil]
    page_path = Path(tmp_path) / "page.html"
    page_path.write_text(render(poisoned, folder / "figures"))
    page = browser.new_page()
    page.goto(page_path.as_uri())
    assert "gone" not in page.title()
    assert page.locator("img[src=x]").count() == 0
    assert page.get_by_text("onerror=document.title").count() >= 2
    assert page.locator("td b").count() == 0  # the error of a method has markup in it
    page.close()
