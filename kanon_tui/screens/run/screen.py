"""5 Run: choose an algorithm, set it up, watch it decide, pause, step, cancel."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from textwrap import wrap
from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import ContentSwitcher, OptionList, Static
from textual.widgets.option_list import Option

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.first_choice import Alternative, alternative_clause
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import KanonError, in_screen_words
from kanon_tui.core.fields.declaration import Field, choice, fields_of
from kanon_tui.core.pipeline.live import LiveRun
from kanon_tui.core.pipeline.run import Result, State, conclude
from kanon_tui.core.pipeline.trial import Preflight, Trial, preflight
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.privacy.risk import RISK_IN_WORDS
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.column import Role
from kanon_tui.core.task.task import Family
from kanon_tui.core.teaching.picture_registry import watched_run
from kanon_tui.core.text import visible
from kanon_tui.screens.base import StepScreen
from kanon_tui.screens.before_publishing import before_publishing, offer_to_leave_out
from kanon_tui.screens.run.advice import Advice, alternative_beside, not_ready
from kanon_tui.screens.run.live_view import LiveView
from kanon_tui.screens.run.race import ask_for_rival
from kanon_tui.screens.strings import choose_for_set_up
from kanon_tui.services.background import cancellation_check
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.drawing import theme_style
from kanon_tui.widgets.form import Form
from kanon_tui.widgets.lists import ChoiceList, ScrollPane

Filled = tuple[tuple[Field, ...], dict[str, Any]]
"""Fields, and their values by name."""

_OF_PRIVACY = tuple(
    replace(each, type=RISK_IN_WORDS) if each.name == "risk" else each
    for each in fields_of(Privacy)
)
"""The fields of privacy; the risk, a mapping in a file, is a few words in the form."""
OF_PROJECT = {each.name: each for each in fields_of(Project)}


def of_privacy(project: Project) -> Filled:
    """Return the fields of the privacy form, and the seed."""
    values = {**project.privacy.__dict__, "seed": project.seed}
    return (*_OF_PRIVACY, OF_PROJECT["seed"]), values


def of_algorithm(project: Project) -> Filled:
    """Return the parameters of the algorithm; for a clustering also whether ranges may overlap."""
    algorithm = ALGORITHMS[project.algorithm.name]
    clusters = algorithm.family is Family.CLUSTERING
    fields = (*fields_of(algorithm), *([OF_PROJECT["overlap"]] if clusters else []))
    return fields, {**project.algorithm.params, "overlap": project.overlap}


def of_requirements(project: Project, attributes: Sequence[str], attribute: str) -> Filled:
    """Return the requirements beyond k on one sensitive attribute, and which one it is."""
    which = Field(
        "attribute",
        choice(attributes),
        attributes[0],
        "The sensitive attribute that must stay diverse",
    )
    bounds = project.privacy.bounds_of(attribute)
    fields = (
        *([which] if len(attributes) > 1 else []),
        *(model.form_field() for model in MODELS.values()),
    )
    bound_values = {MODELS[name].form_field().name: bound for name, bound in bounds.items()}
    return fields, {"attribute": attribute, **bound_values}


NAME_WIDTH, TITLE_WIDTH = 13, 27
"""Widths of an algorithm's name and of its title in the list."""


def algorithm_line(name: str, title: str) -> Text:
    """Return name and title of an algorithm; a long title is wrapped, never cut off."""
    lines = wrap(title, TITLE_WIDTH)
    line = Text.assemble((f"{name:<{NAME_WIDTH}}", "bold"), (lines[0], "dim"))
    for more in lines[1:]:
        line.append(f"\n{'':<{NAME_WIDTH}}{more}", "dim")
    return line


def preflight_text(preflight: Preflight, name: str, privacy: Privacy, widget: Widget) -> Text:
    """Return whether the run can start and how large it is, then a line per warning."""
    if preflight.problem:
        return Text.assemble(
            ("✗ ", theme_style(widget, "error", bold=True)), visible(preflight.problem)
        )
    text = Text.assemble(
        ("✓ ready ", theme_style(widget, "success", bold=True)),
        (name, "bold"),
        f" k={privacy.k} · ",
    )
    text.append(visible(" · ".join(preflight.facts)))
    for warning in preflight.warnings:
        text.append(f"\n! {visible(warning)}", theme_style(widget, "warning"))
    return text


class BeyondK(Hosted, Vertical):
    """The form of the requirements on one sensitive attribute."""

    def __init__(self) -> None:
        super().__init__()
        self._of = ""

    def compose(self) -> Iterable[Widget]:
        yield Static(id="beyond-title")
        yield Form(id="beyond")

    def show(self, session: Session) -> None:
        """Show the project's requirements on the chosen attribute."""
        requirements = session.project.privacy.requirements
        named = [r.attribute for r in requirements if r.attribute is not None]
        attributes = list(dict.fromkeys([*session.names(Role.SENSITIVE), *named]))
        title = self.query_one("#beyond-title", Static)
        form = self.query_one(Form)
        title.display = form.display = bool(attributes)
        if not attributes:
            return
        if self._of not in attributes:
            self._of = attributes[0]
        alone = f" for {visible(attributes[0])}" if len(attributes) == 1 else ""
        title.update(Text.assemble(("beyond k", "bold"), alone))
        form.show(*of_requirements(session.project, attributes, self._of))

    def take_over(self, values: dict[str, Any]) -> bool:
        """Take over bounds, or turn to another attribute, which is then to be shown (True)."""
        session = self.session
        project = self.session.project
        attribute = values.get("attribute", self._of)
        if attribute != self._of:
            self._of = attribute
            return True
        bounds = {name: values[model.form_field().name] for name, model in MODELS.items()}
        sensitive = session.names(Role.SENSITIVE)
        privacy = project.privacy.with_bounds(sensitive, attribute, bounds)
        self.host.edit(replace(project, privacy=privacy), f"required of {attribute}")
        return False


REFRESH = 1 / 10
"""Seconds between two updates, which a slow connection can carry."""


class RunScreen(StepScreen):
    """The run screen: the set-up, then the run as it happens."""

    STEP = "run"
    VERTICAL_BREAKPOINTS = [(0, "-short"), (38, "-tall")]  # noqa: RUF012 (panes one at a time)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "start", "Run", id="run.start"),
        Binding("ctrl+r", "start", "Run", show=False, priority=True),
        Binding("A", "advice", "Advice", id="run.advice"),
        Binding("space", "pause", "Play/pause", id="run.pause"),
        Binding("full_stop", "step", "Step", id="run.step"),
        Binding("greater_than_sign", "speed(1)", "Faster", id="run.faster"),
        Binding("less_than_sign", "speed(-1)", "Slower", id="run.slower"),
        Binding("c", "cancel", "Cancel", id="run.cancel"),
        Binding("D", "race", "Race", id="run.race"),
        Binding("t", "alternative", "Try other", id="run.alternative"),
        Binding("escape", "setup", "Set-up", id="run.setup"),
        Binding("E", "strings", "Levels", id="run.strings"),
        Binding("O", "leave_out", "Leave columns out", id="run.leave-out"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.live: LiveRun | None = None
        self.alternative: Alternative | None = None
        """The algorithm that is named beside the last result."""
        self._concluding = False
        """Whether the result of a run is still to come: it is searched, proved or measured."""

    def body(self) -> Iterable[Widget]:
        with ScrollPane(id="ahead"):
            yield Static(id="preflight")
        yield Advice(self._preflight, id="advice")
        with ContentSwitcher(initial="setup"):
            with Container(id="setup"):
                with Vertical(id="algorithms-pane", classes="pane"):
                    yield ChoiceList(id="algorithms")
                with VerticalScroll(id="setup-pane", classes="pane", can_focus=False):
                    yield Static(id="about")
                    yield Form(id="privacy")
                    yield Form(id="parameters")
                    yield BeyondK()
            yield LiveView(id="live")

    def on_mount(self) -> None:
        self.query_one("#algorithms-pane").border_title = "algorithm"
        self.query_one("#setup-pane").border_title = "set-up"
        choices = self.query_one("#algorithms", OptionList)
        for family in Family:
            choices.add_option(Option(Text(family.value, "bold"), disabled=True))
            for name, algorithm in ALGORITHMS.items():
                if algorithm.family is family:
                    choices.add_option(Option(algorithm_line(name, algorithm.title), id=name))
        choices.focus()
        self.set_interval(REFRESH, self._draw_live_view)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Show in the footer only the keys that work now."""
        if action in ("pause", "speed"):
            return self._watching
        if action == "cancel":
            return self._at_work
        if action == "leave_out":
            return self._watching and not self._at_work and self._amber is not None
        if action == "alternative":
            return self.alternative is not None and self._watching and not self._at_work
        if action == "setup":
            return self._watching and not self._at_work
        return True

    @property
    def _at_work(self) -> bool:
        return self.live is not None and self.live.run.state in (State.READY, State.RUNNING)

    @property
    def _amber(self) -> FinishedRun | None:
        """The newest result if a caution speaks against it."""
        results = self.session.results
        return results[-1] if results and results[-1].is_amber else None

    @property
    def _watching(self) -> bool:
        return self.is_mounted and self.query_one(ContentSwitcher).current == "live"

    # -- set-up

    def show(self, session: Session) -> None:
        """Highlight the chosen algorithm, fill the forms, and show what the run will take."""
        project = session.project
        choices = self.query_one("#algorithms", OptionList)
        chosen = project.algorithm.name
        with self.prevent(OptionList.OptionHighlighted):
            choices.highlighted = choices.get_option_index(chosen)
        self._show_setup(session)

    def _show_setup(self, session: Session) -> None:
        project = session.project
        algorithm = ALGORITHMS[project.algorithm.name]
        about = Text.assemble((algorithm.title, "bold"), f"\n{algorithm.summary}.\n")
        about.append(algorithm.paper, "dim")
        self.query_one("#about", Static).update(about)
        self.query_one("#privacy", Form).show(*of_privacy(project))
        self.query_one("#parameters", Form).show(*of_algorithm(project))
        self.query_one(BeyondK).show(session)
        advice = self.query_one(Advice)
        self._preflight(advice.trial_of(project.algorithm))
        if not self._at_work:
            advice.show_for(session)

    def _preflight(self, trial: Trial | None) -> None:
        """Show whether the run can start, and how large it is."""
        session = self.session
        project = self.session.project
        algorithm = ALGORITHMS[project.algorithm.name]
        line = self.query_one("#preflight", Static)

        typed = next((form.error for form in self.query(Form) if form.display and form.error), "")

        def look_ahead() -> Preflight:
            if typed:
                return Preflight(problem=typed)
            beyond_memory = None if session.source is None else session.table.height
            return preflight(project, session.task(), algorithm, trial, beyond_memory)

        self.compute(
            look_ahead,
            lambda made_preflight: line.update(
                preflight_text(made_preflight, algorithm.name, project.privacy, self)
            ),
            group="preflight",
            failed=lambda error: line.update(
                preflight_text(Preflight(problem=in_screen_words(error)), "", project.privacy, self)
            ),
        )

    @on(OptionList.OptionHighlighted, "#algorithms")
    def choose(self, event: OptionList.OptionHighlighted) -> None:
        """Choose the algorithm under the cursor; parameters of the other one are dropped."""
        project = self.session.project
        if event.option_id is None or event.option_id == project.algorithm.name:
            return
        choice = AlgorithmChoice(event.option_id)
        self.edit(replace(project, algorithm=choice), f"algorithm {event.option_id}")

    @on(OptionList.OptionSelected, "#algorithms")
    def into_form(self) -> None:
        self._show_fields()
        self.query_one("#privacy", Form).focus_field("k")

    @on(Form.Left)
    def leave_form(self) -> None:
        """Go back to the list, where digits choose screens again."""
        self.query_one("#algorithms").focus()

    @on(Form.Checked)
    def show_validity(self) -> None:
        """Say that a field does not fit where the screen says whether it is ready."""
        self._preflight(self.query_one(Advice).trial_of(self.session.project.algorithm))

    @on(Form.Changed)
    def changed(self, event: Form.Changed) -> None:
        """Take over what the form has now, which may be newer than the message."""
        self._take_over(event.form.id or "", event.form.values)

    def take_typed(self) -> bool:
        """Take over what is in the fields; the first that does not fit gets the focus."""
        for form in self.query(Form):
            if not form.display:
                continue
            values = form.accept()
            if values is None:
                self._show_fields()
                self._show_view("setup")
                return False
            self._take_over(form.id or "", values)
        return True

    def _take_over(self, form: str, values: dict[str, Any]) -> None:
        project = self.session.project
        if form == "privacy":
            seed = values.pop("seed")
            privacy: Privacy = replace(project.privacy, **values)
            self.edit(replace(project, privacy=privacy, seed=seed), f"k = {privacy.k}")
            return
        if form == "beyond":
            if self.query_one(BeyondK).take_over(values):
                self._show_setup(self.session)
            return
        declared = {p.name: p for p in fields_of(ALGORITHMS[project.algorithm.name])}
        params: dict[str, Any] = {
            name: value
            for name, value in values.items()
            if name in declared and value != declared[name].default
        }
        choice = replace(project.algorithm, params=params)
        overlap = values.get("overlap", project.overlap)
        self.edit(replace(project, algorithm=choice, overlap=overlap), "parameters")

    def action_advice(self) -> None:
        """Take over one of the recommendations."""
        if not self._refuse_second_run():
            self.query_one(Advice).choose()

    def action_strings(self) -> None:
        """Build a string of levels, or pick one that the last search met; `r` then runs it."""
        choose_for_set_up(self)

    # -- running

    def action_start(self) -> None:
        self._begin(paused=False)

    def _refuse_second_run(self) -> bool:
        """Return whether a run is under way, and say how to end it."""
        if self._at_work:
            paused = self.live is not None and self.live.paused
            doing = "is paused; space resumes it" if paused else "is at work"
            self.host.notify(f"a run {doing}; c cancels it and keeps the best so far")
        elif self._concluding:
            self.host.notify("the release of the run before is being proved and measured")
        return self._at_work or self._concluding

    def _begin(self, paused: bool) -> None:
        """Start once what is typed fits and every column that singles people out is agreed on."""
        if self._refuse_second_run() or not self.take_typed():
            return
        if not self.session.guessed and not self.session.uncounted():
            self._prepare()
        before_publishing(self, partial(self._begin_now, paused), asking=self.action_setup)

    def _prepare(self) -> None:
        """Show a clock at once, before the first decision."""
        self.live = self.alternative = None
        self.query_one(LiveView).prepare(self.session.project.algorithm.name)
        self._show_view("live")

    def _begin_now(self, paused: bool) -> None:
        self.query_one(Advice).stop()
        session = self.session

        def begin(live: LiveRun) -> None:
            def drive() -> Result:
                if live.paused:
                    live.step()
                live.drive(cancellation_check())
                result = conclude(live.run, session.project)
                _ = result.cautions  # counted here, not while the screen is drawn
                return result

            self._watch(live)
            self._conclude(session, drive)

        def make() -> LiveRun:
            session.check_counted()
            if session.first_choice_is_open:
                session.preselect(session.first_choice(cancellation_check()))
            return watched_run(session.project, session.task(), paused=paused)

        if not (self._watching and self.query_one(LiveView).preparing):
            self._prepare()
        self.compute(make, begin, group="begin", failed=self._failed)

    def _watch(self, live: LiveRun) -> None:
        """Show a run that has begun; one that is shown already is left as it is."""
        if live is not self.live:
            self.live = live
            self.query_one(LiveView).begin(live)
            self._show_view("live")
            self.query_one("#picture").focus()

    def _conclude(self, session: Session, run: Callable[[], Result]) -> None:
        """Run to the end in a thread, then show the figures of the result."""

        def finished(result: Result) -> None:
            self._concluding = False
            self._draw_end()
            assert self.live is not None
            self.host.add_result(session, result)
            self.refresh_bindings()
            self.query_one(LiveView).conclude(self.live, result)
            self.host.session_changed()
            self._look_for_alternative(result)

        self._concluding = True
        background = self.host.background
        background.compute(self, run, finished, group="run", failed=self._failed)

    def _look_for_alternative(self, result: Result) -> None:
        """Say beside the figures of a result what another algorithm would have lost."""
        self.alternative = None
        show = partial(self._show_alternative, self.live, result)
        self.compute(
            partial(alternative_beside, result), show, group="alternative", failed=not_ready
        )

    def _show_alternative(
        self, live: LiveRun | None, result: Result, alternative: Alternative | None
    ) -> None:
        if self.live is not live:  # another run has begun
            return
        self.alternative = alternative
        self.refresh_bindings()
        if alternative is not None:
            clause = alternative_clause(result, alternative)
            self.query_one(LiveView).say_beside_result(f"{clause}: t tries it")

    def action_alternative(self) -> None:
        """Run the algorithm that the last line names."""
        if self.alternative is None or self._refuse_second_run():
            return
        name = self.alternative.algorithm
        self.edit(
            replace(self.session.project, algorithm=AlgorithmChoice(name)), f"algorithm {name}"
        )
        self._begin(paused=False)

    def _draw_end(self) -> None:
        self._draw_live_view()

    def _failed(self, error: Exception) -> None:
        self._concluding = False
        self._draw_end()
        if self.live is None:
            self.action_setup()
        self.refresh_bindings()
        self.host.session_changed()  # memory that was freed for the run can be used again
        is_expected = isinstance(error, KanonError)
        self.host.show_error("No release" if is_expected else "The run stopped", error)

    def _draw_live_view(self) -> None:
        if self.is_current and self._watching:
            self.query_one(LiveView).draw()

    # -- orders

    def action_pause(self) -> None:
        """Continue or pause the run."""
        self.query_one(LiveView).play_or_pause()

    def action_step(self) -> None:
        """Show one decision; start a run that waits after each if none is shown."""
        if not self._watching:
            self._begin(paused=True)
        elif not self.query_one(LiveView).step_on() and self.live is not None:
            if self._at_work:
                self.live.step()
            else:
                self.host.notify("that was the last decision; space plays it again, r runs again")

    def present(self) -> None:
        """Start a run that is paused at its first decision, with the panes for presenting."""
        if not self.query_one(LiveView).presenting:
            self.query_one(LiveView).action_present()
        self.action_step()

    def action_speed(self, direction: int) -> None:
        if self.live is not None:
            self.live.change_speed(direction)

    def action_leave_out(self) -> None:
        """Decide about the columns that k does not cover and that leave people unique."""
        if self._amber is not None:
            offer_to_leave_out(self, self._amber)

    def action_race(self) -> None:
        """Run the algorithm and another one on the same records, step by step."""
        if self.take_typed():
            ask_for_rival(self)

    def action_cancel(self) -> None:
        if self.live is not None:
            self.live.cancel()

    def action_setup(self) -> None:
        """Go back to the form; its fields are laid out after the list, so that keys work soon."""
        self.query_one("#setup-pane").display = False
        self._show_view("setup")
        self.query_one("#algorithms").focus()
        self.call_after_refresh(self._show_fields)

    def _show_fields(self) -> None:
        self.query_one("#setup-pane").display = True

    def _show_view(self, view: str) -> None:
        """Show the form or the run; preflight and advice belong to the form."""
        self.query_one(ContentSwitcher).current = view
        for pane in (self.query_one("#ahead"), self.query_one(Advice)):
            pane.set_class(view != "setup", "watching")
        self.refresh_bindings()
