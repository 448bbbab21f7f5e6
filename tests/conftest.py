"""What several tests need."""

import gc
import json
import os
import shutil
import signal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from cogmap._learning.losses import LogLoss, SoftmaxCrossEntropy, SquaredLoss
from cogmap.maps.map import FuzzyCognitiveMap
from cogmap.models.encoding import Encoding, FeatureSpread
from cogmap.models.features import FeatureStatistics
from cogmap.models.links import LogOddsLink, SoftmaxLink, ValueLink
from cogmap.models.logarithms import Logarithms
from cogmap.models.model import MapModel
from cogmap.models.terms import Terms

# Without a limit of time for an example: a machine that also does other work fails no test.
settings.register_profile("cogmap", deadline=None)
settings.load_profile("cogmap")

# Under nohup, or in the background of a script, signals are ignored, and so they would be by commands that tests start.
for name, handler in {"SIGINT": signal.default_int_handler, "SIGHUP": lambda *_: None}.items():
    if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is signal.SIG_IGN:
        signal.signal(getattr(signal, name), handler)


def pytest_collection_finish():
    """Let the garbage collector skip what was collected: Hypothesis runs it often, and 9,000 tests are many objects."""
    gc.freeze()


@pytest.fixture(scope="session")
def iris():
    """Iris, as arrays."""
    return load_iris(return_X_y=True)


@pytest.fixture(scope="session")
def wine():
    """Wine, as arrays."""
    return load_wine(return_X_y=True)


@pytest.fixture(scope="session")
def breast_cancer():
    """Breast cancer, as arrays."""
    return load_breast_cancer(return_X_y=True)


@pytest.fixture(scope="session")
def named_model():
    """Return a function that makes a small named map: held features, two named hidden concepts, unused columns."""

    def make(kind="softmax", depth=3, used=(0, 2, 3), features=None, inputs="features"):
        link = {
            "log odds": LogOddsLink(np.array(["no", "yes"])),
            "softmax": SoftmaxLink(np.array(["no", "yes", "unknown"]), 4.0),
            "values": ValueLink(("height", "weight"), np.array([1.0, -5.0]), np.array([3.0, 40.0]), False),
        }[kind]
        known = FeatureStatistics(
            weight=np.ones(5),
            mean=np.array([1.0, -2.0, 0.5, 3.0, 0.0]),
            deviation=np.array([2.0, 0.7, 1.0, 1.0, 1.0]),
            low=np.array([-5.0, -4.0, -3.0, 0.0, -3.0]),
            high=np.array([7.0, 0.0, 4.0, 6.0, 3.0]),
        )
        held = [name for place, name in ((0, "age"), (2, "glucose"), (3, "insulin")) if place in used]
        words = logarithms = None
        if inputs == "logarithms":  # of an unused column and of glucose, some of whose values lie below the origin
            bent, unit = np.array([False, True, True, False, False]), np.array([1.0, 0.3, 0.5, 1.0, 1.0])
            origin = np.array([0.0, -4.0, 0.1, 0.0, 0.0])
            mean, deviation = np.array([1.0, 1.4, 0.7, 3.0, 0.0]), np.array([2.0, 0.5, 0.6, 1.0, 1.0])
            logarithms = Logarithms(bent, origin, unit, mean, deviation)
        if inputs == "terms":  # of the three terms of glucose only the last is a concept
            peaks, none = np.array([-0.5, 0.5, 1.5]), (None, None)
            words = Terms((*none, peaks, *none), ((), (), ("low", "medium", "high"), (), ()))
            used, held = (0, 4, 5), ["age", "glucose is high", "insulin"]
        names = [*held, "glucose > 126 and age < 40", "not insulin", *link.names]
        rng = np.random.default_rng(0)
        W = rng.normal(size=(len(names), len(names))) * (rng.random((len(names), len(names))) < 0.8)
        W[: len(held)] = 0.0
        fcm = FuzzyCognitiveMap(W, rng.normal(size=len(names)), rng.uniform(1.0, 3.0, len(names)), names, held=held)
        encoding = Encoding(5, 2, FeatureSpread(known, logarithms), words, list(used), features)
        return MapModel(fcm, depth, encoding, link)

    return make


@pytest.fixture
def named_rows():
    """Return rows for `named_model`, some with missing or extreme values."""
    rows = np.random.default_rng(1).normal([1.0, -2.0, 0.5, 3.0, 0.0], [2.0, 0.7, 1.0, 1.0, 1.0], size=(9, 5))
    rows[2, 1], rows[3, 2], rows[4] = np.nan, np.nan, [9.0, -9.0, 9.0, 9.0, 9.0]
    return rows


@pytest.fixture(scope="session")
def data_dir():
    """A folder with the paper's data, from COGMAP_DATA or beside the repository; tests that need it skip without."""
    folder = os.environ.get("COGMAP_DATA") or Path(__file__).parents[2] / "shared" / "datasets"
    if not Path(folder).is_dir():
        pytest.skip("the folder with the paper's data is not here (COGMAP_DATA names it)")
    return os.fspath(folder)


@pytest.fixture(scope="session")
def reference():
    """Losses, gradients and trajectories computed by TensorFlow's GradientTape."""
    return json.loads((Path(__file__).parent / "data" / "gradients.json").read_text())["cases"]


def make_loss(output, n_outputs, gain=1.0):
    """Return the loss for a kind of output."""
    if output == "single":
        return LogLoss()
    if output == "values":
        return SquaredLoss(n_outputs)
    return SoftmaxCrossEntropy(n_outputs, gain)


@pytest.fixture(scope="session")
def random_problem():
    """Return a function that makes a random problem for the objective: arguments, weights and bias."""

    def make(
        seed=0,
        n_rows=7,
        n_features=4,
        n_hidden=0,
        n_classes=3,
        output="one_hot",
        depth=3,
        slope=2.0,
        gain=3.0,
        weighted=False,
    ):
        rng = np.random.default_rng(seed)
        loss = make_loss(output, n_classes, gain)
        r = n_features + n_hidden + loss.n_outputs
        values = output == "values"
        problem = {
            "X": rng.random((n_rows, n_features)),
            "targets": rng.random((n_rows, n_classes)) if values else rng.integers(0, n_classes, n_rows),
            "loss": loss,
            "n_hidden": n_hidden,
            "depth": depth,
            "slope": slope,
            "sample_weight": rng.random(n_rows) + 0.1 if weighted else None,
        }
        return problem, rng.uniform(-2, 2, (r, r)), rng.uniform(-1, 1, r)

    return make


_FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync",
          "--disable-component-update"]  # fmt: skip


@pytest.fixture(scope="session")
def browser():
    """A headless browser without network access, shared by all pages."""
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("there is no chromium on this machine")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=_FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def growing():
    """A forecaster of differences over a season, on which another variable depends; not to be changed."""
    from cogmap import FCMForecaster

    t, rng = np.arange(120), np.random.default_rng(0)
    x = np.exp(3 + 0.02 * t + 0.3 * np.sin(np.pi * t / 2) + np.cumsum(0.05 * rng.normal(size=120)))
    y = np.r_[np.zeros(5), 2 * np.log(x[4:] / x[:-4])[:-1]] + 0.01 * rng.normal(size=120)
    forecaster = FCMForecaster(season=4, hidden=False).fit(np.column_stack([x, y]))
    assert forecaster.sequence_.ends[0].transforms[0].season == "difference"
    return forecaster
