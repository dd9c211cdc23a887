"""Refining: equal to its twin, never worse, what held still holds, in any order of the input."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.algorithms.gcka import Gcka
from kanon_tui.core.algorithms.mondrian import Mondrian
from kanon_tui.core.algorithms.sd import SD
from kanon_tui.core.algorithms.udc import Udc
from kanon_tui.core.clustering import refining as refining_module
from kanon_tui.core.clustering.boxes import Measure, attributes_of, ranked_records
from kanon_tui.core.clustering.clustering import Clustering
from kanon_tui.core.clustering.magval_groups import group_by_magvals
from kanon_tui.core.clustering.refining import Goal, Refining
from kanon_tui.core.clustering.refining_arrays import RecordTypes, near_records
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.lessons.telling import lesson_of
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.pipeline.run import Run, conclude
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity
from kanon_tui.core.privacy.t_closeness import TCloseness
from kanon_tui.core.release.recode import recode
from kanon_tui.core.task.parts import with_counted_rows
from kanon_tui.core.task.task import Family, Grouping, RunContext, Task
from tests.core.algorithms.random_tables import random_task
from tests.core.algorithms.ruled_tables import ruled_task
from tests.core.algorithms.twins.refining import Refined
from tests.helpers import make_task
from tests.tries import tries

CLUSTERINGS = [name for name, each in ALGORITHMS.items() if each.family is Family.CLUSTERING]
SEEDS = st.integers(0, 10_000)


def start_of(task: Task, algorithm: Clustering) -> Grouping:
    grouping = Run(task, replace(algorithm, refine=False)).finish()
    assert grouping is not None
    return grouping


def refined(
    task: Task, start: Grouping, algorithm: Clustering, decisions: int = 10_000
) -> Refining:
    refining = Refining(task, RunContext(decisions), start, algorithm)
    for _ in refining.run(algorithm.refine_rounds):
        pass
    return refining


def members(labels: np.ndarray) -> list[list[int]]:
    classes = [np.flatnonzero(labels == c).tolist() for c in np.unique(labels[labels >= 0])]
    return sorted(classes)


def twin(task: Task, start: Grouping, distinct: int = 1) -> list[list[int]]:
    """The twin's classes, from the same start and with the same near records."""
    types = RecordTypes.from_grouping(task, start)
    rows = ranked_records(task, types.first)[np.diff(types.row, prepend=-1) > 0]
    attributes = attributes_of(task, Measure.NCP)
    near = near_records(attributes, rows, types.row[types.type_of], task.seed)
    records = types.records.tolist()
    known = {
        record: [records[other] if other >= 0 else -1 for other in near[place]]
        for place, record in enumerate(records)
    }
    classes = [
        [records[place] for place in np.flatnonzero(types.class_of == c)]
        for c in range(int(types.class_of.max()) + 1)
    ]
    label = task.sensitive[0].codes if task.sensitive else np.zeros(task.n)
    found = Refined(
        task,
        classes,
        known,
        lambda one: len({*label[one].tolist()}) >= distinct,
        bool(task.requirements),
    )
    return sorted(sorted(one) for one in found.run())


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [Mondrian(), SD()])
def test_equals_its_twin_on_random_tables(algorithm: Clustering) -> None:
    changed = 0
    for seed in range(tries(20)):
        task = random_task(seed)
        start = start_of(task, algorithm)
        if task.n < 2 * task.k:
            continue
        found = refined(task, start, algorithm)
        changed += len(found.history.changes)
        assert members(found.history.grouping().labels) == twin(task, start), seed
    assert changed > 10


@pytest.mark.slow
def test_equals_its_twin_where_more_than_k_is_required() -> None:
    refused = 0
    for seed in range(tries(10)):
        task = random_task(seed)
        asked = replace(task.privacy, requirements=(DistinctLDiversity(2.0),))
        task = replace(task, privacy=asked)
        try:
            start = start_of(task, Mondrian())
        except KanonError:
            continue
        found = refined(task, start, Mondrian())
        labels = found.history.grouping().labels
        assert members(labels) == twin(task, start, 2), seed
        refused += members(labels) != twin(task, start)
    assert refused > 0


@settings(max_examples=tries(25), deadline=None)
@given(SEEDS, st.sampled_from(CLUSTERINGS))
def test_never_worse_and_everything_still_holds(seed: int, name: str) -> None:
    task = random_task(seed, city=("Italy", "Asia")) if name == "gcka" else ruled_task(seed)
    emphasis = (0.5, 0.8, 0.0, 1.0)[seed % 4]
    task = replace(task, quasi=tuple(replace(a, rule_emphasis=emphasis) for a in task.quasi))
    algorithm = ALGORITHMS[name]()
    assert isinstance(algorithm, Clustering)
    start = start_of(task, algorithm)
    if (start.labels < 0).all():
        return
    for by, sign in (("ncp", 1.0), ("rv", -1.0)):
        run = Run(task, replace(algorithm, refine=True, refine_by=by))
        run.finish()
        after = conclude(run).measures
        before = measure(recode(task, start))
        figure = getattr(after, by)
        started = getattr(before, by)
        assert sign * figure <= sign * started + 1e-9
        assert run.grouping is not None
        labels = run.grouping.labels
        assert ((labels < 0) == (start.labels < 0)).all()
        assert min(Counter(labels[labels >= 0].tolist()).values(), default=task.k) >= task.k
        if "refine_start" in run.grouping.search:
            assert run.last is not None
            # Clusters that print the same are one class, which may break more rules.
            if after.classes == len(set(labels[labels >= 0].tolist())):
                assert run.last.counters[by] == pytest.approx(figure)
            if before.classes == len(set(start.labels[start.labels >= 0].tolist())):
                assert run.grouping.search["refine_start"] == pytest.approx(started)
        if name == "gcka":
            groups = group_by_magvals(task).number
            for one in members(labels):
                assert len(set(groups[one].tolist())) == 1


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_requirements_beyond_k_still_hold(seed: int) -> None:
    task = random_task(seed)
    asked = (DistinctLDiversity(2.0), TCloseness(0.6))
    task = replace(task, privacy=replace(task.privacy, requirements=asked))
    run = Run(task, Mondrian(refine=True))
    try:
        run.finish()
    except KanonError:
        return
    conclude(run)  # the verifier has formulas of its own, and refuses what does not hold


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.randoms(use_true_random=False), st.sampled_from(["ncp", "rv"]))
def test_the_order_of_the_input_does_not_matter(seed: int, chance: object, by: str) -> None:
    task = ruled_task(seed)
    if task.n < 2 * task.k:
        return
    algorithm = Mondrian(refine_by=by)
    start = start_of(task, algorithm)
    order = list(range(task.n))
    chance.shuffle(order)  # type: ignore[attr-defined]
    codes = {a.name: a.column.codes[order] for a in task.quasi}
    other = replace(with_counted_rows(task, codes, np.ones(task.n, dtype=np.int64)), copies=None)
    same = replace(start, labels=start.labels[order])
    found = refined(task, start, algorithm).history.grouping().labels
    found_other = refined(other, same, algorithm).history.grouping().labels
    assert contents(task, found) == contents(other, found_other)


def contents(task: Task, labels: np.ndarray) -> list[list[tuple[int, ...]]]:
    rows = [tuple(row) for row in task.codes.tolist()]
    return sorted(sorted(rows[record] for record in one) for one in members(labels))


def test_steps_do_not_change_the_answer_and_can_be_kept() -> None:
    task = random_task(7)
    algorithm = SD(refine=True)
    fast = Run(task, algorithm)
    slow = Run(task, algorithm, RunContext(1))
    whole = fast.finish()
    steps = list(slow)
    assert whole is not None
    assert slow.grouping is not None
    assert (whole.labels == slow.grouping.labels).all()
    told = [step for step in steps if step.kind in ("refine", "exchange", "divide")]
    assert len(told) > 2
    for step in told:
        assert step.sentence
        assert step.keep is not None
        kept = measure(recode(task, step.keep()))
        assert kept.ncp == pytest.approx(step.counters["ncp"])
    figures = [step.counters["ncp"] for step in told]
    assert figures == sorted(figures, reverse=True)
    assert all(a.progress <= b.progress for a, b in pairwise(told))


def test_a_cancel_keeps_what_was_reached() -> None:
    task = random_task(7)
    run = Run(task, SD(refine=True), RunContext(1))
    step = next(step for step in run if step.kind == "exchange")
    kept = run.cancel()
    assert kept is not None
    assert measure(recode(task, kept)).ncp == pytest.approx(step.counters["ncp"])


def test_rules_are_kept_where_rv_decides() -> None:
    gain = 0.0
    for seed in range(12):
        task = ruled_task(seed)
        figures = []
        for refine in (False, True):
            run = Run(task, Udc(refine=refine, refine_by="rv"))
            run.finish()
            figures.append(conclude(run).measures.rv)
        gain += figures[1] - figures[0]
    assert gain > 0.01


def test_two_pairs_that_were_put_together_wrongly_are_put_right() -> None:
    task = make_task({"age": [20, 60, 21, 61]}, k=2)
    start = Grouping(np.array([0, 0, 1, 1], dtype=np.int32))
    found = refined(task, start, Mondrian())
    assert members(found.history.grouping().labels) == [[0, 2], [1, 3]]
    *_, step = Refining(task, RunContext(1), start, Mondrian()).run(20)
    swapped = "Class 1 gives 1 record to class 2 for 1 record"
    assert lesson_of(step.event, task).sentence == f"{swapped}: NCP 0.0244 instead of 0.9756."


@pytest.mark.parametrize("by", ["ncp", "sse"])
def test_a_class_between_two_others_is_dissolved(by: str) -> None:
    task = make_task({"age": [20, 20, 21, 59, 60, 60]}, k=2)
    start = Grouping(np.array([0, 0, 1, 1, 2, 2], dtype=np.int32))
    refining = Refining(task, RunContext(1), start, Mondrian(refine_by=by))
    *_, step = refining.run(20)
    assert members(refining.history.grouping().labels) == [[0, 1, 2], [3, 4, 5]]
    assert (
        "Dissolve class 2: its 2 records join 2 near classes"
        in lesson_of(step.event, task).sentence
    )
    assert step.counters["clusters"] == 2
    assert refining.history.grouping().search["refine_dissolved"] == 1


def test_suppressed_records_stay_out_and_groups_of_magvals_apart() -> None:
    task = random_task(11, city=("Italy", "France", "Asia"))
    start = start_of(task, Gcka())
    found = refined(task, start, Gcka()).history.grouping()
    assert ((found.labels < 0) == (start.labels < 0)).all()


def test_counted_records_are_refused() -> None:
    task = random_task(3)
    codes = {a.name: a.column.codes for a in task.quasi}
    few = with_counted_rows(task, codes, np.ones(task.n, dtype=np.int64))
    with pytest.raises(InputError, match=r"refine .* --engine memory"):
        Run(few, Mondrian(refine=True)).finish()


def people(records: int) -> Task:
    rng = np.random.default_rng(11)
    columns: dict[str, list[Any]] = {"age": rng.integers(18, 90, records).tolist()}
    columns |= {f"c{i}": rng.integers(0, 5, records).astype(str).tolist() for i in range(3)}
    return make_task(columns, 2)


def test_lanes_give_the_same_classes_for_any_number_of_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = people(1600)
    found = []
    start = Run(task, Mondrian()).finish()
    assert start is not None
    for threads in (1, 3):
        monkeypatch.setattr(refining_module, "cores", lambda threads=threads: threads)
        found.append(refined(task, start, Mondrian()))
    assert len(found[0]._lanes) > 1
    labels = [each.history.grouping().labels for each in found]
    assert np.array_equal(*labels)
    assert np.bincount(labels[0]).min() >= 2
    figure = Goal.from_grouping("ncp", task, found[0].history.grouping()).figure
    assert found[0].history.figure == pytest.approx(figure)
    assert figure < found[0].history.start


def test_refining_ends_with_its_tries_and_says_so() -> None:
    task = people(400)
    few, enough = (Run(task, Mondrian(refine=True, refine_tries=n)).finish() for n in (1, 1000))
    assert few is not None
    assert enough is not None
    assert any("refine_tries" in str(note) for note in few.notes)
    assert not enough.notes
    changes = [each.search["refine_exchanges"] for each in (few, enough)]
    assert 0 < changes[0] < changes[1]
