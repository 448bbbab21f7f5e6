"""Downscaling of images, by the two methods behind the paper's numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cogmap._utils.optional import import_or_raise


def bicubic(images: NDArray[Any], size: int) -> NDArray[np.float64]:
    """Resize with Pillow's bicubic filter in floating point, as in the author's results file."""
    Image = import_or_raise("PIL.Image", "Downscaling of images", "paper")
    resized = [
        Image.fromarray(image.astype(np.float32)).resize((size, size), Image.Resampling.BICUBIC) for image in images
    ]
    return np.array([np.asarray(image) for image in resized], dtype=np.float64)


def stretched(images: NDArray[Any], size: int) -> NDArray[np.float64]:
    """Stretch each image to 0..255 and resize bilinearly (SciPy's former ``imresize``), as in the printed tables."""
    Image = import_or_raise("PIL.Image", "Downscaling of images", "paper")
    resized = []
    for image in images.astype(np.float64):
        low, high = image.min(), image.max()
        bytes_ = (((image - low) * (255.0 / (high - low))).clip(0, 255) + 0.5).astype(np.uint8)
        resized.append(np.asarray(Image.fromarray(bytes_).resize((size, size), Image.Resampling.BILINEAR)))
    return np.array(resized, dtype=np.float64)


RESIZINGS: dict[str, Callable[[NDArray[Any], int], NDArray[np.float64]]] = {"bicubic": bicubic, "stretched": stretched}
