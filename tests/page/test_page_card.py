"""What the page of a table model says about it: quality on new rows, edits, rows, and the layout of all of it."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from cogmap import FCMClassifier, read_edits
from cogmap.page import html
from cogmap.table import FitOptions, fit_table


def number(text):
    """Return the number in a text."""
    return float(re.sub(r"[^\d.]", "", text.replace(",", "")))


@pytest.mark.parametrize("name", ["ward", "sales"])
def test_every_number_about_the_model_is_on_the_card(pages, name):
    """Each has the key of its place in the card, and is the number there, rounded."""
    model, _, _ = pages.model(name)
    page = pages.open(name, inside=False)
    shown = page.eval_on_selector_all("[data-key]", "all => all.map(one => [one.dataset.key, one.textContent])")
    keys = {key for key, _ in shown}
    assert any(key.startswith("/scores/this map") for key in keys)
    assert any(key.startswith("/certainty" if name == "ward" else "/errors") for key in keys)
    assert sum(key.startswith("/importances") for key in keys) >= 3
    for key, text in shown:
        if isinstance(value := model.card.at(key), str):  # of a category
            assert text == value
            continue
        value = abs(value)
        if name == "sales":  # the table has decimal commas, and so has the page
            text = text.replace(".", "").replace(",", ".")
        whole = key.endswith("/rows")
        scale = 1.0 if whole or "error" in key else 100.0
        assert number(text) == pytest.approx(value * scale, rel=0.02, abs=0.51 if scale == 100.0 else 0.06), key


def test_title_names_the_target_and_the_table(pages):
    """In the header and in the answer."""
    page = pages.open("ward", inside=False)
    assert page.title() == "readmission, from the table"
    assert page.locator("#answer .said").inner_text().startswith("readmission:")
    assert "class" not in page.locator("#answer").inner_text()


def test_title_is_seen_on_a_phone_and_in_print(pages):
    """The header of a narrow screen names the model and its answer."""
    page = pages.open("ward", width=390, inside=False)
    for media in ("screen", "print"):
        page.emulate_media(media=media)
        box = page.locator("#title").bounding_box()
        assert box["height"] > 10
        assert page.evaluate("getComputedStyle(document.getElementById('title')).clipPath") == "none"
        assert page.locator("#title").inner_text() == "readmission, from the table"


def test_unusual_rows_are_named(pages):
    """Those of Python, by their numbers in the table; choosing one says so beside the answer."""
    model, X, _ = pages.model("ward")
    p_values = model.novelty_p_values(X)
    rows = [str(row + 1) for row in np.flatnonzero(p_values <= max(0.01, 1 / (len(X) + 1)))]
    page = pages.open("ward", inside=False)
    buttons = page.locator("#rows .unusual button")
    assert buttons.all_inner_texts() == rows
    if rows:
        buttons.first.click()
        assert f"Row {rows[0]} of the data" in page.locator("#values").inner_text()
        assert "unlike the training data" in page.locator("#answer .strange").inner_text()
    else:
        assert "None of these rows is unlike the training data" in page.locator("#rows").inner_text()


def test_decimal_comma_of_the_target_is_kept(pages, tmp_path):
    """Also if no other column has one; amounts have separators of thousands and the unit."""
    n = np.arange(60)
    prices = [f"{1000 + 37.5 * value:.2f}".replace(".", ",") for value in n]
    frame = pd.DataFrame({"rooms": n % 7, "garden": np.where(n % 3 == 0, "yes", "no"), "age": n, "price": prices})
    model = fit_table(frame, "price", FitOptions(structure="additive", units={"price": "€"}))
    page = pages.open("ward", inside=False)
    (tmp_path / "comma.html").write_text(html(model, frame.drop(columns="price")), encoding="utf-8")
    page.goto((tmp_path / "comma.html").as_uri())
    page.wait_for_selector("body[data-ready]")
    assert re.fullmatch(r"\d\.\d{3}(,\d+)?\u00a0€", page.locator("#answer .said-name").inner_text())
    words = page.locator("#reasons .reason-words").all_inner_texts()
    assert all(text.endswith("€") for text in words if text)
    assert not any(re.search(r"\d\.\d(?!\d\d)", text) for text in words)


def test_training_rows_are_called_that(pages):
    """Scores on rows of the page are not those of new rows, and are shown only to compare a changed map."""
    page = pages.open("ward")
    assert "from which the map has learned" not in page.locator("#edits").inner_text()
    changed(page)
    assert "from which the map has learned" in page.locator("#edits").inner_text()
    other = pages.open("iris")
    assert "may have learned from them" in other.locator("#edits").inner_text()
    assert "does not say how good" in other.locator("#quality").inner_text()


def changed(page):
    """Change the first weight of the first drawn arrow."""
    page.locator(".arrow:not(.gone) .reach").first.dispatch_event("click")
    page.get_by_role("slider", name="Weight of the chosen arrow").press("End")
    page.get_by_role("slider", name="Weight of the chosen arrow").press("Tab")


def test_changed_map_is_marked_everywhere(pages, hands):
    """On the page, in an opened link, in print and in saved files; the original can be shown and taken back."""
    page = pages.open("ward")
    band = page.locator("#changed")
    assert not band.is_visible()
    before = page.locator("#answer .said").inner_text()
    changed(page)
    words = "This map was changed by hand (1 arrow)."
    assert words in band.inner_text()
    assert re.search(r"→ .*: [+\u2212][\d.]+ \((raises|lowers) it\) instead of [+\u2212][\d.]+ \(", band.inner_text())
    page.get_by_role("button", name="Simple view").click()
    assert "This is the original map." in page.locator(".simple-view").inner_text()
    page.get_by_role("radio", name="this row").locator("visible=true").check()
    assert "This is the original map." not in page.locator(".simple-view").inner_text()
    page.get_by_role("button", name="Show the inside").click()
    after = page.locator("#answer .said").inner_text()
    assert "not known" in page.locator("#answer .sure").inner_text()
    assert "original map" in page.locator("#quality .warning").inner_text()
    for name, ending in [("Picture (SVG)", "svg"), ("Map as JSON", "json"), ("Mental Modeler (.mmp)", "mmp")]:
        text, file = hands.saved(page, name)
        assert words in text, name
        assert file.endswith(f"-changed.{ending}")
    ElementTree.fromstring(hands.saved(page, "Picture (SVG)")[0])
    for name in ("States as CSV", "This row as CSV"):
        assert words in hands.saved(page, name)[0]
    page.wait_for_timeout(350)
    again = pages.open("ward", page.evaluate("location.hash"), inside=False)
    assert words in again.locator("#changed").inner_text()
    again.emulate_media(media="print")
    assert again.locator("#changed").is_visible()
    again.emulate_media(media="screen")
    again.get_by_role("button", name="Show the original").click()
    assert again.locator("#answer .said").inner_text() == before
    assert "set aside" in again.locator("#changed").inner_text()
    again.get_by_role("button", name="Show the changed map").click()
    assert again.locator("#answer .said").inner_text() == after


def test_edit_save_read_fit(pages, hands, tmp_path):
    """A weight set on the page is kept by the next map, within its range, and card and page show the trail."""
    model, X, y = pages.model("ward")
    page = pages.open("ward")
    changed(page)
    page.get_by_role("textbox", name="Your name").fill("Ada")
    page.get_by_role("textbox", name="Why you changed it").fill("known from practice")
    text, name = hands.saved(page, "Save the changes (JSON)")
    assert json.loads(text)["by"] == "Ada"
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    edits = read_edits(path)
    [arrow] = edits.arrows
    fcm = model.estimator.map_
    place = fcm.concepts.index(arrow.target), fcm.concepts.index(arrow.source)
    assert arrow.was == fcm.weights[place]
    frame = X.assign(readmission=y)
    again = fit_table(frame, "readmission", FitOptions(structure="additive", edits=edits))
    weights = again.estimator.map_.to_frame(rows="source")
    low, high = arrow.bounds
    assert low - 1e-9 <= weights.loc[arrow.source, arrow.target] <= high + 1e-9
    again.save(tmp_path / "again.cogmap")
    again = type(again).load(tmp_path / "again.cogmap")
    assert again.edits_["by"] == "Ada"
    card = str(again.card)
    assert "Changed by hand by Ada" in card
    assert "nothing in it was changed" not in card
    assert "known from practice" in card
    assert "with these changes and" in card
    (tmp_path / "again.html").write_text(html(again), encoding="utf-8")
    page.goto((tmp_path / "again.html").as_uri())
    page.wait_for_selector("body[data-ready]")
    assert "Ada: known from practice" in page.locator("#quality").inner_text()


def test_fixed_columns_are_locked(pages):
    """Columns that must not change are locked when the page opens."""
    page = pages.open("ward", inside=False)
    assert page.get_by_role("button", name="Lock age").get_attribute("aria-pressed") == "true"
    assert "Locked: age. Lock what cannot change with the padlock" in page.locator("#flip").inner_text()
    assert "A value with a closed padlock stays as it is" in page.locator("#values").inner_text()


def test_typical_values_of_choices_are_told_from_the_typical_row(pages):
    """The row of the button has one value of each category, the baseline of the reasons their mix."""
    page = pages.open("ward", inside=False)
    page.get_by_role("button", name="Typical row").click()
    assert "at its typical value (of choices, their mix in the data)" in page.locator("#reasons").inner_text()
    assert "mix" not in pages.shared("iris").locator("#reasons").inner_text()


def test_interval_names_its_band(pages):
    """The pale band around the answer is explained where it stands."""
    page = pages.open("sales", inside=False)
    assert re.search(r"confidence between .* and .* \(the band below\)", page.locator("#answer").inner_text())


def test_map_that_guesses_is_never_sure(pages, tmp_path):
    """Beside the warning not to rely on it, no answer is called sure, even if many alike were right by chance."""
    draw = np.random.default_rng(5)
    frame = pd.DataFrame(draw.normal(size=(100, 2)).round(2), columns=["a", "b"])
    frame["answer"] = np.where(draw.random(100) < 0.9, "no", "yes")
    model = fit_table(frame, "answer", FitOptions(structure="additive"))
    assert max(group["right"] for group in model.card["certainty"]) >= 0.8
    file = tmp_path / "noise.html"
    file.write_text(html(model, frame[["a", "b"]], frame["answer"]), encoding="utf-8")
    page = pages.open("ward", inside=False)
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-ready]")
    said = page.locator("#answer").inner_text()
    assert "Do not rely on what it says." in said
    assert "It is not sure: with" in said


def test_rows_can_be_left_out(pages):
    """With `max_rows=0` the file has no row, and says so; otherwise it says how many."""
    model, X, y = pages.model("ward")
    text = html(model, X, y, max_rows=0)
    assert len(text) < len(html(model, X, y))
    page = pages.open("ward", inside=False)
    assert f"contains {len(X)} rows" in page.locator("#share").inner_text()
    page.set_content(text)
    page.wait_for_selector("body[data-ready]")
    assert "contains no rows" in page.locator("#share").inner_text()
    assert page.locator("#rows").count() == 0


def test_value_outside_the_data_is_warned_of(pages, hands):
    """Beside its slider."""
    page = pages.open("ward", inside=False)
    place = list(pages.model("ward")[1].columns).index("age")
    hands.set_entry(page, place, "500")
    assert "Outside the data" in page.locator(f"#values .control:has(#value-{place}) .warning").inner_text()


def test_arrows_of_two_classes_are_drawn_for_the_answer(pages):
    """If the other class is the answer, arrows change their colour and the box its name."""
    model, X, _ = pages.model("ward")
    said = pd.Series(model.predict(X))
    page = pages.open("ward")
    colours = {}
    for label in model.classes:
        row = int(said[said == label].index[0])
        page.evaluate(f"document.querySelectorAll('#rows .pick')[{row}]?.click()")
        if page.locator("#answer .said-name").inner_text() != label:
            page.get_by_text("Paste a row").click()
            page.get_by_role("textbox", name="A row of values").fill(
                ",".join(X.columns) + "\n" + ",".join("" if pd.isna(v) else str(v) for v in X.iloc[row])
            )
            page.get_by_role("button", name="Use this row").click()
        assert page.locator("#answer .said-name").inner_text() == label
        assert page.locator(".node.output text").text_content() == label
        colours[label] = page.eval_on_selector_all(
            ".arrow:not(.gone)", "all => all.map(one => one.classList.contains('up'))"
        )
    first, second = colours.values()
    direct = [one != two for one, two in zip(first, second, strict=True)]
    assert any(direct)


MEASURE = """() => {
  const wrong = [];
  const scrolls = (one) => one.closest('.scroll, .frame-of-map, .scroll-chart, .top nav, .unseen, pre, datalist');
  for (const one of document.querySelectorAll('main *, .band, .top h1')) {
    if (one.ownerSVGElement || one.tagName === 'svg' || scrolls(one) || !one.offsetParent) continue;
    const hides = getComputedStyle(one).overflowX !== 'visible' && one.tagName !== 'UL' && !one.title;
    if (hides && one.scrollWidth > one.clientWidth + 1) wrong.push(['cut', one.outerHTML.slice(0, 120)]);
    if (one.getBoundingClientRect().right > innerWidth + 1) wrong.push(['beyond', one.outerHTML.slice(0, 120)]);
  }
  for (const text of document.querySelectorAll('.simple text, .node text')) {
    const [a] = text.getClientRects();
    if (!a) continue;
    const group = text.parentElement;
    const box = group.matches('svg') ? group.querySelector('.answer-box') : group.querySelector('.ground, .column-box');
    const b = box.getBoundingClientRect();
    if (a.left < b.left - 1 || a.right > b.right + 1) wrong.push(['outside its box', text.textContent]);
  }
  for (const group of document.querySelectorAll('.simple g')) {
    const [a, b] = [...group.querySelectorAll('text')].map((one) => one.getBoundingClientRect());
    if (a && b && a.width && a.right > b.left + 1) wrong.push(['overlap', group.textContent]);
  }
  const cards = [...document.querySelectorAll('main > section')].filter((one) => one.offsetHeight);
  for (const [place, one] of cards.entries()) for (const other of cards.slice(place + 1)) {
    const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
    const across = a.left < b.right - 1 && b.left < a.right - 1;
    if (across && a.top < b.bottom - 1 && b.top < a.bottom - 1) wrong.push(['overlap', one.id, other.id]);
  }
  return wrong;
}"""


@pytest.mark.parametrize("width", [390, 1280, 1920])
@pytest.mark.parametrize("name", ["ward", "sales", "iris", "tumours", "hostile"])
def test_nothing_is_cut_or_overlaps(pages, name, width):
    """On a phone, a desk and a large screen, light and dark, simple and inside, and in print."""
    page = pages.open(name, width=width, inside=False)
    for inside in (False, True):
        if inside:
            page.emulate_media(media="screen")
            page.get_by_role("button", name="Show the inside").click()
            if width > 700:
                page.locator("[data-concept]").first.dispatch_event("click")
            else:
                page.locator(".arrow-list button").first.click()
        for media, theme in [("screen", "light"), ("screen", "dark"), ("print", "light")]:
            page.emulate_media(media=media, color_scheme=theme)
            assert page.evaluate(MEASURE) == [], (inside, media, theme)
    assert page.problems == []


def test_names_of_columns_are_broken_so_that_the_rows_fit(pages):
    """The columns with names of two and three words stand side by side on a desk."""
    table = pages.open("tumours", width=1280, inside=False).locator("#rows .scroll")
    assert table.locator("th").count() >= 10
    assert table.evaluate("one => one.scrollWidth <= one.clientWidth")


@pytest.mark.parametrize("name", ["iris", "tumours"])
def test_fit_shows_the_whole_map(pages, name):
    """The picture is not larger than its frame."""
    page = pages.open(name)
    page.get_by_role("button", name="Larger").click()
    page.get_by_role("button", name="Fit").click()
    frame = page.locator(".frame-of-map")
    assert frame.evaluate("one => one.scrollHeight <= one.clientHeight + 1 && one.scrollWidth <= one.clientWidth + 1")


def test_arrows_of_a_chosen_concept_stay_in_the_picture(pages):
    """Backward arrows run around the map, on both sides and below."""
    page = pages.open("iris")
    page.locator("[data-concept]").first.dispatch_event("click")
    outside = """one => { const { x, width, height } = one.viewBox.baseVal;
      return [...one.querySelectorAll(".arrow:not(.gone) .line")].map(line => line.getBBox())
        .filter(box => box.x < x || box.x + box.width > x + width || box.y + box.height > height).length; }"""
    assert page.locator("svg.graph").evaluate(outside) == 0


def test_picture_saved_from_the_simple_view_has_arrows(pages, hands):
    """The saved picture is that of the whole map."""
    picture = ElementTree.fromstring(hands.saved(pages.open("ward", inside=False), "Picture (SVG)")[0])
    assert len(picture.findall("{http://www.w3.org/2000/svg}polygon")) == 6
    assert float(picture.get("height")) > 100


def test_page_stays_small(pages):
    """Below 200 kB with 500 rows of 30 columns; so is a full map."""
    full, X, y = pages.model("tumours")
    fcm = FCMClassifier(structure="additive", random_state=0).fit(X, y)
    assert len(html(fcm, X, y).encode()) < 180_000
    assert len(html(full, X, y).encode()) < 200_000


def test_list_of_arrows_names_the_class_that_is_the_answer(pages):
    """On a phone, too, an arrow that raises the answer is not said to raise the other class."""
    page = pages.open("ward", width=390)
    said = page.locator("#answer .said-name").inner_text()
    lines = page.locator(".arrow-list li").all_inner_texts()
    assert lines
    assert all(f"→ {said}" in line for line in lines)
    assert next(line for line in lines if line.startswith("age ")).endswith("raises it")


def test_list_of_arrows_follows_the_threshold(pages):
    """The slider above it shows fewer or more of them, as in the picture."""
    page = pages.open("tumours", width=390)
    shown = page.locator(".arrow-list li:visible")
    before = shown.count()
    slider = page.locator("#threshold")
    slider.fill(str(int(slider.input_value()) - 5))
    fewer = shown.count()
    assert before - 5 <= fewer < before
    slider.fill(slider.get_attribute("max"))
    assert shown.count() > before
