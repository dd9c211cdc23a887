"""A run before it starts: its size, gaps, and estimates of its time, its loss and its memory.

Time and loss come from trials on samples of the data. A few samples, each four times as large as
the one before, are run to the end for a bounded time; the whole table as soon as it fits in. What a
run on all records takes is read off the largest of them, carried on by the growth from one sample
to the next; the loss likewise. Small samples have costs of their own, so that the growth to expect
of an algorithm counts as much as what was measured. Printing, proving and measuring the release
count too. Where a table is to be clustered in blocks, it is as many blocks as there are, on all
cores. A table that is no larger than a sample is not guessed at: it was run.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np

from kanon_tui.core.errors import KanonError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.hierarchy.level_table import BoundHierarchy
from kanon_tui.core.lattice.pre_pruning import string_figures
from kanon_tui.core.numeric import Int64s, sum_in_order
from kanon_tui.core.pipeline.run import Result, Run, State, conclude
from kanon_tui.core.privacy.requirements import out_of_reach
from kanon_tui.core.processes.interruption import Stop, helpers, never
from kanon_tui.core.processes.workers import cores
from kanon_tui.core.project.project import Project
from kanon_tui.core.release.distinct_rows import number_rows
from kanon_tui.core.table.column import Column
from kanon_tui.core.task.task import Algorithm, Family, QuasiIdentifier, Task
from kanon_tui.core.text import count_of, count_text, first_few, short_list

SMALLEST = 500
STEP = 4
"""The factor from one sample size to the next."""
LEAP = 8
"""A table at most so many times larger than a sample is tried whole next."""
BUDGET = 1.5
"""Seconds that a trial may take, checked after every step."""
IMPATIENT = 8
"""The factor on the budget, in wall time, on a machine that is busy with other work."""
REFINED_GROWTH = 0.85
"""Of refining, which is most of a run that refines, with the rows that differ: where many are equal
there is little to exchange."""
REPAIRED_GROWTH = 1.7
"""Of the repair of classes that miss a requirement beyond k, which looks at all others per merge:
most of the time of a clustering where it is needed."""
BESIDE_GROWTH = 0.5
"""A measured exponent is clipped to this distance from the expected one."""
MARGIN = 0.15
"""The margin on the exponent when the next sample size is chosen."""
STEEPEST_LOSS = 0.5
"""The loss of a sample falls no faster than with the root of its size."""


@dataclass(frozen=True)
class Sample:
    """The run of one sample."""

    records: int
    seconds: float
    """Seconds inside the algorithm, without recoding and verifying the release."""
    ncp: float | None
    """The NCP of its release; None where it found none."""
    hidden: tuple[str, ...] = ()
    """Attributes that its release hides in every record."""
    rules_kept: float | None = None
    """The share of the rules' importance that it kept; None where there are none."""
    after: float = 0.0
    """Seconds for recoding, verifying and measuring its release."""
    rows: int | None = None
    """The number of distinct records, where the time depends on it."""


@dataclass(frozen=True)
class Trial:
    """Estimates for a run on a whole table, from runs on samples."""

    records: int
    """The number of records of the whole table."""
    growth: float
    """The expected exponent of the algorithm's time."""
    samples: tuple[Sample, ...] = ()
    block: int | None = None
    """Records of a block, where the table is clustered in blocks."""
    workers: int = 1
    """The number of blocks that are clustered at the same time."""
    rows: int | None = None
    """The number of distinct records, where the time depends on it."""
    stopped: tuple[int, float] | None = None
    """The size of a sample that exceeded the budget, and the seconds after which it was stopped."""

    @property
    def is_of_whole_table(self) -> bool:
        """Whether the last sample was the whole table."""
        return bool(self.samples) and self.samples[-1].records == self.records

    @property
    def seconds(self) -> float | None:
        """The estimated seconds of a run on all records; None when no sample was finished."""
        if not self.samples:
            return None
        block = self.block
        if block is None or self.samples[-1].records >= block:
            return self._search(self.records) + self._after
        from kanon_tui.core.pipeline.blocks import SAMPLE_BLOCKS  # imports the clusterings

        once = self._search(block)
        sample = self._search(SAMPLE_BLOCKS * block)
        blocks = self.records / block + SAMPLE_BLOCKS
        return max(sample, (blocks * once + sample) / self.workers) + self._after

    def _search(self, records: int) -> float:
        """Return the estimated seconds of the algorithm for a number of records."""
        last = self.samples[-1]
        times = records / last.records
        if self.rows is not None and last.rows is not None and records == self.records:
            times = self.rows / last.rows
        return float(last.seconds * times**self.exponent)

    @property
    def _after(self) -> float:
        """The estimated seconds after the algorithm, on a line through the last two samples."""
        last = self.samples[-1]
        if len(self.samples) < 2:
            return last.after * self.records / last.records
        before = self.samples[-2]
        per_record = max(last.after - before.after, 0.0) / (last.records - before.records)
        return last.after + per_record * (self.records - last.records)

    @property
    def exponent(self) -> float:
        """The exponent with which time grows: midway between measured and expected."""
        if len(self.samples) < 2:
            return self.growth
        before, last = self.samples[-2:]
        least = self.growth - BESIDE_GROWTH
        most = self.growth + BESIDE_GROWTH
        fewer = before.rows or before.records
        more = last.rows or last.records
        measured = _growth(fewer, before.seconds, more, last.seconds)
        exponent = (min(max(measured, least), most) + self.growth) / 2
        if self.stopped is not None:
            exponent = max(exponent, _growth(last.records, last.seconds, *self.stopped))
        return min(exponent, most)

    @property
    def ncp(self) -> float | None:
        """The estimated NCP on all records; None when no sample had a release."""
        losses = [(sample.records, sample.ncp) for sample in self.samples if sample.ncp is not None]
        if not losses:
            return None
        records, ncp = losses[-1]
        if records == self.records or len(losses) < 2 or not ncp or not losses[-2][1]:
            return ncp
        fall = log(losses[-2][1] / ncp) / log(records / losses[-2][0])
        return float(ncp * (self.records / records) ** -min(max(fall, 0.0), STEEPEST_LOSS))

    @property
    def hidden(self) -> tuple[str, ...]:
        """Attributes hidden in every record; known only when the whole table was run."""
        return self.samples[-1].hidden if self.is_of_whole_table else ()

    @property
    def rules_kept(self) -> float | None:
        """The share of the rules' importance that the largest sample kept."""
        return self.samples[-1].rules_kept if self.samples else None


def _growth(fewer: int, seconds: float, more: int, longer: float) -> float:
    """Return the exponent with which time grows from one number of records to another."""
    return log(max(longer, 1e-6) / max(seconds, 1e-6)) / log(more / fewer)


def try_out(
    task: Task,
    algorithm: Algorithm,
    budget: float = BUDGET,
    stop: Stop = never,
    clock: Callable[[], float] | None = None,
) -> Trial:
    """Return estimates from samples, run until the budget or the table is used up, or `stop`.

    Time is processor time: what else the machine does just now must not look like the algorithm.
    Where helper processes work for it, it is that on the wall.
    """
    from kanon_tui.core.clustering.clustering import BlockClustering

    if clock is None:
        clock = clock_of(algorithm)
    growth = growth_of(algorithm, task)
    trial = Trial(task.n, growth, rows=_different_rows(task, algorithm))
    if isinstance(algorithm, BlockClustering) and task.copies is None:
        trial = replace(trial, block=algorithm.block_size(task), workers=cores())
    size = min(max(SMALLEST, 4 * task.k), task.n)
    impatient = time.monotonic() + IMPATIENT * budget

    def give_up() -> bool:
        return stop() or time.monotonic() > impatient

    _run(
        sampled(task, size), algorithm, give_up, clock
    )  # a first run loads modules; it is not timed
    end = clock() + budget
    while not give_up():
        part = sampled(task, size)
        began = clock()
        sample = _run(part, algorithm, lambda: give_up() or clock() > end, clock)
        if sample is None:
            if clock() > end:
                trial = replace(trial, stopped=(size, clock() - began))
            break
        trial = replace(trial, samples=(*trial.samples, sample))
        if size == task.n:
            break
        runs_left = max(end - clock(), 0.0) / max(sample.seconds, 1e-6)
        affordable = runs_left ** (1 / (trial.exponent + MARGIN))
        if affordable < STEP:
            break
        size = task.n if size * min(affordable, LEAP) > task.n else size * STEP
    return trial


def growth_of(algorithm: Algorithm, task: Task) -> float:
    """Return the exponent to expect of an algorithm, with the requirements of a task."""
    growth = REFINED_GROWTH if _refines(algorithm) else algorithm.time_exponent
    repairs = task.beyond_k and algorithm.family is Family.CLUSTERING
    return max(growth, REPAIRED_GROWTH) if repairs else growth


def _refines(algorithm: Algorithm) -> bool:
    return bool(getattr(algorithm, "refine", False))


def _different_rows(task: Task, algorithm: Algorithm) -> int | None:
    """Return the number of distinct records, where the time depends on it."""
    if not _refines(algorithm):
        return None
    return int(number_rows(a.column.codes for a in task.quasi).max()) + 1


def clock_of(algorithm: Algorithm) -> Callable[[], float]:
    """Return a clock for a run in this thread that helper processes may take part in."""
    in_blocks = isinstance(getattr(algorithm, "blocks", None), int)
    in_processes = in_blocks or hasattr(algorithm, "workers")
    return _HelpedClock() if in_processes else time.thread_time


class _HelpedClock:
    """A clock of processor time, and of wall time while helper processes work.

    Most runs of an algorithm that may use helpers have none: what else the machine does must not
    count there. It has to be read at every step.
    """

    def __init__(self) -> None:
        self._seconds = 0.0
        self._last = time.thread_time(), time.perf_counter(), bool(helpers)

    def __call__(self) -> float:
        times = time.thread_time(), time.perf_counter(), bool(helpers)
        on_the_wall = times[2] or self._last[2]
        self._seconds += times[on_the_wall] - self._last[on_the_wall]
        self._last = times
        return self._seconds


def sampled(task: Task, records: int) -> Task:
    """Return the task of a sample drawn by its seed, with whole hierarchies, rules and domains.

    Columns keep only the values that were drawn: algorithms count on every value to occur.
    """
    if records >= task.n:
        return task
    chance = np.random.default_rng(task.seed)
    rows = np.sort(chance.choice(task.n, records, replace=False))
    table = replace(task.table, frame=task.table.frame[rows], kept=None)
    return replace(
        task,
        table=table,
        quasi=tuple(_sampled_attribute(attribute, rows) for attribute in task.quasi),
        sensitive=tuple(_sampled_column(column, rows)[0] for column in task.sensitive),
        personal_k=task.personal_k and _sampled_column(task.personal_k, rows)[0],
        person=task.person and _sampled_column(task.person, rows)[0],
    )


def _sampled_attribute(attribute: QuasiIdentifier, rows: Int64s) -> QuasiIdentifier:
    column, kept_codes = _sampled_column(attribute.column, rows)
    before = attribute.hierarchy
    rules = attribute.rules
    hierarchy = BoundHierarchy(
        column,
        tuple(level.of_selected(kept_codes) for level in before.levels),
        np.argsort(np.argsort(before.order[kept_codes])).astype(before.order.dtype),
        before.marks,
    )
    bound = replace(rules, first=rules.first[:, kept_codes], second=rules.second[:, kept_codes])
    return replace(attribute, column=column, hierarchy=hierarchy, rules=bound)


def _sampled_column(column: Column, rows: Int64s) -> tuple[Column, Int64s]:
    """Return the column of these records, and the codes of the values that they have."""
    present_codes, codes = np.unique(column.codes[rows], return_inverse=True)
    kept_codes = present_codes.astype(np.int64)
    return column.with_values(kept_codes, codes), kept_codes


def _run(
    task: Task, algorithm: Algorithm, give_up: Stop, clock: Callable[[], float]
) -> Sample | None:
    """Run one sample; return None when it was stopped or took too long."""
    for attribute in task.quasi:  # a run on the whole table has these already
        _ = attribute.hierarchy.maps, attribute.column.counts
    run = Run(task, algorithm)
    result: Result | None = None
    after = 0.0
    began = clock()
    try:
        for _ in run:
            if give_up():
                run.cancel()
                return None
        seconds = clock() - began
        concluding = time.perf_counter()
        result = conclude(run)
        after = time.perf_counter() - concluding
    except KanonError:  # a sample without a release was searched, too
        if run.state is not State.FAILED:
            return None
        seconds = clock() - began
    rows = _different_rows(task, algorithm)
    if result is None:
        return Sample(task.n, seconds, None, rows=rows)
    ncp = result.measures.ncp
    hidden = result.measures.hidden
    return Sample(task.n, seconds, ncp, hidden, _rules_kept(result), after, rows)


def _rules_kept(result: Result) -> float | None:
    rules = [rule for attribute in result.measures.attributes.values() for rule in attribute.rules]
    importance = sum_in_order(rule.importance for rule in rules)
    if not importance:
        return None
    return sum_in_order(rule.importance * rule.kept for rule in rules) / importance


@dataclass(frozen=True)
class Preflight:
    """Facts and warnings about a run before it starts."""

    facts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    problem: str = ""
    """Why it cannot start; empty when it can."""


def preflight(
    project: Project,
    task: Task,
    algorithm: type[Algorithm],
    trial: Trial | None = None,
    whole: int | None = None,
) -> Preflight:
    """Return size, gaps and estimates of a run; `trial` has its expected time.

    `whole` is the number of records where the task is of a sample of them.
    """
    try:
        with_parameters(algorithm, project.algorithm.params, algorithm.name)
    except KanonError as error:
        return Preflight(problem=str(error))
    by_share = algorithm.family is Family.FULL_DOMAIN and task.allowed_suppressed > 0
    beyond = out_of_reach(task.requirements, by_share or algorithm.always_suppresses)
    if beyond is not None:
        return Preflight(problem=beyond.unreachable())
    records = (
        f"{task.n:,} records" if whole is None else f"{whole:,} records, looked at in a sample"
    )
    if task.repeated is not None:
        records += f" of {task.people:,} people"
    facts = [records, count_of(len(task.quasi), "quasi-identifier")]
    if task.sensitive_requirements:
        facts.append(count_of(len(task.sensitive_requirements), "requirement") + " beyond k")
    warnings = [*(str(column) for column in task.singling_out), *task.warnings]
    if algorithm.family is Family.FULL_DOMAIN:
        counts = string_figures(task)
        strings = counts["all"]
        strings_left = counts["after_pre_pruning"]
        facts.append(
            count_of(strings, "string")
            + (f", {count_text(strings_left)} after pre-pruning" if strings_left < strings else "")
        )
        warnings += task.built
    else:
        facts.append(f"about {max((whole or task.n) // task.k, 1):,} classes to build")
        if algorithm.keeps_magvals and not any(a.hierarchy.marks for a in task.quasi):
            warnings.append(f"no MAGVal is marked, so {algorithm.name} has no limits to keep")
    facts.append(_time(trial))
    if trial is not None and hiding(trial):
        warnings.insert(0, hiding(trial))
    if whole is None:  # a streaming run keeps to its memory limit
        facts.append(f"about {count_text(_megabytes(task, algorithm))} MB")
    facts += _published(task)
    return Preflight(tuple(facts), folded(warnings))


def folded(notes: Sequence[str]) -> tuple[str, ...]:
    """Return notes in their order, those on several columns that say the same as one.

    >>> folded(["a: no hierarchy is given", "b: no hierarchy is given"])
    ('2 columns (a, b): no hierarchy is given',)
    """
    alike: dict[str, list[str]] = {}
    for message_note in notes:
        message = message_note.partition(": ")[2].partition(";")[0] or message_note
        alike.setdefault(message, []).append(message_note)
    names = {
        message: [message_note.partition(": ")[0] for message_note in alike_notes]
        for message, alike_notes in alike.items()
    }
    folded_notes = [
        alike_notes[0]
        if len(alike_notes) == 1
        else f"{len(alike_notes)} columns ({first_few(names[message], 3)}): {message}"
        for message, alike_notes in alike.items()
    ]
    return tuple(folded_notes)


def _published(task: Task) -> list[str]:
    """Return sentences about the columns that are published unchanged or left out."""
    columns = {"published as they are": task.published_as_they_are, "left out": task.left_out}
    return [f"{what}: {short_list(names, most=6)}" for what, names in columns.items() if names]


def _megabytes(task: Task, algorithm: type[Algorithm]) -> int:
    """Return the working memory of a run in MB, the table not counted."""
    codes = task.n * len(task.quasi) * 4
    strings = 0
    if algorithm.bytes_per_string:
        strings = string_figures(task)["after_pre_pruning"] * (
            len(task.quasi) + algorithm.bytes_per_string
        )
    return (2 * codes + algorithm.bytes_per_record * task.n + strings) // 1_000_000 + 20


def _time(trial: Trial | None) -> str:
    """Return how long a run takes, or why that is not known."""
    if trial is None:
        return "time not known yet"
    if trial.seconds is None:
        return "longer than a sample could show"
    tried = "" if trial.is_of_whole_table else f", tried on {trial.samples[-1].records:,} records"
    return in_words(trial.seconds) + tried


def in_words(seconds: float) -> str:
    """Return a time in words: `less than a second`, `about 7 s`, `about 46 min`."""
    if seconds < 1:
        return "less than a second"
    if seconds < 100:
        return f"about {seconds:.0f} s"
    if seconds < 6000:
        return f"about {seconds / 60:.0f} min"
    return f"about {seconds / 3600:.0f} h"


def hiding(trial: Trial) -> str:
    """Return a warning about attributes hidden in every record; empty where there are none."""
    if not trial.hidden or trial.ncp is None:
        return ""
    return f"{first_few(trial.hidden, 3)} would be hidden from everybody (NCP {trial.ncp:.2f})"
