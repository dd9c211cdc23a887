"""What a column looks like, and the beginning of a file read as the whole would be."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.table.column import Kind
from kanon_tui.core.table.profile import MANY, SHARE, SinglingOut, profile, singling_out_columns
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import preview_table
from kanon_tui.core.table.table import as_table, code_column


def test_numbers_have_a_histogram_and_missing_is_counted_apart() -> None:
    made = profile(code_column(pl.Series("a", ["1", "2", "2", "9", "?", ""]), Kind.NUMERIC), bins=4)
    assert (made.records, made.distinct, made.missing, made.unique) == (6, 3, 2, 2)
    assert (made.lowest, made.highest) == ("1", "9")
    assert made.histogram == (3, 0, 1)
    assert made.top == (("2", 2), ("1", 1), ("9", 1))


def test_categories_have_their_commonest_values() -> None:
    made = profile(code_column(pl.Series("a", ["x", "y", "y"]), Kind.CATEGORICAL), top=1)
    assert made.histogram == ()
    assert made.top == (("y", 2),)


def test_a_column_of_nothing_but_missing() -> None:
    made = profile(code_column(pl.Series("a", ["?", ""]), Kind.NUMERIC))
    assert (made.distinct, made.missing, made.lowest, made.top) == (0, 2, None, ())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1"])
def test_preview_reads_the_first_records_of_a_large_file(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "large.csv"
    rows = "".join(f"{i};é{i}\r\n" for i in range(30_000))
    path.write_bytes(f"a;b\r\n{rows}".encode(encoding))
    table = preview_table(path, ReadOptions())
    assert table.names == ["a", "b"]
    assert 100 < table.height < 30_000
    assert table.frame.row(99) == ("99", "é99")


TOKENS = ("", "?")


def singling_out(texts: pl.Series, tokens: tuple[str, ...]) -> SinglingOut | None:
    found = singling_out_columns(as_table(texts.to_frame(), tokens), [texts.name])
    return next(iter(found), None)


def test_a_column_of_mostly_unique_values_is_named_with_their_number() -> None:
    wages = [str(1000 + i) for i in range(88)] + ["500"] * 12 + ["?", ""]
    found = singling_out(pl.Series("wage", wages), TOKENS)
    assert found is not None
    assert (found.unique, found.records) == (88, 100)
    assert str(found) == (
        "wage is published as it is: 88 % of its values belong to one person (88 of 100)"
    )


def test_shared_values_and_small_tables_are_no_warning() -> None:
    few = ["a"] * 50 + ["b"] * 50 + ["rare"]
    assert singling_out(pl.Series("x", few), TOKENS) is None
    assert singling_out(pl.Series("x", [str(i) for i in range(MANY - 1)]), TOKENS) is None
    assert singling_out(pl.Series("x", [str(i) for i in range(MANY)]), TOKENS) is not None
    assert singling_out(pl.Series("x", ["?"] * 100, dtype=pl.String), TOKENS) is None


def test_the_threshold_is_a_share_of_the_records_that_have_a_value() -> None:
    unique = int(SHARE * 100)
    at = [f"u{i}" for i in range(unique)] + ["many"] * (100 - unique)
    assert singling_out(pl.Series("x", at), TOKENS) is not None
    assert singling_out(pl.Series("x", [*at[1:], "many"]), TOKENS) is None


def test_spellings_count_since_they_are_published() -> None:
    spelled = ["HIV" + " " * i for i in range(40)]
    found = singling_out(pl.Series("x", spelled), TOKENS)
    assert found is not None
    assert found.unique == 40


def test_nearly_all_is_not_printed_as_all() -> None:
    values = [str(i) for i in range(998)] + ["a", "a"]
    assert singling_out(pl.Series("x", values), TOKENS).percent == "99 %"  # type: ignore[union-attr]


def test_columns_of_a_table_even_with_odd_names() -> None:
    unique = [str(i) for i in range(30)]
    table = as_table(pl.DataFrame({"count": unique, "\0records": unique, "same": ["a"] * 30}))
    found = singling_out_columns(table, ["same", "\0records", "count"])
    assert [each.attribute for each in found] == ["\0records", "count"]
