"""6 Results: before and after side by side, why, figures, runs, comparison and export."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.why.reasons import Why
from kanon_tui.core.editing.session import Session
from kanon_tui.core.engine.result import StreamedResult
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.run.result import Result
from kanon_tui.screens.base import StepScreen
from kanon_tui.screens.copying import ask_what_to_copy
from kanon_tui.screens.dialogs import AskText
from kanon_tui.screens.results.described import Described
from kanon_tui.screens.results.export_files import exporter_of
from kanon_tui.screens.results.figure_panel import FigurePanel
from kanon_tui.screens.results.figure_tables import PANELS, runs_table
from kanon_tui.screens.results.records_pane import RecordsPane
from kanon_tui.screens.results.release_pane import ReleasePane
from kanon_tui.screens.results.results_help import RESULTS_HELP
from kanon_tui.screens.results.runs import Runs, difference_line
from kanon_tui.screens.results.status_lines import summary_text
from kanon_tui.screens.results.twin_grids import TwinGrids
from kanon_tui.screens.results.why_dialog import WhyDialog

__all__ = ["ResultsScreen"]

NEED_RESULT = frozenset(
    {
        "why", "class", "next", "next_suppressed", "sort", "export", "rerun", "panel", "compare",
        "find", "record", "copy", "strings",
    }
)  # fmt: skip
NARROWEST_PANEL = 47
"""Cells that the figures have at least beside the records."""
ONLY_EARLIER = "No result yet: enter runs an earlier one again, 5 sets up a new one."
EMPTY = "No result yet. Press 5, choose an algorithm, and press r: the release is shown here."


class ResultsScreen(StepScreen):
    """One result in front; the other runs of the session behind it."""

    STEP = "results"
    HELP = RESULTS_HELP
    DEFAULT_CSS = """
    ResultsScreen #summary { height: auto; padding: 0 1; }
    ResultsScreen #empty { height: 1fr; padding: 1 2; display: none; }
    ResultsScreen #panes { height: 1fr; layout: horizontal; }
    ResultsScreen #panel { width: 47; }
    ResultsScreen #record-line { height: auto; min-height: 2; max-height: 40%; padding: 0 1; }
    ResultsScreen.-narrow #panes { layout: vertical; }
    ResultsScreen.-narrow #panel { width: 1fr; height: 14; }
    ResultsScreen.-narrow.-short #panel { height: 1fr; display: none; }
    ResultsScreen.-narrow.-short.-panel #panel { display: block; }
    ResultsScreen.-narrow.-short.-panel #records { display: none; }
    ResultsScreen.-no-panel #panel { display: none; }
    ResultsScreen.-streamed #records { display: none; }
    ResultsScreen.-streamed #files { display: block; }
    ResultsScreen.-narrow.-short.-panel #files { display: none; }
    ResultsScreen.-empty #empty { display: block; }
    ResultsScreen.-empty #panes, ResultsScreen.-empty #record-line { display: none; }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (120, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "why", "why", id="results.why"),
        Binding("o", "class", "only its class", id="results.class"),
        Binding("i", "before", "in it before", id="results.before"),
        Binding("n", "next(1)", "next", id="results.next"),
        Binding("N", "next(-1)", "previous", show=False, id="results.previous"),
        Binding("u", "next_suppressed", "suppressed", show=False, id="results.suppressed"),
        Binding("s", "sort", "sort", id="results.sort"),
        Binding("x", "export", "export", id="results.export"),
        Binding("plus", "rerun(1)", "k±1", key_display="+-", id="results.more"),
        Binding("minus", "rerun(-1)", "k−1", show=False, key_display="-", id="results.less"),
        Binding("f", "panel('metrics')", "figures", id="results.metrics"),
        Binding("P", "panel('privacy')", "privacy", id="results.privacy"),
        Binding("R", "panel('runs')", "runs", id="results.runs"),
        Binding("C", "compare", "compare", id="results.compare"),
        Binding("L", "app.analysis('Linking attack')", "linking attack", id="results.attack"),
        Binding("E", "strings", "levels", id="results.strings"),
        Binding("F", "app.analysis('k feasibility')", "k feasibility", id="results.feasibility"),
        Binding("T", "app.analysis('Decision trees')", "decision trees", id="results.trees"),
        Binding("U", "app.analysis('Utility')", "utility", id="results.utility"),
        Binding("B", "app.analysis('Earlier release')", "earlier release", id="results.rerelease"),
        Binding("M", "app.analysis('Risk models')", "risk models", id="results.risk"),
        Binding("b", "panel('attributes')", "by attribute", show=False, id="results.attributes"),
        Binding("d", "panel('class sizes')", "class sizes", show=False, id="results.sizes"),
        Binding("slash", "find", "find", key_display="/", show=False, id="results.find"),
        Binding(
            "number_sign", "record", "record", key_display="#", show=False, id="results.record"
        ),
        Binding("delete", "forget_runs", "forget earlier runs", show=False, id="results.forget"),
        Binding("y", "copy", "copy", show=False, id="results.copy"),
        Binding("escape", "back", "back", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.panel = "attributes"
        """The figures beside the records; empty for none."""
        self._panel_in_front = False
        """Whether a small screen shows them in the place of the records."""
        self.runs = Runs(self, in_front=lambda: self.result, show=self.show_result, fill=self.fill)
        self._rerun_of: FinishedRun | None = None
        """The result that the one shown was run again from."""
        self._session_shown: Session | None = None
        self._newest: FinishedRun | None = None
        """The last of the session's results when they were looked at."""

    def body(self) -> Iterable[Widget]:
        yield Static(id="summary")
        yield Static(Text(EMPTY), id="empty")
        with Container(id="panes"):
            yield RecordsPane(id="records")
            yield ReleasePane(id="files")
            yield FigurePanel(id="panel")
        yield Static(id="record-line")

    @property
    def records(self) -> RecordsPane | ReleasePane:
        """The pane of the records: before and after, or the files of a streamed release."""
        if isinstance(self.result, StreamedResult):
            return self.query_one(ReleasePane)
        return self.query_one(RecordsPane)

    def on_mount(self) -> None:
        """The records have the focus; a run in the background is looked at now and then."""
        self.records.focus_rows()
        self.set_interval(1 / 5, self._show_progress)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a result nothing here works."""
        earlier = bool(self.host.earlier_runs)
        if action == "forget_runs":
            return earlier
        if action == "before":
            return isinstance(self.result, StreamedResult)
        if action in NEED_RESULT and not (earlier and parameters == ("runs",)):
            return self.result is not None
        return True

    # -- which result

    def show(self, session: Session) -> None:
        """The newest result when there is a new one, else the one that was shown."""
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
        if self.result is None and self.panel == "runs":  # earlier ones stood in for it
            self.panel, self._panel_in_front = "attributes", False
            self.records.focus_rows()
        self._newest = self.session.results[-1]
        self.result, self._rerun_of = result, before
        self.query_one("#record-line").styles.min_height = None
        streamed = isinstance(result, StreamedResult)
        if isinstance(result, StreamedResult):
            self.query_one(ReleasePane).show(result)
        elif isinstance(result, Result):
            self.query_one(RecordsPane).show(result)
        if streamed != self.has_class("-streamed"):
            self.set_class(streamed, "-streamed")
            if not self.query_one(FigurePanel).grid.has_focus:
                self.records.focus_rows()
        self.fill()

    def fill(self) -> None:
        if self.result is None and self.host.earlier_runs:
            self.call_after_refresh(self._show_earlier_runs)  # when it is known how large it is
        self._fill_summary()
        self._fill_panel()
        self.refresh_bindings()

    def _show_earlier_runs(self) -> None:
        """They stand in for a result while there is none."""
        if self.result is None and self.is_mounted:
            self.panel, self._panel_in_front = "runs", self.small
            self._fill_panel()
            self.query_one(FigurePanel).grid.focus()

    def _fill_summary(self) -> None:
        text = Text()
        if self.result is None and self.host.earlier_runs:
            under_way = self.runs.under_way
            text = Text(under_way.progress if under_way is not None else ONLY_EARLIER)
        if self.result is not None:
            text = summary_text(self.result, self.session, self)
            if self.runs.under_way is not None:
                text.append(f"\n{self.runs.under_way.progress}", "bold")
            elif self._rerun_of is not None:
                text.append(f"\n{difference_line(self._rerun_of, self.result)}", "bold")
        self.query_one("#summary", Static).update(text)

    def _show_progress(self) -> None:
        if self.runs.under_way is not None and self.is_current:
            self._fill_summary()

    @on(Described)
    def show_record_line(self, event: Described) -> None:
        """The line about the record under the cursor."""
        line = self.query_one("#record-line", Static)
        line.update(event.text)
        self.call_after_refresh(self._keep_height, line)

    @staticmethod
    def _keep_height(line: Static) -> None:
        """Once tall enough for a long explanation it stays so: records must not jump."""
        line.styles.min_height = max(2, line.size.height)

    def on_resize(self) -> None:
        """Another width has other lines."""
        self.query_one("#record-line").styles.min_height = None
        if self.host.session is not None:
            self.fill()

    # -- figures

    def _fill_panel(self) -> None:
        panel, result = self.query_one(FigurePanel), self.result
        self.set_class(not self.panel, "-no-panel")
        self.set_class(self._panel_in_front, "-panel")
        if not self.panel or (result is None and self.panel != "runs"):
            return
        if result is None or self.panel == "runs":
            earlier = self.host.earlier_runs
            panel.show("runs", runs_table(self.session.results, result, earlier))
        else:
            panel.show(self.panel, PANELS[self.panel](result))
        wide = self.has_class("-wide")
        most = max(NARROWEST_PANEL, self.size.width * 2 // 5)
        panel.styles.width = min(max(panel.natural_width, NARROWEST_PANEL), most) if wide else None

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
            self.query_one(FigurePanel).grid.focus()

    def _records_in_front(self) -> None:
        """What is asked about records is answered where they are seen."""
        if self._panel_in_front:
            self.action_panel(self.panel)

    @on(FigurePanel.Chosen)
    def chosen(self, event: FigurePanel.Chosen) -> None:
        """Enter shows a run, or explains an attribute."""
        results = self.session.results
        if self.panel == "runs" and event.row >= len(results):
            self.runs.repeat(self.host.earlier_runs[event.row - len(results)])
        elif self.panel == "runs":
            self._records_in_front()
            self.show_result(results[event.row])
        elif self.panel == "attributes":
            self.action_why()

    # -- records

    def action_sort(self) -> None:
        self._records_in_front()
        self.records.sort_records()

    def action_class(self) -> None:
        """Only the class of the record under the cursor, or all again."""
        self._records_in_front()
        self.records.switch_class()

    def action_next(self, direction: int) -> None:
        """The next record with what was looked for, else whose cell in this column changed."""
        self._records_in_front()
        self.records.next_record(direction)

    def action_next_suppressed(self) -> None:
        self._records_in_front()
        self.records.next_suppressed()

    def action_find(self) -> None:
        self._records_in_front()
        self.records.open_find()

    def action_record(self) -> None:
        """Ask for a record number, as screen 1 counts."""
        self._records_in_front()
        records = self.records
        self.ask(
            AskText("Go to record", check=records.number_of),
            lambda text: records.go_to_record(records.number_of(text)) if text else None,
        )

    def action_copy(self) -> None:
        """A cell, a row or a column of the side that has the focus, to the terminal."""
        what = self.records.copyable()
        if what is not None:
            ask_what_to_copy(self.host, self, what)

    def action_back(self) -> None:
        """Leave the find line or the figures, stop a run, or show all classes again."""
        if self._panel_in_front:
            self._records_in_front()
        elif self.records.finding:
            self.records.close_find()
        elif self.records.looking:
            self.records.stop_looking()
        elif self.runs.under_way is not None:
            self.runs.stop()
        elif self.records.only_class is not None:
            self.records.switch_class()
        else:
            self.records.looked_for = ""

    @on(TwinGrids.Chosen)
    def action_why(self) -> None:
        """Explain the cell under the cursor, or the attribute in the panel."""
        question: Callable[[], Why] | None = self.records.question()
        if self.query_one(FigurePanel).grid.has_focus and self.panel == "attributes":
            question = self.records.attribute_question(self._attribute_in_panel())
        if question is not None:
            self.compute(question, self._explain, group="why", holds_keys=True)
        else:
            self.host.say(self.records.why_not)

    def _explain(self, why: Why) -> None:
        self.ask(WhyDialog(why))

    def action_before(self) -> None:
        """What the records of the class under the cursor had before, of a release in files."""
        self._records_in_front()
        self.query_one(ReleasePane).ask_before(self._explain)

    def _attribute_in_panel(self) -> int:
        """Which attribute the row of the panel belongs to; rules stand below theirs."""
        assert self.result is not None
        row = self.query_one(FigurePanel).grid.row
        for x, measured in enumerate(self.result.measures.attributes.values()):
            row -= 1 + len(measured.rules)
            if row < 0:
                return x
        return 0

    # -- runs

    def action_rerun(self, step: int) -> None:
        """The same run with the neighbouring k, in the background."""
        self.runs.rerun(step)

    def action_forget_runs(self) -> None:
        """Forget the runs of earlier sittings, after a question."""
        self.runs.ask_to_forget()

    def action_compare(self) -> None:
        """The result in front beside another: the one chosen among the runs, or asked for."""
        row = self.query_one(FigurePanel).grid.row
        listed = self.panel == "runs" and row < len(self.session.results)
        self.runs.compare(row if listed else None)

    def action_strings(self) -> None:
        """The passing strings that were met, and any other that is built."""
        self.runs.choose_string()

    def action_export(self) -> None:
        """Write the release, the report, the mapping or the command line."""
        if self.result is not None:
            exporter_of(self, self.result).ask()
