"""Why, of clusterings that must keep more than k: cuts and changes against slow twins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.algorithms.gcka import Gcka
from kanon_tui.core.analysis.why import classes
from kanon_tui.core.analysis.why.classes import ClassReasons
from kanon_tui.core.analysis.why.explainer import explainer
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.pipeline.run import Result, Run, conclude
from kanon_tui.core.privacy.alpha_k import AlphaKAnonymity
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.class_texts import cell_texts
from kanon_tui.core.table.column import GroupValues, Kind
from kanon_tui.core.task.task import Grouping, Task
from tests.core.algorithms.random_tables import random_task
from tests.core.algorithms.twins.beyond_k import figure, gap, gaps, with_requirements
from tests.core.analysis.why.twins import (
    ILL,
    all_differ,
    check_bounds,
    number_of,
    requiring,
    run,
    told,
    with_bound,
    with_k,
)
from tests.helpers import make_task, tells
from tests.tries import tries

Records = list[int]

# --- by hand


def clustered(ages: Sequence[int], ill: str, k: int, *required: PrivacyModel, n: int = 1) -> Result:
    """A release of n such classes, whose records have these ages and diseases."""
    columns: dict[str, list[object]] = {
        "age": [age + 100 * c for c in range(n) for age in ages],
        "ill": [each for _ in range(n) for each in ill],
    }
    task = requiring(make_task(columns, k, {"ill": ILL}), *required)
    made = Run(task, find_algorithm("mondrian")())
    made.finish()
    made.grouping = Grouping(np.repeat(np.arange(n, dtype=np.int32), len(ages)))
    return conclude(made)


AGES = (31, 35, 39, 39, 39, 39, 52, 52, 60, 60, 61)
"""Cut at 39 | 52 there are 6 and 5; no other cut leaves five on either side."""


def test_a_cut_that_only_a_requirement_forbids() -> None:
    why = explainer(clustered(AGES, "aabcbcaaabb", 5, DistinctLDiversity(3))).of_record(0, 0)
    tells(why.facts[1], "39 | 52", "6 and 5 records", "5 of them", "fewer than 3 distinct values")
    assert told(why) == [
        "distinct l-diversity of ill 2 instead of 3: a cut at 39 | 52 leaves 6 and 5 records",
        "1 record of its class suppressed: the other 10 would publish [31..60]",
    ]
    assert (why.changes[0].value, why.changes[0].attribute) == (2, "ill")


def test_a_cut_that_two_requirements_forbid() -> None:
    """No single bound would allow the cut, so that none is named."""
    required = DistinctLDiversity(3), AlphaKAnonymity(0.5)
    why = explainer(clustered(AGES, "aabcbcaaabb", 5, *required)).of_record(0, 0)
    assert why.facts[1].endswith(
        "but 5 of them would show fewer than 3 distinct values of ill or one value of ill in more "
        "than 0.5 of the records."
    )
    assert [change.kind for change in why.changes] == ["suppression"]


def test_a_cut_that_both_sides_keep() -> None:
    why = explainer(clustered(AGES, "aabcbcaacbb", 5, DistinctLDiversity(3))).of_record(0, 0)
    tells(told(why)[0], "39 | 52", "6 and 5 records", "k = 5", "mondrian did not take it")
    assert not any(change.kind == "requirement" for change in why.changes)


def test_suppressing_others_must_leave_what_is_required() -> None:
    """The one with c is the youngest: without it, two values are left."""
    why = explainer(clustered((20, 30, 31, 32, 40), "cabab", 4, DistinctLDiversity(3))).of_record(
        2, 0
    )
    assert told(why) == ["1 record of its class suppressed: the other 4 would publish [20..32]"]


def test_an_attribute_whose_cuts_are_forbidden() -> None:
    why = explainer(clustered(AGES, "aabcbcaaabb", 5, DistinctLDiversity(3), n=2)).of_attribute(0)
    tells(why.because, "2 of 2 classes", "age", "5 records")
    tells(why.facts[2], "2 classes", "age", "k alone")
    assert told(why) == [
        "distinct l-diversity of ill 2 instead of 3: 2 more classes could be cut on it"
    ]
    free = explainer(clustered(AGES, "aabcbcaacbb", 5, DistinctLDiversity(3))).of_attribute(0)
    assert free.because == "mondrian did not take the cuts that are possible"
    tells(free.facts[2], "1 class", "age alone")


PLACES = {
    "Rome": ["Italy", "World"], "Milan": ["Italy", "World"],
    "Tokyo": ["Asia", "World"], "Osaka": ["Asia", "World"],
}  # fmt: skip


def test_gcka_suppresses_a_group_that_misses_something() -> None:
    """Italy's are all ill of f; without place there is no group of Italy."""
    place = AttributeSpec(
        kind=Kind.CATEGORICAL, hierarchy={"levels": PLACES}, magvals=("Italy", "Asia")
    )
    columns: dict[str, list[object]] = {
        "place": ["Rome", "Milan", "Tokyo", "Osaka", "Rome"],
        "age": [30, 31, 40, 41, 50],
        "ill": ["f", "f", "f", "c", "f"],
    }
    task = make_task(columns, 2, {"place": place, "ill": ILL})
    result = run(requiring(task, DistinctLDiversity(2)), "gcka")
    assert np.flatnonzero(result.release.suppressed).tolist() == [0, 1, 4]
    why = explainer(result).of_record(0, 0)
    tells(why.because, "3 records", "MAGVals", "fewer than 2 distinct values of ill")
    assert told(why) == [
        "without distinct l-diversity of ill: its group could be published",
        "leaving out place: 5 records would share its MAGVals and keep what is required",
    ]
    small = run(requiring(replace(task, privacy=replace(task.privacy, k=3))), "gcka")
    why = explainer(small).of_record(2, 0)
    assert why.because == "only 2 records have its MAGVals, and k is 3"
    assert told(why) == [
        "k = 2 instead of 3: its group would be large enough",
        "leaving out place: 5 records would share its MAGVals",
    ]


# --- random


def results(name: str, seeds: Sequence[int]) -> Iterator[Result]:
    for seed in seeds:
        task = with_requirements(random_task(seed, most=24), seed)
        if gaps(task, range(task.n)) == 0 and all_differ(task):
            yield run(task, name)


def shown(result: Result, record: int, x: int) -> Records:
    """The records of a class whose cell is not suppressed."""
    singly = result.grouping.suppressed_cells
    same = result.release.classes == result.release.classes[record]
    return [i for i in np.flatnonzero(same).tolist() if singly is None or not singly[i, x]]


def sides(result: Result, record: int, x: int) -> list[tuple[Records, Records]]:
    """Every cut of the record's class, its own side first."""
    attribute = result.task.quasi[x]
    members = shown(result, record, x)
    value = {i: int(attribute.column.codes[i]) for i in members}
    if record not in value or len(set(value.values())) == 1:
        return []
    if attribute.ordered:
        cuts = [
            ([i for i in members if value[i] <= end], [i for i in members if value[i] > end])
            for end in sorted(set(value.values()))[:-1]
        ]
    else:
        level = attribute.hierarchy.lca_level(list(value.values())) - 1
        label = {i: attribute.hierarchy.paths[value[i]][level] for i in members}
        cuts = [
            (
                [i for i in members if label[i] == label[record]],
                [i for i in members if label[i] != label[record]],
            )
        ]
    return [(low, high) if record in low else (high, low) for low, high in cuts]


def allowed(task: Task, *parts: Records) -> bool:
    return all(len(part) >= task.k and gaps(task, part) == 0 for part in parts)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "at_a_time"),
    [("mondrian", 7), ("k-member", 2_000_000), ("udc-suppress", 2_000_000)],
)
def test_cuts_and_what_is_said_of_them(
    name: str, at_a_time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`at_a_time` is how many pairs are looked at together: some cuts alone have more than 7."""
    monkeypatch.setattr(classes, "_PAIRS_AT_A_TIME", at_a_time)
    kinds: Counter[str] = Counter()
    for result in results(name, range(tries(12))):
        reasons = explainer(result)
        task = result.task
        assert isinstance(reasons, ClassReasons)
        for x in range(len(task.quasi)):
            for record in range(task.n):
                cuts = sides(result, record, x)
                check_cuts(reasons, record, x, cuts)
                check_cell(reasons, record, x, cuts, kinds)
            check_attribute(reasons, x, kinds)
    assert min(kinds[kind] for kind in ("k", "suppression", "requirement")) > 3
    assert kinds["attribute requirement"] > 2


def check_cuts(
    reasons: ClassReasons, record: int, x: int, cuts: list[tuple[Records, Records]]
) -> None:
    task = reasons.task
    for found, both in zip(reasons.cuts(record, x), cuts, strict=True):
        assert (found.own, found.rest) == tuple(len(side) for side in both)
        missed = [b for b in task.requirements if any(gap(b, side) for side in both)]
        assert list(found.missed) == missed
        assert found.records_missing == sum(len(side) for side in both if gaps(task, side))
        for bound, worse in zip(task.requirements, found.figures, strict=True):
            figures = [figure(bound, side) for side in both]
            expected = min(figures) if bound.model.at_least else max(figures)
            assert worse == pytest.approx(expected, abs=1e-12)


def check_cell(
    reasons: ClassReasons,
    record: int,
    x: int,
    cuts: list[tuple[Records, Records]],
    kinds: Counter[str],
) -> None:
    task = reasons.task
    why = reasons.of_record(record, x)
    kinds.update(change.kind for change in why.changes)
    best = max((min(map(len, both)) for both in cuts if allowed(with_k(task, 1), *both)), default=0)
    values = [change.value for change in why.changes if change.kind == "k"]
    assert values == ([min(best, task.k)] if best > 1 else [])
    loose = [change for change in why.changes if change.kind == "requirement"]
    large = any(allowed(requiring(task), *both) for both in cuts)
    forbidden = large and not any(allowed(task, *both) for both in cuts)
    if forbidden:
        check_bounds(task, loose, lambda changed: any(allowed(changed, *both) for both in cuts))
    else:
        assert not loose
    hidden = len(reasons.members(record)) - len(shown(reasons.result, record, x))
    assert any(fact.startswith(f"{hidden} of them ha") for fact in why.facts) == (hidden > 0)
    assert any("No cut" in fact for fact in why.facts) == (
        bool(cuts) and all(min(map(len, both)) < task.k for both in cuts)
    )
    assert any("of them would show" in fact for fact in why.facts) == forbidden
    assert sorted(change.value for change in why.changes if change.kind == "suppression") == sorted(
        len(gone) for gone in fewer(reasons, record, x)
    )


def fewer(reasons: ClassReasons, record: int, x: int) -> Iterator[Records]:
    """Whom to suppress so that the rest of the class could be published finer."""
    attribute = reasons.task.quasi[x]
    members = shown(reasons.result, record, x)
    code = {i: int(attribute.column.codes[i]) for i in members}
    if record not in code or len(set(code.values())) == 1:
        return
    if attribute.ordered:
        ends = {min(code.values()), max(code.values())} - {code[record]}
        ways = [[i for i in members if code[i] == end] for end in ends]
    else:
        ways = [sides(reasons.result, record, x)[0][1]]
    for gone in ways:
        left = [i for i in reasons.members(record).tolist() if i not in gone]
        stay = np.array([code[i] for i in members if i not in gone])
        text = cell_texts(attribute, GroupValues.from_records(np.zeros_like(stay), stay, 1))[0]
        if len(members) < len(reasons.members(record)):  # somebody's cell is suppressed
            text = text.rstrip("*") + "*"
        if allowed(reasons.task, left) and text != reasons.published(record, x):
            yield gone


def check_attribute(reasons: ClassReasons, x: int, kinds: Counter[str]) -> None:
    """The numbers of the attribute, from the cuts of every record of every class."""
    result = reasons.result
    task = reasons.task
    why = reasons.of_attribute(x)
    cuts: dict[int, list[tuple[Records, Records]]] = {}
    for record, number in enumerate(result.release.classes.tolist()):
        cuts.setdefault(number, []).extend(sides(result, record, x))
    mixed = {c for c, found in cuts.items() if found}

    def cuttable(changed: Task) -> set[int]:
        return {c for c, found in cuts.items() if any(allowed(changed, *both) for both in found)}

    free = cuttable(task)
    barred = len(cuttable(requiring(task)) - free)
    assert any("for k alone" in fact for fact in why.facts) == (barred > 0)
    if mixed == free:
        assert why.because == ("" if not mixed else why.because)
        assert "no cut" not in why.because
    else:
        assert why.because.startswith(f"in {len(mixed - free)} of {len(cuts)} classes no cut")
    smaller = [k for k in range(2, task.k) if cuttable(with_k(task, k)) - free]
    assert [c.value for c in why.changes if c.kind == "k"] == smaller[-1:]
    loose = [change for change in why.changes if change.kind == "requirement"]
    check_bounds(task, loose, lambda changed: bool(cuttable(changed) - free))
    for change in why.changes:
        kinds[f"attribute {change.kind}"] += 1
        changed = with_k(task, max(1, int(change.value)))
        if change.kind == "requirement":
            changed = with_bound(task, number_of(task, change), change.value)
        more = len(cuttable(changed) - free)
        assert f": {more} more class{'es' if more > 1 else ''} could be cut" in change.sentence


@pytest.mark.slow
def test_what_would_publish_a_record_that_gcka_suppressed() -> None:
    """Every change is run: the record is then published."""
    kinds: Counter[str] = Counter()
    for seed in range(tries(60)):
        task = with_requirements(
            random_task(seed, most=24, city=("Italy", "Asia", "Osaka"), town=("Europe",)), seed
        )
        if not all_differ(task):
            continue
        try:
            result = run(task, "gcka")
        except NotReachedError:
            continue
        done = set()
        for record in np.flatnonzero(result.release.suppressed).tolist():
            why = explainer(result).of_record(record, 0)
            assert "found no class" not in why.because
            if (why.because, why.changes) in done:  # another of the same group
                continue
            done.add((why.because, why.changes))
            for change in why.changes:
                kinds[change.kind] += 1
                if change.kind == "k":
                    other = with_k(task, int(change.value))
                elif change.kind == "requirement":
                    other = with_bound(task, number_of(task, change), change.value)
                else:
                    rest = tuple(a for a in task.quasi if a.name != change.attribute)
                    other = replace(task, quasi=rest)
                grouping = Run(other, Gcka()).finish()
                assert grouping is not None
                assert grouping.labels[record] >= 0, change
    assert min(kinds[kind] for kind in ("k", "requirement", "attribute")) > 3
