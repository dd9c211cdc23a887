"""Greedy k-member clustering: its twin on random tables, worked distances, ties, class labels."""

from __future__ import annotations

import random

import numpy as np
import pytest

from kanon_tui.core.algorithms.k_member import KMember
from kanon_tui.core.algorithms.twins.k_member import grown_clusters
from kanon_tui.core.errors import InputError
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.project.project import AttributeSpec, Project
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.task import FULL_SPEED, Grouping, RunContext, Task
from tests.core.algorithms.random_tables import random_task
from tests.helpers import make_task, says
from tests.paths import SAMPLES
from tests.tries import tries

CENSUS = SAMPLES / "census"
COUNTRIES = {  # Byun fig. 3
    "USA": ["North", "America"],
    "Canada": ["North", "America"],
    "Peru": ["South", "America"],
    "Brazil": ["South", "America"],
    "Iran": ["West", "Asia"],
    "Egypt": ["West", "Asia"],
    "India": ["East", "Asia"],
    "Japan": ["East", "Asia"],
}


def grouping(task: Task, algorithm: KMember | None = None, decisions: int = FULL_SPEED) -> Grouping:
    found = Run(task, algorithm or KMember(), RunContext(decisions)).finish()
    assert found is not None
    return found


def clusters(labels: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(labels == c).tolist() for c in range(labels.max() + 1)]


def twin(task: Task, *penalty: object) -> list[list[int]]:
    found = grown_clusters(task, range(task.n), np.random.default_rng(task.seed), *penalty)  # type: ignore[arg-type]
    return [sorted(c) for c in found]


@pytest.mark.slow
def test_left_overs_in_random_order_equal_their_twin() -> None:
    """As the paper draws them: shuffled by the generator that drew the first record."""
    for seed in range(60):
        task = random_task(seed)
        found = grouping(task, KMember(left_over="random"))
        rng = np.random.default_rng(task.seed)
        expected = grown_clusters(task, range(task.n), rng, shuffle=True)
        assert clusters(found.labels) == [sorted(c) for c in expected], seed


def furthest(values: list[str], levels: dict[str, list[str]] | None) -> float:
    hierarchy = {"levels": levels} if levels else None
    task = make_task({"v": values}, specs={"v": AttributeSpec(hierarchy=hierarchy)})
    return float(next(Run(task, KMember(), RunContext(1))).event.score)


def test_byun_example_1_distances_of_countries_and_occupations() -> None:
    assert furthest(["India", "USA"], COUNTRIES) == pytest.approx(3 / 3)
    assert furthest(["India", "Iran"], COUNTRIES) == pytest.approx(2 / 3)
    assert furthest(["India", "Japan"], COUNTRIES) == pytest.approx(1 / 3)
    assert furthest(["Cook", "Guard"], None) == 1.0


@pytest.mark.slow
def test_equals_its_twin_on_random_tables() -> None:
    for seed in range(tries(60)):
        task = random_task(seed, most=32)
        assert clusters(grouping(task).labels) == twin(task), seed


@pytest.mark.slow
def test_equals_its_twin_with_a_class_penalty() -> None:
    for seed in range(tries(40)):
        task = random_task(seed, most=25)
        penalty = (0.05, 0.4, 3.0)[seed % 3]
        found = grouping(task, KMember(class_attribute="label", class_penalty=penalty))
        labels = task.sensitive[0].codes.tolist()
        assert clusters(found.labels) == twin(task, labels, penalty), seed


@pytest.mark.slow
def test_scores_that_differ_by_less_than_a_tie_but_not_nothing() -> None:
    """Steps of 3.7e-10: two of them tie, three do not, and ties do not carry over."""
    for seed in range(tries(40)):
        rng = random.Random(seed)
        n = rng.randrange(5, 45)
        columns = {x: [*(rng.randrange(12) for _ in range(n)), 2_700_000_000] for x in "ab"}
        task = make_task(columns, k=rng.choice([2, 3, 4]), seed=seed)
        assert clusters(grouping(task).labels) == twin(task), seed


@pytest.mark.slow
def test_deep_trees_give_the_same_clusters() -> None:
    """Enough distinct rows for several levels of boxes, more labels than bits in a set."""
    rng = random.Random(7)
    columns = {
        "n": [rng.randrange(90) for _ in range(240)],
        "m": [rng.choice([rng.randrange(9), "?"]) for _ in range(240)],
        "c": [f"v{rng.randrange(130)}" for _ in range(240)],
        "d": [rng.choice(list(COUNTRIES)) for _ in range(240)],
    }
    specs = {
        "m": AttributeSpec(kind=Kind.NUMERIC),
        "d": AttributeSpec(hierarchy={"levels": COUNTRIES}),
    }
    task = make_task(columns, k=7, specs=specs)
    assert clusters(grouping(task).labels) == twin(task)


def test_clusters_have_k_to_2k_minus_1_records_and_any_pace_gives_the_same() -> None:
    for seed in range(60):
        task = random_task(seed, most=70)
        whole = grouping(task)
        sizes = np.bincount(whole.labels)
        assert task.k <= sizes.min() <= sizes.max() <= 2 * task.k - 1
        assert recode(task, whole).class_sizes.min() >= task.k
        stepped = grouping(task, decisions=1 + seed % 4)
        assert np.array_equal(stepped.labels, whole.labels)


def test_running_information_loss_is_that_of_the_release() -> None:
    for seed in range(40):
        task = random_task(seed)
        run = Run(task, KMember())
        release = recode(task, run.finish())
        assert run.last is not None
        assert run.last.counters["il"] == pytest.approx(measure(release).il, abs=1e-9), seed


def test_equal_records_go_first_row_first() -> None:
    task = make_task({"v": ["a", "b", "a", "b", "a", "b"]}, k=3)
    assert sorted(clusters(grouping(task).labels)) == [[0, 2, 4], [1, 3, 5]]
    everyone = make_task({"v": ["a"] * 7}, k=3)
    assert clusters(grouping(everyone).labels) == [[0, 1, 2, 6], [3, 4, 5]]


def test_seed_chooses_the_start_and_repeats() -> None:
    columns = {"v": list(range(40)), "w": [i * 7 % 40 for i in range(40)]}
    found = [grouping(make_task(columns, k=3, seed=seed)).labels for seed in (1, 1, 2)]
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


def test_class_penalty_lowers_cm_on_the_census_sample() -> None:
    task = prepare(Project.load(CENSUS / "project.yaml"))

    def cm(penalty: float) -> float:
        found = grouping(task, KMember(class_attribute="income_class", class_penalty=penalty))
        share = measure(recode(task, found), "income_class").cm
        assert share is not None
        return share

    shares = [cm(0.0), cm(1.0), cm(10.0)]
    assert shares == sorted(shares, reverse=True)
    assert shares[2] < shares[0] / 4


def test_fewer_records_than_k_are_refused() -> None:
    with pytest.raises(InputError, match="k is 4 but the table has only 3"):
        make_task({"age": [1, 2, 3]}, k=4)


def test_class_attribute_must_be_a_column() -> None:
    task = make_task({"age": [1, 2, 3], "income": ["a", "b", "a"]})
    with pytest.raises(InputError, match=r"'incom', which is not a column.*'income'"):
        grouping(task, KMember(class_attribute="incom", class_penalty=1.0))
    with pytest.raises(InputError, match="class_attribute is not set"):
        grouping(task, KMember(class_penalty=1.0))
    assert grouping(task, KMember(class_attribute="income")).notes


def test_sentences_name_what_was_decided() -> None:
    task = make_task({"age": [20, 30, 21, 40, 22]}, seed=3)
    assert np.random.default_rng(3).integers(5) == 4, "record 5 is drawn"
    steps = list(Run(task, KMember(), RunContext(1)))
    says(
        steps[0],
        "Record 4 starts cluster 1",
        "record 5, which was drawn",
        "0.9",
        "record 2 with 0.4",
    )
    says(steps[1], "Record 2 joins cluster 1", "2 of 2", "loss, 1,", "record 5 with 1.8", "closed")
    says(steps[-1], "Record 5 is left over", "joins cluster 2", "by 0.2", "cluster 1 with 1.7")
    assert [step.kind for step in steps] == ["start", "close", "start", "close", "join"]
    assert [step.counters["under_k"] for step in steps] == [1, 0, 1, 0, 0]
    assert steps[-1].progress == 1.0
