"""A release that singles nobody out beside an earlier one of the same people.

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
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kanon_tui.core.analysis.attack.matching import Covering, DistinctRows, PersonCounts
from kanon_tui.core.analysis.attack.two_releases import (
    TwoReleases,
    count_candidates,
    covering_rows,
    two_releases,
)
from kanon_tui.core.analysis.published_cells import cell_readers
from kanon_tui.core.clustering.magval_groups import group_by_magvals
from kanon_tui.core.clustering.requirement_repair import ClassBoxes
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.numeric import TIE, Flags, Int32s, Int64s
from kanon_tui.core.pipeline.result import Result, conclude
from kanon_tui.core.pipeline.run import Run, State
from kanon_tui.core.pipeline.tables_in_files import read_tables
from kanon_tui.core.project.project import Project
from kanon_tui.core.release.recode import recode
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.column import Kind
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.task.task import Family, Grouping, Task
from kanon_tui.core.text import Quotable, note


def check_together(
    result: FinishedRun,
    project: Project,
    earlier: Table,
    name: str,
    stop: Callable[[], bool] = lambda: False,
) -> TwoReleases:
    """Return the candidates left by a release and an earlier one; `stop` ends passes over files."""
    task, now = read_tables(result, stop)
    return two_releases(project, task, now, earlier, earlier_name=name)


def repaired(run: Run, project: Project, earlier: Table, name: str) -> Result:
    """Return the result of a finished run, generalised further where `earlier` asks for it."""
    result = conclude(run, project)
    before = check_together(result, project, earlier, name)
    if not before.below_k:
        return result
    task = run.task
    if run.algorithm.family is Family.FULL_DOMAIN:
        least = levels_as_general(project, task, earlier, name)
        grouping = Run(replace(task, least_levels=least), run.algorithm, run.context).finish()
        if grouping is None:
            raise NotReachedError(f"{run.algorithm.name}: stopped; nothing was written")
        how: dict[str, object] = {"least_levels": dict(zip(_names(task), least, strict=True))}
    else:
        merging = _Merging(project, task, result.grouping, earlier, name)
        grouping = merging.run(keep_magvals=run.algorithm.keeps_magvals)
        how = {"merges": merging.merges}
    ncp, after = result.measures.ncp, measure(recode(task, grouping)).ncp
    remark = note(
        "generalised further, as together with an earlier release {people:,} {counted} would have "
        "had fewer than k candidates: NCP {after:.4f} instead of {ncp:.4f}",
        people=before.below_k,
        counted=Quotable(before.counted),
        after=after,
        ncp=ncp,
    )
    repair = {"below_k_before": before.below_k, "ncp_before": ncp, "ncp": after, **how}
    run.grouping = replace(
        grouping, search={**grouping.search, "repaired": repair}, notes=(*grouping.notes, remark)
    )
    return conclude(run, project)


def repaired_result(result: Result, project: Project, earlier: Table, name: str) -> Result:
    """Return a result, generalised further where an earlier release asks for it."""
    run = Run(result.task, result.algorithm)
    run.grouping, run.state = result.grouping, State.FINISHED
    run.seconds = result.seconds
    return repaired(run, project, earlier, name)


def levels_as_general(project: Project, task: Task, earlier: Table, name: str) -> tuple[int, ...]:
    """Return per quasi-identifier the lowest level as general as an earlier release everywhere."""
    records = DistinctRows.from_codes([attribute.column.codes for attribute in task.quasi])
    before = covering_rows(project, task, earlier, records, name)
    readers = cell_readers(project, task, _names(task))
    levels = []
    for x, attribute in enumerate(task.quasi):
        if attribute.name not in earlier.names:
            levels.append(0)
            continue
        column = earlier.column(attribute.name, Kind.CATEGORICAL)
        covers = (
            readers[attribute.name]
            .read(column.values, name)
            .covers(attribute.column.values, unknown_fits=False)
        )
        cell_of_row = np.zeros(len(before.rows.sizes), dtype=np.int64)
        cell_of_row[before.rows.row_of] = column.codes
        pairs = np.column_stack([records.codes[before.record, x], cell_of_row[before.row]])
        levels.append(_lowest(attribute.hierarchy.maps, covers, np.unique(pairs, axis=0)))
    return tuple(levels)


def _lowest(maps: tuple[Int32s, ...], covers: Flags, pairs: Int64s) -> int:
    """Return the lowest level at which the label of every value covers all that its cells cover."""
    for level, labels in enumerate(maps):
        if all(
            (labels[np.flatnonzero(covers[:, cell])] == labels[value]).all()
            for value, cell in pairs.tolist()
        ):
            return level
    return len(maps) - 1


def _names(task: Task) -> list[str]:
    return [attribute.name for attribute in task.quasi]


class _Merging:
    """The classes of a clustering on their way to a release that is safe beside another."""

    def __init__(
        self, project: Project, task: Task, grouping: Grouping, earlier: Table, name: str
    ) -> None:
        self._project, self._task, self._grouping = project, task, grouping
        self._records = DistinctRows.from_codes(
            [attribute.column.codes for attribute in task.quasi]
        )
        self._before = covering_rows(project, task, earlier, self._records, name)
        self._person_counts = PersonCounts(self._records, task.repeated)
        self._same_before = self._before.neighbours
        kept = grouping.labels >= 0
        classes, number = np.unique(grouping.labels[kept], return_inverse=True)
        self._labels = np.full(task.n, -1, dtype=np.int64)
        self._labels[kept] = number
        self._boxes = ClassBoxes(task, self._labels, grouping.suppressed_cells)
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
            now = covering_rows(self._project, self._task, table, self._records, "the release")
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
