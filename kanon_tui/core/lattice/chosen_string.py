"""A string that a person chooses: how it is written, and its verdict at once.

    age=3,sex=1      age at level 3, sex at level 1, all else at its root

Morton's global search ends with a person who picks among the passing strings (figure 4). `Verdicts`
answers for any string in about a millisecond: the records are collapsed once, and classes that were
counted for one string are rolled up for those above it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock

from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.lattice.pre_pruning import highest_levels
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.task.task import RunContext, Task


@dataclass(frozen=True)
class Verdict:
    """The figures of a string, and whether it may be published."""

    levels: tuple[int, ...]
    passes: bool
    classes: int
    """Classes that would be published; where it fails, all that there are."""
    smallest: int
    """Records of the smallest class, before any is suppressed."""
    below: int
    """Records in classes below k, or that miss what is required beyond k."""
    suppressed: int
    """Records that would be suppressed; none where it fails."""
    rv: float
    ncp: float
    """Of the release; where it fails, as if nothing were suppressed."""
    roots: int
    """Attributes at their root."""


class Verdicts:
    """Judges any string of a task."""

    def __init__(self, task: Task, context: RunContext | None = None) -> None:
        if any(task.counted_levels):
            raise InputError(
                "levels that fail alone were not counted, so that single strings cannot be judged; "
                "publish one with --levels"
            )
        self.task = task
        lowest = [0] * len(task.quasi)
        self._search = Search(task, context or RunContext(), lowest, objective="ncp")
        self._known: dict[tuple[int, ...], Verdict] = {}
        self._lock = Lock()  # counts share their memory, and verdicts may be asked for in threads

    @property
    def heights(self) -> tuple[int, ...]:
        """The root of every attribute."""
        return self._search.lattice.heights

    def judge(self, levels: Sequence[int]) -> Verdict:
        """Return the verdict of a string."""
        string = tuple(int(level) for level in levels)
        with self._lock:
            if string not in self._known:
                self._known[string] = self._judge(string)
            return self._known[string]

    def _judge(self, string: tuple[int, ...]) -> Verdict:
        frequency = self._search.frequency
        outcome = frequency.test(string, to_the_end=True)
        below = outcome.small or 0
        classes = outcome.classes
        if outcome.passes and below:
            classes = int(frequency.kept_classes(string)[0].sum())
        # A string that fails is measured as if nothing were suppressed.
        measured = outcome if outcome.passes else replace(outcome, small=0)
        passing_string = self._search.passing_string(string, measured)
        return Verdict(
            levels=string,
            passes=outcome.passes,
            classes=classes,
            smallest=outcome.smallest or 0,
            below=below,
            suppressed=below if outcome.passes else 0,
            rv=passing_string.rv,
            ncp=-passing_string.value,
            roots=passing_string.roots,
        )


def read_levels(written: str, task: Task, who: str = "levels") -> tuple[int, ...]:
    """Return the levels of a written string; attributes that are not named are at their root."""
    names = [attribute.name for attribute in task.quasi]
    heights = dict(zip(names, highest_levels(task), strict=True))
    chosen = dict(heights)
    for part in written.split(","):
        name, equals, level = (piece.strip() for piece in part.rpartition("="))
        if not equals or not level.isdecimal():
            raise InputError(
                f"{who}: '{part.strip()}' is not of the form ATTRIBUTE=LEVEL; write them like "
                f"{write_levels(heights)}"
            )
        check_known(name, heights, f"{who}: '{name}' is not a quasi-identifier")
        if int(level) > heights[name]:
            raise InputError(
                f"{who}: {name} has the levels 0 to {heights[name]}, not {int(level)}; choose one "
                f"of these"
            )
        chosen[name] = int(level)
    return tuple(chosen.values())


def write_levels(levels: Mapping[str, int]) -> str:
    """Return a string as `read_levels` reads it: `age=3,sex=1`."""
    return ",".join(f"{name}={level}" for name, level in levels.items())
