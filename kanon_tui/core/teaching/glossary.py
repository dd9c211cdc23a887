"""The words of the product, a line for each: `F1` while a run is watched, and docs/glossary.md."""

from __future__ import annotations

from collections.abc import Iterable

from kanon_tui.core.task.steps import Algorithm, Family

GLOSSARY: dict[str, str] = {
    "table": "the records of a data file, one row each, with the same attributes",
    "record": "one row of a table; it may be one person, or one of several of theirs",
    "attribute": "a column of a table, such as age",
    "role": "what an attribute is to an outsider: identifier, quasi-identifier, "
    "sensitive, person or other",
    "identifier": "an attribute that names a person, such as a name or a number; it is "
    "not published",
    "quasi-identifier": "an attribute that an outsider may know, such as age or postcode",
    "sensitive": "an attribute that must not be tied to a person, such as a diagnosis",
    "k": "how many records every class must have at least",
    "class": "records that look the same in all quasi-identifiers of the release",
    "release": "the table that is published, verified by counting its classes again",
    "requirement": "what every class must have beyond k, such as three different diagnoses",
    "suppress": "not to publish a record, or to publish * instead of a cell",
    "rule": "a range or a set of values that should stay together, with its importance",
    "run": "one algorithm on one table, from the first decision to the release",
    "measure": "a number that says how much detail a release keeps or loses: RV, NCP or IL",
    "RV": "research value: what is left for a researcher, by weights, levels and kept rules",
    "NCP": "normalised certainty penalty: how wide the published cells are, 0 to 1",
    "IL": "information loss: widths of all cells added up",
    "hierarchy": "how the values of an attribute are grouped into labels, level by level",
    "level": "how far an attribute is generalised: 0 as in the file, the last says nothing",
    "root": "the last level of an attribute, at which all values look the same",
    "MAGVal": "the most general label that a value may be published as",
    "string": "one level for every attribute, ⟨age 1, sex 0, zip 2⟩",
    "lattice": "all strings, those with fewer levels raised below; going up, classes only merge",
    "height": "the sum of a string's levels",
    "passes": "no class is smaller than k, but for the records that may be suppressed",
    "more specific": "with no level higher; if a string fails, these fail too",
    "more general": "with no level lower; if a string passes, these pass too",
    "pruned": "settled without a test",
    "pre-pruning": "dropping the levels that fail alone before any string is tested",
    "minimal": "a string that passes while none below it does",
    "cluster": "records that will be one class",
    "box": "what a cluster would publish: a range or a label per attribute",
    "cut": "dividing records in two by a value of one attribute",
    "width": "how much of an attribute's domain a group spans, 0 to 1",
    "merge": "two clusters become one, and publish what covers both",
    "centre": "the record, or the mean of records, that distances are measured from",
}
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
