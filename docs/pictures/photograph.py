"""Take the screenshots of ``docs/guide/page.md`` in a real browser: ``python docs/pictures/photograph.py``.

Needs playwright and chromium.
"""

import io
import shutil
import tempfile
from pathlib import Path

import pandas as pd
from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer, load_iris

from cogmap import fit_table
from cogmap.page import html

FOLDER = Path(__file__).parent
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run"]


def page_html(load, name):
    """Return the page of a model trained on a scikit-learn dataset, with its card."""
    data = load(as_frame=True)
    y = pd.Series(data.target_names[data.target], name=name)
    return html(fit_table(data.data.assign(**{name: y}), name), data.data, y)


def save(name, screenshot, height):
    """Save the upper part of a screenshot, with 256 colours, which suffice for a page."""
    image = Image.open(io.BytesIO(screenshot)).convert("RGB")
    image = image.crop((0, 0, image.width, min(image.height, height)))
    image.quantize(256, method=Image.Quantize.FASTOCTREE).save(FOLDER / f"{name}.png", optimize=True)


def main():
    """Take all screenshots."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        pages = {"iris": page_html(load_iris, "species"), "tumours": page_html(load_breast_cancer, "diagnosis")}
        for name, text in pages.items():
            (Path(folder) / f"{name}.html").write_text(text, encoding="utf-8")

        def open_page(name, width, height, **settings):
            page = browser.new_page(viewport={"width": width, "height": height}, **settings)
            page.goto((Path(folder) / f"{name}.html").as_uri())
            page.wait_for_selector("body[data-ready]")
            return page

        desk = open_page("iris", 1280, 1000)
        desk.get_by_role("slider", name="petal length (cm)", exact=True).fill("150")
        desk.get_by_role("slider", name="petal width (cm)", exact=True).fill("150")
        desk.evaluate("document.activeElement.blur()")
        save("page", desk.screenshot(), 1000)

        dark = open_page("iris", 1280, 1000, color_scheme="dark")
        dark.get_by_role("button", name="Show the inside").click()
        dark.locator("[data-concept]").nth(5).click()
        dark.evaluate("document.querySelector('.top').style.position = 'static'")  # otherwise it covers the map
        save("page_map", dark.locator("#map").screenshot(), 760)

        phone = open_page("tumours", 390, 844)
        save("page_phone", phone.screenshot(), 844)
        browser.close()


if __name__ == "__main__":
    main()
