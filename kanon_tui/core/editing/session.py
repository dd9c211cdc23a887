"""A project being worked on: its table, its edits with undo, its task and its results.

This is what the screens show and change. It knows nothing of them: every edit is a new
`Project`, so that undo is going back to the one before, and what is derived from a project (the
task with its bound hierarchies and rules) is made once per project and asked for by name.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kanon_tui.core.addresses import misses_slashes
from kanon_tui.core.analysis.first_choice import first_choice
from kanon_tui.core.analysis.recommend import question
from kanon_tui.core.editing.changes import differences
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.pipeline.prepare import (
    PROJECT_ENDINGS,
    prepare,
    published_column,
    quasi_identifier,
)
from kanon_tui.core.pipeline.sampled_table import SampledTable, read_or_sample
from kanon_tui.core.pipeline.trial import Trial
from kanon_tui.core.processes.interruption import Stop, never
from kanon_tui.core.project.guesses import guessed_project, project_of_data
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project, moved
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.data_files import name_beside
from kanon_tui.core.table.profile import SinglingOut, singling_out_columns
from kanon_tui.core.table.source import Source
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import QuasiIdentifier, Task
from kanon_tui.core.text import first_few


class ChangedFileError(InputError):
    """The project's file has changed since it was read: saving would overwrite that."""

    def __init__(self, path: Path, differences: list[str]) -> None:
        super().__init__(
            f"{path.name} was changed since it was read ({first_few(differences, 3)}); save under "
            f"another name, or open it again"
        )
        self.path = path
        self.differences = differences


@dataclass(frozen=True)
class Edit:
    """A state of the project, and the edit that led to it in words for the undo message."""

    project: Project
    what: str


class Session:
    """One open project."""

    def __init__(self, project: Project, table: Table, fingerprint: str | None = None) -> None:
        self.table = table
        """All records, or a `SampledTable` of a file that is too large for memory."""
        self.closed = False
        """Whether the session is closed, so that background work should stop."""
        self.sampled = table if isinstance(table, SampledTable) else None
        """The sample that a table beyond memory was opened with."""
        self.fingerprint = fingerprint
        """The hash of the project's file as last read or written; None where it has none."""
        self.results: list[FinishedRun] = []
        self.swept = False
        """Whether a what-if sweep has been run."""
        self.opened = project
        """The project before anything was filled in from the table."""
        self.completed = completed = guessed_project(project, table)
        """The project completed from the table; beyond memory, at first, from the sample."""
        self._edits = [Edit(completed, "opened")]
        self._position = 0
        self._history = threading.Lock()
        """Guards the edits: saving rewrites them while another thread may edit."""
        self.baseline = completed
        """The project as its file has it (or as it was opened)."""
        self._derived: dict[str | None, tuple[object, Any]] = {}
        """By attribute (None: the task), the state that was derived from and the outcome."""
        self._singling_out: dict[str, SinglingOut | None] = {}
        self._first_choice: tuple[Project, str] | None = None
        """The last first choice, and the set-up that it is for."""
        self._working = threading.RLock()
        """Guards derived data: several panes ask in threads, and it is computed once."""

    # -- the data: all in memory, or a sample with what is counted of the whole

    @property
    def source(self) -> Source | None:
        """The source of a table beyond memory; None where all records are in memory."""
        return self.table.source if isinstance(self.table, SampledTable) else None

    @property
    def records(self) -> Table:
        """The records in memory: the whole table, or a sample of one beyond memory."""
        return self.table.sample if isinstance(self.table, SampledTable) else self.table

    @property
    def extent(self) -> str:
        """The extent in words: `10,000 records`, `a sample of 500 of about 10,000 records`."""
        records = f"{self.table.height:,} records"
        if not isinstance(self.table, SampledTable):
            return records
        about = "" if self.table.exact else "about "
        return f"a sample of {self.records.height:,} of {about}{records}"

    def is_sampled(self, name: str) -> bool:
        """Return whether a column is known from a sample only."""
        return isinstance(self.table, SampledTable)

    def sample_mark(self, name: str) -> str:
        """Return `, of a sample` for a column that is known from a sample only, else nothing."""
        return ", of a sample" if self.is_sampled(name) else ""

    def uncounted(self) -> list[str]:
        """Return the columns of a table beyond memory that still have to be read."""
        if isinstance(self.table, SampledTable):
            return list(self.table.names)
        kept_out = (Role.IDENTIFIER, Role.PERSON)
        attributes = self.project.attributes
        return [name for name in self.table.given_up if attributes[name].role not in kept_out]

    def check_counted(self) -> None:
        """Raise `InputError` while the values of a table beyond memory are being counted."""
        if self.uncounted():
            raise InputError(
                "one moment: the values of the file are still being counted; screen 1 says how far "
                "that is"
            )

    def records_for(self, k: int) -> Table:
        """Return the records in memory; refuse a k that is larger than their number."""
        table = self.records
        records = self.table.height
        if self.source is not None and table.height < k <= records:
            raise InputError(
                f"k is {k:,}, more than the {table.height:,} records of the sample that this is "
                f"tried on; a run uses all {records:,}"
            )
        if self.source is not None and k > records:
            raise InputError(
                f"k is {k:,} but the table has only {records:,} records; choose k of at most "
                f"{records:,}"
            )
        return table

    def extrapolated(self, trial: Trial) -> Trial:
        """Return a trial on the records in memory, extrapolated to all records."""
        return trial if self.source is None else replace(trial, records=self.table.height)

    def quasi_rows(self) -> Task:
        """Return the task over all records; raise while a table beyond memory is being read."""
        self.check_counted()
        return self.task()

    def take_counts(self, table: Table, completed: Project) -> None:
        """Replace the sample by the whole table.

        What was filled in from the sample and nobody has touched since is as the whole table has
        it, in every state of the history: it is no edit.
        """
        before = self.completed.attributes
        after = completed.attributes
        changed = {name for name, spec in after.items() if spec != before.get(name)}

        def followed(project: Project) -> Project:
            specs = project.attributes.items()
            attributes = {n: after[n] if n in changed and s == before[n] else s for n, s in specs}
            return (
                project
                if attributes == project.attributes
                else replace(project, attributes=attributes)
            )

        with self._working, self._history:
            self._edits = [Edit(followed(edit.project), edit.what) for edit in self._edits]
            self.baseline = followed(self.baseline)
            self.completed = completed
            self.table = table
            self._derived.clear()
            self._singling_out.clear()

    # -- the project and its history

    @property
    def project(self) -> Project:
        """The project as it is now, with every attribute's role and kind filled in."""
        return self._edits[self._position].project

    @property
    def dirty(self) -> bool:
        """Whether there are edits that no file has."""
        return replace(self.project, path=None) != replace(self.baseline, path=None)

    def edit(self, project: Project, what: str) -> bool:
        """Make this the current project; return False when nothing changed."""
        if project == self.project:
            return False
        with self._history:
            del self._edits[self._position + 1 :]
            self._edits.append(Edit(project, what))
            self._position += 1
        return True

    @property
    def first_choice_is_open(self) -> bool:
        """Whether the algorithm of a new project is still to be chosen, as nobody has named one."""
        project = self.project
        return project.path is None and project.algorithm.guessed and not self.uncounted()

    def first_choice(self, stop: Stop = never) -> str:
        """Return the algorithm for a project in which nobody has named one; it is tried once."""
        current_question = question(self.project)
        if self._first_choice is None or self._first_choice[0] != current_question:
            self._first_choice = current_question, first_choice(self.task(), stop)
        return self._first_choice[1]

    def preselect(self, algorithm: str) -> None:
        """Choose the algorithm of every state in which nobody has named one; it is no edit."""

        def preselected(project: Project) -> Project:
            choice = project.algorithm
            if not choice.guessed or choice.name == algorithm:
                return project
            return replace(project, algorithm=replace(choice, name=algorithm))

        with self._history:
            self._edits = [Edit(preselected(e.project), e.what) for e in self._edits]
            self.baseline = preselected(self.baseline)

    def undo(self) -> str | None:
        """Go back one edit and return its name; None where there is none."""
        if self._position == 0:
            return None
        self._position -= 1
        return self._edits[self._position + 1].what

    def redo(self) -> str | None:
        """Go forward one edit and return its name; None where there is none."""
        if self._position + 1 == len(self._edits):
            return None
        self._position += 1
        return self._edits[self._position].what

    def save(self, path: Path | None = None, *, over_changes: bool = False) -> Path:
        """Write the project file (next to the data where it has none yet).

        Raises `ChangedFileError` when somebody else has changed it since it was read, unless the
        changes are to be written over.
        """
        project = self.project
        target = path or project.own_file or self.proposed_file
        if not over_changes and project.own_file is not None:
            self._check_unchanged(project, target)
        data_path = _seen_from(target.parent, project.data_path)

        def placed(edited_project: Project) -> Project:
            if edited_project.path is None:
                edited_project = replace(
                    edited_project, data=replace(edited_project.data, path=data_path), path=target
                )
            return moved(edited_project, target)

        # An edit may come while the file is written: it has the project as it was before.
        written = placed(project).save(target)
        with self._history:
            # Saving is not an edit: every state of the history now lives in this file.
            self._edits = [Edit(placed(e.project), e.what) for e in self._edits]
            self.baseline = written
            self.fingerprint = _fingerprint(target)
        return target

    def _check_unchanged(self, project: Project, target: Path) -> None:
        """Raise `ChangedFileError` if more than comments of the file have changed."""
        assert project.path is not None
        if os.path.realpath(target) != os.path.realpath(project.path):
            return
        fingerprint = _fingerprint(target)
        if fingerprint is None or fingerprint == self.fingerprint:
            return
        try:
            file_project = guessed_project(Project.load(target), self.table)
        except KanonError as error:
            raise ChangedFileError(target, [str(error)]) from None
        if differences(file_project, self.baseline) and (
            differ := differences(file_project, project)
        ):
            raise ChangedFileError(target, differ)

    # -- edits by name

    def attribute(self, name: str) -> AttributeSpec:
        """Return the specification of an attribute."""
        return self.project.attributes[name]

    def change_attributes(self, names: Iterable[str], what: str, **changes: Any) -> bool:
        """Edit fields of one or several attributes in one undoable step.

        What a person sets is no guess any more. Another role drops the settings that do not apply
        to it, and whether unique values may be published is asked again.
        """
        if changes.keys() & {"role", "kind", "format", "hierarchy"}:
            changes.setdefault("guessed", False)
        attributes = dict(self.project.attributes)
        for name in names:
            before = attributes[name]
            role = changes.get("role", before.role)
            if role is not before.role:
                before = replace(before, publish_unique=False, **settings_to_drop(before, role))
            attributes[name] = replace(before, **changes)
        return self.edit(replace(self.project, attributes=attributes), what)

    @property
    def guessed(self) -> list[str]:
        """The attributes whose role, kind and levels are guesses, in project order."""
        return [n for n, spec in self.project.attributes.items() if spec.guessed]

    def unanswered(self) -> list[SinglingOut]:
        """Return the columns that single people out and whose publication is not yet confirmed."""
        self.check_counted()
        untouched = (Role.OTHER, Role.SENSITIVE)
        findings = []
        for name in self.table.names:
            spec = self.project.attributes[name]
            if spec.role in untouched and not spec.publish_unique:
                if name not in self._singling_out:
                    found_out = singling_out_columns(self.table, [name])
                    self._singling_out[name] = next(iter(found_out), None)
                findings.append(self._singling_out[name])
        return [finding for finding in findings if finding is not None]

    def names(self, role: Role) -> list[str]:
        """Return the attributes with a role, in project order."""
        return [n for n, spec in self.project.attributes.items() if spec.role is role]

    @property
    def proposed_file(self) -> Path:
        """A path for the file of a new project: beside its data or its configuration."""
        return name_beside(self.project.path or self.data_path, ".yaml")

    @property
    def data_path(self) -> Path:
        """The path of the data file."""
        return self.project.data_path

    def reread(self, data: DataSource) -> Session:
        """Return a session with the file read by other options, keeping settings that fit.

        Guesses are made again. What is said of a column that gets another name follows it. Nothing
        of it is in the project's file before it is saved.
        """
        before = self.project.data.read_options.rename
        options = data.read_options
        after = options.rename
        names = {before.get(name, name): after.get(name, name) for name in (*before, *after)}
        where = {names.get(name, name): condition for name, condition in options.where.items()}
        options = replace(options, where=where, counts=names.get(options.counts, options.counts))
        privacy = self.project.privacy
        required = (
            replace(
                requirement, attribute=names.get(requirement.attribute or "", requirement.attribute)
            )
            for requirement in privacy.requirements
        )
        personal = names.get(privacy.personal_k or "", privacy.personal_k)
        privacy = replace(privacy, requirements=tuple(required), personal_k=personal)
        data = replace(data, read_options=options)
        project = replace(self.project, data=data, privacy=privacy)
        table = read_or_sample(project)
        attributes = {}
        for name, spec in project.attributes.items():
            if (new_name := names.get(name, name)) in table.names:
                attributes[new_name] = AttributeSpec(guessed=True) if spec.guessed else spec
        project = replace(project, attributes=attributes)
        if project.path is None:
            project = replace(project, data=replace(data, unlisted="guess"))
        session = Session(project, table, self.fingerprint)
        session.baseline = self.baseline
        return session

    def run_title(self, result: FinishedRun) -> str:
        """Return the title of a result, such as `run 2: mondrian k=5`."""
        number = next(
            (i for i, listed_result in enumerate(self.results, 1) if listed_result is result), 0
        )
        return f"run {number}: {result.algorithm.name} k={result.task.k:,}"

    # -- derived data

    def task(self) -> Task:
        """Return the task of the current project; raise `KanonError` if it has a problem."""
        project = self.project
        made: Task = self._once(
            None, project, lambda: prepare(project, self.records_for(project.privacy.k))
        )
        return made

    def quasi_identifier(self, name: str) -> QuasiIdentifier:
        """Return an attribute with its hierarchy and rules; raise if it has a problem of its own.

        Its weight is the typed one (1 where none is typed): what a level is worth in a release
        needs the task.
        """
        spec = self.attribute(name)

        def make() -> QuasiIdentifier:
            column = published_column(self.table, name, spec)
            weight = 1.0 if spec.weight is None else spec.weight
            return quasi_identifier(column, spec, weight, self.project, [])

        made: QuasiIdentifier = self._once(name, spec, make)
        return made

    def _once(self, name: str | None, state: object, make: Callable[[], Any]) -> Any:
        """Return the result of `make` for a state, or raise its error; call it once per state."""
        with self._working:
            cached = self._derived.get(name)
            if cached is None or cached[0] is not state:
                try:
                    made = make()
                except KanonError as error:
                    made = error
                cached = self._derived[name] = (state, made)
        if isinstance(cached[1], KanonError):
            raise cached[1]
        return cached[1]


def settings_to_drop(spec: AttributeSpec, role: Role | None) -> dict[str, Any]:
    """Return the settings of an attribute that do not apply to a role, with their defaults."""
    owners = {"identifier": Role.IDENTIFIER, "publish": Role.QUASI, "weight": Role.QUASI}
    default = AttributeSpec()
    return {
        name: getattr(default, name)
        for name, owner in owners.items()
        if owner is not role and getattr(spec, name) != getattr(default, name)
    }


def open_session(path: Path, data: DataSource | None = None) -> Session:
    """Open a project file, or start a project for a data file, which `data` says how to read."""
    if misses_slashes(str(path)):  # it may hold a password, so it is not shown
        raise InputError(
            "a database on a server is named in a project file: data: {path: "
            "postgresql://host/database, query: SELECT …}; open that file"
        )
    fingerprint = None
    if path.suffix.lower() in PROJECT_ENDINGS:
        fingerprint = _fingerprint(path)  # before reading, so that a later change is noticed
        project = Project.load(path)
    else:
        project = project_of_data(data or DataSource(path=os.path.realpath(path)))
    table = read_or_sample(project)
    if table.height == 0:
        raise InputError(f"{project.data_path.name}: it has no records; choose another file")
    return Session(project, table, fingerprint)


def _fingerprint(path: Path) -> str | None:
    """Return a hash of a file's content; None where there is no file."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
    except OSError:
        return None


def _seen_from(folder: Path, data: Path) -> str:
    """Return a data path relative to a project's folder if it is below it, else absolute."""
    data = data.resolve()
    folder = folder.resolve()
    return str(data.relative_to(folder)) if data.is_relative_to(folder) else str(data)
