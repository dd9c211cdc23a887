"""Datafly: SBC's walk-through, and the rule on random tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kanon_tui.core.algorithms.datafly import Datafly
from kanon_tui.core.algorithms.twins.full_domain import datafly
from kanon_tui.core.analysis.why.explainer import explainer
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.pipeline.run import Run, conclude
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.privacy.verify import smallest_class
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.task import RunContext, Task
from tests.core.algorithms.searchable_tables import searchable_task
from tests.helpers import make_task
from tests.tries import tries

TABLE_2_7 = """
9/20/1995 Female 1141 Asian
2/14/1995 Female 1141 Asian
10/23/1995 Male 1138 Asian
8/24/1995 Male 1138 Asian
11/7/1994 Male 1138 Asian
12/1/1994 Male 1138 Asian
10/23/1994 Female 1138 Black
3/15/1995 Male 1139 Black
8/13/1994 Female 1139 Black
5/5/1994 Female 1139 Black
2/13/1997 Female 1138 Black
3/21/1997 Female 1138 Black
"""


def hospital() -> Task:
    rows = [line.split() for line in TABLE_2_7.strip().splitlines()]
    columns = dict(zip(("birth", "gender", "zip", "race"), zip(*rows, strict=True), strict=True))
    person = {"levels": {v: ["Person"] for v in ("Male", "Female")}}
    people = {"levels": {v: ["Person"] for v in ("Asian", "Black")}}
    dates = {"builder": "date", "levels": ["month", "year", "5 years", "decade"]}
    specs = {
        "birth": AttributeSpec(kind=Kind.DATE, format="%m/%d/%Y", hierarchy=dates),
        "gender": AttributeSpec(hierarchy=person),
        "zip": AttributeSpec(kind=Kind.CATEGORICAL, hierarchy={"builder": "mask", "from": "right"}),
        "race": AttributeSpec(hierarchy=people),
    }
    return make_task(columns, 2, specs)


def test_sbc_table_2_7_ends_at_years_with_t7_and_t8_suppressed() -> None:
    """Twelve birth dates, twelve months, three years; then two records stand out (table 2-8)."""
    run = Run(hospital(), Datafly(), RunContext(1))
    steps = list(run)
    assert run.grouping is not None
    assert run.grouping.levels == (2, 0, 0, 0)
    assert (np.flatnonzero(run.grouping.labels < 0) + 1).tolist() == [7, 8]
    raised = [step.event for step in steps if step.kind == "raise"]
    assert [(event.attribute, event.before, event.after) for event in raised] == [
        (0, 12, 12),
        (0, 12, 3),
    ]
    assert steps[-1].sentence == "Suppress the 2 records in classes below 2."


def test_sbc_table_2_9_ten_rows() -> None:
    task = hospital()
    grouping = Run(task, Datafly()).finish()
    assert grouping is not None
    years = ["1995"] * 4 + ["1994"] * 2 + ["1994"] * 2 + ["1997"] * 2
    assert recode(task, grouping).in_file_order["birth"].to_list() == years


@pytest.mark.parametrize("seed", range(tries(50)))
def test_levels_and_suppressed_records_are_those_of_the_rule(seed: int) -> None:
    task = searchable_task(seed)
    grouping = Run(task, Datafly()).finish()
    assert grouping is not None
    levels, suppressed = datafly(task)
    assert grouping.levels == levels
    assert set(np.flatnonzero(grouping.labels < 0).tolist()) == suppressed
    quasi = [a.name for a in task.quasi]
    assert smallest_class(recode(task, grouping).frame, quasi) >= task.k


def test_equal_numbers_of_values_raise_the_first_attribute() -> None:
    task = make_task({"a": ["x", "y", "z", "w"], "b": ["p", "q", "r", "s"]}, 3)
    steps = list(Run(task, Datafly(), RunContext(1)))
    assert next(step.event.attribute for step in steps if step.kind == "raise") == 0


def test_generalises_on_where_suppression_would_leave_nothing() -> None:
    task = make_task({"a": ["x", "y"]}, 2)
    grouping = Run(task, Datafly()).finish()
    assert grouping is not None
    assert grouping.levels == (1,)
    assert grouping.labels.tolist() == [0, 0]


def test_max_suppression_takes_the_place_of_k() -> None:
    columns = {"a": ["u"] * 6 + ["v", "w", "x"]}
    strict = Run(make_task(columns, 2), Datafly()).finish()
    allowed = Run(make_task(columns, 2, max_suppression=0.34), Datafly()).finish()
    assert strict is not None
    assert allowed is not None
    assert (strict.levels, allowed.levels) == ((1,), (0,))
    assert (allowed.labels < 0).sum() == 3


def six_records(*a: str, max_suppression: float = 0.0) -> Run:
    levels = {"levels": {value: ["group"] for value in "uvw"}}
    specs = {"a": AttributeSpec(hierarchy=levels)}
    return Run(
        make_task({"a": list(a)}, 2, specs, max_suppression=max_suppression),
        Datafly(),
        RunContext(1),
    )


def test_sbc_step_4_one_record_left_over_takes_a_second_with_it() -> None:
    """Complementary suppression: v keeps two of its three records, the last joins w."""
    run = six_records("u", "u", "v", "v", "v", "w")
    assert [step.sentence for step in run][-1] == (
        "Suppress the one record in a class below 2, and 1 of the smallest class that can join: at "
        "least 2 in all."
    )
    assert run.grouping is not None
    assert run.grouping.levels == (0,)
    assert run.grouping.labels.tolist() == [0, 0, 1, 1, -1, -1]


def test_sbc_step_4_goes_on_where_no_class_can_spare_a_record() -> None:
    run = six_records("u", "u", "v", "v", "w")
    kinds = [step.kind for step in run]
    assert kinds == ["test", "go on", "raise", "test"]
    assert run.grouping is not None
    assert run.grouping.levels == (1,)
    assert run.grouping.labels.tolist() == [0] * 5
    whole_class = six_records("u", "u", "v", "v", "w", max_suppression=0.6)
    assert whole_class.finish() is not None
    assert whole_class.grouping is not None
    assert whole_class.grouping.labels.tolist() == [-1, -1, 0, 0, -1]


def test_a_record_that_joined_the_suppressed_ones_is_told_why() -> None:
    result = conclude(six_records("u", "u", "v", "v", "v", "w"))
    assert "records of this class joined them" in explainer(result).of_suppressed(4).because
    assert "no other record" in explainer(result).of_suppressed(5).because


def test_a_table_smaller_than_k_is_refused() -> None:
    task = replace(make_task({"a": ["x", "y"]}, 2), privacy=Privacy(k=3))
    with pytest.raises(NotReachedError, match="choose k of at most 2"):
        Run(task, Datafly()).finish()
