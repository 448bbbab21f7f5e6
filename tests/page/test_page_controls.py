"""Controls of the page, with pointer and keyboard."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from cogmap import explain
from cogmap.maps.scenarios import scenario


def numbers(text):
    """Return the numbers in a text, with Unicode minus signs."""
    return [float(match) for match in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text.replace("\u2212", "-"))]


@pytest.mark.parametrize("name", ["iris", "tumours", "diabetes", "traffic", "hostile", "people"])
def test_page_makes_no_requests_and_logs_no_errors(pages, name):
    """No request except for the file itself, and no console message, after opening every part."""
    page = pages.open(name)
    page.locator(".twin summary").click()
    if name in ("iris", "traffic"):  # maps of more than two steps
        page.get_by_role("button", name="Play").click()
    assert page.request_urls == [pages.address(name)]
    assert page.problems == []


@pytest.mark.parametrize("name", ["iris", "diabetes"])
def test_typed_values_agree_with_python(pages, hands, name):
    """Prediction and contributions of typed values, including unknown and out-of-range ones, to 1e-9."""
    model, X, _ = pages.model(name)
    row = X.iloc[[70]].astype(float)
    row.iloc[0, 1] = np.nan
    row.iloc[0, 2] = 3 * X.iloc[:, 2].max()
    page = pages.open(name)
    used = np.unique(model.model_.encoding.columns)  # others have no control
    assert used[:3].tolist() == [0, 1, 2]
    for column, value in enumerate(row.iloc[0, used]):
        hands.set_entry(page, column, "" if np.isnan(value) else repr(float(value)))
    shares, base, outputs = hands.row_of_page(page)
    expected = explain(model, row)
    np.testing.assert_allclose(outputs, expected.outputs[0], rtol=0, atol=1e-9 * max(1, abs(expected.outputs).max()))
    np.testing.assert_allclose(base, expected.base_values, rtol=1e-9)
    np.testing.assert_allclose(shares, expected.contributions[0, used], rtol=0, atol=1e-9 * max(1, abs(outputs).max()))
    assert page.locator("#value-1").get_attribute("placeholder") == "unknown"
    assert "outside" in page.locator("#values .control:has(#value-2) .slider-box").get_attribute("class")


def test_categories_are_one_control(pages, hands):
    """A category, a boolean, an unknown value and a pasted row of a prepared table agree with the pipeline."""
    pipeline, X, _ = pages.model("people")
    page = pages.open("people")
    row = X.iloc[[0]].assign(ward="children's", smoker="no", **{"temperature (°C)": np.nan})
    page.get_by_label("ward", exact=True).select_option(label="children's")
    page.get_by_label("smoker", exact=True).select_option(label="no")
    page.get_by_role("textbox", name="temperature").fill("")
    page.get_by_role("textbox", name="temperature").press("Enter")
    *_, outputs = hands.row_of_page(page)
    np.testing.assert_allclose(outputs, pipeline.predict_proba(row)[0], rtol=0, atol=1e-9)
    page.get_by_text("Paste a row").click()
    page.get_by_role("textbox", name="A row of values").fill("ward,smoker,age\nheart & lungs,yes,44")
    page.get_by_role("button", name="Use this row").click()
    assert page.get_by_label("ward", exact=True).locator("option:checked").inner_text() == "heart & lungs"
    assert page.get_by_role("textbox", name="age").input_value() == "44"
    page.get_by_role("textbox", name="A row of values").fill("ward\nkitchen")
    page.get_by_role("button", name="Use this row").click()
    assert "has no “kitchen”: it is one of" in page.get_by_role("alert").inner_text()


def test_every_slider_moves_the_answer(pages, hands):
    """By arrow keys; the box shows the value, and the ends are exactly those of the data."""
    _, X, _ = pages.model("iris")
    page = pages.open("iris")
    for column, name in enumerate(X.columns):
        before = page.locator("#reasons .sum").inner_text() + "".join(hands.bars(page))
        slider = page.get_by_role("slider", name=name, exact=True)
        slider.press("End")
        assert float(page.locator(f"#value-{column}").input_value()) == X.iloc[:, column].max()
        slider.press("Home")
        assert float(page.locator(f"#value-{column}").input_value()) == X.iloc[:, column].min()
        slider.press("ArrowRight")
        assert float(page.locator(f"#value-{column}").input_value()) > X.iloc[:, column].min()
        assert page.locator("#reasons .sum").inner_text() + "".join(hands.bars(page)) != before


@pytest.mark.parametrize(
    ("pasted", "problem"),
    [
        ("5.1,3.5,1.4,0.2", ""),
        ("5.1\t3.5\t1.4\t0.2", ""),
        ('5.1;"3,5";1,4;0.2', ""),
        ("petal width (cm),petal length (cm)\n0.2,1.4", ""),
        ("5.1,3.5,NA,", ""),
        ("", "Nothing was pasted"),
        ("5.1,3.5", "The row has 2 values, but the table has 4 columns"),
        ("5.1,3.5,many,0.2", "takes a number, and “many” is not one"),
        ("1e999,3.5,1.4,0.2", "takes a number"),
    ],
)
def test_pasted_rows(reader, pasted, problem):
    """With any common separator, with and without names; a problem is reported in one line."""
    page = reader
    page.locator("details.paste").evaluate("one => (one.open = true)")
    page.get_by_role("textbox", name="A row of values").fill(pasted)
    before = [page.locator(f"#value-{c}").input_value() for c in range(4)]
    page.get_by_role("button", name="Use this row").click()
    after = [page.locator(f"#value-{c}").input_value() for c in range(4)]
    if problem:
        assert problem in page.get_by_role("alert").inner_text()
        assert after == before
    else:
        assert page.get_by_role("alert").count() == 0
        named, missing = "petal width" in pasted, "NA" in pasted
        assert after[:2] == (["", ""] if named else ["5.1", "3.5"])
        assert after[2:] == (["", ""] if missing else ["1.4", "0.2"])


def test_start_buttons_and_orders(pages):
    """A typical row, all unknown, a row of the table; columns by importance, in table order, by name, by search."""
    model, X, _ = pages.model("tumours")
    X = X.iloc[:, np.unique(model.model_.encoding.columns)]
    page = pages.open("tumours")
    page.get_by_role("button", name="All unknown").click()
    assert page.locator("#value-0").input_value() == ""
    page.get_by_role("button", name="Typical row", exact=True).click()
    assert float(page.locator("#value-2").input_value()) == pytest.approx(X.iloc[:, 2].mean(), rel=0.01)
    page.locator("#values select").first.select_option("name")
    assert page.locator("#values .control-name").all_inner_texts() == sorted(X.columns)
    page.locator("#values select").first.select_option("table")
    assert page.locator("#values .control-name").all_inner_texts() == list(X.columns)
    page.get_by_role("searchbox", name="Find a value by name").fill("worst textu")
    assert page.locator("#values .control:visible .control-name").all_inner_texts() == ["worst texture"]


def test_rows_are_sorted_and_picked(pages):
    """By any column, in both directions; the selected row is shown."""
    model, X, _ = pages.model("iris")
    page = pages.open("iris")
    sorter = page.locator("#rows thead").get_by_role("button", name="petal length (cm)")
    sorter.click()
    sorter.click()
    assert page.locator("#rows th[aria-sort]").get_attribute("aria-sort") == "descending"
    highest = int(X["petal length (cm)"].to_numpy().argmax())
    assert page.locator("#rows tbody .pick").first.inner_text() == str(highest + 1)
    page.locator("#rows tbody .pick").first.press("Enter")
    assert f"Row {highest + 1} of the data" in page.locator("#values").inner_text()
    assert float(page.locator("#value-2").input_value()) == X["petal length (cm)"].max()
    assert model.predict(X.iloc[[highest]])[0] in page.locator("#answer .said").inner_text()
    page.get_by_role("button", name="More rows").click()
    assert "13 to 24 of 150" in page.locator("#rows").inner_text()


def test_counterfactuals_flip_the_prediction_and_respect_locks(pages):
    """Found values can be used; locked ones are unchanged, and Python confirms the new prediction."""
    model, X, _ = pages.model("iris")
    page = pages.open("iris")
    lock = page.get_by_role("button", name="Lock petal length (cm)")
    lock.click()
    assert lock.get_attribute("aria-pressed") == "true"
    page.locator("#flip select").select_option(label="versicolor")
    page.get_by_role("button", name="Find the smallest change").click()
    assert "petal length" not in page.locator("#flip tbody").inner_text()
    page.get_by_role("button", name="Use these values").click()
    row = pd.DataFrame([[float(page.locator(f"#value-{c}").input_value()) for c in range(4)]], columns=X.columns)
    assert page.locator("#answer .said-name").inner_text() == "versicolor"
    assert row.iloc[0, 2] == X.iloc[0, 2]
    assert model.predict(row)[0] == "versicolor"


def test_value_to_reach(pages):
    """For a regressor: a value has to be entered first, then it is reached."""
    page = pages.open("diabetes")
    page.get_by_role("button", name="Find the smallest change").click()
    assert "enter the value" in page.get_by_role("alert").inner_text()
    page.get_by_label("The value that the map should reach").fill("120")
    page.get_by_label("The value that the map should reach").press("Enter")
    page.get_by_role("button", name="Find the smallest change").click()
    page.get_by_role("button", name="Use these values").click()
    assert float(page.locator("#answer .said-name").inner_text()) == pytest.approx(120, abs=1.0)


def test_two_rows_are_compared(pages, hands):
    """The kept row is unchanged while the other changes; swapping and stopping work."""
    page = pages.open("iris")
    page.get_by_role("button", name="Keep what is set now as A").click()
    hands.set_entry(page, 2, "6")
    line = page.locator("#compare tbody tr").nth(3)
    assert line.inner_text().split("\t")[1:3] == ["1.4", "6"]
    assert page.locator("#compare tr.differs").count() == 1
    page.get_by_role("button", name="Swap A and B").click()
    assert line.inner_text().split("\t")[1:3] == ["6", "1.4"]
    page.get_by_role("button", name="Stop comparing").click()
    assert not page.locator("#compare table").is_visible()


def test_edited_weight_changes_answer_and_score_and_undo_restores(pages, hands):
    """By slider and by number; undo and redo by button and key; scores of both maps are shown."""
    model, X, y = pages.model("iris")
    concepts = list(model.map_.concepts)
    page = pages.open("iris")
    before = hands.bars(page)
    page.locator(f"[data-concept='{concepts.index('class=setosa')}']").click()
    box = page.get_by_label("Weight of petal length (cm) on class=setosa", exact=True)
    box.fill("2.5")
    box.press("Tab")
    changed = hands.bars(page)
    assert changed != before
    *_, outputs = hands.row_of_page(page)
    weights = model.map_.weights.copy()
    weights[concepts.index("class=setosa"), concepts.index("petal length (cm)")] = 2.5
    edited = replace(model.model_, map=model.map_.replace(weights=weights))
    np.testing.assert_allclose(outputs, edited.outputs(X.iloc[[0]])[0], rtol=0, atol=1e-9)
    scores = page.locator("#edits table").inner_text().replace("\xa0", " ")
    right = (model.classes_[edited.outputs(X).argmax(axis=1)] == y).mean()
    assert f"{100 * right:.1f} %" in scores
    page.get_by_role("button", name="Undo").click()
    assert hands.bars(page) == before
    page.get_by_role("button", name="Redo").click()
    assert hands.bars(page) == changed
    page.locator("#answer-heading").focus()
    page.keyboard.press("Control+z")
    assert hands.bars(page) == before
    page.keyboard.press("Control+Shift+z")
    page.get_by_role("button", name="Back to the original map").click()
    assert hands.bars(page) == before


def test_arrow_is_chosen_and_its_weight_slides(pages):
    """A click on an arrow opens its slider; a gesture is one edit."""
    page = pages.open("iris")
    page.locator(".arrow:not(.gone) .reach").first.dispatch_event("click")
    slider = page.get_by_role("slider", name="Weight of the chosen arrow")
    slider.press("End")
    slider.press("ArrowLeft")
    assert "was" in page.locator(".arrow-editor").inner_text()
    assert page.locator(".arrow.edited").count() == 1
    assert page.locator("#edits .edits li").count() == 1


def test_concepts_are_held(pages, hands):
    """Clamping a hidden concept changes the prediction; releasing it restores the prediction."""
    page = pages.open("iris")
    before = hands.bars(page)
    fcm, _, _ = pages.model("iris")
    hidden = fcm.map_.concepts[fcm.model_.n_inputs]
    page.get_by_label("Find a concept").fill(hidden)
    page.get_by_label("Find a concept").press("Enter")
    assert hidden in page.locator(".panel h3").inner_text()
    page.get_by_role("slider", name=f"State at which {hidden} is held").press("Home")
    assert page.locator(".node.held").count() == 1
    held = hands.bars(page)
    page.get_by_role("checkbox", name="Hold it at").uncheck()
    assert hands.bars(page) == before != held


def test_scenarios_of_a_map_by_hand(pages):
    """A clamped concept changes the others as in `scenario`."""
    fcm, _, _ = pages.model("traffic")
    page = pages.open("traffic")
    page.get_by_role("slider", name="State of cars").press("Home")
    expected = scenario(fcm, {"cars": 0.0})
    lines = page.locator("#answer .bars li").all_inner_texts()
    for line in filter(str.strip, lines):
        name, *rest = line.split("\n")
        before, after, change = numbers(rest[-1])
        i = fcm.concepts.index(name)
        assert (before, after) == pytest.approx((expected.before[i], expected.after[i]), abs=0.0051)
        assert change == pytest.approx(expected.change[i], abs=0.0051)
    assert "cars at 0 held" in page.locator("#answer").inner_text()
    page.get_by_role("button", name="Hold nothing").click()
    assert "Nothing is held" in page.locator("#answer").inner_text()


def test_nothing_in_the_map_moves(pages):
    """Boxes keep their positions when the threshold, a value, a step, a weight or the selection changes."""
    page = pages.open("tumours")
    page.locator("#map-heading").focus()
    page.locator("#map").scroll_into_view_if_needed()
    shift = "[...document.querySelectorAll('.node .ground')].map(box => box.getBoundingClientRect().x)"
    before, across = page.locator(".nodes").inner_html(), page.evaluate(shift)
    counts = set()
    for key in ("Home", "End", "ArrowLeft"):
        page.locator("#threshold").press(key)
        counts.add(page.locator(".arrow:not(.gone)").count())
        assert page.evaluate(shift) == across
    assert len(counts) > 1
    page.get_by_role("slider", name="worst area", exact=True).press("End")
    page.get_by_role("radio", name="this row").check()
    page.locator("[data-concept]").first.click()
    assert page.evaluate(shift) == across
    geometry = re.compile(r'<rect class="ground" [^>]*>')
    assert geometry.findall(page.locator(".nodes").inner_html()) == geometry.findall(before)


def test_time_is_played_and_stepped(pages):
    """Playing stops at the end; states of a step agree with Python."""
    model, X, _ = pages.model("iris")
    trajectory = model.model_.trajectory(X.iloc[[0]])[:, 0]
    page = pages.open("iris")
    page.locator(".twin summary").click()
    line = page.locator(".twin table").first.locator("tbody tr").last.inner_text().split("\t")
    np.testing.assert_allclose([float(text) for text in line[2:]], trajectory[:, -1], atol=0.00051)
    page.get_by_role("button", name="One step back").click()
    assert f"{len(trajectory) - 2} of {len(trajectory) - 1}" in page.locator(".time output").inner_text()
    page.clock.install()
    page.get_by_role("button", name="Play").click()
    assert page.locator("svg.playing").count() == 1
    page.clock.run_for(20_000)
    assert page.get_by_role("button", name="Play").inner_text() == "Play"
    assert "the answer is read" in page.locator(".time output").inner_text()
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").click()
    assert page.locator("svg.playing").count() == 0


def test_keyboard_alone(pages, hands):
    """From a slider to the map, along its arrows, to a weight and back by undo, without a pointer."""
    model, _, _ = pages.model("iris")
    concepts = list(model.map_.concepts)
    page = pages.open("iris")
    before = hands.bars(page)

    def tab_to(selector, most=80):
        for _ in range(most):
            page.keyboard.press("Tab")
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"{selector} is not reached by Tab")

    tab_to("#values .slider")
    for _ in range(60):
        page.keyboard.press("ArrowRight")
    assert hands.bars(page) != before
    tab_to("[data-concept]")
    first = page.evaluate("document.activeElement.dataset.concept")
    page.keyboard.press("ArrowDown")
    below = page.evaluate("document.activeElement.dataset.concept")
    page.keyboard.press("ArrowRight")
    driven = page.evaluate("document.activeElement.dataset.concept")
    assert len({first, below, driven}) == 3
    assert model.map_.weights[int(driven), int(below)] != 0
    page.keyboard.press("Enter")
    assert page.locator(".panel h3").inner_text() == concepts[int(driven)].removeprefix("class=")
    now = hands.bars(page)
    tab_to(".influences input")
    page.keyboard.press("ArrowUp")
    assert page.locator("#edits .edits li").count() == 1
    page.keyboard.press("Control+z")
    assert hands.bars(page) == now
    tab_to("#threshold, #step")
    page.locator(f"[data-concept='{driven}']").focus()
    page.keyboard.press("Escape")
    assert "Nothing is chosen" in page.locator(".panel").inner_text()
    page.get_by_role("button", name="Rows", exact=True).press("Enter")
    assert page.evaluate("document.activeElement.id") == "rows-heading"


def test_classes_are_called_the_same_in_the_map(pages):
    """The box, the panel and the chart of the output class=setosa say setosa, as the answer does."""
    page = pages.open("iris")
    texts = page.locator(".graph text").all_text_contents()
    assert {"setosa", "versicolor", "virginica"} <= set(texts)
    assert not [text for text in texts if "class=" in text]
    concepts = pages.model("iris")[0].map_.concepts
    page.locator(f"[data-concept='{concepts.index('class=setosa')}']").click()
    assert page.locator(".panel h3").inner_text() == "setosa"
    series = page.locator("#map .series-name").all_text_contents()
    assert any("setosa" in text for text in series)
    assert not [text for text in series if "class=" in text]


def test_words_about_arrows_fit_the_map(pages):
    """No threshold is named if all arrows are shown, and no ring explained if no concept drives itself."""
    page = pages.open("ward")
    shown = page.locator("#map output.amount").first
    n_arrows = pages.model("ward")[0].estimator.map_.n_arrows
    assert shown.inner_text() == f"{n_arrows} of {n_arrows}"
    page.locator("#threshold").press("ArrowLeft")
    assert "those of at least" in shown.inner_text()
    assert page.locator(".ring-key").count() == 0
    assert pages.open("tumours").locator(".ring-key").count() == 1


def test_search_zoom_and_thresholds_of_the_graph(pages):
    """A concept is found by a part of its name; zooming and fitting change the size only."""
    page = pages.open("tumours")
    search = page.get_by_label("Find a concept")
    search.fill("worst conc")
    search.press("Enter")
    assert page.locator(".panel h3").inner_text().startswith("worst conc")
    search.fill("no such thing")
    search.press("Enter")
    assert "No concept has “no such thing” in its name" in page.get_by_role("alert").inner_text()
    width = "document.querySelector('.graph').getBoundingClientRect().width"
    fitting = page.evaluate(width)
    page.get_by_role("button", name="Larger").click()
    assert page.evaluate(width) > fitting
    page.get_by_role("button", name="Fit").click()
    assert page.evaluate(width) == fitting
