"""One column of a data file or a project, read as a run would read it."""

from __future__ import annotations

from pathlib import Path

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.pipeline.result import as_project
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.value_formats import fitting_format

__all__ = ["read_column"]


def read_column(data: Project | Path, name: str, kind: str | None = None) -> Column:
    """A column of a data file, or of a project's with what the project says of it."""
    project = as_project(data)
    table = project.read_data()
    spec = project.completed(table).attributes.get(name)
    if spec is None:
        raise InputError(
            f"{project.title}: there is no column '{name}'; {suggestion(name, table.names)}"
        )
    wanted = Kind(kind) if kind is not None else spec.kind
    assert wanted is not None, "a completed project knows every kind"
    return table.column(name, wanted, fitting_format(wanted, spec.format))
