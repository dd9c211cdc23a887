"""Samples of a table say how long all of it takes and how much it loses."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.pipeline import trial as trial_module
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Run, conclude
from kanon_tui.core.pipeline.trial import Sample, Trial, clock_of, sampled, try_out
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.task.task import Task

FOREVER = 1e9


@pytest.fixture(scope="module")
def census() -> Task:
    return prepare(Project.load(find_sample("census").project))


@pytest.fixture(scope="module")
def coded() -> Task:
    """The ages of the youngest and the oldest are one value each."""
    project = Project.load(find_sample("census").project)
    age = replace(project.attributes["age"], bottom=20, top=75)
    return prepare(replace(project, attributes={**project.attributes, "age": age}))


def of(records: int, growth: float, *samples: tuple[int, float, float]) -> Trial:
    return Trial(records, growth, tuple(Sample(*sample) for sample in samples))


@pytest.mark.parametrize("exponent", [0.9, 1.0, 1.2, 1.3])
def test_time_is_carried_on_midway_between_measured_and_expected(exponent: float) -> None:
    def seconds(records: int) -> float:
        return 3e-5 * float(records) ** exponent

    trial = of(1_000_000, 1.0, *((n, seconds(n), 0.3) for n in (500, 2000, 8000, 32_000)))
    assert trial.seconds == pytest.approx(seconds(32_000) * 31.25 ** ((exponent + 1.0) / 2))


def test_an_exponent_that_no_run_has_shown_is_not_believed() -> None:
    trial = of(1_000_000, 1.0, (500, 0.001, 0.3), (2000, 1.0, 0.3))
    assert trial.seconds == pytest.approx(500**1.25)
    assert of(1000, 1.0).seconds is None


def test_the_loss_falls_as_it_did_from_sample_to_sample() -> None:
    trial = of(80_000, 1.0, (500, 0.1, 0.4), (2000, 0.4, 0.2))
    assert trial.ncp == pytest.approx(0.2 / np.sqrt(40))
    assert of(80_000, 1.0, (500, 0.1, 0.2), (2000, 0.4, 0.3)).ncp == 0.3  # never expected to rise
    assert of(2000, 1.0, (500, 0.1, 0.4), (2000, 0.4, 0.2)).ncp == 0.2  # it was run


def test_only_the_whole_table_says_what_is_hidden() -> None:
    hidden = Sample(500, 0.1, 0.9, ("zip",))
    assert Trial(500, 1.0, (hidden,)).hidden == ("zip",)
    assert Trial(1000, 1.0, (hidden,)).hidden == ()


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_runs_on_a_sample(coded: Task, name: str) -> None:
    small = sampled(coded, 300)
    for attribute in small.quasi:
        column = attribute.column
        assert (column.counts > 0).all()  # algorithms count on it
        assert len(attribute.hierarchy.paths) == len(column.values)
        assert sorted(attribute.hierarchy.order) == list(range(len(column.values)))
    run = Run(small, ALGORITHMS[name]())
    assert run.finish() is not None
    assert 0 < conclude(run).measures.ncp <= 1  # printed, proved and measured


def test_a_sample_has_the_records_it_was_drawn_from(census: Task) -> None:
    small = sampled(census, 300)
    assert small.n == 300
    for attribute in small.quasi:
        cells = [attribute.column.values[code] for code in attribute.column.codes]
        shown = small.table.frame[attribute.name].to_list()
        assert [c for c in cells if c in set(shown)] == shown
    assert sampled(census, 300).table.frame.equals(small.table.frame)  # the same by its seed
    assert sampled(census, census.n) is census


def test_a_small_table_is_run_whole(census: Task) -> None:
    trial = try_out(census, ALGORITHMS["mondrian"](), clock=lambda: 0.0)
    assert trial.is_of_whole_table
    whole = Run(census, ALGORITHMS["mondrian"]())
    whole.finish()
    assert trial.ncp == pytest.approx(0.202, abs=0.02)


def test_samples_end_when_asked_and_when_the_time_is_up(census: Task) -> None:
    assert not try_out(census, ALGORITHMS["mondrian"](), stop=lambda: True).samples
    ticks = iter(float(tick) for tick in range(10**6))
    slow = try_out(census, ALGORITHMS["k-member"](), budget=12.0, clock=lambda: next(ticks))
    assert slow.samples
    assert not slow.is_of_whole_table


def test_other_work_on_the_machine_does_not_count_unless_helpers_are_at_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`distributed` may use helper processes; on small tables it has none."""
    own = 10.0
    wall = 100.0
    monkeypatch.setattr(time, "thread_time", lambda: own)
    monkeypatch.setattr(time, "perf_counter", lambda: wall)
    here: set[object] = set()
    monkeypatch.setattr(trial_module, "helpers", here)
    clock = clock_of(ALGORITHMS["distributed"]())
    began = clock()
    own = own + 1
    wall = wall + 5
    assert clock() - began == 1.0
    here.add("a process")
    began = clock()
    wall = wall + 3
    assert clock() - began == 3.0
    here.clear()
    began = clock()
    own = own + 2
    wall = wall + 7
    assert clock() - began == 2.0
    assert clock_of(ALGORITHMS["global"]()) is time.thread_time


def test_a_sample_that_was_stopped_tells_how_steeply_time_grows() -> None:
    trial = of(100_000, 1.2, (2000, 0.03, 0.3), (8000, 0.12, 0.3))
    assert trial.seconds == pytest.approx(0.12 * 12.5**1.1)
    stopped = replace(trial, stopped=(32_000, 0.12 * 4**1.6))
    assert stopped.seconds == pytest.approx(0.12 * 12.5**1.6)


def test_what_follows_the_algorithm_counts() -> None:
    """On a line through two samples: it has costs that every table has."""
    samples = [Sample(500, 0.0, 0.3, after=0.02), Sample(2000, 0.0, 0.3, after=0.05)]
    trial = Trial(20_000, 1.0, tuple(samples))
    assert trial.seconds == pytest.approx(0.05 + 18_000 * 0.03 / 1500)


def test_a_table_in_blocks_takes_as_long_as_its_blocks(census: Task) -> None:
    """Not as long as a million records that are clustered as a whole."""
    whole = of(1_000_000, 1.2, (2000, 0.04, 0.3), (8000, 0.04 * 4**1.2, 0.3))
    blocks = replace(whole, block=20_000, workers=2)
    once = 0.04 * 10**1.2
    sample = once * 4**1.2
    assert blocks.seconds == pytest.approx((54 * once + sample) / 2)
    assert blocks.seconds < whole.seconds / 2
    ticks = iter(float(tick) for tick in range(10**6))
    algorithm = ALGORITHMS["k-member"](blocks=400)
    assert try_out(census, algorithm, 12.0, clock=lambda: next(ticks)).block == 400


def test_refining_takes_as_long_as_there_are_rows_that_differ(census: Task) -> None:
    """A table with every record four times has hardly more to exchange."""
    refined = ALGORITHMS["mondrian"](refine=True)
    small = sampled(census, 500)
    again = np.repeat(np.arange(500), 4)
    four_times = replace(
        small,
        table=replace(small.table, frame=small.table.frame[again]),
        quasi=tuple(
            replace(a, column=a.column.with_values(np.arange(len(a.column.values)), codes))
            for a in small.quasi
            for codes in [a.column.codes.repeat(4)]
        ),
        sensitive=(),
    )
    ticks = iter(float(tick) for tick in range(10**6))
    tried = try_out(four_times, refined, budget=FOREVER, clock=lambda: next(ticks))
    assert tried.rows is not None
    assert tried.rows <= 500 < four_times.n
    sample = Sample(500, 1.0, 0.3, rows=400)
    assert Trial(100_000, 0.85, (sample,), rows=400).seconds == pytest.approx(1.0)
    assert Trial(100_000, 0.85, (sample,), rows=40_000).seconds == pytest.approx(100**0.85)
    assert try_out(small, ALGORITHMS["mondrian"](), clock=lambda: 0.0).rows is None


def test_refining_is_tried_too(census: Task) -> None:
    """What is asked for is what runs on the samples."""
    small = sampled(census, 400)
    refined = ALGORITHMS["mondrian"](refine=True)
    one, other = (
        try_out(small, each, clock=lambda: 0.0) for each in (ALGORITHMS["mondrian"](), refined)
    )
    assert one.ncp is not None
    assert other.ncp is not None
    assert other.ncp < one.ncp


def test_repairs_beyond_k_are_expected_to_take_longer(census) -> None:
    from kanon_tui.core.pipeline.trial import growth_of
    from kanon_tui.core.privacy.l_diversity import DistinctLDiversity

    required = (DistinctLDiversity(2, census.sensitive[0].name),)
    beyond = replace(census, privacy=replace(census.privacy, requirements=required))
    udc = ALGORITHMS["udc"]()
    search = ALGORITHMS["global"]()
    assert growth_of(udc, beyond) > growth_of(udc, census) + 0.5
    assert growth_of(search, beyond) == growth_of(search, census)
