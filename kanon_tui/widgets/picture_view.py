"""A pane for the pictures of a run: one at a time, moved by the arrow keys."""

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.widget import Widget

from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone
from kanon_tui.widgets.drawing import theme_style

_COLOURS: dict[Tone, str] = {
    "dim": "text-muted",
    "main": "primary",
    "good": "success",
    "bad": "error",
    "warn": "warning",
    "best": "accent",
}
_HUES = ("primary", "warning", "success", "error", "accent", "secondary")
_SHARE = 0.45
"""Share of the screen that a picture has at most in a pane that is as high as its picture."""
_STRONG: tuple[Tone, ...] = ("strong", "best", "good", "bad")


def picture_text(picture: Picture, widget: Widget) -> Text:
    """Return the rows of a picture in the colours of the theme."""
    styles = {tone: _style(tone, widget) for row in picture.rows for _, tone in row}
    text = Text(no_wrap=True, overflow="crop", end="")
    for number, row in enumerate(picture.rows):
        text.append("\n" if number else "")
        for part, tone in row:
            text.append(part, styles[tone])
    return text


def _style(tone: Tone, widget: Widget) -> Style:
    if tone == "here":
        return Style(reverse=True, bold=True)
    if tone.startswith("hue-"):
        return theme_style(widget, _HUES[int(tone[-1])], bold=True)
    if tone == "on-panel":
        ground = theme_style(widget, "panel").color
        return theme_style(widget, "foreground", bold=True) + Style(bgcolor=ground)
    if tone.startswith("on-"):
        name: Tone = tone.removeprefix("on-")  # type: ignore[assignment]  # all are tones
        return theme_style(widget, _colour(name, widget), bold=True) + Style(reverse=True)
    if tone in _COLOURS:
        return theme_style(widget, _colour(tone, widget), bold=tone in _STRONG)
    return Style(bold=tone == "strong" or None)


def _colour(tone: Tone, widget: Widget) -> str:
    """Return the colour of a tone; the best has its own where accent and success are alike."""
    variables = widget.app.theme_variables
    alike = tone == "best" and variables["accent"] == variables["success"]
    return "secondary" if alike else _COLOURS[tone]


class PictureView(Widget, can_focus=True):
    """Draws a scene; `show` is called again when the scene has changed."""

    DEFAULT_CSS = """
    PictureView { height: 1fr; padding: 0 1; text-wrap: nowrap; text-overflow: clip; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1, 0)", "Left", show=False),
        Binding("right", "move(1, 0)", "Right", show=False),
        Binding("up", "move(0, -1)", "Up", show=False),
        Binding("down", "move(0, 1)", "Down", show=False),
    ]

    def __init__(
        self, drawings: Sequence[Drawing] = (), id: str | None = None, classes: str = ""
    ) -> None:
        super().__init__(id=id, classes=f"pane {classes}")
        self._drawings = list(drawings)
        self._shown = 0
        self._scene: Scene | None = None
        self._rows = 0
        """Rows of the picture when it was laid out; 0 in a pane of fixed height."""

    @property
    def drawing(self) -> Drawing | None:
        """The picture that is shown; None if there is none."""
        return self._drawings[self._shown] if self._drawings else None

    def begin(self, drawings: Sequence[Drawing]) -> None:
        """Show other pictures, beginning with the first."""
        self._drawings = list(drawings)
        self._shown = 0
        self._scene = None
        self._show_title()

    def show(self, scene: Scene) -> None:
        """Draw another scene of the run."""
        self._scene = scene
        self._show_title()
        self.draw_again()

    def next_picture(self) -> None:
        """Show the next picture; after the last the first."""
        if self._drawings:
            self._shown = (self._shown + 1) % len(self._drawings)
            self._show_title()
            self.draw_again()

    def _show_title(self) -> None:
        if self.drawing is not None:
            others = (
                f" {self._shown + 1}/{len(self._drawings)} v" if len(self._drawings) > 1 else ""
            )
            self.border_title = f"{self.drawing.name}{others}"

    def action_move(self, across: int, down: int) -> None:
        """Move in the picture, for an arrow key."""
        if self.drawing is not None and self._scene is not None:
            self.drawing.move(self._scene, across, down)
            self.draw_again()

    def draw_again(self) -> None:
        """Draw the picture again; a pane of automatic height is laid out if it needs another."""
        rows = self._count_rows(self.size.width) if self.styles.is_auto_height else 0
        self.refresh(layout=rows != self._rows)
        self._rows = rows

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of rows of the picture."""
        return self._count_rows(width)

    def _count_rows(self, width: int) -> int:
        picture = self._draw(width, int(_SHARE * self.screen.size.height))
        return 0 if picture is None else len(picture.rows)

    def _draw(self, width: int, height: int) -> Picture | None:
        if self.drawing is None or self._scene is None or width < 4 or height < 1:
            return None
        return self.drawing.draw(self._scene, width, height)

    def render(self) -> Text:
        picture = self._draw(*self.size)
        return Text("") if picture is None else picture_text(picture, self)
