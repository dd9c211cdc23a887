"""As if a few hundred records were more than fits into memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.pipeline import engine_choice as choice
from kanon_tui.core.pipeline import sampled_table
from kanon_tui.core.table import csv_survey, source

RECORDS = 3000
ODD = 2345
"""A record that no sample holds: its age is no number."""
AT_HAND = 300
"""About how many records a sample has."""


def let_nothing_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is too large, samples are small, and so are pieces."""
    monkeypatch.setattr(choice, "_BASE", 10**15)
    monkeypatch.setattr(csv_survey, "_HEAD", 2000)
    monkeypatch.setattr(csv_survey, "LEAST_BYTES", 300)
    monkeypatch.setattr(source, "PIECE_BYTES", 4000)
    monkeypatch.setattr(source, "PIECE_ROWS", 100)
    monkeypatch.setattr(sampled_table.sample_table, "__defaults__", (AT_HAND,))


def people() -> pl.DataFrame:
    """Ages, of which one is a word, sexes, of which some are missing, and addresses."""
    numbers = range(RECORDS)
    return pl.DataFrame(
        {
            "age": ["old" if x == ODD else str(x % 90) for x in numbers],
            "sex": ["?" if x % 50 == 1 else "fm"[x % 2] for x in numbers],
            "email": [f"p{x}@example.org" for x in numbers],
        }
    )


def write_people(path: Path) -> Path:
    """A file of them, CSV or Parquet by its ending."""
    frame = people()
    (frame.write_csv if path.suffix == ".csv" else frame.write_parquet)(path)
    return path


@contextmanager
def small_pieces(size: int, rows: int = 250_000) -> Iterator[None]:
    """Cut files that are opened in the block into pieces of so many bytes or records."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "PIECE_BYTES", size)
        patch.setattr(source, "PIECE_ROWS", rows)
        yield
