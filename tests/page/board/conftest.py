"""Boards to draw on in a real browser."""

import os
from pathlib import Path

import pytest

from cogmap.page import assemble, board


class Boards:
    """Boards, each written to its own file and opened in a browser."""

    def __init__(self, browser, folder):
        self._browser, self.folder, self._contexts, self._n = browser, folder, [], 0

    def open(self, fcm=None, width=1280, height=860, init=None, texts=None, **settings):
        """Write a board and open it; what it asks for and what goes wrong is kept with the page."""
        self._n += 1
        path = board(self.folder / f"board{self._n}.html", fcm, texts)
        context = self._browser.new_context(
            **{"viewport": {"width": width, "height": height}, "accept_downloads": True} | settings
        )
        self._contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.request_urls, page.problems = [], []
        page.on("request", lambda request: page.request_urls.append(request.url))
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("console", lambda message: page.problems.append(message.text))
        if init:
            page.add_init_script(init)
        page.goto(path.as_uri())
        page.wait_for_selector("body[data-ready]")
        page.path = path
        return page

    def close(self):
        """Close what was opened since the last time."""
        while self._contexts:
            self._contexts.pop().close()

    @staticmethod
    def save(page, kind, path):
        """Save a file with the menu, and return its path."""
        page.get_by_role("button", name="Save", exact=True).click()
        with page.expect_download() as download:
            page.get_by_role("button", name=kind).click()
        download.value.save_as(path)
        return path


@pytest.fixture
def boards(browser, tmp_path):
    """Boards to open; they are closed after the test."""
    made = Boards(browser, tmp_path)
    yield made
    made.close()


@pytest.fixture(scope="session")
def maps_dir():
    """A folder with maps by other people, beside the repository or named by COGMAP_MAPS."""
    folder = Path(os.environ.get("COGMAP_MAPS") or Path(__file__).parents[4] / "shared" / "maps")
    if not folder.is_dir():
        pytest.skip("the folder with maps by other people is not here (COGMAP_MAPS names it)")
    return folder


@pytest.fixture(scope="session")
def axe_script(axe):
    """The script of axe-core."""
    return axe


def _script_of(names):
    """Return a script that puts exports of modules, by file, in `window.parts`."""
    imports = "".join(f'import {{ {", ".join(each)} }} from "./{file}";\n' for file, each in names.items())
    entry = imports + f"window.parts = {{ {', '.join(name for each in names.values() for name in each)} }};\n"
    read = assemble._read
    assemble._read = lambda name: entry if name == "script/entry.js" else read(name)
    try:
        return assemble.bundle("entry.js")
    finally:
        assemble._read = read


@pytest.fixture(scope="session")
def parts_page(browser):
    """A function that returns a blank page with some exports of modules of the board in `window.parts`."""

    def make(names):
        page = browser.new_page()
        page.add_script_tag(type="module", content=_script_of(names))
        page.wait_for_function("window.parts !== undefined")
        return page

    return make
