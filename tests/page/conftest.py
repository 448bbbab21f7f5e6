"""A browser, and pages to open in it."""

import csv
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.pipeline import Pipeline

from cogmap import FCMClassifier, FCMForecaster, FCMRegressor, FuzzyCognitiveMap
from cogmap.page import html
from cogmap.table import FitOptions, fit_table
from cogmap.table.preparation import TablePreparer


@pytest.fixture(scope="session")
def axe():
    """The script of axe-core, which `make test` installs if npm is available."""
    path = os.environ.get("COGMAP_AXE") or Path(sys.prefix) / "node" / "node_modules" / "axe-core" / "axe.min.js"
    if not Path(path).is_file():
        pytest.skip("axe-core is not here (`make test` installs it where npm is; COGMAP_AXE names its file)")
    return Path(path).read_text(encoding="utf-8")


def _iris():
    data = load_iris(as_frame=True)
    y = pd.Series(data.target_names[data.target], name="species")
    # A full map of three steps, which can be played.
    return FCMClassifier(structure="full", depth=3, random_state=0).fit(data.data, y), data.data, y


def _hostile():
    _, X, y = _iris()
    markup = ["<img src=x onerror=alert(1)>", '"></script><script>alert(2)</script>']
    names = [*markup, "n" * 500, "a\u202eb\nc \x07&amp;{{style}}"]
    X = X.set_axis(names, axis=1)
    y = y.replace({"setosa": "<b>" + "q" * 500})
    return FCMClassifier(structure="full", random_state=0).fit(X, y), X, y


def _tumours():
    data = load_breast_cancer(as_frame=True)
    y = pd.Series(data.target_names[data.target], name="diagnosis")
    return FCMClassifier(structure="full", random_state=0).fit(data.data, y), data.data, y


def _diabetes():
    data = load_diabetes(as_frame=True, scaled=False)
    y = data.target.rename("progression")
    return FCMRegressor(structure="full", random_state=0).fit(data.data, y), data.data, y


def _traffic():
    edges = [
        ("bicycle lanes", "cyclists", 0.6),
        ("cyclists", "cars", -0.5),
        ("cars", "noise", 0.8),
        ("cars", "cyclists", -0.4),
        ("noise", "people outside", -0.6),
        ("people outside", "small shops", 0.7),
        ("small shops", "small shops", 0.3),
    ]
    details = {"concepts": {"cars": {"x": 230, "y": 190}, "noise": {"x": 470, "y": 210, "notes": "at night"}}}
    return FuzzyCognitiveMap.from_edges(edges, slope=2.5, details=details), None, None


def _people():
    """A table with a category, a boolean, a date, a constant column and missing values."""
    draw = np.random.default_rng(0)
    n = 120
    X = pd.DataFrame(
        {
            "age": draw.integers(18, 90, n),
            "smoker": draw.choice(["yes", "no"], n),
            "ward": draw.choice(["surgery", "heart & lungs", "children's"], n),
            "temperature (°C)": np.round(draw.normal(37.2, 0.8, n), 1),
            "height": 1.75,
            "admitted": pd.date_range("2024-01-01", periods=n, freq="3D").strftime("%Y-%m-%d"),
        }
    )
    back = 0.05 * (X["age"] - 50) + 1.5 * (X["smoker"] == "yes") + (X["ward"] == "surgery") + draw.normal(0, 0.5, n) > 1
    X.loc[::17, "temperature (°C)"] = np.nan
    y = pd.Series(np.where(back, "comes back", "stays well"), name="readmission")
    return (
        Pipeline([("prepare", TablePreparer()), ("map", FCMClassifier(structure="full", random_state=0))]).fit(X, y),
        X,
        y,
    )


def _ward():
    """A small map of a raw table, with its card."""
    _, X, y = _people()
    X = X.drop(columns=["height", "admitted"])
    model = fit_table(X.assign(readmission=y), "readmission", FitOptions(structure="additive", fixed=("age",)))
    return model, X, y


def _sales():
    """A regression with a unit, from a table with decimal commas."""
    draw = np.random.default_rng(3)
    rooms, distance = draw.integers(1, 8, 150), draw.gamma(2, 4, 150)
    condition = draw.choice(["new", "old", "restored"], 150)
    prices = 60_000 * rooms - 5000 * distance + 40_000 * (condition == "new") + draw.normal(0, 20_000, 150)
    texts = [f"{value:.2f}".replace(".", ",") for value in distance]
    X = pd.DataFrame({"rooms": rooms, "distance to the nearest railway station": texts, "condition": condition})
    y = pd.Series(prices.round(), name="price")
    model = fit_table(X.assign(price=y), "price", FitOptions(structure="additive", units={"price": "€"}))
    return model, X, y


def _months():
    """A forecaster of monthly sales with a driver."""
    months = pd.period_range("2019-01", periods=72, freq="M")
    t, price = np.arange(72), np.random.default_rng(0).normal(10, 1, 72)
    values = 200 + t + 25 * np.sin(t * np.pi / 6) - 4 * price + np.random.default_rng(1).normal(size=72)
    drivers = pd.Series(price, index=months, name="price")
    return FCMForecaster().fit(pd.Series(values, index=months, name="sales"), drivers), None, None


def _turnover():
    """A forecaster of a series that grows, so that the map computes logarithms."""
    t, noise = np.arange(96), np.random.default_rng(0).normal(0, 0.05, 96)
    values = np.exp(5 + 0.02 * t + 0.3 * np.sin(t * np.pi / 6) + noise)
    months = pd.period_range("2019-01", periods=96, freq="M")
    return FCMForecaster(hidden=False).fit(pd.Series(values, index=months, name="turnover")), None, None


def _shops():
    """A forecaster of a panel of two shops."""
    series = {
        name: 50 + np.random.default_rng(seed).normal(size=40).cumsum() for seed, name in enumerate(("North", "Sea"))
    }
    return FCMForecaster(hidden=False).fit(series), None, None


_MODELS = {
    "months": _months,
    "turnover": _turnover,
    "shops": _shops,
    "ward": _ward,
    "sales": _sales,
    "iris": _iris,
    "hostile": _hostile,
    "tumours": _tumours,
    "diabetes": _diabetes,
    "people": _people,
    "traffic": _traffic,
}


class Pages:
    """Models by name, each fitted and written once, and opened in a browser on demand."""

    def __init__(self, browser, folder):
        self._browser, self._folder = browser, folder
        self._models, self._contexts, self._shared = {}, [], {}

    def model(self, name):
        """Return the model, its table and its answers."""
        if name not in self._models:
            self._models[name] = _MODELS[name]()
            (self._folder / f"{name}.html").write_text(html(*self._models[name]), encoding="utf-8")
        return self._models[name]

    def address(self, name):
        """Return where the page lies."""
        self.model(name)
        return (self._folder / f"{name}.html").as_uri()

    def open(self, name, fragment="", width=1440, stays=False, inside=True, **settings):
        """Open the page in a context of its own; what it asks for and what goes wrong is kept with it.

        The map of a model is shown with its inside, unless `inside` is false.
        """
        settings = {"viewport": {"width": width, "height": 900}, "accept_downloads": True} | settings
        context = self._browser.new_context(**settings)
        if not stays:
            self._contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.request_urls, page.problems = [], []
        page.on("request", lambda request: page.request_urls.append(request.url))
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("console", lambda message: page.problems.append(message.text))
        page.on("dialog", lambda dialog: (page.problems.append(dialog.message), dialog.dismiss()))
        self.go(page, name, fragment, inside)
        return page

    def shared(self, name):
        """Return a page as it opens, for tests that change nothing in it."""
        if name not in self._shared:
            self._shared[name] = self.open(name, stays=True)
        return self._shared[name]

    def go(self, page, name, fragment="", inside=True):
        """Open a page anew in a context that is there."""
        page.goto("about:blank")
        page.request_urls.clear()
        page.goto(self.address(name) + fragment)
        page.wait_for_selector("body[data-ready]")
        button = page.get_by_role("button", name="Show the inside")
        if inside and button.count() and button.is_visible():
            button.click()

    def close(self):
        """Close what was opened since the last time."""
        while self._contexts:
            self._contexts.pop().close()


@pytest.fixture(scope="session")
def _all_pages(browser, tmp_path_factory):
    return Pages(browser, tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def reader(_all_pages):
    """A shared page of iris."""
    return _all_pages.open("iris", width=820, stays=True)


@pytest.fixture
def pages(_all_pages):
    """Pages to open; contexts are closed after the test."""
    yield _all_pages
    _all_pages.close()


class Hands:
    """Common actions of tests in a page."""

    @staticmethod
    def set_entry(page, column, text):
        """Type a value into the box of a column."""
        page.locator(f"#value-{column}").fill(text)
        page.locator(f"#value-{column}").press("Enter")

    @staticmethod
    def bars(page):
        """Return the probabilities that the page shows."""
        return [item.split("\n")[-1] for item in page.locator("#answer .bars li").all_inner_texts()]

    @staticmethod
    def saved(page, name):
        """Return the text of a file that a button saves, and the name of the file."""
        with page.expect_download() as download:
            page.get_by_role("button", name=name, exact=True).click()
        with open(download.value.path(), encoding="utf-8", newline="") as file:
            return file.read(), download.value.suggested_filename

    @classmethod
    def row_of_page(cls, page):
        """Return what the page computes for its row, exactly: contributions by column, base values and outputs."""
        text, _ = cls.saved(page, "This row as CSV")
        _, *lines = (line for line in csv.reader(text.splitlines()) if len(line) > 1)  # a note has one cell
        shares = np.array([[float(cell) for cell in line[2:]] for line in lines])
        return shares[:-2], shares[-2], shares[-1]


@pytest.fixture
def hands():
    """Common actions of tests in a page."""
    return Hands
