"""Two releases of the same people: candidates by definition, and what is safe for certain."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.analysis.attack import two_releases as module
from kanon_tui.core.analysis.attack.two_releases import TwoReleases, two_releases
from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.task.task import Grouping, Task
from tests.tries import tries

PROJECT = Project(
    data=DataSource("x.csv"),
    attributes={
        "age": AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC),
        "job": AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL),
    },
    privacy=Privacy(k=2),
)
JOBS = ("cook", "nurse", "guard")


def task_of(ages: list[str], jobs: list[str] | None = None) -> Task:
    columns = {"age": ages, "job": jobs or ["cook"] * len(ages)}
    return prepare(PROJECT, as_table(pl.DataFrame(columns)))


def published(ages: list[str], jobs: list[str] | None = None) -> Table:
    return as_table(pl.DataFrame({"age": ages, "job": jobs or ["cook"] * len(ages)}))


def together(project: Project, task: Task, release: Table, earlier: Table) -> TwoReleases:
    return two_releases(PublishedTable(project, task, release), earlier)


def test_ranges_that_cross_single_somebody_out() -> None:
    """Each is 2-anonymous; whoever is 20 to 30 and 25 to 35 is the one of 26."""
    task = task_of(["20", "26", "35", "36"])
    earlier = published(["[20..26]"] * 2 + ["[35..36]"] * 2)
    new = published(["20", "[26..36]", "[26..36]", "[26..36]"])
    found = together(PROJECT, task, new, earlier)
    assert (found.people, found.unique, found.below_k, found.fewest) == (4, 2, 2, 1)
    with pytest.raises(NotReachedError, match=r"^together with old\.csv the release leaves 2 of 4"):
        found.refuse("old.csv")


def test_more_general_than_before_is_safe() -> None:
    task = task_of(["20", "26", "35", "36"])
    earlier = published(["[20..26]"] * 2 + ["[35..36]"] * 2)
    for new in (earlier, published(["[20..36]"] * 4), published(["*"] * 4)):
        found = together(PROJECT, task, new, earlier)
        assert (found.below_k, found.fewest, found.not_in_both) == (0, 2, 0)
        found.refuse("old.csv")


def test_people_of_one_release_only_are_left_aside() -> None:
    task = task_of(["20", "26", "35", "36", "50", "51"])
    earlier = published(["[20..26]"] * 2 + ["[35..36]"] * 2)
    found = together(PROJECT, task, published(["[20..51]"] * 6), earlier)
    assert (found.people, found.not_in_both, found.below_k) == (4, 2, 0)
    none = together(PROJECT, task, published(["[60..70]"]), earlier)
    assert (none.people, none.fewest, none.below_k, none.not_in_both) == (0, None, 0, 6)


def test_a_missing_value_makes_no_crowd() -> None:
    task = task_of(["20", "26", "?", "?"])
    release = published(["[20..26]", "[20..26]", "?", "?"])
    other = published(["20", "26", "?", "?"])
    assert together(PROJECT, task, other, release).below_k == 2


def test_a_missing_value_in_a_set_is_in_the_release() -> None:
    """Who has none is one of `{?|cook}`, and is looked after as everybody is."""
    task = task_of(["20"] * 4, ["cook", "?", "guard", "nurse"])
    release = published(["20"] * 4, ["{?|cook}"] * 2 + ["{guard|nurse}"] * 2)
    other = published(["20"] * 4, ["cook", "{?|guard|nurse}"] + ["{?|guard|nurse}"] * 2)
    same = together(PROJECT, task, release, release)
    assert (same.people, same.not_in_both, same.fewest) == (4, 0, 2)
    found = together(PROJECT, task, other, release)
    assert (found.people, found.not_in_both, found.unique) == (4, 0, 2)


def test_a_table_without_the_attributes_is_refused() -> None:
    other = as_table(pl.DataFrame({"income": ["1", "2"]}))
    with pytest.raises(InputError, match=r"^the earlier release has none of the quasi-identifiers"):
        together(PROJECT, task_of(["20", "21"]), published(["20", "21"]), other)


@settings(max_examples=tries(25), deadline=None)
@given(st.data())
def test_candidates_are_those_of_the_definition(data: st.DataObject) -> None:
    """By lists: rows that cover a record, records that a pair of rows covers."""
    n = data.draw(st.integers(2, 14))
    ages = data.draw(st.lists(st.integers(18, 24), min_size=n, max_size=n))
    jobs = data.draw(st.lists(st.sampled_from(JOBS), min_size=n, max_size=n))
    task = task_of([str(age) for age in ages], jobs)
    boxes = []
    tables = []
    for _ in range(2):
        labels = data.draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n))
        if max(labels) < 0:
            labels[0] = 0
        tables.append(as_table(recode(task, Grouping(np.array(labels, np.int32))).frame))
        boxes.append([
            [i for i in range(n)
             if min(ages[j] for j in mates) <= ages[i] <= max(ages[j] for j in mates)
             and jobs[i] in {jobs[j] for j in mates}]
            for label in set(labels) - {-1}
            for mates in [[j for j in range(n) if labels[j] == label]]
        ])  # fmt: skip
    expected = {}
    worst = {}
    for i in range(n):
        pairs = [(a, b) for a in boxes[0] if i in a for b in boxes[1] if i in b]
        if pairs:
            old, new = ({q for pair in pairs for q in pair[side]} for side in (0, 1))
            expected[i] = len(old & new)
            worst[i] = min(len({*a} & {*b}) for a, b in pairs)
    at_a_time = module._AT_A_TIME
    for few in (at_a_time, 1):
        module._AT_A_TIME = few
        try:
            found = together(PROJECT, task, tables[1], tables[0])
        finally:
            module._AT_A_TIME = at_a_time
        assert found.candidates.tolist() == [expected[i] for i in sorted(expected)]
        assert found.at_worst.tolist() == [worst[i] for i in sorted(expected)]
        assert found.not_in_both == n - len(expected)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_mortons_way_is_always_safe(data: st.DataObject) -> None:
    """Classes of the earlier release that are only merged leave everybody their candidates."""
    n = data.draw(st.integers(4, 16))
    ages = data.draw(st.lists(st.integers(18, 24), min_size=n, max_size=n))
    jobs = data.draw(st.lists(st.sampled_from(JOBS), min_size=n, max_size=n))
    task = task_of([str(age) for age in ages], jobs)
    labels = np.arange(n, dtype=np.int32) // 2
    labels[-1] = labels[-2]
    into = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    merged = np.array([into[label] for label in labels], dtype=np.int32)
    earlier, new = (as_table(recode(task, Grouping(each)).frame) for each in (labels, merged))
    found = together(PROJECT, task, new, earlier)
    assert found.people == n
    assert found.below_k == 0
    found.refuse("old.csv")
    again = together(PROJECT, task, earlier, earlier)
    assert again.below_k == 0


VISITS = Project(
    data=PROJECT.data,
    attributes={
        **PROJECT.attributes,
        "who": AttributeSpec(role=Role.PERSON, kind=Kind.CATEGORICAL),
    },
    privacy=Privacy(k=2),
)


def visits(ages: list[str], who: list[str]) -> Task:
    columns = {"age": ages, "job": ["cook"] * len(ages), "who": who}
    return prepare(VISITS, as_table(pl.DataFrame(columns)))


def test_several_records_of_one_person_are_one_candidate() -> None:
    """Two records share both rows, and both are Ann's: she is found."""
    ages = ["20", "21", "35", "36"]
    earlier = published(["[20..21]"] * 2 + ["[35..36]"] * 2)
    alone = together(VISITS, visits(ages, ["Ann", "Ann", "Bo", "Cy"]), earlier, earlier)
    assert alone.counted == "people"
    assert (alone.people, alone.unique, alone.fewest) == (3, 1, 1)
    assert alone.below_k_at_worst == 1
    apart = together(VISITS, visits(ages, ["Ann", "Bo", "Ann", "Bo"]), earlier, earlier)
    assert (apart.people, apart.below_k, apart.fewest) == (2, 0, 2)
    records = together(PROJECT, task_of(ages), earlier, earlier)
    assert (records.counted, records.people, records.below_k) == ("records", 4, 0)


def test_somebody_of_whom_one_record_is_in_both_is_in_both() -> None:
    task = visits(["20", "21", "50", "51"], ["Ann", "Bo", "Ann", "Cy"])
    earlier = published(["[20..21]"] * 2)
    found = together(VISITS, task, published(["[20..51]"] * 4), earlier)
    assert (found.people, found.not_in_both, found.below_k) == (2, 1, 0)


@st.composite
def visited(draw: st.DrawFn) -> tuple[Task, Table, Table]:
    """A task of people who may have several records, and two releases of it."""
    count = draw(st.integers(4, 9))
    ages = draw(st.lists(st.integers(20, 26).map(str), min_size=count, max_size=count))
    who = draw(st.lists(st.sampled_from("ABCD"), min_size=count, max_size=count))
    task = visits(ages, who)
    made = [
        recode(
            task,
            Grouping(
                np.array(
                    draw(st.lists(st.integers(0, 2), min_size=count, max_size=count)), np.int32
                )
            ),
        )
        for _ in range(2)
    ]
    return task, as_table(made[0].frame), as_table(made[1].frame)


@given(visited())
@settings(max_examples=tries(25), deadline=None)
def test_people_are_counted_by_definition(made: tuple[Task, Table, Table]) -> None:
    task, new, earlier = made
    ages, who = (task.table.frame[name].to_list() for name in ("age", "who"))

    def rows(table: Table) -> list[set[int]]:
        cells = set(table.frame["age"].to_list())
        spans = [[int(end) for end in cell.strip("[]").split("..")] for cell in cells]
        return [{i for i, age in enumerate(ages) if s[0] <= int(age) <= s[-1]} for s in spans]

    def sharing(table: Table, one: int) -> set[int]:
        return set().union(*(row for row in rows(table) if one in row))

    candidates = []
    at_worst = []
    for person in sorted(set(who)):
        own = [i for i, whose in enumerate(who) if whose == person]
        both = [sharing(new, i) & sharing(earlier, i) for i in own]
        candidates.append(min(len({who[i] for i in each}) for each in both))
        pairs = [(a & b) for i in own for a in rows(new) for b in rows(earlier) if i in a & b]
        at_worst.append(min(len({who[i] for i in each}) for each in pairs))
    if task.repeated is None:
        return  # everybody has one record
    found = together(VISITS, task, new, earlier)
    assert sorted(found.candidates.tolist()) == sorted(candidates)
    assert sorted(found.at_worst.tolist()) == sorted(at_worst)
