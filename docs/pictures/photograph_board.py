"""Take the screenshots of ``docs/guide/workshop.md`` in a real browser: ``python docs/pictures/photograph_board.py``.

Needs playwright and chromium. The maps are those of the guide.
"""

import re
import shutil
import tempfile
from pathlib import Path

from photograph import FLAGS, FOLDER, save
from playwright.sync_api import sync_playwright

from cogmap import FuzzyCognitiveMap, write_map
from cogmap.page import board

GUIDE = FOLDER.parent / "guide" / "workshop.md"


def maps_of_the_guide(folder):
    """Write the maps of the three participants, as the guide defines them, and return the files."""
    (code,) = re.findall(r"^people = \{.*?^\}", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    namespace = {}
    exec(code, namespace)
    files = [Path(folder) / f"{name}.mmp" for name in namespace["people"]]
    for file, edges in zip(files, namespace["people"].values(), strict=True):
        fcm = FuzzyCognitiveMap.from_edges(edges)
        write_map(fcm, file.with_suffix(".csv"))
    return [file.with_suffix(".csv") for file in files]


def main():
    """Take all screenshots."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        files = maps_of_the_guide(folder)
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(board(Path(folder) / "board.html").as_uri())
        page.wait_for_selector("body[data-ready]")

        page.set_input_files("#file", files[0])
        page.locator(".node").nth(5).wait_for()
        page.get_by_label("Name of the map").fill("The lake, by the fisher")
        page.get_by_label("Name of the map").press("Enter")
        page.evaluate("window.board.board.show({ edge: [3, 2], concepts: [] })")
        page.get_by_role("button", name="Fit").click()
        page.mouse.move(5, 5)
        save("board", page.screenshot(), 800)

        page.get_by_role("tab", name="People").click()
        page.set_input_files("#people-files", files)
        page.get_by_role("button", name="Confirm all").click()
        page.get_by_role("button", name="Open the merged map").click()
        page.get_by_label("colour the arrows").check()
        page.get_by_role("button", name="Fit").click()
        page.get_by_text("colour the arrows").scroll_into_view_if_needed()
        page.evaluate("document.getElementById('side').scrollBy(0, 330)")
        page.mouse.move(5, 5)
        save("board_people", page.screenshot(), 800)

        page.get_by_label("colour the arrows").uncheck()
        page.get_by_role("tab", name="Scenarios").click()
        for name, clamp in {"less fishing": {"Fishing": "0.1"}, "more reed": {"Reed": "1"}}.items():
            page.get_by_role("button", name="Add scenario").click()
            page.get_by_label("Name of the scenario").fill(name)
            page.get_by_label("Name of the scenario").press("Enter")
            for concept, state in clamp.items():
                page.get_by_label(f"State at which {concept} is held").fill(state)
                page.get_by_label(f"State at which {concept} is held").press("Enter")
            page.get_by_label("Desired change of Fish", exact=True).select_option("1")
        page.set_viewport_size({"width": 1280, "height": 1500})
        page.evaluate("document.activeElement.blur()")
        save("board_scenarios", page.locator("#side").screenshot(), 1400)
        browser.close()


if __name__ == "__main__":
    main()
