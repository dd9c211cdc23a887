"""The published rows of a table beyond memory, sorted, as packed numbers in work files.

A published row is packed into one or a few words: the ranks of its cells among all texts of their
column. Sorting the words sorts the release by its published cells, equal rows are equal words, and
the input is not needed again to write them. Every piece of the input gives one sorted run. A sample
of the rows says where to cut all runs, so that the rows between two cuts, about `ROWS` of them, are
merged in memory.
"""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Flags, Int32s, Int64s, Words, random_words
from kanon_tui.core.pipeline.row_hashes import SAMPLED_ROWS, Question
from kanon_tui.core.pipeline.tuple_counts import Packing, TupleLookup, counted_table
from kanon_tui.core.release.all_columns import (
    AllColumns,
    AtRisk,
    ColumnContribution,
    ComparedColumns,
    most_helpful_first,
    most_varied,
)
from kanon_tui.core.release.recode import Release
from kanon_tui.core.table.cell_codes import records_in
from kanon_tui.core.table.column import Column, GroupValues
from kanon_tui.core.table.counted_table import CountedTable
from kanon_tui.core.table.source import Source
from kanon_tui.core.table.table import Encoder
from kanon_tui.core.task.task import Task

CODE_BITS = 32
_NONE: Words = np.empty(0, dtype=np.uint64)
SAMPLED = 1000
"""One row in so many is sampled to find where to cut the release."""


@dataclass(frozen=True, eq=False)
class Recoding:
    """The input of the jobs that recode the pieces."""

    source: Source
    folder: Path
    lookup: TupleLookup
    rows: tuple[Words, ...]
    """By counted row, the published row without the unchanged columns."""
    classes: Words
    """By counted row, its class shifted by `CODE_BITS`; suppressed: the last class."""
    suppressed: Flags
    """By counted row, whether its records are suppressed."""
    starred: bool
    """Whether suppressed records are published as stars."""
    values: tuple[Encoder, ...]
    """Encoders of the quasi-identifiers' values, where tuples do not tell them apart."""
    others: tuple[Encoder, ...]
    """Columns that are published unchanged."""
    columns: tuple[str, ...]
    """All published columns, in their order."""
    layout: Packing
    """Packs the ranks of a published row."""
    sensitive: Mapping[str, Int32s]
    """By sensitive column, the value that each rank of its texts counts as."""
    order: Literal["sorted", "shuffled", "input"]
    questions: Mapping[str, Question]
    """The comparisons of published rows by several columns, by the name of their answer."""


@dataclass(frozen=True, eq=False)
class SortedRows:
    """The published rows of one piece, sorted, in a file of the work folder."""

    piece: int
    rows: int
    sample: Words
    """A sample of the first words of its rows."""
    used: Mapping[str, Int32s]
    """By unchanged column, the ranks of published records; empty where no record is dropped."""
    suppressed_values: tuple[Int64s, ...]
    """Per quasi-identifier, how many suppressed records have each value; empty where tuples tell
    values apart."""


def recode_piece(recoding: Recoding, piece: int) -> SortedRows:
    """Write the published rows of a piece into a file of the work folder, sorted."""
    names = (*recoding.lookup.names, *(encoder.name for encoder in recoding.others))
    kept_words: list[list[Words]] = []
    pairs: list[list[Words]] = [[] for _ in recoding.sensitive]
    used: dict[str, Int32s] = {}
    suppressed_some = bool(recoding.suppressed.any())
    suppressed_values = [np.zeros(encoder.size, dtype=np.int64) for encoder in recoding.values]
    for block in recoding.source.columns_of(recoding.source.pieces[piece], names):
        if not records_in(block):
            continue
        rows = recoding.lookup.find(block)
        ranks = {encoder.name: encoder.encode(block) for encoder in recoding.others}
        groups = recoding.classes[rows]
        for (name, counted_as), keys in zip(recoding.sensitive.items(), pairs, strict=True):
            keys.append(groups | counted_as.astype(np.uint64)[ranks[name]])
        suppressed = recoding.suppressed[rows]
        if recoding.values and suppressed_some:
            for number, encoder in enumerate(recoding.values):
                values = encoder.encode(block)[suppressed]
                suppressed_values[number] += np.bincount(values, minlength=encoder.size)
        if suppressed_some and not recoding.starred:
            rows = rows[~suppressed]
            for name, own in ranks.items():
                ranks[name] = own[~suppressed]
                used[name] = np.union1d(used.get(name, own[:0]), ranks[name])
        words = recoding.layout.pack(len(rows), [ranks.get(name) for name in recoding.columns])
        kept_words.append([one | of[rows] for one, of in zip(words, recoding.rows, strict=True)])
    words = [np.concatenate(parts) for parts in zip(*kept_words, strict=True)]
    if not words:
        words = [np.zeros(0, dtype=np.uint64)] * recoding.layout.words
    for question in recoding.questions.values():
        _save(question.path(recoding.folder, piece), question.keys(words))
    if recoding.order == "shuffled":
        words = [random_words(len(words[0])), *words]
    if recoding.order != "input":
        words = sorted_words(words)
    _save(sorted_path(recoding.folder, piece), np.stack(words))
    for number, keys in enumerate(pairs):
        path = recoding.folder / f"pairs-{number:03}-{piece:06}.npy"
        _save(path, np.sort(np.concatenate([*keys, _NONE])))
    apart = min(SAMPLED, max(len(words[0]) // 16, 1))
    sample = words[0][apart - 1 :: apart].copy()
    return SortedRows(piece, len(words[0]), sample, used, tuple(suppressed_values))


def _save(path: Path, array: np.ndarray[Any, np.dtype[np.uint64]]) -> None:
    """Save an array atomically: another worker may do the same job."""
    aside = path.with_suffix(f".{os.getpid()}.aside")
    with open(aside, "wb") as file:
        np.save(file, array)
    aside.replace(path)


def sorted_path(folder: Path, piece: int) -> Path:
    """Return the file with the sorted rows of a piece."""
    return folder / f"rows-{piece:06}.npy"


def read_sorted(folder: Path, piece: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """Return the words of a piece's rows, of shape (words, rows), mapped into memory."""
    rows: np.ndarray[tuple[int, int], np.dtype[np.uint64]] = np.load(
        sorted_path(folder, piece), mmap_mode="r"
    )
    return rows


def sorted_words(words: Sequence[Words]) -> list[Words]:
    """Return rows sorted by their words, the first word counting most."""
    if len(words) == 1:
        return [np.sort(words[0])]
    frame = pl.DataFrame({str(place): word for place, word in enumerate(words)})
    frame = frame.sort(frame.columns)
    return [frame[name].to_numpy() for name in frame.columns]


_BLOCK = 1_000_000
"""Records whose sensitive values are counted together."""


@dataclass(frozen=True, eq=False, repr=False)
class CountedRelease(Release):
    """A release over counted rows; the values that classes hold come from the recoded pieces."""

    in_memory: ClassVar[bool] = False
    folder: Path = Path()
    """The folder with the class and the value of every record, by sensitive column and piece."""
    suppressed_values: list[Int64s] = field(default_factory=list)
    """Per quasi-identifier, how many suppressed records have each value; empty where rows tell
    values apart."""

    risks: dict[str, AtRisk] = field(default_factory=dict)
    """The records at risk by several columns together, by the name of the question."""

    @property
    def all_columns(self) -> AllColumns:
        """The records that all published columns together single out."""
        compared = ComparedColumns.from_task(self.task)
        rows = int(self.published_sizes.sum())
        return AllColumns(compared, rows, False, self.risks[_BUT_SENSITIVE], self.risks[_TOGETHER])

    def contributions(self, left_out: Collection[str] = ()) -> tuple[ColumnContribution, ...]:
        """Return what leaving out each unchanged column would spare, the most helpful first.

        These are estimates from a sample of the groups, each column taken alone. Columns that are
        `left_out` are so already.
        """
        unique = self.risks[_BUT_SENSITIVE].unique
        contributions = [
            ColumnContribution(
                name,
                self.risks[_WITHOUT + name],
                max(unique - self.risks[_WITHOUT + name].unique, 0),
                self.risks[_ALONE + name].unique,
            )
            for name in ComparedColumns.from_task(self.task).unchanged
            if _ALONE + name in self.risks and name not in left_out
        ]
        return most_helpful_first(contributions)

    def risk_without(self, left_out: Collection[str]) -> AtRisk | None:
        """Return the records at risk by all but these and the sensitive columns.

        None for several columns, which are not counted together.
        """
        if not left_out:
            return self.risks[_BUT_SENSITIVE]
        first, *more = left_out
        return None if more else self.risks.get(_WITHOUT + first)

    def values_of(self, column: Column, published: bool = True) -> GroupValues:
        """Return the values that classes hold; `published` counts starred records as one class."""
        if column.name not in self._sensitive:
            self._check_values_counted(column)
            return super().values_of(column, published)
        count = len(self.class_sizes)
        (values,) = self._blocks(column, [0, count + 1])
        numbers = np.append(np.arange(count), -1)  # suppressed records are the last class
        if published:
            numbers[self.classes] = self.published_classes
            count = len(self.published_sizes)
        return GroupValues.from_records(numbers[values.group], values.code, count, values.records)

    def value_blocks(self, column: Column, published: bool = True) -> Iterator[GroupValues]:
        """Yield the values that classes hold, some classes at a time."""
        if column.name not in self._sensitive or (published and self.starred):
            yield self.values_of(column, published)
            return
        upto = np.cumsum(self.class_sizes)
        cuts = np.searchsorted(upto, np.arange(_BLOCK, int(upto[-1]), _BLOCK))
        yield from self._blocks(column, np.unique([0, *cuts.tolist(), len(upto)]).tolist())

    def published_counts(self, x: int) -> Int64s:
        """Return per value of quasi-identifier number x how many records are not suppressed."""
        if not self.suppressed_values:
            return super().published_counts(x)
        return self.task.quasi[x].column.counts - self.suppressed_values[x]

    def _check_values_counted(self, column: Column) -> None:
        levels = self.task.counted_levels or (0,) * len(self.task.quasi)
        for attribute, level in zip(self.task.quasi, levels, strict=True):
            if level and attribute.name == column.name:
                raise InputError(
                    f"{column.name}: values below level {level} fail alone and were not counted "
                    "together with others; use --engine memory to look at them"
                )

    @property
    def _sensitive(self) -> list[str]:
        """The sensitive columns, in the order of their files."""
        return [column.name for column in self.task.sensitive]

    def _blocks(self, column: Column, classes: Sequence[int]) -> Iterator[GroupValues]:
        """Yield the values of a sensitive column by class, a range of classes at a time."""
        if not self.folder.is_dir():
            raise InputError(
                f"which values of {column.name} the classes hold was counted while the release was "
                "written, and is not kept"
            )
        place = self._sensitive.index(column.name)
        paths = sorted(self.folder.glob(f"pairs-{place:03}-*.npy"))
        for first, last in pairwise(classes):
            begin, end = (np.uint64(number) << np.uint64(CODE_BITS) for number in (first, last))
            slices = []
            for path in paths:
                keys = np.load(path, mmap_mode="r")
                inside = slice(*np.searchsorted(keys, [begin, end]))
                slices.append(np.array(keys[inside]))
            keys = np.sort(np.concatenate(slices))
            starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
            records = np.diff(np.append(starts, len(keys))).astype(np.int64)
            found = keys[starts]
            yield GroupValues(
                last - first,
                (found >> np.uint64(CODE_BITS)).astype(np.int64) - first,
                (found & np.uint64((1 << CODE_BITS) - 1)).astype(np.int64),
                records,
            )


def plan_recoding(release: CountedRelease) -> tuple[Recoding, list[pl.Series]]:
    """Return the input of the recoding jobs, and by column the texts that the ranks stand for."""
    task, table = release.task, counted_table(release.task)
    coarse = any(task.counted_levels)
    values = tuple(table.encoder(each.column) for each in task.quasi) if coarse else ()
    quasi = release.quasi_ranks(release.starred)
    ranks = {name: of_rows for name, (of_rows, _) in quasi.items()}
    texts = {name: shown for name, (_, shown) in quasi.items()}
    others = tuple(table.text_encoder(name) for name in task.published_as_they_are)
    texts |= {encoder.name: encoder.texts for encoder in others}
    columns = tuple(name for name, role in task.roles.items() if role.published)
    layout = Packing.for_sizes([len(texts[name]) for name in columns])
    suppressed = release.suppressed
    recoding = Recoding(
        source=table.source,
        folder=release.folder,
        lookup=TupleLookup.from_task(task),
        rows=tuple(layout.pack(task.rows, [ranks.get(name) for name in columns])),
        classes=np.where(suppressed, len(release.class_sizes), release.classes).astype(np.uint64)
        << np.uint64(CODE_BITS),
        suppressed=suppressed,
        starred=release.starred,
        values=values,
        others=others,
        columns=columns,
        layout=layout,
        sensitive={column.name: _counted_as(table, column) for column in task.sensitive},
        order=task.output.order,
        questions=_questions(task, columns, layout),
    )
    return recoding, [texts[name].alias(name) for name in columns]


_BUT_SENSITIVE = "all but sensitive"
_TOGETHER = "together"
_WITHOUT = "without "
_ALONE = "alone "
_MOST_CONTRIBUTIONS = 8
"""Columns whose contributions are estimated: each takes two looks at every published row."""


def _questions(task: Task, columns: Sequence[str], layout: Packing) -> dict[str, Question]:
    """Return the comparisons of published rows, by the name of their answer."""
    compared = ComparedColumns.from_task(task)
    open_columns = (*compared.covered, *compared.unchanged)
    asked = {_BUT_SENSITIVE: open_columns}
    if compared.sensitive:
        asked[_TOGETHER] = (*open_columns, *compared.sensitive)
    bits = {name: layout.places[columns.index(name)][2] for name in compared.unchanged}
    for column in most_varied(bits, _MOST_CONTRIBUTIONS):
        asked[_WITHOUT + column] = tuple(name for name in open_columns if name != column)
        asked[_ALONE + column] = (*compared.covered, column)
    share = min(1.0, SAMPLED_ROWS / max(task.n, 1))
    questions = {}
    for number, (answer, names) in enumerate(asked.items()):
        looked_at = 1.0 if answer in (_BUT_SENSITIVE, _TOGETHER) else share
        places = [columns.index(name) for name in names]
        questions[answer] = Question.of_columns(f"{number:03}", layout, places, looked_at)
    return questions


def answer_questions(recoding: Recoding, pieces: Sequence[int], k: int) -> dict[str, AtRisk]:
    """Return the records at risk by several columns together, by the name of the question."""
    risks = {
        name: question.answer(recoding.folder, pieces, k)
        for name, question in recoding.questions.items()
    }
    risks.setdefault(_TOGETHER, risks[_BUT_SENSITIVE])
    return risks


def _counted_as(table: CountedTable, column: Column) -> Int32s:
    """Return by rank of a text of a sensitive column the code of the value that it counts as."""
    own = table.encoder(column)
    order = own.texts.arg_sort().to_numpy()
    return np.asarray(own.codes[order], dtype=np.int32)
