"""`read_map`, `read_maps` and `write_map`: the file extension selects the format."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from cogmap._utils.files import output_path, read_limited, write_whole
from cogmap._utils.params import Literal, check_boolean, check_choice, check_path, numbers, param_error, suggestion
from cogmap.exceptions import DataError, ParameterError
from cogmap.maps.formats import delimited, dot, excel, graphml, json_files, mental_modeler, own_json, xml_files
from cogmap.maps.formats.drawing import Drawing
from cogmap.maps.formats.names import Named, read_names, renamed
from cogmap.maps.formats.tables import Drawings, rows_of
from cogmap.maps.formats.words import Scale
from cogmap.maps.map import FuzzyCognitiveMap

_MOST_BYTES = 32_000_000
_LONGEST = 400  # characters in a message


class Kind(NamedTuple):
    """A file format: its title, its reader, and its writer, or None if it is read-only."""

    title: str
    read: Callable[[bytes, Scale | None], Drawings]
    write: Callable[[FuzzyCognitiveMap, str, bool], bytes] | None


_DOT = Kind("DOT", dot.read, lambda fcm, *_: dot.write(fcm))
_EXCEL = Kind("an Excel workbook", excel.read, lambda fcm, table, _: excel.write(rows_of(fcm, table)))
_TABS = Kind(
    "text with tabs", delimited.read, lambda fcm, table, formulas: delimited.write(rows_of(fcm, table), "\t", formulas)
)
KINDS = {
    ".mmp": Kind("Mental Modeler", mental_modeler.read, lambda fcm, *_: mental_modeler.write(fcm)),
    ".json": Kind("JSON", json_files.read, lambda fcm, *_: own_json.write(fcm)),
    ".csv": Kind(
        "CSV", delimited.read, lambda fcm, table, formulas: delimited.write(rows_of(fcm, table), ",", formulas)
    ),
    ".tsv": _TABS,
    ".txt": _TABS,
    ".xlsx": _EXCEL,
    ".xlsm": _EXCEL._replace(write=None),
    ".dot": _DOT,
    ".gv": _DOT,
    ".graphml": Kind("GraphML", xml_files.read, lambda fcm, *_: graphml.write(fcm)),
    ".xml": Kind("XML", xml_files.read, None),
}
_NETWORKX = "Read it with networkx, and use cogmap.integrations.networkx.from_networkx."
_CURES = {".xls": "Save it as .xlsx.", ".ods": "Save it as .xlsx.", ".gexf": _NETWORKX, ".gml": _NETWORKX}


def read_map(
    path: str | os.PathLike[str],
    *,
    sheet: str | None = None,
    concepts: str | os.PathLike[str] | Sequence[str] | None = None,
    scale: Mapping[str, float] | None = None,
    weight_bounds: tuple[float, float] | None = None,
) -> FuzzyCognitiveMap:
    """Read a map from a file.

    The file extension determines the format: Mental Modeler (.mmp), JSON (.json), a weight matrix or an edge list
    (.csv, .tsv, .txt, .xlsx, .xlsm), DOT (.dot, .gv), GraphML (.graphml) or XML (.xml). The dialect of the tool that
    wrote the file is detected. In a matrix **each row is a source and each column a target**: the transpose of
    `FuzzyCognitiveMap.weights`.

    Files of most other tools do not contain bias, slope and activation: the map then has the defaults of
    `FuzzyCognitiveMap`; change them with ``read_map(path).replace(slope=5)``. Layout, groups, notes, units, lags and
    other annotations are stored in the map's `details`.

    Parameters
    ----------
    path : str or path-like
        The file.
    sheet : str, default=None
        Name of the sheet or expert to read, if the file contains several maps. `read_maps` reads all of them.
    concepts : str, path-like or sequence of str, default=None
        Names of the concepts, for a file that identifies them by numbers or short names: the path of a file with the
        names, or the names in order.
    scale : mapping, default=None
        Weights of linguistic terms, such as ``{"weak": 0.2, "strong": 0.8}``. The default is VL 0.1, L 0.25, ML 0.375,
        M 0.5, MH 0.625, H 0.75, VH 1 (or "very low", "weak", "moderate", "strong", ...), and L 0.25, M 0.62, H 1 for
        files of Mental Modeler. Each term may have a sign, "positive" or "negative".
    weight_bounds : (float, float), default=None
        Range that all weights must lie in, such as ``(-1, 1)``. None accepts any weight.

    Returns
    -------
    FuzzyCognitiveMap
        The map, with everything the file says about it in its `details`.

    See Also
    --------
    read_maps : Read all maps of a file: one per sheet of a workbook, or one per expert.
    write_map : Write a map to a file, atomically.
    load : Load an object saved by `save`.

    Examples
    --------
    >>> from cogmap import FuzzyCognitiveMap, read_map, write_map
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "rain.csv")
    >>> write_map(FuzzyCognitiveMap.from_edges([("rain", "umbrellas", 0.8)]), path)
    >>> print(path.read_text())
    "from/to","rain","umbrellas"
    "rain",0,0.8
    "umbrellas",0,0
    >>> read_map(path).weights
    array([[0. , 0. ],
           [0.8, 0. ]])
    >>> folder.cleanup()
    """
    path, drawings = _drawings(path, scale)
    bounds = _check_bounds(weight_bounds)
    names = ", ".join(map(repr, drawings))
    if sheet is not None and sheet not in drawings:
        expected = f"one of {names}" if any(drawings) else "left out, as the file has one map"
        raise param_error("read_map", "sheet", expected, sheet, suggestion(sheet, drawings))
    if sheet is None and len(drawings) > 1:
        raise DataError(
            f"The file {path} has {len(drawings)} maps: {names}. Choose one with `sheet`, or use `read_maps`."
        )
    return _map(path, drawings[next(iter(drawings)) if sheet is None else sheet], _names(concepts), bounds)


def read_maps(
    path: str | os.PathLike[str],
    *,
    concepts: str | os.PathLike[str] | Sequence[str] | None = None,
    scale: Mapping[str, float] | None = None,
    weight_bounds: tuple[float, float] | None = None,
) -> dict[str, FuzzyCognitiveMap]:
    """Read all maps of a file: one per sheet of a workbook, or one per expert.

    In a matrix each row is a source and each column a target.

    Parameters
    ----------
    path : str or path-like
        The file, in any format that `read_map` reads.
    concepts : str, path-like or sequence of str, default=None
        Names of the concepts, as in `read_map`.
    scale : mapping, default=None
        Weights of linguistic terms, as in `read_map`.
    weight_bounds : (float, float), default=None
        Range that all weights must lie in, as in `read_map`.

    Returns
    -------
    dict
        Maps, keyed by the name of the sheet or expert. A single unnamed map has the name of the file as its key.

    See Also
    --------
    read_map : Read a map from a file.
    cogmap.maps.experts.combine : Combine several maps into one.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cogmap import FuzzyCognitiveMap, read_maps, write_map
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "rain.csv")
    ...     write_map(FuzzyCognitiveMap.from_edges([("rain", "umbrellas", 0.8)]), path)
    ...     maps = read_maps(path)
    >>> {name: fcm.to_edges() for name, fcm in maps.items()}
    {'rain': [('rain', 'umbrellas', 0.8)]}
    """
    path, drawings = _drawings(path, scale)
    bounds, names = _check_bounds(weight_bounds), _names(concepts)
    return {name or path.stem: _map(path, make, names, bounds) for name, make in drawings.items()}


def write_map(
    fcm: FuzzyCognitiveMap, path: str | os.PathLike[str], *, table: str = "matrix", formulas: bool = False
) -> None:
    """Write a map to a file, atomically.

    The file extension determines the format: .mmp (Mental Modeler), .json (cogmap's own format, which is lossless),
    .csv, .tsv, .txt or .xlsx (a weight matrix or an edge list), .dot or .gv, .graphml. In a matrix **each row is a
    source and each column a target**: the transpose of `FuzzyCognitiveMap.weights`. `read_map` restores names, weights,
    bias, slope and activation exactly; a map that the format cannot represent exactly raises an error. Each format
    stores the `details` that it supports; only .json stores which concepts are held.

    Parameters
    ----------
    fcm : FuzzyCognitiveMap
        The map.
    path : str or path-like
        The file. If it exists, it is replaced; a symbolic link is followed.
    table : {"matrix", "edges"}, default="matrix"
        Layout of a table: a weight matrix or an edge list.
    formulas : bool, default=False
        If False, strings in .csv, .tsv and .txt files that a spreadsheet would evaluate as a formula, such as a concept
        named "=1+1", are prefixed with an apostrophe, which `read_map` removes. If True, they are written unchanged.

    See Also
    --------
    read_map : Read a map from a file.
    cogmap.maps.rewriting.for_people : Return a map with only the arrows that its drawing shows, and weights in [-1, 1].
    save : Save a fitted estimator to a file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from cogmap import FuzzyCognitiveMap, write_map
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "rain.csv")
    ...     write_map(FuzzyCognitiveMap.from_edges([("rain", "umbrellas", 0.8)]), path, table="edges")
    ...     print(path.read_text())
    "from","to","weight"
    "rain","umbrellas",0.8
    """
    if not isinstance(fcm, FuzzyCognitiveMap):
        raise param_error("write_map", "fcm", "a FuzzyCognitiveMap", fcm)
    check_choice("write_map", "table", table, ["matrix", "edges"])
    check_boolean("write_map", "formulas", formulas)
    path = check_path("write_map", path)
    kind = _kind(path)
    if kind.write is None:
        known = ", ".join(ending for ending, other in KINDS.items() if other.write)
        raise DataError(f"Files such as {path} can be read but not written. Extensions that can be written: {known}.")
    try:
        output_path(path)
    except OSError as problem:
        raise DataError(f"The map cannot be written to {path}: {problem.strerror}.") from None
    cure = "" if path.suffix.casefold() == ".json" else " A .json file can hold any map."
    with _told(f"The map cannot be written to {path}", cure):
        content = kind.write(fcm, table, formulas)
        if len(content) > _MOST_BYTES:
            raise DataError(f"it would have {len(content):,} bytes, more than {_MOST_BYTES:,}")
        _check_exact(fcm, next(iter(kind.read(content, None).values()))().to_map())
    write_whole(path, content)


def _check_exact(fcm: FuzzyCognitiveMap, back: FuzzyCognitiveMap) -> None:
    """Raise if the map that would be read back differs from the map to write."""
    if fcm.held and not back.held:
        fcm = fcm.replace(held=())
    if back != fcm:
        changed = next((pair for pair in zip(fcm.concepts, back.concepts, strict=False) if pair[0] != pair[1]), None)
        if changed:
            raise DataError(f"the concept {changed[0]!r} would be read back as {changed[1]!r}; rename it")
        raise DataError("it would not be read back unchanged")


def _drawings(path: str | os.PathLike[str], scale: Mapping[str, float] | None) -> tuple[Path, Drawings]:
    """Return the maps of a file, as functions that build the drawings on demand."""
    words = None if scale is None else Scale(scale)
    path = check_path("read_map", path)
    kind = _kind(path)
    content = _content(path)
    with _told(f"The map {path} cannot be read"):
        return path, kind.read(content, words)


def _map(
    path: Path, make: Callable[[], Drawing], names: list[Named] | None, bounds: tuple[float, float] | None
) -> FuzzyCognitiveMap:
    with _told(f"The map {path} cannot be read"):
        drawing = make()
        return (drawing if names is None else renamed(drawing, names)).to_map(bounds)


@contextmanager
def _told(what: str, cure: str = "") -> Iterator[None]:
    """Prefix errors raised in the block with `what`, limit their length, and append the cure."""
    try:
        yield
    except (DataError, ParameterError, UnicodeEncodeError) as problem:
        text = " ".join(str(problem).split())
        text = text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
        end = "" if text.endswith((".", "?")) else "."
        raise DataError(f"{what}: {text}{end}{cure}") from None


def _names(concepts: str | os.PathLike[str] | Sequence[str] | None) -> list[Named] | None:
    """Return the names of the concepts, from a file or a sequence."""
    if concepts is None:
        return None
    if isinstance(concepts, str | os.PathLike):
        path = check_path("read_map", concepts)
        content = _content(path)
        with _told(f"The names of concepts in {path} cannot be read"):
            return read_names(content)
    if not isinstance(concepts, Sequence) or not all(isinstance(name, str) for name in concepts):
        raise param_error("read_map", "concepts", "a file with names, or a list of names", concepts)
    return [Named(name, (), {}) for name in concepts]


def _content(path: Path) -> bytes:
    try:
        return read_limited(path, _MOST_BYTES)
    except OSError as problem:
        if problem.filename is not None:  # it does not exist, or is not readable
            raise
        raise DataError(f"The file {path} cannot be read: {problem}.") from None


def _kind(path: Path) -> Kind:
    kind = KINDS.get(path.suffix.casefold())
    if kind is None:
        hint = _CURES.get(path.suffix.casefold(), "")
        raise DataError(f"The extension of {path} must be one of {', '.join(KINDS)}. {hint}".rstrip())
    return kind


def _check_bounds(bounds: tuple[float, float] | None) -> tuple[float, float] | None:
    if bounds is None:
        return None
    pair = numbers(bounds)
    if pair.shape != (2,) or not pair[0] <= pair[1]:
        raise param_error(
            "read_map", "weight_bounds", "two numbers, the lower first, such as (-1, 1)", Literal(repr(bounds))
        )
    return float(pair[0]), float(pair[1])
