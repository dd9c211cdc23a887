"""The panel of an analysis, made from its declaration: a form of its options, and what is found.

An analysis with a panel of its own has a subclass of `AnalysisPanel`, which gives other panes
(`body`), keys that choose options, and fills the panes (`show_findings`); what is asked, computed
and shown when is the same.
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
from textual.widgets import Input, Static

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
from kanon_tui.core.processes.interruption import Stop
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
        return FormPanel(analysis)
    module, _, class_name = analysis.panel.partition(":")
    panel = getattr(import_module(module), class_name)
    own: AnalysisScreen = panel(analysis) if issubclass(panel, AnalysisPanel) else panel()
    return own


def findings_text(findings: Findings) -> Text:
    """Return what an analysis found as a text: the sentences, then the sections."""
    text = Text("".join(f"{visible(sentence)}\n" for sentence in findings.summary))
    if findings.summary and findings.sections:
        text.append("\n")
    return text.append_text(sections_text(findings.sections))


class AnalysisPanel(AnalysisScreen):
    """A panel that asks an analysis about the release in view, and shows what is found."""

    def __init__(self, analysis: type[Analysis]) -> None:
        super().__init__()
        self.analysis = analysis
        self.options: dict[str, Any] = {each.name: each.default for each in fields_of(analysis)}
        """The options as they are chosen; a required one is None until it is."""
        self.findings: Findings | None = None
        """What is shown: the findings, or those of an analysis that still goes on."""
        self._newest: Findings | None = None
        self._options_shown = dict(self.options)
        """The options of what is shown: those of a question that failed are taken back."""

    @property
    def found(self) -> Any:
        """The findings that are shown; None before there are any."""
        if self.findings is None or self.findings.answer is None:
            return self.findings
        return self.findings.answer

    @property
    def doing(self) -> str:
        """The words of the line on top while the analysis is at work."""
        return "computing"

    @property
    def looks_at_release(self) -> bool:
        """Whether the analysis needs a release."""
        return self.analysis.looks_at is LooksAt.RELEASE

    def subject(self) -> Subject:
        """Return what is looked at: the release in view, or the table of the project."""
        if self.result is not None and (self.looks_at_release or self.run_on_results is not None):
            return Subject(self.project, result=self.result)
        return Subject(self.session.project, prepare_task=self.session.task)

    # -- asking

    def begin(self) -> None:
        """Ask with the options as they are, unless one must be chosen first."""
        self.set_interval(REFRESH, self._show_newest)
        self.released()

    def missing_options(self) -> list[str]:
        """Return the options that must be chosen before anything can be asked."""
        return [name for name in required_options(self.analysis) if self.options[name] is None]

    def set_options(self, **options: object) -> None:
        """Choose options, or the release that is looked at, and ask again."""
        for name, value in options.items():
            if name in self.options:
                self.options[name] = value
            else:
                setattr(self, name, value)
        self.released()
        self.draw_status()

    def released(self) -> None:
        """Ask about the release that is looked at, with these options."""
        if self.missing_options() or (self.looks_at_release and self.result is None):
            return
        self._newest = None
        options = dict(self.options)
        work = partial(self._ask, self.analysis, options, self.subject())
        self.in_background(work, partial(self._answered, options), self.doing)

    def _ask(
        self, analysis: type[Analysis], options: Mapping[str, Any], subject: Subject
    ) -> Findings:
        """Return what is found; in a thread."""
        stop = cancellation_check()
        progress = Progress(stop, partial(self._take, stop))
        return analysis(**options).run(subject, progress)

    def _take(self, is_stopped: Stop, findings: Findings) -> None:
        """Keep what is found so far, until it is drawn; in a thread."""
        if not is_stopped():
            self._newest = findings

    def _show_newest(self) -> None:
        if self._newest is not None and self._newest is not self.findings:
            self.show_new(self._newest)

    def _answered(self, options: Mapping[str, Any], findings: Findings) -> None:
        self._options_shown = dict(options)
        self.show_new(findings)

    def work_failed(self) -> None:
        """Take the options back with which nothing was found."""
        self.options = dict(self._options_shown)

    def action_table(self, option: str) -> None:
        """Ask for the file of an option that is a table."""
        if self.result is not None:
            self.ask_file(self.TABLES[option], partial(self._take_table, option))

    def _take_table(self, option: str, path: Path) -> None:
        self.set_options(**{option: path})

    def show_new(self, findings: Findings) -> None:
        """Show findings instead of what is shown."""
        self.findings = self._newest = findings
        self.show_findings(findings)

    # -- showing

    def show_findings(self, findings: Findings) -> None:
        """Show what was found."""
        self.show_figures(findings_text(findings))

    def status(self) -> Text:
        """Return the line on top: the analysis, and the release that it looks at."""
        text = Text.assemble((self.analysis.title.lower(), "bold"))
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
        return super().check_action(action, parameters)


class FormPanel(AnalysisPanel):
    """The panel that most analyses have: a form of the options, a text, and curves if there are."""

    PANES: ClassVar[Mapping[str, str]] = {
        "#form-pane": "options",
        "#plot-pane": "",
        "#found": "findings",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "ask_again", "Run", id="analysis.run"),
        Binding("e", "choose_file", "File", id="analysis.file"),
    ]

    def body(self) -> Iterable[Widget]:
        fields, values, choices = self._form_contents()
        with Container(id="panes"):
            with Vertical(classes="pane", id="form-pane"):
                yield Form(fields, values, choices)
            with Vertical(classes="pane", id="plot-pane"):
                yield Plot()
            with ScrollPane(id="found", classes="pane"):
                yield Static(id="figures")

    def begin(self) -> None:
        """Begin with the options as they are proposed."""
        self.set_class(not self.options, "-no-options")
        if self.options:
            self.query_one("#form-pane").border_subtitle = "enter computes"
            self.query_one(Form).focus_field(next(iter(self.options)))
        else:
            self.query_one("#found").focus()
        self.options |= self.query_one(Form).values
        super().begin()

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

    @on(Form.Left)
    def leave_form(self) -> None:
        """Go back: what is found can be read without a focus in the form."""
        self.action_back()

    @on(Form.Changed)
    def changed(self, event: Form.Changed) -> None:
        """Ask with the options that were typed."""
        self.set_options(**event.form.values)

    def action_ask_again(self) -> None:
        """Ask with what the form says, or go to what must be typed first."""
        values = self.query_one(Form).accept()
        if values is not None:
            self.set_options(**values)
            for name in self.missing_options()[:1]:
                self.query_one(Form).focus_field(name)

    def action_choose_file(self) -> None:
        """Choose the file of the option that is one."""
        self.ask_file(self._file_option().help, self._take_file)

    def _take_file(self, path: Path) -> None:
        entry = self.query_one(f"#p-{self._file_option().name}", Input)
        entry.value = str(path)
        self.action_ask_again()

    def _file_option(self) -> Field:
        return next(each for each in fields_of(self.analysis) if each.type.name == "table")

    def show_findings(self, findings: Findings) -> None:
        """Show what was found: the text, and the curves of the first section that has some."""
        curves = next((section.curves for section in findings.sections if section.curves), None)
        self.set_class(curves is not None, "-plotted")
        if curves is not None:
            self.query_one("#plot-pane").border_title = curves.title
            self.query_one(Plot).show([Chart(curves.title, curves.lines)], curves.labels)
        super().show_findings(findings)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer a file where an option is one."""
        if action == "choose_file":
            return any(option.type.name == "table" for option in fields_of(self.analysis))
        return super().check_action(action, parameters)
