"""The rows of the release in their order, a bounded number at a time, from the runs of the pieces.

The runs are sorted. A sample of their rows says where to cut them all, so that what lies between
two cuts, of all runs together, is about `ROWS` rows: these are merged in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from kanon_tui.core.numeric import Flags, Words
from kanon_tui.core.pipeline.block_recoding import Run, read_run, sorted_words
from kanon_tui.core.release.formulas import escape_formulas, looks_like_formula
from kanon_tui.core.table.tuple_packing import Packing

__all__ = ["ROWS", "Stretches", "Texts", "published_rows"]

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
