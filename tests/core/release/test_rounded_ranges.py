"""`publish: rounded`: ends on a round grid, measured as what they cover."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanon_tui as kn
from kanon_tui.core.errors import InputError
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.class_texts import rounded_codes, rounded_range
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.task.task import Grouping
from tests.helpers import make_task


def column(values: list[object], kind: Kind = Kind.NUMERIC) -> Column:
    spec = AttributeSpec(kind=kind, publish="rounded")
    return make_task({"x": [str(value) for value in values]}, specs={"x": spec}).quasi[0].column


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (1951, 1957, ("1950", "1959")),
        (23, 38, ("20", "39")),
        (37, 38, ("36", "39")),
        (18, 90, ("0", "99")),
        (-7, 4, ("-10", "9")),
        ("0.13", "0.19", ("0.1", "0.2")),
        ("1.5", "2.25", ("1.5", "2.5")),
    ],
)
def test_numbers_get_round_ends(low: object, high: object, shown: tuple[str, str]) -> None:
    assert rounded_range(column([low, high]), 0, 1)[0] == [*shown]


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        ("1950-03-04", "1950-03-09", ("1950-03-01", "1950-03-31")),
        ("1950-03-04", "1950-10-09", ("1950-03-01", "1950-10-31")),
        ("1951-03-04", "1954-10-09", ("1951-01-01", "1954-12-31")),
        ("1951-03-04", "1977-10-09", ("1950-01-01", "1979-12-31")),
    ],
)
def test_dates_get_round_ends(low: str, high: str, shown: tuple[str, str]) -> None:
    assert rounded_range(column([low, high], Kind.DATE), 0, 1)[0] == [*shown]


@given(st.lists(st.integers(-500, 500), min_size=2, max_size=30, unique=True))
def test_a_round_range_holds_its_values_and_is_not_much_wider(numbers: list[int]) -> None:
    held = column(sorted(numbers))
    assert held.numbers is not None
    for low in range(len(numbers)):
        for high in range(low + 1, len(numbers)):
            begin, end = rounded_range(held, low, high)[1]
            width = held.numbers[high] - held.numbers[low]
            assert begin <= held.numbers[low]
            assert held.numbers[high] <= end
            assert end - begin < max(4.5 * width, 6)
            first, last = rounded_codes(held, np.array([low]), np.array([high]))
            inside = [n for n in held.numbers if begin <= n <= end]
            assert (held.numbers[first[0]], held.numbers[last[0]]) == (inside[0], inside[-1])


def test_what_it_costs_is_measured() -> None:
    """[21..24] becomes [20..25], which holds 20 and 25 as well: 5 of a width of 20."""
    ages = [20, 21, 24, 25, 33, 40]
    grouping = Grouping(np.array([1, 0, 0, 1, 1, 1], dtype=np.int32))

    def made(publish: str):
        spec = AttributeSpec(kind=Kind.NUMERIC, publish=publish)
        return recode(make_task({"age": ages}, specs={"age": spec}), grouping)

    assert made("rounded").frame["age"].to_list()[:1] == ["[20..25]"]
    exactly = measure(made("range"))
    rounded = measure(made("rounded"))
    assert exactly.ncp == pytest.approx((2 * 3 + 4 * 20) / 6 / 20)
    assert rounded.ncp == pytest.approx((2 * 5 + 4 * 20) / 6 / 20)


def test_missing_values_and_coded_ends_stay() -> None:
    spec = AttributeSpec(kind=Kind.NUMERIC, publish="rounded", top=40)
    task = make_task({"age": [21, 24, 38, 44, "?", 22]}, specs={"age": spec})
    release = recode(task, Grouping(np.array([0, 0, 1, 1, 2, 2], dtype=np.int32)))
    assert set(release.frame["age"]) == {"[20..25]", ">=38", "*"}


def test_every_release_with_round_ends_is_proven(tmp_path) -> None:
    rows = "".join(f"{17 + i * 7 % 60},{1950 + i % 40}-0{1 + i % 9}-1{i % 9}\n" for i in range(80))
    (tmp_path / "d.csv").write_text("age,born\n" + rows)
    text = (
        "data: {path: d.csv}\nprivacy: {k: 4}\nalgorithm: {name: NAME}\nattributes:\n"
        "  age: {role: quasi, kind: numeric, publish: rounded}\n"
        "  born: {role: quasi, kind: date, publish: rounded}\n"
    )
    for name in ("mondrian", "k-member", "global", "top-down"):
        (tmp_path / "p.yaml").write_text(text.replace("NAME", name))
        project = kn.Project.load(tmp_path / "p.yaml")
        assert kn.verify(kn.anonymize(project).table, project).holds, name
    (tmp_path / "p.yaml").write_text(text.replace("NAME", "mondrian") + "overlap: false\n")
    with pytest.raises(InputError, match="rounded widens ranges"):
        kn.anonymize(kn.Project.load(tmp_path / "p.yaml"))
