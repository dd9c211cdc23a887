"""Turn the values of new records into the labels or cells that a mapping publishes them as.

A class of a clustering is a box: per attribute a published range, label or set. A record belongs to
a box whose every cell shows its value. Boxes of some algorithms overlap; then the tightest is
taken, the first of equally tight ones. Tightness is the mean over attributes of how much of all
boxes' values a cell shows: the width of a range over the width of all ranges, the values of a set
over all values that are known, the hidden characters of a mask over all, 1 for `*`.

Cost: O(distinct records · classes / 8) bytes at a time, in bounded parts.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import polars as pl

from kanon_tui.core.analysis.applying.mapping_file import AttributeRule, ReleaseMapping
from kanon_tui.core.analysis.published_cells import MASK, CellReader, ReadCells
from kanon_tui.core.hierarchy.level_table import HIDDEN, Hierarchy
from kanon_tui.core.hierarchy.portable import labels_of, rule_hierarchy
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.table.column import Column, code_column
from kanon_tui.core.table.dates import parse_dates
from kanon_tui.core.table.end_coding import code_ends
from kanon_tui.core.table.numbers import NumberFormat
from kanon_tui.core.table.table import Table

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
        found = pl.Series(_labels(rule, column, mapping), dtype=pl.String)
        labels.append(_placed(found.gather(column.codes), readable).alias(rule.name))
    return labels, {each.name: each.null_count() for each in labels if each.null_count()}


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


def _placed(found: pl.Series, where: Flags) -> pl.Series:
    """Return texts for the marked records, in order; null for the others."""
    place = np.full(len(where), found.len(), dtype=np.int64)
    place[where] = np.arange(found.len())
    return pl.concat([found, pl.Series([None], dtype=pl.String)]).gather(place)


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
        hierarchy = Hierarchy.of([*hierarchy.rows, *more], who)
    reader = CellReader(column, hierarchy, other, mapping.missing_tokens, stars=False)
    return reader.read(cells, mapping.name)


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
        _placed(_cells_of(box, [row[x] for row in classes]), every).alias(rule.name)
        for x, rule in enumerate(mapping.attributes)
    ]
    return labels, _lost(mapping, columns, cells, readable, box)


def _like_sets(rule: AttributeRule, column: Column) -> Column:
    """Return a column of the values that could be misread for a set, or be misread in one.

    Others say nothing about what a cell means: `401*` is a mask, also beside a value `401`.
    """
    sets = "levels" not in rule.rule  # an attribute with typed labels publishes these
    like = [c for c, v in enumerate(column.values) if sets and ("|" in v or v[:1] == "{")]
    return column.with_values(np.array(like, dtype=np.int64), np.empty(0, dtype=np.int32))


def _cells_of(box: np.ndarray, texts: Sequence[str]) -> pl.Series:
    """Return the published cell of every record, null outside every class."""
    return pl.Series([*texts, None], dtype=pl.String).gather(np.where(box < 0, len(texts), box))


def _lost(
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


_CELLS_AT_A_TIME = 20_000_000


def nearest_boxes(
    columns: Sequence[Column], cells: Sequence[ReadCells], boxes: Int64s, order: Int64s
) -> Int64s:
    """Return per record the number of its class, -1 where no box covers it.

    `cells` are the distinct published cells of every attribute, `boxes` has per class, the tightest
    first, the number of its cell of every attribute, and `order` the numbers of these classes.
    """
    codes = pl.DataFrame({str(x): column.codes for x, column in enumerate(columns)})
    rows = codes.unique(maintain_order=True)
    found = np.full(rows.height, -1, dtype=np.int64)
    values = rows.to_numpy()
    shown = [
        read.shows(column.values)[:, boxes[:, x]]
        for x, (column, read) in enumerate(zip(columns, cells, strict=True))
        if column.values
    ]
    step = max(1, _CELLS_AT_A_TIME // max(1, len(boxes)))
    for start in range(0, rows.height, step):
        inside = np.ones((len(values[start : start + step]), len(boxes)), dtype=bool)
        for x, flags in enumerate(shown):
            inside &= flags[values[start : start + step, x]]
        first = inside.argmax(axis=1)
        covered = inside[np.arange(len(first)), first]
        found[start : start + step] = np.where(covered, order[first], -1)
    numbered = rows.with_columns(pl.Series("box", found))
    joined = codes.join(numbered, on=codes.columns, how="left", maintain_order="left")
    return joined["box"].to_numpy()


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
