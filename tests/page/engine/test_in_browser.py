"""The engine in a browser, against Python; and the Content-Security-Policy."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from cogmap import FCMClassifier, FCMRegressor, explain
from cogmap.page.assemble import bundle, packed

COMPUTE = """async ({ payload, rows }) => {
  const model = engine.openModel(await engine.unpacked(payload));
  return rows.map((row) => {
    const { states, outputs } = engine.run(model, row);
    const { values } = engine.contributions(model, row);
    return [states.map((each) => [...each]), [...outputs], values.map((each) => [...each])];
  });
}"""


@pytest.mark.parametrize(
    ("estimator", "load"),
    [(FCMClassifier(terms=3, n_teachers=0), load_wine), (FCMRegressor(n_teachers=0), load_diabetes)],
    ids=["classes", "values"],
)
def test_browser_computes_what_python_does(browser, payload_of, estimator, load):
    """The bundled script gives states, outputs and contributions of 100 rows to 1e-9."""
    X, y = load(return_X_y=True)
    model = estimator.set_params(random_state=0).fit(X, y).model_
    rows = X[:100].copy()
    rows[::7, 2] = np.nan
    _check_same(browser, payload_of(model, X, y), model, rows)


@pytest.mark.parametrize("inputs", ["features", "terms", "logarithms"])
def test_browser_holds_features(browser, payload_of, named_model, named_rows, inputs):
    """The states of held features, and outputs and contributions of a map that uses only some columns."""
    model = named_model(inputs=inputs)
    _check_same(browser, payload_of(model), model, named_rows, [0, 2, 3])


def _check_same(browser, payload, model, rows, columns=slice(None)):
    cells = [[None if np.isnan(value) else value for value in row] for row in rows[:, columns].tolist()]
    page = browser.new_page()
    exported = "\nwindow.engine = { openModel, unpacked, run, contributions };"
    page.add_script_tag(type="module", content=bundle("engine.js") + exported)
    page.wait_for_function("window.engine !== undefined")  # a module runs later
    results = page.evaluate(COMPUTE, {"payload": packed(json.dumps(payload)), "rows": cells})
    page.close()
    explained = explain(model, rows)
    expected = [model.trajectory(rows).transpose(1, 0, 2), explained.outputs, explained.contributions[:, columns]]
    for ours, theirs in zip(zip(*results, strict=True), expected, strict=True):
        assert np.abs(np.array(ours) - theirs).max() <= 1e-9


def test_policy_blocks_everything_else(pages):
    """A script, a style and an image inserted into the open page have no effect."""
    page = pages.open("iris")
    page.evaluate("""() => {
      for (const [tag, key, value] of [["script", "textContent", "window.intruded = true"],
                                       ["style", "textContent", "body { display: none }"],
                                       ["img", "src", "https://example.org/x.png"]]) {
        const element = document.createElement(tag);
        element[key] = value;
        document.body.append(element);
      }
    }""")
    assert page.evaluate("window.intruded") is None
    assert page.evaluate("getComputedStyle(document.body).display") != "none"
    assert len([words for words in page.problems if "Content Security Policy" in words]) == 3


def test_old_browsers_get_a_notice(pages):
    """If the script cannot be decompressed, the page states the required browsers."""
    context = pages._browser.new_context()
    page = context.new_page()
    page.add_init_script("delete window.DecompressionStream")
    page.goto(pages.address("iris"))
    page.wait_for_selector("#notice:not([hidden])")
    assert page.locator("#notice").inner_text().startswith("This page needs a browser of 2023 or later.")
    context.close()
