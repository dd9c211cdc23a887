"""Tables and projects as the public functions take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.pipeline.prepare import PROJECT_ENDINGS, as_project
from kanon_tui.core.project.guesses import without_stray_rows
from kanon_tui.core.project.project import Project, project_from_mapping
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.table import Table, as_frame, as_table

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    Frame: TypeAlias = (
        pl.DataFrame | pl.LazyFrame | pd.DataFrame | pa.Table | Table | Mapping[str, Sequence[Any]]
    )
    Data: TypeAlias = Frame | str | Path

Names = str | Sequence[str]
FRAME = "frame"
"""The name of a table that is given in Python, in messages and reports."""


def read_data(data: Data, options: ReadOptions = ReadOptions()) -> Table:  # noqa: B008
    """Return the table of a frame or a file."""
    if not isinstance(data, str | Path):
        return as_table(data, options.missing_tokens)
    return read_table(Path(data), options)


def make_project(
    data: Data | Project,
    quasi: Names | Mapping[str, Any] | None = None,
    sensitive: Names | None = None,
    identifier: Names | None = None,
    person: str | None = None,
    other: Names | None = None,
    accept_guesses: bool = False,
    hierarchies: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Project:
    """Return the project of a table whose columns get their roles here.

    Parameters
    ----------
    data : frame, path or Project
        A Polars, pandas or PyArrow table, a data file, a project file (.yaml) or a `Project`.
    quasi : str, list or mapping of str
        The quasi-identifiers. A mapping has a hierarchy, other settings of the attribute, or None
        for each.
    sensitive, identifier, other : str or list of str
        Columns that are sensitive, left out, or published as they are.
    person : str
        The column that says whose a record is.
    accept_guesses : bool
        Whether rows of a file that seem to be no records, such as totals, are left out.
    hierarchies : mapping of str
        Hierarchies of quasi-identifiers, where `quasi` has only their names.
    **settings
        Settings as `Project.with_` takes them: ``k=5, l=2, algorithm="mondrian"``.

    Returns
    -------
    Project
        The project. Columns that are not named are left out of the release where quasi-identifiers
        are named; otherwise their roles are guessed.

    Raises
    ------
    InputError
        If a column has two roles, a setting is not allowed, or a row of a file seems to be no
        record.
    """
    roles = {"sensitive": sensitive, "identifier": identifier, "person": person, "other": other}
    named = [(name, role) for role, names in roles.items() for name in named_columns(names)]
    is_project = isinstance(data, Project) or (
        isinstance(data, str | Path) and Path(data).suffix.lower() in PROJECT_ENDINGS
    )
    if is_project:
        if quasi is not None or named or hierarchies:
            raise InputError("a project says itself which role a column has; leave the roles out")
        return as_project(data).with_(**settings)  # type: ignore[arg-type]
    from kanon_tui.core.api.written_hierarchies import attribute_settings

    attributes: dict[str, dict[str, Any]] = {}
    for name, written in _quasi_identifiers(quasi, hierarchies).items():
        settings_of_name = attribute_settings(name, written, partial(_column_of, data, name))
        attributes[name] = {"role": "quasi", **settings_of_name}
    # Who names the quasi-identifiers has decided about all columns.
    unlisted = "omit" if attributes else "guess"
    for name, role in named:
        if name in attributes:
            raise InputError(f"{name} is {attributes[name]['role']} and {role}; name it once")
        attributes[name] = {"role": role}
    path = str(data) if isinstance(data, str | Path) else FRAME
    mapping = {"data": {"path": path, "unlisted": unlisted}, "attributes": attributes}
    project = project_from_mapping(mapping, path).with_(**settings)
    return without_stray_rows(project, accept_guesses) if path is not FRAME else project


def named_columns(names: Names | None) -> Sequence[str]:
    """Return names that are given as one or as several."""
    return () if names is None else [names] if isinstance(names, str) else names


def _quasi_identifiers(
    quasi: Names | Mapping[str, Any] | None, hierarchies: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the quasi-identifiers with what is written for each, None for nothing."""
    if not isinstance(quasi, str | Sequence | Mapping | None):
        raise InputError(
            f"quasi: {type(quasi).__name__} does not name columns; write a name, a list of names, "
            "or a mapping from names to hierarchies; a table in place of a project's file is table="
        )
    written = dict(quasi) if isinstance(quasi, Mapping) else dict.fromkeys(named_columns(quasi))
    for name, hierarchy in (hierarchies or {}).items():
        check_known(name, written, f"hierarchies: '{name}' is no quasi-identifier")
        if written[name] is not None:
            raise InputError(f"hierarchies: {name} has a hierarchy in quasi already; give it once")
        written[name] = {"hierarchy": hierarchy}
    return written


def _column_of(data: Any, name: str) -> pl.Series:
    """Return a column of a frame or a file, of a file as numbers where every cell is one."""
    if isinstance(data, str | Path):
        data = read_table(Path(data), ReadOptions())
    if isinstance(data, Table):
        check_known(name, data.names, f"no column is called '{name}'")
        return as_numbers(data.texts(name), data.missing_tokens)
    frame = as_frame(data)
    check_known(name, frame.columns, f"no column is called '{name}'")
    return frame[name]


_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"
"""A number without leading zeros: an identifier such as 01234 stays a text."""


def as_numbers(texts: pl.Series, missing: Sequence[str]) -> pl.Series:
    """Return a column as whole or decimal numbers where every cell is one; else as it is."""
    present = texts.set(texts.is_in(list(missing)), None)
    if present.null_count() == len(present) or not present.drop_nulls().str.contains(_NUMBER).all():
        return texts
    has_decimals = present.str.contains(".", literal=True).any()
    try:
        return present.cast(pl.Float64 if has_decimals else pl.Int64)
    except pl.exceptions.InvalidOperationError:  # a number with too many digits
        return texts
