"""Hierarchies as level tables in YAML: a mapping from every value to its labels.

A file holds one under the key `levels`, a project the same table inside an attribute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.yaml_text import dump, exact_number, read_yaml
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.hierarchy.yaml_misreadings import text_of
from kanon_tui.core.table.writing import write_text

__all__ = ["from_yaml_levels", "read_yaml_levels", "to_yaml_levels", "write_yaml_levels"]


def read_yaml_levels(path: Path) -> Hierarchy:
    """The level table in a YAML file; errors name the file and the key."""
    whole = LocatedValue(path.name, "", read_yaml(path, "hierarchy"))
    levels = whole.entries(("levels",)).get("levels")
    if levels is None:
        raise whole.refuse("the key levels is missing; write levels: {VALUE: [LABEL, …], …}")
    rows = {
        value: [label.text("a label") for label in labels.items("the list of its labels")]
        for value, labels in levels.entries().items()
    }
    return from_yaml_levels(rows, path.name)


def write_yaml_levels(hierarchy: Hierarchy, path: Path, force: bool = False) -> None:
    """Write a level table as YAML, whole or not at all; an existing file needs `force`."""
    levels = {
        exact_number(value): [exact_number(label) for label in labels]
        for value, labels in to_yaml_levels(hierarchy).items()
    }
    write_text(path, dump({"levels": levels}, blocks=("levels",)), force)


def to_yaml_levels(hierarchy: Hierarchy) -> dict[str, list[str]]:
    """The level table as a project writes it: every value with its labels from level 1 on."""
    return {row[0]: list(row[1:]) for row in hierarchy.rows}


def from_yaml_levels(levels: Mapping[Any, Sequence[Any]], who: str) -> Hierarchy:
    """The hierarchy of a level table in a project; `who` names it in messages."""
    rows = []
    for written, labels in levels.items():
        value = text_of(written, f"{who}: a value of its levels")
        rows.append([value, *(text_of(x, f"{who}: a label of '{value}'") for x in labels)])
    return Hierarchy.of(rows, who)
