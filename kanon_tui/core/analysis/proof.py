"""Prove a release from the original data, the project and the release alone.

A run verifies its release before it is written. This is a second look at what was written, at any
later time and by anybody who has the data: nothing comes from the run. It checks that

- the release has the columns that the project publishes and no other, and its file nothing else;
- where the project sorts the rows, they stand in the order of their cells: any other may be that of
  the data, which can undo a release;
- every class keeps k, what is required of sensitive attributes, the risk and people's own k;
- ranges do not overlap, where the project says so;
- the release is made of the data: for every class and combination of columns that are published as
  they are, the data has as many records under the cells of the class as the release has rows, and
  as many records of that combination as the release has in all classes.

Classes are counted by the verifier (`privacy.verify`), cells are read by `published_cells`. Where a
person has several records, or asks for a k of their own, the rows must be traced back to people.
That can be done where every record lies under the cells of one class and all of them are
published. Where it cannot be done, k still holds if the fewest people whose records could be the
rows of a class are k or more; anything else is left undecided.

Cost: that of finding the classes above every distinct record (`attack.matching`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.analysis.attack.matching import Covering, quasi_rows
from kanon_tui.core.analysis.attack.two_releases import covering_rows
from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.pipeline.engine_choice import read_records
from kanon_tui.core.pipeline.prepare import as_project, prepare
from kanon_tui.core.pipeline.verification import Requirements, check_disjoint
from kanon_tui.core.privacy.verify import smallest_class, verify_pseudonyms
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.data_files import part_files
from kanon_tui.core.table.formulas import unescape_formulas
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.statistics_files import LONGEST_NAME, variable_names
from kanon_tui.core.table.table import Table, as_frame, as_table
from kanon_tui.core.task.task import Family, Task
from kanon_tui.core.text import count_of, plural, quoted_list

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Check:
    """One thing that was checked, whether it holds, and what was found where it does not."""

    what: str
    holds: bool
    found: str = ""
    decided: bool = True
    """Whether data, project and release are enough to decide it."""


@dataclass(frozen=True)
class Proof:
    """The checks of a release against its project and the original data."""

    records: int
    classes: int
    k: int
    """Records of the smallest class."""
    checks: tuple[Check, ...]
    absent: int = 0
    """Records of the data beyond the rows of the release: suppressed, or removed from it since."""

    @property
    def holds(self) -> bool:
        """Whether every check holds."""
        return all(check.holds for check in self.checks)


def verify_written(
    release: str | Path | pl.DataFrame | pd.DataFrame,
    project: Project | str | Path,
    data: str | Path | pl.DataFrame | pd.DataFrame | None = None,
) -> Proof:
    """Check a release from the original data, the project and the release alone.

    Parameters
    ----------
    release : path, Polars or pandas frame
        The published table.
    project : Project or path
        The project that it was made by.
    data : path, Polars or pandas frame, optional
        The original data; that of the project when not given.

    Returns
    -------
    Proof
        What was checked; `holds` says whether all of it holds.

    Raises
    ------
    InputError
        If a file cannot be read, or a cell of the release cannot be understood.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> people = pl.DataFrame({"age": [21, 22, 38, 39], "pay": [10, 20, 30, 40]})
    >>> release = kn.anonymize(people, quasi=["age"], sensitive="pay", k=2, algorithm="mondrian")
    >>> kn.verify(release.table, release.project, people).holds
    True
    >>> kn.verify(release.table.head(3), release.project, people).holds
    False
    """
    project = as_project(project)
    if isinstance(data, str | Path):
        project = replace(project, data=replace(project.data, path=str(Path(data).resolve())))
        data = None
    tokens = project.data.read_options.missing_tokens
    original = read_records(project) if data is None else as_table(data, tokens)
    task = prepare(project, original)
    if isinstance(release, str | Path):
        path = Path(release)
        table = read_table(path, ReadOptions(header=True, missing_tokens=tokens))
        if (ending := path.suffix.lower()) in LONGEST_NAME:  # `birth date` became `birth_date`
            shown = _shown(task)
            names = dict(zip(variable_names(shown, ending), shown, strict=True))
            table = replace(table, frame=table.frame.rename(names, strict=False))
        return prove(PublishedTable(project, task, table, path.name), _folders_by(path))
    frame = as_frame(release)
    numbers = [n for n in task.published_as_they_are if n in frame.columns]
    numbers = [name for name in numbers if frame[name].dtype.is_numeric()]
    table = as_table(frame, tokens)
    if numbers:  # a frame does not tell how its numbers were written
        task = prepare(project, _written_plainly(original, numbers))
        table = _written_plainly(table, numbers)
    return prove(PublishedTable(project, task, table))


def _written_plainly(table: Table, names: Sequence[str]) -> Table:
    """Return the table with the numbers of some columns without zeros at their ends."""
    plain = [table.texts(n).str.replace(r"^(-?\d+)(?:(\.\d*[1-9])|\.)0*$", "$1$2") for n in names]
    return replace(table, frame=table.frame.with_columns(plain))


def _folders_by(path: Path) -> set[str]:
    """Return the columns by whose cells a release is cut into folders, `sex=F`."""
    inside = {part for file in part_files(path) for part in file.parent.parts} - {*path.parts}
    return {part.partition("=")[0] for part in inside if "=" in part}


def prove(printed: PublishedTable, folders_by: Collection[str] = ()) -> Proof:
    """Check a published table against its project and the prepared data.

    The rows of each folder have an order of their own where the release has `folders_by` columns.
    """
    task = printed.task
    release = printed.table
    if task.output.formulas == "escape":
        release = as_table(unescape_formulas(release.frame), release.missing_tokens)
    published = release.frame
    required = Requirements(task)
    columns = _check_columns(task, release)
    if not columns.holds:
        return Proof(published.height, 0, 0, (columns,))
    records = quasi_rows(task)
    covering = covering_rows(replace(printed, table=release), records)
    rows, held, under = _origins(task, release, covering, records.row_of)
    checks = [columns, _check_origin(rows, held, under)]
    if task.output.order == "sorted":
        checks.append(_check_order(task, published, folders_by))
    beside: dict[str, Any] = {}
    claims = required.claims
    risk = required.risk
    if checks[1].holds and (task.repeated is not None or task.personal_k is not None):
        traced = _traced_back(task, release, covering, records.row_of)
        if traced is not None:
            published = traced[0]
            beside = required.personal_facts(traced[1])
        else:
            checks.append(_check_untraced(task, rows, under, covering.rows.sizes))
            claims, risk = (), None  # they are about people
    people = beside.get("people")
    checks.append(
        _checked(f"every class keeps k = {task.k:,}", required.check, published, people=people)
    )
    for claim in claims:
        what = f"no class with {claim.fault}"
        checks.append(_checked(what, required.check, published, [claim], people=people))
    if risk is not None or "personal_k" in beside:
        what = "the release keeps the risk and everybody's own k"
        checks.append(_checked(what, required.check, published, risk=risk, **beside))
    if (
        not task.overlap
        and find_algorithm(printed.project.algorithm.name).family is Family.CLUSTERING
    ):
        checks.append(_checked("ranges do not overlap", check_disjoint, task, published))
    for column in task.pseudonymised:
        what = f"pseudonyms of {column} give nobody away"
        raw = task.table.texts(column)
        arguments = (column, raw, task.table.missing_tokens, task.k)
        checks.append(_checked(what, verify_pseudonyms, release.frame, required.quasi, *arguments))
    smallest = smallest_class(release.frame, required.quasi)
    absent = max(task.n - release.height, 0)
    return Proof(release.height, len(covering.rows.sizes), smallest, tuple(checks), absent)


def _checked(what: str, test: Callable[..., None], *args: Any, **options: Any) -> Check:
    """Return the check of a test that raises what it finds."""
    try:
        test(*args, **options)
    except NotReachedError as error:
        found = str(error).removesuffix("; nothing was written")
        return Check(what, holds=False, found=found.removeprefix("the release does not verify: "))
    return Check(what, holds=True)


def _shown(task: Task) -> list[str]:
    """Return the published columns, in the order of a release."""
    return [name for name in task.roles if name not in task.left_out]


def _check_columns(task: Task, release: Table) -> Check:
    what = "the release has the columns of the project and no other"
    shown = _shown(task)
    extra = [name for name in release.names if name not in shown]
    missing = [name for name in shown if name not in release.name_set]
    facts = release.facts
    beside = [] if facts is None else [part for part in facts.parts if part != facts.part]
    found = [
        *([f"{quoted_list(extra)} must not be published"] if extra else []),
        *([f"{quoted_list(missing)} {plural(len(missing), 'is', 'are')} missing"] * bool(missing)),
        *([f"{quoted_list(beside)} in the same file must not be published"] if beside else []),
    ]
    return Check(what, not found, "; ".join(found))


def _check_order(task: Task, published: pl.DataFrame, folders_by: Collection[str]) -> Check:
    """Check that the rows, of each folder where there are several, stand in their order."""
    what = "the rows stand in the order of their cells"
    shown = _shown(task)
    keys = _beside(pl.Series("folder", [0] * published.height, dtype=_INT), published, shown)
    folders = [f"_{x}" for x, name in enumerate(shown) if name in folders_by]
    if folders:
        keys = keys.with_columns(pl.struct(folders).rle_id().cast(_INT).alias("folder"))
    holds = keys.sort(keys.columns).equals(keys)
    found = "another order may be that of the data; sort them by all columns, from left to right"
    return Check(what, holds, "" if holds else found)


def _origins(
    task: Task, release: Table, covering: Covering, record_of: Int32s
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return how many rows are published, records held, and records held under a class.

    All are counted by the columns left unchanged; rows and the last by `row`, the class; records by
    `record`, their distinct quasi-identifiers, and `person`, 0 where nobody has several.
    `record_of` has shape (n_records,).
    """
    kept = [name for name in task.published_as_they_are if name in release.names]
    printed = _beside(pl.Series("row", covering.rows.row_of, dtype=_INT), release.frame, kept)
    original = _beside(pl.Series("record", record_of, dtype=_INT), task.table.frame, kept)
    person = pl.lit(0) if task.repeated is None else pl.Series(task.repeated.codes)
    original = original.with_columns(person.cast(_INT).alias("person"))
    pairs = pl.DataFrame({"record": covering.record, "row": covering.row}, schema_overrides=_PAIR)
    held = original.group_by(pl.all()).len("held").with_columns(pl.col("held").cast(_INT))
    rows = printed.group_by(pl.all()).len("published").with_columns(pl.col("published").cast(_INT))
    return rows, held, held.join(pairs, on="record")


def _check_origin(rows: pl.DataFrame, held: pl.DataFrame, under: pl.DataFrame) -> Check:
    """Check that the data has enough records under every class, with the columns left unchanged."""
    combination = [name for name in rows.columns if name not in ("row", "published")]
    invented = max(
        _count_beyond(rows, under, ["row", *combination]),
        _count_beyond(rows.with_columns(all=0), held.with_columns(all=0), ["all", *combination]),
    )
    found = f"the data has no record for {count_of(invented, 'row')}" if invented else ""
    return Check("every row stands for a record of the data", not invented, found)


def _count_beyond(rows: pl.DataFrame, held: pl.DataFrame, names: Sequence[str]) -> int:
    """Return the number of published rows beyond the records held, by values of some columns."""
    published, there = (
        each.group_by(names).agg(pl.col(count).sum())
        for each, count in ((rows, "published"), (held, "held"))
    )
    both = published.join(there, on=names, how="left").fill_null(0)
    return int(both.select((pl.col("published") - pl.col("held")).clip(0).sum()).item())


def _check_untraced(task: Task, rows: pl.DataFrame, under: pl.DataFrame, sizes: Int64s) -> Check:
    """Check that no class can be made of the records of fewer than k people.

    A person fills at most as many rows of a class as she has records for them; the fewest people
    are those who fill most. Requirements beyond k need to know who is in which class.
    """
    names = [name for name in rows.columns if name != "published"]
    own = under.group_by([*names, "person"]).agg(pl.col("held").sum()).join(rows, on=names)
    filled = pl.min_horizontal("published", "held").sum()
    own = own.group_by("row", "person").agg(filled).sort("published", descending=True)
    before = (pl.col("published").cum_sum() - pl.col("published")).over("row")
    needed = own.filter(before < pl.Series(sizes[own["row"].to_numpy()]))
    possible = needed.group_by("row").len("people").filter(pl.col("people") < task.k).height
    what = f"every class has rows of at least {task.k:,} people"
    unclear = count_of(possible, "class", "classes") if possible else ""
    if task.sensitive_requirements or task.release_risk or task.subsets or task.personal_k:
        what = "every class keeps more than k, counted in people"
        unclear = "some classes"
    found = (
        f"undecided for {unclear}: records lie under the cells of several classes, so whose rows "
        "these are is not known. The run counted people before it wrote the release; to prove "
        "it later, too, take an algorithm whose classes do not overlap (mondrian, full-domain)"
    )
    return Check(what, not unclear, found if unclear else "", decided=not unclear)


_INT = pl.Int64
_PAIR = {"record": _INT, "row": _INT}


def _beside(numbers: pl.Series, frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return numbers beside columns, which are texts under names of our own."""
    texts = (frame[name].cast(pl.String).alias(f"_{x}") for x, name in enumerate(names))
    return pl.DataFrame([numbers, *texts])


def _traced_back(
    task: Task, release: Table, covering: Covering, record_of: Int32s
) -> tuple[pl.DataFrame, Int64s] | None:
    """Return the published rows in the order of their records, and the numbers of these.

    None where a record lies under two classes, or not all records under a class are published.
    """
    if np.bincount(covering.record).max(initial=0) > 1:
        return None
    class_of = np.full(int(record_of.max(initial=-1)) + 1, -1, dtype=np.int64)
    class_of[covering.record] = covering.row
    classes = class_of[record_of]
    records = np.flatnonzero(classes >= 0)
    sizes = np.bincount(classes[records], minlength=len(covering.rows.sizes))
    if not np.array_equal(sizes, covering.rows.sizes):
        return None
    _, first = np.unique(covering.rows.row_of, return_index=True)
    cells = release.frame.select([attribute.name for attribute in task.quasi])[
        first[classes[records]]
    ]
    kept = [task.table.texts(column.name).gather(records) for column in task.sensitive]
    return cells.with_columns(kept), records
