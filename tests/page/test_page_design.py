"""Design of the page: screen sizes, print, themes, motion and accessibility."""

import pytest

ALL = ["iris", "tumours", "diabetes", "traffic", "hostile"]


@pytest.mark.parametrize("name", ALL)
def test_nothing_is_wider_than_the_screen(pages, name):
    """Only maps and tables scroll sideways, in their own frames, even if everything is open."""
    page = pages.open(name, width=820)
    page.locator("[data-concept]").first.dispatch_event("click")
    page.get_by_role("button", name="Keep what is set now as A").click()
    page.locator(".twin summary").click()
    for width in (820, 390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        beyond = page.evaluate(
            "[...document.querySelectorAll('button, select, input, p, h2, h3')].filter((one) => one.offsetParent && "
            "one.getBoundingClientRect().right > innerWidth + 1 && !one.closest('.scroll, .frame-of-map, .top nav'))"
            ".map((one) => one.outerHTML)"
        )
        assert beyond == []


def test_titles_of_parts_are_on_one_line(pages):
    """The page of a forecast has the most; the name of the page is cut instead."""
    page = pages.open("months", width=1440)
    for width in (1280, 1100, 1000, 900):
        page.set_viewport_size({"width": width, "height": 800})
        heights = "[...document.querySelectorAll('.top button')].map((one) => one.getBoundingClientRect().height)"
        assert max(page.evaluate(heights)) < 40
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def violations(page):
    """Return what axe-core, which the page has evaluated, finds in it."""
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    return [(rule["id"], [node["html"][:120] for node in rule["nodes"]][:3]) for rule in found]


@pytest.mark.parametrize(("name", "width"), [("iris", 1440), ("diabetes", 390), ("traffic", 820), ("hostile", 390)])
def test_axe_finds_nothing(pages, axe, name, width):
    """No violation of any rule of axe-core, with everything open, in both themes."""
    page = pages.open(name, width=width, bypass_csp=True)
    page.locator(".arrow:not(.gone) .reach").first.dispatch_event("click")
    page.get_by_role("button", name="Keep what is set now as A").click()
    if name == "traffic":  # a map with few influences
        page.locator(".twin summary").click()
    else:
        page.get_by_text("Paste a row").click()
        page.get_by_role("button", name="Use this row").click()
    page.evaluate(axe)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.locator(f"html[data-theme={theme}]").wait_for(state="attached")  # the browser tells with its next frame
        assert violations(page) == []


@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_in_a_forecast(pages, axe, width):
    """Nor in a scenario: the price held from March on, which changes what is said of sales."""
    page = pages.open("months", width=width, bypass_csp=True)
    sentence = page.locator("#forecast p[aria-live]")
    before = sentence.inner_text()
    page.get_by_label("Hold price").check()
    page.get_by_label("price is held from").select_option("from 2025-03")
    page.get_by_label("price is held at").fill("180")
    assert "than if nothing is held" in sentence.inner_text() != before
    page.evaluate(axe)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.locator(f"html[data-theme={theme}]").wait_for(state="attached")
        assert violations(page) == []
    assert page.problems == []


def test_the_page_of_a_panel_names_its_series(pages):
    """It shows the forecast of the first."""
    page = pages.open("shops")
    assert "Series North, the first of 2." in page.locator("#forecast").inner_text()
    assert page.problems == []


@pytest.mark.parametrize("width", [1440, 390])
def test_the_answer_of_a_forecaster_is_in_units(pages, width):
    """Also if the map computes logarithms; it is beside the last values, and no range of changes."""
    page = pages.open("turnover", width=width)
    model = pages.model("turnover")[0]
    assert model.sequence_.ends[0].transforms[0].log
    forecast = model.forecast(1).values[0, 0]  # the page opens with the row of the next step
    for part in ("#answer .said-name", "#short-answer"):
        number = page.locator(part).text_content().split()[-1].replace(",", "")
        assert float(number) == pytest.approx(forecast, rel=1e-3)
    low, high = (float(end.replace(",", "")) for end in page.locator("#answer .scale-end").all_inner_texts())
    history = model.history_[0][:, 0]
    assert (low, high) == pytest.approx((history.min(), history.max()), rel=1e-3)
    assert "These are logarithms." in page.locator("#reasons .sum").inner_text()
    assert page.problems == []


@pytest.mark.parametrize("width", [1440, 390])
def test_a_forecast_has_round_numbers_at_its_lines(pages, width):
    """And a variable to hold is in one row, or two on a phone, with its value beside its name."""
    page = pages.open("months", width=width)
    marks = page.locator(".forecast-chart text[text-anchor=end]").all_text_contents()[:-1]  # the last is a time
    assert len(marks) >= 2
    assert all(float(mark.replace("\u2212", "-")) % 10 == 0 for mark in marks)
    row = page.locator(".hold-row").first
    name, amount = (row.locator(part).bounding_box() for part in ("label", "output"))
    assert abs((name["y"] + name["height"] / 2) - (amount["y"] + amount["height"] / 2)) < 4
    assert row.bounding_box()["height"] < (60 if width == 1440 else 110)


def test_names_are_text(pages):
    """Markup in names is shown as text; it creates no element and no dialog."""
    page = pages.open("hostile")
    page.locator(".twin summary").click()
    page.locator("[data-concept='0']").click()
    assert "<img src=x onerror=alert(1)>" in page.locator(".panel h3").inner_text()
    assert page.locator("img, script:not([type]), iframe").count() == 0
    assert page.evaluate("typeof alerted") == "undefined"
    assert page.problems == []
    assert "q" * 500 in page.locator(".twin").inner_text()


def test_theme_follows_the_system_and_the_reader(pages):
    """Dark if the system is dark; a button changes it."""
    page = pages.open("iris", color_scheme="dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Change to light colours").click()
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark != light
    page.emulate_media(color_scheme="light")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == light


def test_reduced_motion_is_respected(pages):
    """Steps are played, but nothing flows and nothing scrolls smoothly."""
    moving = "getComputedStyle(document.querySelector('.arrow:not(.gone) .moving')).animationName"
    page = pages.open("iris", reduced_motion="reduce")
    page.get_by_role("button", name="Play").click()
    assert page.locator("svg.playing").count() == 1
    assert page.evaluate(moving) == "none"
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(moving) == "flowing"


def test_nothing_moves_by_itself(pages):
    """Without user actions no animation runs and no text changes."""
    page = pages.open("iris")
    before = page.content()
    page.wait_for_timeout(400)
    assert page.content() == before
    assert page.evaluate("document.getAnimations().length") == 0


def test_there_is_no_layout_shift(pages):
    """Neither when the page opens nor while a slider moves."""
    page = pages.open("tumours")
    shifts = """() => new Promise((resolve) => { const found = [];
        new PerformanceObserver((list) => found.push(...list.getEntries().map((one) => one.value)))
            .observe({ type: "layout-shift", buffered: true });
        setTimeout(() => resolve(found.reduce((a, b) => a + b, 0)), 150); })"""
    assert page.evaluate(shifts) < 0.01
    heights = "[...document.querySelectorAll('main > section')].map((one) => one.getBoundingClientRect().height)"
    before = page.evaluate(heights)
    for key in ("End", "Home", "ArrowRight"):
        page.get_by_role("slider", name="worst texture", exact=True).press(key)
        now = page.evaluate(heights)
        # The last section holds the Python code, which follows.
        assert now[:-2] == before[:-2]


def test_print_view_has_answer_reasons_quality_values_and_map_alone(pages):
    """In light colours, without controls."""
    page = pages.open("iris", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    seen = "[...document.querySelectorAll('main > section')].filter((one) => one.offsetHeight).map((one) => one.id)"
    assert page.evaluate(seen) == ["answer", "reasons", "quality", "values", "map"]
    assert page.locator("button:visible").count() == 0
    page.locator("html[data-theme=light]").wait_for(state="attached")  # the browser tells with its next frame
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_tables_contain_the_whole_map(pages):
    """Every concept, and every edge with its weight."""
    fcm, _, _ = pages.model("traffic")
    page = pages.shared("traffic")
    page.locator(".twin").evaluate("one => (one.open = true)")
    page.locator(".twin table").first.wait_for()
    concepts, edges = page.locator(".twin table").all()
    assert [line.split("\t")[0] for line in concepts.locator("tbody tr").all_inner_texts()] == list(fcm.concepts)
    lines = [line.replace("\u2212", "-").split("\t") for line in edges.locator("tbody tr").all_inner_texts()]
    weights = {(source, target): weight for source, target, weight, _ in lines}
    for (source, target), weight in weights.items():
        assert fcm.weights[fcm.concepts.index(target), fcm.concepts.index(source)] == float(weight)
    assert len(weights) == (fcm.weights != 0).sum()


def test_omissions_are_stated(pages):
    """Notes of the payload are in the footer, and the table of rows states their number."""
    page = pages.shared("tumours")
    foot = page.locator("footer").inner_text()
    assert "500 of 569 rows" in foot or "500 of the 569 rows" in page.locator("#rows").inner_text()
