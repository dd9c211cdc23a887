"""The encoding of a text, and the text as UTF-8."""

import codecs
import re
from collections.abc import Iterator

import numpy as np

from kanon_tui.core.errors import InputError

_NOT_FOR_FILES = frozenset(
    ["punycode", "idna", "undefined", "unicode-escape", "raw-unicode-escape", "mbcs", "oem"]
)
"""Python's codecs from text to text that are no encodings of files, or not on every system."""
_OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an old Excel or Office file",
    b"%PDF": "a PDF document",
    b"SQLite format 3": "an SQLite database",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
}
_BYTE_ORDER_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes(set(range(1, 32)) - set(b"\t\n\v\f\r\x1a\x1b"))
_SAMPLE = 100_000
_CHUNK = 1 << 22


def to_utf8(data: bytes, encoding: str, file: str) -> tuple[bytes, str]:
    """Return the text as UTF-8 without byte order mark, and the name of the encoding it had."""
    if encoding == "auto":
        encoding = _find_encoding(data, file)
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        if not data.isascii():
            for _ in _decoded(data, "utf-8", file):
                pass  # only checks that it is valid: no copy is made
        encoding = "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
        text = data
    else:
        try:
            text = b"".join(part.encode() for part in _decoded(data, encoding, file))
        except UnicodeEncodeError:  # UTF-7 can spell out halves of a pair
            raise InputError(
                f"{file}: it holds halves of characters (surrogates) in {encoding}, which are no "
                "text; save it as UTF-8"
            ) from None
    text = text.removeprefix(codecs.BOM_UTF8)
    nul = text.find(b"\0")
    if nul >= 0:
        raise InputError(
            f"{file}: row {1 + _line_ends(text[:nul].decode())} holds a NUL byte; "
            "check that this is a text file and that its encoding is right"
        )
    return text, encoding


def is_text_encoding(name: str) -> bool:
    """Return whether Python reads files in this encoding; zlib and rot13 are no encodings."""
    try:
        found = codecs.lookup(name)
        "".encode(name)  # refused by codecs that take no text
    except (LookupError, ValueError, TypeError):
        return False
    plain = found.name.replace("_", "-")
    return found.incrementaldecoder is not None and plain not in _NOT_FOR_FILES


def _decoded(data: bytes, encoding: str, file: str) -> Iterator[str]:
    """Yield the decoded text in parts: a second whole copy is never in memory."""
    decoder = codecs.getincrementaldecoder(encoding)()
    for start in range(0, len(data), _CHUNK):
        chunk = data[start : start + _CHUNK]
        try:
            yield decoder.decode(chunk, final=start + _CHUNK >= len(data))
        except UnicodeDecodeError as error:
            held_back = len(error.object) - len(chunk)  # of a character begun before the chunk
            good = data[: start + error.start - held_back].decode(encoding, "ignore")
            raise InputError(
                f"{file}: row {1 + _line_ends(good)} is not {encoding} text (byte "
                f"0x{error.object[error.start]:02x}); set the encoding, for example to latin-1"
            ) from None
        except UnicodeError as error:  # UTF-16 or UTF-32 without a byte order mark
            raise InputError(
                f"{file} is not {encoding} text ({error}); set the encoding, for example to "
                f"{encoding}-le"
            ) from None


def _line_ends(text: str) -> int:
    """Return the number of line ends of a text; CR-LF is one."""
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _find_encoding(data: bytes, file: str) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding
    head = data[:_SAMPLE]
    other = next((what for magic, what in _OTHER_FORMATS.items() if data.startswith(magic)), None)
    if other:
        raise InputError(f"{file} is {other}; save the table as CSV, TSV or Parquet")
    if b"\0" in head:
        # Letters of Western alphabets have a zero byte beside them in UTF-16.
        zeros = np.frombuffer(head[: len(head) // 2 * 2], np.uint8).reshape(-1, 2) == 0
        first, second = zeros.mean(axis=0)
        if max(first, second) > 0.4 and min(first, second) < 0.05:
            return "utf-16-le" if second > first else "utf-16-be"
    is_utf8 = data.isascii() or _valid_utf8(data)
    # A few NUL bytes in a text get an error with their row; among other odd bytes they mean binary.
    odd = _CONTROLS if is_utf8 else _CONTROLS + b"\0"
    controls = len(head) - len(head.translate(None, odd))
    if controls > len(head) * (0.05 if is_utf8 else 0.005):
        raise InputError(f"{file} looks like a binary file; give a CSV, TSV or Parquet file")
    if is_utf8:
        return "utf-8"
    # Latin-1 has control characters at 0x80-0x9f, where Windows has letters that people use.
    if re.search(rb"[\x80-\x9f]", data) and not re.search(rb"[\x81\x8d\x8f\x90\x9d]", data):
        return "cp1252"
    return "latin-1"


def _valid_utf8(data: bytes) -> bool:
    try:
        for _ in _decoded(data, "utf-8", ""):
            pass
    except InputError:
        return False
    return True
