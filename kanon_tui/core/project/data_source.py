"""The table of a project: where it is and how to read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kanon_tui.core.addresses import misses_slashes
from kanon_tui.core.data.read_options import ReadOptions
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.sections import inlined
from kanon_tui.core.fields.types import FieldType
from kanon_tui.core.fields.yaml_text import exact_number

__all__ = ["DataSource"]

_PATH = "the path of a data file or the connection string of a database"


def _read_path(located: LocatedValue) -> str:
    path = located.text(_PATH)
    if not path or "\0" in path:
        raise located.wrong(_PATH)
    if misses_slashes(path):  # and may hold a password, so it is not shown
        raise located.refuse(
            "it looks like a connection string with a mistake; write it like "
            "postgresql+psycopg://host/database, and a file of this name as ./NAME"
        )
    return path


@dataclass(frozen=True)
class DataSource:
    """Where the table is and how to read it."""

    path: str = declared(
        help="The data file, or a folder or pattern of its parts, relative to the project file; or "
        "the connection string of a database",
        type=FieldType(_PATH, _read_path, exact_number),
        required="data: {path: FILE}",
    )
    read_options: ReadOptions = declared(factory=ReadOptions, type=inlined(ReadOptions))
    unlisted: Literal["drop", "publish"] = declared(
        "drop",
        "Columns that the project does not name: left out unless they seem quasi-identifying, or "
        "published as they are unless they seem to identify people",
    )
    distinct: Literal["value", "exact"] = declared(
        "value",
        "What counts as different for l, t, p and alpha: values (100 and 1e2 are one, HIV and hiv "
        "are one), or spellings",
    )
    missing_policy: Literal["value", "drop"] = declared(
        "value",
        "What becomes of missing values: a value like others, or their records are dropped",
        key="missing.policy",
    )
