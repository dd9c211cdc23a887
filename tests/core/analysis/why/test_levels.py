"""Why a full-domain release is as it is: every named change is tried again here, the slow way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import floor

import numpy as np
import pytest

from kanon_tui.core.analysis.why.explainer import explainer
from kanon_tui.core.analysis.why.levels import LevelReasons
from kanon_tui.core.analysis.why.reasons import Change
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.task.rules import Apart, RuleTable
from kanon_tui.core.task.task import Task
from tests.core.analysis.why.random_results import results
from tests.core.analysis.why.twins import run, string_rv
from tests.helpers import make_task


def sizes_at(task: Task, levels: Sequence[int]) -> list[int]:
    """Class sizes of a string, by printing every record's labels."""
    rows = [
        tuple(
            attribute.hierarchy.paths[int(attribute.column.codes[i])][level]
            for attribute, level in zip(task.quasi, levels, strict=True)
        )
        for i in range(task.n)
    ]
    count = Counter(rows)
    return [count[row] for row in rows]


def passes(task: Task, levels: Sequence[int], k: int, allowed: int) -> bool:
    small = sum(size < k for size in sizes_at(task, levels))
    return small <= min(allowed, task.n - 1)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "suppression"), [("datafly", 0.0), ("global", 0.15)])
def test_one_level_finer_is_counted_as_by_hand(name: str, suppression: float) -> None:
    looked_at = 0
    for result in results(name, range(60), suppression):
        reasons = explainer(result)
        task = result.task
        assert isinstance(reasons, LevelReasons)
        for x, level in enumerate(reasons.levels):
            if level == 0:
                assert reasons.of_attribute(x).because == ""
                continue
            looked_at += 1
            finer = reasons.finer(x)
            sizes = sizes_at(task, finer.levels)
            assert finer.small == sum(size < task.k for size in sizes)
            for record in range(task.n):
                left = finer.sizes[finer.class_of[record]]
                assert left == sizes[record]
                because = reasons.because(record, x)
                if reasons.published(record, x) != reasons.original(record, x):
                    assert (f"leave {left:,} records in this class" in because) == (
                        1 < left < task.k
                    )
                    assert ("leave this record alone" in because) == (left == 1 < task.k)
    assert looked_at > 40


@pytest.mark.slow
@pytest.mark.parametrize(("name", "suppression"), [("datafly", 0.0), ("global", 0.15)])
def test_every_named_change_works_and_nothing_smaller_does(name: str, suppression: float) -> None:
    kinds: Counter[str] = Counter()
    for result in results(name, range(60), suppression):
        reasons = explainer(result)
        assert isinstance(reasons, LevelReasons)
        for x in range(len(reasons.levels)):
            changes = reasons.of_attribute(x).changes
            kinds.update(change.kind for change in changes)
            check_changes(reasons, x, changes)
    assert min(kinds[kind] for kind in ("k", "suppression", "level", "attribute")) > 3


def check_changes(reasons: LevelReasons, x: int, changes: Sequence[Change]) -> None:
    task = reasons.task
    allowed = reasons.allowed
    levels = list(reasons.levels)
    if levels[x] == 0:
        assert changes == ()
        return
    levels[x] -= 1
    if passes(task, levels, task.k, allowed):
        assert [(change.kind, change.attribute) for change in changes] == [
            ("level", task.quasi[x].name)
        ]
        return
    by_kind: dict[str, list[Change]] = {}
    for change in changes:
        by_kind.setdefault(change.kind, []).append(change)
    largest = max(k for k in range(1, task.k) if passes(task, levels, k, allowed))
    assert [change.value for change in by_kind.get("k", [])] == [largest] * (largest > 1)
    small = sum(size < task.k for size in sizes_at(task, levels))
    shares = [change.value for change in by_kind.get("suppression", [])]
    assert len(shares) == (small < task.n)
    for share in shares:
        assert floor(share * task.n + 1e-9) >= small > floor((share - 1e-4) * task.n + 1e-9)
    raised = {c.attribute: c for c in [*by_kind.get("level", []), *by_kind.get("attribute", [])]}
    for y, attribute in enumerate(task.quasi):
        top = attribute.hierarchy.height
        enough = [
            level
            for level in range(levels[y] + 1, top + 1)
            if passes(task, [*levels[:y], level, *levels[y + 1 :]], task.k, allowed)
        ]
        if y == x or not enough:
            assert attribute.name not in raised
        else:
            assert raised[attribute.name].value == enough[0]
            assert raised[attribute.name].kind == ("attribute" if enough[0] == top else "level")


def test_a_smaller_k_or_more_suppression_keeps_the_finer_level_when_run() -> None:
    """The changes are not only counted: a run with them has a string that is worth as much."""
    tried = 0
    for result in results("global", range(40), 0.1):
        reasons = explainer(result)
        task = result.task
        assert isinstance(reasons, LevelReasons)
        for x, level in enumerate(reasons.levels):
            for change in reasons.of_attribute(x).changes:
                if change.kind == "k":
                    privacy = replace(task.privacy, k=int(change.value))
                elif change.kind == "suppression":
                    privacy = replace(task.privacy, max_suppression=change.value)
                else:
                    continue
                tried += 1
                other = run(replace(task, privacy=privacy), "global")
                gain = reasons.values[x][level - 1] - reasons.values[x][level]
                assert string_rv(other) >= string_rv(result) + gain - 1e-9
    assert tried > 20


def test_a_suppressed_record_is_told_how_few_it_is_like() -> None:
    """SBC table 2-9: T7 and T8 are the only ones of their kind and are suppressed."""
    result = anonymize(find_sample("datafly").project)
    assert np.flatnonzero(result.release.suppressed).tolist() == [6, 7]
    reasons = explainer(result)
    why = reasons.of_record(6, 0)
    assert why.question == "Why is this record suppressed?"
    assert why.because == "no other record has its labels at these levels, and k is 2"
    assert all(change.kind != "k" for change in why.changes)  # alone at any k
    assert reasons.rules(6, 0) == ()


def test_company_of_a_suppressed_record_is_counted() -> None:
    seen = 0
    for result in results("global", range(40), 0.3):
        reasons = explainer(result)
        task = result.task
        assert isinstance(reasons, LevelReasons)
        for record in np.flatnonzero(result.release.suppressed).tolist():
            seen += 1
            alike = sizes_at(task, reasons.levels)[record]
            changes = {(c.kind, c.attribute): c for c in reasons.of_record(record, 0).changes}
            assert (("k", "") in changes) == (alike > 1)
            for x, attribute in enumerate(task.quasi):
                levels = list(reasons.levels)
                enough = [
                    level
                    for level in range(levels[x] + 1, attribute.hierarchy.height + 1)
                    if sizes_at(task, [*levels[:x], level, *levels[x + 1 :]])[record] >= task.k
                ]
                found = [c for (_, name), c in changes.items() if name == attribute.name]
                assert [c.value for c in found] == enough[:1]
    assert seen > 10


TREE = {
    "a": ["ab", "*"],
    "b": ["ab", "*"],
    "c": ["cd", "*"],
    "d": ["cd", "*"],
}


def rule_case(rules: RuleTable, weight: float = 0.6) -> Task:
    """x may stay whole when y is raised, which mixes a and b; a rule against that decides."""
    rows = [(x, y) for x in "pq" for y in "abcd"]
    columns = {"x": [x for x, _ in rows], "y": [y for _, y in rows]}
    spec = AttributeSpec(hierarchy={"levels": TREE}, rules=rules, weight=weight)
    return make_task(columns, 2, {"y": spec})


def test_the_rule_that_decided_is_named() -> None:
    with_rule = run(rule_case(RuleTable(0, (Apart(("a",), ("b",), 9),))), "global")
    without = run(rule_case(RuleTable()), "global")
    assert (with_rule.grouping.levels, without.grouping.levels) == ((1, 0), (0, 1))
    (change,) = [c for c in explainer(with_rule).of_attribute(0).changes if c.kind == "rule"]
    assert (change.attribute, change.value) == ("y", 9)
    assert "without the rule a | b" in change.sentence
    assert [c.kind for c in explainer(without).of_attribute(1).changes].count("rule") == 0


def test_a_rule_that_decides_nothing_is_not_named() -> None:
    """y weighs so much that x is hidden anyway."""
    rules = RuleTable(0, (Apart(("a",), ("b",), 9),))
    with_rule, without = (run(rule_case(r, 0.9), "global") for r in (rules, RuleTable()))
    assert with_rule.grouping.levels == without.grouping.levels == (1, 0)
    assert "rule" not in [change.kind for change in explainer(with_rule).of_attribute(0).changes]


def test_the_rules_of_a_label() -> None:
    rules = RuleTable(0, (Apart(("a",), ("b",), 9), Apart(("a",), ("c",), 1)))
    result = run(rule_case(rules), "datafly")
    assert result.grouping.levels == (0, 1)
    verdicts = explainer(result).rules(0, 1)
    assert [(v.rule, v.kept) for v in verdicts] == [("a | b", False), ("a | c", True)]
