"""Diversity worked by hand, MAGVal violations, and tables that others anonymised."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.metrics.privacy import check_published
from kanon_tui.core.privacy.k_anonymity import small_k_warning
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.task.task import Grouping, Task
from tests.core.metrics.strategies import CITIES
from tests.helpers import make_task

SENSITIVE = AttributeSpec(role=Role.SENSITIVE)


def privacy(task: Task, labels: list[int], levels: tuple[int, ...] | None = None):
    return measure(recode(task, Grouping(np.array(labels, dtype=np.int32), levels))).privacy


@pytest.mark.parametrize(("salaries", "t"), [((3, 4, 5), 0.375), ((6, 8, 11), 1 / 6)])
def test_ordered_t_closeness_li_2007(salaries: tuple[int, ...], t: float) -> None:
    """Li et al. section 4.1: of salaries 3k … 11k, {3, 4, 5} is 0.375 away, {6, 8, 11} 0.167."""
    everyone = list(range(3, 12))
    task = make_task({"x": everyone, "salary": everyone}, specs={"salary": SENSITIVE})
    labels = [0 if salary in salaries else -1 for salary in everyone]
    assert privacy(task, labels).figures["t"]["salary"] == pytest.approx(t)


def test_equal_t_closeness_by_hand() -> None:
    """Whole table ½ flu, ¼ cold, ¼ hiv. Class {flu, flu}: ½(½ + ¼ + ¼); class {cold, hiv} too."""
    task = make_task(
        {"x": [1, 1, 2, 2], "ill": ["flu", "flu", "cold", "hiv"]}, specs={"ill": SENSITIVE}
    )
    assert privacy(task, [0, 0, 1, 1]).figures["t"]["ill"] == pytest.approx(0.5)
    assert privacy(task, [0, 0, 0, 0]).figures["t"]["ill"] == 0.0


def test_one_sensitive_value_is_close_but_not_diverse() -> None:
    task = make_task({"x": [1, 2], "pay": [5, 5]}, specs={"pay": SENSITIVE})
    found = privacy(task, [0, 0])
    pay = {model: figures["pay"] for model, figures in found.figures.items()}
    assert (pay["t"], pay["l_distinct"], pay["alpha"]) == (0.0, 1, 1.0)
    assert pay["l_entropy"] == pytest.approx(1.0)


def test_diversity_is_that_of_the_worst_class() -> None:
    """Shares ½, ¼, ¼ have entropy 1.5 · ln 2, as many as 2.83 equally frequent values."""
    task = make_task(
        {"x": [1] * 4 + [2] * 4, "ill": ["a", "a", "b", "c", "a", "b", "c", "d"]},
        specs={"ill": SENSITIVE},
    )
    found = privacy(task, [0] * 4 + [1] * 4)
    ill = {model: figures["ill"] for model, figures in found.figures.items()}
    assert (ill["l_distinct"], ill["p"], ill["alpha"]) == (3, 3, 0.5)
    assert ill["l_entropy"] == pytest.approx(2**1.5)


def test_people_whose_class_tells_their_value() -> None:
    """Three share one value, twelve are in a class with eleven alike, four are mixed."""
    values = ["flu"] * 3 + ["hiv"] * 11 + ["flu"] + ["flu", "hiv"] * 2
    task = make_task({"x": list(range(19)), "ill": values}, specs={"ill": SENSITIVE})
    found = privacy(task, [0] * 3 + [1] * 12 + [2] * 4).disclosures["ill"]
    assert (found.revealed, found.likely) == (3, 12)
    assert found.highest_share == pytest.approx(11 / 12)
    first, second = found.sentences("ill")
    assert "3 people" in first
    assert "12 people" in second
    assert "0.9166" in second  # never rounded up to certainty
    assert privacy(task, [0] * 19).disclosures["ill"].sentences("ill") == []


def test_missing_values_hide_nobody_and_suppressed_people_are_not_counted() -> None:
    values = ["flu", "?", "?", "?", "?", "hiv", "hiv"]
    task = make_task({"x": list(range(7)), "ill": values}, specs={"ill": SENSITIVE})
    found = privacy(task, [0, 0, 0, 1, 1, -1, -1]).disclosures["ill"]
    assert (found.revealed, found.likely) == (3, 0)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.sampled_from("ab?")), min_size=1)
)
def test_disclosures_agree_with_a_recount(rows: list[tuple[int, int, str]]) -> None:
    """With and without a column of people, by sets of the printed rows."""
    frame = pl.DataFrame(rows, schema=["zip", "who", "ill"], orient="row").cast(pl.String)
    for person in (None, "who"):
        known = defaultdict(list)
        everybody = defaultdict(set)
        for number, (zip_code, who, ill) in enumerate(rows):
            holder = number if person is None else who
            everybody[zip_code].add(holder)
            if ill != "?":
                known[zip_code].append((holder, ill))
        certain = likely = 0
        for zip_code, pairs in known.items():
            holders = {holder for holder, _ in pairs}
            share = max(len({h for h, i in pairs if i == ill}) / len(holders) for ill in "ab")
            certain += len(everybody[zip_code]) if share == 1 else 0
            likely += len(everybody[zip_code]) if 0.9 < share < 1 else 0
        found = check_published(frame, ["zip"], "ill", 1, person)["disclosed"]["ill"]
        assert (found["revealed"], found["likely"]) == (certain, likely)


def test_risk() -> None:
    task = make_task({"x": [1, 1, 2, 2, 2, 2, 2, 9]}, k=1)
    found = privacy(task, [0, 0, 1, 1, 1, 1, 1, -1])
    assert (found.k, found.risk_max, found.risk_mean) == (2, 0.5, 2 / 7)
    assert [found.records_at_risk(t) for t in (0.0, 0.2, 0.49, 0.5)] == [7, 2, 2, 0]


# --------------------------------------------------------------------------------- violations
def cka_task() -> Task:
    """CKA fig. 2: marks California, Kansas and Midwest."""
    spec = AttributeSpec(hierarchy={"levels": CITIES}, magvals=("California", "Kansas", "Midwest"))
    return make_task({"city": list(CITIES)}, specs={"city": spec})


def test_cka_fig_2_marks_bound_full_domain_levels() -> None:
    """At the state level nothing is beyond; at the region level Kansans are, Lincoln is not."""
    task = cka_task()
    assert [privacy(task, [0] * 5, (level,)).violations for level in range(4)] == [0, 0, 2, 5]


def test_suppressed_records_violate_nothing() -> None:
    assert privacy(cka_task(), [0, 0, -1, -1, 0], (3,)).violations == 3


def test_a_region_with_one_state_in_the_data_is_within_the_state() -> None:
    """'West Coast' covers only California's cities here, so nothing more is hidden by it."""
    assert privacy(cka_task(), [0, 0, -1, -1, -1], (2,)).violations == 0


def test_marks_bound_classes() -> None:
    """{San Diego, Los Angeles} within California; {Wichita, Lincoln}: only Wichita is beyond."""
    assert privacy(cka_task(), [0, 0, 1, 2, 1]).violations == 1


def test_marks_bound_ranges_by_the_values_of_the_class() -> None:
    """The range [1..9] violates where its class holds values of both nodes."""
    spec = AttributeSpec(
        hierarchy={"levels": {"1": ["low"], "3": ["low"], "8": ["high"], "9": ["high"]}},
        magvals=("low",),
    )
    task = make_task({"x": [1, 3, 8, 9]}, specs={"x": spec})
    assert privacy(task, [0, 0, 1, 1]).violations == 0
    assert privacy(task, [0, 1, 1, 0]).violations == 2


# ----------------------------------------------------------------------------- check_published
RELEASE = pl.DataFrame(
    {
        "age": ["[20..30]", "[20..30]", "*", "*", "*"],
        "zip": ["4620*", "4620*", "?", "?", "?"],
        "ill": ["flu", "hiv", "flu", "flu", "cold"],
    }
)


def test_check_a_release_of_others() -> None:
    found = check_published(RELEASE, ["age", "zip"], "ill", k=2)
    assert found == {
        "records": 5,
        "quasi": ["age", "zip"],
        "classes": 2,
        "k": 2,
        "l_distinct": 2,
        "l_entropy": pytest.approx(math.exp(math.log(3) - 2 / 3 * math.log(2))),
        "t": pytest.approx((abs(0.5 - 0.6) + abs(0.5 - 0.2) + 0.2) / 2),
        "p": 2,
        "alpha": pytest.approx(2 / 3),
        "l_recursive": 2.0,
        "t_hierarchy": None,
        "beta": pytest.approx(1.5),
        "beta_enhanced": pytest.approx(1.5),
        "delta": None,  # a class lacks a value
        "risk_max": 0.5,
        "risk_mean": 0.4,
        "disclosed": {
            "ill": {"revealed": 0, "likely": 0, "highest_share": pytest.approx(2 / 3)},
        },
        "reached": True,
        "warnings": list(small_k_warning(2)),
    }


def test_check_without_sensitive_attribute_and_below_k() -> None:
    found = check_published(RELEASE, ["age"], None, k=3)
    assert (found["k"], found["reached"]) == (2, False)
    assert [found[key] for key in ("l_distinct", "l_entropy", "t", "p", "alpha")] == [None] * 5


def test_check_compares_cells_as_printed() -> None:
    """Two ways to write missing are two cells; null is an empty cell."""
    frame = pl.DataFrame({"x": ["?", "?", "NA", "NA", None, ""], "y": [1, 1, 1, 1, 1, 1]})
    assert check_published(frame, ["x", "y"], None, k=2)["classes"] == 3


def test_check_orders_numbers() -> None:
    frame = pl.DataFrame({"x": ["a"] * 3 + ["b"] * 6, "pay": [str(3 + i) for i in range(9)]})
    assert check_published(frame, ["x"], "pay", k=3)["t"] == pytest.approx(0.375)
    with_missing = frame.with_columns(pay=pl.Series(["3", "4", "5", "6", "7", "8", "9", "10", "?"]))
    assert check_published(with_missing, ["x"], "pay", k=3)["t"] == pytest.approx(0.375)


@pytest.mark.parametrize(
    ("quasi", "sensitive", "says"),
    [
        (["age", "zpi"], None, "no column 'zpi'; did you mean 'zip'"),
        (["age"], "disease", "no column 'disease'"),
        ([], None, "no quasi-identifiers"),
    ],
)
def test_check_refuses(quasi: list[str], sensitive: str | None, says: str) -> None:
    with pytest.raises(InputError, match=says):
        check_published(RELEASE, quasi, sensitive, k=2)


def test_check_refuses_an_empty_table() -> None:
    with pytest.raises(InputError, match="no records"):
        check_published(RELEASE.clear(), ["age"], None, k=2)


# ---------------------------------------------------------------------------- class attribute
def test_any_column_may_be_the_class_attribute() -> None:
    task = make_task(
        {"x": [1, 2, 3, 4], "ill": ["a", "b", "c", "d"], "note": ["p", "p", "p", "q"]},
        specs={"ill": SENSITIVE, "note": AttributeSpec(role=Role.OTHER, kind=Kind.CATEGORICAL)},
    )
    release = recode(task, Grouping(np.zeros(4, dtype=np.int32)))
    assert measure(release).cm == 0.75
    assert measure(release, "note").cm == 0.25
    assert measure(release, "x").cm == 0.75
    with pytest.raises(InputError, match="no column 'nota'; did you mean 'note'"):
        measure(release, "nota")
