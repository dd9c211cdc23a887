"""Counts, lists and numbers as sentences say them."""

from __future__ import annotations

import json

import pytest

from kanon_tui.core.text import (
    count_of,
    first_few,
    is_visible,
    joined,
    json_text,
    plural,
    quoted_list,
    short_list,
    short_number,
    shortened,
    visible,
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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]2;X\x07city", "␛]2;X␇city"),
        ("a\tb\r\nc\0\x7f", "a␉b␍␊c␀␡"),
        ("\x9b31m\x85", "\\u009b31m\\u0085"),
        ("a\u202eb\u2066c\u200ed\u061c", "a\\u202eb\\u2066c\\u200ed\\u061c"),
        ("a\u200bb\u2060c\ufeffd\xad", "a\\u200bb\\u2060c\\ufeffd\\u00ad"),
        ("a\u2028b\u2029", "a\\u2028b\\u2029"),
        ("\u3164\u115fx\ufe0f\U000e0101", "\\u3164\\u115fx\\ufe0f\\U000e0101"),
        ("tag \U000e0041 \ue000 \udcff \u0378", "tag \\U000e0041 \\ue000 \\udcff \\u0378"),
        ("👨\u200d👩", "👨\\u200d👩"),
    ],
)
def test_what_steers_a_terminal_or_hides_is_spelt_out(text: str, shown: str) -> None:
    assert visible(text) == shown
    assert not is_visible(text)
    assert is_visible(shown)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "C:\\new",
        "Zürich",
        "Zu\u0308rich",
        "東京\u3000都",
        "1\u202f000\xa0€",
        "שלום",
        "👍🏽",
    ],
)
def test_ordinary_text_of_any_language_stays(text: str) -> None:
    assert visible(text) == text


def test_json_reads_back_exactly_and_holds_nothing_hidden() -> None:
    value = {"a\u202e\x9b": ["\x1b[31m", "\udcff", "x\U000e0041", "Zürich\xa0\n\x7f", 1.5]}
    for text in (json_text(value), json_text(value, ascii_only=True)):
        assert json.loads(text) == value
        assert all(visible(line) == line for line in text.split("\n"))
    assert "Zürich" in json_text(value)
    assert json_text(value, ascii_only=True).isascii()
