"""A project: which data, what each attribute is, how much privacy, which algorithm.

Plain frozen dataclasses with defaults. `project_file` reads and writes them as YAML;
the application edits them with `dataclasses.replace`, so that every state can be kept for undo.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from kanon_tui.core.data.guess import guess_attributes
from kanon_tui.core.data.schema import Kind, Role
from kanon_tui.core.data.table import ReadOptions, Table
from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.hierarchy.level_table import Mark
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.task.output import Output
from kanon_tui.core.task.rules import RuleTable

__all__ = ["AlgorithmChoice", "AttributeSpec", "DataSource", "Project"]


@dataclass(frozen=True)
class DataSource:
    """Where the table is and how to read it."""

    path: str
    """As written in the project: relative to the project file."""
    read_options: ReadOptions = field(default_factory=ReadOptions)
    missing_policy: Literal["value", "drop"] = "value"


@dataclass(frozen=True)
class AttributeSpec:
    """What a project says of one attribute; None where it leaves the choice to Kanon."""

    role: Role | None = None
    kind: Kind | None = None
    format: str | None = None
    """Dates: a strptime format, needed where day and month cannot be told apart."""
    weight: float | None = None
    resolution: float | None = None
    domain: tuple[Any, Any] | None = None
    hierarchy: Mapping[str, Any] | None = None
    """As written: a builder, a file or a level table."""
    rules: RuleTable = field(default_factory=RuleTable)
    magvals: tuple[str | Mark, ...] = ()
    rv: tuple[float | None, ...] | None = None
    """Research values by hand, one per level."""


@dataclass(frozen=True)
class AlgorithmChoice:
    """An algorithm by name, with the parameters that differ from their defaults."""

    name: str = "global"
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Project:
    """Everything that makes a run reproducible."""

    data: DataSource
    attributes: Mapping[str, AttributeSpec] = field(default_factory=dict)
    """In the order the algorithms see them; columns not named here are guessed."""
    weights: Literal["equal", "auto"] = "equal"
    privacy: Privacy = field(default_factory=Privacy)
    algorithm: AlgorithmChoice = field(default_factory=AlgorithmChoice)
    seed: int = declared(
        0, "Start of random choices; the same seed, the same release", low=0, always=True
    )
    output: Output = field(default_factory=Output)
    path: Path | None = None
    """The file it was loaded from or saved to."""

    @classmethod
    def load(cls, path: str | Path) -> Project:
        """Read a project file; errors name the key at fault."""
        from kanon_tui.core.project.file import load_project

        return load_project(Path(path))

    def save(self, path: str | Path) -> Project:
        """Write it as YAML, whole or not at all; gives the project with its new path."""
        from kanon_tui.core.project.file import save_project

        return save_project(self, Path(path))

    @property
    def folder(self) -> Path:
        """Where relative paths start."""
        return self.path.parent if self.path is not None else Path()

    @property
    def data_path(self) -> Path:
        """The data file."""
        return self.folder / self.data.path

    @property
    def title(self) -> str:
        """A short name for messages."""
        return self.path.name if self.path is not None else Path(self.data.path).name

    @property
    def name(self) -> str:
        """A short name for people: the folder's where the file is just called project.yaml."""
        if self.path is not None and self.path.stem == "project":
            return self.path.resolve().parent.name
        return self.title

    def completed(self, table: Table) -> Project:
        """The project with role and kind of every column filled in, guessed where not given.

        Attributes keep the order of the project; the remaining columns follow in table order.
        """
        for name in self.attributes:
            if name not in table.names:
                raise InputError(
                    f"{self.title}: attributes.{name}: the data has no such column; "
                    f"{suggestion(name, table.names)}"
                )
        guesses = guess_attributes(table)
        completed: dict[str, AttributeSpec] = {}
        for name in (*self.attributes, *(n for n in table.names if n not in self.attributes)):
            spec, guess = self.attributes.get(name, AttributeSpec()), guesses[name]
            kind = spec.kind or guess.kind
            completed[name] = replace(
                spec,
                role=spec.role or guess.role,
                kind=kind,
                format=spec.format or (guess.date_format if kind is Kind.DATE else None),
            )
        return replace(self, attributes=completed)
