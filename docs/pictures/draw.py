"""Draw the figures of the README, the guides: ``python docs/pictures/draw.py``."""

from pathlib import Path

from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris

from cogmap import FCMClassifier, FCMRegressor, FuzzyCognitiveMap, arrow_intervals
from cogmap.maps.drawing.layout import layout
from cogmap.maps.drawing.svg import to_svg
from cogmap.plotting import (
    ContributionsDisplay,
    InfluenceDisplay,
    MapDisplay,
    PruningDisplay,
    StatesDisplay,
    StoryDisplay,
    WeightsDisplay,
    WhatIfDisplay,
)
from cogmap.plotting.graph import map_view

FOLDER = Path(__file__).parent

TRAFFIC = FuzzyCognitiveMap.from_edges(
    [
        ("bicycle lanes", "cyclists", 0.6),
        ("cyclists", "cars", -0.5),
        ("cars", "noise", 0.8),
        ("cars", "cyclists", -0.4),
        ("noise", "people outside", -0.6),
        ("cyclists", "people outside", 0.3),
        ("people outside", "small shops", 0.7),
        ("small shops", "cars", -0.2),
        ("small shops", "small shops", 0.3),
    ],
    details={
        "concepts": {
            "bicycle lanes": {"x": 0, "y": 40},
            "cyclists": {"x": 230, "y": 0},
            "cars": {"x": 230, "y": 190},
            "noise": {"x": 470, "y": 210},
            "people outside": {"x": 520, "y": 20},
            "small shops": {"x": 720, "y": 130},
        }
    },
)


def save(name, figure):
    """Save a matplotlib figure."""
    figure.savefig(FOLDER / f"{name}.png", dpi=100)


def save_svg(name, view):
    """Save a map as SVG, which uses the fonts of the viewer and is readable on light and dark backgrounds."""
    (FOLDER / f"{name}.svg").write_text(to_svg(layout(view)) + "\n", encoding="utf-8")


def main():
    """Draw all figures."""
    iris = load_iris(as_frame=True)
    X, y = iris.data, iris.target_names[iris.target]
    fcm = FCMClassifier(random_state=0).fit(X, y)
    save_svg("map", map_view(fcm))  # for the README
    row = X.iloc[[60]]
    save("weights", WeightsDisplay.from_estimator(fcm).figure_)
    save("states", StatesDisplay.from_estimator(fcm, row).figure_)
    save("contributions", ContributionsDisplay.from_estimator(fcm, row).figure_)
    save("story", StoryDisplay.from_estimator(fcm, row).figure_)
    save("what_if", WhatIfDisplay.from_estimator(fcm, row, "virginica").figure_)
    full = FCMClassifier(structure="full", random_state=0)
    save("pruning", PruningDisplay.from_estimator(full, X, y).figure_)

    tumours = load_breast_cancer(as_frame=True)
    fcm = FCMClassifier(random_state=0).fit(tumours.data, tumours.target_names[tumours.target])
    save("influence", InfluenceDisplay.from_estimator(fcm, tumours.data).figure_)

    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    fcm = FCMRegressor(random_state=0).fit(X, y)
    save_svg("small_map", map_view(fcm))  # for docs/guide/small-maps.md
    save_svg("how_sure", map_view(fcm, intervals=arrow_intervals(fcm, X, y)))  # for docs/guide/how-sure.md

    digits = load_digits(as_frame=True)
    fcm = FCMClassifier(structure="full", random_state=0).fit(digits.data, digits.target)
    save_svg("digits", MapDisplay.from_estimator(fcm, digits.data).view)

    save_svg("traffic", map_view(TRAFFIC))
    save_svg("traffic_columns", map_view(TRAFFIC.replace(details=None)))


if __name__ == "__main__":
    main()
