"""The base class of full-domain searches, with what they declare in common."""

from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.lattice.events import (
    BELOW,
    LOSES_TIE,
    NO_BETTER,
    NO_MORE_GENERAL,
    SMALL_CLASS,
    WORTH_LESS,
)
from kanon_tui.core.lattice.objective import SEEKS, declared_objective
from kanon_tui.core.lattice.pre_pruning import (
    beyond_limits,
    count_strings,
    highest_levels,
    lowest_levels,
)
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.lattice.strings import Rank, by_value
from kanon_tui.core.task.task import Algorithm, Family, Line, RunContext, Step, Task, Wish

MOST_LISTED = 1_000_000
"""Strings of the largest lattice that a search which lists them all is recommended for."""

_FAIL_TOO = (BELOW.name, NO_MORE_GENERAL.name, SMALL_CLASS.name)
_NOT_NEEDED = (WORTH_LESS.name, LOSES_TIE.name, NO_BETTER.name)
PRE_PRUNE = Line("drop every level that fails alone", kinds=("pre-prune",))
LIST_ALL = Line("list all strings, sorted by RV")
HALVE = (
    Line("while the list has strings:"),
    Line("test the string in its middle", 1, ("test",)),
    Line("passes: drop all that are worth no more", 1, ("prune", "accept"), causes=_NOT_NEEDED),
    Line("fails: drop all that are more specific", 1, ("prune",), causes=_FAIL_TOO),
    Line("publish the passing string that is worth most"),
)


@dataclass(frozen=True)
class FullDomainSearch(Algorithm):
    """An algorithm that publishes every attribute at one level; it looks for a string.

    `Search` keeps the books of it. An algorithm says itself whether it `seeks_rv` and `pre_prunes`:
    explanations and counts of values go by that, and what it does not say is not assumed.
    """

    family: ClassVar[Family] = Family.FULL_DOMAIN
    sample: ClassVar[str] = "race-rules"
    pictures: ClassVar[tuple[str, ...]] = ("lattice",)
    works_on_counted_rows: ClassVar[bool] = True
    time_exponent: ClassVar[float] = 0.7  # a larger table needs no more tests
    bytes_per_record: ClassVar[int] = 24
    suits: ClassVar[str] = ""
    """Whether it is wished for where there are `few` strings or `many`; neither by default."""

    objective: str = declared_objective(SEEKS)
    limits: str = declared(
        "levels",
        "The limit of generalisation: the max_level of each attribute, or also the MAGVal of "
        "each value",
        choices=("levels", "magvals"),
        last=True,
    )

    @classmethod
    def wishes(cls, task: Task) -> tuple[Wish, ...]:
        """Return one level per column where the search suits so many strings."""
        strings = "many" if count_strings(task) > MOST_LISTED else "few"
        return (Wish.ONE_LEVEL,) if cls.suits == strings else ()

    def pre_pruned(
        self, task: Task, context: RunContext, objective: str = "", rank: Rank = by_value
    ) -> Generator[Step, None, Search]:
        """Drop the levels that fail alone; return the search among the strings of the others.

        An algorithm that begins so says that it `pre_prunes`.
        """
        lowest, dropped = lowest_levels(task, highest_levels(task, self.limits))
        chosen = objective or self.objective
        search = Search(task, context, lowest, objective=chosen, limits=self.limits, rank=rank)
        yield from search.report_dropped(dropped)
        if search.lattice.limited:
            general = search.frequency.necessary.test(search.lattice.heights)
            if not general.passes:
                limits = search.names, search.lattice.heights, general.small
                raise NotReachedError(beyond_limits(*limits))
        return search
