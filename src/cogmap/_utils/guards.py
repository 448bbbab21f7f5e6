"""Validate XML and zip files of unknown origin: size and structure are checked before they are parsed or unpacked.

Errors are half sentences: the caller names the file.
"""

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from xml.parsers import expat

from cogmap.exceptions import CogmapError, DataError

_DEEPEST = 100
_MOST_PARTS = 1_000  # members of a zip file
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def check_xml(content: bytes, most_elements: int) -> None:
    """Raise if XML is not well-formed, too large or too deeply nested, or has a document type declaration.

    Entities, which can expand to gigabytes or read other files, require such a declaration. No supported tool writes
    one.
    """
    parser = expat.ParserCreate()
    depth = count = 0

    def start(*_: object) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        if count > most_elements:
            raise DataError(f"it has more than {most_elements:,} elements, too many for a map or a table")
        if depth > _DEEPEST:
            raise DataError(f"line {parser.CurrentLineNumber}: elements are nested more than {_DEEPEST} deep")

    def end(_: object) -> None:
        nonlocal depth
        depth -= 1

    def declared(*_: object) -> None:
        raise DataError(
            f"line {parser.CurrentLineNumber}: it has a document type declaration, in which entities may be hidden; "
            "delete the declaration if you trust the file"
        )

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = declared
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, LookupError, ValueError) as problem:
        if isinstance(problem, DataError):
            raise
        raise DataError(f"it is not well-formed XML: {problem}") from None


@contextmanager
def opened_zip(content: bytes, most_bytes: int) -> Iterator[zipfile.ZipFile]:
    """Open a zip file that unpacks to at most `most_bytes`; raise DataError for any defect."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            parts = package.infolist()
            size = sum(part.file_size for part in parts)  # no member is read beyond its declared size
            if size > most_bytes or len(parts) > _MOST_PARTS:
                raise DataError(
                    f"it would unpack to {size:,} bytes in {len(parts):,} members, more than {most_bytes:,} bytes or "
                    f"{_MOST_PARTS:,} members"
                )
            for part in parts:
                if part.flag_bits & 0x1 or part.compress_type not in _METHODS:
                    raise DataError(f"its member {part.filename[:80]!r} is encrypted or its compression unsupported")
            yield package
    except (CogmapError, MemoryError):
        raise
    except Exception as problem:  # for damaged files, zipfile and zlib raise more than their own exceptions
        raise DataError(f"it is cut off or damaged ({problem})") from None


def check_workbook(content: bytes, most_bytes: int, most_elements: int) -> None:
    """Check the sizes and the XML of an Excel workbook before openpyxl sees it."""
    with opened_zip(content, most_bytes) as package:
        if "xl/workbook.xml" not in package.namelist():
            raise DataError("it is a zip file, but not an Excel workbook")
        for part in package.infolist():
            if part.filename.endswith((".xml", ".rels")):
                check_xml(package.read(part), most_elements)
