"""Project files: reading, writing, and moving them between folders.

    load_project(path)  → checked, or one sentence that says what is wrong and where
    save_project(project, path)  → YAML, whole or not at all

Reading what was written gives the same project, and writing it again the same text.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from kanon_tui.core.data.writing import write_text
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.yaml_text import dump, read_yaml
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.reading import project_from_mapping
from kanon_tui.core.project.writing import project_to_mapping

__all__ = [
    "load_project",
    "moved",
    "project_from_mapping",
    "project_to_mapping",
    "project_to_text",
    "save_project",
]

_DATA_ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".gz", ".zst")


def load_project(path: Path) -> Project:
    """Read a project file."""
    if path.suffix.lower() in _DATA_ENDINGS:
        raise InputError(
            f"{path.name} is a data file, not a project; write a project file with "
            f"data: {{path: {path.name}}} or open it in the application"
        )
    document = read_yaml(path, "project")
    if document is None:
        raise InputError(f"{path.name} is empty; a project needs at least data: {{path: FILE}}")
    return replace(project_from_mapping(document, path.name), path=path)


def save_project(project: Project, path: Path) -> Project:
    """Write a project file, whole or not at all; gives the project as it is there.

    Saved into another folder, its relative paths keep naming the same files.
    """
    project = moved(project, path)
    write_text(path, project_to_text(project), force=True)
    return project


def moved(project: Project, path: Path) -> Project:
    """The project as it must read in the file `path` to mean the same files."""
    old, new = os.path.realpath(project.folder), os.path.realpath(path.parent)

    def rebased(name: str) -> str:
        if old == new or os.path.isabs(name):
            return name
        return Path(os.path.relpath(os.path.join(old, name), new)).as_posix()

    attributes = {}
    for name, spec in project.attributes.items():
        hierarchy = spec.hierarchy
        if hierarchy is not None:
            hierarchy = {
                key: rebased(value) if key in ("file", "utd") else value
                for key, value in hierarchy.items()
            }
        attributes[name] = replace(spec, hierarchy=hierarchy)
    data = replace(project.data, path=rebased(project.data.path))
    return replace(project, data=data, attributes=attributes, path=path)


def project_to_text(project: Project) -> str:
    """A project as YAML."""
    return dump(project_to_mapping(project), blocks=("data", "attributes"))
