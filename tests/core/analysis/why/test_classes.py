"""Why a class of a clustering is published as it is, checked against its records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from kanon_tui.core.analysis.why.classes import ClassReasons, judged_cuts
from kanon_tui.core.analysis.why.explainer import explainer
from kanon_tui.core.analysis.why.reasons import Explanation, Reasons
from kanon_tui.core.pipeline.run import Result, Run, conclude
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.class_texts import cell_texts
from kanon_tui.core.table.column import GroupValues, Kind
from kanon_tui.core.task.rules import Boundary, RuleTable
from kanon_tui.core.task.task import Grouping
from tests.core.analysis.why.random_results import results
from tests.core.analysis.why.twins import run
from tests.helpers import make_task
from tests.tries import tries


def held(result: Result, record: int, x: int) -> list[int]:
    """Codes of the class of a record, one per record whose cell is shown."""
    singly = result.grouping.suppressed_cells
    return [
        int(result.task.quasi[x].column.codes[i])
        for i in range(result.task.n)
        if result.release.classes[i] == result.release.classes[record]
        and (singly is None or not singly[i, x])
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mondrian", "k-member", "udc-suppress"])
def test_cuts_are_those_of_the_class(name: str) -> None:
    seen = 0
    for result in results(name, range(tries(16))):
        reasons = explainer(result)
        task = result.task
        assert isinstance(reasons, ClassReasons)
        singly = result.grouping.suppressed_cells
        for x, attribute in enumerate(task.quasi):
            sizes = result.release.class_sizes
            shown = result.release.classes
            if singly is not None:
                shown = np.where(singly[:, x], -1, shown)
            best = [
                max(
                    (c.largest_k for c in judged_cuts(task, x, np.flatnonzero(shown == i))),
                    default=0,
                )
                for i in range(len(sizes))
            ]
            largest = np.zeros(len(sizes), dtype=int)
            for record in np.flatnonzero(~result.release.suppressed).tolist():
                codes = held(result, record, x)
                own = int(attribute.column.codes[record])
                cuts = reasons.cuts(record, x)
                if (singly is not None and singly[record, x]) or len(set(codes)) == 1:
                    assert cuts == []
                    continue
                seen += 1
                facts = reasons.of_record(record, x).facts
                said = any("No cut of the class leaves k" in fact for fact in facts)
                assert said == all(cut.largest_k < task.k for cut in cuts)
                if attribute.ordered:
                    expected = [
                        sorted((sum(c <= cut for c in codes), sum(c > cut for c in codes)))
                        for cut in sorted(set(codes))[:-1]
                    ]
                else:
                    level = attribute.hierarchy.lca_level(codes) - 1
                    labels = [attribute.hierarchy.paths[c][level] for c in codes]
                    mine = labels.count(attribute.hierarchy.paths[own][level])
                    expected = [sorted((mine, len(codes) - mine))]
                assert [sorted((cut.own, cut.rest)) for cut in cuts] == expected
                this = result.release.classes[record]
                largest[this] = max(largest[this], *(cut.largest_k for cut in cuts))
            assert best == largest.tolist()
    assert seen > 100


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mondrian", "k-member", "udc-suppress"])
def test_suppressing_others_would_publish_what_is_said(name: str) -> None:
    seen = 0
    for result in results(name, range(tries(16))):
        reasons = explainer(result)
        task = result.task
        for x, attribute in enumerate(task.quasi):
            for record in np.flatnonzero(~result.release.suppressed).tolist():
                for change in reasons.of_record(record, x).changes:
                    if change.kind != "suppression":
                        continue
                    seen += 1
                    codes = sorted(held(result, record, x))
                    gone = int(change.value)
                    assert len(reasons.members(record)) - gone >= task.k
                    told = change.sentence.rsplit("would publish ", 1)[1]
                    assert told != reasons.published(record, x)
                    left = [codes[gone:], codes[:-gone]]
                    if not attribute.ordered:
                        level = attribute.hierarchy.lca_level(codes) - 1
                        paths = attribute.hierarchy.paths
                        own = paths[int(attribute.column.codes[record])][level]
                        left = [[c for c in codes if paths[c][level] == own]]
                        assert len(codes) - len(left[0]) == gone
                    groups = [
                        GroupValues.from_records(np.zeros(len(c), np.int64), np.array(c), 1)
                        for c in left
                    ]
                    starred = "*" if len(codes) < len(reasons.members(record)) else ""
                    texts = [cell_texts(attribute, group)[0] for group in groups]
                    assert told in [text if text == "*" else text + starred for text in texts]
    assert seen > 30


def ages(*groups: Sequence[int], k: int = 2, rules: RuleTable = RuleTable()) -> Result:  # noqa: B008
    """A release whose classes hold these ages."""
    columns = {"age": [age for group in groups for age in group]}
    task = make_task(columns, k, {"age": AttributeSpec(rules=rules)})
    labels = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    result = run(task, "mondrian")
    grouping = Grouping(labels.astype(np.int32))
    other = Run(task, result.algorithm)
    other.finish()
    other.grouping = grouping
    return conclude(other)


def test_a_wide_range_is_blamed_on_who_is_far_away() -> None:
    rules = RuleTable(0, (Boundary("64", "65", 5), Boundary("36", "37", 1)))
    result = ages([35, 36, 36, 37, 80], [20, 20, 20], k=3, rules=rules)
    reasons = explainer(result)
    why = reasons.of_record(1, 0)
    assert why.question == "Why is age 36 published as [35..80]?"
    assert why.because == "1 of the 5 records of its class has 80"
    assert "35 (1), 36 (2), 37 (1), 80 (1)" in why.facts[0]
    assert [(c.kind, c.value) for c in why.changes] == [
        ("k", 2), ("suppression", 1), ("suppression", 1)
    ]  # fmt: skip
    assert "a cut at 36 | 37 leaves 3 and 2 records" in why.changes[0].sentence
    assert why.changes[2].sentence.endswith("the other 4 would publish [35..37]")
    assert [verdict.kept for verdict in why.rules] == [False, False]
    agreed = reasons.of_record(6, 0)
    assert (agreed.because, agreed.changes) == ("", ())
    assert [verdict.kept for verdict in agreed.rules] == [True, True]


def test_a_cut_that_was_possible_is_not_hidden() -> None:
    (change,) = [
        c for c in explainer(ages([1, 1, 9, 9], k=2)).of_record(0, 0).changes if c.kind == "k"
    ]
    assert change.value == 2
    assert "enough for k = 2; mondrian did not take it" in change.sentence


def test_an_attribute_of_a_clustering() -> None:
    result = ages([35, 36, 36, 37, 80], [20, 20, 20], [1, 2, 3, 4, 5, 6], k=3)
    why = explainer(result).of_attribute(0)
    assert why.because == "in 1 of 3 classes no cut on age leaves 3 records on either side"
    assert "1 of 3 classes agree on age; 2 mix values." in why.facts
    assert "1 class could be cut on age alone and keep k." in why.facts
    assert [(c.kind, c.value) for c in why.changes] == [("k", 2)]
    assert explainer(ages([1, 1], [2, 2])).of_attribute(0).because == ""


def test_gcka_suppresses_for_the_magvals() -> None:
    columns = {"place": ["Rome", "Milan", "Paris", "Tokyo", "Osaka", "Delhi"]}
    tree = {
        "Rome": ["Italy", "World"], "Milan": ["Italy", "World"], "Paris": ["France", "World"],
        "Tokyo": ["Asia", "World"], "Osaka": ["Asia", "World"], "Delhi": ["Asia", "World"],
    }  # fmt: skip
    spec = AttributeSpec(
        kind=Kind.CATEGORICAL, hierarchy={"levels": tree}, magvals=("Italy", "France", "Asia")
    )
    result = run(make_task(columns, 2, {"place": spec}), "gcka")
    assert np.flatnonzero(result.release.suppressed).tolist() == [2]
    why = explainer(result).of_record(2, 0)
    assert why.because == "no other record has its MAGVals, and k is 2"


def test_a_missing_value_is_a_reason_of_its_own() -> None:
    task = make_task({"age": [1, 2, "?"]}, 3, {"age": AttributeSpec(kind=Kind.NUMERIC)})
    reasons: Reasons = explainer(run(task, "mondrian"))
    told = "the value is missing in 1 of the 3 records of its class"
    assert [reasons.because(record, 0) for record in range(3)] == [told] * 3
    why: Explanation = reasons.of_record(0, 0)
    assert why.question == "Why is age 1 published as *?"
