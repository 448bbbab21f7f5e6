"""The drawing board in a real browser: size, requests, and the time of a frame while a concept is dragged.

``python -m benchmarks.board`` prints the measurements with their targets. It needs playwright and chromium. The time of
a frame is the time that the page needs for a movement of the pointer: handling, layout and painting on the main thread.
"""

import shutil
import statistics
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from benchmarks.timing import print_table
from cogmap import FuzzyCognitiveMap, page

FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
MOVES = 240

# Drags a concept with pointer events, one movement per frame, and measures the work of each frame. The work ends when
# a message posted in the frame arrives, after style, layout and painting.
DRAG = """async (moves) => {
  const node = [...document.querySelectorAll("[data-concept]")].at(70);
  const svg = document.querySelector(".board-map");
  const box = node.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const send = (target, type, dx, dy) => target.dispatchEvent(new PointerEvent(type, {
    bubbles: true, pointerId: 1, button: 0, clientX: x + dx, clientY: y + dy, pointerType: "mouse",
  }));
  svg.setPointerCapture = () => {};
  send(node, "pointerdown", 0, 0);
  const work = [], between = [];
  let last = null;
  for (let k = 0; k < moves; k++) {
    const start = await new Promise((done) => requestAnimationFrame(done));
    if (last !== null) between.push(start - last);
    last = start;
    const before = performance.now();
    send(svg, "pointermove", 200 * Math.sin(k / 20), 120 * Math.cos(k / 20));
    await new Promise((done) => {
      const channel = new MessageChannel();
      channel.port1.onmessage = done;
      channel.port2.postMessage(null);
    });
    work.push(performance.now() - before);
  }
  send(svg, "pointerup", 200, 0);
  return { work, between };
}"""


def large_map(n_concepts=150, n_edges=600):
    """Return a random map with positions on a grid."""
    random = np.random.default_rng(0)
    weights = np.zeros((n_concepts, n_concepts))
    places = random.choice(n_concepts**2, n_edges, replace=False)
    weights.flat[places] = np.round(random.uniform(-1, 1, n_edges), 2)
    names = [f"concept number {k}" for k in range(1, n_concepts + 1)]
    about = {name: {"x": 170 * (k % 15), "y": 90 * (k // 15)} for k, name in enumerate(names)}
    return FuzzyCognitiveMap(weights, concepts=names, details={"concepts": about})


def main():
    """Print all measurements."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        empty = page.board(Path(folder) / "empty.html")
        large = page.board(Path(folder) / "large.html", large_map())
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        tab = browser.new_page(viewport={"width": 1280, "height": 860})
        requests = []
        tab.on("request", lambda request: requests.append(request.url))
        tab.goto(empty.as_uri())
        tab.wait_for_selector("body[data-ready]")
        n_requests = len(requests) - 1
        tab.goto(large.as_uri())
        tab.wait_for_selector("body[data-ready]")
        measured = tab.evaluate(DRAG, MOVES)
        browser.close()
        work, between = (statistics.median(measured[key]) for key in ("work", "between"))
        rows = [
            ["size of an empty board", f"{empty.stat().st_size / 1000:.0f} kB", "200 kB"],
            ["requests besides the file", n_requests, "0"],
            [
                "work of a frame, 150 concepts, 600 arrows, median",
                f"{work:.1f} ms",
                "16 ms",
            ],
            ["the same, 95th percentile", f"{np.quantile(measured['work'], 0.95):.1f} ms", ""],
            ["time between frames, median", f"{between:.1f} ms", "16.7 ms at 60 Hz"],
        ]
    print_table("The drawing board", ["what", "measured", "asked"], rows)


if __name__ == "__main__":
    main()
