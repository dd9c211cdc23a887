"""One glossary: the page of the documentation and what `F1` shows have the same lines."""

from __future__ import annotations

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.teaching.glossary import GLOSSARY, glossary_lines, terms_of
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()


def test_the_page_has_every_word_and_no_other() -> None:
    assert len(GLOSSARY) > 30
    assert [line for line in PAGE if line.startswith("- ")] == glossary_lines(GLOSSARY)


def test_every_word_that_an_algorithm_uses_is_explained() -> None:
    for algorithm in ALGORITHMS.values():
        assert set(terms_of(algorithm)) <= set(GLOSSARY)
