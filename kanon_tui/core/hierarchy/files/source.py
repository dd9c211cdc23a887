"""The bytes of a hierarchy file, or one sentence that says why there are none."""

from __future__ import annotations

from pathlib import Path

from kanon_tui.core.errors import InputError

__all__ = ["read_source"]


def read_source(path: Path) -> bytes:
    """The bytes of a hierarchy file."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(
            f"{path}: there is no such file; check the name of the hierarchy"
        ) from None
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise InputError(f"{path}: the hierarchy cannot be read: {why}") from None
