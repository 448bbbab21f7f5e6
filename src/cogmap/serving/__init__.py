"""HTTP server for models: predictions, explanations, API documentation, metrics and the interactive page."""

from cogmap._utils.optional import import_or_raise

import_or_raise("msgspec", "cogmap.serving", "serve")

from cogmap.serving.asgi import application  # noqa: E402
from cogmap.serving.bodies import Limits  # noqa: E402

__all__ = ["Limits", "application"]
