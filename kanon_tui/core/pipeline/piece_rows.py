"""The published rows of a table beyond memory, sorted, as packed numbers in work files.

A published row is packed into one or a few words: the ranks of its cells among all texts of their
column. Sorting the words sorts the release by its published cells, equal rows are equal words, and
the input is not needed again to write them. Every piece of the input gives one sorted run. A sample
of the rows says where to cut all runs, so that the rows between two cuts, about `ROWS` of them, are
merged in memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from secrets import token_bytes
from typing import Any, Literal

import numpy as np
import polars as pl

from kanon_tui.core.numeric import Flags, Int32s, Int64s, Words
from kanon_tui.core.release.formulas import escape_formulas, looks_like_formula
from kanon_tui.core.table.cell_codes import complete_records, records_in
from kanon_tui.core.table.counted_table import Encoder
from kanon_tui.core.table.group_values import GroupValues
from kanon_tui.core.table.source import Source
from kanon_tui.core.table.tuple_packing import Packing, TupleIndex

__all__ = [
    "CODE_BITS",
    "ROWS",
    "Recoding",
    "Run",
    "Stretches",
    "Texts",
    "published_rows",
    "read_run",
    "recode_piece",
    "value_blocks",
]

CODE_BITS = 32
_NONE: Words = np.empty(0, dtype=np.uint64)
SAMPLED = 1000
"""Of so many rows one is looked at to find where to cut the release."""


@dataclass(frozen=True, eq=False)
class Recoding:
    """What a job needs to recode a piece."""

    source: Source
    complete: tuple[str, ...]
    missing_tokens: tuple[str, ...]
    folder: Path
    quasi: tuple[Encoder, ...]
    packing: Packing
    """Of the quasi-identifiers."""
    index: TupleIndex
    rows: tuple[Words, ...]
    """By place of a tuple the published row, without the columns published as they are."""
    classes: Words
    """By place of a tuple its class, moved out of the way of a code; the last number is for
    suppressed records."""
    suppressed: Flags
    """By place of a tuple whether its records are suppressed."""
    starred: bool
    """Whether suppressed records are published all the same, as stars."""
    values: tuple[Encoder, ...]
    """The values of the quasi-identifiers, where tuples do not tell them apart."""
    others: tuple[Encoder, ...]
    """Columns published as they are."""
    columns: tuple[str, ...]
    """All published columns, in their order."""
    layout: Packing
    """Of the published rows."""
    sensitive: Mapping[str, Int32s]
    """By sensitive column the value that each rank of its texts counts as."""
    order: Literal["sorted", "shuffled", "input"]

    @property
    def read_names(self) -> tuple[str, ...]:
        """The columns that are read."""
        names = (encoder.name for encoder in (*self.quasi, *self.others))
        return tuple(dict.fromkeys((*names, *self.complete)))


@dataclass(frozen=True, eq=False)
class Run:
    """The published rows of one piece, sorted, in a file."""

    piece: int
    rows: int
    sample: Words
    """Some of its first words."""
    used: Mapping[str, Int32s]
    """By column published as it is the ranks that published records have, where some have not."""
    gone: tuple[Int64s, ...]
    """Per quasi-identifier how many suppressed records have each value, where tuples do not tell
    values apart."""


def recode_piece(recoding: Recoding, piece: int) -> Run:
    """Write the published rows of a piece into a file of the work folder."""
    source = recoding.source
    kept_words: list[list[Words]] = []
    pairs: list[list[Words]] = [[] for _ in recoding.sensitive]
    used: dict[str, Int32s] = {}
    suppressed_some = bool(recoding.suppressed.any())
    gone = [np.zeros(encoder.size, dtype=np.int64) for encoder in recoding.values]
    for columns in source.columns_of(source.pieces[piece], recoding.read_names):
        kept = complete_records(columns, recoding.complete, recoding.missing_tokens)
        rows = records_in(kept)
        if not rows:
            continue
        own = [encoder.coded(kept) for encoder in recoding.quasi]
        tuples = recoding.index.find(recoding.packing.pack_cells(rows, own))
        as_they_are = {encoder.name: encoder.coded(kept) for encoder in recoding.others}
        groups = recoding.classes[tuples]
        for (name, counted_as), keys in zip(recoding.sensitive.items(), pairs, strict=True):
            ranks, places = as_they_are[name]
            keys.append(groups | counted_as[ranks].astype(np.uint64)[places])
        if recoding.values and suppressed_some:
            lost = recoding.suppressed[tuples]
            for number, encoder in enumerate(recoding.values):
                values, places = encoder.coded(kept)
                gone[number] += np.bincount(values[places[lost]], minlength=encoder.size)
        if suppressed_some and not recoding.starred:
            shown = ~recoding.suppressed[tuples]
            tuples = tuples[shown]
            for name, (ranks, places) in as_they_are.items():
                as_they_are[name] = ranks, places[shown]
                here = ranks[np.bincount(places[shown], minlength=len(ranks)) > 0]
                used[name] = np.union1d(used.get(name, here[:0]), here)
        others = [as_they_are.get(name) for name in recoding.columns]
        words = recoding.layout.pack_cells(len(tuples), others)
        kept_words.append([one | of[tuples] for one, of in zip(words, recoding.rows, strict=True)])
    words = [np.concatenate(parts) for parts in zip(*kept_words, strict=True)]
    if not words:
        words = [np.zeros(0, dtype=np.uint64)] * recoding.layout.words
    if recoding.order == "shuffled":
        words = [np.frombuffer(token_bytes(8 * len(words[0])), dtype=np.uint64), *words]
    if recoding.order != "input":
        words = sorted_words(words)
    _save(run_path(recoding.folder, piece), np.stack(words))
    for number, keys in enumerate(pairs):
        _save(pairs_path(recoding.folder, number, piece), np.sort(np.concatenate([*keys, _NONE])))
    apart = min(SAMPLED, max(len(words[0]) // 16, 1))
    sample = words[0][apart - 1 :: apart].copy()
    return Run(piece, len(words[0]), sample, used, tuple(gone))


def _save(path: Path, array: np.ndarray[Any, np.dtype[np.uint64]]) -> None:
    """Whole or not at all: somebody else may do the same job."""
    aside = path.with_suffix(f".{os.getpid()}.aside")
    with open(aside, "wb") as file:
        np.save(file, array)
    aside.replace(path)


def pairs_path(folder: Path, column: int, piece: int) -> Path:
    """The file with the class and value of every record of a piece, of one sensitive column."""
    return folder / f"pairs-{column:03}-{piece:06}.npy"


def value_blocks(
    folder: Path, column: int, pieces: int, classes: Sequence[int]
) -> Iterator[GroupValues]:
    """The values of all classes, between two of these numbers at a time."""
    for first, last in pairwise(classes):
        begin, end = (np.uint64(number) << np.uint64(CODE_BITS) for number in (first, last))
        slices = []
        for piece in range(pieces):
            keys = np.load(pairs_path(folder, column, piece), mmap_mode="r")
            slices.append(np.array(keys[np.searchsorted(keys, begin) : np.searchsorted(keys, end)]))
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


def run_path(folder: Path, piece: int) -> Path:
    """The file of a run."""
    return folder / f"run-{piece:06}.npy"


def read_run(folder: Path, piece: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """The words of a run, each a line of rows, read as they are asked for."""
    rows: np.ndarray[tuple[int, int], np.dtype[np.uint64]] = np.load(
        run_path(folder, piece), mmap_mode="r"
    )
    return rows


def sorted_words(words: Sequence[Words]) -> list[Words]:
    """Rows in their order."""
    if len(words) == 1:
        return [np.sort(words[0])]
    frame = pl.DataFrame({str(place): word for place, word in enumerate(words)})
    frame = frame.sort(frame.columns)
    return [frame[name].to_numpy() for name in frame.columns]


ROWS = 1_000_000
"""Rows of one stretch of the release, about; a part of a release in a folder."""


@dataclass(frozen=True, eq=False)
class Texts:
    """What the numbers of a row stand for."""

    columns: tuple[str, ...]
    texts: tuple[pl.Series, ...]
    """Per column the texts by rank."""
    layout: Packing
    suspects: tuple[Flags | None, ...]
    """Per column which texts look like formulas; None where none does."""

    @classmethod
    def of(
        cls, columns: Sequence[str], texts: Sequence[pl.Series], layout: Packing, escape: bool
    ) -> Texts:
        """As they are written: with `escape` what looks like a formula is escaped."""
        suspects: list[Flags | None] = []
        names, written = [], []
        for name, each in zip(columns, texts, strict=True):
            flags = looks_like_formula(each).to_numpy()
            suspects.append(flags if flags.any() else None)
            frame = each.alias(name).to_frame()
            escaped = escape_formulas(frame) if escape else frame
            names.append(escaped.columns[0])
            written.append(escaped.to_series())
        return cls(tuple(names), tuple(written), layout, tuple(suspects))

    def formulas(self, words: Sequence[Words]) -> int:
        """How many cells of rows look like formulas."""
        return sum(
            int(flags[self.layout.unpack(words, place)].sum())
            for place, flags in enumerate(self.suspects)
            if flags is not None
        )

    def frame(self, words: Sequence[Words]) -> pl.DataFrame:
        """The cells of rows."""
        return pl.DataFrame(
            [
                texts.gather(self.layout.unpack(words, place)).alias(name)
                for place, (name, texts) in enumerate(zip(self.columns, self.texts, strict=True))
            ]
        )


@dataclass(frozen=True, eq=False)
class Stretches:
    """Where the release is cut."""

    folder: Path
    runs: tuple[tuple[int, int], ...]
    """Piece and rows of every run that has rows."""
    order: Literal["sorted", "shuffled", "input"]
    cuts: Words
    texts: Texts

    @classmethod
    def of(
        cls,
        folder: Path,
        runs: Sequence[Run],
        order: Literal["sorted", "shuffled", "input"],
        texts: Texts,
        rows: int | None = None,
    ) -> Stretches:
        """Cuts at every so many rows, about."""
        known = tuple((run.piece, run.rows) for run in runs if run.rows)
        whole = sum(count for _, count in known)
        parts = max(1, -(-whole // (rows or ROWS)))
        sample = np.sort(np.concatenate([run.sample for run in runs])) if runs else np.empty(0)
        places = (np.arange(1, parts) * len(sample)) // parts
        cuts = np.unique(sample[places]) if len(sample) else np.empty(0, dtype=np.uint64)
        return cls(folder, known, order, cuts.astype(np.uint64), texts)

    def __len__(self) -> int:
        return len(self.runs) if self.order == "input" else len(self.cuts) + 1

    def words(self, stretch: int) -> list[Words]:
        """The rows of a stretch, in their order."""
        if self.order == "input":
            return list(np.array(read_run(self.folder, self.runs[stretch][0])))
        slices = []
        for piece, _ in self.runs:
            rows = read_run(self.folder, piece)
            begin = int(np.searchsorted(rows[0], self.cuts[stretch - 1])) if stretch else 0
            end = rows.shape[1]
            if stretch < len(self.cuts):
                end = int(np.searchsorted(rows[0], self.cuts[stretch]))
            slices.append(np.array(rows[:, begin:end]))
        words = sorted_words(list(np.concatenate(slices, axis=1)))
        return words[1:] if self.order == "shuffled" else words


def published_rows(stretches: Stretches, stretch: int) -> tuple[pl.DataFrame, int]:
    """The cells of a stretch as they are written, and how many look like formulas."""
    words = stretches.words(stretch)
    return stretches.texts.frame(words), stretches.texts.formulas(words)
