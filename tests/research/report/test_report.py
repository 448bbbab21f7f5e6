"""The summary, the tables, and the page in a real browser."""

import csv
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from cogmap import FCMClassifier
from cogmap.maps.drawing.view import graph_view
from cogmap.research.datasets import DATASETS
from cogmap.research.experiments.published import author_results
from cogmap.research.experiments.rivals import PAPER_RIVALS
from cogmap.research.experiments.store import ResultStore
from cogmap.research.experiments.tasks import CLUSTERING_SCORES
from cogmap.research.report import make_summary, write_report
from cogmap.research.report.figures import write_figures
from cogmap.research.report.html import render
from cogmap.research.report.tables import as_csv, as_latex, as_markdown, cell_text, number

METHODS = ["fcm", "knn3", "svclin", "fcm_knn3", "fcm_svclin"]


def fake_rows(datasets=("iris", "wine", "digits"), methods=METHODS):
    """Results that look like those of a run: later methods are better, and clusters too by two of three scores."""
    rng = np.random.default_rng(0)
    for d, dataset in enumerate(datasets):
        for fold in range(5):
            for m, method in enumerate(methods):
                row = {"dataset": dataset, "protocol": "strict", "seed": 123, "fold": fold, "method": method,
                       "error": None, "accuracy": 0.6 + 0.01 * m + 0.002 * d + 0.001 * rng.random(),
                       "f1_macro": 0.7 + 0.01 * m, "log_loss": 0.4 - 0.01 * m, "calibration_error": 0.05,
                       "fit_seconds": 0.1}  # fmt: skip
                if method == "fcm":
                    row["clustering"] = {score: dict(CLUSTERS) for score in CLUSTERING_SCORES}
                    row["loss_curve"] = [[1, 1.0], [10, 0.5], [100, 0.1]]
                    if fold == 0 and dataset != "wine":  # results of older versions have none
                        row["map"] = graph_view("abc", np.array([[1, 0, 0], [2, 0, 0], [-1, 0, 0]]))
                yield row


CLUSTERS = {"train_original": 1.0, "train_transformed": 2.0, "test_original": 1.0, "test_transformed": 2.0}
FAILURE = {"dataset": "wine", "fold": 0, "method": "svclin", "error": "ValueError: <b>bad</b>", "accuracy": None,
           "f1_macro": None, "fit_seconds": None, "protocol": "strict", "seed": 123}  # fmt: skip


def is_of(row, dataset, method, *folds):
    return (row["dataset"], row["method"]) == (dataset, method) and (not folds or row["fold"] in folds)


def store_rows(path, rows):
    with ResultStore(path, "strict", 123) as store:
        store.append(list(rows))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with results of which one failed and two have not been run, and their report."""
    rows = [
        row for row in fake_rows() if not is_of(row, "wine", "svclin", 0) and not is_of(row, "iris", "fcm_knn3", 3, 4)
    ]
    path = store_rows(tmp_path_factory.mktemp("report"), [*rows, FAILURE])
    write_report(path)
    return path


@pytest.fixture(scope="module")
def summary(folder):
    """Summary of a run."""
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


def test_a_fold_that_is_missing_leaves_a_gap_and_is_told(folder, summary):
    """No mean is computed without a fold or a dataset, and the reason is given: it failed, or has not been run."""
    rows = {row[0]: row for row in table(summary, "accuracy")["rows"]}
    assert rows["wine"][3]["ours"] is rows["mean"][3]["ours"] is None
    assert None not in (rows["wine"][2]["ours"], rows["mean"][2]["ours"])
    after = {row[0]: row for row in table(summary, "preprocess_accuracy")["rows"]}
    assert after["iris"][1]["ours"] is after["mean"][1]["ours"] is None
    assert "see Missing results" in table(summary, "accuracy")["note"]
    assert summary["missing"] == [
        {"dataset": "iris", "method": "fcm_knn3", "folds": [3, 4], "why": "has not been run"},
        {"dataset": "wine", "method": "svclin", "folds": [0], "why": "ValueError: <b>bad</b>"},
    ]
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "has not been run" in page
    assert "ValueError: &lt;b&gt;bad" in page


def test_without_all_folds_clusters_have_no_mean(tmp_path):
    """As scores have none."""
    rows = [row for row in fake_rows(["iris"]) if not is_of(row, "iris", "fcm", 2)]
    assert not [found for found in make_summary(store_rows(tmp_path, rows))["tables"] if found["id"] == "clustering"]


def test_statistics_are_those_of_the_scores(summary):
    """The Friedman statistic in the table is SciPy's, on the datasets on which all methods went well."""
    scores = [
        [
            np.mean([row["accuracy"] for row in fake_rows() if is_of(row, dataset, method)])
            for dataset in ("iris", "digits")
        ]
        for method in METHODS[:3]
    ]
    expected = stats.friedmanchisquare(*scores)
    row = next(
        row
        for row in table(summary, "omnibus")["rows"]
        if row[:2] == ["Accuracy", "dataset means"] and row[3] == "Friedman"
    )
    assert row[2] == 2
    assert row[5] == pytest.approx(expected.statistic)


def test_a_smaller_davies_bouldin_index_is_better(tmp_path):
    """Than the published one, and the colour says so; for the other scores a larger one is."""
    summary = make_summary(store_rows(tmp_path, fake_rows(["iris"])))
    cells = {row[1]: row[3] for row in table(summary, "clustering")["rows"]}  # training rows, transformed: 2.0 of ours
    for score, cell in cells.items():
        assert cell["better"] is ((cell["ours"] < cell["published"]) == (score == "davies bouldin"))
    assert {cells[score]["difference"] > 0 for score in ("davies bouldin", "silhouette")} == {True}
    assert cells["davies bouldin"]["better"] is False


def test_probabilities_are_compared_best_first(summary):
    """A method with a fold that failed has no mean."""
    assert [row[0] for row in table(summary, "probabilities")["rows"]] == ["knn3", "fcm"]
    assert table(summary, "probabilities")["rows"][1][1:] == pytest.approx([0.4, 0.05])


ALL = ["fcm", *PAPER_RIVALS, *(f"fcm_{name}" for name in PAPER_RIVALS)]


def verdicts(folder):
    return {claim["claim"]: claim["verdict"] for claim in make_summary(folder)["claims"]}


def claim_about(found, words):
    """Return the verdict of the one claim that has these words."""
    (claim,) = [claim for claim in found if words in claim]
    return found[claim]


def with_all_clusters_better(rows):
    """Let the third clustering score improve too; for the Davies-Bouldin index smaller is better."""
    for row in rows:
        if row["method"] == "fcm":
            row["clustering"]["davies_bouldin"] = dict(CLUSTERS, train_transformed=0.5, test_transformed=0.5)
        yield row


FIRST_GROUP = "belongs to the group of methods with the highest scores"
BEST_RANKS = "mean ranks over folds of accuracy and of F1 are best"
MEDIANS = "medians over folds"
UNANIMOUS = "all three clustering scores"
IMPROVED = "are significantly better after the map"
OVER_MAP = "only if it is svcrbf, svclin or logreg"


def test_claims_are_judged_at_the_strength_of_the_paper(tmp_path):
    """Later methods are better in these results, so the map is the worst of 13 methods, or the best."""
    worst = verdicts(store_rows(tmp_path / "worst", fake_rows(DATASETS, ALL)))
    assert len(worst) == 18
    expected = [(FIRST_GROUP, "does not hold"), (BEST_RANKS, "does not hold"), (MEDIANS, "does not hold"),
                (UNANIMOUS, "does not hold"), (IMPROVED, "holds"), (OVER_MAP, "does not hold")]  # fmt: skip
    for words, verdict in expected:
        assert claim_about(worst, words) == verdict, words
    best = [*PAPER_RIVALS, "fcm", *ALL[13:]]
    found = verdicts(store_rows(tmp_path / "best", with_all_clusters_better(fake_rows(DATASETS, best))))
    expected = [(FIRST_GROUP, "holds"), (BEST_RANKS, "holds"), (MEDIANS, "holds"), (UNANIMOUS, "holds")]
    for words, verdict in expected:
        assert claim_about(found, words) == verdict, words
    turned = [*reversed(ALL[13:]), *PAPER_RIVALS, "fcm"]
    found = verdicts(store_rows(tmp_path / "turned", fake_rows(DATASETS, turned)))
    assert claim_about(found, IMPROVED) == "does not hold"
    only_three = ["fcm_svcrbf", "fcm_svclin", "fcm_logreg"]
    order = [m for m in ALL[13:] if m not in only_three] + [*PAPER_RIVALS, "fcm", *only_three]
    found = verdicts(store_rows(tmp_path / "three", fake_rows(DATASETS, order)))
    assert claim_about(found, OVER_MAP) == "holds"


def test_figures_of_claims_are_those_of_the_scores(tmp_path):
    """The medians and the unanimous votes, computed here from the rows."""
    rows = list(fake_rows(DATASETS, ALL))
    claims = {claim["claim"]: claim for claim in make_summary(store_rows(tmp_path, rows))["claims"]}
    (medians,) = [claim["evidence"] for claim in claims.values() if MEDIANS in claim["claim"]]
    ours = np.median([row["accuracy"] for row in rows if row["method"] == "fcm"])
    best = np.median([row["accuracy"] for row in rows if row["method"] == "gmc_3d"])
    assert f"Accuracy: {ours:.3f}, the best rival {best:.3f} (gmc_3d)." in medians
    (unanimous,) = [claim["evidence"] for claim in claims.values() if UNANIMOUS in claim["claim"]]
    assert "Unanimous on 0 of 21 datasets on test rows" in unanimous


def test_claims_are_undecided_with_four_datasets(tmp_path):
    """Four datasets may agree by chance, and without all methods most claims have no evidence."""
    methods = [*PAPER_RIVALS, "fcm", *ALL[13:]]
    few = store_rows(tmp_path / "few", fake_rows(["iris", "wine", "breast_cancer", "digits"], methods))
    found = make_summary(few)["claims"]
    assert {claim["verdict"] for claim in found} == {"undecided"}
    assert sum("all 4 agree by chance with probability 0.06" in claim["evidence"] for claim in found) > 10
    some = store_rows(tmp_path / "some", fake_rows(list(DATASETS)[:12], ["fcm", "knn3", "fcm_knn3"]))
    found = make_summary(some)["claims"]
    assert sum("lack methods or datasets" in claim["evidence"] for claim in found) > 10


def test_the_nemenyi_test_is_made_on_datasets_and_on_folds(tmp_path):
    """Each with a figure and rows of the table that say on what; more blocks make a smaller critical difference."""
    path = store_rows(tmp_path, fake_rows(["iris", "wine", "digits"]))
    write_report(path)
    summary = json.loads((path / "summary.json").read_text())
    tests = summary["nemenyi"]["accuracy"]
    assert (tests["datasets"]["n_blocks"], tests["folds"]["n_blocks"]) == (3, 15)
    assert tests["folds"]["critical_difference"] < tests["datasets"]["critical_difference"]
    assert {row[1] for row in table(summary, "ranks")["rows"]} == {"dataset means", "folds"}
    titles = [figure["title"] for figure in summary["figures"]]
    assert "Critical differences, Accuracy on folds" in titles
    assert "Critical differences, Macro F1 on dataset means" in titles


def test_statistics_stand_beside_those_of_the_same_run(tmp_path, data_dir):
    """Beside the author's run those of the author's folds, beside the printed run the printed ones, else none."""
    rows = [{**row, "protocol": "author"} for row in fake_rows(["iris", "wine"])]
    with ResultStore(tmp_path / "author", "author", 123) as store:
        store.append(rows)
    summary = make_summary(tmp_path / "author", data_dir)
    published = [row[7] for row in table(summary, "omnibus")["rows"]]
    assert all(value is not None for value in published)
    file = author_results(data_dir)
    folds = [
        [file[name]["methods"][method]["test_accuracy"] for name in ("iris", "wine")]
        for method in ("fcm", "knn3", "svclin")
    ]
    expected = stats.friedmanchisquare(*np.reshape(folds, (3, -1)))
    (ours,) = [r for r in table(summary, "omnibus")["rows"] if r[:2] == ["Accuracy", "folds"] and r[3] == "Friedman"]
    assert ours[7] == pytest.approx(expected.statistic)
    strict = make_summary(store_rows(tmp_path / "strict", fake_rows(["iris", "wine"])), data_dir)
    assert {row[7] for row in table(strict, "omnibus")["rows"]} == {None}


def test_training_scores_and_notes_have_tables(tmp_path):
    """Training scores are labelled, and adaptations to small classes are listed with their folds."""
    rows = [
        {**row, "train_accuracy": 0.99, "train_f1_macro": 0.98}
        | ({"notes": ["odd"]} if row["method"] == "knn3" else {})
        for row in fake_rows(["iris", "wine"])
    ]
    summary = make_summary(store_rows(tmp_path, rows))
    assert table(summary, "train_accuracy")["rows"][0][1]["ours"] == pytest.approx(0.99)
    assert "Scores on the training rows" in table(summary, "train_f1_macro")["note"]
    assert table(summary, "notes")["rows"][0] == ["iris", "knn3", "odd", "0, 1, 2, 3, 4"]


def test_names_of_methods_are_explained(folder, summary):
    """In a table, in words; and beside the name in every other table of the page."""
    assert dict(table(summary, "methods")["rows"])["svclin"] == "support vector machine, linear kernel"
    assert set(summary["methods"]) == set(METHODS)
    assert all(len(words.split()) > 1 for words in summary["methods"].values())
    assert '<th scope="col" title="3 nearest neighbours">knn3</th>' in (folder / "report.html").read_text(
        encoding="utf-8"
    )


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
        "1,234.6",
        "0.000",
    ]
    assert cell_text({"ours": 0.9, "published": 0.95, "difference": -0.05}) == "0.900 (-0.050)"
    odd = {"title": "t", "note": "", "columns": ["a_b"], "rows": [["50% & |more|"]]}
    assert r"a\_b" in as_latex(odd)
    assert r"50\% \& |more|" in as_latex(odd)
    assert r"\|more\|" in as_markdown(odd)
    assert as_csv(odd) == "a_b\n50% & |more|\n"


def test_the_same_results_give_the_same_page(folder, tmp_path):
    """Byte by byte, in another folder and another process: no date and no random number in any file."""
    shutil.copy(folder / "results.jsonl", tmp_path)
    shutil.copy(folder / "run.json", tmp_path)
    code = "import pathlib, sys; from cogmap.research import report; report.write_report(pathlib.Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", code, tmp_path], check=True)

    def files(path):
        return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*.*") if file.is_file()}

    first, second = files(folder), files(tmp_path)
    first.pop(".lock")
    assert first.keys() == second.keys()
    assert len(first) > 40
    assert [name for name in first if first[name] != second[name]] == []


def test_the_page_is_drawn_from_the_summary_alone(folder, summary, tmp_path, monkeypatch):
    """Neither learning nor attractors are needed once there is a summary."""

    def refuse(*args, **kwargs):
        raise AssertionError("figures only draw")

    monkeypatch.setattr(FCMClassifier, "fit", refuse)
    monkeypatch.setattr("cogmap.plotting.attractors.attractors", refuse)
    described = write_figures(summary, tmp_path)
    assert described == summary["figures"]
    for file in tmp_path.glob("*.svg"):
        assert file.read_bytes() == (folder / "figures" / file.name).read_bytes()
    assert len(list(tmp_path.glob("*.svg"))) == len(list((folder / "figures").glob("*.svg"))) > 10


def test_there_is_a_map_per_dataset(folder, summary):
    """Of those whose results hold one, as a figure of its own, from what the task of the first fold has kept."""
    shown = [figure["title"] for figure in summary["figures"] if figure["id"].startswith("map_")]
    assert shown == ["The map of iris", "The map of digits"]
    assert summary["pictures"]["maps"]["iris"]["names"] == ["a", "b", "c"]
    assert (folder / "figures" / "map_iris.svg").is_file()
    assert "The map of digits" in (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [390, 1280])
def test_page_opens_from_disk_and_fits_the_screen(browser, folder, width):
    """On a phone and on a desktop: no requests, nothing wider than the screen, and all images load."""
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
    assert page.locator("ul.claims li").count() == 18
    page.close()


def test_what_does_not_fit_says_so_and_panels_are_large_enough(browser, folder):
    """On a phone a wide table has a hint and keeps its first column; panels stand one below the other."""
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto((folder / "report.html").as_uri())
    cut = page.evaluate(
        "[...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth + 1).length"
    )
    silent = page.evaluate(
        "[...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth + 1 && "
        "!(box.previousElementSibling?.matches('.hint') && box.previousElementSibling.offsetHeight > 0)).length"
    )
    assert cut > 5
    assert silent == 0
    box = page.locator("#accuracy .scroll")
    box.evaluate("box => box.scrollLeft = 200")
    first = page.locator("#accuracy tbody td").first.bounding_box()
    assert first["x"] == pytest.approx(box.bounding_box()["x"], abs=1)
    panels = [image.bounding_box() for image in page.locator("#attractors img").all()]
    assert len(panels) == 3
    assert all(panel["width"] > 300 for panel in panels)
    assert len({round(panel["x"]) for panel in panels}) == 1
    page.close()


def test_colours_follow_what_is_better(browser, tmp_path):
    """Green is better than the published figure, in a table where smaller is better too."""
    write_report(store_rows(tmp_path, fake_rows(["iris"])))
    page = browser.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    rows = page.locator("#clustering tbody tr").all()
    seen = {row.locator("td").nth(1).inner_text(): row.locator("td").nth(3).locator("small") for row in rows}
    assert seen["davies bouldin"].get_attribute("class") == "down"
    assert "+" in seen["davies bouldin"].inner_text()
    assert seen["silhouette"].get_attribute("class") == "up"
    page.close()


def test_names_from_data_are_escaped(browser, folder, summary, tmp_path):
    """Markup in names and errors is shown, not run."""
    evil = "<img src=x onerror=document.title='gone'><script>document.title='gone'</script>"
    poisoned = json.loads(json.dumps(summary))
    poisoned["tables"][0]["rows"][0][0] = evil
    poisoned["claims"][0]["evidence"] = evil
    poisoned["run"]["sessions"][0]["command"] = [evil]
    page_path = Path(tmp_path) / "page.html"
    page_path.write_text(render(poisoned, folder / "figures"), encoding="utf-8")
    page = browser.new_page()
    page.goto(page_path.as_uri())
    assert "gone" not in page.title()
    assert page.locator("img[src=x]").count() == 0
    assert page.get_by_text("onerror=document.title").count() >= 2
    assert page.locator("td b").count() == 0  # the error of a method has markup in it
    page.close()
