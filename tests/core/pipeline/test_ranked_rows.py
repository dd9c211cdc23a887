"""Rows of a written release in another order, and records beside the rows written of them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.analysis.why.in_files import ClassesByCells
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.pipeline.pages import (
    LEFT_OUT,
    PublishedPages,
    ReleasePages,
    RowNumbers,
    in_turns,
    ranked_rows,
    records_of,
)
from kanon_tui.core.processes.memory_limit import AT_LEAST, MemoryLimit
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.writing import Target
from tests.core.pipeline.compared import in_memory, streamed
from tests.core.pipeline.test_stream import people, project


def by_class(result, page: int = 3) -> RowNumbers:
    classes = ClassesByCells(result)
    stretches = ReleasePages(result, page).stretches()
    return ranked_rows(stretches, classes.numbers_of, classes.row_sizes, MemoryLimit())


@settings(max_examples=12, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(["mondrian", "global"]),
    st.sampled_from(["r.csv", "parts"]),
    st.sampled_from(["sorted", "input"]),
    st.sampled_from(["drop", "star"]),
    st.sampled_from(["value", "drop"]),
    st.sampled_from(["keep", "escape"]),
)
def test_orders_and_rows_of_records_are_those_of_memory(
    seed, algorithm, name, order, suppressed, missing, formulas
):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        people(80, seed).write_csv(folder / "in.csv")
        asked = project(
            folder / "in.csv",
            data={"path": str(folder / "in.csv"), "missing": {"policy": missing}},
            algorithm={"name": algorithm},
            privacy={"k": 3, "max_suppression": 0.3},
            output={"order": order, "suppressed": suppressed, "formulas": formulas},
        )
        try:
            expected = in_memory(asked, folder / "memory.csv")
        except NotReachedError:
            return  # starred records that are too few: nothing is released
        result = streamed(asked, Target.parse(f"{folder}/{name}"))
        rows = by_class(result)
        last = len(expected.release.class_sizes)
        classes = np.where(expected.classes < 0, last, expected.classes)
        assert rows.tolist() == np.argsort(classes, kind="stable").tolist()
        sizes = np.append(expected.release.class_sizes, 10**6)
        turned = in_turns(rows, ClassesByCells(result).row_sizes, np.argsort(sizes, kind="stable"))
        assert turned.tolist() == np.lexsort((classes, sizes[classes])).tolist()

        records = records_of(result)
        written = PublishedPages(result, records, ReleasePages(result).names)
        found = written.read(0, written.height)
        assert written.names == tuple(expected.written.columns)
        kept = expected.task.table.kept
        numbers = np.arange(expected.task.n) if kept is None else kept
        gone = expected.release.suppressed if suppressed == "drop" else np.zeros(80, dtype=bool)
        published = numbers[~gone[: len(numbers)]]
        one_by_one = dict(enumerate(found.rows()))
        order_of = expected.release.order
        for row, cells in zip(order_of, expected.written.rows(), strict=True):
            assert one_by_one.pop(int(numbers[row])) == tuple(map(str, cells))
        assert set(published.tolist()).isdisjoint(one_by_one)
        assert all(set(cells) == {LEFT_OUT} for cells in one_by_one.values())


def test_no_order_is_made_that_does_not_fit_or_of_files_that_were_changed(tmp_path):
    people(60).write_csv(tmp_path / "in.csv")
    result = streamed(project(tmp_path / "in.csv"), Target(tmp_path / "r.csv"))
    classes, pages = ClassesByCells(result), ReleasePages(result, 4)
    tight = MemoryLimit(AT_LEAST)
    with pytest.raises(InputError, match="another order of its rows takes 240 bytes, and 0"):
        ranked_rows(pages.stretches(), classes.numbers_of, classes.row_sizes, tight)
    table = read_table(tmp_path / "r.csv", ReadOptions(header=True)).frame
    for changed in (table.head(50), table.with_columns(city=table["city"] + "x")):
        with pytest.raises(InputError, match="changed while it was read"):
            ranked_rows([changed], classes.numbers_of, classes.row_sizes, MemoryLimit())
