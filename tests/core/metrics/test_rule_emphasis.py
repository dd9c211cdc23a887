"""The emphasis of rules against granularity: G^(2(1−f)) · DR^(2f)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.algorithms.global_search import GlobalSearch
from kanon_tui.core.algorithms.twins import full_domain, merging
from kanon_tui.core.algorithms.udc import Udc
from kanon_tui.core.algorithms.udc_suppress import UdcSuppress
from kanon_tui.core.metrics.cells import CellGroups, cells_of
from kanon_tui.core.metrics.research_value import (
    attribute_research_value,
    level_research_values,
    mean_span,
)
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.recode import Release, recode
from kanon_tui.core.task.rules import Apart, Boundary, RuleTable
from kanon_tui.core.task.task import Grouping, RunContext, Task
from tests.core.algorithms.merging_checks import clusters_of, grouping_of, sorted_clusters
from tests.core.metrics.strategies import releases, tasks
from tests.helpers import make_task
from tests.tries import tries


@st.composite
def tasks_with_k(draw: st.DrawFn) -> Task:
    task = draw(tasks())
    k = draw(st.integers(1, min(task.n, 5)))
    share = draw(st.sampled_from([0.0, 0.2]))
    return replace(task, privacy=Privacy(k=k, max_suppression=share))


def product_of(task: Task, emphasis: float = 0.5) -> Task:
    """The task with another emphasis, the same for all."""
    return replace(task, quasi=tuple(replace(a, rule_emphasis=emphasis) for a in task.quasi))


@given(releases())
@settings(max_examples=tries(25), deadline=None)
def test_one_half_is_the_plain_product_bit_for_bit(release: Release) -> None:
    task = product_of(release.task)
    for attribute in task.quasi:
        values = level_research_values(attribute)
        typed = attribute.typed_research_values
        for level in range(attribute.hierarchy.height):
            if typed and typed[level] is not None:
                continue
            labels = attribute.hierarchy.labels
            detail = len(labels[level]) / len(labels[0])
            if attribute.ordered:
                counts = attribute.column.counts
                detail = 1.0 / mean_span(CellGroups.of_level(attribute, level, counts))
            kept = attribute.rules.of_level(attribute.hierarchy.maps[level])
            assert values[level] == attribute.weight * detail * kept
    grouping = replace(release.grouping, levels=None)
    for cells in cells_of(recode(task, grouping)):
        if cells.size.sum():
            kept = float((cells.size * cells.rules_kept).sum()) / int(cells.size.sum())
            plain = cells.attribute.weight / mean_span(cells) * kept
            assert attribute_research_value(cells) == plain


@given(tasks())
@settings(max_examples=tries(30), deadline=None)
def test_a_higher_level_is_never_worth_more(task: Task) -> None:
    for attribute in task.quasi:
        values = level_research_values(replace(attribute, typed_research_values=()))
        assert (np.diff(values) <= 1e-12).all()
        assert values[-1] == 0


@given(releases(), st.data())
@settings(max_examples=tries(30), deadline=None)
def test_merged_classes_are_never_worth_more(release: Release, data: st.DataObject) -> None:
    grouping = replace(release.grouping, levels=None)
    labels = grouping.labels
    if not (labels >= 0).any():
        return
    published = st.sampled_from(sorted({*labels[labels >= 0].tolist()}))
    one = data.draw(published)
    other = data.draw(published)
    merged = replace(grouping, labels=np.where(labels == one, other, labels).astype(np.int32))
    before, after = (cells_of(recode(release.task, each)) for each in (grouping, merged))
    for old, new in zip(before, after, strict=True):
        assert attribute_research_value(new) <= attribute_research_value(old) + 1e-12


@given(tasks_with_k(), st.sampled_from(["release", "cluster"]))
@settings(max_examples=tries(50), deadline=None)
def test_udc_equals_its_twin(task: Task, objective: str) -> None:
    expected = sorted_clusters(merging.udc(task, objective))
    assert clusters_of(grouping_of(task, Udc(objective=objective))) == expected


@given(tasks_with_k())
@settings(max_examples=tries(40), deadline=None)
def test_udc_suppress_equals_its_twin(task: Task) -> None:
    grouping = grouping_of(task, UdcSuppress())
    twin = merging.HidingClusters(task).run()
    assert clusters_of(grouping) == sorted_clusters(twin.clusters)
    assert grouping.suppressed_cells is not None
    assert (grouping.suppressed_cells == twin.hidden).all()


@given(tasks_with_k())
@settings(max_examples=tries(25), deadline=None)
def test_global_is_the_optimum_of_exhaustive_search(task: Task) -> None:
    grouping = Run(task, GlobalSearch()).finish()
    assert grouping is not None
    assert grouping.levels == full_domain.best(task, full_domain.passing(task))


AGES = {"age": [10, 12, 20, 24]}
APART = AttributeSpec(rules=RuleTable(0.0, (Boundary("15", "16", 1.0),)))


def worth(emphasis: float, labels: list[int]) -> float:
    task = make_task(AGES, 1, {"age": APART}, rule_emphasis=emphasis)
    grouping = Grouping(np.array(labels, dtype=np.int32))
    (cells,) = cells_of(recode(task, grouping))
    return attribute_research_value(cells)


def test_worked_by_hand() -> None:
    kept = [0, 0, 1, 1]
    broken = [0, 1, 1, 2]
    assert worth(0.5, kept) == pytest.approx(4 / (3 + 3 + 5 + 5))
    assert worth(0.0, kept) == pytest.approx((4 / 16) ** 2)
    assert worth(1.0, kept) == 1.0
    # 12 and 20 span 9; half of the people are in a class that breaks the rule.
    assert worth(0.5, broken) == pytest.approx(4 / 20 * 0.5)
    assert worth(0.25, broken) == pytest.approx((4 / 20) ** 1.5 * 0.5**0.5)
    assert worth(1.0, broken) == pytest.approx(0.25)


def test_nothing_to_the_power_of_nothing_is_one() -> None:
    """All rules are broken: granularity alone does not see it, rules alone see nothing else."""
    everyone = [0, 0, 0, 0]
    assert worth(0.0, everyone) == pytest.approx((4 / 60) ** 2)
    assert worth(0.5, everyone) == worth(1.0, everyone) == 0.0


def test_an_attribute_has_its_own_or_that_of_the_project() -> None:
    specs = {"age": AttributeSpec(rule_emphasis=0.9), "sex": AttributeSpec()}
    task = make_task({"age": [1, 2], "sex": ["F", "M"]}, 1, specs, rule_emphasis=0.2)
    assert [attribute.rule_emphasis for attribute in task.quasi] == [0.9, 0.2]


def test_rules_alone_let_udc_mix_what_no_rule_keeps_apart() -> None:
    """64 and 65 are near, but a rule keeps them apart; 20 is far, and no rule minds."""
    rules = RuleTable(1.0, (Boundary("64", "65", 1.0),))
    columns = {"age": [64, 65, 65, 20, 20]}
    task = make_task(columns, 2, {"age": AttributeSpec(rules=rules)})
    for emphasis, expected in ((0.0, [[0, 1, 2], [3, 4]]), (1.0, [[1, 2], [0, 3, 4]])):
        assert clusters_of(grouping_of(product_of(task, emphasis), Udc())) == expected


def test_the_pane_that_says_why_shows_the_powers() -> None:
    rules = RuleTable(1.0, (Apart(("F",), ("M",), 1.0),))
    spec = AttributeSpec(rules=rules, rule_emphasis=0.75)
    task = make_task({"sex": ["F", "M", "F", "M", "D"]}, 2, {"sex": spec})
    context = RunContext(1, watched=True)
    step = next(s for s in Run(task, Udc(), context) if s.lesson.choice is not None)
    choice = step.lesson.choice
    assert choice.formula[1] == "sex {D|F}: 1 · (5 / 8)^0.5 · 1^1.5 = 0.7906"
    assert choice.candidates[0].score == pytest.approx((5 / 8) ** 0.5)
