"""One glossary: the page of the documentation and what `F1` shows have the same lines."""

from __future__ import annotations

import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.teaching.glossary import GLOSSARY, glossary_lines, terms_of
from kanon_tui.screens.run.live_view import watch_help
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()


def test_the_page_has_every_word_and_no_other() -> None:
    assert [line for line in PAGE if line.startswith("- ")] == glossary_lines(GLOSSARY)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_f1_shows_lines_of_the_page(name: str) -> None:
    algorithm = ALGORITHMS[name]()
    shown = [line for line in watch_help(algorithm).splitlines() if line.startswith("- ")]
    assert shown == glossary_lines(terms_of(algorithm))
    assert set(shown) <= set(PAGE)
