"""What a browser may send to a served session."""

from __future__ import annotations

import pytest

from kanon_tui.web.session import LONGEST_MESSAGE, read_message


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('["stdin", "a\\u001b[A"]', ("stdin", "a\x1b[A")),
        ('["ping", "17"]', ("ping", "17")),
        ('["focus"]', ("focus", None)),
        ('["blur"]', ("blur", None)),
        ('["resize", {"width": 80, "height": 24}]', ("resize", (80, 24))),
        ('["resize", {"width": 9999999, "height": -3}]', ("resize", (500, 1))),
    ],
)
def test_what_our_page_sends(text: str, read: object) -> None:
    assert read_message(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "{}",
        "[]",
        "3",
        "NaN",
        '["stdin"]',
        '["stdin", 3]',
        '["stdin", ["x"]]',
        '["ping", {"a": [1]}]',
        '["focus", 1]',
        '["quit"]',
        '["resize", 3]',
        '["resize", {"width": 1e400, "height": 1}]',
        '["resize", {"width": "80", "height": "24"}]',
        '["resize", {"width": 1' + "0" * 5_000 + ', "height": 1}]',
        "[" * 100_000,
        '["stdin", ' * 50_000,
        '{"a":' * 100_000,
        '["stdin", "' + "x" * LONGEST_MESSAGE + '"]',
    ],
    ids=lambda text: text[:20] or "nothing",
)
def test_everything_else_is_none(text: str) -> None:
    assert read_message(text) is None
