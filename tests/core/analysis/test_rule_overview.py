"""Which levels keep a rule, and how many people stand in the groups that mix its sides."""

from __future__ import annotations

from kanon_tui.core.analysis.rule_overview import never_kept, rule_overviews
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.rules import Apart, Boundary, RuleTable
from tests.helpers import make_task


def test_boundary_and_apart() -> None:
    ages = [61, 63, 64, 65, 66, 70, 71]
    race = ["White", "White", "Black", "Asian", "Black", "Asian", "White"]
    levels = {"White": ["White"], "Black": ["Other"], "Asian": ["Other"]}
    task = make_task(
        {"age": ages, "race": race},
        2,
        {
            "age": AttributeSpec(
                kind=Kind.NUMERIC,
                hierarchy={"builder": "intervals", "widths": [5, 10]},
                rules=RuleTable(0, (Boundary("64", "65", 5),)),
            ),
            "race": AttributeSpec(
                hierarchy={"levels": levels},
                rules=RuleTable(
                    0, (Apart(("Black",), ("Asian",), 1), Apart(("White",), ("Black", "Asian"), 1))
                ),
            ),
        },
    )
    (age,) = rule_overviews(task.quasi[0])
    assert age.kept == (True, True, False, False)  # 60-64 | 65-69, then 60-69
    assert age.concerned == 5
    first, second = rule_overviews(task.quasi[1])
    assert first.kept == (True, False, False)
    assert first.concerned == 4
    assert second.kept == (True, True, False)
    assert second.concerned == 7


def test_a_rule_that_no_level_keeps_says_so() -> None:
    levels = {"White": ["White"], "Black": ["Other"], "Asian": ["Other"]}
    spec = AttributeSpec(hierarchy={"levels": levels})
    task = make_task({"race": ["White", "White", "Black", "Asian"]}, 2, {"race": spec})
    (race,) = task.quasi
    assert never_kept(race, Apart(("White",), ("Black",), 1.0)) == ""
    assert "no level above the values keeps" in never_kept(race, Apart(("Black",), ("Asian",), 1))
