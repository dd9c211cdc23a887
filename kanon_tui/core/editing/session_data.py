"""The data of a session: all of it in memory, or a sample with what is counted of the whole."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.engine_choice import memory_limit
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.sampled_table import CountingStoppedError, SampledTable
from kanon_tui.core.pipeline.trial import Trial
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import LocalWorkers
from kanon_tui.core.project.attribute import AttributeSpec
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.source import Source
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Task


class SessionData(ABC):
    """The data of a session: a table in memory, or a sample of one in files."""

    def __init__(self, table: Table) -> None:
        self.table = table
        """All records, or a `SampledTable` of a file that is too large for memory."""
        self.closed = False
        """Whether the session is closed, so that background work should stop."""
        self._rows: tuple[object, Task] | None = None
        self._runs_at_work = 0
        self._counting_rows = threading.Lock()

    @property
    @abstractmethod
    def project(self) -> Project:
        """The project as it is now."""

    @abstractmethod
    def task(self) -> Task:
        """The task of the current project, over the records at hand."""

    @property
    def source(self) -> Source | None:
        """The source of a table beyond memory; None where all records are in memory."""
        return self.table.source if isinstance(self.table, SampledTable) else None

    @property
    def streams(self) -> bool:
        """Whether runs work on pieces of the data and write the release themselves."""
        return self.source is not None or self.project.run.engine in ("stream", "dask")

    @property
    def records(self) -> Table:
        """The records in memory: the whole table, or a sample of one beyond memory."""
        return self.table.sample if isinstance(self.table, SampledTable) else self.table

    @property
    def extent(self) -> str:
        """The extent in words: `10,000 records`, `a sample of 500 of about 10,000 records`."""
        whole = f"{self.table.height:,} records"
        if not isinstance(self.table, SampledTable):
            return whole
        about = "" if self.table.exact else "about "
        return f"a sample of {self.records.height:,} of {about}{whole}"

    @property
    def beyond_memory(self) -> int | None:
        """The number of records of a table beyond memory; None where all are in memory."""
        return None if self.source is None else self.table.height

    def of_sample(self, name: str) -> bool:
        """Return whether a column is known from a sample only."""
        return isinstance(self.table, SampledTable) and name not in self.table.counts

    def sample_mark(self, name: str) -> str:
        """Return `, of a sample` for a column that is known from a sample only, else nothing."""
        return ", of a sample" if self.of_sample(name) else ""

    def uncounted(self) -> list[str]:
        """Return the columns of a table beyond memory whose values still have to be counted.

        Those that identify people are left out: there are as many values as people.
        """
        if not isinstance(self.table, SampledTable):
            return []
        kept_out = (Role.IDENTIFIER, Role.PERSON)
        known = self.table.counts.keys() | self.table.too_many
        attributes = self.project.attributes.items()
        return [n for n, spec in attributes if n not in known and spec.role not in kept_out]

    def check_counted(self) -> None:
        """Raise `InputError` while the values of a table beyond memory are being counted."""
        if self.uncounted():
            raise InputError(
                "one moment: the values of the file are still being counted; screen 1 says how far "
                "that is"
            )

    def records_for(self, k: int) -> Table:
        """Return the records in memory; refuse a k that is larger than their number."""
        table, whole = self.records, self.table.height
        if self.source is not None and table.height < k <= whole:
            raise InputError(
                f"k is {k:,}, more than the {table.height:,} records of the sample that this is "
                f"tried on; a run uses all {whole:,}"
            )
        if self.source is not None and k > whole:
            raise InputError(
                f"k is {k:,} but the table has only {whole:,} records; choose k of at most "
                f"{whole:,}"
            )
        return table

    def of_whole(self, trial: Trial) -> Trial:
        """Return a trial on the records in memory, extrapolated to all records."""
        return trial if self.source is None else replace(trial, records=self.table.height)

    @contextmanager
    def memory_freed_for_run(self) -> Iterator[None]:
        """Free the counted rows, and count no others, while a run works on the pieces."""
        self._runs_at_work += 1
        self._rows = None
        try:
            yield
        finally:
            self._runs_at_work -= 1

    def quasi_rows(self) -> Task:
        """Return a task over all records; of a table beyond memory, over its distinct rows.

        That is one more pass over the file for every choice of quasi-identifiers. It ends when
        there is another choice, or the session is closed.
        """
        table, project = self.table, self.project
        if not isinstance(table, SampledTable):
            return self.task()
        self.check_counted()
        wanted = table, project.attributes, project.data

        def go_on() -> None:
            if self._runs_at_work:
                raise InputError("one moment: this is counted again when the run has ended")
            if self.closed or self.project.attributes is not project.attributes:
                raise CountingStoppedError

        with self._counting_rows:
            if self._rows is None or self._rows[0] != wanted:
                go_on()
                memory = memory_limit(project).with_held_memory()
                self._rows = wanted, count_quasi_rows(project, table, memory, go_on)
            return replace(self._rows[1], privacy=project.privacy)


def count_quasi_rows(
    project: Project, table: SampledTable, memory: MemoryLimit, go_on: Callable[[], None]
) -> Task:
    """Return a task over the distinct quasi-identifiers of all records, counted in one pass.

    Nothing but k is required of it, and weights are equal: it serves to count, not to search.
    `go_on` is called between pieces and may raise to end it.
    """
    people = [name for name, spec in project.attributes.items() if spec.role is Role.PERSON]
    if people:
        raise InputError(
            f"{people[0]} says whose each record is, and people with records in several pieces of "
            "a file cannot be counted; make one record of each person before"
        )
    attributes = project.attributes
    if project.data.missing_policy == "value":  # else other columns decide which records are left
        attributes = {n: _without_use(spec) for n, spec in attributes.items()}
    bare = replace(
        project, attributes=attributes, weights="equal", privacy=Privacy(k=project.privacy.k)
    )
    counted = table.as_counted(LocalWorkers(), memory)
    return prepare(bare, counted, progress=lambda what, share: go_on(), coarsen=False)


def _without_use(spec: AttributeSpec) -> AttributeSpec:
    """Return a quasi-identifier unchanged, and any other attribute as one that is not read."""
    return spec if spec.role is Role.QUASI else AttributeSpec(role=Role.IDENTIFIER, kind=spec.kind)
