"""Mondrian: cut the table in two, and each part again, while both sides keep k records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import fsum
from typing import Any, ClassVar

import numpy as np

from kanon_tui.core.clustering.clustering import Clustering
from kanon_tui.core.clustering.facts import Cut
from kanon_tui.core.clustering.features import places, ranks
from kanon_tui.core.clustering.splitting import PartHistory
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.kernels import mondrian as kernel
from kanon_tui.core.numeric import Flags, Int32s, Int64s
from kanon_tui.core.privacy.requirements import groups_that_hold
from kanon_tui.core.task.task import (
    Candidate,
    Choice,
    Grouping,
    Line,
    QuasiIdentifier,
    RunContext,
    Step,
    Steps,
    Task,
    Wish,
)
from kanon_tui.core.text import count_of, note, short_number

_SHOWN = 5  # attributes that could have been cut
_ROWS_PER_CALL = 3_000_000  # parts of more rows are not looked at together


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
        space = _Space.from_task(task)
        cutting = _Cutting(task, space, self._place_of_cuts(task))
        parts = cutting.parts
        lost, cuts, closed = float(parts.losses[0]), 0, 0
        history = PartHistory(parts.rows)
        while cutting.depth:
            part = cutting.parts.stack[cutting.depth - 1].copy()
            widths = cutting.parts.widths[cutting.depth - 1].tolist()
            together, decided, new_cuts, saved = cutting.advance(context.decisions_per_step)
            parts, depth = cutting.parts, cutting.depth
            cuts += new_cuts
            closed += decided - new_cuts
            lost -= saved
            placed = task.n - int(parts.stack[:depth, -1].sum())
            counters = {
                "clusters": depth + closed,
                "cuts": cuts,
                "closed": closed,
                "ncp": max(lost, 0.0) / task.n,
            }
            now = history.record(parts.begins, parts.stack[:depth, 0])
            if together == 1:
                tried = "cut" if self.cut == "allowable" else "cut at the median"
                template, facts = space.describe(cutting, tried, widths)
                if context.watched:
                    facts |= space.drawn(cutting, part, widths, facts)
                    if cuts + closed == 1:
                        facts["together"] = np.zeros(task.rows, dtype=np.int32)
            else:
                template = (
                    f"{count_of(new_cuts, 'cut')} made and "
                    f"{count_of(decided - new_cuts, 'class', 'classes')} closed; "
                    "{placed:,} of {n:,} records are in closed classes."
                )
                facts = {"placed": placed, "n": task.n}
                facts |= {"together": history.begins(now)} if context.watched else {}
            kind = "cut" if new_cuts else "close"
            keep = partial(_grouping, history, now, cuts, closed, depth)
            yield Step(kind, template, facts, counters, placed / task.n, keep)
        return keep()

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


class _Cutting:
    """The parts of a table: open ones wait on a stack, the lower side of a cut on top."""

    def __init__(self, task: Task, space: _Space, where: int) -> None:
        """Begin with all records as one part; `where` is ALLOWABLE, MEDIAN or RELAXED."""
        self.task, self._axes, self._where = task, space.axes, where
        columns = zip(task.quasi, space.ranks, strict=True)
        table = np.column_stack([rank[a.column.codes] for a, rank in columns])
        ones = np.ones(task.rows, dtype=np.int64)
        self.parts = kernel.Parts.allocate(
            table=np.ascontiguousarray(table, dtype=np.int32),
            rows=np.arange(task.rows, dtype=np.int32),
            copies=ones if task.copies is None else task.copies.astype(np.int64),
            open=64,
            numbers=3 + 3 * len(task.quasi),
            ranks=self._axes.offsets[-1] + 1,
        )
        self._scratch = kernel.PartScratch.allocate(
            rows=task.rows, attributes=len(task.quasi), ranks=np.diff(self._axes.offsets).max() + 1
        )
        self.parts.stack[0, 1] = task.rows
        kernel.measure(self._axes, self.parts, np.zeros(1, dtype=np.int64))
        self.depth = 1
        self.event = (False, 0, 0, 0, 0, 0)
        """The last decision on one part: whether it was cut, its records, attribute, records of the
        lower side, ranks next to the cut."""

    def advance(self, decisions: int) -> tuple[int, int, int, float]:
        """Cut or close some parts on top of the stack, as many as decisions may be made together.

        Return the parts looked at, those cut or closed, those cut, and by how much the loss fell.
        A cut that leaves a side without what is required is refused, which is no decision; the
        answer does not depend on how many parts are looked at together.
        """
        sizes = np.diff(self.parts.stack[: self.depth, :2], axis=1).ravel()[::-1]
        fitting = int(np.searchsorted(np.cumsum(sizes), _ROWS_PER_CALL)) + 1
        first = max(self.depth - min(decisions, fitting), 0)
        if 2 * self.depth - first > len(self.parts.stack):  # every part may be cut
            self._make_room()
        parts, here = self.parts, slice(first, self.depth)
        refused = np.ones(self.depth - first, dtype=np.bool_)
        while refused.all():
            kernel.propose(parts, self._scratch, first, self.depth, self.task.k, self._where)
            closed = parts.proposals[here, kernel.CUT_ATTRIBUTE] < 0
            refused = ~closed
            refused[~closed] = ~self._both_sides_hold(first + np.flatnonzero(~closed))
            parts.proposals[here][refused, kernel.REFUSED] += 1
            if self._where == kernel.RELAXED:
                self._sort_rows(parts.stack[here][refused, :2].tolist())
        return len(refused), *self._carry_out(first, closed, ~closed & ~refused)

    def _carry_out(self, first: int, closed: Flags, accepted: Flags) -> tuple[int, int, float]:
        """Replace parts from level `first` on by their sides, and remove closed parts.

        `closed` and `accepted` flag every such part. Return the number of parts decided and of
        parts cut, and the loss saved.
        """
        parts, here = self.parts, slice(first, self.depth)
        stack, cuts = parts.stack[here].copy(), parts.proposals[here].copy()
        saved = fsum(parts.losses[here][accepted])  # the same on every machine
        parts.begins[stack[closed, 0]] = True
        source = np.repeat(np.arange(len(stack)), np.where(closed, 0, np.where(accepted, 2, 1)))
        upper = accepted[source] & (np.diff(source, prepend=-1) > 0)
        lower = accepted[source] & ~upper
        new = slice(first, first + len(source))
        for array in (parts.stack, parts.losses, parts.widths, parts.proposals):
            array[new] = array[here][source]
        middle = cuts[source, kernel.CUT_MIDDLE]
        parts.stack[new, 0] = np.where(upper, middle, parts.stack[new, 0])
        parts.stack[new, 1] = np.where(lower, middle, parts.stack[new, 1])
        levels = first + np.flatnonzero(upper | lower)
        kernel.measure(self._axes, parts, levels)
        x, left, below = cuts[0, : kernel.CUT_MIDDLE].tolist()
        above = int(parts.stack[first, 2 + 3 * x])
        self.event = (bool(accepted[0]), int(stack[0, -1]), x, left, below, above)
        self.depth = first + len(source)
        made = int((closed | accepted).sum()), int(accepted.sum())
        return *made, saved - fsum(parts.losses[levels])

    def _make_room(self) -> None:
        """Double the room for open parts."""
        names = ("stack", "losses", "widths", "proposals")
        wide = {name: np.concatenate([own := getattr(self.parts, name), 0 * own]) for name in names}
        self.parts = replace(self.parts, **wide)

    def _sort_rows(self, ranges: Sequence[Sequence[int]]) -> None:
        """Sort the rows of parts by record, as relaxed cuts take them."""
        for begin, end in ranges:
            order = begin + np.argsort(self.parts.rows[begin:end])
            for array in (self.parts.table, self.parts.rows, self.parts.copies):
                array[begin:end] = array[order]

    def _both_sides_hold(self, levels: Int64s) -> Flags:
        """Return per level whether both sides of its cut meet all requirements beyond k."""
        if not self.task.requirements:
            return np.ones(len(levels), dtype=np.bool_)
        stack, middle = self.parts.stack[levels], self.parts.proposals[levels, kernel.CUT_MIDDLE]
        begins = np.column_stack([stack[:, 0], middle]).ravel()
        sizes = np.column_stack([middle, stack[:, 1]]).ravel() - begins
        places = np.arange(sizes.sum()) + np.repeat(begins - np.cumsum(sizes) + sizes, sizes)
        side, records = np.repeat(np.arange(len(sizes)), sizes), self.parts.rows[places]
        holds = groups_that_hold(self.task.requirements, side, records, len(sizes))
        return np.asarray(holds.reshape(-1, 2).all(axis=1))


def _grouping(history: PartHistory, step: int, cuts: int, closed: int, depth: int) -> Grouping:
    """Return the parts at a step as a grouping; `depth` of them were still open."""
    search = {"start_clusters": 1, "cuts": cuts, "clusters": closed + depth}
    early = note("stopped early: some parts could still have been cut")
    notes = (early,) if depth else ()
    return Grouping(history.labels(step), search=search, notes=notes)


@dataclass(frozen=True, eq=False)
class _Space:
    """The attributes of the table as axes, with words for what happens along them."""

    attributes: Sequence[QuasiIdentifier]
    ranks: Sequence[Int32s]
    """Per attribute the rank of every value code."""
    axes: kernel.Axes

    @classmethod
    def from_task(cls, task: Task) -> _Space:
        """Return the axes of the quasi-identifiers of a task."""
        all_ranks = [ranks(attribute) for attribute in task.quasi]
        sizes = [int(rank.max()) + 1 for rank in all_ranks]
        trees = [a for a in task.quasi if a.publishes_ancestor]
        axes = kernel.Axes.allocate(
            offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            ordered=np.array([attribute.ordered for attribute in task.quasi]),
            places=np.full(sum(sizes), np.nan),
            weights=task.weights,
            levels=max((a.hierarchy.height for a in trees), default=1),
        )
        axes.levels[:] = -1
        for attribute, rank, offset in zip(task.quasi, all_ranks, axes.offsets, strict=False):
            if attribute.ordered:
                axes.places[offset + rank] = places(attribute)
            elif attribute.publishes_ancestor:
                tree = attribute.hierarchy
                for level, mapping in enumerate(tree.maps[:-1]):
                    covered = tree.covered(level) / len(mapping)
                    axes.levels[offset + rank, level] = mapping
                    axes.covers[offset + rank, level] = covered[mapping]
        return cls(task.quasi, all_ranks, axes)

    def text(self, x: int, rank: int) -> str:
        """Return the value at a rank, as it stands in the input."""
        code = int(np.flatnonzero(self.ranks[x] == rank)[0])
        return self.attributes[x].column.values[code]

    def drawn(
        self, cutting: _Cutting, part: Int64s, widths: Sequence[float], known: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the facts for pictures of the last decision; a part is numbered by its start."""
        was_cut, _, x, left, *_ = cutting.event
        parts, order = cutting.parts, cutting.parts.rows
        begin, end = int(part[0]), int(part[1])
        facts: dict[str, Any] = {"rows": order[begin:end].astype(np.int64)}
        if not was_cut:
            return facts | {"closed_group": begin}
        ranked = sorted(range(len(widths)), key=lambda y: -widths[y])
        passed_over = known["passed_over"].split(", ")
        names = [each.name for each in self.attributes]
        notes = ["no cut leaves k" if name in passed_over else "" for name in names]
        candidates = tuple(
            Candidate(names[y], widths[y], notes[y], chosen=y == x) for y in ranked[:_SHOWN]
        )
        formula = (
            "width = range / domain, of categories (distinct − 1) / (distinct in the table − 1)",
            *(f"{self.attributes[y].name}: {widths[y]:.4g}" for y in ranked),
        )
        ends = [(int(part[2 + 3 * y]), int(part[3 + 3 * y])) for y in range(len(widths))]
        box = tuple((self.text(y, low), self.text(y, high)) for y, (low, high) in enumerate(ends))
        upto = np.cumsum(parts.copies[begin:end])  # a side has so many records in fewer rows
        middle, right = begin + 1 + int(np.searchsorted(upto, left)), int(upto[-1]) - left
        cut = Cut(begin, middle, x, known["below"], known["above"], left, right, tuple(widths), box)
        rule = "the widest attribute with a cut that leaves k records on either side"
        return facts | {
            "cut": cut,
            "moved": ((middle, order[middle:end].astype(np.int64)),),
            "choice": Choice(
                "which attribute is cut", "width", candidates, len(widths), rule, formula
            ),
        }

    def describe(
        self, cutting: _Cutting, cut: str, widths: Sequence[float]
    ) -> tuple[str, dict[str, Any]]:
        """Return the sentence template and the facts of the last decision."""
        was_cut, size, x, left, below, above = cutting.event
        looked = [self.attributes[int(y)].name for y in cutting.parts.tried if y >= 0]
        required = " with what is required" if cutting.task.requirements else ""
        k = cutting.task.k
        facts: dict[str, Any] = {"size": size, "k": k}
        if not was_cut:
            facts["looked"] = ", ".join(looked)
            why = f"no {cut} of {{looked}} leaves {{k:,}} records{required} on either side"
            if not looked:
                why = "they are all alike" if size >= 2 * k else "too few for two classes of {k:,}"
            return f"Close a class of {{size:,}} records: {why}.", facts
        facts |= {
            "attribute": looked[-1],
            "passed_over": ", ".join(looked[:-1]),
            "below": self.text(x, below),
            "above": self.text(x, above),
            "left": left,
            "right": size - left,
            "width": short_number(widths[x], 2),
        }
        where = "between {below} and {above}" if below != above else "inside {below}"
        others = [y for y in range(len(widths)) if y != x and widths[y] > 0]
        why = "their widest attribute"
        if others:
            second = max(others, key=lambda y: widths[y])
            facts |= {"second": self.attributes[second].name}
            facts |= {"second_width": short_number(widths[second], 2)}
            why += " (width {width}, runner-up {second} with {second_width})"
            if widths[second] == widths[x]:
                why = "the first of the widest attributes (width {width}, as {second})"
        if len(looked) > 1:
            why = "since {passed_over} cannot be cut"
        return (
            f"Cut {{size:,}} records by {{attribute}}, {why}, {where}: "
            f"{{left:,}} below and {{right:,}} above.",
            facts,
        )
