"""The base class of numbered screens: step bar, panes, key bar, zoom."""

import asyncio
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widget import Widget

from kanon_tui.core.editing.readiness import Readiness, State, readiness
from kanon_tui.core.editing.session import Session
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import SizedByTerminal
from kanon_tui.widgets.key_bar import KeyBar
from kanon_tui.widgets.step_bar import UNSAVED, StepBar

STEPS: tuple[tuple[str, str, str], ...] = (
    ("1", "data", "Data"),
    ("2", "attributes", "Attributes"),
    ("3", "hierarchies", "Hierarchies"),
    ("4", "rules", "Rules"),
    ("5", "run", "Run"),
    ("6", "results", "Results"),
    ("7", "what-if", "What-if"),
)
"""Key, name and title of the numbered screens."""


FEWEST_LINES = 18
"""Lines of a terminal below which a screen shows its main table alone."""


class StepScreen(Hosted, SizedByTerminal):
    """A numbered screen. Subclasses define `body` (their panes) and `show` (fill them)."""

    STEP: ClassVar[str]
    result: FinishedRun | None = None
    """The run whose release is shown; None on screens that show none."""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 (as Textual has it)
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [Binding("z", "zoom", "Zoom", show=False, id="zoom")]

    def __init__(self) -> None:
        super().__init__()
        self._styled_for: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        yield StepBar()
        yield from self.body()
        yield KeyBar()

    @abstractmethod
    def body(self) -> Iterable[Widget]:
        """Return the panes of the screen."""

    @abstractmethod
    def show(self, session: Session) -> None:
        """Fill the panes from the session; called when it has changed or the screen appears."""

    @on(events.Resize)
    def leave_room_for_the_table(self, event: events.Resize) -> None:
        """Hide what stands beside the main table where there are few lines; the first says so."""
        tiny = event.size.height < FEWEST_LINES
        if tiny and not self.has_class("-tiny") and STEPS[0][1] == self.STEP:
            self.host.notify(
                f"{event.size.width}×{event.size.height} is small: 80×24 shows all panes"
            )
        self.set_class(tiny, "-tiny")

    async def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Show what may have changed while another screen was in front.

        Textual refreshes styles before and paints after this. The event loop gets a turn between
        the three, so that a key waits for one of them at most. Styles are refreshed only if those
        of the application have changed since the screen was last in front.
        """
        styled_for = self.app.theme, frozenset(self.app.classes), self.app.app_focus
        event.refresh_styles = styled_for != self._styled_for
        self._styled_for = styled_for
        await asyncio.sleep(0)
        self.refresh_session()
        await asyncio.sleep(0)

    def on_screen_suspend(self) -> None:
        """Take over what was typed before another screen is shown."""
        if self.host.session is not None and self.is_mounted:
            self.take_typed()

    def refresh_session(self) -> None:
        if self.host.session is None or not self.is_mounted:
            return
        self._fill_step_bar(self.host.session)
        self.show(self.host.session)

    def _fill_step_bar(self, session: Session) -> None:
        """Show name, steps and k; the states of the steps are computed in the background."""
        bar = self.query_one(StepBar)
        title = session.project.name + (UNSAVED if session.dirty else "")
        k = f"k={session.project.privacy.k}"
        unknown = Readiness(State.NOT_YET)
        known = {step: state for _, step, _, state in bar.steps}

        def show(states: Mapping[str, Readiness]) -> None:
            steps = tuple((*step, states.get(step[1], unknown)) for step in STEPS)
            bar.update(self.STEP, title, k, steps)

        show(known)
        self.host.background.compute(bar, lambda: readiness(session), show, group="readiness")

    def action_zoom(self) -> None:
        """Enlarge the focused pane to the whole screen, or put it back."""
        toggle_zoom(self)


def toggle_zoom(screen: Screen[Any]) -> None:
    """Enlarge the focused pane to the whole screen, or put it back."""
    if screen.maximized is not None:
        screen.minimize()
    elif screen.focused is not None:
        panes = [node for node in screen.focused.ancestors_with_self if node.has_class("pane")]
        if panes and isinstance(panes[-1], Widget):
            screen.maximized = panes[-1]  # `maximize` refuses what cannot have the focus
