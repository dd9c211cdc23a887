"""Libraries that only some files need: they come with an extra of the package."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from kanon_tui.core.errors import InputError

__all__ = ["extra_module"]


def extra_module(module: str, extra: str, who: str, what: str) -> Any:
    """A library of an extra, or the sentence that says how to get it.

    `who` is the file at fault, `what` what is done with it: `reading an Excel file`.
    """
    try:
        return import_module(module)
    except ImportError:
        raise InputError(
            f"{who}: {what} needs the library {module.partition('.')[0]}, which is not installed; "
            f"pip install 'kanon-tui[{extra}]'"
        ) from None
