"""Apply a mapping to new records: recode, count, prove.

Every new record is published as the earlier release would have published it. What that release does
not cover, and what falls into a class that misses k or a requirement in the new table, is left out
or refused, as somebody chose. The new table must reach k by itself: both releases can be had, so
whoever subtracts the earlier one has the new records alone. Then the union reaches k, too: each of
its classes is one of either table or the sum of two. With the earlier release at hand that is
counted from the printed cells.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import polars as pl

from kanon_tui.core.analysis.applying.mapping_file import ReleaseMapping
from kanon_tui.core.analysis.applying.recoding import NO_CLASS, recoded
from kanon_tui.core.errors import InputError, NotReachedError, suggestion
from kanon_tui.core.lattice.chosen_string import write_levels
from kanon_tui.core.numeric import Flags
from kanon_tui.core.pipeline.result import Result, anonymize
from kanon_tui.core.privacy.verify import smallest_class
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.table.schema import Kind, Role
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.output import Output
from kanon_tui.core.text import count_of, joined, plural

Choice = Literal["suppress", "refuse"]


@dataclass(frozen=True)
class Union:
    """An earlier release and the new one, as one table."""

    records: int
    classes: int
    k: int
    """Records of the smallest class."""
    new_classes: int
    """Classes that the earlier release has not."""
    in_one_release: int
    """New records that one release of all records, instead of two, would publish by its k."""


@dataclass(frozen=True, eq=False)
class Applied:
    """The release of new records, and how many of them it leaves out."""

    result: Result
    """The new release, verified."""
    records: int
    uncovered: Mapping[str, int]
    """Per attribute the records with a value that the mapping does not cover; `(class)` stands for
    records that lie in no class of a clustering."""
    uncovered_records: int
    small_records: int
    """Records whose class misses k or a requirement in the new table."""
    union: Union | None

    @property
    def published(self) -> int:
        """Records of the new release."""
        return self.records - self.uncovered_records - self.small_records


def apply_mapping(
    mapping: ReleaseMapping,
    table: Table,
    *,
    uncovered: Choice = "suppress",
    small: Choice = "suppress",
    earlier: pl.DataFrame | None = None,
    table_name: str = "the table",
    earlier_name: str = "the earlier release",
) -> Applied:
    """Publish a new table as a release was published; raises where that is refused."""
    _check_columns(mapping, table, table_name)
    quasi = [rule.name for rule in mapping.attributes]
    if earlier is not None:
        _check_earlier(mapping, earlier, earlier_name)
    labels, lost = recoded(mapping, table)
    covered = np.logical_and.reduce([series.is_not_null().to_numpy() for series in labels])
    left = int((~covered).sum())
    if left and uncovered == "refuse":
        raise NotReachedError(
            f"{table_name}: {count_of(left, 'record')} of {table.height:,} "
            f"{_what_is_uncovered(lost, left)}; nothing was written (suppress leaves them out)"
        )
    k = mapping.privacy.k
    if int(covered.sum()) < k:
        raise NotReachedError(
            f"{table_name}: only {int(covered.sum()):,} of {table.height:,} records are covered by "
            f"{mapping.name}, k is {k}: {left:,} {_what_is_uncovered(lost, left)}; is the file "
            f"read as the first one was? nothing was written"
        )
    result = _released(mapping, table, labels, covered, small, table_name)
    union = None
    if earlier is not None:
        new = pl.DataFrame(labels).filter(pl.Series(covered))
        union = _union(result.table, new, earlier.select(quasi), k, earlier_name)
    return Applied(
        result=result,
        records=table.height,
        uncovered=lost,
        uncovered_records=left,
        small_records=result.measures.suppressed_records,
        union=union,
    )


# --- the new release ------------------------------------------------------------------------------


def _released(
    mapping: ReleaseMapping,
    table: Table,
    labels: Sequence[pl.Series],
    covered: Flags,
    small: Choice,
    table_name: str,
) -> Result:
    """Return the covered records with their published cells as one string of levels 0, verified."""
    names = [series.name for series in labels]
    others = [name for name in table.names if name in mapping.columns]
    personal = mapping.privacy.personal_k
    if personal is not None and personal not in (*names, *others):
        others.append(personal)
    published = {series.name: series for series in labels}
    columns = [published.get(name, table.frame[name]) for name in table.names
               if name in published or name in others]  # fmt: skip
    frame = pl.DataFrame(columns).filter(pl.Series(covered))
    specs = {name: AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL) for name in names}
    rest = {name: mapping.columns.get(name, AttributeSpec(Role.IDENTIFIER)) for name in others}
    privacy = replace(mapping.privacy, max_suppression=1.0 if small == "suppress" else 0.0)
    project = Project(
        data=DataSource(path=table_name, distinct=mapping.distinct),
        attributes={**specs, **rest},
        privacy=privacy,
        algorithm=AlgorithmChoice("global", {"levels": write_levels(dict.fromkeys(names, 0))}),
        output=Output(formulas=mapping.formulas),
    )
    recoded = Table(frame, table.facts, mapping.missing_tokens, table.formats)
    try:
        return anonymize(project, recoded)
    except NotReachedError:
        raise NotReachedError(
            f"{table_name}: the new records do not reach k = {privacy.k} as {mapping.name} "
            f"publishes them; nothing was written"
            + (" (suppress leaves small classes out)" if small == "refuse" else "")
        ) from None


def _union(
    published: pl.DataFrame, new: pl.DataFrame, before: pl.DataFrame, k: int, name: str
) -> Union:
    """Return the earlier cells and those of the new release together; `new` has all new records."""
    quasi = before.columns
    both = pl.concat([before, published.select(quasi)])
    reached = smallest_class(both, quasi)
    if reached < k:
        raise NotReachedError(
            f"{name} and the new release together have a class of {reached} records, k is {k}; "
            f"nothing was written"
        )
    classes, old = both.n_unique(), before.n_unique()
    everybody = pl.concat([before, new.select(quasi)]).with_row_index("")
    large = everybody.filter(pl.len().over(quasi) >= k)
    together = large.filter(pl.col("") >= before.height).height
    return Union(both.height, classes, reached, classes - old, together)


# --- checks ---------------------------------------------------------------------------------------


def _check_columns(mapping: ReleaseMapping, table: Table, table_name: str) -> None:
    needed = [*(rule.name for rule in mapping.attributes), *mapping.columns]
    if mapping.privacy.personal_k is not None:
        needed.append(mapping.privacy.personal_k)
    mapping.refuse_one_value()
    for name in needed:
        if name not in table.name_set:
            raise InputError(
                f"{table_name} has no column '{name}', which {mapping.name} needs; "
                f"{suggestion(name, table.names)}"
            )
    if len(set(needed)) < len(mapping.attributes) + len(mapping.columns):
        raise InputError(f"{mapping.name}: an attribute stands among the other columns as well")


def _check_earlier(mapping: ReleaseMapping, earlier: pl.DataFrame, name: str) -> None:
    quasi = [rule.name for rule in mapping.attributes]
    for column in quasi:
        if column not in earlier.columns:
            raise InputError(f"{name} has no column '{column}'; name the release of the mapping")
    reached = smallest_class(earlier, quasi)
    if reached < mapping.privacy.k:
        raise NotReachedError(
            f"{name}: its smallest class has {reached} records, k of {mapping.name} is "
            f"{mapping.privacy.k}; nothing was written"
        )


def _what_is_uncovered(lost: Mapping[str, int], records: int) -> str:
    named = [f"{name} ({count:,})" for name, count in lost.items() if name != NO_CLASS]
    if not named:
        return f"{plural(records, 'lies', 'lie')} in no class of the mapping"
    has = plural(records, "has", "have")
    return f"{has} values that the mapping does not cover: {joined(named)}"


SAME_PEOPLE = (
    "if people of the earlier release are among the new records, what changed about them can be "
    "seen by comparing the two; kanon-tui rerelease counts whom both together give away"
)


_MANY = 10
"""One in so many records left out are many."""


def _batch_advice(applied: Applied) -> str:
    """Return what helps where many new records are in small classes, and how much."""
    why = (
        "a batch must reach k by itself, as whoever has the earlier release can subtract it; "
        "collect more records for the next release, or publish all records anew as one"
    )
    if applied.union is None:
        return f"{why}: --earlier RELEASE counts how many of these that would publish"
    many = f"{applied.union.in_one_release:,} of {applied.records:,}"
    return f"{why}, which would publish {many} of these by k"


def summary(applied: Applied, file: str, mapping: str) -> list[str]:
    """Return the lines of a summary, the first without indent."""
    result, measures = applied.result, applied.result.measures
    lines = [
        f"{file} as in {mapping}: k = {result.task.k:,}, verified: the smallest of "
        f"{measures.classes:,} classes has {measures.smallest_class:,} records",
        f"  {applied.records:,} records: {applied.published:,} published, "
        f"{applied.uncovered_records:,} not covered, {applied.small_records:,} in small classes",
    ]
    for name, count in applied.uncovered.items():
        who = "no class has these values together" if name == NO_CLASS else f"{name}: not covered"
        lines.append(f"  {who}: {count_of(count, 'record')}")
    if applied.union is not None:
        union = applied.union
        lines.append(
            f"  with the earlier release: {union.records:,} records, {union.classes:,} classes "
            f"({union.new_classes:,} new), the smallest has {union.k:,} records"
        )
    if applied.small_records * _MANY > applied.records:
        lines.append(f"  {_batch_advice(applied)}")
    if result.published_as_they_are:
        lines.append(f"  published as they are: {joined(result.published_as_they_are)}")
    lines += [f"  warning: {each}" for each in result.task.singling_out]
    lines.append(f"  note: {SAME_PEOPLE}")
    return lines
