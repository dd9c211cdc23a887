"""What a streaming run gives: a release over counted rows, whose table is in its files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.pipeline.piece_rows import value_blocks
from kanon_tui.core.release.recode import Release
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.mapping import report_mapping
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.csv_format import CsvFormat
from kanon_tui.core.table.group_values import GroupValues
from kanon_tui.core.table.target import Target, WrittenFile

__all__ = ["CountedRelease", "StreamedResult"]

_BLOCK = 1_000_000
"""Records whose sensitive values are looked at together."""


@dataclass(frozen=True, eq=False, repr=False)
class CountedRelease(Release):
    """A release over counted rows; the values that classes hold come from the recoded pieces."""

    folder: Path = Path()
    pieces: int = 0
    columns: tuple[str, ...] = ()
    """The sensitive columns, in the order of their files."""
    gone: list[Int64s] = field(default_factory=list)
    """Per quasi-identifier how many suppressed records have each value, where rows do not tell
    values apart."""

    def values_of(self, column: Column, published: bool = True) -> GroupValues:
        """The values that classes hold of a column; `published` counts starred records as one."""
        if column.name not in self.columns:
            self._check_told_apart(column)
            return super().values_of(column, published)
        count = len(self.class_sizes)
        (values,) = self._blocks(column, [0, count + 1])
        numbers = np.append(np.arange(count), -1)
        if published:
            numbers = self._published_numbers
            count = len(self.published_sizes)
        return GroupValues.from_records(numbers[values.group], values.code, count, values.records)

    def value_blocks(self, column: Column, published: bool = True) -> Iterator[GroupValues]:
        """As `values_of`, some classes at a time."""
        if column.name not in self.columns or (published and self._starred):
            yield self.values_of(column, published)
            return
        upto = np.cumsum(self.class_sizes)
        cuts = np.searchsorted(upto, np.arange(_BLOCK, int(upto[-1]), _BLOCK))
        yield from self._blocks(column, np.unique([0, *cuts.tolist(), len(upto)]).tolist())

    def published_counts(self, x: int) -> Int64s:
        """Of quasi-identifier number x, how many records show each value, as it was or coarser."""
        if not self.gone:
            return super().published_counts(x)
        return self.task.quasi[x].column.counts - self.gone[x]

    def _check_told_apart(self, column: Column) -> None:
        levels = self.task.counted_levels or (0,) * len(self.task.quasi)
        for attribute, level in zip(self.task.quasi, levels, strict=True):
            if level and attribute.name == column.name:
                raise InputError(
                    f"{column.name}: values below level {level} fail alone and were not counted "
                    "together with others; use --engine memory to look at them"
                )

    def _blocks(self, column: Column, classes: Sequence[int]) -> Iterator[GroupValues]:
        if not self.folder.is_dir():
            raise InputError(
                f"which values of {column.name} the classes hold was counted while the release was "
                "written, and is not kept"
            )
        place = self.columns.index(column.name)
        return value_blocks(self.folder, place, self.pieces, classes)

    @property
    def _starred(self) -> bool:
        return self.task.output.suppressed == "star" and bool(self.suppressed.any())

    @cached_property
    def _published_numbers(self) -> Int32s:
        """By class, and last for suppressed records, the number among the published classes."""
        numbers = np.full(len(self.class_sizes) + 1, -1, dtype=np.int32)
        numbers[self.classes] = self.published_classes  # -1 is the last one
        return numbers


@dataclass(frozen=True, eq=False, repr=False)
class StreamedResult(FinishedRun):
    """A release that was written in pieces, verified and measured."""

    target: Target | None = None
    formulas: int = 0
    """Cells and names that a spreadsheet would take for formulas."""
    files: tuple[WrittenFile, ...] = ()
    """The files of the release as they were when they had been proved."""
    csv: CsvFormat | None = None
    """How they are written; None for Parquet."""

    @property
    def columns(self) -> tuple[str, ...]:
        """What the columns of the files are called in the task, in their order."""
        return tuple(name for name, role in self.task.roles.items() if role.published)

    @cached_property
    def rows(self) -> int:
        """How many rows the release has."""
        return int(self.release.published_sizes.sum())

    @cached_property
    def report(self) -> dict[str, Any]:
        """The figures of the run as a plain mapping, ready for JSON."""
        return report_mapping(self)

    @property
    def engine(self) -> str:
        """Whether pieces were worked on here or on a cluster."""
        on_cluster = self.project is not None and self.project.run.engine == "dask"
        return "dask" if on_cluster else "stream"

    @property
    def table(self) -> pl.DataFrame:
        """There is none: the table is in its files."""
        raise InputError(
            "a release that was streamed is in its files, not in memory; read it from there"
        )
