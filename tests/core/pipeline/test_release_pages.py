"""A written release is paged through: the rows of its files, whatever their cells hold."""

from __future__ import annotations

import os
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.pages import RELEASE_PAGES_KEPT, ReleasePages
from kanon_tui.core.project.project import project_from_mapping
from kanon_tui.core.table.writing import Target
from tests.core.pipeline.compared import in_memory, streamed
from tests.core.pipeline.test_stream import people, project
from tests.tries import tries


@settings(max_examples=tries(12), deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["r.csv", "r.tsv", "r.parquet", "parts", "parts.csv/"]),
    st.sampled_from(["lf", "crlf", "cr"]),
    st.sampled_from(["necessary", "texts", "always"]),
    st.sampled_from(["utf-8", "utf-8-sig"]),
    st.integers(1, 9),
)
def test_pages_hold_the_rows_of_the_release(seed, name, line_ends, quoting, encoding, page):
    with tempfile.TemporaryDirectory() as place:
        folder, rng = Path(place), random.Random(seed)
        people(rng.randrange(20, 90), seed).write_csv(folder / "in.csv")
        asked = project(
            folder / "in.csv",
            output={"line_ends": line_ends, "quoting": quoting, "encoding": encoding},
        )
        expected = in_memory(asked, folder / "memory.csv").table
        result = streamed(asked, Target.parse(f"{folder}/{name}"))
        pages = ReleasePages(result, page)
        assert pages.names == tuple(expected.columns)
        assert pages.read(0, pages.height).equals(expected)
        for _ in range(20):
            begin = rng.randrange(pages.height)
            end = rng.randrange(begin + 1, pages.height + 1)
            assert pages.read(begin, end).equals(expected.slice(begin, end - begin))
            assert pages.page(begin // page).equals(expected.slice(begin // page * page, page))
        assert len(pages._kept) <= RELEASE_PAGES_KEPT


def test_a_text_is_found_from_any_row_in_both_directions(tmp_path):
    people(150).write_csv(tmp_path / "in.csv")
    result = streamed(project(tmp_path / "in.csv"), Target(tmp_path / "r.csv"))
    pages = ReleasePages(result, 7)
    table = pages.read(0, pages.height)
    hits = [n for n, row in enumerate(table.rows()) if any("milan" in c.lower() for c in row)]
    hits = hits or [n for n, row in enumerate(table.rows()) if any("hiv" in c.lower() for c in row)]
    wanted = "MILAN" if any("ilan" in c for c in table.row(hits[0])) else "HIV"
    for row in range(pages.height):
        later, before = [h for h in hits if h > row], [h for h in hits if h < row]
        assert pages.find(wanted, row) == (later or hits)[0]
        assert pages.find(wanted, row, -1) == (before or hits)[-1]
    assert pages.find("in no cell", 3) is None


@pytest.mark.parametrize("name", ["r.csv", "r.parquet", "parts"])
def test_files_that_are_changed_or_gone_are_told_error_sentence(tmp_path, name):
    people(100).write_csv(tmp_path / "in.csv")
    asked = project(tmp_path / "in.csv")
    target = Target.parse(f"{tmp_path}/{name}")
    result = streamed(asked, target)
    pages = ReleasePages(result, 5)
    file = result.files[0].path
    pages.page(0)
    kept = file.read_bytes()
    file.write_bytes(kept + b"x")
    assert pages.page(0).height == 5  # what was read before is in memory
    with pytest.raises(InputError, match="was changed after it had been proved"):
        pages.page(1)
    file.unlink()
    for look in (lambda: pages.page(1), lambda: ReleasePages(result)):
        with pytest.raises(InputError, match="no longer there"):
            look()
    assert os.listdir(tmp_path)


def test_a_release_of_one_column_is_paged_too(tmp_path):
    (tmp_path / "in.csv").write_text("age,who\n" + "".join(f"{n % 7},p{n}\n" for n in range(60)))
    asked = project_from_mapping(
        {
            "data": {"path": str(tmp_path / "in.csv"), "unlisted": "omit"},
            "attributes": {"age": {"role": "quasi"}},
            "privacy": {"k": 2},
        }
    )
    result = streamed(asked, Target(tmp_path / "r.csv"))
    pages = ReleasePages(result, 7)
    assert pages.read(0, pages.height).equals(in_memory(asked, tmp_path / "m.csv").table)
