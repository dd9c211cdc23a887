"""Why, of full-domain releases that must keep more than k: every change is counted the slow way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import floor

import numpy as np
import pytest

from kanon_tui.core.analysis.why.explainer import explainer
from kanon_tui.core.analysis.why.levels import LevelReasons
from kanon_tui.core.analysis.why.reasons import Change
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.privacy.alpha_k import AlphaKAnonymity
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity, PSensitivity
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.task import Task
from tests.core.algorithms.searchable_tables import searchable_task
from tests.core.algorithms.twins.beyond_k import classes, gap, gaps, must_go, with_requirements
from tests.core.analysis.why.twins import (
    ILL,
    all_differ,
    check_bounds,
    number_of,
    requiring,
    run,
    string_rv,
    told,
    with_bound,
    with_k,
)
from tests.helpers import make_task, tells
from tests.tries import tries

# --- by hand

TREE = {
    "a": ["ab", "*"],
    "b": ["ab", "*"],
    "c": ["cd", "*"],
    "d": ["cd", "*"],
}  # fmt: skip
PLACE = AttributeSpec(kind=Kind.CATEGORICAL, hierarchy={"levels": TREE})


def places(
    ill: dict[str, str], k: int, requirement: PrivacyModel, max_suppression: float = 0.0
) -> Task:
    """`{"a": "fc"}`: two records at a, one ill of f and one of c."""
    rows = [(place, each) for place, them in ill.items() for each in them]
    columns = {"place": [place for place, _ in rows], "ill": [each for _, each in rows]}
    task = make_task(columns, k, {"place": PLACE, "ill": ILL}, max_suppression=max_suppression)
    return requiring(task, requirement)


def test_a_level_that_only_a_requirement_forbids() -> None:
    """Two records everywhere; at a and at b both are ill of the same."""
    ill = {"a": "ff", "b": "cc", "c": "fc", "d": "fc"}
    result = run(places(ill, 2, DistinctLDiversity(2)), "global")
    assert result.grouping.levels == (1,)
    reasons = explainer(result)
    lack = "fewer than 2 distinct values of ill"
    assert reasons.because(0, 0) == f"a would leave 2 records in this class, with {lack}"
    assert reasons.because(4, 0) == (
        f"c would do here but leave 4 of 8 records in classes with {lack}"
    )
    why = reasons.of_attribute(0)
    assert why.because == f"level 0 would leave 4 of 8 records in classes with {lack}"
    assert why.facts[1] == (
        f"At level 0, with all else as it is, 4 of 8 records in classes with {lack} would have to "
        f"go; 0 may be suppressed."
    )
    assert told(why) == [
        "max_suppression 0.5 instead of 0: place could stay at level 0 and 4 records would go",
        "without distinct l-diversity of ill: place could stay at level 0",
    ]
    assert [(c.kind, c.value, c.attribute) for c in why.changes] == [
        ("suppression", 0.5, ""), ("requirement", 1, "ill")
    ]  # fmt: skip


def test_a_bound_that_gives_way() -> None:
    ill = {"a": "fc", "b": "fh", "c": "fch", "d": "fch"}
    why = explainer(run(places(ill, 2, DistinctLDiversity(3)), "global")).of_attribute(0)
    tells(told(why)[-1], "l-diversity of ill 2 instead of 3", "place", "level 0")


def test_k_and_a_requirement_together_in_the_way() -> None:
    """b has one record, a misses something: neither k nor the bound alone would do."""
    ill = {"a": "ffff", "b": "c", "c": "fc", "d": "fc"}
    task = places(ill, 2, PSensitivity(2))
    why = explainer(run(task, "global")).of_attribute(0)
    tells(
        why.because,
        "level 0",
        "1 of 9 records",
        "k = 2",
        "4 of",
        "fewer than 2 distinct values of ill",
    )
    tells(why.facts[1], "level 0", "1 of 9 records", "below k = 2", "4 of", "0 may be suppressed")
    assert [change.kind for change in why.changes] == ["suppression"]
    assert "0.5556 instead of 0: place could stay at level 0 and 5 records" in told(why)[0]


def test_what_may_be_suppressed_counts_for_the_bound() -> None:
    """Shares of f: 0 at a, 3/4 at b, 1 at c, 1/4 at d. Two records may go: those of c."""
    ill = {"a": "cc", "b": "fffc", "c": "ff", "d": "fccc"}
    required = AlphaKAnonymity(0.6, "ill", ("f",))
    result = run(places(ill, 2, required, max_suppression=2 / 12), "global")
    assert result.grouping.levels == (1,)
    why = explainer(result).of_attribute(0)
    tells(why.because, "level 0", "6 of", "'f' of ill in more than 0.6", "2 may be suppressed")
    tells(told(why)[-1], "ill ('f') 0.75 instead of 0.6", "place", "level 0")


def test_a_higher_level_can_be_worse() -> None:
    """At r all are ill of f and may go, but not when they are mixed with the others."""
    tree = {"p": ["pq", "*"], "q": ["pq", "*"], "r": ["r", "*"]}
    y = AttributeSpec(kind=Kind.CATEGORICAL, hierarchy={"levels": tree}, weight=0.9)
    rows = ["apf", "aqc", "bpc", "bqf", "arf", "arf", "brf", "brf"]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(("place", "y", "ill"))}
    task = make_task(columns, 2, {"place": PLACE, "y": y, "ill": ILL}, max_suppression=0.5)
    reasons = explainer(run(requiring(task, AlphaKAnonymity(0.5)), "global"))
    assert isinstance(reasons, LevelReasons)
    assert reasons.levels == (1, 0)
    assert reasons.finer(0).fails(1, 2)
    (change,) = [change for change in reasons.of_attribute(0).changes if change.attribute == "y"]
    assert change.sentence.startswith("y at level 1 instead of 0: then place could stay at level 0")


def test_a_record_that_went_though_its_class_has_k() -> None:
    ill = {"a": "ffff", "b": "fc", "c": "fc", "d": "fc"}
    task = places(ill, 2, DistinctLDiversity(2), max_suppression=0.4)
    result = run(task, "global")
    assert result.grouping.levels == (0,)
    assert np.flatnonzero(result.release.suppressed).tolist() == [0, 1, 2, 3]
    why = explainer(result).of_record(0, 0)
    tells(why.because, "4 records", "fewer than 2 distinct values of ill")
    assert told(why) == [
        "without distinct l-diversity of ill: its class could be published",
        "place at level 1 instead of 0: it would be one of 6 in a class that keeps what is "
        "required",
    ]


def test_a_small_class_that_also_misses_something() -> None:
    ill = {"a": "ff", "b": "fcf", "c": "fcf", "d": "fcc"}
    task = places(ill, 3, DistinctLDiversity(2), max_suppression=0.2)
    why = explainer(run(task, "global")).of_record(0, 0)
    assert why.because == "only 2 records have its labels at these levels, and k is 3"
    tells(why.facts[1], "fewer than 2 distinct values of ill")
    assert [change.kind for change in why.changes] == ["level"]


# --- random


def results(name: str, seeds: Sequence[int]) -> Iterator[Result]:
    for seed in seeds:
        task = with_requirements(searchable_task(seed), seed)
        try:
            result = run(task, name)
        except NotReachedError:
            continue
        if all_differ(task):
            yield result


@pytest.mark.slow
@pytest.mark.parametrize("name", ["datafly", "global"])
def test_every_named_change_works_and_nothing_smaller_does(name: str) -> None:
    kinds: Counter[str] = Counter()
    for result in results(name, range(tries(40))):
        reasons = explainer(result)
        assert isinstance(reasons, LevelReasons)
        for x in range(len(reasons.levels)):
            changes = reasons.of_attribute(x).changes
            kinds.update(change.kind for change in changes)
            check_changes(reasons, x, changes)
    assert min(kinds[k] for k in ("k", "suppression", "requirement", "level", "attribute")) > 3


def check_changes(reasons: LevelReasons, x: int, changes: Sequence[Change]) -> None:
    task = reasons.task
    levels = list(reasons.levels)
    if levels[x] == 0:
        assert changes == ()
        return
    levels[x] -= 1
    allowed = min(reasons.allowed, task.n - 1)

    def passes(changed: Task, at: Sequence[int] = levels) -> bool:
        return len(must_go(changed, tuple(at))) <= allowed

    if passes(task):
        assert [(c.kind, c.attribute) for c in changes] == [("level", task.quasi[x].name)]
        return
    by_kind: dict[str, list[Change]] = {}
    for change in changes:
        by_kind.setdefault(change.kind, []).append(change)
    ks = [k for k in range(2, task.k) if passes(with_k(task, k))]
    assert [change.value for change in by_kind.get("k", [])] == ks[-1:]
    going = len(must_go(task, tuple(levels)))
    shares = [change.value for change in by_kind.get("suppression", [])]
    assert len(shares) == (going < task.n)
    for share in shares:
        assert floor(share * task.n + 1e-9) >= going > floor((share - 1e-4) * task.n + 1e-9)
    check_bounds(task, by_kind.get("requirement", []), passes)
    raised = {c.attribute: c for c in [*by_kind.get("level", []), *by_kind.get("attribute", [])]}
    for y, attribute in enumerate(task.quasi):
        top = attribute.hierarchy.height
        enough = [
            level
            for level in range(levels[y] + 1, top + 1)
            if passes(task, [*levels[:y], level, *levels[y + 1 :]])
        ]
        if y == x or not enough:
            assert attribute.name not in raised
        else:
            assert raised[attribute.name].value == enough[0]
            assert raised[attribute.name].kind == ("attribute" if enough[0] == top else "level")


@pytest.mark.slow
def test_the_cells_of_a_random_table() -> None:
    """What is said of a record's class one level finer is true of it."""
    seen: Counter[str] = Counter()
    for result in results("global", range(tries(40))):
        reasons = explainer(result)
        task = result.task
        assert isinstance(reasons, LevelReasons)
        for x, level in enumerate(reasons.levels):
            if level == 0:
                continue
            finer = reasons.finer(x)
            gone = must_go(task, finer.levels)
            assert finer.to_suppress == len(gone)
            for members in classes(task, finer.levels):
                missing = [b.model.fault for b in task.requirements if gap(b, members)]
                for record in members:
                    if result.release.suppressed[record]:
                        continue
                    because = reasons.because(record, x)
                    if reasons.published(record, x) == reasons.original(record, x):
                        assert because == ""
                    elif len(members) >= task.k and missing:
                        seen["lack"] += 1
                        assert because.endswith(f"in this class, with {' or with '.join(missing)}")
                    elif len(members) >= task.k and not finer.passes:
                        seen["others"] += 1
                        assert "would do here but leave" in because
    assert min(seen["lack"], seen["others"]) > 10


@pytest.mark.slow
def test_changes_keep_the_finer_level_when_run() -> None:
    tried: Counter[str] = Counter()
    for result in results("global", range(tries(40))):
        reasons = explainer(result)
        task = result.task
        assert isinstance(reasons, LevelReasons)
        for x, level in enumerate(reasons.levels):
            for change in reasons.of_attribute(x).changes:
                if change.kind == "k":
                    other = with_k(task, int(change.value))
                elif change.kind == "suppression":
                    privacy = replace(task.privacy, max_suppression=change.value)
                    other = replace(task, privacy=privacy)
                elif change.kind == "requirement":
                    other = with_bound(task, number_of(task, change), change.value)
                else:
                    continue
                tried[change.kind] += 1
                gain = reasons.values[x][level - 1] - reasons.values[x][level]
                assert string_rv(run(other, "global")) >= string_rv(result) + gain - 1e-9
    assert min(tried[kind] for kind in ("k", "suppression", "requirement")) > 3


@pytest.mark.slow
def test_what_would_publish_a_suppressed_record() -> None:
    kinds: Counter[str] = Counter()
    for result in results("global", range(tries(180))):
        reasons = explainer(result)
        task = result.task
        assert isinstance(reasons, LevelReasons)
        for record in np.flatnonzero(result.release.suppressed).tolist():
            check_suppressed(reasons, task, record, kinds)
    assert min(kinds[kind] for kind in ("k", "requirement", "level", "attribute")) > 3


def check_suppressed(reasons: LevelReasons, task: Task, record: int, kinds: Counter[str]) -> None:
    def kept(changed: Task, levels: Sequence[int]) -> bool:
        return record not in must_go(changed, tuple(levels))

    why = reasons.of_record(record, 0)
    alike = next(c for c in classes(task, reasons.levels) if record in c)
    assert ("would be a class with" in why.because) == (len(alike) >= task.k)
    assert (len(why.facts) == 2) == (len(alike) < task.k and gaps(task, alike) > 0)
    kinds.update(change.kind for change in why.changes)
    loose = [change for change in why.changes if change.kind == "requirement"]
    check_bounds(task, loose, lambda changed: kept(changed, reasons.levels))
    others = {c.attribute: c.value for c in why.changes if c.kind != "requirement"}
    smaller = 1 < len(alike) < task.k and kept(with_k(task, len(alike)), reasons.levels)
    assert others.pop("", None) == (len(alike) if smaller else None)
    for x, attribute in enumerate(task.quasi):
        higher = [
            level
            for level in range(reasons.levels[x] + 1, attribute.hierarchy.height + 1)
            if kept(task, [*reasons.levels[:x], level, *reasons.levels[x + 1 :]])
        ]
        assert others.pop(attribute.name, None) == (higher[0] if higher else None)
    assert not others
