"""Keras, with a backend that is there."""

import os
import sys
from importlib.util import find_spec
from typing import Any

from cogmap._utils.optional import import_or_raise
from cogmap.exceptions import MissingPackageError

BACKENDS = ("tensorflow", "jax", "torch")


def _imported() -> Any:
    """Import Keras, with a backend that is installed: by itself it takes TensorFlow, whether that is there or not."""
    if "keras" not in sys.modules and find_spec("keras"):
        there = [name for name in BACKENDS if find_spec(name)]
        asked = os.environ.get("KERAS_BACKEND")
        if (asked in BACKENDS and asked not in there) or not there:
            raise MissingPackageError(
                f"Keras computes with one of the packages {', '.join(BACKENDS)}, but {asked or 'none of them'} is not "
                "installed. Install one, such as: pip install jax. KERAS_BACKEND, a variable of the environment, says "
                "which one to use."
            )
        os.environ.setdefault("KERAS_BACKEND", there[0])
    return import_or_raise("keras", "cogmap.integrations.keras", "keras")


keras = _imported()
ops = keras.ops
