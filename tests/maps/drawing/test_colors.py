"""Colors are distinguishable with any kind of color vision, and visible on light and dark backgrounds."""

from itertools import combinations

import numpy as np
import pytest

from cogmap.maps.drawing.picture import BORDER, FILLS, MUTED, NEGATIVE, OPACITY, POSITIVE, SOFT, TEXT
from cogmap.maps.drawing.text import text_width

# G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, A physiologically-based model for simulation of color vision
# deficiency, 2009: matrices for linear RGB at full severity.
VISION = {
    "all cones": np.eye(3),
    "no red cones": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green cones": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "no blue cones": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}
LIGHT, DARKS = "#FFFFFF", ("#111111", "#0D1117", "#1E1E1E")  # notebooks, pages and editors


def linear(color):
    values = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def luminance(rgb):
    return float(rgb @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    """Return the contrast ratio of WCAG 2."""
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def lab(rgb):
    """Return CIE L*a*b* of linear RGB."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.array(to_xyz) @ np.clip(rgb, 0, 1) / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def distance(one, other, vision):
    matrix = np.array(VISION[vision])
    return float(np.linalg.norm(lab(matrix @ linear(one)) - lab(matrix @ linear(other))))


@pytest.mark.parametrize("vision", VISION)
def test_signs_are_distinguishable_with_any_vision(vision):
    """A difference of 2.3 is just noticeable; thin lines far from each other need much more."""
    assert distance(POSITIVE, NEGATIVE, vision) > 40


@pytest.mark.parametrize("vision", VISION)
def test_line_colors_are_distinguishable_with_any_vision(vision):
    """The six colors used on white; dashes and markers separate the rest."""
    pytest.importorskip("matplotlib")
    from cogmap.plotting.canvas import COLORS, N_ON_WHITE

    for one, other in combinations(COLORS[:N_ON_WHITE], 2):
        assert distance(one, other, vision) > 8


@pytest.mark.parametrize("ground", [LIGHT, *DARKS])
def test_arrows_and_labels_are_visible_on_any_background(ground):
    """WCAG 2 requires 3:1 for graphics and large text; arrows are slightly transparent."""
    below = linear(ground)
    for color in (POSITIVE, NEGATIVE):
        mixed = _gamma_mix(color, ground)
        assert contrast(mixed, below) > 3
    assert contrast(linear(SOFT), below) > 3.9


def _gamma_mix(color, ground):
    """Blend as browsers do, in nonlinear RGB."""
    mixed = "#" + "".join(
        f"{round(OPACITY * int(color[i : i + 2], 16) + (1 - OPACITY) * int(ground[i : i + 2], 16)):02X}"
        for i in (1, 3, 5)
    )
    return linear(mixed)


@pytest.mark.parametrize("fill", FILLS.values())
def test_names_are_readable_in_their_boxes(fill):
    """WCAG 2 AAA requires 7:1; names of concepts without drawn edges are dimmed."""
    assert contrast(linear(TEXT), linear(fill)) > 7
    assert contrast(linear(MUTED), linear(fill)) > 4.5
    assert contrast(linear(SOFT), linear(fill)) > 3
    assert contrast(linear(BORDER), linear(fill)) > 2


def test_text_width_is_a_slight_overestimate():
    """Against the widths of matplotlib's font, the widest common one."""
    pytest.importorskip("matplotlib")
    from matplotlib.textpath import TextToPath

    for text in (
        "petal width (cm) is high", "CLASS=MALIGNANT", "od280/od315_of_diluted_wines", "iiiiillll....", "MMMWWW@@%%",
        "0.123456789", "Größe, naïveté, çà", "Численность населения", "αβγδ", "[a-z] {x|y} #1 & <2>; \"q\" 'p'",
    ):  # fmt: skip
        real = TextToPath().get_text_width_height_descent(text, _font(), False)[0] / 10
        assert 0.98 * real <= text_width(text, 1.0) <= 1.25 * real, text


def _font():
    from matplotlib.font_manager import FontProperties

    return FontProperties(family="DejaVu Sans", size=10)
