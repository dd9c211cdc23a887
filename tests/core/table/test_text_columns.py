"""Cells as numbers of their texts."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_tui.core.table import text_columns
from kanon_tui.core.table.text_columns import code_texts


@given(st.lists(st.sampled_from(["a", "b", "", "ä", "long text " * 3, "c", "d", "e"])))
def test_codes_give_the_cells_back(cells: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_columns, "_FIRST", 6)
        codes, texts = code_texts(pl.Series("x", cells, dtype=pl.String))
    assert [texts[int(code)] for code in codes] == cells
    assert sorted(texts) == sorted(set(cells))


def test_all_texts_are_among_the_first_cells_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not among the first cells alone is looked for among all."""
    monkeypatch.setattr(text_columns, "_FIRST", 4)
    looked_for: list[int] = []
    unique = pl.Series.unique
    monkeypatch.setattr(
        pl.Series, "unique", lambda cells: looked_for.append(len(cells)) or unique(cells)
    )
    code_texts(pl.Series(["a", "b", "a", "b"] * 10))
    assert looked_for == [4]
    code_texts(pl.Series(["a", "b", "a", "b", "c", "a", "d", "c"]))
    assert looked_for == [4, 4, 3]
    code_texts(pl.Series(["a", "b", "c", "b", "c", "a"]))
    assert looked_for == [4, 4, 3, 4, 6]
