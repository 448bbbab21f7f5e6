"""The board as a page: size, requests, accessibility, storage, undo, bad input, languages."""

import contextlib
import json
import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Error

from cogmap import FCMClassifier, FuzzyCognitiveMap, page, read_map, write_map
from cogmap.exceptions import CogmapError
from cogmap.maps.experts import combine, match_names, unify_names
from cogmap.page import board, english_texts

ACT = "(action) => window.board.app.act(action)"
DOC = "window.board.board.doc"
LAKE = FuzzyCognitiveMap.from_edges(
    [("laws", "pollution", -0.5), ("pollution", "fish", -1.0), ("fish", "people", 0.25), ("fish", "fish", 0.1)],
    details={"name": "The lake", "concepts": {"fish": {"x": 400, "y": 200, "group": "nature"}}},
)


def notice(page):
    return page.locator("#notice").inner_text()


def test_an_empty_board_is_small_and_asks_for_nothing(boards):
    """At most 200 kB, and no request but its own file, whatever is opened in it."""
    page = boards.open()
    assert page.path.stat().st_size <= 200_000
    for view in ("matrix", "list", "report", "map"):
        page.get_by_role("tab", name=view.capitalize()).click()
    assert page.request_urls == [page.path.as_uri()]
    assert page.problems == []


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.slow)])
def test_axe_finds_nothing(boards, axe, width):
    """No violation in any view or tab, in both themes."""
    page = boards.open(LAKE, width=width, bypass_csp=True)
    page.evaluate(ACT, {"do": "addScenario", "name": "less"})
    page.evaluate(ACT, {"do": "clamp", "at": 0, "id": 2, "state": 0.2})
    page.evaluate(ACT, {"do": "desire", "at": 0, "id": 3, "direction": 1})
    people = [{"name": name, "map": page.evaluate("window.board.app.payload.map")} for name in ("Ada", "Bo")]
    people[1]["map"] = json.loads(json.dumps(people[1]["map"]).replace('"fish"', '"Fishes"'))
    page.evaluate(ACT, {"do": "addPeople", "people": people})
    page.evaluate(axe)
    states = [
        ("map", "selected", {"concepts": [3]}),
        ("map", "selected", {"edge": [1, 2]}),
        ("matrix", "scenarios", {}),
    ]
    states += [("list", "numbers", {}), ("report", "people", {}), ("map", "selected", {"concepts": [1, 2]})]
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.locator(f"html[data-theme={theme}]").wait_for(state="attached")
        for view, tab, selected in states:
            page.evaluate(
                "(changes) => window.board.board.show(changes)",
                {"view": view, "tab": tab, "concepts": [], "edge": None} | selected,
            )
            found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
            assert [(rule["id"], [node["html"][:150] for node in rule["nodes"]][:3]) for rule in found] == [], (
                view,
                tab,
            )


def test_nothing_is_wider_than_the_screen(boards):
    """Only tables scroll sideways, in their own frames."""
    page = boards.open(LAKE)
    for width in (1280, 390, 320):
        page.set_viewport_size({"width": width, "height": 860})
        for view in ("map", "matrix", "list", "report"):
            for tab in ("selected", "scenarios", "numbers", "people"):
                page.evaluate("([view, tab]) => window.board.board.show({ view, tab })", [view, tab])
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, view, tab)


EDITS = """([seed, count]) => {
  const { board, act, invalid } = window.edited;
  let state = seed;
  const random = () => ((state = (state * 1103515245 + 12345) % 2147483648) / 2147483648);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const wrong = [];
  const seen = [board.doc]; // the states that undo and redo go through; documents are never changed in place
  const texts = new Map([[board.doc, JSON.stringify(board.doc)]]);
  let depth = 0;
  for (let k = 0; k < count; k++) {
    const ids = board.doc.concepts.map(({ id }) => id);
    const edge = pick(board.doc.edges) ?? { source: 1, target: 1 };
    const some = () => pick(ids) ?? 99;
    const action = pick([
      () => ({ do: "add", x: 900 * random(), y: 600 * random() }),
      () => ({ do: "add", name: pick(["a", "b", "c", " ", "雨"]) }),
      () => ({ do: "rename", id: some(), name: pick(["x", "y", "z", "", "fish"]) }),
      () => ({ do: "remove", ids: ids.length > 30 ? [some(), some()] : [some()] }),
      () => ({ do: "move", to: { [some()]: [random(), random()] } }),
      () => ({ do: "concept", ids: [some()], details: { group: pick(["g", "h", ""]), color: "#fde2cf", notes: "n" } }),
      () => ({ do: "connect", source: some(), target: some(), weight: 2 * random() - 1 }),
      () => ({ do: "connect", source: some(), target: some(), weight: pick([NaN, Infinity, 0.5]) }),
      () => ({ do: "weight", source: edge.source, target: edge.target, weight: 2 * random() - 1 }),
      () => ({ do: "edge", source: edge.source, target: edge.target, details: { confidence: 1 } }),
      () => ({ do: "disconnect", source: edge.source, target: edge.target }),
      () => ({ do: "reverse", source: edge.source, target: edge.target }),
      () => ({ do: "dynamics", slope: pick([1, 2, -1]), rule: pick(["kosko", "modified", "other"]) }),
      () => ({ do: "addScenario" }),
      () => ({ do: "clamp", at: Math.floor(3 * random()), id: some(), state: random() }),
      () => ({ do: "desire", at: 0, id: some(), direction: 1 }),
      () => ({ do: "removeScenario", at: 0 }),
    ])();
    const roll = random();
    const before = board.doc;
    if (roll < 0.15) board.undo();
    else if (roll < 0.25) board.redo();
    else act(action);
    if (board.doc !== before) {
      depth += roll < 0.15 ? -1 : 1;
      if (roll < 0.25) {
        if (board.doc !== seen[depth]) wrong.push([k, roll < 0.15 ? "undo" : "redo"]);
      } else {
        seen.length = depth;
        seen.push(board.doc);
        if (k % 50 === 0) texts.set(board.doc, JSON.stringify(board.doc));
      }
    }
    const problem = invalid(board.doc);
    if (problem) wrong.push([k, action.do, problem]);
  }
  while (board.canUndo) board.undo();
  if (board.doc !== seen[0]) wrong.push("the first state does not come back");
  for (const [doc, text] of texts) if (JSON.stringify(doc) !== text) wrong.push("a state was changed");
  while (board.canRedo) board.redo();
  return { wrong, concepts: board.doc.concepts.length };
}"""
STORE = """() => {
  const board = parts.createBoard(parts.EMPTY);
  const act = (action) => {
    try {
      return board.act(action);
    } catch (error) {
      if (error instanceof parts.Problem) return false;
      throw error;
    }
  };
  window.edited = { board, act, invalid: parts.invalid };
}"""


def test_10000_random_edits_stay_valid_and_can_be_undone(parts_page):
    """After every edit, undo and redo the state is valid, and undo and redo restore each state exactly."""
    page = parts_page(
        {"board_doc.js": ["EMPTY", "invalid"], "board_store.js": ["createBoard"], "board_text.js": ["Problem"]}
    )
    page.evaluate(STORE)
    found = page.evaluate(EDITS, [11, 10_000])
    page.close()
    assert found["wrong"] == []
    assert found["concepts"] > 0


@pytest.mark.parametrize(
    "tab", ["selected", *(pytest.param(tab, marks=pytest.mark.slow) for tab in ("scenarios", "numbers"))]
)
def test_random_edits_are_drawn(boards, tab):
    """Edits with the map and a tab drawn after every one."""
    page = boards.open(LAKE)
    page.evaluate(
        "() => { const { board, app, invalid } = window.board; window.edited = { board, act: app.act, invalid }; }"
    )
    page.evaluate("(tab) => window.board.board.show({ view: 'map', tab })", tab)
    assert page.evaluate(EDITS, [5, 150])["wrong"] == []
    drawn = page.evaluate("[document.querySelectorAll('.node').length, document.querySelectorAll('.arrow').length]")
    doc = page.evaluate(DOC)
    assert drawn == [len(doc["concepts"]), len(doc["edges"])]
    assert page.problems == []


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_a_killed_tab_loses_at_most_the_last_second(boards, seed):
    """Edits go on, the tab is killed without a warning, and the board restores all but the last second of them."""
    page = boards.open(LAKE)
    page.evaluate(
        """() => {
          window.log = [];
          let k = 0;
          setInterval(() => {
            window.board.app.act({ do: "add", name: `k${k++}` });
            window.log.push([performance.now(), k]);
          }, 20);
        }"""
    )
    page.wait_for_timeout(1200 + 330 * seed)
    log = page.evaluate("[performance.now(), window.log]")
    other = page.context.new_page()
    with page.expect_event("crash"), contextlib.suppress(Error):  # the process of the tab ends at once
        page.goto("chrome://crash")
    other.goto(page.path.as_uri())
    other.wait_for_selector("body[data-ready]")
    assert "Restored" in other.locator("#saved").inner_text()
    names = {concept["name"] for concept in other.evaluate(DOC)["concepts"]}
    now, edits = log
    safe = [k for time, k in edits if time <= now - 1000]
    assert safe
    assert all(f"k{k - 1}" in names for k in safe)
    assert other.evaluate("window.board.invalid(window.board.board.doc)") is None


def test_full_or_forbidden_storage_is_said(boards):
    """The state beside the title says that nothing is saved, and drawing goes on."""
    full = boards.open(
        init="Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }"
    )
    full.evaluate(ACT, {"do": "add", "name": "fish"})
    full.get_by_text("the storage of the browser is full").wait_for()
    init = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })"
    forbidden = boards.open(init=init)
    forbidden.evaluate(ACT, {"do": "add", "name": "fish"})
    forbidden.get_by_text("the browser forbids storage").wait_for()
    assert forbidden.problems == full.problems == []


def test_damaged_storage_is_ignored(boards):
    """A board whose stored state is not valid starts with its own map."""
    page = boards.open(LAKE)
    page.evaluate(ACT, {"do": "add", "name": "rain"})
    page.get_by_text("Saved in this browser").wait_for()
    for text in ("{", '{"version": 1, "doc": {"concepts": [{"id": 1}]}}', '{"version": 7}'):
        page.evaluate("(text) => localStorage.setItem(Object.keys(localStorage)[0], text)", text)
        page.reload()
        page.wait_for_selector("body[data-ready]")
        assert [one["name"] for one in page.evaluate(DOC)["concepts"]] == ["laws", "pollution", "fish", "people"]


def test_boards_do_not_share_their_state(boards):
    """Two boards in one browser keep their own maps, though pages from disk share the storage."""
    page = boards.open(LAKE)
    page.evaluate(ACT, {"do": "add", "name": "rain"})
    page.get_by_text("Saved in this browser").wait_for()
    second = page.context.new_page()
    second.goto(board(boards.folder / "second.html").as_uri())
    second.wait_for_selector("body[data-ready]")
    assert second.evaluate(DOC)["concepts"] == []


BAD_ACTIONS = {
    "two concepts of one name": ({"do": "rename", "id": 1, "name": "fish"}, "There is already a concept named “fish”"),
    "no name": ({"do": "rename", "id": 1, "name": "  "}, "a concept needs a name"),
    "weight": ({"do": "connect", "source": 1, "target": 3, "weight": 1e300}, "A weight must be a finite number"),
    "slope": ({"do": "dynamics", "slope": -2}, "must be a number greater than 0"),
    "reversed": ({"do": "reverse", "source": 1, "target": 2}, "already an arrow in the other direction"),
}


def test_bad_actions_are_refused_in_a_sentence(boards):
    """Nothing changes, and the notice says why."""
    page = boards.open(LAKE)
    page.evaluate(ACT, {"do": "connect", "source": 2, "target": 1, "weight": 0.5})
    before = page.evaluate(f"JSON.stringify({DOC})")
    for name, (action, words) in BAD_ACTIONS.items():
        assert page.evaluate(ACT, action) is False, name
        assert words in notice(page), name
        assert page.evaluate(f"JSON.stringify({DOC})") == before, name


def test_typed_weights_and_states_out_of_range_are_refused(boards):
    """In the panel, the matrix and the scenarios; words are understood."""
    page = boards.open(LAKE)
    page.evaluate("window.board.board.show({ edge: [1, 2] })")
    entry = page.get_by_label("Weight, as a number")
    entry.fill("7")
    entry.press("Enter")
    entry.blur()
    assert "Weights go from \N{MINUS SIGN}1 to 1, and 7 does not." in notice(page)
    for text, weight in (("strong positive", 0.75), ("H-", -0.75), ("0,3", 0.3)):
        entry.fill(text)
        entry.blur()
        assert page.evaluate(f"{DOC}.edges[0].weight") == weight
    assert notice(page) == ""
    page.get_by_role("tab", name="Scenarios").click()
    page.get_by_role("button", name="Add scenario").click()
    page.get_by_label("State at which fish is held").fill("1.5")
    page.get_by_label("State at which fish is held").blur()
    assert "States of “fish” go from 0 to 1, and 1.5 does not." in notice(page)


def test_an_arrow_onto_itself_is_not_drawn_by_accident(boards):
    """A handle dropped on its own concept asks; the button draws it."""
    page = boards.open(LAKE)
    node = page.locator('[data-concept][aria-label^="laws,"]')
    node.click()
    handle = page.locator(".node.chosen .handle circle").last.bounding_box()
    box = node.bounding_box()
    page.mouse.move(handle["x"] + 8, handle["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + 12, box["y"] + 12, steps=3)
    page.mouse.up()
    assert "The arrow ends where it starts" in notice(page)
    assert len(page.evaluate(DOC)["edges"]) == 4
    page.get_by_role("button", name="Arrow onto itself").click()
    assert len(page.evaluate(DOC)["edges"]) == 5


def test_matrix_and_list_edit_the_same_map(boards):
    """Cells and rows change arrows; Delete removes them; undo brings them back."""
    page = boards.open(LAKE)
    page.get_by_role("tab", name="Matrix").click()
    cell = page.locator('[data-edge="4 1"]')
    cell.focus()
    page.keyboard.type("-0.4")
    page.keyboard.press("Enter")
    assert page.evaluate(f"{DOC}.edges.at(-1)") == {"source": 4, "target": 1, "weight": -0.4, "details": {}}
    page.keyboard.press("Delete")
    assert len(page.evaluate(DOC)["edges"]) == 4
    page.get_by_role("button", name="Undo").click()
    assert page.locator('[data-edge="4 1"]').inner_text() == "\N{MINUS SIGN}0.4"
    page.get_by_role("tab", name="List").click()
    page.get_by_label("Weight: people → laws").fill("0.9")
    page.get_by_label("Weight: people → laws").press("Enter")
    assert page.evaluate(f"{DOC}.edges.at(-1).weight") == 0.9
    page.get_by_label("Name of the concept", exact=True).nth(1).fill("anglers")
    page.get_by_label("Name of the concept", exact=True).nth(1).press("Enter")
    assert page.evaluate(f"{DOC}.concepts[0].name") == "anglers"


def test_tidy_moves_only_what_is_asked(boards):
    """The author's positions stay; "Tidy all" moves all."""
    page = boards.open(LAKE)
    place = f"{DOC}.concepts.find(({{ name }}) => name === 'fish').details"
    page.get_by_role("button", name="Tidy new ones").click()
    assert page.evaluate(place) == {"x": 400, "y": 200, "group": "nature"}
    assert all("x" in concept["details"] for concept in page.evaluate(DOC)["concepts"])
    page.get_by_role("button", name="Tidy all").click()
    assert page.evaluate(place)["x"] != 400


def test_files_are_opened_and_come_back(boards, tmp_path):
    """Opened by button, saved as JSON: the file saved is the file opened, with people and scenarios."""
    write_map(LAKE, tmp_path / "lake.json")
    write_map(LAKE.replace(weights=0.5 * LAKE.weights), tmp_path / "half.mmp")
    (tmp_path / "bad.csv").write_text("from,to\na,b\n")
    page = boards.open()
    page.set_input_files("#file", tmp_path / "lake.json")
    page.get_by_role("tab", name="People").click()
    page.set_input_files("#people-files", [tmp_path / "lake.json", tmp_path / "half.mmp"])
    page.get_by_role("button", name="Open the merged map").click()
    saved = boards.save(page, "Whole board", tmp_path / "saved.json")
    fcm = read_map(saved)
    assert np.allclose(fcm.weights, 0.75 * LAKE.weights)
    assert [one["name"] for one in fcm.details["people"]] == ["lake", "half"]
    assert len(page.evaluate(DOC)["people"]) == 2
    other = boards.open()
    other.set_input_files("#file", saved)
    other.locator(".node").nth(3).wait_for()
    before = other.evaluate(DOC)
    assert boards.save(other, "Whole board", tmp_path / "again.json").read_bytes() == saved.read_bytes()
    other.set_input_files("#file", tmp_path / "bad.csv")
    other.locator("#notice:not([hidden])").wait_for()
    assert notice(other).startswith("bad.csv cannot be opened: line 1, column 1: a list of arrows needs a column")
    assert other.evaluate(DOC) == before


def test_undo_after_opening_moves_nothing(boards, tmp_path):
    """Concepts without a position of the author lie where they were, also after another map was on the board."""
    plain = FuzzyCognitiveMap.from_edges([("a", "b", 1.0), ("b", "c", -1.0), ("c", "a", 0.5)])
    write_map(LAKE, tmp_path / "lake.csv")
    page = boards.open(plain)
    place = "[...document.querySelectorAll('.node')].map((one) => one.getAttribute('transform')).sort().join()"
    before = page.evaluate(place)
    page.set_input_files("#file", tmp_path / "lake.csv")
    page.locator(".node").nth(3).wait_for()
    page.get_by_role("button", name="New", exact=True).click()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    assert page.evaluate(place) == before


def test_a_dense_map_shows_its_strongest_arrows(boards):
    """All arrows stay in the map; the slider and a selected concept show more of them."""
    weights = np.random.default_rng(0).normal(size=(20, 20))
    page = boards.open(FuzzyCognitiveMap(weights))
    drawn = page.locator(".arrow:not(.gone)")
    assert drawn.count() == 40
    assert page.get_by_text("40 of 400 arrows").is_visible()
    page.evaluate("window.board.board.show({ concepts: [1] })")
    assert drawn.count() >= 39
    page.get_by_label("Number of arrows drawn").fill("400")
    assert drawn.count() == 400
    assert len(page.evaluate(DOC)["edges"]) == 400


def test_files_are_dropped(boards):
    """One file opens as the map, several as people; a workbook and another kind of file get a sentence."""
    drop = """(files) => {
      const data = new DataTransfer();
      for (const [name, text] of files) data.items.add(new File([text], name));
      window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
    }"""
    page = boards.open()
    page.evaluate(drop, [["lake.csv", "from,to,weight\nrain,fish,0.5\n"]])
    page.locator(".node").nth(1).wait_for()
    page.evaluate(drop, [["a.csv", "from,to,weight\nrain,fish,0.5\n"], ["b.csv", "from,to,weight\nrains,fish,1\n"]])
    page.get_by_text("1 pair of names may mean the same").wait_for()
    assert len(page.evaluate(DOC)["concepts"]) == 2
    page.evaluate(drop, [["a.xlsx", "PK"], ["b.docx", "x"]])
    page.locator("#notice:not([hidden])").wait_for()
    assert "a.xlsx cannot be opened: Excel files are not read in the browser: save the sheet as CSV" in notice(page)
    assert "b.docx cannot be opened: it is not a map" in notice(page)


def test_steps_are_played_on_the_map(boards):
    """The slider shows the states of a step in the boxes, Play goes through them, and they can be hidden."""
    page = boards.open(LAKE)
    page.evaluate(ACT, {"do": "addScenario", "name": "laws"})
    page.evaluate(ACT, {"do": "clamp", "at": 0, "id": 1, "state": 1})
    page.get_by_role("tab", name="Scenarios").click()
    page.get_by_label("Step", exact=True).fill("0")
    assert page.get_by_text("step 0").is_visible()
    assert page.locator(".meter:not([hidden])").count() == 4
    page.get_by_role("button", name="Play").click()
    page.get_by_text("step 2").wait_for()
    page.get_by_role("button", name="Hide states").click()
    page.get_by_role("button", name="Pause").click()
    assert page.problems == []


def test_the_map_fills_the_paper(boards):
    """Printed, the drawing is fitted to the page, and the view comes back afterwards."""
    page = boards.open(LAKE)
    before = page.locator(".board-map > g").first.get_attribute("transform")
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".board-map").first.get_attribute("viewBox") is not None
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator(".board-map > g").first.get_attribute("transform") == before


PEOPLE = {
    "fisher": [("Fishing", "Fish", -0.75), ("Pollution", "Fish", -1.0), ("Reed", "Fish", 0.5)],
    "farmer": [("Fertilisers", "Pollution", 0.25), ("reeds", "Pollution", -0.5), ("Pollution", "fishes", 0.25)],
    "ranger": [("Fishing", "Fish", -0.5), ("Dünger", "Pollution", 1.0), ("Pollution", "Fish", -0.75)],
}


def test_a_workshop_from_three_files_to_the_report(boards, tmp_path):
    """Names are confirmed, the maps merged as Python merges them, disagreement is coloured, and the report has all."""
    files = [tmp_path / f"{name}.mmp" for name in PEOPLE]
    maps = [FuzzyCognitiveMap.from_edges(edges) for edges in PEOPLE.values()]
    for file, fcm in zip(files, maps, strict=True):
        write_map(fcm, file)
    page = boards.open()
    page.set_input_files("#file", files)
    page.get_by_label("Your translations").fill("Dünger, Fertilisers")
    page.get_by_label("Your translations").blur()
    page.get_by_text("3 groups of names may mean the same").wait_for()
    page.get_by_role("button", name="Confirm all").click()
    page.get_by_label("People count").select_option("credibility")
    page.get_by_role("button", name="Open the merged map").click()
    merged = read_map(boards.save(page, "Whole board", tmp_path / "merged.json"))
    matches = match_names(maps, {"Dünger": "Fertilisers"})
    expected = combine(unify_names(maps, matches), weights="credibility")
    assert merged.concepts == expected.concepts
    np.testing.assert_allclose(merged.weights, expected.weights, rtol=0, atol=1e-9)
    page.get_by_label("colour the arrows").check()
    assert page.locator(".arrow.differs-3").count() >= 1
    assert page.get_by_text("farmer: your arrow differs most at Pollution → Fish").is_visible()
    page.get_by_role("tab", name="Report").click()
    report = page.locator(".report")
    assert report.locator("img").count() == 5, "the map, three people, the merged map"
    for words in ("Feedback loops", "fisher", "Merged map of 3 people", "Where they disagree", "Group 1"):
        assert words in report.inner_text()
    assert page.problems == []


def test_pictures_are_saved(boards, tmp_path):
    """SVG that parses, with all names, and PNG."""
    page = boards.open(LAKE)
    svg = boards.save(page, "Picture (.svg)", tmp_path / "map.svg").read_text()
    assert all(name in svg for name in LAKE.concepts)
    assert (
        page.evaluate("(svg) => new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement.tagName", svg)
        == "svg"
    )
    assert boards.save(page, "Picture (.png)", tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    assert page.problems == []


def test_hostile_names_are_text(boards):
    """Markup in names creates no element, in any view."""
    names = ["<img src=x onerror=alert(1)>", '"></script><script>alert(2)</script>', "{{style}} \u202e", "n" * 500]
    weights = np.ones((4, 4))
    page = boards.open(FuzzyCognitiveMap(weights, concepts=names, details={"name": names[1]}))
    for view in ("map", "matrix", "list", "report"):
        for tab in ("selected", "scenarios", "numbers", "people"):
            page.evaluate("([view, tab]) => window.board.board.show({ view, tab, concepts: [1] })", [view, tab])
    assert page.locator("img:not(.report-map), iframe").count() == 0
    assert page.problems == []


def test_another_language_is_one_file(boards, tmp_path):
    """With every text translated, no English word is left in any view, tab or selection."""
    english = english_texts()
    assert len(english) > 250
    translated = {key: re.sub(r"[A-Za-z]+(?![^{]*\})", "ßß", text) for key, text in english.items()}
    (tmp_path / "xx.json").write_text(json.dumps(translated | {"language": "xx"}), encoding="utf-8")
    page = boards.open(LAKE.replace(concepts=["1", "2", "3", "4"], details={}), texts=tmp_path / "xx.json")
    assert page.locator("html").get_attribute("lang") == "xx"
    page.evaluate(ACT, {"do": "addScenario"})
    page.evaluate(ACT, {"do": "clamp", "at": 0, "id": 1, "state": 1})
    page.evaluate(ACT, {"do": "desire", "at": 0, "id": 2, "direction": 1})
    people = [{"name": name, "map": page.evaluate("window.board.app.payload.map")} for name in ("5", "6")]
    page.evaluate(ACT, {"do": "addPeople", "people": people})
    for view, tab, chosen in [
        ("map", "selected", {"concepts": [1]}),
        ("matrix", "selected", {"edge": [1, 2]}),
        ("list", "scenarios", {}),
        ("report", "numbers", {}),
        ("map", "people", {}),
        ("map", "selected", {"concepts": [1, 2]}),
        ("map", "selected", {}),
    ]:
        page.evaluate(
            "(changes) => window.board.board.show(changes)",
            {"view": view, "tab": tab, "concepts": [], "edge": None} | chosen,
        )
        labels = page.evaluate("[...document.querySelectorAll('[aria-label]')].map((one) => one.ariaLabel).join(' ')")
        left = re.findall(r"[A-Za-z]{3,}", page.locator("body").inner_text() + labels)
        assert left == [], (view, tab)


BAD_TEXTS = {
    "unknown key": ('{"undoo": "x"}', "Did you mean 'undo'"),
    "no strings": ('{"undo": 7}', "must be a JSON object of strings"),
    "placeholders": ('{"openedFile": "opened"}', "must have the placeholders"),
    "no JSON": ("undo: x", "are not JSON"),
}


@pytest.mark.parametrize("name", BAD_TEXTS)
def test_bad_texts_are_refused(tmp_path, name):
    """In a sentence that names the key; no board is written."""
    content, words = BAD_TEXTS[name]
    (tmp_path / "xx.json").write_text(content)
    with pytest.raises(CogmapError, match=words):
        page.board(tmp_path / "b.html", texts=tmp_path / "xx.json")
    assert not (tmp_path / "b.html").exists()


def test_a_learned_map_opens_with_its_prior(boards, iris, tmp_path):
    """A map drawn on the board is a prior by column names, and the board shows what the data changed."""
    X, y = iris
    drawing = boards.open(FuzzyCognitiveMap.from_edges([("petal length", "petal width", 0.5), ("mood", "soil", 1.0)]))
    drawing.evaluate("window.board.board.show({ concepts: [1, 2] })")
    prior = read_map(boards.save(drawing, "Prior for cogmap fit", tmp_path / "prior.json"))
    assert prior.concepts == ("petal length", "petal width")
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    fcm = FCMClassifier(random_state=0, n_teachers=0, prior=prior).fit(pd.DataFrame(X, columns=names), y)
    page = boards.open(fcm)
    (deviation,) = fcm.prior_deviations_[:1] or [None]
    shown = page.evaluate("window.board.app.payload.prior.edges")
    assert len(shown) == 1
    if deviation is not None:
        assert shown[0]["weight"] == pytest.approx(deviation.prior), "in the units of the learned map"
    page.get_by_role("tab", name="People").click()
    assert page.locator("#side th", has_text="petal length → petal width").is_visible()


def test_bad_arguments_of_board(tmp_path):
    """Each names the argument; nothing is written."""
    for arguments, words in (
        ((tmp_path / "no" / "b.html",), "does not exist"),
        ((tmp_path / "b.html", 7), "map"),
        ((tmp_path / "b.html", FuzzyCognitiveMap(np.zeros((501, 501)))), "at most 500"),
        ((7,), "path"),
    ):
        with pytest.raises(CogmapError, match=words):
            page.board(*arguments)
    assert list(tmp_path.iterdir()) == []
