"""The words of the product, a line for each in glossary.md: `F1` shows them, and the docs."""

import re
from collections.abc import Iterable
from pathlib import Path

from kanon_tui.core.task.task import Algorithm, Family

_PAGE = Path(__file__).with_name("glossary.md").read_text(encoding="utf-8")
GLOSSARY = dict(re.findall(r"^- \*\*(.+?)\*\*: (.+)$", _PAGE, flags=re.MULTILINE))
"""One word per idea, in the order in which a reader meets them."""

_ALL = ("class", "k", "quasi-identifier", "suppress")
_FULL_DOMAIN = (
    "level", "root", "string", "lattice", "height", "passes", "more specific", "more general",
    "pruned", "pre-pruning", "RV",
)  # fmt: skip
_CLUSTERING = ("cluster", "box", "NCP")


def terms_of(algorithm: Algorithm | type[Algorithm]) -> list[str]:
    """Return the words that an algorithm's sentences and pictures use."""
    family = _FULL_DOMAIN if algorithm.family is Family.FULL_DOMAIN else _CLUSTERING
    return [*_ALL, *family, *algorithm.terms]


def glossary_lines(terms: Iterable[str]) -> list[str]:
    """Return a line of Markdown for each of these words."""
    return [f"- **{term}**: {GLOSSARY[term]}" for term in terms]
