"""The lines of text around a result: what it is in one line, and the record under the cursor."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.widget import Widget

from kanon_tui.core.analysis.why.reasons import RuleVerdict
from kanon_tui.core.editing.changes import staleness
from kanon_tui.core.editing.session import Session
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.text import count_of, visible
from kanon_tui.screens.results.figure_tables import short_figure
from kanon_tui.screens.results.record_rows import RecordRows
from kanon_tui.widgets.drawing import theme_style

__all__ = ["record_text", "summary_text"]

WIDE = 100
"""Columns from which on there is room for words."""


def summary_text(result: FinishedRun, session: Session, widget: Widget) -> Text:
    """`global k=5 · NCP .187 · RV .413 · 61 classes · 0 suppressed · verified k=7 ✓`, in one line.

    What matters least goes where there is no room for all; a result that was made with other
    settings than the present ones has no ✓ and says what changed.
    """
    measures, room = result.measures, widget.size.width - 2
    stale = staleness(result, session.project)
    proven = [f"k={measures.privacy.k:,}"]
    proven += dict.fromkeys(each.requirement.model.short for each in measures.privacy.required)
    risk = result.task.privacy.risk
    proven += [] if risk is None else [f"risk≤{risk.max:g}"]
    verified = f"verified {' '.join(proven)}"
    parts: list[tuple[int, Text]] = [
        (0, Text(f"{result.algorithm.name} k={result.task.k:,}", "bold")),
        (1, Text(f"NCP {short_figure(measures.ncp)}")),
        (5, Text(f"RV {short_figure(measures.rv)}")),
        (4, Text(f"{measures.classes:,} classes")),
        (3, Text(f"{measures.suppressed_records:,} supp{'.' if room < WIDE else 'ressed'}")),
        (1, Text(verified) if stale else Text(f"{verified} ✓", theme_style(widget, "success"))),
    ]
    if len(session.results) > 1 and result in session.results:
        number = session.results.index(result) + 1
        parts.append((2, Text(f"run {number} of {len(session.results)}", "dim")))
    if stale:
        changed = Text(f"! changed since: {visible(stale)}", theme_style(widget, "warning"))
        parts.append((0, changed))
    if result.notes:
        notes = Text(f"! {count_of(len(result.notes), 'note')}: R", theme_style(widget, "warning"))
        parts.append((1, notes))
    return _in_one_line(parts, room)


def _in_one_line(parts: Sequence[tuple[int, Text]], room: int) -> Text:
    """The parts that fit, in their order; those with the highest number go first."""
    kept = list(parts)
    while True:
        line = Text(" · ").join(text for _, text in kept)
        worst = max(rank for rank, _ in kept)
        if line.cell_len <= room or not worst:
            break
        last = max(x for x, (rank, _) in enumerate(kept) if rank == worst)
        kept.pop(last)
    line.truncate(max(room, 1), overflow="ellipsis")
    return line


def record_text(
    rows: RecordRows,
    record: int,
    column: str,
    widget: Widget,
    because: str = "",
    rules: Sequence[RuleVerdict] = (),
) -> Text:
    """`record 413: class 17 of 61, 12 records · age 37 → 30-39 because …`, and the rules kept."""
    number = f"record {rows.numbers[record]:,}: "
    if rows.suppressed[record]:
        starred = rows.result.task.output.suppressed == "star"
        how = "published as * only" if starred else "not in the release"
        return Text.assemble(
            number, ("× suppressed", theme_style(widget, "error")), f": {how} (w tells why)"
        )
    this = int(rows.classes[record])
    text = Text(
        f"{number}class {this + 1:,} of {len(rows.sizes):,}, "
        f"{count_of(int(rows.sizes[this]), 'record')} · "
    )
    before, after = rows.original[column][record], rows.text(column, record)
    text.append(visible(column), "bold")
    if column not in rows.place:
        text.append(f" {visible(before)}: not a quasi-identifier, published as it is")
    elif before == after:
        text.append(f" {visible(before)}: published as it is")
    else:
        text.append(f" {visible(before)} → ")
        text.append(visible(after), theme_style(widget, "accent", bold=True))
    if because:
        text.append(f" because {visible(because)}")
    if rules and widget.app.size.width < WIDE:
        text.append(f" · {sum(rule.kept for rule in rules)} of {len(rules)} rules kept")
        return text
    for verdict in rules:
        mark, colour = ("✓", "success") if verdict.kept else ("✗", "error")
        text.append(f" · {visible(verdict.rule)} ")
        text.append(mark, theme_style(widget, colour))
    return text
