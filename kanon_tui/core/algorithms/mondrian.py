"""Mondrian: cut the table in two, and each part again, while both sides keep k records.

Its page, with naive code, a picture and a run: algorithms/mondrian.html of the manual, which
`kanon-tui explain mondrian` prints.
"""

from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.clustering.clustering import Clustering
from kanon_tui.core.clustering.partition import PartsOfTable
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.kernels import mondrian as kernel
from kanon_tui.core.task.task import Line, RunContext, Step, Steps, Task, Wish


@dataclass(frozen=True)
class Mondrian(Clustering):
    """Strict (or relaxed) multidimensional partitioning.

    Idea: records are points in a space with one axis per quasi-identifier. A part of the table is
    cut in two by a plane across one axis, and the two sides are cut again, until no cut leaves k
    records on either side. Every part that remains is a class.

    Each part: order the attributes by their width in it (numbers: range / domain; categories:
    (distinct values − 1) / (distinct values in the table − 1); equal widths keep the order of the
    attributes) and take the first with an allowable cut. A cut lies between two neighbouring
    distinct values with at least k records on either side; of several, the one whose lower side is
    nearest to half of the records, and of two equally near the lower. Categories stand in the order
    of their hierarchy when one is given, else as text.

    Where more than k is required, a cut is allowable only if both sides meet the requirements, as
    is usual for l-diversity and t-closeness. The eight cuts of an attribute that are nearest to the
    median are tried, then the next attribute.

    With `cut: median` the papers' own rule holds: an attribute is cut only at its lower median (up
    to it | above it), and where that leaves a side below k the next attribute is tried. Comparisons
    in the papers that cite Mondrian were run so; it makes fewer classes than the allowable cut.

    Relaxed: the lower half of the records goes to one side and the rest to the other, whatever
    their values; among those equal to the median the first rows go to the lower side. A part of 2k
    records can then always be cut, as long as it has more than one value somewhere.

    Missing numbers stand after the largest number. A part that mixes them with numbers has width 1,
    because it would be published as `*`.

    Cost: O(n · attributes · log(n / k)) when cuts are even.

    Classes are numbered along the cuts, lower sides first. Any moment is good for stopping, because
    open parts have k records too.

    Reference: LeFevre, DeWitt and Ramakrishnan, Mondrian multidimensional k-anonymity (2006), as
    walked through by SBC, section 2.5 (table 2-12, figure 2-9).
    """

    name: ClassVar[str] = "mondrian"
    title: ClassVar[str] = "Mondrian"
    paper: ClassVar[str] = "LeFevre, DeWitt and Ramakrishnan 2006; SBC section 2.5"
    summary: ClassVar[str] = (
        "Cuts the table in two along its widest attribute, again and again; the fastest, for "
        "large tables with many numbers"
    )
    sample: ClassVar[str] = "mondrian"
    pictures: ClassVar[tuple[str, ...]] = ("map", "tree")
    terms: ClassVar[tuple[str, ...]] = ("cut", "width")
    twin: ClassVar[str] = ".twins.mondrian:mondrian"
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        Line("the whole table is one part"),
        Line("while a part is open:"),
        Line("for its attributes, the widest first:", 1),
        Line("a cut leaves k records on either side: cut there", 2, ("cut",)),
        Line("no attribute can be cut: the part is a class", 1, ("close",)),
    )
    recommended_for: ClassVar[tuple[Wish, ...]] = (Wish.LEAST_LOSS,)
    works_on_counted_rows: ClassVar[bool] = True

    cut: str = declared(
        "allowable",
        "Where an attribute may be cut: at the allowable point nearest its median, or at the lower "
        "median alone, as the papers ran it",
        choices=("allowable", "median"),
    )
    relaxed: bool = declared(
        False, "Records equal to the median may go to either side; the cut is then at the median"
    )

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Cut until no part can be cut."""
        parts = PartsOfTable(task, self._place_of_cuts(task), context.watched)
        while parts.is_open:
            event = parts.decide(context.decisions_per_step)
            progress = parts.placed / task.n
            yield Step(event, parts.counters, progress, parts.keep())
        return parts.keep()()

    def _place_of_cuts(self, task: Task) -> int:
        """Return the kernel's constant for where cuts may lie."""
        if not self.relaxed:
            return kernel.MEDIAN if self.cut == "median" else kernel.ALLOWABLE
        if task.copies is not None:
            raise InputError(
                "mondrian: relaxed puts equal records on both sides of a cut, which cannot be "
                "done when records are counted; use --engine memory, or relaxed=false"
            )
        return kernel.RELAXED
