"""The sections of a project: its data, its algorithm, its resources and the texts of its report."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kanon_tui.core.addresses import misses_slashes
from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.fields.declaration import (
    FieldType,
    declared,
    inlined,
    keys_of,
    list_of,
    read_parameters,
    text,
    write_fields,
)
from kanon_tui.core.fields.yaml_text import LocatedValue, exact_number
from kanon_tui.core.table.read_options import SIZE, ReadOptions

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
    """The table of a project: its path and how to read it."""

    path: str = declared(
        help="The data file, or a folder or pattern of its parts, relative to the project file; or "
        "the connection string of a database",
        type=FieldType(_PATH, _read_path, exact_number),
        required="data: {path: FILE}",
    )
    read_options: ReadOptions = declared(factory=ReadOptions, type=inlined(ReadOptions))
    unlisted: Literal["drop", "publish", "omit"] = declared(
        "drop",
        "Columns that the project does not name: left out unless they seem quasi-identifying, "
        "published unchanged unless they seem to identify people, or left out in any case",
    )
    distinct: Literal["value", "exact"] = declared(
        "value",
        "What l, t, p and alpha count: distinct values (100 and 1e2 are one, HIV and hiv are one), "
        "or distinct spellings",
    )
    missing_policy: Literal["value", "drop"] = declared(
        "value",
        "Missing values: treated as a value, or their records dropped",
        key="missing.policy",
    )


@dataclass(frozen=True)
class AlgorithmChoice:
    """An algorithm by name, with the parameters that differ from their defaults."""

    name: str = declared(
        "global",
        "Name of the algorithm; see `kanon-tui algorithms`",
        words="the name of an algorithm",
        always=True,
    )
    params: Mapping[str, Any] = declared(
        help="Parameters that differ from their defaults",
        type=FieldType("a mapping of parameters", lambda located: located.value, dict),
        factory=dict,
    )


def _read_algorithm(located: LocatedValue) -> AlgorithmChoice:
    """Read an algorithm and those parameters that it declares."""
    at = located.entries(keys_of(AlgorithmChoice))
    name = at["name"].text("the name of an algorithm") if "name" in at else AlgorithmChoice.name
    algorithm = find_algorithm(name, f"{located.file}: {located.key}.name")
    return AlgorithmChoice(name, read_parameters(algorithm, at["params"]) if "params" in at else {})


ALGORITHM = FieldType("a mapping with the keys name and params", _read_algorithm, write_fields)
"""An algorithm and its parameters."""


Engine = Literal["auto", "memory", "stream", "dask"]


@dataclass(frozen=True)
class Resources:
    """The engine, memory and scheduler of a run. The release does not depend on them."""

    engine: Engine = declared(
        "auto",
        "Engine: in memory, streaming over pieces of the data, or on a Dask cluster; auto: in "
        "memory where the table fits",
    )
    memory: int | Literal["auto"] = declared(
        "auto", "Memory limit of a run; auto: the memory of the machine", type=SIZE
    )
    scheduler: str | None = declared(
        None,
        "Address of a Dask scheduler, like tls://host:8786, which needs --trust; none: Kanon "
        "starts its own cluster",
    )


@dataclass(frozen=True)
class ReportTexts:
    """Free text by those responsible for a release, which the report quotes as it is."""

    purpose: str = declared("", "What the release is for", type=text("a sentence"))
    recipients: str = declared("", "Who gets the release", type=text("a sentence"))
    decisions: tuple[str, ...] = declared(
        (),
        "What was decided, by whom and why",
        type=list_of(text("a sentence"), "a list of sentences"),
    )
    signed_by: tuple[str, ...] = declared(
        (),
        "Names, with their offices, of those who sign the report",
        type=list_of(text("a name"), "a list of names"),
    )
