"""Apply a mapping to new records: recode, count, prove.

Every new record is published as the earlier release would have published it. What that release does
not cover, and what falls into a class that misses k or a requirement in the new table, is left out
or refused, as somebody chose. The new table must reach k by itself: both releases can be had, so
whoever subtracts the earlier one has the new records alone. Then the union reaches k, too: each of
its classes is one of either table or the sum of two. With the earlier release at hand that is
counted from the printed cells.

Turn the values of new records into the labels or cells that a mapping publishes them as.

A class of a clustering is a box: per attribute a published range, label or set. A record belongs to
a box whose every cell shows its value. Boxes of some algorithms overlap; then the tightest is
taken, the first of equally tight ones. Tightness is the mean over attributes of how much of all
boxes' values a cell shows: the width of a range over the width of all ranges, the values of a set
over all values that are known, the hidden characters of a mask over all, 1 for `*`.

Cost: O(distinct records · classes · attributes / 8) bytes looked at, in bounded parts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.analysis.applying.mapping_file import AttributeRule, ReleaseMapping
from kanon_tui.core.analysis.attack.matching import DistinctRows, fitting_pairs
from kanon_tui.core.analysis.published_cells import MASK, CellReader, ReadCells
from kanon_tui.core.errors import InputError, NotReachedError, check_known
from kanon_tui.core.hierarchy.level_table import HIDDEN, Hierarchy
from kanon_tui.core.hierarchy.portable import labels_of, rule_hierarchy
from kanon_tui.core.lattice.chosen_string import write_levels
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.pipeline.run import Result, anonymize
from kanon_tui.core.privacy.verify import smallest_class
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Column, Kind, Role
from kanon_tui.core.table.column_coding import code_ends
from kanon_tui.core.table.table import Table, code_column
from kanon_tui.core.table.value_formats import NumberFormat, parse_dates
from kanon_tui.core.task.output import Output
from kanon_tui.core.text import count_of, joined, plural

NO_CLASS = "(class)"
"""Where records are counted by attribute: each value is known, but no class has all of them."""


def recoded(mapping: ReleaseMapping, table: Table) -> tuple[list[pl.Series], dict[str, int]]:
    """Return the published cells of every attribute, null where nothing covers a record.

    Also how many records have a value that is not covered, by attribute.
    """
    if mapping.classes is not None:
        return _of_classes(mapping, mapping.classes, table)
    labels = []
    for rule in mapping.attributes:
        column, readable = _coded(rule, mapping, table)
        found = _labels(rule, column, mapping)
        labels.append(_texts_at(column.codes, readable, found).alias(rule.name))
    return labels, {label.name: label.null_count() for label in labels if label.null_count()}


def _coded(rule: AttributeRule, mapping: ReleaseMapping, table: Table) -> tuple[Column, Flags]:
    """Return the column of those records whose value can be read, and which these are."""
    texts = table.frame[rule.name]
    readable = np.ones(table.height, dtype=bool)
    if rule.kind.ordered:
        distinct = texts.unique()
        if isinstance(rule.format, NumberFormat):
            numbers = rule.format.read(distinct)
        else:
            numbers = parse_dates(distinct, str(rule.format))
        missing = distinct.is_in(list(mapping.missing_tokens)).to_numpy()
        wrong = distinct.filter(np.isnan(numbers) & ~missing)
        readable = ~texts.is_in(wrong.to_list()).to_numpy()
    kept = texts.filter(pl.Series(readable))
    column = code_column(kept, rule.kind, mapping.missing_tokens, rule.format)
    return code_ends(column, rule.bounds), readable


def _texts_at(
    places: npt.NDArray[np.integer], where: Flags, texts: Sequence[str | None]
) -> pl.Series:
    """Return for the marked records, in order, the text of a place; null for -1 and the others."""
    every = np.full(len(where), -1, dtype=np.int64)
    every[where] = places
    found = pl.Series([*texts, None], dtype=pl.String)
    return found.gather(np.where(every < 0, len(texts), every))


def _labels(rule: AttributeRule, column: Column, mapping: ReleaseMapping) -> Sequence[str | None]:
    """Return the label of every value; None where it has none."""
    assert rule.level is not None
    if not column.values:
        return []
    if "ranges" not in rule.rule:
        return labels_of(rule.rule, rule.level, column)
    ranges = rule.rule["ranges"]
    shown = read_cells(rule, ranges, column, mapping).shows(column.values)
    labels: list[str | None] = []
    for code, value in enumerate(column.values):
        held = np.flatnonzero(shown[code])
        kept = value if code == column.missing else None
        labels.append(ranges[held[0]] if len(held) else kept)
    return labels


def read_cells(
    rule: AttributeRule, cells: Sequence[str], column: Column, mapping: ReleaseMapping
) -> ReadCells:
    """Return published cells of an attribute, understood."""
    who = f"{mapping.name}: {rule.name}"
    hierarchy = rule_hierarchy(rule.rule, who)
    other = tuple(rule.rule.get("other", ()))
    # Values that were published and that no new record has are values all the same.
    if not rule.kind.ordered and hierarchy is None:
        plain = (cell for cell in cells if cell[:1] != "{" and not MASK.fullmatch(cell))
        values = [cell for cell in plain if cell != HIDDEN]
        hierarchy = Hierarchy.flat(values) if values else None
    elif not rule.kind.ordered and hierarchy is not None and other:
        named = {HIDDEN, *other, *mapping.missing_tokens}.union(*hierarchy.rows)
        more = [(cell, *other, hierarchy.rows[0][-1]) for cell in cells if cell not in named]
        hierarchy = Hierarchy.from_rows([*hierarchy.rows, *more], who)
    stars = mapping.hides_cells
    reader = CellReader(column, hierarchy, other, mapping.missing_tokens, stars=stars)
    read = reader.read(cells, mapping.name)
    return replace(read, partly=np.zeros_like(read.partly))  # a new record shows its value


def _of_classes(
    mapping: ReleaseMapping, classes: Sequence[Sequence[str]], table: Table
) -> tuple[list[pl.Series], dict[str, int]]:
    readable = [_coded(rule, mapping, table)[1] for rule in mapping.attributes]
    every = np.logical_and.reduce(readable)
    part = Table(table.frame.filter(pl.Series(every)), missing_tokens=mapping.missing_tokens)
    columns = [_coded(rule, mapping, part)[0] for rule in mapping.attributes]
    every_cell, numbers, order = class_cells(mapping, classes)
    cells = [
        read_cells(rule, read.texts, _like_sets(rule, column), mapping)
        for rule, read, column in zip(mapping.attributes, every_cell, columns, strict=True)
    ]
    box = nearest_boxes(columns, cells, numbers[order], order)
    labels = [
        _texts_at(box, every, [row[x] for row in classes]).alias(rule.name)
        for x, rule in enumerate(mapping.attributes)
    ]
    return labels, _count_uncovered(mapping, columns, cells, readable, box)


def _like_sets(rule: AttributeRule, column: Column) -> Column:
    """Return a column of the values that could be misread for a set, or be misread in one.

    Others say nothing about what a cell means: `401*` is a mask, also beside a value `401`.
    """
    sets = "levels" not in rule.rule  # an attribute with typed labels publishes these
    like = [c for c, v in enumerate(column.values) if sets and ("|" in v or v[:1] == "{")]
    return column.with_values(np.array(like, dtype=np.int64), np.empty(0, dtype=np.int32))


def _count_uncovered(
    mapping: ReleaseMapping,
    columns: Sequence[Column],
    cells: Sequence[ReadCells],
    readable: Sequence[Flags],
    box: np.ndarray,
) -> dict[str, int]:
    """Return by attribute the records with a value that no class shows, and those in no class."""
    lost = {}
    together = box < 0
    for rule, column, read, could_read in zip(
        mapping.attributes, columns, cells, readable, strict=True
    ):
        alone = np.zeros(len(box), dtype=bool)
        if column.values:
            shown = np.asarray(read.shows(column.values).any(axis=1), dtype=bool)
            alone = ~shown[column.codes]
        together &= ~alone
        count = int(alone.sum()) + int((~could_read).sum())
        if count:
            lost[rule.name] = count
    if together.any():
        lost[NO_CLASS] = int(together.sum())
    return lost


def nearest_boxes(
    columns: Sequence[Column], cells: Sequence[ReadCells], boxes: Int64s, order: Int64s
) -> Int64s:
    """Return per record the number of its class, -1 where no box covers it.

    `cells` are the distinct published cells of every attribute, `boxes` has per class, the tightest
    first, the number of its cell of every attribute, and `order` the numbers of these classes.
    """
    known = DistinctRows.from_codes([column.codes for column in columns])
    every = np.arange(len(boxes), dtype=np.int32)
    rows = DistinctRows(boxes.astype(np.int32), every, np.ones(len(boxes), dtype=np.int64))
    first = np.full(len(known.sizes), len(boxes), dtype=np.int64)
    values = [column.values for column in columns]
    for block, record, box in fitting_pairs(cells, rows, known, values, unknown_fits=False):
        np.minimum.at(first, block.start + record, box)
    return np.append(order, -1)[first][known.row_of]


def class_cells(
    mapping: ReleaseMapping, classes: Sequence[Sequence[str]]
) -> tuple[list[ReadCells], Int64s, Int64s]:
    """Return the distinct cells of every attribute, classes by their numbers, and their order.

    The tightest class comes first. That is read from the mapping alone: where a record belongs does
    not depend on other records.
    """
    texts = [list(dict.fromkeys(column)) for column in zip(*classes, strict=True)]
    cells = [
        read_cells(rule, each, empty_column(rule, mapping), mapping)
        for rule, each in zip(mapping.attributes, texts, strict=True)
    ]
    number = [{text: place for place, text in enumerate(each)} for each in texts]
    boxes = np.array([[n[c] for n, c in zip(number, row, strict=True)] for row in classes])
    return cells, boxes, np.argsort(_tightness(cells, boxes), kind="stable")


def empty_column(rule: AttributeRule, mapping: ReleaseMapping) -> Column:
    """Return an attribute without records, which reads numbers and dates as the mapping does."""
    texts = pl.Series(rule.name, [], dtype=pl.String)
    column = code_column(texts, rule.kind, mapping.missing_tokens, rule.format)
    return code_ends(column, rule.bounds)


def _tightness(cells: Sequence[ReadCells], boxes: Int64s) -> Floats:
    total = np.zeros(len(boxes))
    for x, read in enumerate(cells):
        if read.attribute.column.kind.ordered:
            known = np.isfinite(read.low) & np.isfinite(read.high)
            low = read.low[known].min() if known.any() else 0.0
            high = read.high[known].max() if known.any() else 0.0
            share = np.where(known, (read.high - read.low) / ((high - low) or 1.0), 1.0)
            share = np.where(read.missing, 0.0, share)
        else:
            members = np.zeros(len(read.texts))
            for holding in read.holders.values():
                members[list(holding)] += 1
            share = members / max(1, len(read.holders))
            share = np.where((members == 0) & ~read.missing, 1.0, share)
            for (_, shown, length), masks in read.masks.items():
                share[list(chain.from_iterable(masks.values()))] = 1 - shown / length
        total += np.where(read.everything, 1.0, share)[boxes[:, x]]
    return total


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
    stray_rows: tuple[str, ...] = ()
    """Lines of the file that were left out before, in words: titles and totals."""

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
            f"{_uncovered_clause(lost, left)}; nothing was written (suppress leaves them out)"
        )
    k = mapping.privacy.k
    if int(covered.sum()) < k:
        raise NotReachedError(
            f"{table_name}: only {int(covered.sum()):,} of {table.height:,} records are covered by "
            f"{mapping.name}, k is {k}: {left:,} {_uncovered_clause(lost, left)}; is the file "
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
    classes = both.n_unique()
    old = before.n_unique()
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
        problem = f"{table_name} has no column '{name}', which {mapping.name} needs"
        check_known(name, table.name_set, problem)
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


def _uncovered_clause(lost: Mapping[str, int], records: int) -> str:
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
    """Return advice where many new records are in small classes, with its effect."""
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
    result = applied.result
    measures = applied.result.measures
    lines = [
        f"{file} as in {mapping}: k = {result.task.k:,}, verified: the smallest of "
        f"{measures.classes:,} classes has {measures.smallest_class:,} records",
        f"  {applied.records:,} records: {applied.published:,} published, "
        f"{applied.uncovered_records:,} not covered, {applied.small_records:,} in small classes",
    ]
    if applied.stray_rows:
        lines.append(f"  left out as no records: {joined(applied.stray_rows)}")
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
    if result.task.published_as_they_are:
        lines.append(f"  published as they are: {joined(result.task.published_as_they_are)}")
    lines += [f"  warning: {each}" for each in result.task.singling_out]
    for caution in result.cautions:
        lines.append(f"  {caution.severity}: {caution.sentence}")
    lines.append(f"  note: {SAME_PEOPLE}")
    return lines
