"""Input and result of every attack: what the attacker sees, and what the owner of the data knows.

An attack is a function from an `AttackedRelease` to `AttackResult`s. The attacker has the release,
the project that made it (its hierarchies and settings are taken to be known) and, of every person,
the quasi-identifiers. The original serves to count successes, never to make a claim. The same
attack on people who were not in the data (`control`) tells what the release adds to what is true of
everybody.

References: Giomi, Boenisch, Wehmeyer, Tasnádi, A Unified Framework for Quantifying Privacy Risk in
Synthetic Data (Anonymeter), PoPETs 2023 (control); Wilson, Probable inference, the law of
succession, and statistical inference, 1927 (intervals).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from kanon_tui.core.analysis.attack.matching import Covering, DistinctRows, PublishedRows
from kanon_tui.core.analysis.feasibility import wilson_interval
from kanon_tui.core.analysis.published_cells import PublishedTable, check_column
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.table import Table
from kanon_tui.core.text import count_of


@dataclass(frozen=True)
class AttackResult:
    """The successes of one attack, in people."""

    title: str
    people: int
    """People who were tried."""
    successes: int
    control: tuple[int, int] | None = None
    """People who were not in the data: how many were tried, and on how many it succeeds."""
    worst: str = ""
    """The worst-hit class, by its published cells; empty where nobody was hit."""
    sentences: tuple[str, ...] = ()
    remedy: str = ""
    """The counter-measure; empty where none is known."""
    kind: str = ""
    """The name of the kind of attack."""

    @property
    def rate(self) -> float:
        """Share of the people tried on whom the attack succeeds."""
        return self.successes / self.people if self.people else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % confidence interval of the rate."""
        return wilson_interval(self.rate, self.people) if self.people else (0.0, 1.0)

    @property
    def control_rate(self) -> float | None:
        """The rate on people who were not in the data; None without a control."""
        return None if self.control is None else self.control[1] / max(self.control[0], 1)

    def mapping(self) -> dict[str, Any]:
        """Return the figures as plain data, for JSON."""
        figures = {"rate": self.rate, "interval": self.interval, "control_rate": self.control_rate}
        return {**asdict(self), **figures}


@dataclass(frozen=True, eq=False)
class AttackedRelease(PublishedTable):
    """A release with the data and the project that it was made of."""

    control: Table | None = None
    earlier: Table | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def sensitive(self) -> list[Column]:
        """The sensitive attributes that are published, as the original has them."""
        return [column for column in self.task.sensitive if column.name in self.table.names]

    @cached_property
    def published(self) -> PublishedRows:
        """The quasi-identifiers as the release prints them."""
        return PublishedRows.from_table(self, self.quasi)

    @property
    def classes(self) -> DistinctRows:
        """The published classes: the distinct rows of quasi-identifiers."""
        return self.published.rows

    @cached_property
    def fit(self) -> Covering:
        """The classes that fit every record of the original."""
        return self.fit_of(self.task.table)

    def fit_of(self, table: Table) -> Covering:
        """Return the classes that fit the records of a table, by all quasi-identifiers."""
        for name in self.quasi:
            check_column(name, table.names, "the control")
        return self.published.covering_of(table)

    def class_text(self, row: int) -> str:
        """Return the published cells of a class: `age [20..35], sex *`."""
        texts = (
            f"{column.name} {column.values[code]}"
            for column, code in zip(self.published.columns, self.classes.codes[row], strict=True)
        )
        return ", ".join(texts)

    def hits(self, hit: Flags) -> Int64s:
        """Return per class how many records that it fits are hit."""
        hits_per_record = np.bincount(self.fit.records.row_of, hit, len(self.fit.records.sizes))
        counted = np.bincount(
            self.fit.row, hits_per_record[self.fit.record], len(self.classes.sizes)
        )
        return counted.astype(np.int64)

    def worst_class(self, hits: Int64s) -> str:
        """Return the class with most people hit, given the hits of every class."""
        if not len(hits) or not hits.max():
            return ""
        row = int(hits.argmax())
        size = count_of(int(self.classes.sizes[row]), "row")
        people = count_of(int(hits[row]), "person fits", "people fit")
        return f"{self.class_text(row)} ({size}): {people} it"
