"""Attacks that single people out: downcoding, and predicates that match one person.

Downcoding: exact values rebuilt from how a clustering prints its classes.

A clustering prints no more than it must. The ends of a range are values of two records of the
class, every value of a set is one of some record, and a common label says that records below at
least two of the labels under it are in the class: with two such labels, both. So a release can be
replaced by a finer one that fits the same people. A class of as many people as values that must
occur is rebuilt completely in that attribute.

Nothing is claimed of full-domain releases, of ranges that are not observed (rounded ends, `overlap:
false`), and of cells that are partly hidden.

Reference: Cohen, Attacks on Deidentification's Defenses, USENIX Security 2022.

Singling out: predicates built from the release that match exactly one person of the original.

A predicate is the box of a class (its published cells) with one condition more: a value that must
occur in the class (`downcoding`), or a sensitive value that a single row of the class has. Whoever
knows that the predicate matches one person can tell her from everybody else without knowing her.

With a control, the predicates are tried on as many people of the original (drawn by a seed) as the
control has: among fewer people it is easier to be the only one.

References: Article 29 Working Party, Opinion 05/2014; Cohen, Nissim, Towards formalizing the GDPR's
notion of singling out, PNAS 2020.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.analysis.attack.attacked import AttackedRelease, AttackResult
from kanon_tui.core.analysis.attack.matching import Covering
from kanon_tui.core.analysis.published_cells import ReadCells
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.table.column import Kind, set_members
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.task.task import Family, QuasiIdentifier
from kanon_tui.core.text import count_of


@dataclass(frozen=True, eq=False)
class Claims:
    """Values of one attribute that must occur: pairs of a class and a group of values."""

    x: int
    """The attribute, by its place among the published quasi-identifiers."""
    row: Int64s
    group: Int64s
    group_of_value: Int64s
    """Per value of the original the group it is in: itself, or a label below the printed one."""
    exact: bool
    """Whether groups are single values."""


def claims(attacked: AttackedRelease) -> list[Claims]:
    """Return the values that must occur in each class, attribute by attribute."""
    algorithm = find_algorithm(attacked.project.algorithm.name)
    if algorithm.family is Family.FULL_DOMAIN or not attacked.project.overlap:
        return []
    claimed = []
    quasi = {attribute.name: attribute for attribute in attacked.task.quasi}
    for x, cells in enumerate(attacked.published.cells):
        codes = attacked.classes.codes[:, x]
        for must, group_of_value, exact in _must_occur(quasi[attacked.quasi[x]], cells):
            groups = pl.Series("group", must, dtype=pl.List(pl.Int64)).gather(codes)
            rows = pl.DataFrame({"row": np.arange(len(codes)), "group": groups})
            row, group = rows.explode("group").drop_nulls().to_numpy().T
            claimed.append(Claims(x, row, group, group_of_value, exact))
        attacked.check(x + 1, len(attacked.quasi))
    return claimed


def _must_occur(
    attribute: QuasiIdentifier, cells: ReadCells
) -> Iterator[tuple[list[list[int]], Int64s, bool]]:
    """Yield per cell the groups that must occur, the group of every value, whether these are exact.

    Of labels these are the two below a printed one, level by level.
    """
    if attribute.publishes_one_value:
        return
    values = cells.attribute.column.values
    must: list[list[int]] = []
    if attribute.ordered:
        line = cells.attribute.line
        numbers = cells.attribute.column.value_numbers
        observed = attribute.publish in ("", "range")
        for text, low, high in zip(cells.texts, cells.low, cells.high, strict=True):
            ends = np.unique([low, high])
            closed = text[:1] == "[" and text[-1:] == "]"
            printed = observed and closed and np.isin(ends, line).all()
            must.append(np.searchsorted(line, ends).tolist() if printed else [])
        yield must, np.searchsorted(line, numbers), True
        return
    code = {value: number for number, value in enumerate(values)}
    for text in cells.texts:
        members = set_members(text) if text[:1] == "{" and text[-1:] == "}" else []
        listed = all(member in code for member in members)
        must.append([code[member] for member in members] if listed else [])
    yield must, np.arange(len(values)), True
    if not attribute.publishes_ancestor or attribute.column.values != values:
        return
    hierarchy = attribute.hierarchy
    for level, (finer, coarser) in enumerate(pairwise(hierarchy.maps)):
        pairs = np.unique(np.stack([coarser, finer]), axis=1)
        below = {
            hierarchy.labels[level + 1][label]: pairs[1][pairs[0] == label].tolist()
            for label in np.unique(pairs[0]).tolist()
        }
        every = (below.get(text, []) for text in cells.texts)
        yield (
            [children if len(children) == 2 else [] for children in every],
            finer.astype(np.int64),
            level == 0,
        )


def downcoding(attacked: AttackedRelease) -> list[AttackResult]:
    """Count the people of whom a finer value is rebuilt, class by class."""
    sizes = attacked.classes.sizes
    most, labels, rebuilt = (np.zeros(len(sizes), dtype=np.int64) for _ in range(3))
    cells = 0
    for claim in claims(attacked):
        values_per_class = np.bincount(claim.row, minlength=len(sizes))
        if claim.exact:
            most = np.maximum(most, values_per_class)
            rebuilt = np.maximum(rebuilt, np.where(values_per_class >= sizes, sizes, 0))
            cells += int(values_per_class.sum())
        else:
            labels = np.maximum(labels, values_per_class)
    hit = np.minimum(most, sizes)
    finer = np.minimum(np.maximum(labels, most), sizes)
    classes = int((rebuilt > 0).sum())
    return [
        AttackResult(
            "Downcoding",
            int(sizes.sum()),
            int(hit.sum()),
            worst=attacked.worst_class(hit),
            sentences=(
                f"{int(hit.sum()):,} published records must have exact values that the release was "
                f"meant to hide: {cells:,} values follow from ends of ranges, sets and labels.",
                f"{count_of(classes, 'class', 'classes')} can be rebuilt completely in some "
                f"attribute; {int((finer - hit).sum()):,} more records get a finer label.",
            ),
            remedy="publish labels of a hierarchy (publish: hierarchy) or rounded ranges instead "
            "of observed ends and sets, or use a full-domain algorithm",
        )
    ]


def singling_out(attacked: AttackedRelease) -> list[AttackResult]:
    """Count the people whom some predicate singles out."""
    hit, hits, predicates = _singled_out(attacked, attacked.task.table, attacked.fit)
    tried = attacked.task.people
    people = attacked.task.count(hit)
    control = None
    only = f"{count_of(people, 'person is', 'people are')} the only"
    sentence = f"{predicates:,} predicates were built from the release; {only} "
    if attacked.control is not None:
        control_hit = _singled_out(attacked, attacked.control, attacked.fit_of(attacked.control))[0]
        control = attacked.control.height, int(control_hit.sum())
        sample = attacked.task.table.frame.sample(min(len(control_hit), attacked.task.n), seed=0)
        part = as_table(sample, attacked.task.table.missing_tokens)
        alone = _singled_out(attacked, part, attacked.fit_of(part))[0]
        tried = sample.height
        people = int(alone.sum())
    return [
        AttackResult(
            "Singling out",
            tried,
            people,
            control,
            attacked.worst_class(hits),
            (f"{sentence}ones of the data who match one of them.",),
            "publish labels or rounded ranges instead of observed ends, and require l-diversity "
            "of sensitive attributes",
        )
    ]


def _predicates(attacked: AttackedRelease) -> Iterator[tuple[str, dict[str, int], pl.DataFrame]]:
    """Yield an attribute, the group of each of its values, and the classes and groups claimed."""
    for claim in claims(attacked):
        column = attacked.published.cells[claim.x].attribute.column
        groups = dict(zip(column.values, claim.group_of_value.tolist(), strict=True))
        yield column.name, groups, pl.DataFrame({"row": claim.row, "group": claim.group})
    for column in attacked.sensitive:
        printed = attacked.table.column(column.name, Kind.CATEGORICAL)
        rows = pl.DataFrame({"row": attacked.classes.row_of, "group": printed.codes})
        once = rows.group_by("row", "group").len().filter(pl.col("len") == 1).drop("len")
        yield column.name, {value: code for code, value in enumerate(printed.values)}, once


def _singled_out(
    attacked: AttackedRelease, table: Table, fit: Covering
) -> tuple[Flags, Int64s, int]:
    """Return the records that a predicate singles out, hits per class, and the predicates."""
    pairs = pl.DataFrame({"record": fit.record, "row": fit.row})
    alone = np.zeros(table.height, dtype=bool)
    predicates = 0
    hits = np.zeros(len(attacked.classes.sizes), dtype=np.int64)
    keys = pl.col("row", "group").cast(pl.Int64)
    for name, groups, claimed in _predicates(attacked):
        if name not in table.names:
            continue
        texts = table.column(name, Kind.CATEGORICAL)
        group = np.array([groups.get(text, -1) for text in texts.values], dtype=np.int64)
        record_groups = pl.DataFrame(
            {
                "record": fit.records.row_of.astype(np.int64),
                "group": group[texts.codes],
                "number": np.arange(table.height),
            }
        )
        fitting = pairs.join(record_groups, on="record").with_columns(keys)
        fitting = fitting.join(claimed.with_columns(keys), on=["row", "group"], how="semi")
        matches = fitting.group_by("row", "group").agg(pl.len(), pl.col("number").first())
        single = matches.filter(pl.col("len") == 1)
        alone[single["number"].to_numpy()] = True
        hits += np.bincount(single["row"].to_numpy(), minlength=len(hits))
        predicates += claimed.height
    return alone, hits, predicates
