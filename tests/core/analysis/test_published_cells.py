"""What published cells cover: form by form, and against what the releases were made from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from kanon_tui.core.analysis.published_cells import CellReader, cell_readers
from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.hierarchy.specification import build_hierarchy, default_hierarchy
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.release.recode import Release
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import as_table, code_column
from tests.core.metrics.strategies import AGE_LEVELS, CITIES, releases


def reader(
    values: list[str], kind: Kind, spec: dict[str, Any] | None = None, **column: Any
) -> CellReader:
    coded = code_column(pl.Series("x", values), kind, **column)
    return CellReader(coded, build_hierarchy(spec, coded, Path()) if spec else None)


def covered(known: CellReader, cell: str, values: list[str]) -> list[str]:
    flags = known.read([cell]).covers(values)[:, 0]
    return [value for value, flag in zip(values, flags, strict=True) if flag]


# --- numbers

PAY = ["900,5", "1.200,00", "16.090,69"]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("[900,5..1.200,00]", ["900,5", "1000", "1.200,00"]),
        ("[1.000; 2.000)", ["1000", "1.200,00"]),
        ("1.000-1.199", ["1000"]),
        (">=1.200", ["1.200,00", "16.090,69"]),
        ("1.200,00", ["1.200,00"]),
    ],
)
def test_numbers_are_read_as_the_column_writes_them(cell: str, expected: list[str]) -> None:
    assert covered(reader(PAY, Kind.NUMERIC), cell, ["900,5", "1000", *PAY[1:]]) == expected


AGES = ["18", "20", "22", "24", "25", "64", "65"]
PEOPLE = ["17", "18", "20", "21", "24", "24.5", "25", "64", "65", "99", "old"]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("*", PEOPLE),
        ("20", ["20"]),
        ("20.0", ["20"]),
        ("[20..24]", ["20", "21", "24"]),
        ("20-24", ["20", "21", "24", "24.5"]),
        ("[20, 25)", ["20", "21", "24", "24.5"]),
        ("<18", ["17"]),
        ("<=18", ["17", "18"]),
        (">=65", ["65", "99"]),
        (">65", ["99"]),
        ("[20..24]*", PEOPLE),
        ("20*", PEOPLE),
        ("?", []),
    ],
)
def test_numbers_without_hierarchy(cell: str, expected: list[str]) -> None:
    assert covered(reader(AGES, Kind.NUMERIC), cell, PEOPLE) == expected


def test_decimals_with_a_comma_are_read_as_in_the_column() -> None:
    known = reader(["1,5", "2,5", "4,0"], Kind.NUMERIC)
    assert covered(known, "[1,5..2,5]", ["1,4", "1,5", "2,0", "2.5", "4,0"]) == [
        "1,5",
        "2,0",
        "2.5",
    ]


def test_a_label_of_numbers_means_the_range_it_spells() -> None:
    known = reader(AGES, Kind.NUMERIC, {"builder": "intervals", "widths": [5, 20]})
    assert covered(known, "60-64", PEOPLE) == ["64"]
    assert covered(known, "20-39", [*PEOPLE, "39", "40"]) == ["20", "21", "24", "24.5", "25", "39"]
    known = reader(AGES, Kind.NUMERIC, {"builder": "breaks", "levels": [[20, 65], [65]]})
    assert covered(known, "20-64", ["19", "20", "40", "64", "65"]) == ["20", "40", "64"]
    assert covered(known, ">=65", ["64", "65", "120"]) == ["65", "120"]


def test_a_label_that_spells_something_else_means_the_numbers_below_it() -> None:
    rows = {"18": ["1-2"], "20": ["1-2"], "30": ["3-4"], "64": ["3-4"]}
    known = reader(["18", "20", "30", "64"], Kind.NUMERIC, {"levels": rows})
    assert covered(known, "1-2", ["1", "2", "18", "19", "20", "21"]) == ["18", "19", "20"]
    words = {"18": ["young"], "20": ["young"], "30": ["old"], "64": ["old"]}
    known = reader(["18", "20", "30", "64"], Kind.NUMERIC, {"levels": words})
    assert covered(known, "young", ["17", "19", "20", "25"]) == ["19", "20"]


def test_a_spelled_range_that_holds_other_known_numbers_is_not_believed() -> None:
    rows = {"20": ["20-29"], "21": ["20-29"], "25": ["25"], "40": ["25"]}
    known = reader(["20", "21", "25", "40"], Kind.NUMERIC, {"levels": rows})
    assert covered(known, "20-29", ["20", "21", "24", "25"]) == ["20", "21"]
    assert covered(known, "25", ["25", "30", "40"]) == ["25", "30", "40"]


def test_masked_numbers() -> None:
    known = reader(["46201", "46205", "47001"], Kind.NUMERIC, {"builder": "mask"})
    assert covered(known, "4620*", ["46200", "46201", "46209", "46210"]) == [
        "46200",
        "46201",
        "46209",
    ]
    assert covered(known, "46201*", ["46200", "99999"]) == ["46200", "99999"]  # partly hidden


def test_the_root_covers_what_nobody_has_seen() -> None:
    known = reader(["18", "64"], Kind.NUMERIC, {"levels": {"18": ["a", "any"], "64": ["b", "any"]}})
    assert covered(known, "any", ["18", "200", "old"]) == ["18", "200", "old"]


def test_a_root_that_spells_a_range_or_a_mask_is_one() -> None:
    known = reader(["20", "39"], Kind.NUMERIC, {"builder": "intervals", "widths": [20]})
    assert covered(known, "20-39", ["19", "20", "30", "40"]) == ["20", "30"]
    rows = {"46201": ["46***"], "46311": ["46***"]}
    known = reader(["46201", "46311"], Kind.CATEGORICAL, {"levels": rows})
    assert covered(known, "46***", ["46201", "46999", "99999"]) == ["46201", "46999"]


def test_a_single_value_is_no_root() -> None:
    known = CellReader(
        code_column(pl.Series("x", ["US"]), Kind.CATEGORICAL), Hierarchy.from_rows([["US"]])
    )
    assert covered(known, "US", ["US", "FR"]) == ["US"]


# --- dates


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("20.09.1995", ["20.09.1995", "20.09.1995 14:30"]),
        (
            "[01.09.1995..20.09.1995]",
            ["02.09.1995", "20.09.1995", "20.09.1995 14:30", "1995-09-03"],
        ),
        ("[1995-09-01..1995-09-19]", ["02.09.1995", "1995-09-03"]),
        ("1995-09", ["02.09.1995", "20.09.1995", "20.09.1995 14:30", "1995-09-03"]),
        ("1995-Q3", ["02.09.1995", "20.09.1995", "20.09.1995 14:30", "1995-09-03"]),
        ("1996", ["29.02.1996"]),
        ("1990-1994", ["31.12.1994"]),
        ("<1995-01-01", ["31.12.1994"]),
        ("1995-09*", "all"),
    ],
)
def test_dates(cell: str, expected: list[str] | str) -> None:
    values = ["02.09.1995", "20.09.1995", "31.12.1994", "29.02.1996", "10.10.1995"]
    people = ["02.09.1995", "20.09.1995", "20.09.1995 14:30", "1995-09-03", "31.12.1994",
              "29.02.1996", "10.10.1995", "?"]  # fmt: skip
    known = reader(values, Kind.DATE, format="%d.%m.%Y")
    expected = people if expected == "all" else [*expected, "?"]
    assert covered(known, cell, people) == [p for p in people if p in expected]


def test_labels_of_the_date_builder_cover_days_that_do_not_occur() -> None:
    known = reader(
        ["1995-09-20", "1995-11-02", "1996-01-01"],
        Kind.DATE,
        {"builder": "date", "levels": ["month", "quarter", "year", "5 years", "decade"]},
    )
    days = ["1990-01-01", "1994-12-31", "1995-10-01", "1995-11-30", "1995-12-01", "1999-12-31"]
    assert covered(known, "1995-11", days) == ["1995-11-30"]
    assert covered(known, "1995-Q4", days) == ["1995-10-01", "1995-11-30", "1995-12-01"]
    assert covered(known, "1995-1999", days) == days[2:]
    assert covered(known, "1990-1999", days) == days


# --- categories

ZIPS = ["46201", "46202", "46311"]
PLACES = {"levels": {"Rome": ["Italy", "EU"], "Oslo": ["Norway", "EU"], "Nice": ["Nice", "EU"]}}


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("46201", ["46201"]),
        ("4620*", ["46201", "46209"]),
        ("46***", ["46201", "46209", "46311", "46999", "46"]),
        ("{46201|46311}", ["46201", "46311"]),
        ("{46201|46999}", ["46201", "46999"]),
        ("***11", ["46311"]),
        ("46201*", "all"),
        ("{46201|46202}*", "all"),
        ("*", "all"),
    ],
)
@pytest.mark.parametrize("builder", [None, {"builder": "mask"}])
def test_masks_and_sets(
    cell: str, expected: list[str] | str, builder: dict[str, Any] | None
) -> None:
    people = ["46201", "46209", "46311", "46999", "46", "4", "462011"]
    known = reader(ZIPS, Kind.CATEGORICAL, builder)
    assert covered(known, cell, people) == (people if expected == "all" else expected)


def test_masks_from_the_left_of_texts_of_different_length() -> None:
    known = reader(["E11", "XE11.9"], Kind.CATEGORICAL, {"builder": "mask", "from": "left"})
    people = ["E11", "XE11.9", "YE11.9", "E12"]
    assert covered(known, "*E11.9", people) == ["XE11.9", "YE11.9"]
    assert covered(known, "****11", people) == ["E11"]


def test_a_label_covers_what_the_hierarchy_puts_below_it() -> None:
    known = reader(["Rome", "Oslo"], Kind.CATEGORICAL, PLACES)
    people = ["Rome", "Oslo", "Nice", "Milan"]
    assert covered(known, "Italy", people) == ["Rome"]
    assert covered(known, "Nice", people) == ["Nice"]  # in the hierarchy, not in the data
    assert covered(known, "EU", people) == people  # the root
    assert covered(known, "Italy*", people) == people  # partly hidden


def test_a_mask_in_a_hierarchy_file_covers_known_values_by_the_file() -> None:
    rows = {"46201": ["462**"], "46999": ["462**"], "46311": ["463**"]}
    known = reader(["46201", "46999", "46311"], Kind.CATEGORICAL, {"levels": rows})
    people = ["46201", "46999", "46311", "46250"]
    assert covered(known, "462**", people) == ["46201", "46999", "46250"]


def test_values_that_hold_bars() -> None:
    known = reader(["a|b", "c", "d"], Kind.CATEGORICAL)
    assert covered(known, "{a|b|c}", ["a|b", "c", "d"]) == ["a|b", "c"]


def test_missing_is_known_by_nobody_and_published_as_itself() -> None:
    known = reader(["cook", "?"], Kind.CATEGORICAL)
    assert covered(known, "cook", ["cook", "", "NA", "nurse"]) == ["cook", "", "NA"]
    assert covered(known, "?", ["cook", "?"]) == ["?"]
    shown = known.read(["?", "cook", "*", "cook*"]).shows(["?", "cook"])
    assert shown.tolist() == [[True, False, True, False], [False, True, True, True]]


def test_the_group_other_takes_what_no_group_names() -> None:
    spec = {
        "builder": "groups",
        "levels": [{"South": ["Rome"], "North": ["Oslo"]}, {"Europe": ["South", "North"]}],
        "other": "Elsewhere",
    }
    project = Project(
        data=DataSource("x.csv"),
        attributes={"town": AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL, hierarchy=spec)},
        privacy=Privacy(k=1),
    )
    task = prepare(project, as_table(pl.DataFrame({"town": ["Rome", "Oslo", "Lima"]})))
    known = cell_readers(project, task, ["town"])["town"]
    assert covered(known, "Elsewhere", ["Rome", "Lima", "Quito"]) == ["Lima", "Quito"]
    assert covered(known, "Europe", ["Rome", "Oslo", "Lima", "Quito"]) == ["Rome", "Oslo"]


@pytest.mark.parametrize(
    ("kind", "values", "cell"),
    [
        (Kind.NUMERIC, ["1", "2"], "young"),
        (Kind.NUMERIC, ["1", "2"], "[1..x]"),
        (Kind.NUMERIC, ["1", "2"], "[5..1]"),
        (Kind.NUMERIC, ["1", "2"], "***"),
        (Kind.DATE, ["2001-01-01", "2002-01-01"], "2002-2001"),
        (Kind.CATEGORICAL, ["a", "b"], "c"),
        (Kind.CATEGORICAL, ["a", "b"], "a*b"),
    ],
)
def test_cells_that_cannot_be_read_are_refused(kind: Kind, values: list[str], cell: str) -> None:
    with pytest.raises(InputError, match=r"^r\.csv: x: a cell is neither a value") as refused:
        reader(values, kind).read([cell], "r.csv")
    assert f"'{cell}'" in refused.value.with_values


# --- against the releases themselves


def _covers_by_construction(release: Release, x: int, record: int) -> list[bool]:
    """Which values of the data the record's cell covers, from what the release was made of."""
    attribute = release.task.quasi[x]
    grouping = release.grouping
    column = attribute.column
    paths = attribute.hierarchy.paths
    same = np.flatnonzero(grouping.labels == grouping.labels[record]).tolist()
    everything = [True] * len(column.values)
    if grouping.levels is not None:
        label = paths[column.codes[record]][grouping.levels[x]]
        if label == paths[0][-1]:
            return everything
    else:
        hidden = grouping.suppressed_cells
        if hidden is not None and any(hidden[i, x] for i in same):
            return everything
        codes = {int(column.codes[i]) for i in same}
        if column.missing in codes and len(codes) > 1 and column.numbers is not None:
            return everything
        if column.numbers is not None and column.missing not in codes:
            numbers = [column.numbers[code] for code in codes]
            return [min(numbers) <= n <= max(numbers) for n in column.numbers]
        if column.numbers is not None or not attribute.hierarchy_given:
            return [code in codes for code in range(len(column.values))]
        label = paths[next(iter(codes))][attribute.hierarchy.lca_level(codes)]
        if label == paths[0][-1]:
            return everything
    below = [label in path for path in paths]
    if column.numbers is None or grouping.levels is None:
        return below
    numbers = {n for n, flag in zip(column.numbers.tolist(), below, strict=True) if flag}
    return [f or n in numbers for f, n in zip(below, column.numbers.tolist(), strict=True)]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(release=releases())
def test_a_cell_covers_what_it_was_made_from_and_no_more(release: Release) -> None:
    hierarchies = {"age": AGE_LEVELS, "city": CITIES}
    for x, (attribute, cells) in enumerate(zip(release.task.quasi, release.cells, strict=True)):
        column = attribute.column
        hierarchy, _ = default_hierarchy(column)
        if attribute.hierarchy_given:
            rows = hierarchies[attribute.name].items()
            hierarchy = Hierarchy.from_rows([(value, *labels) for value, labels in rows])
        known = CellReader(column, hierarchy)
        if not cells.texts:
            continue
        found = known.read(cells.texts).covers(column.values)
        for record in np.flatnonzero(cells.codes >= 0).tolist():
            expected = _covers_by_construction(release, x, record)
            assert expected[column.codes[record]]
            if column.missing is not None:
                expected[column.missing] = True  # whoever does not know the value rules out nobody
            assert found[:, cells.codes[record]].tolist() == expected
