"""Role and kind of every column, suggested from its name and its values.

A suggestion is a start for a person to correct, and says why it was made. Names speak first, since
they carry the meaning (`personal_words`); values decide the kind, and the role where the name says
nothing.

Roles, in this order:

0. a name like *instance weight* or *Hochrechnungsfaktor* over numbers → weight;
1. a name like *ssn*, *email*, *Nachname*, *patient id* → identifier; where it numbers people and
   values repeat, so that a person has several records → person;
2. a name like *diagnosis*, *Einkommen*, *religion* → sensitive;
3. a name like *age*, *sexe*, *PLZ*, *fecha de nacimiento*, *occupation* → quasi;
4. texts of a shape that names people, such as IBANs or e-mail addresses → identifier, ICD-10
   codes → sensitive, coordinates → quasi (`personal_patterns`);
5. values that single everybody out → identifier: a running number, a column called *… id* or
   *… number* that differs in (nearly) every record, or at least 20 records that differ so in a
   text or an integer. Decimals that all differ are measurements, and in a smaller table most
   columns differ only because it is small;
6. dates → quasi: what happened to a person, and when, is what others may know;
7. anything else → other.

Kinds: numbers are numeric and dates are date, except that columns named like *zip* and digits with
leading zeros are codes, hence categorical, and so are numbers and dates that can be read in two
ways: which one is meant is for a person to say. Few different numbers are still numbers.
"""

import re
from dataclasses import dataclass

import numpy as np
import polars as pl

from kanon_tui.core.table import personal_patterns as patterns
from kanon_tui.core.table.cell_codes import FEW
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.numbers import NUMBER_FORMATS, PLAIN, NumberFormat
from kanon_tui.core.table.table import Table
from kanon_tui.core.table.value_formats import Format, ValueFormats, closest_format
from kanon_tui.core.text import quoted_list

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
class _Impression:
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
    words = patterns.words_of(name)
    if not distinct.len():
        role, why = _role_by_name(words, numbers=False)
        return Guess(role, Kind.CATEGORICAL, f"{why}; every cell is missing")
    impression = _impression(distinct, table.formats, is_code=bool(patterns.CODES.find(words)))
    role, why = _role_by_name(words, impression.kind is Kind.NUMERIC)
    if role is Role.OTHER:
        role, why = _role_by_values(words, impression, distinct, present)
    repeats = _FEW <= distinct.len() < present
    if role in (Role.IDENTIFIER, Role.OTHER) and impression.labels and repeats:
        found = patterns.PERSON_NUMBERS.find(words)
        if found:
            role = Role.PERSON
            why = f"its name says '{found}', and {present:,} records are {distinct.len():,} people"
    reason = f"{why}; {impression.what}"
    return Guess(role, impression.kind, reason, impression.format, impression.readings)


def _role_by_name(words: str, numbers: bool) -> tuple[Role, str]:
    for role, listed in patterns.ROLE_WORDS.items():
        found = listed.find(words)
        if found and (numbers or role is not Role.WEIGHT):
            return role, f"its name says '{found}'"
    return Role.OTHER, "its name points at no person"


def _role_by_values(
    words: str, impression: _Impression, distinct: pl.Series, present: int
) -> tuple[Role, str]:
    shape = None
    if impression.shaped:
        shape = patterns.shape_of(distinct.head(patterns.SAMPLE).str.strip_chars().to_list())
    if shape is not None:
        role = patterns.SHAPE_ROLES.get(shape, Role.IDENTIFIER)
        return role, f"its values look like {shape}"
    different = distinct.len()
    if impression.running and different == present >= _FEW:
        return Role.IDENTIFIER, "a running number"
    nearly_all_differ = present > 1 and different >= _NEARLY_ALL * present
    if (
        impression.labels
        and nearly_all_differ
        and (present >= _MANY or patterns.LABELS.find(words))
    ):
        return Role.IDENTIFIER, f"{different:,} of {present:,} records differ in it"
    if impression.dates:
        return Role.QUASI, "others may know when something happened to a person"
    return Role.OTHER, "neither name nor values point at a person"


def _impression(distinct: pl.Series, formats: ValueFormats, is_code: bool) -> _Impression:
    several = distinct.len() > 1
    different = f"{distinct.len():,} different " if several else "a single "
    plural = "s" if several else ""
    numbers = formats.of_numbers(distinct)
    readings: tuple[Format, ...] = numbers
    if len(numbers) == 1:
        return _number_impression(distinct, numbers[0], is_code, f"{different}number{plural}")
    if not readings:
        readings = formats.of_dates(distinct)
    if len(readings) == 1:
        what = f"{different}date{plural} ({readings[0]})"
        return _Impression(Kind.DATE, what, format=readings[0])
    if readings:
        noun = "numbers" if numbers else "dates"
        both = " or as ".join(map(str, readings))
        return _Impression(
            Kind.CATEGORICAL,
            f"{noun} that can be read as {both}: set kind and format to the right one",
            readings=readings,
        )
    what = f"{different}text{plural}"
    if several and _share_like(distinct, _LIKE_A_NUMBER) >= 0.9:
        readable = ~np.isnan(closest_format(distinct, NUMBER_FORMATS).read(distinct))
        if readable.mean() >= 0.9:
            others = quoted_list(distinct.filter(~readable).sort(), most=3)
            what = f"numbers but for {others}: missing tokens, if that is what they mean"
    return _Impression(Kind.CATEGORICAL, what, labels=True, shaped=True)


def _share_like(distinct: pl.Series, pattern: str) -> float:
    """Return the share of the values in which a pattern is found.

    Of a few values Python tells quicker: a wide table has a hundred thousand such columns.
    """
    if distinct.len() > FEW:
        return float(distinct.str.contains(pattern).mean())  # type: ignore[arg-type]
    return sum(map(bool, map(re.compile(pattern).search, distinct.to_list()))) / distinct.len()


def _number_impression(
    distinct: pl.Series, number_format: NumberFormat, is_code: bool, what: str
) -> _Impression:
    if is_code:
        what = "codes that happen to be digits"
        return _Impression(Kind.CATEGORICAL, what, labels=True, shaped=True)
    if _share_like(distinct, _LEADING_ZERO):
        what = "codes, as they have leading zeros"
        return _Impression(Kind.CATEGORICAL, what, labels=True, shaped=True)
    numbers = number_format.read(distinct)
    integers = bool((numbers % 1 == 0).all())
    first, last = numbers.min(), numbers.max()
    return _Impression(
        Kind.NUMERIC,
        what if number_format == PLAIN else f"{what} (written like {number_format})",
        labels=integers,
        running=integers and first in (0, 1) and last - first + 1 == len(numbers),
        shaped=integers and _share_like(distinct, _LONG_NUMBER) == 1,
        format=None if number_format == PLAIN else number_format,
    )
