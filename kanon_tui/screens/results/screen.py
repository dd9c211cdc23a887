"""6 Results: before and after side by side, why, figures, runs, comparison and export."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual import getters, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.registry import ANALYSES
from kanon_tui.core.analysis.why.reasons import Explanation
from kanon_tui.core.editing.changes import staleness
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError
from kanon_tui.core.metrics.cautions import Caution
from kanon_tui.core.pipeline.trial import folded
from kanon_tui.core.privacy.alpha_k import AlphaKAnonymity
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.text import count_of, visible
from kanon_tui.screens.base import ask_what_to_copy
from kanon_tui.screens.before_publishing import caution_sentence, offer_to_leave_out
from kanon_tui.screens.results.export import Exporter
from kanon_tui.screens.results.figures import (
    PANELS,
    FigurePanel,
    disclosures,
    runs_table,
    short_figure,
)
from kanon_tui.screens.results.records_pane import RecordsPane
from kanon_tui.screens.results.runs import RunsScreen, difference_line
from kanon_tui.widgets.dialogs import Dialog, choose
from kanon_tui.widgets.drawing import theme_style
from kanon_tui.widgets.grid import Grid
from kanon_tui.widgets.lists import ScrollPane


class WhyDialog(Dialog):
    """The explanation of a cell, an attribute or a suppressed record; escape closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,w,q", "dismiss(None)", "Close")]

    def __init__(self, why: Explanation) -> None:
        super().__init__()
        self.why = why

    def compose(self) -> ComposeResult:
        with Vertical(), ScrollPane():
            yield from self._parts(self.why)

    def on_mount(self) -> None:
        """Stay clear of the cell that is explained, and let the arrow keys scroll."""
        self.query_one(Vertical).border_subtitle = "↑ ↓ scroll, esc closes"
        focused = self.app.screen_stack[-2].focused
        if isinstance(focused, Grid):
            row = focused.region.y + focused.row - focused.scroll_offset.y
            self.styles.align_vertical = "bottom" if 2 * row < self.size.height else "top"
        self.query_one(ScrollPane).focus()

    def _parts(self, why: Explanation) -> Iterator[Widget]:
        """Yield the answer, single changes that would have kept more, and the rules."""
        yield Static(_answer(why), id="why")
        if why.changes:
            yield Static("What would have kept more, each alone:", classes="head")
        elif why.because:
            yield Static("No single change would have kept more.", classes="head")
        for change in why.changes:
            yield _item(Text("• ", theme_style(self, "accent")), change.sentence)
        if why.rules:
            yield Static("Rules:", classes="head")
        for verdict in why.rules:
            mark, colour = ("✓ keeps ", "success") if verdict.kept else ("✗ breaks ", "error")
            sentence = f"{verdict.rule} (importance {verdict.importance:g})"
            yield _item(Text(mark, theme_style(self, colour)), sentence)


def _answer(why: Explanation) -> Text:
    """Return the question and its answer; values are shown as they are."""
    text = Text.assemble((f"{visible(why.question)}\n", "bold"))
    if why.because:
        text.append(f"\nBecause {visible(why.because)}.\n")
    if why.facts:
        text.append("\n")
    for fact in why.facts:
        text.append(f"{visible(fact)}\n")
    text.rstrip()
    return text


def _item(mark: Text, sentence: str) -> Widget:
    """Return a mark and a text that wraps beside it."""
    text = Static(Text(visible(sentence)), classes="sentence")
    return Horizontal(Static(mark, classes="mark"), text, classes="item")


NEED_RESULT = frozenset(
    {
        "why", "records", "export", "rerun", "panel", "compare",
        "copy", "strings", "require", "leave_out",
    }
)  # fmt: skip
NARROWEST_PANEL = 47
"""Least width of the figures beside the records."""
WIDE = 100
"""Width of the summary from which on words are not shortened."""
ONLY_EARLIER = "No result yet: enter runs an earlier one again, 5 sets up a new one."
EMPTY = "No result yet. Press 5, choose an algorithm, and press r: the release is shown here."


def with_analyses(bindings: Sequence[Binding]) -> list[BindingType]:
    """Return the keys of Results with those of analyses; of two for one key the first has it."""
    taken = {binding.key for binding in bindings}
    together = [*bindings]
    for analysis in ANALYSES.values():
        if analysis.key and analysis.key not in taken:
            taken.add(analysis.key)
            title = analysis.title.lower()
            name = analysis.name
            together.append(
                Binding(analysis.key, f"app.analysis('{name}')", title, id=f"results.{name}")
            )
    return [*together]


class ResultsScreen(RunsScreen):
    """The results screen: one result in front, with the other runs of the session."""

    STEP = "results"
    records = getters.query_one(RecordsPane)
    figures = getters.query_one(FigurePanel)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = with_analyses(
        [
            Binding("w", "why", "why", id="results.why"),
            Binding("o", "records('switch_class')", "only its class", id="results.class"),
            Binding(
                "equals_sign", "records('next_view')", "view", key_display="=", id="results.view"
            ),
            Binding("n", "records('next_record', 1)", "next", id="results.next"),
            Binding(
                "N", "records('next_record', -1)", "previous", show=False, id="results.previous"
            ),
            Binding(
                "u", "records('next_suppressed')", "suppressed", show=False, id="results.suppressed"
            ),
            Binding("s", "records('sort_records')", "sort", id="results.sort"),
            Binding("x", "export", "export", id="results.export"),
            Binding("plus", "rerun(1)", "k±1", key_display="+-", id="results.more"),
            Binding("minus", "rerun(-1)", "k−1", show=False, id="results.less"),
            Binding("f", "panel('metrics')", "figures", id="results.metrics"),
            Binding("P", "panel('privacy')", "privacy", id="results.privacy"),
            Binding("R", "panel('runs')", "runs", id="results.runs"),
            Binding("C", "compare", "compare", id="results.compare"),
            Binding("E", "strings", "levels", id="results.strings"),
            Binding("K", "require", "beyond k", id="results.require"),
            Binding("O", "leave_out", "leave columns out", show=False, id="results.leave-out"),
            Binding(
                "b", "panel('attributes')", "by attribute", show=False, id="results.attributes"
            ),
            Binding("d", "panel('class sizes')", "class sizes", show=False, id="results.sizes"),
            Binding("slash", "records('ask_find')", "find", show=False, id="results.find"),
            Binding(
                "number_sign", "records('ask_number')", "record", show=False, id="results.record"
            ),
            Binding(
                "delete", "forget_runs", "forget earlier runs", show=False, id="results.forget"
            ),
            Binding("y", "copy", "copy", show=False, id="results.copy"),
            Binding("escape", "back", "back", show=False),
        ]
    )

    def __init__(self) -> None:
        super().__init__()
        self.panel = ""
        """The figures beside the records; empty for none."""
        self._panel_in_front = False
        """Whether a small screen shows the figures instead of the records."""
        self._rerun_of: FinishedRun | None = None
        """The result that the one shown was run again from."""
        self._session_shown: Session | None = None
        self._newest: FinishedRun | None = None
        """The newest result when the screen was last filled."""

    def body(self) -> Iterable[Widget]:
        yield Static(id="summary")
        yield Static(Text(EMPTY), id="empty")
        with Container(id="panes"):
            yield RecordsPane(id="records")
            yield FigurePanel(id="panel")
        yield Static(id="record-line")

    def on_mount(self) -> None:
        """Focus the records, and show the progress of a run in the background."""
        self.records.focus_rows()
        self.set_interval(1 / 5, self._show_progress)
        self.watch(self, "maximized", self._fit_panel, init=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the keys that need a result while there is none."""
        earlier = bool(self.host.earlier_runs)
        if action == "forget_runs":
            return earlier
        if action in NEED_RESULT and not (earlier and parameters == ("runs",)):
            return self.result is not None
        return True

    # -- which result

    def show(self, session: Session) -> None:
        """Show the newest result if there is a new one, else the one that was shown."""
        if session is not self._session_shown:
            self._session_shown = session
            self.result = self._newest = self._rerun_of = None
        earlier = self.host.earlier_runs
        self.set_class(not session.results and not earlier, "-empty")
        if session.results and session.results[-1] is not self._newest:
            self.show_result(session.results[-1])
        self.fill()

    def show_result(self, result: FinishedRun, before: FinishedRun | None = None) -> None:
        """Put a result in front; `before` is what it was run again from."""
        if self.result is None and self.panel == "runs":  # earlier runs were shown instead
            self.panel = ""
            self._panel_in_front = False
            self.records.focus_rows()
        self._newest = self.session.results[-1]
        self.result = result
        self._rerun_of = before
        self.query_one("#record-line").styles.min_height = None
        self.records.show(result)
        self.fill()

    def fill(self) -> None:
        if self.result is None and self.host.earlier_runs:
            self.call_after_refresh(self._show_earlier_runs)  # the size is known then
        self._fill_summary()
        self._fill_panel()
        self.refresh_bindings()

    def _show_earlier_runs(self) -> None:
        """Show the earlier runs while there is no result."""
        if self.result is None and self.is_mounted:
            self.panel, self._panel_in_front = "runs", self.small
            self._fill_panel()
            self.figures.grid.focus()

    def _fill_summary(self) -> None:
        text = Text()
        if self.result is None and self.host.earlier_runs:
            text = Text(self.under_way.progress if self.under_way else ONLY_EARLIER)
        if self.result is not None:
            text = summary_text(self.result, self.session, self)
            if self.under_way is not None:
                text.append(f"\n{self.under_way.progress}", "bold")
            elif self._rerun_of is not None:
                text.append(f"\n{difference_line(self._rerun_of, self.result)}", "bold")
        self.query_one("#summary", Static).update(text)

    def _show_progress(self) -> None:
        if self.under_way is not None and self.is_current:
            self._fill_summary()

    @on(RecordsPane.Described)
    def show_record_line(self, event: RecordsPane.Described) -> None:
        """Show the line about the record under the cursor."""
        line = self.query_one("#record-line", Static)
        line.update(event.text)
        self.call_after_refresh(self._keep_height, line)

    @staticmethod
    def _keep_height(line: Static) -> None:
        """Keep the height of a long explanation, so that the records do not jump."""
        line.styles.min_height = max(2, line.size.height)

    def on_resize(self) -> None:
        """Let the line about the record have another height."""
        self.query_one("#record-line").styles.min_height = None

    # -- figures

    def _fill_panel(self) -> None:
        panel = self.figures
        result = self.result
        self.set_class(not self.panel, "-no-panel")
        self.set_class(self._panel_in_front, "-panel")
        if not self.panel or (result is None and self.panel != "runs"):
            return
        if result is None or self.panel == "runs":
            earlier = self.host.earlier_runs
            panel.show("runs", runs_table(self.session.results, result, earlier))
        else:
            panel.show(self.panel, PANELS[self.panel](result))
        self._fit_panel()

    def _fit_panel(self) -> None:
        """Give the figures beside the records the width they need; zoomed ones have it all."""
        panel = self.figures
        panel.styles.width = None
        if self.has_class("-wide") and self.maximized is None:
            most = max(NARROWEST_PANEL, self.size.width * 2 // 5)
            panel.styles.width = min(max(panel.natural_width, NARROWEST_PANEL), most)

    @property
    def small(self) -> bool:
        """Whether records and figures have room for one at a time."""
        return self.has_class("-narrow") and self.has_class("-short")

    def action_panel(self, name: str) -> None:
        """Show a panel and go there, or hide it; a small screen shows it alone."""
        shown = self.panel == name and (self._panel_in_front or not self.small)
        self._panel_in_front = not shown and self.small
        if not shown:
            self.panel = name
        elif not self.small:
            self.panel = ""
        self._fill_panel()
        if shown:
            self.records.focus_rows()
        else:
            self.figures.grid.focus()

    def _records_in_front(self) -> None:
        """Bring the records in front, where questions about them are answered."""
        if self._panel_in_front:
            self.action_panel(self.panel)

    @on(Grid.Chosen, "FigurePanel Grid")
    def chosen(self, event: Grid.Chosen) -> None:
        """Show the run, or explain the attribute, on which enter was pressed."""
        results = self.session.results
        if self.panel == "runs" and event.row >= len(results):
            self.repeat(self.host.earlier_runs[event.row - len(results)])
        elif self.panel == "runs":
            self._records_in_front()
            self.show_result(results[event.row])
        elif self.panel == "attributes":
            self.action_why()

    # -- records

    def action_records(self, method: str, *arguments: int) -> None:
        """Bring the records in front and call a method of their pane."""
        self._records_in_front()
        getattr(self.records, method)(*arguments)

    def action_copy(self) -> None:
        """Copy a cell, a row or a column to the terminal."""
        records = self.records
        ask_what_to_copy(self, records.tables_to_copy, records.place, records.column)

    def action_back(self) -> None:
        """Leave the figures, stop a run, or show all classes again."""
        if self._panel_in_front:
            self._records_in_front()
        elif self.records.is_searching:
            self.records.stop_searching()
        elif self.under_way is not None:
            self.under_way.stop()
        elif self.records.shown.only_class is not None:
            self.records.switch_class()
        else:
            self.records.wanted = ""

    @on(Grid.Chosen, "RecordsPane Grid")
    def action_why(self) -> None:
        """Explain the cell under the cursor, or the attribute in the panel."""
        question: Callable[[], Explanation] | None = self.records.question()
        if self.figures.grid.has_focus and self.panel == "attributes":
            question = self.records.attribute_question(self._attribute_in_panel())
        if question is not None:
            self.load(question, lambda why: self.ask(WhyDialog(why)))
        else:
            column = self.records.column
            self.host.notify(f"{column} is not a quasi-identifier and is published as it is")

    def _attribute_in_panel(self) -> int:
        """Return the attribute of the panel's row; rules stand below their attribute."""
        assert self.result is not None
        row = self.figures.grid.row
        for x, measured in enumerate(self.result.measures.attributes.values()):
            row -= 1 + len(measured.rules)
            if row < 0:
                return x
        return 0

    # -- runs

    def action_compare(self) -> None:
        """Compare the result in front with the one chosen among the runs, or ask for one."""
        row = self.figures.grid.row
        listed = self.panel == "runs" and row < len(self.session.results)
        self.compare(row if listed else None)

    def action_require(self) -> None:
        """Ask what the next run must keep of a sensitive attribute, beyond k."""
        if self.result is None:
            return
        by_attribute = self.result.measures.privacy.disclosures
        options: list[tuple[str, Callable[[], object]]] = []
        for name in sorted(by_attribute, key=lambda name: -by_attribute[name].revealed):
            for model in (DistinctLDiversity(2, name), AlphaKAnonymity(0.5, name)):
                options.append((f"{model.short}: {model}", partial(self._require, model)))
        if not options:
            raise InputError("no attribute is sensitive; press s on one on screen 2")
        hint = "the requirement is added to the project; screen 5 has other bounds and models"
        choose(self, "What must every class have?", options, hint)

    def _require(self, model: PrivacyModel) -> None:
        project = self.session.project
        same = (model.name, model.attribute)
        other_requirements = [
            r for r in project.privacy.requirements if (r.name, r.attribute) != same
        ]
        privacy = replace(project.privacy, requirements=(*other_requirements, model))
        self.edit(replace(project, privacy=privacy), f"{model.short} required")
        self.host.go_to_step("run")
        self.host.notify(f"required: {model}. r runs again")

    def action_leave_out(self) -> None:
        """Decide about the columns that k does not cover and that leave people unique."""
        if self.result is not None:
            offer_to_leave_out(self, self.result)

    def action_export(self) -> None:
        """Write the release, the report, the mapping or the command line."""
        if self.result is not None:
            Exporter(self, self.result).ask()


def summary_text(result: FinishedRun, session: Session, widget: Widget) -> Text:
    """Return `global k=5 · verified k=7 ✓ · NCP .187 · RV .413 · 61 classes · 0 suppressed`.

    A caution about the release takes away its green ✓ and stands in a line of its own. What k does
    not cover stands behind *verified*, or below where there is no room. What matters
    least goes where there is no room for all; a result that was made with other
    settings than the present ones has no ✓ and says what changed.
    """
    measures = result.measures
    width = widget.size.width - 2
    stale = staleness(result, session.project)
    proven = [f"k={measures.privacy.k:,}"]
    proven += dict.fromkeys(proof.requirement.model.short for proof in measures.privacy.required)
    risk = result.task.privacy.risk
    proven += [] if risk is None else [f"risk≤{risk.max:g}"]
    subsets = result.task.subsets
    proven += [] if subsets is None else [f"any {subsets.m}: {subsets.k:,}"]
    verified = f"verified {' '.join(proven)}"
    tick = Text(f"{verified} ✓", theme_style(widget, "success"))
    if result.is_amber:
        tick = Text(f"{verified} !", theme_style(widget, "warning"))
    parts: list[tuple[int, Text]] = [
        (0, Text(f"{result.algorithm.name} k={result.task.k:,}", "bold")),
        (1, Text(verified) if stale else tick),
        (1, Text(f"NCP {short_figure(measures.ncp)}")),
        (5, Text(f"RV {short_figure(measures.rv)}")),
        (4, Text(f"{measures.classes:,} classes")),
        (3, Text(f"{measures.suppressed_records:,} supp{'.' if width < WIDE else 'ressed'}")),
    ]
    if len(session.results) > 1 and result in session.results:
        number = session.results.index(result) + 1
        parts.append((2, Text(f"run {number} of {len(session.results)}", "dim")))
    if stale:
        changed = Text(f"! changed since: {visible(stale)}", theme_style(widget, "warning"))
        parts.append((0, changed))
    if notes := folded(result.notes):
        text = f"{count_of(len(notes), 'note')}: R"
        warns = bool(result.warnings)
        parts.append(
            (1, Text(f"! {text}", theme_style(widget, "warning")) if warns else Text(text))
        )
    below = [_caution_line(caution, width, widget) for caution in result.cautions]
    disclosed = disclosures(result)
    if not disclosed:
        return Text("\n").join([_in_one_line(parts, width), *below])
    more = f", and {len(disclosed) - 1:,} more (P)" if len(disclosed) > 1 else ""
    warning = Text(
        visible(f"! {disclosed[0]}{more} (K: what to require)"), theme_style(widget, "warning")
    )
    one_line = _in_one_line([*parts[:2], (0, warning), *parts[2:]], width)
    if one_line.cell_len < width and "NCP" in one_line.plain:
        return Text("\n").join([one_line, *below])
    warning.truncate(max(width, 1), overflow="ellipsis")
    return Text("\n").join([_in_one_line(parts, width), *below, warning])


def _caution_line(caution: Caution, width: int, widget: Widget) -> Text:
    """Return the line of a caution: amber with a mark where it speaks against the release."""
    line = Text(caution_sentence(caution))
    if caution.is_amber:
        line = Text(f"! {caution_sentence(caution)}", theme_style(widget, "warning"))
    line.truncate(max(width, 1), overflow="ellipsis")
    return line


def _in_one_line(parts: Sequence[tuple[int, Text]], width: int) -> Text:
    """Return the parts that fit in their order; those with the highest number are dropped first."""
    shown_parts = list(parts)
    while True:
        line = Text(" · ").join(text for _, text in shown_parts)
        worst = max(rank for rank, _ in shown_parts)
        if line.cell_len <= width or not worst:
            break
        last = max(x for x, (rank, _) in enumerate(shown_parts) if rank == worst)
        shown_parts.pop(last)
    line.truncate(max(width, 1), overflow="ellipsis")
    return line
