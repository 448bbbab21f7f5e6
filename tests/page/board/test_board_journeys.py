"""A person draws a map of 8 concepts and 12 arrows with two scenarios and saves it: by mouse, touch and keyboard."""

import pytest

from cogmap import read_map

CONCEPTS = ["anglers", "boats", "cormorants", "dredging", "effluent", "fish", "grazing", "habitat"]
PLACES = [(120, 80), (330, 80), (540, 80), (120, 230), (330, 230), (540, 230), (120, 380), (330, 380)]
ARROWS = {
    ("anglers", "fish"): -0.5,
    ("boats", "fish"): -0.25,
    ("cormorants", "fish"): -0.75,
    ("fish", "cormorants"): 0.5,
    ("fish", "anglers"): 0.8,
    ("anglers", "boats"): 1,
    ("dredging", "habitat"): -1,
    ("effluent", "habitat"): -0.6,
    ("habitat", "fish"): 0.9,
    ("grazing", "effluent"): 0.3,
    ("grazing", "habitat"): -0.1,
    ("boats", "dredging"): 0.25,
}
SCENARIOS = {"no boats": {"boats": "0"}, "clean": {"effluent": "0", "dredging": "0"}}


def check(path):
    """Assert that Python reads the drawn arrows and scenarios from the saved file."""
    fcm = read_map(path)
    assert sorted(fcm.concepts) == CONCEPTS
    found = {
        (source, target): fcm.weights[i, j]
        for j, source in enumerate(fcm.concepts)
        for i, target in enumerate(fcm.concepts)
        if fcm.weights[i, j]
    }
    assert found == ARROWS
    scenarios = {
        one["name"]: {each["name"]: each["influence"] for each in one["concepts"] if "influence" in each}
        for one in fcm.details["scenarios"]
    }
    assert scenarios == SCENARIOS
    return fcm


def node(page, name):
    return page.locator(f'[data-concept][aria-label^="{name},"]')


def middle(locator):
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_with_the_mouse(boards, tmp_path):
    """Double clicks, pulled handles, fields and buttons."""
    page = boards.open()
    frame = page.locator(".board-frame").bounding_box()
    for name, (x, y) in zip(CONCEPTS, PLACES, strict=True):
        page.mouse.dblclick(frame["x"] + x, frame["y"] + y)
        page.locator(".naming").fill(name)
        page.keyboard.press("Enter")
    for (source, target), weight in ARROWS.items():
        page.mouse.click(*middle(node(page, source).locator(".ground")))
        page.mouse.move(*middle(page.locator(".node.chosen .handle circle").last))
        page.mouse.down()
        page.mouse.move(*middle(node(page, target).locator(".ground")), steps=4)
        page.mouse.up()
        page.get_by_label("Weight, as a number").fill(str(weight))
        page.keyboard.press("Enter")
    page.get_by_role("tab", name="Scenarios").click()
    for name, clamp in SCENARIOS.items():
        page.get_by_role("button", name="Add scenario").click()
        page.get_by_label("Name of the scenario").fill(name)
        page.keyboard.press("Enter")
        for concept, state in clamp.items():
            page.get_by_label(f"State at which {concept} is held").fill(state)
            page.keyboard.press("Enter")
    assert page.locator(".bars-box svg.chart").is_visible()
    fcm = check(boards.save(page, "Mental Modeler", tmp_path / "mouse.mmp"))
    # Dragged concepts stay where they were put.
    before = fcm.details["concepts"]["fish"]
    x, y = middle(node(page, "fish").locator(".ground"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 50, y + 30, steps=3)
    page.mouse.up()
    after = read_map(boards.save(page, "Mental Modeler", tmp_path / "moved.mmp")).details["concepts"]
    assert (after["fish"]["x"] - before["x"], after["fish"]["y"] - before["y"]) == (50, 30)
    assert after["habitat"] == fcm.details["concepts"]["habitat"]
    assert page.problems == []


def touch_drag(session, start, end):
    points = [(start[0] + (end[0] - start[0]) * k / 5, start[1] + (end[1] - start[1]) * k / 5) for k in range(6)]
    for k, (x, y) in enumerate(points):
        kind = "touchMove" if k else "touchStart"
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    session.page_of.wait_for_timeout(100)  # a finger that stops, not a fling, which would swallow the next tap
    session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.slow
def test_with_touch(boards, tmp_path):
    """Taps and drags of a finger; names come from the keyboard on the screen."""
    page = boards.open(width=820, height=1180, has_touch=True, is_mobile=True)
    session = page.context.new_cdp_session(page)
    session.page_of = page
    frame = page.locator(".board-frame").bounding_box()
    for name, (x, y) in zip(CONCEPTS, PLACES, strict=True):
        page.get_by_role("button", name="Add concept").tap()
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        touch_drag(session, middle(node(page, name).locator(".ground")), (frame["x"] + x, frame["y"] + y))
    for (source, target), weight in ARROWS.items():
        page.touchscreen.tap(*middle(node(page, source).locator(".ground")))
        start = middle(page.locator(".node.chosen .handle circle").last)
        touch_drag(session, start, middle(node(page, target).locator(".ground")))
        page.get_by_label("Weight, as a number").fill(str(weight))
        page.keyboard.press("Enter")
        page.evaluate("scrollTo(0, 0)")
    page.get_by_role("tab", name="Scenarios").tap()
    for name, clamp in SCENARIOS.items():
        page.get_by_role("button", name="Add scenario").tap()
        page.get_by_label("Name of the scenario").fill(name)
        page.keyboard.press("Enter")
        for concept, state in clamp.items():
            page.get_by_label(f"State at which {concept} is held").fill(state)
            page.keyboard.press("Enter")
    page.get_by_role("button", name="Save", exact=True).tap()
    with page.expect_download() as download:
        page.get_by_role("button", name="Mental Modeler").tap()
    download.value.save_as(tmp_path / "touch.mmp")
    check(tmp_path / "touch.mmp")
    assert page.problems == []


class Keys:
    """A keyboard and nothing else."""

    def __init__(self, page):
        self.page = page

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text):
        self.page.keyboard.type(text)

    def go(self, selector, key="Tab"):
        """Press Tab until an element that matches has the focus."""
        for _ in range(200):
            self.press(key)
            if self.page.evaluate("(selector) => document.activeElement?.matches(selector) ?? false", selector):
                return
        raise AssertionError(f"Tab does not reach {selector}")


@pytest.mark.slow
def test_with_the_keyboard_only(boards, tmp_path):
    """Everything can be reached with Tab, arrow keys, Enter and letters."""
    page = boards.open()
    keys = Keys(page)
    keys.go("#add-concept")
    keys.press("Enter")
    for k, name in enumerate(CONCEPTS):
        if k:
            keys.press("n")
        keys.press("Control+a")
        keys.type(name)
        keys.press("Enter")
    # The first arrow on the map: A, arrow keys to the target, Enter, its weight, Enter.
    (source, target), weight = next(iter(ARROWS.items()))
    focused = "document.activeElement.getAttribute('aria-label')"
    walk(page, keys, source)
    keys.press("a")
    walk(page, keys, target)
    keys.press("Enter")
    keys.press("Control+a")
    keys.type(str(weight))
    keys.press("Enter")
    assert page.evaluate(focused).startswith(f"{source},"), "the focus is back at the source"
    # The others in the list.
    keys.go("#view-map", "Shift+Tab")
    keys.press("ArrowRight", "ArrowRight")
    keys.go("#new-source")
    for (source, target), weight in list(ARROWS.items())[1:]:
        keys.press("Home", *["ArrowDown"] * CONCEPTS.index(source), "Tab")
        keys.press("Home", *["ArrowDown"] * CONCEPTS.index(target), "Tab", "Control+a")
        keys.type(str(weight))
        keys.press("Enter")
        assert page.evaluate("document.activeElement.id") == "new-source"
    keys.go("#tab-selected")
    keys.press("ArrowRight")
    for name, clamp in SCENARIOS.items():
        keys.go('[data-key="add-scenario"]')
        keys.press("Enter")
        keys.go('[data-key="scenario-name"]')
        keys.press("Control+a")
        keys.type(name)
        keys.press("Enter")
        for concept, state in clamp.items():
            keys.go(f'[aria-label="State at which {concept} is held"]')
            keys.type(state)
            keys.press("Enter")
            keys.go("#tab-scenarios", "Shift+Tab")
    keys.go("#bar .main", "Shift+Tab")
    keys.press("Enter")
    with page.expect_download() as download:
        keys.press("Enter")
    download.value.save_as(tmp_path / "keys.mmp")
    check(tmp_path / "keys.mmp")
    assert page.problems == []


def walk(page, keys, name):
    """Go to a concept with the arrow keys, in at most 40 steps, by looking where it lies."""
    for step in range(40):
        here, there = page.evaluate(
            """(name) => {
              const middle = (element) => {
                const box = element.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
              };
              const target = [...document.querySelectorAll("[data-concept]")]
                .find((one) => one.getAttribute("aria-label").startsWith(`${name},`));
              const here = document.activeElement;
              return target === here ? [null, null] : [middle(here), middle(target)];
            }""",
            name,
        )
        if here is None:
            return
        dx, dy = there[0] - here[0], there[1] - here[1]
        sideways = abs(dx) > abs(dy)
        if step % 5 == 4:
            sideways = not sideways
        keys.press(("ArrowRight" if dx > 0 else "ArrowLeft") if sideways else ("ArrowDown" if dy > 0 else "ArrowUp"))
    pytest.fail(f"arrow keys do not reach {name}")
