"""A server for models: predictions and explanations over HTTP, with documentation, metrics and the interactive page."""

from cogmap.serving.asgi import application
from cogmap.serving.bodies import Limits

__all__ = ["Limits", "application"]
