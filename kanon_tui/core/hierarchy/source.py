"""Read the bytes of a hierarchy file, or say in one sentence why they cannot be read."""

from pathlib import Path

from kanon_tui.core.errors import InputError
from kanon_tui.core.reading import DOCUMENT_LIMIT, read_bytes, reading_errors, size_text


def read_source(path: Path) -> bytes:
    """Return the bytes of a hierarchy file."""
    too_large = InputError(
        f"{path}: the hierarchy has more than {size_text(DOCUMENT_LIMIT)}; leave out values that "
        "the data does not have, or use a builder"
    )
    with reading_errors(path, "hierarchy file"):
        return read_bytes(path, DOCUMENT_LIMIT, too_large)
