"""Explain a row of a release in files, from its class.

How many records share its quasi-identifiers, at which levels these are printed, and which values
the records of the class had before: the run has counted the distinct combinations, so that no
record is needed. Which change would have kept more is not told: that is tried on records.

`ClassesByCells` finds the class of a row that is read from the files, by its cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import polars as pl

from kanon_tui.core.analysis.why.reasons import Explanation
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.pipeline.tuple_counts import find_rows
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.formulas import escape_formulas
from kanon_tui.core.text import count_of, shortened

_SHOWN = 12
"""Values of an attribute that are listed, the most frequent ones."""
_NO_CLASS = "It is of no class: suppressed records are published as * only."
_CHANGES_UNKNOWN = (
    "Which change would have kept more is not known here: changes are tried on records, and "
    "these are not in memory."
)


def why_row(
    result: FinishedRun, classes: ClassesByCells, cells: Mapping[str, str], x: int
) -> Explanation:
    """Return why a row prints its cell of quasi-identifier number x.

    `cells` as the files have them.
    """
    task, release = result.task, result.release
    name, found = task.quasi[x].name, classes.find(cells)
    text = cells[classes.names[x]]
    question = f"Why is {name} published as {shortened(text)}?"
    if found is None:
        return Explanation(question, "", (_NO_CLASS,))
    here, size = found
    code = release.class_cells(x)
    alike = int(release.class_sizes[code == code[here]].sum())
    return Explanation(
        question,
        "",
        (
            f"{count_of(size, 'record prints', 'records print')} these quasi-identifiers: class "
            f"{here + 1:,} of {classes.count:,}, and k is {task.k:,}. Whoever knows all of them "
            f"finds one person of {size:,}.",
            _how_far(result, x, _together(_values(result, x, here))),
            f"{count_of(alike, 'row')} of the release {'has' if alike == 1 else 'have'} this text; "
            f"{name} prints {count_of(len(release.cells[x].texts), 'text')} in all.",
            "i shows what the records of the class had before.",
            _CHANGES_UNKNOWN,
        ),
    )


def why_attribute(result: FinishedRun, x: int) -> Explanation:
    """Return how far quasi-identifier number x is generalised, over the whole release."""
    release, attribute = result.release, result.task.quasi[x]
    texts, codes = release.cells[x].texts, release.class_cells(x)
    records = np.bincount(codes, release.class_sizes, len(texts)).astype(np.int64)
    values = f"the {count_of(len(attribute.column.values), 'value')} of the data"
    return Explanation(
        f"How far is {attribute.name} generalised?",
        "",
        (
            _how_far(result, x, "A class prints the values of its records together"),
            f"{values[0].upper()}{values[1:]} became {count_of(len(texts), 'text')}. "
            f"Most frequent: {_listed(dict(zip(texts, records.tolist(), strict=True)))}.",
            _CHANGES_UNKNOWN,
        ),
    )


def class_before(result: FinishedRun, here: int, others: pl.DataFrame) -> Explanation:
    """Return the original values of a class, attribute by attribute.

    `others` are published as is.
    """
    task, release = result.task, result.release
    facts = []
    for x, (attribute, cells) in enumerate(zip(task.quasi, release.cells, strict=True)):
        printed = shortened(cells.texts[int(release.class_cells(x)[here])])
        level = _counted_level(result, x)
        coarse = f" (told apart from level {level} on)" if level else ""
        facts.append(f"{attribute.name} {printed}{coarse}: {_listed(_values(result, x, here))}")
    for column in others.iter_columns():
        counted = dict(column.value_counts().iter_rows())
        facts.append(f"{column.name}, published as it is: {_listed(counted)}")
    size = int(release.class_sizes[here])
    question = f"What did the {count_of(size, 'record')} of class {here + 1:,} have?"
    return Explanation(question, "", tuple(facts))


def _how_far(result: FinishedRun, x: int, together: str) -> str:
    levels, attribute = result.grouping.levels, result.task.quasi[x]
    if attribute.publishes_one_value:
        return f"All members of a class get its {attribute.publish}."
    if levels is None:
        return f"{together}; classes differ in how coarse they are."
    if not levels[x]:
        return "All records print it as it stood, level 0 of its hierarchy."
    highest = len(attribute.hierarchy.labels) - 1
    return f"All records print it at level {levels[x]} of {highest}; level 0 is as it stood."


def _together(values: Mapping[str, int]) -> str:
    if len(values) == 1:
        return "All records of its class had one value"
    return f"Its class prints the {len(values):,} different values of its records together"


def _counted_level(result: FinishedRun, x: int) -> int:
    """Return the level below which values fail alone and were not counted apart."""
    return result.task.counted_levels[x] if result.task.counted_levels else 0


def _values(result: FinishedRun, x: int, here: int) -> dict[str, int]:
    """Return the values that the records of a class had, with their numbers."""
    attribute, level = result.task.quasi[x], _counted_level(result, x)
    rows = np.flatnonzero(result.release.classes == here)
    copies = result.task.copies
    codes = attribute.column.codes[rows]
    texts = attribute.column.values
    if level:
        codes, texts = attribute.hierarchy.maps[level][codes], attribute.hierarchy.labels[level]
    counts = np.bincount(codes, None if copies is None else copies[rows])
    return {texts[code]: int(counts[code]) for code in np.flatnonzero(counts)}


def _listed(counts: Mapping[str, int]) -> str:
    """Return `flu 12, cold 3 … and 4 more`, the most frequent ones first."""
    inorder = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    listed = ", ".join(f"{shortened(text) or '·'} ×{count:,}" for text, count in inorder[:_SHOWN])
    left = len(inorder) - _SHOWN
    return f"{listed} … and {left:,} more" if left > 0 else listed


class ClassesByCells:
    """The cells of every class, to look rows up."""

    def __init__(self, result: FinishedRun) -> None:
        release, output = result.release, result.task.output
        self._sizes = release.class_sizes
        self.count = len(self._sizes)
        self.starred = release.suppressed_records if output.suppressed == "star" else 0
        """How many rows are published as stars alone."""
        cells = release.quasi_cells(release.class_members)
        self._cells = escape_formulas(cells) if output.formulas == "escape" else cells

    @property
    def names(self) -> list[str]:
        """The columns of the quasi-identifiers, as files call them."""
        return self._cells.columns

    def find(self, cells: Mapping[str, str]) -> tuple[int, int] | None:
        """Return number and size of a row's class.

        None for one of no class, such as stars alone.
        """
        same = (each == cells.get(each.name, "") for each in self._cells.iter_columns())
        found = np.flatnonzero(np.logical_and.reduce(list(same)))
        return (int(found[0]), int(self._sizes[found[0]])) if len(found) else None

    # -- many rows at once

    @property
    def row_sizes(self) -> Int64s:
        """The number of rows of each number that `numbers_of` returns."""
        hidden = self.find(dict.fromkeys(self.names, HIDDEN))
        sizes = np.append(self._sizes, 0)
        sizes[self.count if hidden is None else hidden[0]] += self.starred
        return sizes

    def numbers_of(self, rows: pl.DataFrame) -> Int64s:
        """Return the class of every row, by number; one more than the last for stars alone."""
        own = pl.DataFrame([rows[name].alias(str(x)) for x, name in enumerate(self.names)])
        return find_rows(own, self._numbers)

    @cached_property
    def _numbers(self) -> pl.DataFrame:
        """The cells of every class with its number, the `row`, and last those of stars alone."""
        places = [str(x) for x in range(len(self.names))]  # a name could be read as a pattern
        cells = self._cells.rename(dict(zip(self.names, places, strict=True)))
        stars = pl.DataFrame(dict.fromkeys(places, HIDDEN))
        return (
            pl.concat([cells, stars])
            .unique(maintain_order=True, keep="first")
            .with_row_index("row")
        )
