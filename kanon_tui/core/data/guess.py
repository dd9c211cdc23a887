"""Role and kind of every column, suggested from its name and its values.

A suggestion is a start for a person to correct, and says why it was made. Names speak first, since
they carry the meaning; values decide the kind, and the role where the name says nothing.

Roles, in this order:

1. a name like *ssn*, *email*, *surname*, *patient id* → identifier;
2. a name like *diagnosis*, *income*, *religion* → sensitive;
3. a name like *age*, *sex*, *zip*, *birth*, *occupation* → quasi;
4. values that single everybody out → identifier: a running number, a column called *… id* or
   *… number* that differs in (nearly) every record, or at least 20 records that differ so in a
   text or an integer. Decimals and dates that all differ are measurements, and in a smaller table
   most columns differ only because it is small;
5. anything else → other.

Kinds: numbers are numeric and dates are date, except that columns named like *zip* and digits with
leading zeros are codes, hence categorical, and so are dates that can be read in two ways. Few
different numbers are still numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl

from kanon_tui.core.data.column import date_formats, parse_numbers
from kanon_tui.core.data.schema import Kind, Role
from kanon_tui.core.data.table import Table
from kanon_tui.core.text import quoted_list

__all__ = ["Guess", "guess_attribute", "guess_attributes"]


def _any_of(words: str) -> re.Pattern[str]:
    """A pattern for names that hold one of these words; `_` joins a phrase, `*` is any ending."""
    alternatives = (word.replace("_", " ").replace("*", r"\w*") for word in words.split())
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b")


_PEOPLE = (
    "(?:patient|person|user|customer|client|member|employee|student|subject|citizen|respondent"
    "|participant|record|account|card|policy|case|row)"
)
_ROLES = {
    Role.IDENTIFIER: _any_of(
        f"""ssn social_security email* e_mail phone* telephone mobile fax ^names?$ surname*
        forename* (?:first|last|full|given|family|middle|maiden|{_PEOPLE})_?names? login passport*
        iban mrn nhs uuid guid ^id$ {_PEOPLE}_?(?:id|no|nr|num|number|code) address street ip url
        driv*_licen[cs]e licen[cs]e_(?:plate|number)"""
    ),
    Role.SENSITIVE: _any_of(
        """diagnos* disease* illness* condition* problem* symptom* icd hiv aids cancer disorder*
        disab* medication* medicine* drug* treatment* therapy prescription* procedure* blood*
        genetic* mental* pregnan* test_result* cause_of_death income* salary wage wages earning*
        debt* credit* loan* wealth relig* faith politic* party vote* trade_union orientation
        sexual* crim* offen[cs]e* convict* arrest* alcohol* addict*"""
    ),
    Role.QUASI: _any_of(
        """age ages sex gender birth* born dob yob death* died zip* postcode* post_code* postal* plz
        race ethnic* country nation* citizen* native origin language* educat* school* degree
        occupation* job profession* employ* work workclass industry marital* married relationship
        family children city town village county state province region* district location* place
        residence date* admission* admitted discharge* visit*"""
    ),
}
_CODE = _any_of("zip* postcode* post_code* postal* plz ssn phone* telephone mobile fax fips codes?")
_LABEL = _any_of("id ids identifier key no nr num number")

_MANY = 20  # records from which different values single people out
_FEW = 5  # enough to believe in a running number
_NEARLY_ALL = 0.95


@dataclass(frozen=True)
class Guess:
    """What a column seems to be, and why."""

    role: Role
    kind: Kind
    reason: str
    date_format: str | None = None


@dataclass(frozen=True)
class _Impression:
    """What the values of a column look like."""

    kind: Kind
    what: str
    labels: bool = False  # texts or integers, which may number or name people
    running: bool = False  # 1, 2, 3, … in any order
    date_format: str | None = None


def guess_attributes(table: Table) -> dict[str, Guess]:
    """A suggestion for every column, in file order."""
    return {name: guess_attribute(table, name) for name in table.names}


def guess_attribute(table: Table, name: str) -> Guess:
    """A suggestion for one column."""
    texts, tokens = table.frame[name], list(table.missing_tokens)
    distinct = texts.unique()
    distinct = distinct.filter(~distinct.is_in(tokens))
    if not distinct.len():
        return Guess(Role.OTHER, Kind.CATEGORICAL, "every cell is missing")
    words = _words(texts.name)
    impression = _impression(distinct, is_code=bool(_CODE.search(words)))
    present = texts.len() - int(texts.is_in(tokens).sum())
    role, why = _role(words, impression, distinct.len(), present)
    return Guess(role, impression.kind, f"{why}; {impression.what}", impression.date_format)


def _words(name: str) -> str:
    """`dateOfBirth`, `date-of-birth` and `Date of birth` are all `date of birth`."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.replace("'", ""))
    return " ".join(re.findall(r"[^\W_]+", name)).lower()


def _role(words: str, impression: _Impression, distinct: int, present: int) -> tuple[Role, str]:
    for role, pattern in _ROLES.items():
        found = pattern.search(words)
        if found:
            return role, f"its name says '{found.group()}'"
    if impression.running and distinct == present >= _FEW:
        return Role.IDENTIFIER, "a running number"
    nearly_all_differ = present > 1 and distinct >= _NEARLY_ALL * present
    if impression.labels and nearly_all_differ and (present >= _MANY or _LABEL.search(words)):
        return Role.IDENTIFIER, f"{distinct:,} of {present:,} records differ in it"
    return Role.OTHER, "neither name nor values point at a person"


def _impression(distinct: pl.Series, is_code: bool) -> _Impression:
    several = distinct.len() > 1
    different = f"{distinct.len():,} different " if several else "a single "
    plural = "s" if several else ""
    numbers = parse_numbers(distinct)
    readable = ~np.isnan(numbers)
    if readable.all():
        if is_code:
            return _Impression(Kind.CATEGORICAL, "codes that happen to be digits", labels=True)
        if distinct.str.contains("^[+-]?0[0-9]").any():
            return _Impression(Kind.CATEGORICAL, "codes, as they have leading zeros", labels=True)
        integers = bool((numbers % 1 == 0).all())
        first, last = numbers.min(), numbers.max()
        running = integers and first in (0, 1) and last - first + 1 == len(numbers)
        return _Impression(
            Kind.NUMERIC, f"{different}number{plural}", labels=integers, running=running
        )
    formats = date_formats(distinct)
    if len(formats) == 1:
        return _Impression(
            Kind.DATE, f"{different}date{plural} ({formats[0]})", date_format=formats[0]
        )
    if formats:
        both = " or as ".join(formats)
        return _Impression(
            Kind.CATEGORICAL,
            f"dates that can be read as {both}: set kind: date and format to the right one",
        )
    what = f"{different}text{plural}"
    if readable.sum() > 1 and readable.mean() >= 0.9:
        others = quoted_list(distinct.filter(~readable).sort(), most=3)
        what = f"numbers but for {others}: missing tokens, if that is what they mean"
    return _Impression(Kind.CATEGORICAL, what, labels=True)
