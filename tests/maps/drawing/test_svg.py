"""Pictures as SVG, and in notebooks, without matplotlib."""

import pickle
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_diabetes

from cogmap import FCMClassifier, FCMClassifierCV, FCMRegressor, FuzzyCognitiveMap, load, save
from cogmap.maps.drawing.layout import layout
from cogmap.maps.drawing.svg import to_svg
from cogmap.maps.drawing.view import graph_view

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ["<script>alert(1)</script>", '"&quot;', "a\nb\x00c", "\ud800", "cost ($) of $ 5", "naïve 概念", "]]>", " "]


def elements(root, kind):
    return list(root.iter(SVG + kind))


def test_svg_has_a_box_per_concept_and_a_path_with_a_head_per_edge(any_view):
    """And a circle per ring; the legend adds two lines, and a ring if there is any."""
    root = ElementTree.fromstring(to_svg(layout(any_view)))
    n_edges, n_rings = len(any_view["edges"]), len(any_view["rings"])
    assert root.tag == SVG + "svg"
    assert len(elements(root, "rect")) == len(any_view["names"])
    assert len(elements(root, "path")) == n_edges + 2
    assert len(elements(root, "polygon")) == n_edges
    assert len(elements(root, "circle")) == (n_rings + 1 if n_rings else 0)


def test_tooltips_show_full_names_and_weights():
    """Browsers show titles as tooltips, and screen readers speak them."""
    weights = np.array([[0.5, 0.0], [-1.2345, 0.0]])
    root = ElementTree.fromstring(to_svg(layout(graph_view(["a" * 100, "b"], weights))))
    titles = [title.text for title in elements(root, "title")]
    assert root.get("role") == "img"
    assert titles[0] == "Fuzzy cognitive map of 2 concepts; 1 influences are drawn."
    assert "a" * 100 in titles
    assert f"{'a' * 100} → b: -1.23" in titles
    assert "on itself: +0.5" in titles


def test_names_are_escaped():
    """All characters appear as text, on one line, and can be encoded as UTF-8."""
    rng = np.random.default_rng(0)
    fcm = FuzzyCognitiveMap(rng.normal(size=(8, 8)), concepts=HOSTILE)
    text = to_svg(layout(graph_view(fcm.concepts, fcm.weights)))
    root = ElementTree.fromstring(text.encode())
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        "svg", "title", "g", "path", "polygon", "rect", "text", "circle",
    }  # fmt: skip
    shown = [element.text for element in elements(root, "text")]
    assert "cost ($) of $ 5" in shown
    assert "<script>alert(1)</script>" in "".join(shown)
    assert "<script" not in fcm._repr_html_()


def test_extreme_weights_can_be_drawn():
    """The largest and the smallest possible weights."""
    for size in (1e300, 1e-300):
        text = to_svg(layout(graph_view("abc", np.array([[0, size, 0], [0, 0, -size], [size, 0, 0]]))))
        ElementTree.fromstring(text)
        assert "nan" not in text
        assert "inf" not in text.replace("influence", "")


def test_a_map_in_a_notebook_is_drawn():
    """With the first line of its repr as caption, and at the positions of its author if there are any."""
    rain = FuzzyCognitiveMap([[0, 0], [2, 0]], concepts=["rain", "umbrellas"], slope=5)
    assert "FuzzyCognitiveMap: 2 concepts, sigmoid, slope 5" in rain._repr_html_()
    assert "<svg" in rain._repr_html_()
    places = {"rain": {"x": 0, "y": 300}, "umbrellas": {"x": 0, "y": 0}}
    root = ElementTree.fromstring(rain.replace(details={"concepts": places})._repr_html_())
    heights = {title.text: float(box.get("y")) for title, box in _titles_of_boxes(root)}
    assert heights["umbrellas"] < heights["rain"]


def _titles_of_boxes(root):
    for group in root.iter(SVG + "g"):
        title, box = group.find(SVG + "title"), group.find(SVG + "rect")
        if title is not None and box is not None:
            yield title, box


@pytest.mark.parametrize("kind", [FCMClassifier, FCMClassifierCV, FCMRegressor])
def test_an_estimator_in_a_notebook_shows_its_map_once_it_has_one(kind, iris):
    """Below the scikit-learn diagram, by both notebook protocols; as text, if so configured."""
    estimator = kind(random_state=0, max_iter=5)
    assert "<title>Fuzzy cognitive map" not in estimator._repr_html_()
    X, y = load_diabetes(return_X_y=True) if kind is FCMRegressor else iris
    with pytest.warns(sklearn.exceptions.ConvergenceWarning):
        estimator.fit(X, y)
    for page in (estimator._repr_html_(), estimator._repr_mimebundle_()["text/html"]):
        assert f"<title>Fuzzy cognitive map of {estimator.map_.n_concepts} concepts" in page
        assert page.startswith("<style>") or "sk-top-container" in page
        assert page.index("sk-top-container") < page.index("<svg xmlns")
    with sklearn.config_context(display="text"):
        assert not hasattr(estimator, "_repr_html_")
        assert "text/html" not in estimator._repr_mimebundle_()


def test_the_map_of_an_estimator_keeps_the_kinds_of_its_concepts(iris, tmp_path):
    """The picture of `map_` equals that of the estimator, also for a copy, with other slopes, and after loading."""
    fcm = FCMClassifier(n_hidden=3, n_teachers=0, random_state=0).fit(*iris)
    assert fcm.map_.kinds == fcm.model_.kinds
    drawn = fcm._drawn_map().partition("<svg")[2]
    assert "hidden" in drawn
    save(fcm, tmp_path / "iris.cogmap")
    same = fcm.map_.replace(bias=fcm.map_.bias)
    for fcm_map in (fcm.map_, pickle.loads(pickle.dumps(fcm.map_)), same, load(tmp_path / "iris.cogmap").map_):
        assert fcm_map._repr_html_().partition("<svg")[2] == drawn
        assert fcm_map == fcm.map_
    assert FuzzyCognitiveMap(fcm.map_.weights).kinds is None


def test_notebooks_need_no_plotting_package():
    """Neither a map nor an estimator imports matplotlib to be shown."""
    code = """
import sys
class NotInstalled:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in ("matplotlib", "pandas", "networkx", "jinja2"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, NotInstalled())
from sklearn.datasets import load_iris
from cogmap import FCMClassifier
fcm = FCMClassifier(random_state=0).fit(*load_iris(return_X_y=True))
print(fcm._repr_html_().count("<title>class=2</title>"), fcm.map_._repr_html_().count("<title>class=2</title>"))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1 1\n"
