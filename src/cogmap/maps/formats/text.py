"""Text from bytes, whatever program has written them."""

import re

from cogmap.exceptions import DataError

# Cells, elements or words: more than a map of 1,000 concepts has, and a file of nothing else would fill the memory.
MOST_PARTS = 4_000_000

OLD_EXCEL = "an Excel workbook of before 2007: save it as .xlsx"
_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_SIGNATURES = {
    b"PK\x03\x04": "a zip file, perhaps an Excel workbook: name it .xlsx",
    b"\xd0\xcf\x11\xe0": OLD_EXCEL,
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\x1f\x8b": "compressed: unpack it first",
}
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def decoded(content: bytes) -> str:
    """Return the text of a file: UTF-8, UTF-16 with a mark, or the Windows encoding of western Europe."""
    for signature, kind in _SIGNATURES.items():
        if content.startswith(signature):
            raise DataError(f"it is {kind}")
    encoding = next((name for mark, name in _MARKS.items() if content.startswith(mark)), "utf-8")
    for choice in (encoding, "cp1252"):
        try:
            text = content.decode(choice)
        except UnicodeDecodeError:
            continue
        if not CONTROLS.search(text):
            return text
        break
    raise DataError("it is not text")
