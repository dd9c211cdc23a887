"""Global: the passing string of highest research value, by halving the sorted list of all.

Its page, with naive code, a picture and a run: algorithms/global.html of the manual, which
`kanon-tui explain global` prints.
"""

from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.lattice.full_domain import HALVE, LIST_ALL, PRE_PRUNE, FullDomainSearch
from kanon_tui.core.lattice.halving import Halving, list_all
from kanon_tui.core.lattice.search import Search
from kanon_tui.core.task.task import Line, RunContext, Steps, Task
from kanon_tui.core.text import note


@dataclass(frozen=True)
class GlobalSearch(FullDomainSearch):
    """Global optimisation of the research value.

    Idea: of all strings that pass, publish the one that is worth most. The strings are sorted by
    research value; testing the one in the middle either finds a passing string, so that all of
    lower value are done with, or a failing one, so that all more specific strings are.

    Phases: drop the levels that fail alone (pre-pruning); make and sort all strings of the others;
    halve the list until it is empty. Of equally good strings (within 1e-9) the answer has the
    fewest attributes at the root, and of these the smallest level vector.

    Cost: strings take some 50 bytes each while they are sorted. Every test is one count of classes
    and one pass over the strings that are left. A failing test also follows one of the records that
    fail through all strings (`halving.SmallClassPruning`), so tens of tests decide on thousands.

    With `levels` a person has chosen: that string is tested and published if it passes, as the
    expert does at the end of figure 4.

    Departures: see `halving`, which also proves that the answer is the optimum.

    Reference: Morton, global optimisation of the utility metric (figures 3 and 4).
    """

    name: ClassVar[str] = "global"
    title: ClassVar[str] = "Global search"
    suits: ClassVar[str] = "few"
    paper: ClassVar[str] = "Morton, global optimisation (figure 4)"
    summary: ClassVar[str] = (
        "Finds the levels with the highest research value of all that pass; exact, for as many "
        "strings as fit into memory"
    )
    twin: ClassVar[str] = ".twins.full_domain:optimum"
    pre_prunes: ClassVar[bool] = True
    seeks_rv: ClassVar[bool] = True
    pseudo_code: ClassVar[tuple[Line, ...]] = (PRE_PRUNE, LIST_ALL, *HALVE)
    bytes_per_string: ClassVar[int] = 16

    levels: str | None = declared(
        None,
        "Test and publish this string instead of searching: age=3,sex=1 (other attributes at "
        "their root)",
        words="levels like age=3,sex=1",
    )
    memory: int = declared(1000, "Memory limit of the list of strings, in megabytes", low=1)

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Pre-prune, then halve the list of all strings; or publish the one that was chosen."""
        if self.levels is not None:
            return (yield from self._publish_chosen(task, context, self.levels))
        search = yield from self.pre_pruned(task, context)
        halving = Halving(search, list_all(search, self.memory, self.name))
        search.progress = lambda: halving.progress
        search.bound = lambda: halving.bound
        yield from halving.run()
        yield from search.last_step()
        return search.answer(halving.bound)

    def _publish_chosen(self, task: Task, context: RunContext, written: str) -> Steps:
        """Test one string, and say what it lacks where it fails."""
        from kanon_tui.core.lattice.chosen_string import read_levels

        levels = read_levels(written, task, f"{self.name}: levels")
        search = Search(task, context, [0] * len(levels), objective=self.objective)
        search.generated = 1
        outcome = search.frequency.test(levels, to_the_end=True)
        search.tested = 1
        if outcome.passes:
            search.record_passing(levels, outcome)
        yield from search.report_test(levels, outcome)
        if not outcome.passes:
            raise NotReachedError(
                f"the chosen string {search.text(levels)} does not pass: {outcome.small:,} of "
                f"{task.n:,} records are in classes below k = {task.k:,} or miss what is required, "
                f"{search.frequency.allowed:,} may be suppressed; choose more general levels, or "
                f"let global search for the best string"
            )
        chosen = note("the string was chosen by a person")
        return search.grouping(levels, (chosen, *search.notes(levels)))
