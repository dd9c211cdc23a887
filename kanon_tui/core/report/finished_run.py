"""A finished run: its task, its release, its measures and the time of each phase."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.metrics.cautions import Caution, cautions_of
from kanon_tui.core.metrics.measure import Measures
from kanon_tui.core.project.project import Project
from kanon_tui.core.release.recode import Release
from kanon_tui.core.table.csv_format import CsvFormat
from kanon_tui.core.table.formulas import count_formulas, escape_formulas
from kanon_tui.core.table.writing import WrittenFile
from kanon_tui.core.task.task import Algorithm, Family, Grouping, Task
from kanon_tui.core.text import Note, note

PHASES = ("read", "prepare", "search", "recode", "verify", "measure", "write")

Seconds = dict[str, float]
"""Seconds by phase; a phase that did not take place is missing."""


@contextmanager
def timed(seconds: Seconds, phase: str) -> Iterator[None]:
    """Add the time of the block to a phase."""
    began = time.perf_counter()
    try:
        yield
    finally:
        seconds[phase] = seconds.get(phase, 0.0) + time.perf_counter() - began


@dataclass(frozen=True, eq=False, repr=False)
class FinishedRun:
    """A finished run: task, release, measures and settings, as reports need them."""

    task: Task
    algorithm: Algorithm
    grouping: Grouping
    release: Release
    seconds: float
    """Seconds inside the algorithm."""
    measures: Measures
    project: Project | None = None
    """The project of the run, for the command that repeats it."""
    phases: Seconds = field(default_factory=dict)
    """Seconds of each phase, as far as known; writing adds to them."""
    files: tuple[WrittenFile, ...] = ()
    """The files of a release beyond memory as they were when they had been verified."""
    csv: CsvFormat | None = None
    """The format of the files; None for Parquet."""

    def __repr__(self) -> str:
        """Return figures only, no values: tracebacks, logs and notebooks show it."""
        measures = self.measures
        return (
            f"<{type(self).__name__} of {self.algorithm.name}, k = {self.task.k}: "
            f"{measures.classes:,} classes, NCP {measures.ncp:.4f}, "
            f"{measures.suppressed_records:,} suppressed>"
        )

    @property
    def engine(self) -> str:
        """The engine of the run: `memory`, `stream` or `dask`."""
        engine = "auto" if self.project is None else self.project.run.engine
        return engine if engine in ("stream", "dask") else "memory"

    @property
    def columns(self) -> tuple[str, ...]:
        """The published columns by the names that the task has for them."""
        return tuple(name for name, role in self.task.roles.items() if role.published)

    @property
    def rows(self) -> int:
        """The number of published rows."""
        return int(self.release.published_sizes.sum())

    @property
    def table(self) -> pl.DataFrame:
        """The published table."""
        return self.release.frame

    @property
    def formulas(self) -> int:
        """The number of cells and column names that a spreadsheet would take for formulas."""
        return count_formulas(self.release.coded)

    @property
    def risk_reached(self) -> float | None:
        """The risk of the release by the required model; None where none is required."""
        bound = self.task.privacy.risk
        if bound is None:
            return None
        return bound.figure(self.measures.privacy.class_sizes, self.task.people)

    @property
    def written(self) -> pl.DataFrame:
        """The published table as files have it, with formulas escaped where the project says so.

        A column may know its texts by number (`pl.Enum`).
        """
        table = self.release.coded
        return escape_formulas(table) if self.task.output.formulas == "escape" else table

    @property
    def classes(self) -> npt.NDArray[np.int32]:
        """Per row of `table`, the number of its class; -1 for a suppressed record."""
        return self.release.classes[self.release.order]

    @property
    def generalised_unasked(self) -> tuple[str, ...]:
        """The quasi-identifiers that the project does not name, but that were guessed."""
        named = self.task.roles if self.project is None else self.project.attributes
        return tuple(attribute.name for attribute in self.task.quasi if attribute.name not in named)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes for the reader, by importance: warnings, dropped records … default hierarchies."""
        full_domain = self.algorithm.family is Family.FULL_DOMAIN
        built = self.task.built if full_domain else ()
        release = self.release.notes
        mild = (caution.sentence for caution in self.cautions if not caution.is_amber)
        notes = (*self.warnings, *mild, *self.task.notes, *self.grouping.notes, *release, *built)
        if (cost := self.measures.rounding) is not None:
            ncp = self.measures.ncp
            lost = note("round ends of ranges cost {cost:.4f} of NCP {ncp:.4f}", cost=cost, ncp=ncp)
            notes = (*notes, lost)
        if not all(isinstance(item, Note) for item in notes):
            raise TypeError("a note that was not made by text.note cannot go into a report")
        return notes

    @property
    def warnings(self) -> tuple[Note, ...]:
        """The notes that are warnings."""
        severe = (caution.sentence for caution in self.cautions if caution.is_amber)
        return (*severe, *self.task.warnings, *self.release.warnings)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """The cautions about a release that verifies, severe ones first."""
        return cautions_of(self.release, self.measures)

    @property
    def is_amber(self) -> bool:
        """Whether a caution speaks against the release although it verifies."""
        return any(caution.is_amber for caution in self.cautions)

    def refuse_severe_cautions(self) -> None:
        """Raise `NotReachedError` where a caution speaks against the release."""
        severe = [caution.sentence for caution in self.cautions if caution.is_amber]
        if severe:
            raise NotReachedError(f"--strict: {'; '.join(severe)}; nothing was written")
