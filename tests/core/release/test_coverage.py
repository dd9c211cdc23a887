"""Every value lies in the cell it is published as, however it is written and however large."""

from __future__ import annotations

import random
import re
from decimal import Decimal

import polars as pl
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.published_cells import cell_readers
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Kind, Role, range_text
from kanon_tui.core.table.table import code_column
from kanon_tui.core.table.value_formats import PLAIN, NumberFormat

SPELT = ("{}", "+{}", " {}", "{}.", "{}.0", "0{}", "{}e0")
LARGE = 2**53
COUNTRIES = {"Rome": ["Italy", "Europe"], "Bern": ["Switzerland", "Europe"]}


def spelt(rng: random.Random) -> str:
    pool = rng.choice(["small", "large", "odd"])
    if pool == "odd":
        return rng.choice([".5", "5.", "+.25", "1e1", "75e-1", "-3", "-0", "-.5", "?", "+7"])
    number = rng.randrange(0, 40) if pool == "small" else LARGE + rng.randrange(-9, 30)
    return rng.choice(SPELT).format(number)


def covered(cell: str, value: str) -> bool:
    """Whether a reader finds the number in the cell, by all its digits."""
    if cell == "*" or cell == value:
        return True
    if value == "?":
        return False
    number = Decimal(value.strip())
    if pair := re.fullmatch(r"\[(-?[0-9.]+?)\.\.(-?[0-9.]+)\]", cell):
        return Decimal(pair[1]) <= number <= Decimal(pair[2])
    if half_open := re.fullmatch(r"\[(-?[0-9.]+), (-?[0-9.]+)\)", cell):
        return Decimal(half_open[1]) <= number < Decimal(half_open[2])
    if dashed := re.fullmatch(r"([0-9]+)-([0-9]+)", cell):
        return Decimal(dashed[1]) <= number < Decimal(dashed[2]) + 1
    return re.fullmatch(r"[0-9]+", cell) is not None and Decimal(cell) == number


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_value_is_covered_by_its_cell(algorithm: str) -> None:
    seen = 0
    for seed in range(4):
        rng = random.Random(seed)
        whole = seed % 2 == 0
        n = 24
        numbers = [str(LARGE + rng.randrange(40)) if whole else spelt(rng) for _ in range(n)]
        towns = [rng.choice([*COUNTRIES, "?"]) for _ in range(n)]
        frame = pl.DataFrame({"x": numbers, "town": towns})
        widths = {"builder": "intervals", "widths": [2, 10, 1000]} if whole else None
        project = Project(
            data=DataSource("t.csv"),
            attributes={
                "x": AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC, hierarchy=widths),
                "town": AttributeSpec(
                    role=Role.QUASI, kind=Kind.CATEGORICAL, hierarchy={"levels": COUNTRIES}
                ),
            },
            privacy=Privacy(k=3, max_suppression=0.5),
            algorithm=AlgorithmChoice(algorithm),
            seed=seed,
        )
        try:
            result = anonymize(project, frame)
        except NotReachedError:
            continue
        shown = iter(result.release.in_file_order.rows())
        readers = cell_readers(project, result.task, ["x", "town"])
        for record in range(n):
            if result.release.suppressed[record]:
                continue
            number, town = next(shown)
            seen += 1
            hidden = number.endswith("*")
            assert hidden or covered(number, numbers[record]), (number, numbers[record])
            if town not in ("*", "?") and not town.endswith("*"):
                assert towns[record] != "?", "a missing town is in no country"
            for name, cell, value in (("x", number, numbers), ("town", town, towns)):
                assert readers[name].read([cell]).covers([value[record]]).all()
    assert seen or algorithm == "local"


def test_numbers_that_a_double_cannot_tell_apart_are_sorted_by_their_digits() -> None:
    texts = ["9007199254740993", "09007199254740992", "+9007199254740992.5", "9007199254740991"]
    column = code_column(pl.Series("x", texts), Kind.NUMERIC)
    assert column.values == (texts[3], texts[1], texts[2], texts[0])
    assert range_text(column, texts[1], texts[2]) == "[09007199254740992..9007199254740992.5]"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("+7", "7"), ("5.", "5"), (".5", "0.5"), ("1e2", "100"), ("-3", "-3"), ("007", "007"),
        (" 8", "8"), ("+0", "0"), ("-.5e1", "-5"), ("1.50", "1.50"), ("1e308", "1e308"),
    ],
)  # fmt: skip
def test_ends_of_ranges_cannot_be_misread(written: str, shown: str) -> None:
    assert PLAIN.as_range_end(written) == shown


def test_ends_are_written_in_the_format_of_their_column() -> None:
    german = NumberFormat(",", ".")
    assert german.as_range_end("+1.234,5") == "1.234,5"
    assert german.as_range_end(",5") == "0,5"
    assert german.as_range_end("12.345,60") == "12.345,60"
