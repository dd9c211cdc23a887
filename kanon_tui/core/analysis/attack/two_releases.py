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

A release that singles nobody out beside an earlier one of the same people.

Where both together leave somebody fewer than k candidates (`two_releases`), the new release is
generalised further. That is Morton's advice, to publish everybody only as general as before or more
so, followed as far as it is needed:

- full-domain: the search runs again on the strings that are *at least as general*. Per attribute
  that is the lowest level whose label of a value covers all that any earlier row says which may be
  the person's; every string from these levels on is safe, and of these the answer is the search's
  own, exactly;
- clusterings: while somebody has too few, their class is merged with the one that costs least (NCP
  that is lost more; the first of equals) among those of people whom the earlier release does not
  tell from them and the new one does. A merge lets rows cover more, and so nobody loses candidates;
  what is required of classes beyond k holds for their unions. GreedyCKA merges within a group of
  MAGVals only.

Nothing helps somebody whose earlier rows cover fewer than k people who are still in the data: the
check afterwards refuses as before.

Cost: one more search, or per round of merges one look for the rows that cover everybody. A round
gives everybody who has too few at least one candidate, so that there are fewer than k rounds; where
people have several records, it may give records of people who are candidates already.

Composition: two releases of the same people, joined (`two_releases`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from kanon_tui.core.analysis.attack.matching import (
    Covering,
    DistinctRows,
    PersonCounts,
    PublishedRows,
    quasi_rows,
)
from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.clustering.magval_groups import group_by_magvals
from kanon_tui.core.clustering.requirement_repair import ClassBoxes
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.numeric import TIE, Flags, Int32s, Int64s
from kanon_tui.core.pipeline.run import Result, Run, State, conclude
from kanon_tui.core.project.project import Project
from kanon_tui.core.release.recode import recode
from kanon_tui.core.report.sections import Section
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.task.task import Family, Grouping
from kanon_tui.core.text import Quotable, note, plural

_AT_A_TIME = 1 << 22
"""Pairs of rows that are counted together."""


@dataclass(frozen=True, eq=False)
class TwoReleases:
    """The candidates that two releases together leave: counts only, nothing about any person."""

    k: int
    candidates: Int64s
    """Of everybody whom both releases cover: of every record, or person who may have several."""
    at_worst: Int64s
    """The fewest candidates of the same where rows can be joined."""
    not_in_both: int
    """The number that at least one of the two releases does not cover."""
    counted: Literal["records", "people"] = "records"
    """The unit that all counts are in."""

    def _count(self, flags: Flags) -> int:
        return int(flags.sum())

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
    release: PublishedTable, earlier: Table, earlier_name: str = "the earlier release"
) -> TwoReleases:
    """Join two releases of the project's data and count everybody's candidates."""
    task = release.task
    records = quasi_rows(release.task)
    before = covering_rows(replace(release, table=earlier, name=earlier_name), records)
    now = covering_rows(release, records)
    people = PersonCounts(records, task.repeated)
    candidates = people.fewest(count_candidates(before, now, people))
    at_worst = people.fewest(_at_worst(before, now, people))
    in_both = candidates > 0
    return TwoReleases(
        task.k,
        candidates[in_both],
        at_worst[in_both],
        int((~in_both).sum()),
        "records" if task.repeated is None else "people",
    )


def covering_rows(release: PublishedTable, records: DistinctRows) -> Covering:
    """Find the rows of a release that cover each of the distinct records."""
    names = release.quasi
    quasi = release.task.quasi
    places = [x for x, attribute in enumerate(quasi) if attribute.name in names]
    published = PublishedRows.from_table(release, names)
    known = DistinctRows(records.codes[:, places], records.row_of, records.sizes)
    return published.covering(known, [quasi[x].column.values for x in places])


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
    record = before.record[order]
    row = before.row[order]
    for part in _parts(row, (count * people.each)[record]):
        own = record[part]
        times = count[record[part]]
        who = np.repeat(own, times)
        within = np.arange(len(who)) - np.repeat(np.cumsum(times) - times, times)
        pair = np.repeat(row[part], times) * len(now.rows.sizes) + new_rows[first[who] + within]
        pairs, place = np.unique(pair, return_inverse=True)
        candidates = people.count_groups(place, who, len(pairs))
        np.minimum.at(fewest, who, candidates[place])
    return fewest


def _parts(row: Int64s, pairs: Int64s) -> Iterator[slice]:
    """Yield slices of entries that hold whole rows, with few enough pairs to count.

    `row` (rising) and `pairs`, both of shape (entries,), are the row of the earlier release and
    the number of pairs of every entry.
    """
    ends = np.append(np.flatnonzero(np.diff(row)) + 1, len(row))
    upto = np.concatenate([[0], np.cumsum(pairs)])
    start = 0
    while start < len(row):
        most = int(np.searchsorted(upto[ends], upto[start] + _AT_A_TIME, "right"))
        end = int(ends[max(most - 1, int(np.searchsorted(ends, start, "right")))])
        yield slice(start, end)
        start = end


def repaired(result: Result, project: Project, earlier: Table, name: str) -> Result:
    """Return a result, generalised further where an earlier release asks for it."""
    before = two_releases(PublishedTable.from_result(result, project), earlier, name)
    if not before.below_k:
        return result
    task = result.task
    algorithm = result.algorithm
    published = PublishedTable(project, task, earlier, name)
    if algorithm.family is Family.FULL_DOMAIN:
        least = levels_as_general(published)
        grouping = Run(replace(task, least_levels=least), algorithm).required_grouping()
        names = [attribute.name for attribute in task.quasi]
        how: dict[str, object] = {"least_levels": dict(zip(names, least, strict=True))}
    else:
        merging = _Merging(published, result.grouping)
        grouping = merging.run(keep_magvals=algorithm.keeps_magvals)
        how = {"merges": merging.merges}
    ncp = result.measures.ncp
    after = measure(recode(task, grouping)).ncp
    remark = note(
        "generalised further, as together with an earlier release {people:,} {counted} would have "
        "had fewer than k candidates: NCP {after:.4f} instead of {ncp:.4f}",
        people=before.below_k,
        counted=Quotable(before.counted),
        after=after,
        ncp=ncp,
    )
    repair = {"below_k_before": before.below_k, "ncp_before": ncp, "ncp": after, **how}
    run = Run(task, algorithm)
    run.grouping = replace(
        grouping, search={**grouping.search, "repaired": repair}, notes=(*grouping.notes, remark)
    )
    run.state, run.seconds, run.phases = State.FINISHED, result.seconds, dict(result.phases)
    return conclude(run, project)


def levels_as_general(earlier: PublishedTable) -> tuple[int, ...]:
    """Return per quasi-identifier the lowest level as general as an earlier release everywhere."""
    records = quasi_rows(earlier.task)
    before = covering_rows(earlier, records)
    columns, cells = earlier.read(earlier.quasi)
    levels = dict.fromkeys((attribute.name for attribute in earlier.task.quasi), 0)
    for x, attribute in enumerate(earlier.task.quasi):
        if attribute.name in earlier.quasi:
            place = earlier.quasi.index(attribute.name)
            covers = cells[place].covers(attribute.column.values, unknown_fits=False)
            cell_of_row = np.zeros(len(before.rows.sizes), dtype=np.int64)
            cell_of_row[before.rows.row_of] = columns[place].codes
            pairs = np.column_stack([records.codes[before.record, x], cell_of_row[before.row]])
            lowest = _lowest(attribute.hierarchy.maps, covers, np.unique(pairs, axis=0))
            levels[attribute.name] = lowest
    return tuple(levels.values())


def _lowest(maps: tuple[Int32s, ...], covers: Flags, pairs: Int64s) -> int:
    """Return the lowest level at which the label of every value covers all that its cells cover."""
    for level, labels in enumerate(maps):
        if all(
            (labels[np.flatnonzero(covers[:, cell])] == labels[value]).all()
            for value, cell in pairs.tolist()
        ):
            return level
    return len(maps) - 1


class _Merging:
    """The classes of a clustering on their way to a release that is safe beside another."""

    def __init__(self, earlier: PublishedTable, grouping: Grouping) -> None:
        self._earlier = earlier
        self._task = earlier.task
        self._grouping = grouping
        self._records = quasi_rows(self._task)
        self._before = covering_rows(earlier, self._records)
        self._person_counts = PersonCounts(self._records, self._task.repeated)
        self._same_before = self._before.neighbours
        kept = grouping.labels >= 0
        classes, number = np.unique(grouping.labels[kept], return_inverse=True)
        self._labels = np.full(self._task.n, -1, dtype=np.int64)
        self._labels[kept] = number
        self._boxes = ClassBoxes(self._task, self._labels, grouping.suppressed_cells)
        self._block = np.zeros(len(classes), dtype=np.int64)
        self.merges = 0

    def run(self, keep_magvals: bool) -> Grouping:
        """Merge until everybody has k candidates, or until no merge gives anybody another."""
        if keep_magvals:
            kept = self._labels >= 0
            self._block[self._labels[kept]] = group_by_magvals(self._task).number[kept]
        while True:
            grouping = replace(self._grouping, labels=self._labels.astype(np.int32))
            release = recode(self._task, grouping)
            table = as_table(release.frame, self._task.table.missing_tokens)
            printed = replace(self._earlier, table=table, name="the release")
            now = covering_rows(printed, self._records)
            candidates = count_candidates(self._before, now, self._person_counts)
            short = np.flatnonzero((candidates > 0) & (candidates < self._task.k))
            if not self._merge_for(short, now, self._labels[release.order]):
                return grouping

    def _merge_for(self, short: Int64s, now: Covering, class_of_printed: Int64s) -> bool:
        """Merge once for each of these records, unless their class has just been merged."""
        same_now = now.neighbours
        class_of_row = np.full(len(now.rows.sizes), -1, dtype=np.int64)
        class_of_row[now.rows.row_of] = class_of_printed
        own = np.full(len(self._records.sizes), -1, dtype=np.int64)
        kept = self._labels >= 0
        own[self._records.row_of[kept]] = self._labels[kept]
        merged: set[int] = set()
        for record in short.tolist():
            one = int(own[record])
            if one < 0:  # it is suppressed, but a row covers it
                one = int(class_of_row[same_now[0][record]].max())
            wanted = np.setdiff1d(_sharing(self._same_before, record), _sharing(same_now, record))
            others = np.unique(own[wanted])
            others = others[(others >= 0) & (others != one)]
            if one < 0 or one in merged or not len(others):
                continue
            others = others[self._block[others] == self._block[one]]
            others = others[~np.isin(others, [*merged])]
            if not len(others):
                continue
            costs = np.round(self._boxes.costs(one, others) / TIE)
            other = int(others[np.argmin(costs)])
            self._boxes.merge(one, other)
            self._labels[self._labels == one] = other
            merged |= {one, other}
            self.merges += 1
        return bool(merged)


def _sharing(neighbours: tuple[list[Int64s], list[Int64s]], record: int) -> Int64s:
    """Return the records that share a row with this one, itself included."""
    rows_of, covered = neighbours
    every = [np.zeros(0, dtype=np.int64), *(covered[row] for row in rows_of[record].tolist())]
    return np.unique(np.concatenate(every))
