"""The interface of algorithms: a generator of steps that returns a grouping.

It knows nothing of who runs it, prints nothing and measures nothing.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Hashable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from kanon_tui.core.processes.helper_processes import Processes
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import Note

FULL_SPEED = 10_000
"""Decisions per step at full speed: enough to cost little, few enough to cancel soon."""


class Family(StrEnum):
    """The two ways to generalise a table."""

    FULL_DOMAIN = "full-domain"  # one level per attribute, for all records
    CLUSTERING = "clustering"  # local recoding: every class finds its own ranges and labels


@dataclass(frozen=True, eq=False)
class Grouping:
    """The result of an algorithm: which records belong together, not how they are printed."""

    labels: npt.NDArray[np.int32]
    """Per record, the number of its group; -1 for a suppressed record."""
    levels: tuple[int, ...] | None = None
    """Full-domain: the level of every quasi-identifier."""
    suppressed_cells: npt.NDArray[np.bool_] | None = None
    """Records × quasi-identifiers: cells hidden one by one (only `udc-suppress`)."""
    stretches: tuple[npt.NDArray[np.int32] | None, ...] | None = None
    """Clusterings without overlap: per quasi-identifier that publishes ranges, in which stretch of
    its line every value code lies. A class publishes the whole stretch, or `*` over several."""
    search: Mapping[str, Any] = field(default_factory=dict)
    """Figures of the search for the report."""
    notes: tuple[Note, ...] = ()
    """Notes for the reader of the result, such as 'not proven optimal'."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the alternatives of a decision."""

    what: object
    """The alternative; its text is made when it is read."""
    score: float
    note: str = ""
    """A remark, such as its place in a list."""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """The alternatives of a decision: the fact `choice` of a step."""

    question: str
    """The question, such as `which attribute is raised`."""
    score: str
    """The name of the score: RV, distance, distinct values …"""
    candidates: tuple[Candidate, ...]
    """The best few, best first, or those around the chosen one where a place decides."""
    among: int
    """The number of all candidates."""
    rule: str
    """The rule of the decision: `the highest wins, the first of equals`."""
    formula: tuple[str, ...] = ()
    """The computation of the chosen score, with its numbers."""
    best_first: bool = True
    """Whether the score decides, so that the runner-up has a margin."""


@dataclass(frozen=True, slots=True)
class Step:
    """One decision of an algorithm, or at full speed a bounded batch of them.

    The sentence is put together only when somebody reads it.
    """

    kind: str
    """A word for the decision: cut, raise, test, prune, merge, grow, suppress …"""
    template: str
    """The sentence, with `{names}` of facts in it."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    counters: Mapping[str, float] = field(default_factory=dict)
    """Running totals such as generated, pruned, tested, clusters, merges."""
    progress: float | None = None
    """Share of the work that is done, 0 to 1, where it is known."""
    keep: Callable[[], Grouping] | None = None
    """Returns the best grouping so far, which a cancel keeps."""

    @property
    def sentence(self) -> str:
        """The sentence about the decision."""
        return self.template.format_map(self.facts)


Steps = Generator[Step, None, Grouping]


def map_steps(change: Callable[[Step], Step], steps: Steps) -> Steps:
    """Run steps, yielding what `change` makes of each one, and return their grouping."""
    while True:
        try:
            step = next(steps)
        except StopIteration as stop:
            grouping: Grouping = stop.value
            return grouping
        yield change(step)


@dataclass(eq=False)
class RunContext:
    """Settings and helpers that a run gives an algorithm."""

    decisions_per_step: int = FULL_SPEED
    """How many decisions one step may stand for. Whoever drives the run may change it between
    steps; the answer never depends on it."""
    watched: bool = False
    """Whether pictures are shown: steps then carry the facts that these are drawn from."""
    shared: dict[Hashable, Any] = field(default_factory=dict)
    """What runs on the same records can share. Who puts something there has a function that finds
    it again, such as `lattice.frequency.shared_counts`."""
    helpers: Callable[..., Processes] = Processes
    """Makes the helpers that work on parts of a search, on this machine or a cluster."""


@dataclass(frozen=True)
class Line:
    """A line of an algorithm's pseudo-code, and the steps that are instances of it."""

    text: str
    depth: int = 0
    """How far the line is indented."""
    kinds: tuple[str, ...] = ()
    """The kinds of steps that the line stands for."""
    passes: bool | None = None
    """Only tests with this outcome; None for any."""
    reasons: tuple[str, ...] = ()
    """Only prunings for one of these reasons; empty for any."""

    def fits(self, step: Step) -> bool:
        """Return whether a step is an instance of this line."""
        if step.kind not in self.kinds:
            return False
        if self.passes is not None and step.facts.get("passes") is not self.passes:
            return False
        return not self.reasons or step.facts.get("reason") in self.reasons


class Wish(StrEnum):
    """A property of a release that an algorithm can be recommended for."""

    ONE_LEVEL = "one level per column"
    LEAST_LOSS = "least loss"
    RULES = "rules kept"
    MAGVALS = "MAGVals respected"


class Algorithm(ABC):
    """A way to k-anonymise a table. Subclasses are frozen dataclasses: fields are parameters.

    The class attributes are everything that forms, commands, advice, pictures and documents know
    about an algorithm; a new algorithm is added nowhere else.
    """

    name: ClassVar[str]
    """The name in projects and on the command line."""
    title: ClassVar[str]
    family: ClassVar[Family]
    paper: ClassVar[str]
    summary: ClassVar[str]
    """One line: how it works and when to choose it."""
    sample: ClassVar[str] = ""
    """The name of the bundled sample that shows it best."""
    pseudo_code: ClassVar[tuple[Line, ...]] = ()
    pictures: ClassVar[tuple[str, ...]] = ()
    """Names of pictures in `teaching.picture_registry.PICTURES`, the first one shown first. Every
    algorithm also has those of class sizes and of the progress of its figures."""
    terms: ClassVar[tuple[str, ...]] = ()
    """Words in `teaching.glossary.GLOSSARY` that its sentences use besides those of its family."""
    works_on_counted_rows: ClassVar[bool] = False
    """Whether it can run on distinct rows with counts, as a table larger than memory gives them."""
    pre_prunes: ClassVar[bool] = False
    """Whether it begins at the lowest levels that pass alone and looks at none below them."""
    seeks_rv: ClassVar[bool] = False
    """Whether it chooses by research value, unless its `objective` says otherwise."""
    keeps_magvals: ClassVar[bool] = False
    """Whether no value is ever generalised beyond its MAGVal, at the price of suppression."""
    always_suppresses: ClassVar[bool] = False
    """Whether it may suppress records even where `max_suppression` is 0."""
    time_exponent: ClassVar[float] = 1.0
    """The power of the number of records with which its time grows (see docs/benchmarks.md)."""
    bytes_per_record: ClassVar[int] = 60
    """Working memory per record, besides the codes of the quasi-identifiers."""
    bytes_per_string: ClassVar[int] = 0
    """Working memory per string that pre-pruning leaves, besides one byte per attribute; 0 where
    strings are not listed."""

    recommended_for: ClassVar[tuple[Wish, ...]] = ()
    """The wishes that it can be recommended for on every table."""

    @classmethod
    def wishes(cls, task: Task) -> tuple[Wish, ...]:
        """Return the wishes that the algorithm can be recommended for on this task."""
        return cls.recommended_for

    @abstractmethod
    def steps(self, task: Task, context: RunContext) -> Steps:
        """Yield a step per decision and return the grouping."""
