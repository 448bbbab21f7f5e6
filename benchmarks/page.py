"""The page in a real browser: size, time to open, response time, requests, arithmetic.

``python -m benchmarks.page`` prints all measurements with their targets. It needs playwright and chromium. CPU time is
printed as well, because on a shared machine the page may wait for the processor.
"""

import json
import shutil
import statistics
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine, make_classification

from benchmarks.timing import print_table
from cogmap import FCMClassifier, FCMRegressor, FuzzyCognitiveMap, explain, page
from cogmap.models.encoding import Encoding, FeatureSpread
from cogmap.models.features import FeatureStatistics
from cogmap.models.links import LogOddsLink
from cogmap.models.model import MapModel
from cogmap.page.assemble import bundle, packed
from cogmap.page.payload import make_payload
from cogmap.page.subject import page_subject
from cogmap.page.unused import influential_features

MOVES, OPENINGS, ROUNDS = 200, 11, 3
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]

# Time at which the page reported that it was ready, since navigation.
WATCH = """new MutationObserver(() => {
  if (document.body?.dataset.ready !== undefined && window.ready === undefined) window.ready = performance.now();
}).observe(document, { attributes: true, childList: true, subtree: true });"""

# Moves the next slider and waits until the document is updated and laid out.
MOVE = """(moves) => {
  const sliders = [...document.querySelectorAll("#values input[type=range]")];
  return Array.from({ length: moves }, (_, k) => {
    const slider = sliders[k % sliders.length];
    const start = performance.now();
    slider.value = Number(slider.min) + (Number(slider.max) - Number(slider.min)) * ((k * 0.618) % 1);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    document.body.getBoundingClientRect();
    return performance.now() - start;
  });
}"""

COMPUTE = """async ({ payload, rows }) => {
  const model = engine.openModel(await engine.unpacked(payload));
  return rows.map((row) => {
    const { states, outputs } = engine.run(model, row);
    const { values } = engine.contributions(model, row);
    return { states: states.map((each) => [...each]), outputs: [...outputs], values: values.map((each) => [...each]) };
  });
}"""


def breast_cancer():
    """Return a page of 30 measured features, 500 of 569 rows shown."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return page.html(FCMClassifier(structure="full", random_state=0).fit(X, y), X, y)


def of_noise():
    """Return a page of 30 features with full-precision values and 500 rows."""
    X, y = make_classification(500, 30, random_state=0)
    return page.html(FCMClassifier(structure="full", random_state=0).fit(X, y), X, y)


def of_concepts(n_concepts, n_classes, **parameters):
    """Return a page of a dense map with the given number of concepts."""
    n_outputs = 1 if n_classes == 2 else n_classes
    n_features = n_concepts - 16 - n_outputs
    X, y = make_classification(1000, n_features, n_informative=20, n_classes=n_classes, random_state=0)
    fcm = FCMClassifier(n_hidden=16, terms=None, random_state=0, **parameters).fit(X.round(3), y)
    assert fcm.map_.n_concepts == n_concepts
    return page.html(fcm, X.round(3), y)


def dense(n_concepts):
    """Return a page of a model in which every concept influences every other."""
    random = np.random.default_rng(0)
    X = random.normal(size=(500, n_concepts - 1)).round(3)
    encoding = Encoding(n_concepts - 1, scaling=FeatureSpread(FeatureStatistics.of(X)))
    fcm = FuzzyCognitiveMap(random.normal(size=(n_concepts, n_concepts)) / n_concepts)
    return page.html(MapModel(fcm, 2, encoding, LogOddsLink(np.array(["no", "yes"]))), X)


def by_hand(n_concepts):
    """Return a page of a handmade map with 10 % of all edges."""
    random = np.random.default_rng(0)
    weights = random.uniform(-1, 1, (n_concepts, n_concepts)) * (random.random((n_concepts, n_concepts)) < 0.1)
    return page.html(FuzzyCognitiveMap(weights))


def sizes():
    """Print the sizes of pages."""
    rows = [
        ["breast cancer", "200 kB", f"{len(breast_cancer().encode()) / 1000:.0f} kB"],
        ["noise with all digits", "", f"{len(of_noise().encode()) / 1000:.0f} kB"],
    ]
    print_table("Size: 30 features and 500 rows", ["", "target", "measured"], rows)


class Processor:
    """CPU time of a tab in ms."""

    def __init__(self, tab):
        self._session = tab.context.new_cdp_session(tab)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def time(self):
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        return 1000.0 * next(metric["value"] for metric in metrics if metric["name"] == "ThreadTime")


def opened_in(browser, folder, text):
    """Open a page from a file; return it, its requests and its CPU time."""
    file = Path(folder) / "page.html"
    file.write_text(text, encoding="utf-8")
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    urls = []
    processor = Processor(tab)
    before = processor.time()
    tab.on("request", lambda request: urls.append(request.url))
    tab.add_init_script(WATCH)
    tab.goto(file.as_uri())
    tab.wait_for_selector("body[data-ready]", timeout=60_000)
    return tab, urls, processor.time() - before


def opening(browser, folder):
    """Print the time from navigation to a usable page, and its requests."""
    rows = []
    pages = (("breast cancer", breast_cancer(), "300 ms"), ("1,000 concepts, dense", dense(1000), ""))
    for name, text, target in pages:
        times, worked, requests = [], [], 0
        for _ in range(OPENINGS):
            tab, urls, processor_time = opened_in(browser, folder, text)
            times.append(tab.evaluate("window.ready"))
            worked.append(processor_time)
            requests += len(urls) - 1  # the file itself
            tab.close()
        values = [statistics.median(times), min(times), statistics.median(worked)]
        rows.append([name, target, *(f"{value:.0f} ms" for value in values), "0", requests])
    header = ["", "target", "median", "best", "CPU time", "target requests", "requests"]
    print_table(f"Open to usable, {OPENINGS} times", header, rows)


def moving(browser, folder):
    """Print the response time of a slider."""
    pages = {
        "two classes": (of_concepts(100, 2), "16 ms"),
        "four classes": (of_concepts(100, 4), "16 ms"),
        "four classes, five steps": (of_concepts(100, 4, depth=5), ""),
        "by hand": (by_hand(100), "16 ms"),
    }
    rows = []
    for name, (text, target) in pages.items():
        tab, _, _ = opened_in(browser, folder, text)
        tab.evaluate(MOVE, 20)
        processor = Processor(tab)
        before = processor.time()
        medians = [statistics.median(tab.evaluate(MOVE, MOVES)) for _ in range(ROUNDS)]
        worked = (processor.time() - before) / (ROUNDS * MOVES)
        rows.append([name, target, *(f"{value:.1f} ms" for value in (min(medians), max(medians), worked))])
        tab.close()
    header = ["", "target", f"best of {ROUNDS} rounds", "worst", "CPU time, mean"]
    print_table(f"Response time of a slider at 100 concepts, median of {MOVES} moves", header, rows)


def arithmetic(browser):
    """Print the largest difference between the page and Python on 100 rows, some with missing values."""
    tables = {
        "two classes": (FCMClassifier(structure="full", random_state=0), load_breast_cancer),
        "three classes": (FCMClassifier(structure="full", random_state=0), load_wine),
        "words": (FCMClassifier(structure="full", terms=3, random_state=0), load_wine),
        "values": (FCMRegressor(structure="full", random_state=0), load_diabetes),
    }
    names = ["openModel", "unpacked", "run", "contributions"]
    tab = browser.new_page()
    tab.add_script_tag(type="module", content=bundle("engine.js") + f"\nwindow.engine = {{ {', '.join(names)} }};")
    tab.wait_for_function("window.engine !== undefined")  # a module runs later
    rows = []
    for name, (estimator, load) in tables.items():
        X, y = load(return_X_y=True)
        model = estimator.fit(X, y).model_
        sample = X[:100].copy()
        sample[::5, 1] = np.nan
        used = influential_features(model)  # the page has no others
        json_rows = [[None if np.isnan(value) else value for value in row] for row in sample[:, used].tolist()]
        payload = packed(json.dumps(make_payload(page_subject("page", model, X, y))))
        computed = tab.evaluate(COMPUTE, {"payload": payload, "rows": json_rows})
        explained, unit = explain(model, sample), getattr(model.link, "deviation", 1.0)
        apart = [
            np.abs(np.array([row["states"] for row in computed]) - model.trajectory(sample).transpose(1, 0, 2)),
            np.abs(np.array([row["outputs"] for row in computed]) - explained.outputs) / unit,
            np.abs(np.array([row["values"] for row in computed]) - explained.contributions[:, used]) / unit,
        ]
        rows.append([name, "1e-9", *(f"{values.max():.0e}" for values in apart)])
    header = ["", "target", "states", "outputs", "contributions"]
    print_table("The page's numbers against Python's: largest difference on 100 rows", header, rows)
    tab.close()


def main():
    """Print all tables."""
    sizes()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        opening(browser, folder)
        moving(browser, folder)
        arithmetic(browser)
        browser.close()


if __name__ == "__main__":
    main()
