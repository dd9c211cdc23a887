"""Project files as documents: their version, how they are read, how they look.

What the keys mean is declared by the classes of a project; this knows only of mappings.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.types import whole_number
from kanon_tui.core.fields.yaml_text import dump, read_yaml
from kanon_tui.core.table.file_kinds import DATA_ENDINGS

__all__ = ["VERSION", "check_version", "file_text", "read_file"]

VERSION = 1
"""Of the form of project files; there is one so far."""


def read_file(path: Path) -> Any:
    """Return the document in a project file."""
    if path.suffix.lower() in DATA_ENDINGS:
        raise InputError(
            f"{path.name} is a data file, not a project; write a project file with "
            f"data: {{path: {path.name}}} or open it in the application"
        )
    document = read_yaml(path, "project")
    if document is None:
        raise InputError(f"{path.name} is empty; a project needs at least data: {{path: FILE}}")
    return document


def check_version(whole: LocatedValue) -> None:
    """Refuse a document that is no project, or a project of a later version."""
    if not isinstance(whole.value, Mapping):
        raise whole.refuse(
            f"{whole.shown} is not a project; write a mapping that starts with data: {{path: FILE}}"
        )
    if "version" not in whole.value:
        return
    version = whole.at("version", whole.value["version"])
    if whole_number(low=1).read(version) != VERSION:
        raise version.refuse(
            f"{version.shown} is not a version this Kanon reads; it reads version {VERSION}"
        )


def file_text(document: Mapping[str, Any]) -> str:
    """Return a document as YAML."""
    return dump(document, blocks=("data", "attributes"))
