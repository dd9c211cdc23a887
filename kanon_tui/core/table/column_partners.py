"""Columns that belong together, so that generalising one of them alone protects nobody.

A latitude that is generalised is still published by the longitude beside it. So the role of a
column is guessed together with those of its partners, found in two ways:

- by name: `lat` and `long`, `x` and `y`, `easting` and `northing`, a street and its number, code
  and name of one thing, also as parts of names, such as `pickup_lat` and `pickup_long`;
- by functional dependence: the values of one say those of the other, as a neighbourhood follows
  from a place and a code from a name. Of the records that share a value of the one, nearly all have
  the same value of the other, although many would differ by chance.

Dependence is judged by the first records of a table, which are the same wherever it is read.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.table.cell_codes import Cells
from kanon_tui.core.table.table import Table

FIRST_ROWS = 50_000
"""The records by which dependence is judged."""
FEW_ROWS = 2_000
"""The records by which most pairs of columns are found not to depend."""
LEAST_EVIDENCE = 20
"""Records that would differ if two columns were independent; with fewer nothing is concluded."""
EXCEPTIONS = 0.01
"""Records that may differ all the same, as a share of those that would by chance."""
MOST_PAIRS = 4_000
"""The most pairs of columns that are compared; a wider table is judged by names."""

_TWIN_WORDS = (
    ("lat latitude breitengrad", "long lon lng longitude langengrad"),
    ("x", "y"),
    ("easting rechtswert", "northing hochwert"),
    ("street strasse rue calle via straat rua", "number nr no num hausnummer numero"),
    ("code cod id key kode cd nr no", "name label text description desc title bezeichnung nom"),
)
"""Words that take each other's place in the names of two columns that belong together."""
_TWINS = tuple(
    (frozenset(first.split()), frozenset(second.split())) for first, second in _TWIN_WORDS
)
_OF_A_BUILDING = re.compile(r"\b(?:house|building) (?=(?:number|nr|no)\b)")

Codes = npt.NDArray[np.integer]


@dataclass(frozen=True)
class ColumnPartner:
    """A column that another one belongs to, and how that was found."""

    name: str
    reason: str


def words_of_column(name: str) -> tuple[str, ...]:
    """Return the words of a name: `pickupLat` is (pickup, lat), `house_no` is (no,)."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    plain = " ".join(re.findall(r"[^\W_]+", spaced)).lower()
    return tuple(_OF_A_BUILDING.sub("", plain).split())


def are_twins(name: str, other: str) -> bool:
    """Return whether the names say that two columns belong together.

    >>> are_twins("pickup_lat", "pickup_long"), are_twins("lat", "pickup_long")
    (True, False)
    """
    return Twins([other]).of(name) == other


class Twins:
    """Finds columns by the names of those that belong to them."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_place: dict[Place, str] = {}
        for name in names:
            for place, _ in _places(name):
                self._by_place.setdefault(place, name)

    def of(self, name: str) -> str | None:
        """Return the column that belongs to one of this name; None where there is none."""
        return next(
            (self._by_place[twin] for _, twin in _places(name) if twin in self._by_place), None
        )


Place = tuple[int, int, int, tuple[str, ...]]
"""The kind of twins, which of both, where its word stands in a name, and the other words."""


def _places(name: str) -> Iterator[tuple[Place, Place]]:
    """Yield the places of a name among twins, each with the place of its twin."""
    words = words_of_column(name)
    for at, word in enumerate(words):
        other_words = (*words[:at], *words[at + 1 :])
        for kind, sides in enumerate(_TWINS):
            for side, listed in enumerate(sides):
                if word in listed:
                    yield (kind, side, at, other_words), (kind, 1 - side, at, other_words)


def find_partners(
    table: Table, quasi: Collection[str], undecided: Sequence[str]
) -> dict[str, ColumnPartner]:
    """Return the undecided columns that belong to a quasi-identifier, each with its partner.

    A partner's own partners are found, too: of `lat`, `long` and what follows from both.
    """
    partners: dict[str, ColumnPartner] = {}
    known_names = list(quasi)
    remaining = list(undecided)
    twins = Twins(known_names)
    for name in remaining:
        twin = twins.of(name)
        if twin is not None:
            partners[name] = ColumnPartner(twin, f"it belongs to {twin}, as their names say")
    known_names += partners
    remaining = [name for name in remaining if name not in partners]
    if not remaining or not known_names or len(known_names) * len(remaining) > MOST_PAIRS:
        return partners
    rows = table.first_rows(FIRST_ROWS, [*known_names, *remaining])
    codes = {name: Cells.from_series(rows[name], name).places for name in rows.columns}
    together = {name: [codes[name]] for name in known_names}
    twins = Twins(known_names)
    for name in known_names:
        twin = twins.of(name)
        if twin is not None and name < twin:
            together[f"{name} and {twin}"] = [codes[name], codes[twin]]
    for name in remaining:
        determinant = _depends_on(codes[name], together)
        if determinant:
            partners[name] = ColumnPartner(
                determinant, f"its values and those of {determinant} go along"
            )
    return partners


def _depends_on(codes: Codes, known_columns: Mapping[str, Sequence[Codes]]) -> str:
    """Return the first of the known columns that a column depends on, or determines; else empty."""
    for name, columns in known_columns.items():
        if follows(columns, codes) or (len(columns) == 1 and follows([codes], columns[0])):
            return name
    return ""


def follows(determinants: Sequence[Codes], dependent: Codes) -> bool:
    """Return whether nearly all records that share their determinants share the dependent value."""
    for rows in dict.fromkeys((min(FEW_ROWS, len(dependent)), len(dependent))):
        first = [codes[:rows] for codes in determinants]
        expected, exceptions = _exceptions(first, dependent[:rows])
        if rows == len(dependent):
            return expected >= LEAST_EVIDENCE and exceptions <= EXCEPTIONS * expected
        if expected >= LEAST_EVIDENCE and exceptions > 5 * EXCEPTIONS * expected:
            return False
    return False


def _exceptions(determinants: Iterable[Codes], dependent: Codes) -> tuple[float, int]:
    """Return how many records would differ from their group by chance, and how many do.

    A group are the records with the same determinants; its value is the one most of them have.
    """
    columns = {f"{place}": codes for place, codes in enumerate(determinants)}
    counts = (
        pl.DataFrame({**columns, "dependent": dependent})
        .group_by(*columns, "dependent")
        .agg(records=pl.len())
    )
    groups = counts.group_by(*columns).agg(commonest=pl.col("records").max())
    repeated = len(dependent) - groups.height
    values = counts.group_by("dependent").agg(records=pl.col("records").sum())["records"].to_numpy()
    commonest = float(values.max(initial=0)) / max(len(dependent), 1)
    agreeing = int(groups["commonest"].sum()) if groups.height else 0
    return repeated * (1 - commonest), len(dependent) - agreeing
