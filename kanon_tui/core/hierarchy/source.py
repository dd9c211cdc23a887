"""Read the bytes of a hierarchy file, or say in one sentence why they cannot be read."""

from __future__ import annotations

from pathlib import Path

from kanon_tui.core.errors import InputError
from kanon_tui.core.reading import DOCUMENT_LIMIT, read_bytes, size_text

__all__ = ["read_source"]


def read_source(path: Path) -> bytes:
    """Return the bytes of a hierarchy file."""
    too_large = InputError(
        f"{path}: the hierarchy has more than {size_text(DOCUMENT_LIMIT)}; leave out values that "
        "the data does not have, or use a builder"
    )
    try:
        return read_bytes(path, DOCUMENT_LIMIT, too_large)
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(
            f"{path}: there is no such file; check the name of the hierarchy"
        ) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(f"{path}: the hierarchy cannot be read: {why}") from None
