"""HTTP server for models: predictions, explanations, API documentation, metrics and the interactive page."""

from cogmap.serving.asgi import application
from cogmap.serving.bodies import Limits

__all__ = ["Limits", "application"]
