"""The technical words of a dossier, explained for readers from outside the field."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kanon_tui.core.report.sections import Section

WORDS = {
    "k-anonymity": "everybody in the release looks like at least k − 1 others in what an outsider "
    "may know",
    "class": "records of the release that look the same in all key variables",
    "quasi-identifier": "a column that others may know of a person, such as age or postcode; alone "
    "harmless, together often not",
    "key variable": "another word for quasi-identifier, used by statistical offices",
    "direct identifier": "a column that names a person by itself, such as a name or a number",
    "sensitive": "a column that must not be learnt of a person, such as a diagnosis",
    "generalise": "publish a coarser value: 20-29 instead of 23",
    "suppressed": "left out of the release, or shown as *",
    "hierarchy": "how values are grouped into coarser labels, level by level",
    "level": "how coarse a column is published: 0 as it is, the highest says nothing",
    "weight": "how much a column counts among the others, as the project says",
    "NCP": "normalised certainty penalty, the share of detail that was lost: 0 nothing, 1 all",
    "research value": "how well values can still be told apart, weighted as the project says; 1 is "
    "the most",
    "utility": "what the release is still good for",
    "l-diversity": "every class has at least l different sensitive values",
    "t-closeness": "the sensitive values of every class are spread nearly as in the whole table",
    "identity disclosure": "somebody finds out which record is a person's",
    "attribute disclosure": "somebody learns a sensitive value of a person, even without knowing "
    "which record is hers",
    "homogeneity": "all records of a class have the same sensitive value, so that it is known",
    "singling out": "telling one person of the data from all others",
    "linkability": "connecting records of the same person in two tables",
    "inference": "learning a value of a person with high probability",
    "prosecutor": "an attacker who knows that a certain person is in the data",
    "journalist": "an attacker who wants to find anybody, and does not know who is in the data",
    "marketer": "an attacker who wants to find as many as possible; counted on average",
    "population": "all people of whom those in the data are a part",
    "sample unique": "a person who is alone in a class of the data",
    "Zayatz": "a way to estimate how many people are unique in the population (so are Pitman, SNB "
    "and the rule of Dankar)",
    "confidence interval": "where the true share lies in 95 of 100 such trials",
    "control": "the same attack on people who were not in the data: what exceeds it is due to the "
    "release",
    "downcoding": "rebuilding exact values from how coarse ones are printed",
    "minimality": "excluding possible originals because the algorithm would have published them "
    "otherwise",
    "refinement": "excluding classes of a person because other people fill them",
    "membership": "whether a person is in the data at all",
    "predicate": "a description that fits some people, such as: aged 20 to 22, with flu",
    "WP29": "the Article 29 Working Party, the data protection authorities of the European Union "
    "until 2018",
    "SHA-256": "a fingerprint of a file",
    "median": "the value in the middle: half are below, half above",
    "AUC": "how well a model tells two groups apart: 0.5 by chance, 1 always",
}


def words_section(sections: Sequence[Section]) -> Section:
    """Return those of the words that the sections use, each with its meaning."""
    text = "\n".join(each for section in sections for each in section.texts)
    rows = [
        (word, meaning)
        for word, meaning in WORDS.items()
        if re.search(rf"\b{re.escape(word)}", text, re.IGNORECASE)
    ]
    return Section("Words", (), ("Word", "Meaning"), rows)
