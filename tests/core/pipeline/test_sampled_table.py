"""A table beyond memory: a sample of its records, and what is counted of the whole."""

from __future__ import annotations

import polars as pl
import pytest

from kanon_tui.core.editing.session import open_session
from kanon_tui.core.pipeline.sampled_table import sample_table
from kanon_tui.core.table import csv_survey
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table

RECORDS = 3000


@pytest.fixture(autouse=True)
def short_stretches(monkeypatch):
    """As if a few hundred records were a lot: heads and stretches of some hundred bytes."""
    monkeypatch.setattr("kanon_tui.core.table.csv_survey._HEAD", 2000)
    monkeypatch.setattr(csv_survey, "LEAST_BYTES", 300)


def people() -> pl.DataFrame:
    texts = [
        f'he said "{x % 7}",\nand went' if x % 3 == 0 else f"word {x % 11}" for x in range(RECORDS)
    ]
    numbers = range(RECORDS)
    return pl.DataFrame(
        {"age": [str(x % 90) for x in numbers], "said": texts, "id": [f"p{x:05}" for x in numbers]}
    )


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("quotes", ["necessary", "always"])
def test_a_sample_of_a_csv_file_holds_records_of_it_from_all_over(tmp_path, line_end, quotes):
    people().write_csv(tmp_path / "a.csv", line_terminator=line_end, quote_style=quotes)
    whole = read_table(tmp_path / "a.csv")
    table = sample_table(tmp_path / "a.csv", ReadOptions(), 300)
    ids = table.frame["id"]
    assert table.frame.join(whole.frame, on=whole.names, how="semi").height == table.frame.height
    assert ids.n_unique() == table.frame.height
    assert 100 <= table.frame.height <= 600
    assert ids.min() == "p00000"
    assert ids.max() > "p02500"
    assert not table.exact
    assert RECORDS * 0.8 < table.height < RECORDS * 1.2
    assert table.facts == whole.facts


def test_a_sample_of_parts_takes_columns_in_the_order_of_the_first(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    whole = people()
    whole.head(1000).write_csv(folder / "a.csv")
    whole.slice(1000).select("id", "age", "said").write_csv(folder / "b.csv")
    table = sample_table(folder, ReadOptions(), 300)
    assert table.names == ["age", "said", "id"]
    assert table.frame.join(whole, on=whole.columns, how="semi").height == table.frame.height
    assert table.frame["id"].max() > "p02500"


def test_a_parquet_file_knows_its_records(tmp_path):
    people().write_parquet(tmp_path / "a.parquet", row_group_size=100)
    table = sample_table(tmp_path / "a.parquet", ReadOptions(), 300)
    assert (table.height, table.exact, table.frame.height) == (RECORDS, True, 300)
    assert table.frame["id"].n_unique() == 300
    assert table.frame["id"].max() > "p02500"


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_a_file_that_does_not_fit_opens_as_a_sample(tmp_path, name):
    write = people().write_csv if name.endswith("csv") else people().write_parquet
    write(tmp_path / name)
    (tmp_path / "p.yaml").write_text(f"data: {{path: {name}}}\nrun: {{memory: 100MB}}\n")
    session = open_session(tmp_path / "p.yaml")
    assert session.source is not None
    assert session.attribute("age").kind == "numeric"
    assert session.task().n == session.records.height
    assert open_session(tmp_path / name).source is None
