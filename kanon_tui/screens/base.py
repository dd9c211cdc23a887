"""What every numbered screen has: the step bar, the footer, and a way to work in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer

from kanon_tui.core.editing.session import Session
from kanon_tui.core.project.project import Project
from kanon_tui.widgets.step_bar import StepBar

if TYPE_CHECKING:
    from kanon_tui.app import KanonApp

__all__ = ["STEPS", "StepScreen"]

T = TypeVar("T")

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


class StepScreen(Screen[None]):
    """A numbered screen. Subclasses give `body` (their panes) and `show` (fill them)."""

    STEP: ClassVar[str]
    HELP = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 (as Textual has it)
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("z", "zoom", "Zoom", show=False, id="zoom"),
    ]

    def compose(self) -> ComposeResult:
        """Step bar, panes, footer."""
        yield StepBar()
        yield from self.body()
        yield Footer(show_command_palette=False, compact=True)

    def body(self) -> Iterable[Widget]:
        """The panes of the screen."""
        raise NotImplementedError

    def show(self, session: Session) -> None:
        """Fill the panes from the session; called when it changed and when the screen appears."""
        raise NotImplementedError

    @property
    def kanon(self) -> KanonApp:
        """The application, typed."""
        from kanon_tui.app import KanonApp

        assert isinstance(self.app, KanonApp)
        return self.app

    @property
    def session(self) -> Session:
        """The open session; numbered screens exist only with one."""
        assert self.kanon.session is not None
        return self.kanon.session

    def on_screen_resume(self) -> None:
        """Show what may have changed while another screen was in front."""
        self.refresh_session()

    def refresh_session(self) -> None:
        """Fill bar and panes again."""
        if self.kanon.session is None or not self.is_mounted:
            return
        self.kanon.fill_step_bar(self.query_one(StepBar), self.STEP)
        self.show(self.kanon.session)

    def edit(self, project: Project, what: str) -> None:
        """Make an undoable edit; the panes follow."""
        self.kanon.edit(project, what)

    def edit_attributes(self, names: Iterable[str], what: str, **changes: Any) -> None:
        """Edit fields of attributes in one undoable step."""
        if self.session.change_attributes(names, what, **changes):
            self.kanon.session_changed()

    def compute(
        self,
        work: Callable[[], T],
        done: Callable[[T], object],
        *,
        group: str,
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Do work in a thread and call `done` with what it gives; a newer one replaces it."""
        self.kanon.compute(work, done, group=f"{self.STEP}.{group}", failed=failed, node=self)

    def action_zoom(self) -> None:
        """The focused pane takes the whole screen, or goes back to its place."""
        if self.maximized is not None:
            self.minimize()
        elif self.focused is not None:
            pane = self.focused
            for ancestor in self.focused.ancestors:
                if isinstance(ancestor, Widget) and ancestor.has_class("pane"):
                    pane = ancestor
            self.maximized = pane  # `maximize` refuses what cannot have the focus
