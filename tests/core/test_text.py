"""Counts, lists and numbers as sentences say them."""

from __future__ import annotations

import pytest

from kanon_tui.core.text import (
    count_of,
    first_few,
    joined,
    plural,
    quoted_list,
    short_list,
    short_number,
    shortened,
)


def test_words_agree_with_their_count() -> None:
    counts = [count_of(n, "record") for n in (0, 1, 2306)]
    assert counts == ["0 records", "1 record", "2,306 records"]
    assert [count_of(n, "class", "classes") for n in (1, 2)] == ["1 class", "2 classes"]
    assert [plural(n, "is", "are") for n in (0, 1, 2)] == ["are", "is", "are"]
    assert plural(1.0, "value") == "value"


@pytest.mark.parametrize(
    ("words", "told"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_words_are_joined(words: list[str], told: str) -> None:
    assert joined(words) == told
    assert joined(words, "or") == told.replace(" and ", " or ")


def test_of_many_values_the_first_are_shown_and_the_others_counted() -> None:
    assert first_few(["a", "b", "c"], 3) == "a, b, c"
    assert first_few(["a"] * 1234, 2) == "a, a and 1,232 more"
    assert quoted_list(range(7)) == "'0', '1', '2', '3', '4' and 2 more"
    assert quoted_list([]) == ""


def test_long_values_are_cut_in_sentences() -> None:
    assert shortened("x" * 40) == "x" * 40
    assert shortened("x" * 41) == "x" * 39 + "…"
    assert short_list(["x" * 50, "b", "c", "d"]) == "x" * 39 + "…, b, c and 1 more"


def test_numbers_have_no_more_digits_than_it_takes() -> None:
    assert [short_number(x) for x in (2.5, 2.0, 0.8484, 100.0)] == ["2.5", "2", "0.848", "100"]
