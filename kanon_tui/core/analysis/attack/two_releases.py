"""Two releases of the same people: whom they single out together, although neither does alone.

Somebody who holds both can join them. A person who is published as 20 to 30 in one and as 25 to 35
in the other is 25 to 30, and there may be fewer than k such people. So for every record of the data

  its rows         the published rows of either release whose cells cover all of its values, as the
                   linking attack looks people up
  its candidates   the records of the data, itself included, that share a row with it in both
  at worst         where several rows cover it, an outsider who could tell which two are its own is
                   left with the records that both of these cover: the fewest over all pairs

Everybody must keep k candidates. The worst case is counted beside it and refuses nothing: it asks
for somebody who can join the releases row by row, and from files alone nobody can tell which row is
whose. Where one row covers each record, as with full-domain algorithms, the two are the same. Those
that one release does not cover at all are not in both: the other is all there is about them.

Morton's own way is enough: where the new release publishes every record only as general as before,
or more so, all who shared its row before are still candidates.

A missing value is covered by cells that may be missing, not by all: a record nobody knows must not
make a crowd. People who have left the data since are no candidates, which errs on the safe side;
people who have come since count as candidates, as nobody is told who has.

Where people have several records (role person), candidates are people: all who have one of the
records that share a row with this one in both; and a person has the fewest of their records.

Cost: O(distinct records · rows / 8) to find the rows, then for every record its earlier rows · its
new rows, and for distinct sets of rows the records that they cover.

Reference: Morton, last page of "Algorithm Limitations and Future Work".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from kanon_tui.core.analysis.attack.matching import (
    Check,
    Covering,
    DistinctRows,
    PersonCounts,
    PublishedRows,
    counted_rows,
)
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.sections import Section
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import plural

_AT_A_TIME = 1 << 22
"""Pairs of rows that are counted together."""
_MOST_WORK = 4 * 10**12
"""Combinations of a table beyond memory times published cells: some minutes."""


@dataclass(frozen=True, eq=False)
class TwoReleases:
    """The candidates that two releases together leave: counts only, nothing about any person."""

    k: int
    candidates: Int64s
    """Of everybody whom both releases cover: of every record, or person who may have several."""
    at_worst: Int64s
    """The fewest candidates of the same where rows can be joined."""
    not_in_both: int
    """Those whom at least one of the two does not cover."""
    counted: Literal["records", "people"] = "records"
    """What is counted."""
    copies: Int64s | None = None
    """How many there are of each, where alike ones are told once; None: one."""

    def _count(self, flags: Flags) -> int:
        return int(flags.sum() if self.copies is None else self.copies[flags].sum())

    @property
    def people(self) -> int:
        """The number of records, or people, that both releases cover."""
        return self._count(self.candidates > 0)

    @property
    def unique(self) -> int:
        """The number that the two releases single out."""
        return self._count(self.candidates == 1)

    @property
    def below_k(self) -> int:
        """The number with fewer than k candidates."""
        return self._count(self.candidates < self.k)

    @property
    def below_k_at_worst(self) -> int:
        """The number with fewer than k candidates where rows can be joined."""
        return self._count(self.at_worst < self.k)

    @property
    def fewest(self) -> int | None:
        """The fewest candidates of anybody; None where nobody is in both."""
        return int(self.candidates.min()) if self.people else None

    def section(self) -> Section:
        """Return the counts as a section."""
        fewest = "–" if self.fewest is None else f"{self.fewest:,}"
        rows = [
            ("have exactly one candidate: found", f"{self.unique:,}"),
            (f"have fewer than k = {self.k:,}", f"{self.below_k:,}"),
            ("the same if rows can be joined", f"{self.below_k_at_worst:,}"),
            ("candidates of the most exposed", fewest),
            (f"{self.counted} of the data that are not in both", f"{self.not_in_both:,}"),
        ]
        columns = (f"of {self.people:,} {self.counted} in both", "together")
        return Section("Both releases together", (), columns, rows)

    def refuse(self, earlier: str, tried: bool = False) -> None:
        """Refuse the new release where somebody has fewer than k candidates.

        `tried`: it has been repaired as far as that goes.
        """
        advice = (
            f"publish every record as general as in {earlier} or more so, as run --repair does"
            if not tried
            else "generalising further does not help: too few of those whom it covers are left in "
            "the data, or MAGVals keep them apart"
        )
        if self.below_k:
            raise NotReachedError(
                f"together with {earlier} the release leaves {self.below_k:,} of {self.people:,} "
                f"{plural(self.people, 'person', 'people')} fewer than k = {self.k} candidates "
                f"(the fewest: {self.fewest}); {advice}; nothing was written"
            )


def two_releases(
    project: Project,
    task: Task,
    release: Table,
    earlier: Table,
    release_name: str = "the release",
    earlier_name: str = "the earlier release",
    check: Check = lambda done, total: None,
) -> TwoReleases:
    """Join two releases of the project's data and count everybody's candidates."""
    records = counted_rows(task.table, [attribute.column for attribute in task.quasi]).rows
    before = covering_rows(project, task, earlier, records, earlier_name, check)
    now = covering_rows(project, task, release, records, release_name, check)
    people = PersonCounts(records, task.repeated)
    candidates = people.fewest(count_candidates(before, now, people))
    at_worst = people.fewest(_at_worst(before, now, people))
    in_both, copies = candidates > 0, people.copies
    return TwoReleases(
        task.k,
        candidates[in_both],
        at_worst[in_both],
        int((~in_both).sum() if copies is None else copies[~in_both].sum()),
        "records" if task.repeated is None else "people",
        None if copies is None else copies[in_both],
    )


def covering_rows(
    project: Project,
    task: Task,
    release: Table,
    records: DistinctRows,
    where: str,
    check: Check = lambda done, total: None,
) -> Covering:
    """Find the rows of a release that cover each of the distinct records."""
    places = [x for x, attribute in enumerate(task.quasi) if attribute.name in release.names]
    if not places:
        raise InputError(
            f"{where} has none of the quasi-identifiers of the project; use a release of the same "
            f"data"
        )
    names = [task.quasi[x].name for x in places]
    published = PublishedRows.from_release(project, task, release, names, where)
    if not records.in_memory:
        _check_work(len(records.sizes), len(published.rows.sizes) * len(places), where)
    known = DistinctRows(records.codes[:, places], None, records.sizes)
    return published.covering(known, [task.quasi[x].column.values for x in places], check)


def _check_work(records: int, cells: int, where: str) -> None:
    """Refuse what would take hours: a table beyond memory may have very many combinations."""
    if records * cells > _MOST_WORK:
        raise InputError(
            f"the data has {records:,} different combinations, and looking for the rows of {where} "
            "that cover each of them would take hours; look at fewer quasi-identifiers, or at "
            "coarser ones"
        )


def count_candidates(before: Covering, now: Covering, people: PersonCounts) -> Int64s:
    """Return per distinct record those who share a row with it in both; 0 if it is not in both."""
    distinct = len(people.records.sizes)
    found = np.zeros(distinct, dtype=np.int64)
    sides = [each.neighbours for each in (before, now)]
    counted: dict[tuple[bytes, ...], int] = {}
    for one in range(distinct):
        rows = [rows_of[one] for rows_of, _ in sides]
        if not all(map(len, rows)):
            continue
        key = tuple(each.tobytes() for each in rows)
        if key not in counted:
            old, new = (
                np.unique(np.concatenate([covered[row] for row in own.tolist()]))
                for own, (_, covered) in zip(rows, sides, strict=True)
            )
            both = np.intersect1d(old, new, assume_unique=True)
            counted[key] = people.count(both)
        found[one] = counted[key]
    return found


def _at_worst(before: Covering, now: Covering, people: PersonCounts) -> Int64s:
    """Return per distinct record the fewest candidates over its pairs of rows."""
    distinct = len(people.records.sizes)
    by_record = np.argsort(now.record, kind="stable")
    new_rows = now.row[by_record]
    first = np.searchsorted(now.record[by_record], np.arange(distinct + 1))
    count = np.diff(first)
    fewest = np.full(distinct, np.iinfo(np.int64).max, dtype=np.int64)
    order = np.argsort(before.row, kind="stable")
    record, row = before.record[order], before.row[order]
    for part in _parts(row, (count * people.each)[record]):
        own, times = record[part], count[record[part]]
        who = np.repeat(own, times)
        within = np.arange(len(who)) - np.repeat(np.cumsum(times) - times, times)
        pair = np.repeat(row[part], times) * len(now.rows.sizes) + new_rows[first[who] + within]
        pairs, place = np.unique(pair, return_inverse=True)
        candidates = people.count_groups(place, who, len(pairs))
        np.minimum.at(fewest, who, candidates[place])
    return fewest


def _parts(row: Int64s, pairs: Int64s) -> Iterator[slice]:
    """Yield stretches of whole rows of the earlier release with few enough pairs to count."""
    ends = np.append(np.flatnonzero(np.diff(row)) + 1, len(row))
    upto = np.concatenate([[0], np.cumsum(pairs)])
    start = 0
    while start < len(row):
        most = int(np.searchsorted(upto[ends], upto[start] + _AT_A_TIME, "right"))
        end = int(ends[max(most - 1, int(np.searchsorted(ends, start, "right")))])
        yield slice(start, end)
        start = end
