"""Words in names of columns and shapes of texts that point at personal data.

The words in `personal_words.txt` are English, German, French, Spanish, Italian, Dutch and
Portuguese, written without accents and in small letters. `birth*` is any word that begins so,
`*diagnose*` any that contains it, like the German *Hauptdiagnose*, `a_b` are two words in a row,
`=nom` is a name that consists of this word only: a French *nom* is a name, while *nom_commune* is
that of a place and *nominal* none at all.

Shapes are those of e-mail addresses, IBANs, card numbers and the like. A column has a shape when
nearly all of a sample of its different texts have it.
"""

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from kanon_tui.core.table.column import Role


def words_of(name: str) -> str:
    """Return the words of a name: `dateOfBirth` and `Date-of-birth` are `date of birth`; é is e."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.replace("'", ""))
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(each for each in plain if not unicodedata.combining(each))
    return " ".join(re.findall(r"[^\W_]+", plain)).lower()


class WordList:
    """Words to find in the name of a column."""

    def __init__(self, words: str, pattern: str = "") -> None:
        """Take the words, and a pattern for names that are composed of parts."""
        forms = [word.replace("_", " ").replace("*", r"\w*") for word in words.split()]
        whole = "|".join(form[1:] for form in forms if form[0] == "=")
        inside = "|".join(form for form in forms if form[0] != "=")
        self._pattern = re.compile(rf"^(?:{whole})$|\b(?:{inside})\b|{pattern or '(?!)'}")

    def find(self, words: str) -> str:
        """Return the word of this list that a name (from `words_of`) contains; empty if none."""
        found = self._pattern.search(words)
        return found.group() if found else ""


_PEOPLE = (
    "(?:patient|person|user|customer|client|member|employee|student|subject|citizen|respondent"
    "|participant|household|record|account|card|policy|case|row|kunden|personen|mitglied|fall)"
)
_NUMBERED = "(?:id|no|nr|num|number|code|nummer|numero)"

_FILE = Path(__file__).with_name("personal_words.txt").read_text(encoding="utf-8")
_WORDS = dict(re.findall(r"^# (.+)\n([^#]+)", _FILE, flags=re.MULTILINE))
"""Words by what they point at; empty lines part languages."""
_NAMED = rf"\b(?:first|last|full|given|family|middle|maiden|user|{_PEOPLE}) ?names?\b"
_SILC_INCOME = r"\b[hp]y[0-9]{3}[gn]?\b"  # of households and persons in EU-SILC

ROLE_WORDS = {
    Role.WEIGHT: WordList(_WORDS["weight"]),
    Role.IDENTIFIER: WordList(_WORDS["identifier"], rf"{_NAMED}|\b{_PEOPLE} ?{_NUMBERED}\b"),
    Role.SENSITIVE: WordList(_WORDS["sensitive"], _SILC_INCOME),
    Role.QUASI: WordList(_WORDS["quasi"]),
}
"""The words that suggest each role, in the order in which roles are tried."""

PERSON_NUMBERS = WordList(_WORDS["number of a person"], rf"\b{_PEOPLE} ?{_NUMBERED}\b")
"""Names of columns that number people: where values repeat, a person has several records."""

CODES = WordList(
    """zip* postcode* post_code* postal* plz postleitzahl* code_postal codepostal codigo_postal
    codice_postale =cap =cp ssn phone* telephone mobile fax telefon* telefono* handy* fips code
    codes schlussel kennziffer"""
)
"""Names of digits that are codes and no numbers."""

DIAGNOSES = WordList("icd* *diagnos* diag dx cause_of_death todesursache")
"""Names of columns whose codes are those of diseases."""

LABELS = WordList("id ids identifier key no nr num number nummer numero kennung")
"""Names of columns that number or name something."""


SAMPLE = 60
"""The most different texts that are looked at."""
FEWEST = 3
"""The fewest texts for which a shape is accepted."""
NEARLY_ALL = 0.9
_LONGEST = 200


SHAPES = {
    "e-mail addresses": r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}",
    "web addresses": r"(?:https?://|www\.)\S+",
    "UUIDs": r"\{?[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\}?",
    "IBANs": r"[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7} ?[A-Z0-9]{1,4}",
    "IP addresses": (
        r"(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
        r"|(?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{0,4}"
    ),
    "MAC addresses": r"(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}",
    "US social security numbers": r"[0-9]{3}-[0-9]{2}-[0-9]{4}",
    "AHV numbers": r"756\.?[0-9]{4}\.?[0-9]{4}\.?[0-9]{2}",
    "French social security numbers": (
        r"[12] ?[0-9]{2} ?(?:0[1-9]|1[0-2]|[2-9][0-9]) ?(?:[0-9]{2}|2[AB]) ?[0-9]{3} ?[0-9]{3}"
        r"(?: ?[0-9]{2})?"
    ),
    "Italian tax codes": r"[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]",
    "Spanish identity numbers": r"[XYZ]?[0-9]{7,8}-?[A-HJ-NP-TV-Z]",
    "Brazilian tax numbers": r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}",
    "telephone numbers": (
        r"(?=(?:\D*[0-9]){7,15}\D*$)(?:\+[0-9]{1,3}[ ./-]?|\(?0)[0-9]*\)?"
        r"(?:[ ./()-]{0,2}[0-9]{2,})+"
    ),
    "names of people": (
        r"[A-Z\u00c0-\u00de][^\W\d_]*(?:[ '-][A-Z\u00c0-\u00de][^\W\d_]+)?, ?"
        r"[A-Z\u00c0-\u00de](?:\.|[^\W\d_A-Z]+)(?: [A-Z]\.)?"
    ),
    "ICD-10 codes": r"[A-Z][0-9]{2}(?:\.[0-9]{1,4})?[!*+]?",
    "coordinates": r"-?[0-9]{1,2}\.[0-9]{3,}\s*[,; ]\s*-?[0-9]{1,3}\.[0-9]{3,}",
}
"""Patterns of texts that name people, or of diseases and coordinates, by what they are."""
SHAPE_ROLES = {"ICD-10 codes": Role.SENSITIVE, "coordinates": Role.QUASI}
"""The roles of shapes that do not name people."""


def shape_of(texts: Sequence[str]) -> str | None:
    """Return what a sample of different texts looks like, such as `IBANs`, or None."""
    if len(texts) < FEWEST:
        return None
    allowed_misses = len(texts) * (1 - NEARLY_ALL)
    for what, pattern in SHAPES.items():
        misses = 0
        for text in texts:
            if len(text) > _LONGEST or not re.fullmatch(pattern, text):
                misses += 1
                if misses > allowed_misses:
                    break
        else:
            return what
    return None
