"""Which combinations of quasi-identifiers give people away, and what was not tagged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Label, Static

from kanon_tui.core.analysis.minimal_uniques import (
    Combination,
    MinimalUniques,
    largest_size,
    minimal_uniques,
    overlooked,
    task_columns,
)
from kanon_tui.core.editing.session import Session
from kanon_tui.core.table.profile import singling_out_columns
from kanon_tui.core.table.schema import Role
from kanon_tui.core.text import visible
from kanon_tui.widgets.dialogs import Dialog
from kanon_tui.widgets.drawing import bar
from kanon_tui.widgets.grid import Cell, Grid, GridColumn

__all__ = ["GivenAway", "UniquesDialog", "given_away"]

_MOST = 3
_SHOWN = 6


@dataclass(frozen=True)
class GivenAway:
    """What the dialog shows."""

    found: MinimalUniques
    missed: Sequence[Combination]
    k: int


def given_away(session: Session) -> GivenAway:
    """Count every set of up to three quasi-identifiers, and look at what is published as it is."""
    task = session.quasi_rows()
    columns = [attribute.column for attribute in task.quasi]
    most = min(_MOST, largest_size(len(columns)))
    found = minimal_uniques(columns, most, task.person)
    if session.source is not None:  # pairs of columns would need records: each by itself
        alone = singling_out_columns(session.table, session.names(Role.OTHER))
        missed = [Combination((each.attribute,), 1, each.unique, each.unique) for each in alone]
        return GivenAway(found, missed, task.k)
    return GivenAway(found, overlooked(task_columns(task)[1], task.person), task.k)


class UniquesDialog(Dialog):
    """Every set that singles somebody out whom no part of it does; escape closes."""

    HELP = """## What gives people away

Every set of up to three quasi-identifiers was counted.

- **k**: the fewest records that share their values on these attributes.
- **singled out**: records that are alone with them, although they are not alone on any part of the
  set (minimal sample uniques). Small sets at the top are what a neighbour may know.
- **part in the scores**: how much an attribute contributes. Generalise or drop the first one.

Below stand columns that are published as they are and still single many people out, alone or as a
pair: tag as quasi-identifier (`q`) what an outsider may know. `kanon-tui uniques` prints the same,
and writes a score per record. Arrow keys move, `esc` closes.
"""
    DEFAULT_CSS = """
    UniquesDialog > Vertical { width: 96%; height: 90%; }
    UniquesDialog Grid { height: 1fr; }
    """

    def __init__(self, made: GivenAway) -> None:
        super().__init__()
        self._made = made

    def compose(self) -> ComposeResult:
        found = self._made.found
        share = found.singled_out / max(found.records, 1)
        with Vertical():
            yield Label("What gives people away", classes="title")
            yield Static(
                Text(
                    f"{found.singled_out:,} of {found.records:,} records ({share:.0%}) are alone "
                    f"with up to {found.most} of their quasi-identifiers"
                ),
                id="alone",
            )
            yield Grid(_Sets(found.worst), name_width=4)
            yield Static(_contributions(found), classes="hint")
            yield Static(self._verdict(), classes="warn" if self._made.missed else "good")

    def _verdict(self) -> Text:
        dangerous = self._made.found.dangerous(self._made.k)
        shown = ", ".join(" + ".join(each.attributes) for each in dangerous[:_SHOWN])
        lines = [f"smallest sets below k={self._made.k}: {shown or 'none'}"]
        lines += [
            f"⚠ published as it is, unique for {each.unique:,} records: "
            f"{' with '.join(each.attributes)}"
            for each in self._made.missed[:2]
        ]
        return Text("\n".join(map(visible, lines)))


def _contributions(found: MinimalUniques) -> Text:
    ranked = sorted(found.contributions.items(), key=lambda item: -item[1])[:_SHOWN]
    parts = (f"{visible(name)} {bar(share, 6)} {share:.0%}" for name, share in ranked)
    return Text("part in the scores: " + "  ".join(parts))


class _Sets:
    """The sets as a grid source."""

    def __init__(self, sets: Sequence[Combination]) -> None:
        self._sets = sets
        self.height = len(sets)
        longest = max((len(" + ".join(each.attributes)) for each in sets), default=0)
        self.columns: Sequence[GridColumn] = (
            GridColumn("set", min(max(longest, 12), 34)),
            GridColumn("k", 5, True),
            GridColumn("singled out", 11, True),
            GridColumn("unique", 8, True),
        )

    def rows(self, start: int, stop: int) -> list[list[Cell]]:
        """Those that one attribute alone gives away are marked."""
        return [
            [
                Cell(visible(" + ".join(each.attributes))),
                Cell(f"{each.smallest:,}"),
                Cell(f"{each.newly_unique:,}", "bad" if len(each.attributes) == 1 else ""),
                Cell(f"{each.unique:,}", "muted"),
            ]
            for each in self._sets[start:stop]
        ]

    def row_name(self, row: int) -> str:
        return str(row + 1)
