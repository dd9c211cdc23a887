"""Role and kind of every column, suggested from its name and its values.

A suggestion is a start for a person to correct, and says why it was made. Names speak first, since
they carry the meaning; values decide the kind, and the role where the name says
nothing.

Roles, in this order:

0. a name like *instance weight* or *Hochrechnungsfaktor* over numbers → weight;
1. a name like *ssn*, *email*, *Nachname*, *patient id* → identifier; where it numbers people and
   values repeat, so that a person has several records → person;
2. a name like *diagnosis*, *Einkommen*, *religion* → sensitive;
3. a name like *age*, *sexe*, *PLZ*, *fecha de nacimiento*, *occupation* → quasi;
4. texts of a shape that names people, such as IBANs or e-mail addresses → identifier, ICD-10
   codes → sensitive, coordinates → quasi;
5. values that single everybody out → identifier: a running number, a column called *… id* or
   *… number* that differs in (nearly) every record, or at least 20 records that differ so in a
   text or an integer. Decimals that all differ are measurements, and in a smaller table most
   columns differ only because it is small;
6. dates → quasi: what happened to a person, and when, is what others may know;
7. anything else → other.

Kinds: numbers are numeric and dates are date, except that columns named like *zip* and digits with
leading zeros are codes, hence categorical, and so are numbers and dates that can be read in two
ways: which one is meant is for a person to say. Few different numbers are still numbers.

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
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from kanon_tui.core.table.cell_codes import FEW
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import Table
from kanon_tui.core.table.value_formats import (
    NUMBER_FORMATS,
    PLAIN,
    Format,
    NumberFormat,
    ValueFormats,
    closest_format,
)
from kanon_tui.core.text import quoted_list


def words_of(name: str) -> str:
    """Return the words of a name: `dateOfBirth` and `Date-of-birth` are `date of birth`; é is e."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.replace("'", ""))
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    return " ".join(re.findall(r"[^\W_]+", plain)).lower()


class WordList:
    """Words to find in the name of a column."""

    def __init__(self, words: str, pattern: str = "") -> None:
        """Take the words, and a pattern for names that are composed of parts."""
        forms = [word.replace("_", " ").replace("*", r"\w*") for word in words.split()]
        complete_names = "|".join(form[1:] for form in forms if form[0] == "=")
        inside = "|".join(form for form in forms if form[0] != "=")
        self._pattern = re.compile(rf"^(?:{complete_names})$|\b(?:{inside})\b|{pattern or '(?!)'}")

    def find(self, words: str) -> str:
        """Return the word of this list that a name (from `words_of`) contains; empty if none."""
        match = self._pattern.search(words)
        return match.group() if match else ""


_FILE = Path(__file__).with_name("personal_words.txt").read_text(encoding="utf-8")
_WORDS = dict(re.findall(r"^# (.+)\n([^#]+)", _FILE, flags=re.MULTILINE))
"""Words by what they point at; empty lines part languages."""
_PEOPLE, _NUMBERED = (f"(?:{'|'.join(_WORDS[each].split())})" for each in ("people", "numbered"))
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

CODES = WordList(_WORDS["digits that are codes"])
"""Names of digits that are codes and no numbers."""

DIAGNOSES = WordList(_WORDS["diagnoses"])
"""Names of columns whose codes are those of diseases."""

LABELS = WordList(_WORDS["labels"])
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


_MANY = 20  # fewest records in which different values single people out
_FEW = 5  # fewest values of a running number or of repeated people
_NEARLY_ALL = 0.95
_LONG_NUMBER = "^(?s:.{13,})$"  # shorter whole numbers may be amounts
_LEADING_ZERO = "^[+-]?0[0-9]"
_LIKE_A_NUMBER = r"^\s*[+-]?[0-9.,][0-9., ]*\s*$"


@dataclass(frozen=True)
class Guess:
    """The suggested role and kind of a column, with the reason."""

    role: Role
    kind: Kind
    reason: str
    format: Format | None = None
    """The format of its dates, or of numbers that are not plain."""
    readings: tuple[Format, ...] = ()
    """All formats, if numbers or dates can be read in several ways."""


@dataclass(frozen=True)
class _ValueSummary:
    """The kind of a column's values, and facts that suggest a role."""

    kind: Kind
    what: str
    labels: bool = False  # texts or integers, which may number or name people
    running: bool = False  # 1, 2, 3, … in any order
    shaped: bool = False  # texts or long numbers, which may have the shape of a number of persons
    format: Format | None = None
    readings: tuple[Format, ...] = ()

    @property
    def dates(self) -> bool:
        return isinstance(self.format, str) or any(isinstance(r, str) for r in self.readings)


def guess_attributes(table: Table) -> dict[str, Guess]:
    """Return a suggestion for every column, in file order."""
    return {name: guess_attribute(table, name) for name in table.names}


def guess_attribute(table: Table, name: str) -> Guess:
    """Return a suggestion for one column."""
    distinct, present = table.present_values(name)
    words = words_of(name)
    if not distinct.len():
        role, why = _role_by_name(words, numbers=False)
        return Guess(role, Kind.CATEGORICAL, f"{why}; every cell is missing")
    summary = _value_summary(distinct, table.formats, is_code=bool(CODES.find(words)))
    role, why = _role_by_name(words, summary.kind is Kind.NUMERIC)
    if role is Role.OTHER:
        role, why = _role_by_values(words, summary, distinct, present)
    repeats = _FEW <= distinct.len() < present
    if role in (Role.IDENTIFIER, Role.OTHER) and summary.labels and repeats:
        word = PERSON_NUMBERS.find(words)
        if word:
            role = Role.PERSON
            why = f"its name says '{word}', and {present:,} records are {distinct.len():,} people"
    reason = f"{why}; {summary.what}"
    return Guess(role, summary.kind, reason, summary.format, summary.readings)


def _role_by_name(words: str, numbers: bool) -> tuple[Role, str]:
    for role, listed in ROLE_WORDS.items():
        word = listed.find(words)
        if word and (numbers or role is not Role.WEIGHT):
            return role, f"its name says '{word}'"
    return Role.OTHER, "its name points at no person"


def _role_by_values(
    words: str, summary: _ValueSummary, distinct: pl.Series, present: int
) -> tuple[Role, str]:
    shape = None
    if summary.shaped:
        shape = shape_of(distinct.head(SAMPLE).str.strip_chars().to_list())
    if shape is not None:
        role = SHAPE_ROLES.get(shape, Role.IDENTIFIER)
        return role, f"its values look like {shape}"
    different = distinct.len()
    if summary.running and different == present >= _FEW:
        return Role.IDENTIFIER, "a running number"
    nearly_all_differ = present > 1 and different >= _NEARLY_ALL * present
    if summary.labels and nearly_all_differ and (present >= _MANY or LABELS.find(words)):
        return Role.IDENTIFIER, f"{different:,} of {present:,} records differ in it"
    if summary.dates:
        return Role.QUASI, "others may know when something happened to a person"
    return Role.OTHER, "neither name nor values point at a person"


def _value_summary(distinct: pl.Series, formats: ValueFormats, is_code: bool) -> _ValueSummary:
    several = distinct.len() > 1
    different = f"{distinct.len():,} different " if several else "a single "
    plural = "s" if several else ""
    numbers = formats.of_numbers(distinct)
    readings: tuple[Format, ...] = numbers
    if len(numbers) == 1:
        return _number_summary(distinct, numbers[0], is_code, f"{different}number{plural}")
    if not readings:
        readings = formats.of_dates(distinct)
    if len(readings) == 1:
        what = f"{different}date{plural} ({readings[0]})"
        return _ValueSummary(Kind.DATE, what, format=readings[0])
    if readings:
        noun = "numbers" if numbers else "dates"
        both = " or as ".join(map(str, readings))
        return _ValueSummary(
            Kind.CATEGORICAL,
            f"{noun} that can be read as {both}: set kind and format to the right one",
            readings=readings,
        )
    what = f"{different}text{plural}"
    if several and _share_like(distinct, _LIKE_A_NUMBER) >= 0.9:
        readable = ~np.isnan(closest_format(distinct, NUMBER_FORMATS).read(distinct))
        if readable.mean() >= 0.9:
            unreadable = quoted_list(distinct.filter(~readable).sort(), most=3)
            what = f"numbers but for {unreadable}: missing tokens, if that is what they mean"
    return _ValueSummary(Kind.CATEGORICAL, what, labels=True, shaped=True)


def _share_like(distinct: pl.Series, pattern: str) -> float:
    """Return the share of the values in which a pattern is found.

    Of a few values Python tells quicker: a wide table has a hundred thousand such columns.
    """
    if distinct.len() > FEW:
        return float(distinct.str.contains(pattern).mean())  # type: ignore[arg-type]
    return sum(map(bool, map(re.compile(pattern).search, distinct.to_list()))) / distinct.len()


def _number_summary(
    distinct: pl.Series, number_format: NumberFormat, is_code: bool, what: str
) -> _ValueSummary:
    if is_code:
        what = "codes that happen to be digits"
        return _ValueSummary(Kind.CATEGORICAL, what, labels=True, shaped=True)
    if _share_like(distinct, _LEADING_ZERO):
        what = "codes, as they have leading zeros"
        return _ValueSummary(Kind.CATEGORICAL, what, labels=True, shaped=True)
    numbers = number_format.read(distinct)
    integers = bool((numbers % 1 == 0).all())
    first = numbers.min()
    last = numbers.max()
    return _ValueSummary(
        Kind.NUMERIC,
        what if number_format == PLAIN else f"{what} (written like {number_format})",
        labels=integers,
        running=integers and first in (0, 1) and last - first + 1 == len(numbers),
        shaped=integers and _share_like(distinct, _LONG_NUMBER) == 1,
        format=None if number_format == PLAIN else number_format,
    )
