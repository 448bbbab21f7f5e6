"""Check the links of the built site: ``python docs/check_links.py docs/_build/html``.

Every link to a page, an anchor, a picture or a script must exist in the folder, no page may load anything from a
network, and no output of an example may be the text of an object of matplotlib.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """Anchors, links and objects in outputs of a page. `loads` are links that a browser follows by itself."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.objects = re.findall(r"&lt;Axes|&lt;matplotlib[\w.]+ object at|\[Text\(", text)
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if values.get("href"):
            loaded = tag == "link" and values.get("rel") in ("stylesheet", "icon", "preload")
            (self.loads if loaded else self.links).append(values["href"])
        if values.get("src"):
            self.loads.append(values["src"])


def faults(folder):
    """Return one sentence for each broken link, each resource on a network and each page with an object as output.

    Parameters
    ----------
    folder : Path
        Built site.
    """
    pages = {
        path: _Page(path.read_text(encoding="utf-8"))
        for path in sorted(Path(folder).resolve().rglob("*.html"))
        if "_static" not in path.parts
    }
    found = []
    for path, page in pages.items():
        name = path.relative_to(Path(folder).resolve())
        if page.objects:
            found.append(
                f"{name} shows an object of matplotlib as text: assign the last expression of the example to _."
            )
        for link in dict.fromkeys([*page.links, *page.loads]):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads and parts.scheme != "data":
                    found.append(f"{name} loads {link} from a network.")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                found.append(f"{name} links to {link}, which does not exist.")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{name} links to {link}, which has no such anchor.")
    return found


if __name__ == "__main__":
    lines = faults(Path(sys.argv[1]))
    sys.exit("\n".join(lines) or None)
