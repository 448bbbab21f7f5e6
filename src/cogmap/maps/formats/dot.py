"""DOT, the language of Graphviz: ``digraph { rain -> umbrellas [influence=0.8] }``."""

import itertools
import re
from functools import partial
from typing import Any, NamedTuple

from cogmap._utils.text import decoded
from cogmap.exceptions import DataError
from cogmap.maps.formats.drawing import Drawing, as_text, at, details_from_text, edges_of, said_about
from cogmap.maps.formats.limits import check_size
from cogmap.maps.formats.tables import Drawings
from cogmap.maps.formats.words import WORDS, Scale, as_number
from cogmap.maps.map import FuzzyCognitiveMap

_TOKENS = re.compile(
    r"""
    (?P<skip>\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/)
    |(?P<quoted>"(?:[^"\\]|\\.)*")
    |(?P<html><(?:[^<>]|<[^<>]*>)*>)
    |(?P<sign>->|--|[{}\[\];,=:+])
    |(?P<plain>-?(?:\.\d+|\d+(?:\.\d*)?)|[^\W\d]\w*)
    |(?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_WEIGHTS = ("influence", "weight", "label", "xlabel")
_LOOKS = {
    "arrowhead", "arrowsize", "bb", "bgcolor", "color", "constraint", "dir", "dpi", "fillcolor", "fontcolor",
    "fontname", "fontsize", "height", "label", "layout", "len", "lheight", "lp", "lwidth", "margin", "nodesep",
    "overlap", "pad", "penwidth", "pos", "rank", "rankdir", "ranksep", "ratio", "shape", "size", "splines", "style",
    "weight", "width", "xlabel",
}  # fmt: skip
_MOST_MADE = 100_000
_KEYWORDS = {"node", "edge", "graph", "digraph", "subgraph", "strict"}


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


def _tokens(text: str) -> list[_Token]:
    tokens, line = [], 1
    for match in _TOKENS.finditer(text):
        kind, part = str(match.lastgroup), match[0]
        if kind == "other":
            raise DataError(f"line {line}: {text[match.start() : match.start() + 20]!r} is not DOT")
        if kind == "quoted":
            tokens.append(_Token(kind, re.sub(r"\\(.)", _unescaped, part[1:-1], flags=re.DOTALL), line))
        elif kind == "html":
            tokens.append(_Token("quoted", re.sub(r"<[^>]*>", "", part[1:-1]), line))
        elif kind != "skip":
            tokens.append(_Token(kind, part, line))
        line += part.count("\n")
        check_size(len(tokens), "words")
    return tokens


def _unescaped(match: re.Match[str]) -> str:
    """Resolve an escape sequence: a line continuation is removed, and an unknown escape is kept."""
    meanings = {'"': '"', "\\": "\\", "\n": "", "n": "\n", "l": "\n", "r": "\n"}
    return meanings.get(match[1], match[0])


class _Parser:
    """Recursive-descent parser of nodes, edges, attributes, and subgraphs with their own defaults."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._position = self._n_made = 0
        self.nodes: dict[str, dict[str, str]] = {}
        self.edges: list[tuple[str, str, dict[str, str], int]] = []
        self.graph: dict[str, str] = {}

    def _make(self, n_parts: int) -> None:
        """Limit the edges and attributes that subgraphs and defaults expand to: a short file could make millions."""
        self._n_made += n_parts
        if self._n_made > _MOST_MADE + 10 * len(self._tokens):
            raise DataError(
                f"its subgraphs and defaults expand to more than {_MOST_MADE:,} edges and attributes; write each edge "
                "separately"
            )

    def _next(self, kind: str, ahead: int = 0) -> str:
        """Return the text of a coming token if it is of this kind, otherwise an empty string."""
        place = self._position + ahead
        if place >= len(self._tokens) or self._tokens[place].kind != kind:
            return ""
        return self._tokens[place].text

    def _is_sign(self, text: str, ahead: int = 0) -> bool:
        return self._next("sign", ahead) == text

    def _accept(self, sign: str) -> bool:
        """Skip the next token if it is this sign; return whether it was."""
        accepted = self._is_sign(sign)
        self._position += accepted
        return accepted

    def _separators(self) -> None:
        while self._accept(";") or self._accept(","):
            pass

    def _take(self, text: str = "") -> _Token:
        if self._position >= len(self._tokens):
            raise DataError(f"it ends too early{f', before {text!r}' if text else ''}")
        token = self._tokens[self._position]
        if (text and (token.kind, token.text) != ("sign", text)) or (not text and token.kind == "sign"):
            raise DataError(f"line {token.line}: expected {text or 'a name'!r}, got {token.text!r}")
        self._position += 1
        return token

    def document(self) -> None:
        """Parse a digraph."""
        if self._next("plain").casefold() == "strict":
            self._take()
        kind = self._take()
        if kind.text.casefold() != "digraph":
            what = "its edges have no direction" if kind.text.casefold() == "graph" else "it is not DOT"
            raise DataError(f"line {kind.line}: {what}: it must begin with digraph, and begins with {kind.text!r}")
        if not self._is_sign("{"):
            self.graph["name"] = self._id()
        self._statements({"node": {}, "edge": {}})
        if self._position < len(self._tokens):
            raise DataError(f"line {self._tokens[self._position].line}: text follows after the end of the graph")

    def _id(self) -> str:
        text = self._take().text
        while self._accept("+"):
            text += self._take().text
        return text

    def _statements(self, defaults: dict[str, dict[str, str]]) -> list[str]:
        """Parse statements in braces and return the nodes that they name."""
        self._take("{")
        named: list[str] = []
        while not self._accept("}"):
            named += self._statement(defaults)
            self._separators()
        return named

    def _statement(self, defaults: dict[str, dict[str, str]]) -> list[str]:
        keyword = self._next("plain").casefold()
        if keyword in ("node", "edge", "graph") and self._is_sign("[", 1):
            self._take()
            (self.graph if keyword == "graph" else defaults[keyword]).update(self._attributes())
            return []
        if not self._is_sign("{") and self._is_sign("=", 1):
            name = self._take().text
            self._take("=")
            self.graph[name] = self._id()
            return []
        line = self._tokens[min(self._position, len(self._tokens) - 1)].line
        chain = [self._ends(defaults)]
        while self._accept("->"):
            chain.append(self._ends(defaults))
        if self._is_sign("--"):
            raise DataError(f"line {line}: the edge -- has no direction")
        attributes = self._attributes()
        if len(chain) == 1 and len(chain[0]) == 1:
            self.nodes[chain[0][0]].update(attributes)
        for sources, targets in itertools.pairwise(chain):
            about = defaults["edge"] | attributes
            self._make(len(sources) * len(targets) * (1 + len(about)))
            self.edges += [(source, target, about, line) for source, target in itertools.product(sources, targets)]
        return list(itertools.chain(*chain))

    def _ends(self, defaults: dict[str, dict[str, str]]) -> list[str]:
        """Parse a node or a subgraph, and return the names of its nodes."""
        if self._next("plain").casefold() == "subgraph":
            self._take()
            if not self._is_sign("{"):
                self._id()
        if self._is_sign("{"):
            return self._statements({key: dict(value) for key, value in defaults.items()})
        name = self._id()
        while self._accept(":"):  # a port
            self._id()
        if name not in self.nodes:
            self._make(1 + len(defaults["node"]))
            self.nodes[name] = dict(defaults["node"])
        return [name]

    def _attributes(self) -> dict[str, str]:
        attributes = {}
        while self._accept("["):
            while not self._accept("]"):
                key = self._id()
                self._take("=")
                attributes[key] = self._id()
                self._separators()
        return attributes


def read(content: bytes, scale: Scale | None) -> Drawings:
    """Read the map in a digraph; an edge ``a -> b`` is the influence of a on b."""
    return {"": partial(_drawing, decoded(content), scale or WORDS)}


def _drawing(text: str, scale: Scale) -> Drawing:
    parser = _Parser(_tokens(text))
    try:
        parser.document()
    except RecursionError:
        raise DataError("its subgraphs are nested too deep") from None
    drawing = Drawing(details=_said(parser.graph))
    names = [
        node if attributes.get("label", "\\N") == "\\N" else attributes["label"]
        for node, attributes in parser.nodes.items()
    ]
    if len(set(names)) < len(names):
        names = list(parser.nodes)
    for name, (node, attributes) in zip(names, parser.nodes.items(), strict=True):
        with at(f"node {node!r}"):
            drawing.add(name, f"node {node!r}", _said(attributes) | _place(attributes.get("pos", "")), node)
    for source, target, attributes, line in parser.edges:
        where = f"line {line}"
        key = next((key for key in _WEIGHTS if key in attributes), None)
        if key is None:
            raise DataError(f"{where}: the edge from {source!r} to {target!r} has no weight")
        with at(where):
            weight = scale.weight(attributes[key])
            about = _said({name: value for name, value in attributes.items() if name != key})
        drawing.connect(source, target, weight, where, about)
    return drawing


def _said(attributes: dict[str, str]) -> dict[str, Any]:
    """Return the attributes as details, without those that only affect drawing."""
    return details_from_text((key, value) for key, value in attributes.items() if key not in _LOOKS)


def _place(position: str) -> dict[str, float]:
    """Return x and y of a position; the y axis of Graphviz points upwards, ours downwards."""
    across, _, rest = position.rstrip("!").partition(",")
    x, y = as_number(across), as_number(rest.partition(",")[0])
    return {} if x is None or y is None else {"x": x, "y": -y}


def write(fcm: FuzzyCognitiveMap) -> bytes:
    """Convert a map to a digraph for Graphviz: ``influence`` is the exact weight, ``label`` the weight as drawn."""
    lines = ["digraph {"]
    lines += [f"  {_quoted(key)}={_quoted(text)}" for key, text in _texts(fcm.details).items()]
    about = said_about(fcm)
    for name in fcm.concepts:
        details = about.get(name, {})
        strings = _texts({key: value for key, value in details.items() if key not in ("x", "y")})
        if "x" in details and "y" in details:
            strings["pos"] = f"{as_text(details['x'])},{as_text(-details['y'])}!"
        lines.append(f"  {_quoted(name)}{_bracketed(strings)}")
    for source, target, weight, details in edges_of(fcm):
        strings = {"influence": as_text(weight) or "", "label": f"{weight:.3g}"} | _texts(details)
        lines.append(f"  {_quoted(source)} -> {_quoted(target)}{_bracketed(strings)}")
    return "\n".join([*lines, "}", ""]).encode("utf-8")


def _texts(details: dict[str, Any]) -> dict[str, str]:
    strings = {key: as_text(value) for key, value in details.items() if key not in _LOOKS and key != "influence"}
    return {key: text for key, text in strings.items() if text is not None}


def _bracketed(strings: dict[str, str]) -> str:
    return f" [{', '.join(f'{_quoted(key)}={_quoted(text)}' for key, text in strings.items())}]" if strings else ""


def _quoted(text: str) -> str:
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*|-?\d+(\.\d+)?", text) and text.casefold() not in _KEYWORDS:
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
