"""The models of a server: loaded from files, replaced as a whole when a file changes."""

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from cogmap.exceptions import CogmapError, DataError
from cogmap.page import html
from cogmap.serving.answers import ServedModel
from cogmap.serving.bodies import Limits, RequestError
from cogmap.serving.description import openapi
from cogmap.serving.documentation import documentation
from cogmap.serving.identity import Identity, identity_of, load_model
from cogmap.serving.observed import Observed
from cogmap.table.model import TableModel

Signature = tuple[int, int, int] | None  # of a file: inode, size, modification time; None if it does not exist


class Entry:
    """A model with everything that depends on it; requests keep the entry with which they began.

    Attributes
    ----------
    name : str
        Name of the model in paths and metrics.
    identity : Identity
        Where the model comes from.
    served : ServedModel
        Answers about rows.
    document : bytes
        The OpenAPI document.
    docs : bytes
        The same as a web page.
    observed : Observed
        Counters about the predicted rows.
    """

    def __init__(
        self, name: str, model: TableModel, identity: Identity, options: "Options", previous: "Entry | None" = None
    ) -> None:
        self.name = name
        self.identity = identity
        self.served = ServedModel(model)
        document = openapi(self.served, options.limits, identity.file, options.needs_token, options.root_path)
        self.document = json.dumps(document).encode()
        self.docs = documentation(document).encode()
        self.observed: Observed = Observed(name, model, None if previous is None else previous.observed)
        self._page: bytes | None = None
        self._page_lock = threading.Lock()

    def page(self) -> bytes:
        """Return the interactive page, built on first request because large maps take a while."""
        with self._page_lock:
            if self._page is None:
                try:
                    self._page = html(self.served.model).encode()  # with its card
                except CogmapError as error:
                    raise RequestError(404, f"This model has no page: {error}") from None
            return self._page


@dataclass(frozen=True)
class Options:
    """What the API description of a model depends on besides the model."""

    limits: Limits = field(default_factory=Limits)
    needs_token: bool = False
    root_path: str = ""


class Reload(NamedTuple):
    """Result of loading a model file again: "loaded", "unchanged" or "failed" with the reason."""

    name: str
    result: str
    reason: str
    hash: str


class Models:
    """Models by name, the first of which is the default.

    Parameters
    ----------
    entries : sequence of Entry
        The models.
    options : Options
        Options for models that are loaded again.
    paths : dict of str to path, default={}
        Files of models by name.
    seen : dict of str to tuple, default={}
        Signatures of these files before the models were loaded.
    """

    def __init__(
        self,
        entries: list[Entry],
        options: Options,
        paths: Mapping[str, Path] | None = None,
        seen: Mapping[str, Signature] | None = None,
    ) -> None:
        self.entries = {entry.name: entry for entry in entries}
        self._default = entries[0].name
        self._options = options
        self._paths = dict(paths or {})
        self._seen = dict(seen or {})
        self._lock = threading.Lock()

    @classmethod
    def from_files(cls, paths: list[str], options: Options) -> "Models":
        """Load model files; the name of a model is that of its file without the extension."""
        named: dict[str, Path] = {}
        for path in map(Path, paths):
            if path.stem in named:
                raise DataError(
                    f"Two models have the name {path.stem!r}: {named[path.stem]} and {path}. Rename a file."
                )
            named[path.stem] = path
        seen = {name: _signature(path) for name, path in named.items()}
        return cls([Entry(name, *load_model(path), options) for name, path in named.items()], options, named, seen)

    @classmethod
    def from_object(cls, model: Any, title: str, options: Options) -> "Models":
        """Serve a fitted model without a file."""
        table_model = TableModel.of(model)
        return cls([Entry("model", table_model, identity_of(table_model, title), options)], options)

    @property
    def default(self) -> Entry:
        """The model of paths that do not name one."""
        return self.entries[self._default]

    def changed(self) -> list[str]:
        """Return the names of models whose files have changed since they were loaded, or since loading failed."""
        return [name for name, path in self._paths.items() if _signature(path) != self._seen[name]]

    def reload(self, names: list[str] | None = None) -> list[Reload]:
        """Load models again from their files; a model whose file cannot be loaded stays as it is."""
        with self._lock:
            return [self._reload(name) for name in (self._paths if names is None else names)]

    def _reload(self, name: str) -> Reload:
        self._seen[name] = _signature(self._paths[name])
        old = self.entries[name]
        try:
            model, identity = load_model(self._paths[name])
            if identity.hash == old.identity.hash:
                return Reload(name, "unchanged", "", identity.hash)
            self.entries[name] = Entry(name, model, identity, self._options, old)
        except (CogmapError, OSError, MemoryError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            return Reload(name, "failed", f"{reason.rstrip('.')}. The old model is still served.", old.identity.hash)
        return Reload(name, "loaded", "", identity.hash)


def _signature(path: Path) -> Signature:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
