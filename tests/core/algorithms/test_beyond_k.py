"""l, t, p and α as requirements: searches against exhaustive search, merging on and its twin."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.algorithms.distributed import DistributedSearch
from kanon_tui.core.algorithms.gcka import Gcka
from kanon_tui.core.algorithms.incognito import Incognito
from kanon_tui.core.algorithms.k_member import KMember
from kanon_tui.core.algorithms.twins.full_domain import best, minimal
from kanon_tui.core.clustering.magval_groups import group_by_magvals
from kanon_tui.core.clustering.requirement_repair import _nearest
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.pipeline.run import Run, conclude
from kanon_tui.core.privacy.alpha_k import AlphaKAnonymity
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity, EntropyLDiversity, PSensitivity
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.t_closeness import TCloseness
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.table.column import GroupValues, Role
from kanon_tui.core.task.task import FULL_SPEED, Algorithm, Family, Grouping, RunContext, Task
from tests.core.algorithms.random_tables import random_task
from tests.core.algorithms.searchable_tables import searchable_task
from tests.core.algorithms.twins.beyond_k import (
    gap,
    gaps,
    merged_on,
    must_go,
    passing_beyond_k,
    with_requirements,
)
from tests.helpers import make_task
from tests.tries import tries

EXACT = ("global", "hybrid", "distributed")
CLUSTERING = [name for name, a in ALGORITHMS.items() if a.family is Family.CLUSTERING]
SENSITIVE = AttributeSpec(role=Role.SENSITIVE)


def solve(task: Task, algorithm: Algorithm, decisions: int = FULL_SPEED) -> Grouping:
    grouping = Run(task, algorithm, RunContext(decisions)).finish()
    assert grouping is not None
    return grouping


def requiring(task: Task, *requirements: PrivacyModel) -> Task:
    return replace(task, privacy=replace(task.privacy, requirements=requirements))


# --- full-domain


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(tries(24)))
def test_exact_searches_find_the_optimum_of_exhaustive_search(seed: int) -> None:
    task = with_requirements(searchable_task(seed), seed)
    strings = passing_beyond_k(task)
    for name in EXACT:
        if not strings:
            with pytest.raises(NotReachedError):
                solve(task, ALGORITHMS[name]())
            continue
        grouping = solve(task, ALGORITHMS[name]())
        assert grouping.levels == best(task, strings), name
        assert set(np.flatnonzero(grouping.labels < 0).tolist()) == must_go(task, grouping.levels)
        search = grouping.search
        assert search["strings"] == search["pruned"] + search["tested"], name
        for met in search["passing"]:
            assert tuple(met["levels"].values()) in strings, name
        conclude_verifies(task, ALGORITHMS[name]())


@pytest.mark.parametrize("seed", range(120, 150))
def test_distributed_parts_give_the_same_answer(seed: int) -> None:
    task = with_requirements(searchable_task(seed), seed)
    strings = passing_beyond_k(task)
    if strings:
        assert solve(task, DistributedSearch(part=2, workers=1)).levels == best(task, strings)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(150, 150 + tries(30)))
def test_incognito_finds_exactly_the_minimal_strings(seed: int) -> None:
    task = with_requirements(searchable_task(seed), seed)
    strings = passing_beyond_k(task)
    if not strings:
        with pytest.raises(NotReachedError):
            solve(task, Incognito())
        return
    grouping = solve(task, Incognito())
    met = {tuple(one["levels"].values()) for one in grouping.search["passing"]}
    assert met == lowest(strings)
    assert grouping.search["strings"] == grouping.search["pruned"] + grouping.search["tested"]


def lowest(strings: list[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """With no passing string anywhere below: passing strings need not be connected."""
    return {
        s
        for s in minimal(strings)
        if not any(t != s and all(a <= b for a, b in zip(t, s, strict=True)) for t in strings)
    }


@pytest.mark.parametrize("name", ["local", "datafly"])
@pytest.mark.parametrize("seed", range(230, 270))
def test_quick_searches_end_with_a_passing_string_or_say_why(name: str, seed: int) -> None:
    task = with_requirements(searchable_task(seed), seed)
    parameters = {"accept_root": True} if name == "local" else {}
    try:
        grouping = solve(task, ALGORITHMS[name](**parameters))
    except NotReachedError:
        assert gaps(task, range(task.n)) > 0
        return
    assert grouping.levels is not None
    gone = must_go(task, grouping.levels)
    suppressed = set(np.flatnonzero(grouping.labels < 0).tolist())
    if name == "datafly" and 0 < len(gone) < task.k:  # others joined them
        assert len(suppressed) >= task.k
        assert gone < suppressed
        return
    assert suppressed == gone
    limit = task.allowed_suppressed if task.privacy.max_suppression > 0 else task.k
    assert len(gone) <= (limit if name == "datafly" else task.allowed_suppressed)


def test_steps_say_what_a_string_misses() -> None:
    """Both ages have two records, but in each both are ill of the same."""
    columns = {"age": [30, 30, 40, 40], "ill": ["flu", "flu", "cold", "cold"]}
    task = requiring(make_task(columns, 2, {"ill": SENSITIVE}), DistinctLDiversity(2, "ill"))
    run = Run(task, ALGORITHMS["global"](), RunContext(1))
    sentences = [step.sentence for step in run]
    assert any(
        "fails: 4 records are in classes with fewer than 2 distinct values of ill" in sentence
        for sentence in sentences
    )
    assert run.grouping is not None
    assert len(set(run.grouping.labels.tolist())) == 1


# --- clustering


def conclude_verifies(task: Task, algorithm: Algorithm) -> None:
    """The verifier, which shares no code with the algorithms, accepts the release."""
    conclude(Run(task, algorithm))


def reachable(seed: int, **marks: tuple[str, ...]) -> Task | None:
    task = with_requirements(random_task(seed, most=24, **marks), seed)
    return task if gaps(task, range(task.n)) == 0 else None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(tries(12)))
def test_merging_on_equals_its_twin(seed: int) -> None:
    task = reachable(seed)
    if task is None:
        return
    before = solve(requiring(task), KMember())
    clusters = [np.flatnonzero(before.labels == c).tolist() for c in range(before.labels.max() + 1)]
    found = solve(task, KMember())
    expected, gone = merged_on(task, clusters)
    assert not gone
    assert groups(found) == sorted(expected)
    assert found.search["merged_on"] == len(clusters) - len(expected)


def groups(grouping: Grouping) -> list[list[int]]:
    numbers = set(grouping.labels[grouping.labels >= 0].tolist())
    return sorted(np.flatnonzero(grouping.labels == c).tolist() for c in numbers)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60, 60 + tries(24)))
def test_gcka_merges_within_magvals_and_suppresses_what_cannot_hold(seed: int) -> None:
    task = with_requirements(
        random_task(seed, most=24, city=("Italy", "Asia", "Osaka"), town=("Europe",)), seed
    )
    before = solve(requiring(task), Gcka())
    clusters = [np.flatnonzero(before.labels == c).tolist() for c in range(before.labels.max() + 1)]
    block = group_by_magvals(task).number.tolist()
    expected, gone = merged_on(task, clusters, block)
    if any(each.model.monotone and not each.whole_table_holds for each in task.requirements):
        assert not expected
        with pytest.raises(NotReachedError):
            solve(task, Gcka())
        return
    found = solve(task, Gcka())
    assert groups(found) == sorted(expected)
    suppressed = set(np.flatnonzero(found.labels < 0).tolist())
    assert suppressed == gone | set(np.flatnonzero(before.labels < 0).tolist())
    for cluster in groups(found):
        assert len({block[i] for i in cluster}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", CLUSTERING)
@pytest.mark.parametrize("seed", range(200, 200 + tries(5)))
def test_every_clustering_keeps_what_is_required(name: str, seed: int) -> None:
    task = reachable(seed)
    if task is None:
        return
    whole = solve(task, ALGORITHMS[name]())
    for cluster in groups(whole):
        assert len(cluster) >= task.k
        assert gaps(task, cluster) == 0
    stepped = solve(task, ALGORITHMS[name](), decisions=1)
    assert stepped.labels.tolist() == whole.labels.tolist()
    conclude_verifies(task, ALGORITHMS[name]())


def test_merging_on_tells_each_merge() -> None:
    columns = {"age": [30, 30, 40, 41, 90, 90], "ill": ["flu", "flu", "cold", "flu", "hip", "flu"]}
    task = requiring(make_task(columns, 2, {"ill": SENSITIVE}), PSensitivity(2))
    run = Run(task, ALGORITHMS["bottom-up"](), RunContext(1))
    told = [step.sentence for step in run if "distinct" in step.sentence]
    assert told == [
        "Class 1 (2 records) shows fewer than 2 distinct values of ill (1): merge it with class 2 "
        "(2 records), the nearest that helps (2 together)."
    ]
    assert run.grouping is not None
    assert run.grouping.labels.tolist() == [1, 1, 1, 1, 2, 2]


# --- what cannot be


def ill_task(*requirements: PrivacyModel, max_suppression: float = 0.0) -> Task:
    columns = {"age": [30, 31, 40, 41], "ill": ["flu", "flu", "flu", "cold"]}
    task = make_task(columns, 2, {"ill": SENSITIVE}, max_suppression=max_suppression)
    return requiring(task, *requirements)


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize(
    ("requirement", "why"),
    [
        (
            DistinctLDiversity(3),
            "ill: distinct l-diversity of 3 is required, but the whole table has only 2; "
            "require 2 or less",
        ),
        (
            PSensitivity(4, "ill"),
            "ill: p-sensitivity of 4 is required, but the whole table has only 2; require 2 or "
            "less",
        ),
        (
            EntropyLDiversity(1.9),
            "entropy l-diversity of 1.9 is required, but the whole",
        ),
        (AlphaKAnonymity(0.5), "the whole table has 0.75; allow 0.75 or more"),
    ],
)
def test_what_the_whole_table_lacks_is_refused(
    name: str, requirement: PrivacyModel, why: str
) -> None:
    run = Run(ill_task(requirement), ALGORITHMS[name]())
    if name in ("datafly", "gcka") and not requirement.monotone:
        result = conclude(run)  # these may suppress, and {flu, cold} is diverse enough
        assert result.release.suppressed.tolist() == [True, True, False, False]
        return
    with pytest.raises(NotReachedError) as error:
        conclude(run)
    assert why in str(error.value)


def test_suppression_may_reach_what_the_whole_table_lacks() -> None:
    """Without the two flu records of 30 the rest is half flu, half cold."""
    columns = {"age": [30, 30, 40, 40], "ill": ["flu", "flu", "flu", "cold"]}
    task = make_task(columns, 2, {"ill": SENSITIVE}, max_suppression=0.5)
    task = requiring(task, AlphaKAnonymity(0.5))
    for name in EXACT:
        result = conclude(Run(task, ALGORITHMS[name]()))
        assert result.release.suppressed.tolist() == [True, True, False, False], name


def test_a_requirement_needs_a_sensitive_attribute() -> None:
    columns = {"age": [30, 30, 40, 40], "ill": ["flu", "flu", "flu", "cold"]}
    with pytest.raises(InputError, match="no attribute has the role sensitive"):
        _ = requiring(make_task(columns, 2), TCloseness(0.2)).requirements
    task = make_task(columns, 2, {"ill": SENSITIVE})
    with pytest.raises(InputError, match="'age', which is no sensitive attribute"):
        _ = requiring(task, TCloseness(0.2, "age")).requirements
    with pytest.raises(InputError, match=r"ill has no such value$"):
        _ = requiring(task, AlphaKAnonymity(0.2, "ill", ("flue",))).requirements


# --- what searches prune by


def paid_task(seed: int) -> Task:
    """Its sensitive attribute is a number, so that distances are ordered."""
    rng = np.random.default_rng(seed)
    columns = {"x": rng.integers(0, 4, 14).tolist(), "pay": rng.integers(1, 6, 14).tolist()}
    task = make_task(columns, 2, {"pay": SENSITIVE}, max_suppression=0.3)
    return requiring(task, TCloseness(float(rng.choice([0.02, 0.1, 0.2]))))


@pytest.mark.parametrize("seed", range(30))
def test_ordered_distances_are_searched_exactly_too(seed: int) -> None:
    task = paid_task(seed)
    strings = passing_beyond_k(task)
    assert strings
    grouping = solve(task, ALGORITHMS["global"]())
    assert grouping.levels == best(task, strings)
    conclude_verifies(task, ALGORITHMS["global"]())
    conclude_verifies(task, KMember())


@pytest.mark.parametrize("seed", range(300, 360))
def test_no_fewer_records_than_said_are_enough(seed: int) -> None:
    """Every way to take fewer records out of a class, by how many of each value, misses it."""
    task = with_requirements(random_task(seed, most=16), seed)
    if seed % 3 == 0:
        task = paid_task(seed)
    inside = np.random.default_rng(seed).random(task.n) < 0.6
    inside[0] = True
    for bound in task.requirements:
        codes = bound.column.codes
        held = GroupValues.from_records(np.where(inside, 0, -1), codes, 1)
        least = int(bound.least_removed(held)[0])
        records = [np.flatnonzero(inside & (codes == code)) for code in np.unique(codes)]
        for left in product(*(range(len(own) + 1) for own in records)):
            if sum(left) > 0 and inside.sum() - sum(left) < least:
                pairs = zip(records, left, strict=True)
                chosen = [i for own, count in pairs for i in own[:count].tolist()]
                assert gap(bound, chosen) > 0, (bound.model, least, left)


def test_the_nearest_are_those_of_a_stable_sort() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        costs = rng.integers(0, 9, rng.integers(1, 60)).astype(float)
        count = int(rng.integers(1, 70))
        assert _nearest(costs, count).tolist() == np.argsort(costs, kind="stable")[:count].tolist()
