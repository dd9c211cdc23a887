"""The words of pictures and sentences, a line for each."""

from __future__ import annotations

from kanon_tui.core.task.steps import Algorithm, Family

__all__ = ["GLOSSARY", "terms_of"]

GLOSSARY: dict[str, str] = {
    "class": "records that look the same in all quasi-identifiers of the release",
    "k": "how many records every class must have at least",
    "quasi-identifier": "an attribute that an outsider may know, such as age or postcode",
    "level": "how far an attribute is generalised: 0 as in the file, the last says nothing",
    "root": "the last level of an attribute, at which all values look the same",
    "string": "one level for every attribute, ⟨age 1, sex 0, zip 2⟩",
    "lattice": "all strings, those with fewer levels raised below; going up, classes only merge",
    "height": "the sum of a string's levels",
    "passes": "no class is smaller than k, but for the records that may be suppressed",
    "more specific": "with no level higher; if a string fails, these fail too",
    "more general": "with no level lower; if a string passes, these pass too",
    "pruned": "settled without a test",
    "pre-pruning": "dropping the levels that fail alone before any string is tested",
    "minimal": "a string that passes while none below it does",
    "RV": "research value: what is left for a researcher, by weights, levels and kept rules",
    "NCP": "normalised certainty penalty: how wide the published cells are, 0 to 1",
    "IL": "information loss: widths of all cells added up",
    "cut": "dividing records in two by a value of one attribute",
    "width": "how much of an attribute's domain a group spans, 0 to 1",
    "cluster": "records that will be one class",
    "merge": "two clusters become one, and publish what covers both",
    "box": "what a cluster would publish: a range or a label per attribute",
    "centre": "the record, or the mean of records, that distances are measured from",
    "MAGVal": "the most general label that a value may be published as",
    "suppress": "not to publish a record, or to publish * instead of a cell",
}

_ALL = ("class", "k", "quasi-identifier", "suppress")
_FULL_DOMAIN = (
    "level", "root", "string", "lattice", "height", "passes", "more specific", "more general",
    "pruned", "pre-pruning", "RV",
)  # fmt: skip
_CLUSTERING = ("cluster", "box", "NCP")


def terms_of(algorithm: Algorithm | type[Algorithm]) -> list[tuple[str, str]]:
    """Return the terms that an algorithm's sentences and pictures use, each with its line."""
    family = _FULL_DOMAIN if algorithm.family is Family.FULL_DOMAIN else _CLUSTERING
    return [(term, GLOSSARY[term]) for term in (*_ALL, *family, *algorithm.terms)]
