"""Draw the diagrams of ``docs/about/reproduction.md`` and ``ARCHITECTURE.md``: ``python docs/pictures/diagrams.py``."""

from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape

FOLDER = Path(__file__).parent
INK, BLUE, ORANGE, PAPER = "#1d2733", "#1F83C4", "#D55E00", "#ffffff"


class Diagram:
    """Boxes and arrows on a light background, readable on light and dark pages."""

    def __init__(self, width, height, title):
        self.head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" style="max-width:100%;height:auto" font-family="system-ui, sans-serif" '
            'font-size="14">\n'
            f"<title>{escape(title)}</title>\n"
            f'<rect width="{width}" height="{height}" rx="10" fill="{PAPER}"/>\n'
        )
        self.parts = []

    def box(self, x, y, width, height, *lines, fill="#eaf3fb"):
        """Draw a box centred at (x, y), with lines of text."""
        self.parts.append(
            f'<rect x="{x - width / 2}" y="{y - height / 2}" width="{width}" height="{height}" rx="7" fill="{fill}" '
            f'stroke="{INK}" stroke-width="1"/>'
        )
        for number, line in enumerate(lines):
            self.text(x, y + 18 * (number - (len(lines) - 1) / 2) + 5, line)

    def text(self, x, y, line, color=INK, anchor="middle", size=14):
        """Draw a line of text; ``^`` starts a superscript that ends at the next space."""
        content = escape(line)
        if "^" in line:
            base, _, raised = line.partition("^")
            raised, _, rest = raised.partition(" ")
            content = (
                f'{escape(base)}<tspan dy="-5" font-size="11">{escape(raised)}</tspan>'
                f'<tspan dy="5">{escape(" " + rest)}</tspan>'
            )
        self.parts.append(
            f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{color}" font-size="{size}">{content}</text>'
        )

    def arrow(self, *points, color=INK, dashed=False):
        """Draw an arrow along a polyline; its head points along the last segment."""
        (x, y), (tip_x, tip_y) = points[-2], points[-1]
        length = ((tip_x - x) ** 2 + (tip_y - y) ** 2) ** 0.5
        along = (tip_x - x) / length, (tip_y - y) / length
        foot = tip_x - 9 * along[0], tip_y - 9 * along[1]
        path = " L".join(f"{a:.1f},{b:.1f}" for a, b in [*points[:-1], foot])
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="1.6"{dash}/>')
        sides = [(foot[0] - side * along[1], foot[1] + side * along[0]) for side in (4.5, -4.5)]
        corners = " ".join(f"{a:.1f},{b:.1f}" for a, b in [(tip_x, tip_y), *sides])
        self.parts.append(f'<polygon points="{corners}" fill="{color}"/>')

    def save(self, name):
        """Write the diagram to an SVG file."""
        text = self.head + "\n".join(self.parts) + "\n</svg>\n"
        (FOLDER / f"{name}.svg").write_text(text, encoding="utf-8")


def unrolled():
    """Draw the unrolled map and its gradient: the paper's figure 6."""
    diagram = Diagram(880, 330, "A map of depth 3 unrolled: states go forward, gradients backward, and are summed.")
    places = [100, 330, 560, 790]
    for step, x in enumerate(places):
        role = ["features, outputs at 0.5", "", "learned features", "outputs are read"][step]
        diagram.box(x, 70, 110, 44, f"A^({step})")
        diagram.text(x, 34, role, size=12)
    for step, (left, right) in enumerate(pairwise(places)):
        diagram.arrow((left + 55, 62), (right - 55, 62), color=BLUE)
        diagram.text((left + right) / 2, 53, "f(W A + b)", color=BLUE, size=13)
        diagram.arrow((right - 55, 80), (left + 55, 80), color=ORANGE, dashed=True)
        diagram.arrow(((left + right) / 2, 80), ((left + right) / 2, 150), color=ORANGE)
        diagram.box((left + right) / 2, 172, 150, 42, f"δW, δb of step {step}", fill="#fdf0e6")
        end = 445 + 90 * (step - 1)
        middle = (left + right) / 2
        bend = [] if end == middle else [(middle, 230), (end, 230)]
        diagram.arrow((middle, 193), *bend, (end, 268), color=ORANGE)
    diagram.arrow((805, 155), (805, 92), color=ORANGE)
    diagram.box(805, 172, 70, 34, "loss", fill="#fdf0e6")
    diagram.box(445, 288, 360, 40, "δW = sum of the steps, δb = sum of the steps", fill="#fdf0e6")
    diagram.text(20, 300, "blue: the same W and b", color=BLUE, anchor="start", size=12)
    diagram.text(20, 316, "in every step", color=BLUE, anchor="start", size=12)
    diagram.text(860, 300, "orange: backpropagation,", color=ORANGE, anchor="end", size=12)
    diagram.text(860, 316, "Algorithm 2", color=ORANGE, anchor="end", size=12)
    diagram.save("unrolled")


def experiment():
    """Draw the data flow of the experiment: the paper's figure 7."""
    diagram = Diagram(900, 400, "The experiment: folds, rivals, the map, clusters of its features, and pipelines.")
    diagram.box(85, 190, 120, 50, "dataset")
    diagram.box(255, 190, 130, 64, "5 folds", "train, test")
    diagram.arrow((145, 190), (190, 190))
    diagram.box(480, 70, 190, 50, "12 rivals: fit, test")
    diagram.box(480, 190, 190, 50, "map: fit, test")
    diagram.arrow((320, 175), (385, 75))
    diagram.arrow((320, 190), (385, 190))
    diagram.box(765, 70, 180, 50, "accuracy, macro F1", fill="#eef7ee")
    diagram.arrow((575, 62), (675, 62))
    diagram.arrow((575, 190), (630, 190), (630, 78), (675, 78))
    diagram.box(480, 300, 190, 50, "A^(d-1) unscaled")
    diagram.arrow((480, 215), (480, 275), color=BLUE)
    diagram.text(490, 250, "transform", color=BLUE, anchor="start", size=12)
    diagram.box(765, 235, 180, 50, "3 clustering scores", fill="#eef7ee")
    diagram.arrow((575, 295), (610, 295), (610, 228), (675, 228), color=BLUE)
    diagram.arrow((255, 222), (255, 375), (640, 375), (640, 244), (675, 244), dashed=True)
    diagram.text(265, 368, "original features", anchor="start", size=12)
    diagram.box(765, 310, 180, 50, "12 rivals after the map")
    diagram.arrow((575, 310), (675, 310), color=BLUE)
    diagram.arrow((855, 310), (880, 310), (880, 70), (855, 70))
    diagram.save("experiment")


def layers():
    """Draw the packages of cogmap, one row per layer, grouped by purpose."""
    groups = [
        ("interfaces", "#eef7ee", [["cli"], ["serving"], ["research"], ["integrations"]]),
        ("from data to models", "#eaf3fb", [["comparators", "page", "plotting"], ["table"], ["estimators"]]),
        ("models, files, explanations", "#fdf0e6", [["persistence"], ["explanation"], ["_learning"], ["models"]]),
        ("maps, foundation", "#f3f0fa", [["maps"], ["statistics"], ["_utils"], ["exceptions"]]),
    ]
    n_rows = sum(len(rows) for _, _, rows in groups)
    diagram = Diagram(
        640, 40 + 34 * n_rows + 14 * len(groups), "Layers of cogmap: each package imports only lower layers."
    )
    y = 30
    for title, fill, rows in groups:
        diagram.text(20, y + 17 * (len(rows) - 1) + 5, title, anchor="start", size=13)
        for names in rows:
            width = 396 / len(names)
            for place, name in enumerate(names):
                diagram.box(214 + width * (place + 0.5), y, width - 6, 28, name, fill=fill)
            y += 34
        y += 14
    diagram.arrow((624, 20), (624, y - 34), color=BLUE)
    diagram.text(616, y - 20, "may import", color=BLUE, anchor="end", size=12)
    diagram.save("layers")


if __name__ == "__main__":
    unrolled()
    experiment()
    layers()
