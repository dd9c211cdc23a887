"""Pages of a file are the records that reading it whole gives."""

from __future__ import annotations

import polars as pl
import pytest

from kanon_tui.core.pipeline.pages import FilePages
from kanon_tui.core.table.source import open_source, read_table
from tests.beyond_memory import small_pieces

RECORDS = 523


def table() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "id": [str(x) for x in range(RECORDS)],
            "said": [f'"{x}",\nno' if x % 3 == 0 else f"w{x}" for x in range(RECORDS)],
            "x": "é",
        }
    )


def write(path, kind: str) -> None:
    frame = table()
    if kind == "parquet":
        frame.write_parquet(path, row_group_size=50)
    elif kind == "row names":  # the header is one name short
        lines = frame.select("id", "x").write_csv(include_header=False)
        path.write_text("x\n" + lines, encoding="utf-8")
    else:
        frame.write_csv(path, include_header=kind == "csv")


@pytest.mark.parametrize("kind", ["csv", "no header", "parquet", "row names", "parts"])
@pytest.mark.parametrize("page", [1, 7, 100, 1000])
def test_pages_are_the_records_of_the_file(tmp_path, kind, page):
    path = tmp_path / ("a.parquet" if kind == "parquet" else "a.csv")
    if kind == "parts":
        path = tmp_path / "parts"
        path.mkdir()
        write(path / "1.csv", "csv")
        write(path / "2.csv", "csv")
    else:
        write(path, kind)
    whole = read_table(path).frame
    with small_pieces(900, 90):
        pages = FilePages(open_source(path), page)
    assert pages.height == whole.height
    wanted = range(0, -(-whole.height // page), 37 if page == 1 else 1)
    for number in [*wanted, 0]:
        assert pages.page(number).equals(whole.slice(number * page, page))
        assert pages.cached_page(number) is not None
