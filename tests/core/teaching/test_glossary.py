"""One glossary: the page of the documentation and what `F1` shows have the same lines."""

from __future__ import annotations

import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.teaching.glossary import GLOSSARY, glossary_lines, terms_of
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()


def test_the_page_has_every_word_and_no_other() -> None:
    assert [line for line in PAGE if line.startswith("- ")] == glossary_lines(GLOSSARY)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_word_of_an_algorithm_is_on_the_page(name: str) -> None:
    """`F1` shows the lines of the words while the algorithm is watched."""
    shown = glossary_lines(terms_of(ALGORITHMS[name]()))
    assert shown
    assert set(shown) <= set(PAGE)
