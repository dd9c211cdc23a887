"""The lines of text around a result: what it is in one line, and the record under the cursor."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.widget import Widget

from kanon_tui.core.analysis.why.reasons import RuleVerdict
from kanon_tui.core.editing.session import Session
from kanon_tui.core.report.reproduce import same_setup
from kanon_tui.core.run.result import Result
from kanon_tui.core.text import count_of
from kanon_tui.screens.results.figure_tables import short_figure
from kanon_tui.screens.results.record_rows import RecordRows
from kanon_tui.widgets.grid import printable
from kanon_tui.widgets.theme_style import theme_style

__all__ = ["record_text", "summary_text"]

WIDE = 100
"""Columns from which on there is room for words."""


def summary_text(result: Result, session: Session, widget: Widget) -> Text:
    """`global k=5 · NCP 0.187 · RV 0.4125 · 61 classes · 0 suppressed · verified k=7 ✓`."""
    measures = result.measures
    suppressed = "supp." if widget.size.width < WIDE else "suppressed"
    text = Text.assemble((f"{result.algorithm.name} k={result.task.k:,}", "bold"))
    text.append(
        f" · NCP {short_figure(measures.ncp)} · RV {short_figure(measures.rv)}"
        f" · {measures.classes:,} classes · {measures.suppressed_records:,} {suppressed} · "
    )
    proven = [f"k={measures.privacy.k:,}"]
    proven += dict.fromkeys(each.requirement.model.short for each in measures.privacy.required)
    text.append(f"verified {' '.join(proven)} ✓", theme_style(widget, "success"))
    if len(session.results) > 1 and widget.size.width >= WIDE:
        number = session.results.index(result) + 1 if result in session.results else 0
        text.append(f" · run {number} of {len(session.results)}", "dim")
    if result.project is not None and not same_setup(result.project, session.project):
        text.append(" · ! the set-up has changed since", theme_style(widget, "warning"))
    for note in result.notes[:1]:
        more = f" (and {len(result.notes) - 1} more notes in the report)"
        text.append(
            f"\n! {printable(note)}{more if len(result.notes) > 1 else ''}",
            theme_style(widget, "warning"),
        )
    return text


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
    text.append(printable(column), "bold")
    if column not in rows.place:
        text.append(f" {printable(before)}: not a quasi-identifier, published as it is")
    elif before == after:
        text.append(f" {printable(before)}: published as it is")
    else:
        text.append(f" {printable(before)} → ")
        text.append(printable(after), theme_style(widget, "accent", bold=True))
    if because:
        text.append(f" because {printable(because)}")
    if rules and widget.app.size.width < WIDE:
        text.append(f" · {sum(rule.kept for rule in rules)} of {len(rules)} rules kept")
        return text
    for verdict in rules:
        mark, colour = ("✓", "success") if verdict.kept else ("✗", "error")
        text.append(f" · {printable(verdict.rule)} ")
        text.append(mark, theme_style(widget, colour))
    return text
