"""Import of Keras with an installed backend."""

import os
import sys
from importlib.util import find_spec
from typing import Any

from cogmap._utils.optional import import_or_raise
from cogmap.exceptions import MissingPackageError

BACKENDS = ("tensorflow", "jax", "torch")


def _import_keras() -> Any:
    """Import Keras with an installed backend; by default Keras picks TensorFlow even if it is missing."""
    if "keras" not in sys.modules and find_spec("keras"):
        installed = [name for name in BACKENDS if find_spec(name)]
        requested = os.environ.get("KERAS_BACKEND")
        if (requested in BACKENDS and requested not in installed) or not installed:
            missing = f"{requested} is not" if requested else "none of them is"
            raise MissingPackageError(
                f"Keras needs one of the packages {', '.join(BACKENDS)} as its backend, but {missing} installed. "
                "Install one, for example: pip install jax. The environment variable KERAS_BACKEND selects the backend."
            )
        os.environ.setdefault("KERAS_BACKEND", installed[0])
    return import_or_raise("keras", "cogmap.integrations.keras", "keras")


keras = _import_keras()
ops = keras.ops
