"""Pictures of a run as a pane: one of several at a time, moved by the arrow keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.widget import Widget

from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone
from kanon_tui.widgets.drawing import theme_style

__all__ = ["PictureView", "picture_text"]

_COLOURS: dict[Tone, str] = {
    "dim": "text-muted",
    "main": "primary",
    "good": "success",
    "bad": "error",
    "warn": "warning",
    "best": "accent",
}
_ROOM = 100
"""Rows that a picture may have at most where its pane is as high as it."""
_STRONG: tuple[Tone, ...] = ("strong", "best", "good", "bad")


def picture_text(picture: Picture, widget: Widget) -> Text:
    """The rows of a picture in the colours of the theme."""
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
    if tone in _COLOURS:
        return theme_style(widget, _COLOURS[tone], bold=tone in _STRONG)
    return Style(bold=tone == "strong" or None)


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
        """How many the picture had when it was laid out; 0 where they do not matter."""

    @property
    def drawing(self) -> Drawing | None:
        """The picture that is shown."""
        return self._drawings[self._shown] if self._drawings else None

    def begin(self, drawings: Sequence[Drawing]) -> None:
        """Other pictures, from the first."""
        self._drawings, self._shown, self._scene = list(drawings), 0, None
        self._entitle()

    def show(self, scene: Scene) -> None:
        """Draw another scene."""
        self._scene = scene
        self._entitle()
        self.draw_again()

    def next_picture(self) -> None:
        """The next of the pictures, from the last the first."""
        if self._drawings:
            self._shown = (self._shown + 1) % len(self._drawings)
            self._entitle()
            self.draw_again()

    def _entitle(self) -> None:
        if self.drawing is not None:
            others = (
                f" {self._shown + 1}/{len(self._drawings)} v" if len(self._drawings) > 1 else ""
            )
            self.border_title = f"{self.drawing.name}{others}"

    def action_move(self, across: int, down: int) -> None:
        """An arrow key."""
        if self.drawing is not None and self._scene is not None:
            self.drawing.move(self._scene, across, down)
            self.draw_again()

    def draw_again(self) -> None:
        """Draw what has changed; a pane that is as high as its picture gets the height it needs."""
        rows = self._count_rows(self.size.width) if self.styles.is_auto_height else 0
        self.refresh(layout=rows != self._rows)
        self._rows = rows

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Rows of the picture; those it is drawn in now may be of a step before."""
        return self._count_rows(width)

    def _count_rows(self, width: int) -> int:
        picture = self._draw(width, _ROOM)
        return 0 if picture is None else len(picture.rows)

    def _draw(self, width: int, height: int) -> Picture | None:
        if self.drawing is None or self._scene is None or width < 4 or height < 1:
            return None
        return self.drawing.draw(self._scene, width, height)

    def render(self) -> Text:
        picture = self._draw(*self.size)
        return Text("") if picture is None else picture_text(picture, self)
