"""The panel of an analysis, made from its declaration: a form of its options, and what is found.

An analysis with a panel of its own has a subclass, which gives other panes (`body`) and fills them
(`show_findings`); what is asked, computed and shown when is the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.analysis import (
    Analysis,
    Findings,
    LooksAt,
    Progress,
    required_options,
)
from kanon_tui.core.analysis.registry import find_analysis
from kanon_tui.core.analysis.subject import Subject
from kanon_tui.core.fields.declaration import Field, fields_of, optional
from kanon_tui.core.table.column import Role
from kanon_tui.core.text import visible
from kanon_tui.screens.panel import NO_RELEASE, AnalysisScreen, sections_text
from kanon_tui.services.background import cancellation_check
from kanon_tui.widgets.form import Form, Options
from kanon_tui.widgets.lists import ScrollPane
from kanon_tui.widgets.plot import Chart, Plot

REFRESH = 1 / 5
"""Seconds between two looks at what is found so far."""


def panel_of(name: str) -> AnalysisScreen:
    """Return the panel of an analysis, its own or the one that is made from the declaration."""
    analysis = find_analysis(name)
    if not analysis.panel:
        return AnalysisPanel(analysis)
    module, _, class_name = analysis.panel.partition(":")
    panel: AnalysisScreen = getattr(import_module(module), class_name)()
    return panel


def findings_text(findings: Findings) -> Text:
    """Return what an analysis found as a text: the sentences, then the sections."""
    text = Text("".join(f"{visible(sentence)}\n" for sentence in findings.summary))
    if findings.summary and findings.sections:
        text.append("\n")
    return text.append_text(sections_text(findings.sections))


class AnalysisPanel(AnalysisScreen):
    """The panel of an analysis: its options as a form, its findings as a text and as curves."""

    PANES: ClassVar[Mapping[str, str]] = {
        "#form-pane": "options",
        "#plot-pane": "",
        "#found": "findings",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "ask_again", "Run", id="analysis.run"),
        Binding("e", "choose_file", "File", id="analysis.file"),
    ]

    def __init__(self, analysis: type[Analysis]) -> None:
        super().__init__()
        self.analysis = analysis
        self.found: Findings | None = None
        """What is shown: the findings, or those of an analysis that still goes on."""
        self._newest: Findings | None = None

    def body(self) -> Iterable[Widget]:
        fields, values, options = self._form_contents()
        with Container(id="panes"):
            with Vertical(classes="pane", id="form-pane"):
                yield Form(fields, values, options)
            with Vertical(classes="pane", id="plot-pane"):
                yield Plot()
            with ScrollPane(id="found", classes="pane"):
                yield Static(id="figures")

    def begin(self) -> None:
        """Begin with the options as they are proposed, unless something must be chosen first."""
        fields = fields_of(self.analysis)
        self.set_class(not fields, "-no-options")
        if fields:
            self.query_one("#form-pane").border_subtitle = "enter computes"
            self.query_one(Form).focus_field(fields[0].name)
        else:
            self.query_one("#found").focus()
        self.set_interval(REFRESH, self._show_newest)
        if self._can_begin():
            self.action_ask_again()

    # -- what is asked

    def _form_contents(self) -> tuple[Sequence[Field], Mapping[str, Any], Options]:
        """Return the options as fields, what they begin with, and columns to choose among."""
        fields = []
        columns = [(name, name) for name in self._columns()]
        choices: dict[str, Sequence[tuple[str, Any]]] = {}
        required = required_options(self.analysis)
        values = dict(self.analysis.proposed(self.subject()))
        for option in fields_of(self.analysis):
            must_be_given = option.name in required
            if option.type.name == "column" and columns:
                choices[option.name] = columns if must_be_given else [("–", None), *columns]
                if must_be_given:
                    values.setdefault(option.name, columns[0][1])
            elif must_be_given and option.name not in values:
                option = replace(option, type=optional(option.type))  # empty until it is typed
            fields.append(option)
        return fields, values, choices

    def _columns(self) -> Sequence[str]:
        """Return the columns to choose among; what is published as it is comes first."""
        if self.result is None:
            return [*self.session.project.attributes]
        roles = self.result.task.roles
        return sorted(self.published, key=lambda name: roles[name] is Role.QUASI)

    def _can_begin(self) -> bool:
        values = self.query_one(Form).values
        is_complete = all(values[name] is not None for name in required_options(self.analysis))
        return is_complete and not (self.looks_at_release and self.result is None)

    @property
    def looks_at_release(self) -> bool:
        """Whether the analysis needs a release."""
        return self.analysis.looks_at is LooksAt.RELEASE

    def subject(self) -> Subject:
        """Return what is looked at: the release in view, or the table of the project."""
        if self.result is not None and (self.looks_at_release or self.run_on_results is not None):
            return Subject(self.project, result=self.result)
        return Subject(self.session.project, prepare_task=self.session.task)

    def options(self) -> Mapping[str, Any] | None:
        """Return the options as they are typed; None where one is not valid."""
        return self.query_one(Form).accept()

    # -- asking

    @on(Form.Left)
    def leave_form(self) -> None:
        """Go back: what is found can be read without a focus in the form."""
        self.action_back()

    @on(Form.Changed)
    def changed(self) -> None:
        """Ask with the options that were typed."""
        if self._can_begin():
            self.released()

    def action_ask_again(self) -> None:
        """Ask with what the form says."""
        self.released()

    def released(self) -> None:
        """Ask about the release that is looked at, with these options."""
        options = self.options()
        if options is None or (self.looks_at_release and self.result is None):
            return
        missing = [name for name in required_options(self.analysis) if options[name] is None]
        if missing:
            self.query_one(Form).focus_field(missing[0])
            return
        self._newest = None
        work = partial(self._ask, self.analysis, options, self.subject())
        self.in_background(work, self._finish, "computing")

    def _ask(
        self, analysis: type[Analysis], options: Mapping[str, Any], subject: Subject
    ) -> Findings:
        """Return what is found; in a thread."""
        stop = cancellation_check()
        progress = Progress(stop, partial(self._take, stop))
        return analysis(**options).run(subject, progress)

    def _take(self, is_stopped: Any, findings: Findings) -> None:
        """Keep what is found so far, until it is drawn; in a thread."""
        if not is_stopped():
            self._newest = findings

    def _show_newest(self) -> None:
        if self._newest is not None and self._newest is not self.found:
            self._finish(self._newest)

    def _finish(self, findings: Findings) -> None:
        self.found = self._newest = findings
        self.show_findings(findings)

    def action_choose_file(self) -> None:
        """Choose the file of the option that is one."""
        self.ask_file(self._file_option().help, self._take_file)

    def _take_file(self, path: Path) -> None:
        name = self._file_option().name
        self.query_one(f"#p-{name}").value = str(path)  # type: ignore[attr-defined]
        self.action_ask_again()

    def _file_option(self) -> Field:
        return next(each for each in fields_of(self.analysis) if each.type.name == "table")

    # -- showing

    def show_findings(self, findings: Findings) -> None:
        """Show what was found: the text, and the curves of the first section that has some."""
        curves = next((each.curves for each in findings.sections if each.curves), None)
        self.set_class(curves is not None, "-plotted")
        if curves is not None:
            self.query_one("#plot-pane").border_title = curves.title
            self.query_one(Plot).show([Chart(curves.title, curves.lines)], curves.labels)
        self.show_figures(findings_text(findings))

    def status(self) -> Text:
        """Return the line on top: the analysis, and the release that it looks at."""
        text = Text.assemble((self.analysis.title, "bold"))
        if self.looks_at_release and self.result is None:
            return text.append(f" · {NO_RELEASE}")
        if self.looks_at_release or self.run_on_results is not None:
            text.append(visible(self.release_name))
        return text.append(self.details())

    @property
    def help(self) -> str:
        """The explanation in Markdown: what is asked, how, and what the options are."""
        lines = [f"## {self.analysis.title}", "", getdoc(self.analysis) or self.analysis.question]
        options = [
            f"- **{option.name.replace('_', ' ')}**: {option.help} ({option.allowed})."
            for option in fields_of(self.analysis)
        ]
        return "\n".join([*lines, "", *options])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Show in the footer only the keys that work now."""
        if action == "release":
            return self.looks_at_release and len(self.session.results) > 1
        if action == "choose_file":
            return any(option.type.name == "table" for option in fields_of(self.analysis))
        return super().check_action(action, parameters)
