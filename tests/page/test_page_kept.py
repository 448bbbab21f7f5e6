"""Saving and sharing: links, files and Python code; and damaged links."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from cogmap import read_map

SEEN = """() => [
    document.querySelector("main").innerText,
    [...document.querySelectorAll("input, select")].map((field) => field.value + field.checked),
    [...document.querySelectorAll(".graph .node, .arrow:not(.gone)")].map((one) => one.outerHTML).join(""),
    document.querySelectorAll("[aria-pressed=true]").length,
    document.documentElement.dataset.theme,
]"""
CHOOSE = "one => { one.selected = true; one.parentElement.dispatchEvent(new Event('change')) }"


def after_play(page, hands):
    """Change nearly everything that can be changed."""
    page.locator("#rows tbody .pick").nth(5).click()
    page.locator("#values .entry").first.fill("0.1")
    page.locator("#values .entry").nth(1).fill("")
    page.locator("#values .entry").nth(1).press("Enter")
    page.get_by_role("button", name="Keep what is set now as A").click()
    page.locator("#values .slider").nth(2).press("ArrowRight")
    page.locator("#values .lock").nth(3).click()
    page.locator("[data-concept]").nth(6).click()
    page.locator(".influences input").first.fill("-0.7")
    page.locator(".influences input").nth(1).fill("0.123")
    page.get_by_role("button", name="Undo").click()
    page.locator(".hold-control .slider").press("ArrowRight")
    page.locator("#threshold").press("ArrowLeft")
    if page.locator("#step").count():  # maps of two steps have no player
        page.locator("#step").press("ArrowLeft")
    page.get_by_role("radio", name="this row").check()
    page.locator("#reasons select").select_option(index=2)
    page.locator("#flip select option:not([disabled])").last.evaluate(CHOOSE)
    page.get_by_role("button", name="Find the smallest change").click()
    page.locator("#rows .sorter").nth(3).click()
    page.get_by_role("button", name="More rows").click()
    page.get_by_role("button", name="Larger").click()
    page.get_by_role("button", name="Change to dark colours").click()


def fragment_of(page):
    """Return the fragment once the address is updated."""
    page.wait_for_timeout(350)
    return page.evaluate("location.hash")


@pytest.mark.parametrize("name", ["hostile", "people"])
def test_address_restores_everything(pages, hands, name):
    """All texts, values, arrows and selections of a used page are restored, with the same address."""
    page = pages.open(name)
    after_play(page, hands)
    fragment = fragment_of(page)
    again = pages.open(name, fragment)
    assert page.evaluate(SEEN) == again.evaluate(SEEN)
    assert fragment_of(again) == fragment
    assert again.get_by_role("alert").count() == 0


def test_scenario_is_restored(pages):
    """Clamped concepts of a hand-made map are in the address."""
    page = pages.open("traffic")
    page.get_by_role("slider", name="State of noise").press("End")
    again = pages.open("traffic", fragment_of(page))
    assert again.locator("#answer").inner_text() == page.locator("#answer").inner_text()
    assert "noise at 1 held" in again.locator("#answer").inner_text()


def test_start_over(pages, hands):
    """One button restores the initial state, with an empty fragment."""
    page = pages.open("iris")
    first = page.locator("main").inner_text()
    after_play(page, hands)
    page.get_by_role("button", name="Start over").click()
    page.get_by_role("button", name="Change to light colours").click()
    assert page.locator("main").inner_text() == first


def damaged(fragment):
    """Return damaged fragments by name."""
    return {
        "cut": fragment[: len(fragment) // 2],
        "cut by a letter": fragment[:-1],
        "changed": re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), fragment, count=1),
        "without check": fragment.split("&check")[0],
        "words": "#answer",
        "half an escape": "#row=%E0%A4%A&check=1",
        "markup": "#<img src=x onerror=alert(1)>",
        "long": "#" + "a" * 100_000,
    }


@pytest.fixture(scope="module")
def linked(reader):
    """Text of the initial page, and the fragment of another state."""
    first = reader.locator("main").inner_text()
    reader.locator("#value-0").fill("6.25")
    reader.locator("#value-0").press("Enter")
    return first, fragment_of(reader)


@pytest.mark.parametrize("harm", sorted(damaged("#row=[1]&check=1")))
def test_damaged_link_is_reported_in_one_line(pages, reader, linked, harm):
    """The page opens in its initial state, and one line explains why."""
    first, fragment = linked
    pages.go(reader, "iris", damaged(fragment)[harm])
    assert reader.get_by_role("alert").inner_text().startswith("The link to this page is damaged")
    assert "\n" not in reader.get_by_role("alert").inner_text()
    assert reader.locator("main").inner_text() == first
    assert reader.problems == []


def test_link_of_another_page_is_rejected(pages, hands):
    """Indices of another map could fit, but would mean something else."""
    page = pages.open("iris")
    hands.set_entry(page, 0, "6.25")
    other = pages.open("hostile", fragment_of(page))
    assert other.get_by_role("alert").inner_text().startswith("The link to this page is damaged or was made by another")


@pytest.mark.parametrize("name", ["iris", "traffic", "hostile"])
@pytest.mark.parametrize("kind", ["Map as JSON", "Map as CSV", "Mental Modeler (.mmp)"])
def test_exported_maps_are_read_back(pages, hands, tmp_path, name, kind):
    """Names and weights are bitwise equal; JSON and CSV also keep bias, slope and activation."""
    model, _, _ = pages.model(name)
    fcm = getattr(model, "map_", model)
    text, filename = hands.saved(pages.shared(name), kind)
    path = tmp_path / filename
    path.write_text(text, encoding="utf-8", newline="")
    back = read_map(path)
    # Neither XML nor a table can hold a control character.
    names = list(fcm.concepts) if "JSON" in kind else [concept.replace("\x07", "\ufffd") for concept in fcm.concepts]
    assert list(back.concepts) == names
    np.testing.assert_array_equal(back.weights, fcm.weights)
    if "mmp" not in kind:
        np.testing.assert_array_equal(back.bias, fcm.bias)
        assert back.activation == fcm.activation
        np.testing.assert_array_equal(np.broadcast_to(back.slope, len(names)), np.broadcast_to(fcm.slope, len(names)))
    if "JSON" in kind:
        assert back.details == fcm.details


def test_edited_map_is_exported(pages, hands, tmp_path):
    """Files contain the edited map."""
    page = pages.open("traffic")
    page.locator("[data-concept]").first.click()
    page.locator(".influences input").first.fill("-0.25")
    text, filename = hands.saved(page, "Map as JSON")
    (tmp_path / filename).write_text(text, encoding="utf-8")
    fcm, _, _ = pages.model("traffic")
    back = read_map(tmp_path / filename)
    assert (back.weights != fcm.weights).sum() == 1
    assert -0.25 in back.weights


@pytest.mark.parametrize("name", ["iris", "traffic", "hostile"])
def test_picture_is_an_svg_of_the_shown_map(pages, hands, name):
    """It is valid XML with the boxes and arrows of the page, and names as text."""
    page = pages.shared(name)
    text, filename = hands.saved(page, "Picture (SVG)")
    root = ElementTree.fromstring(text)
    space = {"s": "http://www.w3.org/2000/svg"}
    assert filename.endswith(".svg")
    assert len(root.findall(".//s:rect", space)) == page.locator(".node").count()
    assert len(root.findall(".//s:polygon", space)) == page.locator(".arrow:not(.gone)").count()
    tags = {one.tag.split("}")[1] for one in root.iter()}
    assert tags <= {"svg", "title", "path", "polygon", "text", "g", "rect", "circle"}


@pytest.mark.parametrize("name", ["iris", "diabetes", "hostile", "traffic", "people"])
def test_python_code_reproduces_the_page(pages, hands, name):
    """The code runs and gives the numbers of the page, also for an edited map."""
    model, _, _ = pages.model(name)
    page = pages.open(name)
    if name not in ("traffic", "people"):
        hands.set_entry(page, 1, "3.25")
    page.locator("[data-concept]").nth(5).click()
    page.locator(".influences input").first.fill("0.375")
    code = page.locator("#share pre").inner_text()
    shown = {}
    names = dict.fromkeys(("model", "pipeline", "fcm"), model)
    exec(code, {**names, "print": lambda value: shown.setdefault(len(shown), value)})
    if name == "traffic":
        states = page.locator("#values output").all_inner_texts()
        assert sorted(map(float, states)) == pytest.approx(sorted(shown[0].after), abs=0.0006)
        return
    *_, outputs = hands.row_of_page(page)
    np.testing.assert_allclose(np.ravel(shown[2]), outputs, rtol=1e-9, atol=1e-9)
    assert len(shown) == 3


def test_copy_opens_in_its_state_and_code_is_copied(pages, hands, tmp_path):
    """A saved copy opens in the state in which it was saved; code is copied to the clipboard."""
    page = pages.open("iris", permissions=["clipboard-read", "clipboard-write"])
    hands.set_entry(page, 0, "6.25")
    text, name = hands.saved(page, "Save a copy in this state")
    (tmp_path / name).write_text(text, encoding="utf-8")
    again = pages.open("iris")
    again.goto((tmp_path / name).as_uri())
    again.wait_for_selector("body[data-ready]")
    assert again.locator("#value-0").input_value() == "6.25"
    assert again.problems == []
    twice, _ = hands.saved(again, "Save a copy in this state")
    assert twice == text
    assert page.get_by_role("button", name="Copy link").count() == 0  # a link to a file is dead elsewhere
    page.get_by_role("button", name="Copy as Python").click()
    page.get_by_text("The code is copied.").wait_for()
    code = page.evaluate("document.querySelector('#share pre').textContent")
    assert page.evaluate("navigator.clipboard.readText()") == code
