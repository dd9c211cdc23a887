from __future__ import annotations

import numpy as np
import pytest

from kanon_tui.core.algorithms.bottom_up import BottomUp
from kanon_tui.core.algorithms.top_down import TopDown
from kanon_tui.core.algorithms.twins import merging as twins
from kanon_tui.core.clustering.boxes import Measure, attributes_of
from kanon_tui.core.clustering.features import collapse
from kanon_tui.core.clustering.splitting import Splitting
from kanon_tui.core.metrics.cells import cells_of
from kanon_tui.core.metrics.losses import attribute_ncp
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.task import Grouping, RunContext, Step, Task
from tests.core.algorithms.merging_checks import (
    check_shape,
    clusters_of,
    grouping_of,
    released,
    sorted_clusters,
    steps_of,
)
from tests.core.algorithms.ruled_tables import ruled_task
from tests.helpers import make_task
from tests.tries import tries


@pytest.mark.slow
@pytest.mark.parametrize("growth", ["records", "class"])
def test_equals_its_twin_on_random_tables(growth: str) -> None:
    for seed in range(150):
        task = ruled_task(seed)
        rounds = 1 + seed % 4
        expected = sorted_clusters(twins.top_down(task, rounds, growth))
        algorithm = TopDown(growth=growth, rounds=rounds)
        assert clusters_of(grouping_of(task, algorithm)) == expected, seed


@pytest.mark.slow
def test_equals_its_twin_on_larger_tables() -> None:
    for seed in range(12):
        task = ruled_task(3000 + seed, most=120)
        expected = sorted_clusters(twins.top_down(task))
        assert clusters_of(grouping_of(task, TopDown())) == expected, seed


def _use_trees(monkeypatch: pytest.MonkeyPatch, large: int) -> None:
    """From how many rows on a group gets its trees."""
    monkeypatch.setattr("kanon_tui.core.clustering.splitting._LARGE", large)


def test_trees_of_the_smallest_groups_equal_the_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    _use_trees(monkeypatch, 2)
    for seed in range(60):
        task = ruled_task(seed, most=30)
        expected = sorted_clusters(twins.top_down(task, growth="class"))
        assert clusters_of(grouping_of(task, TopDown(growth="class"))) == expected, seed


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [TopDown(growth="class"), BottomUp()])
def test_trees_do_not_change_the_clusters_of_larger_tables(
    monkeypatch: pytest.MonkeyPatch, algorithm: TopDown | BottomUp
) -> None:
    for seed in range(40, 40 + tries(15)):
        task = ruled_task(seed, most=1200)
        _use_trees(monkeypatch, 2**62)
        expected = grouping_of(task, algorithm).labels.tolist()
        for large, paces in ((2, ()), (40, (1, 5, 1, 100)), (128, (7,))):
            _use_trees(monkeypatch, large)
            assert grouping_of(task, algorithm, *paces).labels.tolist() == expected, seed


def _shape(name: str, n: int, k: int, seed: int) -> Task:
    """Tables whose splits were slow: nothing repeats, wide domains, few rows many times."""
    rng = np.random.default_rng(seed)
    numbers = [rng.permutation(n) for _ in range(3)]
    if name == "distinct":
        return make_task({f"x{i}": own.tolist() for i, own in enumerate(numbers)}, k=k, seed=seed)
    if name == "wide":
        incomes = np.rint(np.exp(rng.normal(10, 1, n))).astype(int).tolist()
        places = [f"p{place}" for place in rng.integers(0, 90, n)]  # more than fit one word
        return make_task({"income": incomes, "place": places}, k=k, seed=seed)
    if name == "holes":  # more numbers than are summed together, and many missing
        columns = {
            f"x{i}": np.where(rng.random(n) < 0.2 * (i % 3), "?", rng.integers(0, 50, n)).tolist()
            for i in range(7)
        }
        columns["sex"] = rng.choice(["F", "M"], n).tolist()
        specs = {name: AttributeSpec(kind=Kind.NUMERIC) for name in columns if name != "sex"}
        return make_task(columns, k=k, specs=specs, seed=seed)
    if name == "tails":  # a few labels for many rows, many for one each, and missing amounts
        amounts = np.rint(np.exp(rng.normal(8, 1.5, n))).astype(int).astype(str)
        amounts[rng.random(n) < 0.1] = "?"
        columns = {
            "amount": amounts.tolist(),
            "days": rng.integers(0, 2000, n).tolist(),
            "code": [f"c{code}" for code in np.minimum(rng.zipf(1.3, n), 5000)],
            "sex": rng.choice(["F", "M", "?"], n).tolist(),
        }
        specs = {name: AttributeSpec(kind=Kind.NUMERIC) for name in ("amount", "days")}
        return make_task(columns, k=k, specs=specs, seed=seed)
    if name == "labels":  # hardly more than labels: rare, sorted, and all different
        columns = {
            "rare": [f"r{code}" for code in rng.integers(0, 300, n) * (rng.random(n) < 0.5)],
            "sorted": [f"s{i // 7}" for i in range(n)],
            "own": [f"o{i}" for i in np.where(rng.random(n) < 0.9, 0, numbers[0])],
            "x": rng.integers(0, 4, n).tolist(),
        }
        return make_task(columns, k=k, seed=seed)
    if name == "cents":  # a cent is less than a tie
        amounts = np.rint(np.exp(rng.normal(10, 1.5, (2, n))) * 100) / 100
        columns = {"salary": amounts[0].tolist(), "rent": amounts[1].tolist()}
        columns["salary"][0] = 2e7
        return make_task(columns, k=k, seed=seed)
    if name == "close":  # steps far below a tie, of a tie, and above it; rare labels, missing ones
        heaps = rng.integers(0, 4, n) * 1e10 + rng.integers(0, 40, n)
        ties = rng.integers(0, 3, n) * 2e9 + rng.integers(0, 30, n)
        amounts = (np.append(np.rint(rng.random(n - 1) * 1e6), 1e11) / 100).astype(str)
        amounts[rng.random(n) < 0.1] = "?"
        columns = {
            "heap": heaps.tolist(),
            "tie": ties.tolist(),
            "amount": amounts.tolist(),
            "code": [f"c{code}" for code in np.minimum(rng.zipf(1.3, n), 5000)],
        }
        columns = dict(list(columns.items())[-1 - seed % 4 :]) if n > 100 else columns
        specs = {name: AttributeSpec(kind=Kind.NUMERIC) for name in columns if name != "code"}
        return make_task(columns, k=k, specs=specs, seed=seed)
    small = {f"x{i}": rng.integers(0, 3, n).tolist() for i in range(3)}
    return make_task(small, k=k, seed=seed)


SHAPES = ("distinct", "wide", "heavy", "holes", "tails", "labels", "close")


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_trees_equal_the_twin_on_shapes_that_were_slow(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    _use_trees(monkeypatch, 2)
    for seed in range(tries(3)):
        task = _shape(name, 70, 2 + seed % 3, seed)
        expected = sorted_clusters(twins.top_down(task, growth="class"))
        assert clusters_of(grouping_of(task, TopDown(growth="class"))) == expected, seed


@pytest.mark.parametrize("name", ["wide", "tails", "labels"])
def test_many_rare_labels_go_where_they_go_without_trees(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A side takes what is new to both by whole branches, which small tables do not have."""
    for seed in range(tries(4)):
        task = _shape(name, 1200, (2, 5, 10, 25)[seed % 4], seed)
        _use_trees(monkeypatch, 2**62)
        expected = grouping_of(task, TopDown()).labels.tolist()
        for large in (2, 128):
            _use_trees(monkeypatch, large)
            assert grouping_of(task, TopDown()).labels.tolist() == expected, seed


@pytest.mark.parametrize("name", SHAPES)
def test_groups_at_any_step_are_those_without_trees(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The runs of large open groups are written when somebody asks for them."""

    def kept(step: Step) -> Grouping:
        assert step.keep is not None
        return step.keep()

    task = _shape(name, 900, 5, seed=4)
    labels = []
    for large in (2**62, 16):
        _use_trees(monkeypatch, large)
        run = Run(task, TopDown(), RunContext(7))
        labels.append([kept(step).labels.tolist() for step in run])
    assert labels[0] == labels[1]


def _splitting(task: Task) -> Splitting:
    """All records of a task as one group that is open."""
    attributes = attributes_of(task, Measure.NCP)
    distinct = collapse([attribute.column.codes for attribute in task.quasi])
    everything = np.arange(len(distinct), dtype=np.int32)
    draw = np.random.default_rng(0).random
    return Splitting(task, attributes, distinct, [everything], 3, False, draw)


def test_a_split_that_takes_a_few_rows_away_moves_no_others() -> None:
    splitting = _splitting(_shape("wide", 3000, 5, seed=1))
    seen = 0
    while splitting.depth:
        before = splitting._order.copy()
        assert splitting.advance(1) in (0, 1)
        _, begin, middle, end = splitting.event[:4].tolist()
        few = min(middle - begin, end - middle)
        if end - begin > 2000 and 0 < few < 50:
            seen += 1
            assert np.count_nonzero(splitting._order != before) <= few
    assert seen > 10


@pytest.mark.parametrize("name", ["wide", "tails", "cents"])
def test_few_rows_are_looked_at_whatever_is_rare_missing_or_close(name: str) -> None:
    splitting = _splitting(_shape(name, 3000, 5, seed=1))
    shares: list[float] = []
    while splitting.depth and len(shares) < 8:
        begin, end, _ = splitting.stack[splitting.depth - 1].tolist()
        before = splitting.looked_at
        splitting.advance(1)
        if end - begin > 1000:
            shares.append((splitting.looked_at - before) / (end - begin))
    assert len(shares) == 8
    assert 0 < np.median(shares) < 0.3


def test_steps_below_a_tie_equal_the_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [i * i % 7 for i in range(40)]
    columns = {"x": [*numbers, 10**11], "y": [i * 3 % 11 for i in range(41)]}
    task = make_task(columns, k=2)  # one step of x is 5e-12 of the whole
    _use_trees(monkeypatch, 2)
    expected = sorted_clusters(twins.top_down(task, growth="class"))
    assert clusters_of(grouping_of(task, TopDown(growth="class"))) == expected


def test_steps_around_a_tie_go_where_they_go_without_trees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rows that the first side takes because its box hardly grows, and scores a tie apart."""
    for seed in range(tries(12)):
        task = _shape("close", 1 + 100 * (seed + 1), (2, 5, 10)[seed % 3], seed)
        _use_trees(monkeypatch, 2**62)
        expected = grouping_of(task, TopDown()).labels.tolist()
        for large in (2, 128):
            _use_trees(monkeypatch, large)
            assert grouping_of(task, TopDown()).labels.tolist() == expected, seed


@pytest.mark.slow
def test_release_verifies_at_any_pace() -> None:
    for seed in range(60):
        check_shape(ruled_task(seed), TopDown())


def test_running_ncp_is_that_of_the_release() -> None:
    for seed in range(60):
        task = ruled_task(seed)
        run = Run(task, TopDown())
        grouping = run.finish()
        assert grouping is not None
        assert run.last is not None
        cells = cells_of(released(task, grouping))
        ncp = sum(own.attribute.weight * attribute_ncp(own) for own in cells)
        assert run.last.counters["ncp"] == pytest.approx(ncp, abs=1e-9)


def test_stopping_anywhere_leaves_a_release_that_verifies() -> None:
    for seed in range(30):
        task = ruled_task(seed)
        for stop in range(1, 6):
            run = Run(task, TopDown(), RunContext(1))
            for _ in range(stop):
                next(run, None)
            grouping = run.cancel()
            if grouping is not None:
                released(task, grouping)


def test_seed_chooses_where_walks_start_and_repeats() -> None:
    columns = {"x": [(i * 37) % 101 for i in range(60)], "y": [(i * 53) % 97 for i in range(60)]}
    answers = []
    for seed in (0, 0, *range(1, 8)):
        grouping = grouping_of(make_task(columns, k=3, seed=seed), TopDown(rounds=1))
        answers.append(clusters_of(grouping))
    assert answers[0] == answers[1]
    assert any(answer != answers[0] for answer in answers[2:])


def test_two_heaps_are_told_apart() -> None:
    task = make_task({"age": [20, 71, 22, 70, 21, 72]}, k=3)
    assert clusters_of(grouping_of(task, TopDown())) == [[0, 2, 4], [1, 3, 5]]
    sentences = [step.sentence for step in steps_of(task, TopDown())]
    assert sentences == [
        "Split 6 records (age 20–72) around two that are far apart: 3 records (age 20–22) and "
        "3 records (age 70–72). NCP 1 → 0.0385.",
        "Close a group of 3 records: too few for two groups of 3.",
        "Close a group of 3 records: too few for two groups of 3.",
    ]


def test_batch_of_decisions_is_summed_up() -> None:
    task = make_task({"age": [20, 71, 22, 70, 21, 72]}, k=3)
    sentences = [step.sentence for step in Run(task, TopDown())]
    assert sentences == ["1 of 3 groups split, the others closed. NCP 1 → 0.0385."]


def test_side_with_too_few_takes_the_nearest_from_the_other() -> None:
    task = make_task({"age": [1, 2, 3, 4, 5, 90]}, k=2)
    assert clusters_of(grouping_of(task, TopDown(growth="class")))[-1] == [4, 5]


def test_copies_that_cannot_be_parted_close_a_group() -> None:
    task = make_task({"age": [1] * 7 + [2]}, k=4)
    steps = steps_of(task, TopDown())
    assert [step.sentence for step in steps] == [
        "Close a group of 8 records: no split leaves 4 on either side."
    ]
    alike = make_task({"age": [1] * 8}, k=4)
    assert steps_of(alike, TopDown())[0].sentence == (
        "Close a group of 8 records: they are all alike."
    )


def test_does_not_fall_far_behind_bottom_up() -> None:
    columns = {
        "x": [(i * 37) % 101 for i in range(300)],
        "y": [(i * i * 53) % 97 for i in range(300)],
        "z": ["abcd"[i * 7 % 13 % 4] for i in range(300)],
    }
    task = make_task(columns, k=5)

    def ncp(algorithm: TopDown | BottomUp) -> float:
        cells = cells_of(released(task, grouping_of(task, algorithm)))
        return sum(own.attribute.weight * attribute_ncp(own) for own in cells)

    assert max(ncp(TopDown(growth="class")), ncp(TopDown())) < 1.5 * ncp(BottomUp())
